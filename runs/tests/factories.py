"""Stored rows as real pastes leave them, made without parsers: what pages are tested against.

The figures are measurements of the seeds; labels are our own.
"""

from __future__ import annotations

import hashlib
import itertools
import zlib
from collections.abc import Mapping
from typing import Any

from runs.ingest import counters
from runs.models import Capture, Config, ConfigText, Experiment, Host, Run, Series, Upload
from runs.series import pack_samples

_numbers = itertools.count(1)

# name, -k, requests/s, mean ms, failed, percentiles
MPM = [
    ("event", False, 17160.13, 58.275, 0, (35, 38, 40, 43, 49, 57, 256, 1032, 4612)),
    ("worker", False, 11064.69, 90.378, 0, (90, 90, 91, 91, 92, 93, 96, 97, 105)),
    ("event, keep-alive", True, 29219.55, 34.224, 172849, (2, 2, 2, 3, 189, 203, 215, 222, 261)),
    ("worker, keep-alive", True, 11735.33, 85.213, 0, (1, 1, 1, 1, 1, 1, 1, 3, 8588)),
]
PERCENTS = ("50", "66", "75", "80", "90", "95", "98", "99", "100")


def upload(text: str = "", **fields: Any) -> Upload:
    number = next(_numbers)
    data = (text or f"text {number}\n" + "line\n" * 200).encode()
    digest = hashlib.sha256(data + str(number).encode()).hexdigest()
    given = {"name": f"session {number}.txt", "origin": "web", "status": "ready", "encoding": "utf-8"} | fields
    return Upload.objects.create(
        sha256=digest,
        text_key=digest,
        raw=zlib.compress(data),
        size_bytes=len(data),
        n_lines=data.count(b"\n") + (not data.endswith(b"\n")),
        **given,
    )


def host(name: str = "web1", **fields: Any) -> Host:
    facts = {"cpu_model": "Intel(R) Pentium(R) M processor 1300MHz", "cores": 1, "mhz": 1300.0, "ram_kb": 774616}
    return Host.objects.create(name=f"{name}-{next(_numbers)}", **(facts | fields))


def experiment(name: str = "an experiment", **fields: Any) -> Experiment:
    return Experiment.objects.create(name=name, **fields)


def config(owner: Experiment, name: str, **fields: Any) -> Config:
    return Config.objects.create(experiment=owner, name=name, position=owner.configs.count(), **fields)


def run(of: Config, text: Upload, **fields: Any) -> Run:
    number = next(_numbers)
    given: dict[str, Any] = {"tool": "ab", "requests_per_second": 617.01, "line_first": number % 150 + 1}
    given |= {"line_last": number % 150 + 40, "block_key": f"b{number}", "fingerprint": f"f{of.pk}"} | fields
    made = Run(experiment=of.experiment, config=of, upload=text, **given)
    facets = counters.link_facets([made])
    made.save()
    counters.record_stored([made], facets)
    return made


def capture(of: Config, text: Upload, *, metrics: Mapping[str, float], processes: Any = (), **fields: Any) -> Capture:
    """`processes` are (pid, program, rss_kb, cpu_pct)."""
    number = next(_numbers)
    given = {"tool": "top", "line_first": number % 150 + 1, "line_last": number % 150 + 20, "block_key": f"b{number}"}
    made = Capture.objects.create(experiment=of.experiment, config=of, upload=text, **(given | fields))
    rows = [_series(made, metric, value) for metric, value in metrics.items()]
    for pid, program, rss, cpu in processes:
        who = {"pid": pid, "command": program, "group": program}
        rows += [_series(made, "rss_kb", rss, **who), _series(made, "cpu_pct", cpu, **who)]
    Series.objects.bulk_create(rows)
    return made


def series(of: Capture, metric: str, samples: list[float]) -> Series:
    """A system metric over several looks."""
    told = [value for value in samples if value == value]
    ends = {"min": min(told), "max": max(told), "last": told[-1], "mean": sum(told) / len(told)}
    return Series.objects.create(capture=of, metric=metric, n=len(told), samples=pack_samples(samples), **ends)


def _series(of: Capture, metric: str, value: float, **who: Any) -> Series:
    same = {"min": value, "mean": value, "max": value, "last": value}
    return Series(capture=of, metric=metric, n=1, samples=pack_samples([value]), **same, **who)


