"""How far jobs are, in words and as a share, for pages and lists; and what to do about one that failed."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from runs.database import parse_ids

from .models import Job, Plan, Step
from .tools import INSTALLED_BY

BEGUN = (Step.State.RUNNING, Step.State.LOST, Step.State.FAILED, Step.State.CANCELLED)
ENDED_EARLY = (Job.State.FAILED, Job.State.CANCELLED, Job.State.LOST)


@dataclass(frozen=True, slots=True)
class JobProgress:
    """summary   "running 7 of 24"
    detail      what the load tool says of its own progress, or ""
    share       of the whole job that is done, 0 to 1
    begun       steps that had begun and did not come to an end: their load would be sent again
    left        how many steps are not done
    seen_state, seen_steps   change whenever what pages show of the state, or of steps and log, changes
    """

    summary: str
    detail: str
    done: int
    total: int
    share: float
    current: Step | None
    begun: tuple[Step, ...]
    left: int
    seen_state: str
    seen_steps: str

    @property
    def seen(self) -> str:
        return f"{self.seen_state}.{self.seen_steps}"


def describe_progress(job: Job, steps: Sequence[Step]) -> JobProgress:
    """`steps` in their order. Of those of one load, which did not come to an end before, the last one counts."""
    counted = list({step.position: step for step in steps}.values())
    done = sum(step.state == Step.State.DONE for step in counted)
    current = next((step for step in counted if step.state == Step.State.RUNNING), None)
    reported: dict[str, Any] = job.progress if current and not job.is_over else {}
    inside = min(1.0, reported.get("done", 0) / reported["of"]) if reported.get("of") else 0.0
    return JobProgress(
        summary=summarize_job(job, done, len(counted), counted.index(current) + 1 if current else None),
        detail=_describe_load(reported),
        done=done,
        total=len(counted),
        share=min(1.0, (done + inside) / len(counted)) if counted else 0.0,
        current=current,
        begun=tuple(step for step in counted if step.state in BEGUN),
        left=len(counted) - done,
        seen_state=_digest_states(
            *(job.state, job.message, job.progress, job.experiment_id, job.clock_offset_s, job.name),
            *(job.cancel_requested_at, done, len(counted)),
        ),
        seen_steps=_digest_states(
            job.log, *((step.pk, step.state, step.message, step.requests_per_second, step.upload_id) for step in steps)
        ),
    )


def summarize_job(job: Job, done: int, total: int, at: int | None = None) -> str:
    """The state in a few words; `at` is the place of the step under way, where that is known."""
    if job.cancel_requested_at and not job.is_over:
        return "being cancelled"
    if at and job.state in (Job.State.RUNNING, Job.State.STORING):
        return f"{job.state} {at} of {total}"
    if job.state == Job.State.RUNNING:
        return f"running {min(done + 1, total)} of {total}"
    if job.state == Job.State.STORING:
        return f"running, {done} of {total} stored"  # or cooling down after it
    if job.state == Job.State.DONE or (job.state in ENDED_EARLY and total):
        return f"{job.state}, {done} of {total} stored"
    return job.state


def _describe_load(reported: dict[str, Any]) -> str:
    """ "400 of 1,000 requests, 812.3 requests per s so far"; elapsed seconds where the tool reports no count."""
    words = []
    if reported.get("of"):
        words.append(f"{reported.get('done', 0):,.0f} of {reported['of']:,.0f} {reported.get('unit', 'requests')}")
    elif reported.get("done"):
        words.append(f"{reported['done']:,.0f} {reported.get('unit', 'requests')}")
    if reported.get("elapsed_s") is not None:
        words.append(f"{reported['elapsed_s']:.0f} s")
    if reported.get("requests_per_second"):
        words.append(f"{reported['requests_per_second']:,.4g} requests per s so far")
    return ", ".join(words)


def _digest_states(*shown: Any) -> str:
    return hashlib.sha256(json.dumps(shown, default=str).encode()).hexdigest()[:12]


JobSummary = tuple[Job, str]  # "running 7 of 24"
LATEST = 8
MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class ExperimentJobs:
    """The jobs that add to an experiment: `stored` steps in all; `seen` changes when anything here does."""

    jobs: Sequence[JobSummary]
    active: bool
    stored: int
    seen: str

    @property
    def ids(self) -> str:
        return ",".join(str(job.pk) for job, _ in self.jobs)


def summarize_jobs(jobs: Iterable[Job]) -> list[JobSummary]:
    return [(job, summarize_job(job, job.n_done, job.n_steps)) for job in jobs]  # type: ignore[attr-defined]


def list_latest_jobs(plan: Plan | None = None) -> list[JobSummary]:
    return summarize_jobs(Job.objects.with_counts().matching(plan=plan.pk if plan else None)[:LATEST])


def list_active_jobs() -> list[JobSummary]:
    return summarize_jobs(Job.objects.with_counts().active()[:LATEST])


def find_jobs_of_experiment(experiment_id: int, shown: str = "") -> ExperimentJobs:
    """The experiment's jobs that are not over, and those that a page showed before (`shown`: ids with commas)."""
    ids = (parse_ids(shown) or [])[:MOST_NAMED]
    adding = Job.objects.filter(~Q(state__in=Job.OVER) | Q(pk__in=ids), experiment=experiment_id)
    # Mostly there are none, and to count their steps takes longer than that.
    numbers = list(adding.values_list("pk", flat=True))
    jobs_of_experiment = summarize_jobs(Job.objects.with_counts().filter(pk__in=numbers)) if numbers else []
    seen = repr([(job.pk, summary) for job, summary in jobs_of_experiment])
    return ExperimentJobs(
        jobs=jobs_of_experiment,
        active=any(not job.is_over for job, _ in jobs_of_experiment),
        stored=sum(job.n_done for job, _ in jobs_of_experiment),  # type: ignore[attr-defined]
        seen=hashlib.sha256(seen.encode()).hexdigest()[:12],
    )