def mpm_experiment() -> Experiment:
    """Four configs with one ab run each, percentiles, and 172849 failures in one."""
    made = experiment("worker MPMとevent MPMの比較", host=host("centos5"))
    text = upload()
    for name, keepalive, rate, mean, failed, values in MPM:
        run(
            config(
                made, f"{name} MPM", group="(2) Keep-Alive 有効の場合" if keepalive else "(1) Keep-Alive 無効の場合"
            ),
            text,
            host=made.host,
            requests_per_second=rate,
            mean_ms=mean,
            max_ms=values[-1],
            percentiles_ms=dict(zip(PERCENTS, values, strict=True)),
            complete_requests=1_000_000,
            failed_requests=failed,
            concurrency=1000,
            keepalive=keepalive,
            path="/hello.html",
            server_software="Apache/2.4.7",
            values={"failed_length": failed, "transfer_rate_kbytes_per_s": 4591.69},
            command="ab -c 1000 -n 1000000 " + "-k " * keepalive + "http://centos5:8080/hello.html",
        )
    return made


def wsgi_experiment(n_configs: int = 2, n_repeats: int = 2, n_processes: int = 20) -> Experiment:
    """Configs × repeats, each config with a top screen of httpd processes and a config text."""
    machine = host()
    made = experiment("mod_wsgi と Django の Apache Bench", host=machine)
    text = upload()
    for number in range(n_configs):
        name = ("ApplicationGroup、WSGIImportScript を使用しない場合", "使用した場合")[number % 2] + f" {number + 1}"
        setup = config(made, name)
        for repeat in range(1, n_repeats + 1):
            rate = (617.01, 878.81, 722.23, 887.55)[(number * 2 + repeat - 1) % 4]
            told = {"percentiles_ms": {p: 70 + float(p) * repeat for p in PERCENTS}, "complete_requests": 10000}
            told |= {"failed_requests": 0, "concurrency": 100, "mean_ms": 138.46, "max_ms": 13840 / repeat}
            run(setup, text, host=machine, repeat=repeat, requests_per_second=rate, label=f"{repeat}回目", **told)
        top: dict[str, float] = {
            "mem_total_kb": 774616,
            "mem_free_kb": 9744,
            "mem_buffers_kb": 102576,
            "mem_cached_kb": 431428,
        }
        top |= {"cpu_us": 70.0, "cpu_sy": 23.5, "cpu_si": 6.5, "cpu_id": 0.0, "load1": 4.57, "swap_used_kb": 0}
        processes = [(2000 + n, "httpd", 13312 + 40.0 * n, 6.1) for n in range(n_processes)]
        capture(setup, text, phase="during", metrics=top, processes=processes, host=machine)
        ConfigText.objects.create(
            experiment=made,
            config=setup,
            upload=text,
            path="vhost.conf",
            text="WSGIApplicationGroup %{GLOBAL}\n",
            sha256=str(number),
            block_key=f"t{number}",
            line_first=3,
            line_last=5,
        )
    return made


def siege_experiment() -> Experiment:
    """Runs of siege: no percentiles, a longest transaction, an availability; what it calls concurrency is measured."""
    made, text = experiment("itk vs peruser"), upload()
    for name, rate, users in (("itk, mod_python", 8.96, 16.74), ("peruser, mod_python", 292.56, 19.97)):
        told = {"availability_pct": 99.65, "throughput_mb_per_s": 0.01}
        run(
            config(made, name),
            text,
            tool="siege",
            requests_per_second=rate,
            concurrency=users,
            values=told,
            max_ms=28070,
        )
    return made


def memory_experiment() -> Experiment:
    """MaxClients 50, 100, 150, with meminfo (total, free, inactive) before and after."""
    made, text = experiment("Apache2.2の負荷試験", host=host("www", ram_kb=1036684)), upload()
    rows = (
        (50, 3.07, 0, 2083800, 465592, 364488),
        (100, 2.82, 1, 4157446, 448336, 220108),
        (150, 4.62, 285, 3357510, 453360, 135164),
    )
    for clients, rate, failed, html_bytes, before, after in rows:
        setup = config(made, f"同時接続数{clients}、4回実施")
        told = {
            "failed_requests": failed,
            "complete_requests": clients * 4,
            "concurrency": clients,
            "mean_ms": 16263.853,
            "values": {
                "document_length_bytes": 10419,
                "html_transferred_bytes": html_bytes,
                **{f"failed_{kind}": 0 for kind in ("connect", "receive", "exceptions")},
                "failed_length": failed,
            },
        }
        made_run = run(setup, text, requests_per_second=rate, host=made.host, **told)
        for phase, free in (("before", before), ("after", after)):
            metrics = {"mem_total_kb": 1036684, "mem_free_kb": free, "mem_inactive_kb": 244444}
            capture(setup, text, tool="meminfo", phase=phase, metrics=metrics, run=made_run)
    return made