# Words of ssh, of the load tools and of the system, and what helps. Each is tried; several may fit.
HELP = [
    (
        r"REMOTE HOST IDENTIFICATION HAS CHANGED|Host key verification failed",
        "The machine shows another host key than the one that is known, or none is known yet. Compare its fingerprint with "
        "somebody who administers it; then, as the worker's user, remove the old key (ssh-keygen -R NAME) and connect once "
        "by hand to accept the new one.",
    ),
    (
        r"Permission denied \(|Too many authentication failures|Load key ",
        "ssh was not let in. As the worker's user, `ssh -o BatchMode=yes NAME true` must succeed without any question: the "
        "key has to be readable by that user and listed in the machine's authorized_keys.",
    ),
    (
        r"Could not resolve hostname|Name or service not known|Temporary failure in name resolution"
        r"|does not know the name",
        "The name is not known where it was looked up. For an ssh destination, look at the ssh config that the worker reads "
        "(SSH_CONFIG); for a target's address, at the load generator's own resolver.",
    ),
    (
        r"apr_socket_recv: Connection refused|connect: connection refused|unable to connect to \S+ Connection refused"
        r"|completed no request",
        "Nothing listens at the target's address, or a firewall refuses it. Is the server running, on this port and this "
        "interface? `curl -I ADDRESS` on the load generator tells.",
    ),
    (
        r"ssh: connect to host \S+ port \d+: (Connection refused|Connection timed out|No route to host)",
        "The machine does not answer ssh. Is it up, and does `ssh NAME true` work for the worker's user?",
    ),
    (
        r"No space left on device|Disk quota exceeded|could not be written below",
        "The machine's disk is full: `df -h /tmp` on the load generator and on the target shows which.",
    ),
    (
        r"socket: Too many open files|Too many open files",
        "More connections than open files are allowed: raise the limit of the user that sends the load (ulimit -n).",
    ),
    (
        r"SSL handshake failed|certificate verify failed|tlsv1 alert|wrong version number",
        "The TLS handshake failed: does this port speak https, and with a protocol that the load tool knows?",
    ),
    (
        r"not on the target's list of addresses|was registered as",
        "The address is not, or no longer, among the target's. Somebody who may register targets can add it on the target's "
        "page, or save the target again so that its names are looked up anew.",
    ),
    (
        r"environment of the worker BENCHDASH_SECRET_",
        "Start the worker that sends this load with that variable set; it is read there and nowhere else.",
    ),
]
# As this project's own watch says it, and as other shells and env do.
MISSING = re.compile(
    r"\b([a-z]+)['’]?: (?:command )?(?:not found|No such file or directory)|failed to execute ['‘]?([a-z]+)"
)


def advise(message: str, log: str = "") -> list[str]:
    """Sentences on what to do about `message`; [] where its words say all there is. The log is read if it says nothing."""
    return _find_advice(message) or _find_advice(log)


def _find_advice(text: str) -> list[str]:
    named = dict.fromkeys(quoted or plain for plain, quoted in MISSING.findall(text))
    missing = [f"Install {name} on that machine: {INSTALLED_BY[name]}." for name in named if name in INSTALLED_BY]
    return missing + [words for pattern, words in HELP if re.search(pattern, text)]
