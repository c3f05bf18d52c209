"""What is made of whole texts as people post them: configs, rates of their runs, outcome. Made; "@tool" is genuine output."""

from __future__ import annotations

from itertools import product

import pytest

from runs.ingest.submission import Preview
from runs.selectors.judging import judge_draft
from runs.tests.drafts.documents import FIXTURES, expand, read

PGBENCH = """\
transaction type: {what}
scaling factor: 100
query mode: simple
number of clients: 10
number of threads: 2
duration: 60 s
number of transactions actually processed: 64210
latency average = 9.345 ms
tps = {tps:.6f} (without initial connection time)
"""


def pgbench(what: str, tps: float) -> str:
    return PGBENCH.format(what=what, tps=tps)


def wrk(path: str, rate: float) -> str:
    return f"$ wrk -t2 -c10 -d5s http://localhost:8080{path}\n@wrk {rate:.2f} path={path}\n"


HEY = """\
300 / 300 Boooooooooooooooooooooooooooooooooooooooooooooo! 100.00 %

Summary:
  Total:    {total:.4f} secs.
  Slowest:  0.4758 secs.
  Fastest:  0.0246 secs.
  Average:  0.0260 secs.
  Requests/sec: {rate:.4f}

Status code distribution:
  [200] 300 responses

Response time histogram:
  0.025 [1] |
  0.476 [299] |∎∎∎∎

Latency distribution:
  50% in 0.0254 secs.
  99% in 0.4758 secs.
"""


ARTILLERY = """\
Summary report @ 10:16:08(+0200) 2021-06-24
  Scenarios launched:  6000
  Scenarios completed: 6000
  Requests completed:  6000
  Mean response/sec: 99.16
  Response time (msec):
    min: 0
    max: 952
    median: {median}
    p95: {p99}
    p99: {p99}
  Codes:
    200: 6000
"""
K6 = """\
## {name}
  execution: local
     script: load/{name}.js
     output: -

  scenarios: (100.00%) 1 scenario, 20 max VUs, 50s max duration (incl. graceful stop):
           * default: 20 looping VUs for 20s (gracefulStop: 30s)

running (20.0s), 0/20 VUs, 18010 complete and 0 interrupted iterations
     http_req_duration..............: avg=1.03ms min=12µs med=0.78ms max=32.94ms p(90)=1.79ms p(95)=2.47ms
     http_reqs......................: 18010   {rate}/s
     vus............................: 20      min=20        max=20
     vus_max........................: 20      min=20        max=20
"""


def closing(rate: float) -> str:
    """wrk's report on a server that closes each connection behind its answer."""
    report = expand(f"@wrk {rate:.2f}")
    made = next(line.split()[0] for line in report.split("\n") if " requests in " in line)
    errors = f"  Socket errors: connect 0, read {int(made) + 7}, write 0, timeout 0\n"
    return report.replace("Requests/sec:", f"{errors}Requests/sec:")


def oha(rate: float, first_lines: bool = False) -> str:
    """oha's report, or the five figures that people quote of it; other tools print such lines, too."""
    text = (FIXTURES / "oha" / "oha_01.txt").read_text().partition("\n")[2].replace("8374.6098", f"{rate:.4f}")
    n = round(30.0018 * rate)
    text = text.replace("251253 responses", f"{n} responses").replace("583.22 MiB", f"{n * 583.22 / 251253:.2f} MiB")
    return "\n".join(text.split("\n")[2:7]) if first_lines else text


def outcome_of(text: str) -> tuple[dict[str, list[float | None]], str, str]:
    """({config's name: rates of its runs}, outcome of the headline, its winner or "")."""
    blocks, draft = read(expand(text))
    rates: dict[str, list[float | None]] = {}
    (experiment,) = draft.experiments
    for config in experiment.configs:
        own = [run for run in experiment.runs if run.config == config.key and run.counted]
        rates[config.name] = [blocks[run.block].load_results[0].requests_per_second for run in own]
    headline = judge_draft(Preview(None, blocks, draft, [], None), experiment)  # type: ignore[arg-type]
    assert headline
    return rates, str(headline.outcome), headline.winner.title if headline.winner else ""


# name: (text, configs with their rates, outcome, winner)
POSTS = {
    "one server, two pages": (
        "$ ab -n 500 -c 10 http://localhost/\n@ab 1000.5 path=/\n"
        "$ ab -n 500 -c 10 http://localhost/search\n@ab 14000.5 path=/search\n",
        {"nginx/1.22.1": [1000.5, 14000.5]},
        *("not_comparable", ""),
    ),
    "two servers, two pages each": (
        f"## nginx\n{wrk('/', 900)}{wrk('/big', 90)}\n## apache\n{wrk('/', 700)}{wrk('/big', 80)}",
        {"nginx": [900, 90], "apache": [700, 80]},
        *("unproven", "nginx · /"),
    ),
    "two servers, a second page of one": (
        f"## nginx\n{wrk('/', 700)}\n## apache\n{wrk('/', 900)}{wrk('/empty', 9000)}",
        {"nginx": [700], "apache": [900, 9000]},
        *("unproven", "apache · /"),
    ),
    "headings are requests": (
        f"### GET /\n{wrk('/', 9000)}\n### GET /users\n{wrk('/users', 800)}\n### `/users/1`\n{wrk('/users/1', 700)}",
        {"GET /": [9000], "GET /users": [800], "/users/1": [700]},
        *("not_comparable", ""),
    ),
    "files of one server": (
        f"## index.html\n{wrk('/index.html', 9000)}\n## index.php\n{wrk('/index.php', 800)}",
        {"index.html": [9000], "index.php": [800]},
        *("not_comparable", ""),
    ),
    "paths in a list": (
        "- /users: 900 req/s\n- /orders: 100 req/s\n",
        {"/users": [900], "/orders": [100]},
        *("not_comparable", ""),
    ),
    "paths in a table": (
        "| Endpoint | req/s |\n|---|---|\n| GET /users | 900 |\n| GET /orders | 100 |\n",
        {"table of rates": [900, 100]},
        *("not_comparable", ""),
    ),
    "paths above reports that have none": (
        expand("### `/users` endpoint\n@siege 900.5\n### `/orders` endpoint\n@siege 100.5\n"),
        {"/users endpoint": [900.5], "/orders endpoint": [100.5]},
        *("not_comparable", ""),
    ),
    "kinds of transactions": (
        f"{pgbench('<builtin: TPC-B (sort of)>', 1070.1)}\n{pgbench('<builtin: select only>', 14403.1)}",
        {"pgbench": [1070.1, 14403.1]},
        *("not_comparable", ""),
    ),
    "a branch in prompts": (
        "~/app (main) $ ab -n 500 -c 10 http://localhost/page.html\n@ab 700.5\n"
        "~/app (json *) $ ab -n 500 -c 10 http://localhost/page.html\n@ab 900.5\n",
        {"main": [700.5], "json": [900.5]},
        *("unproven", "json"),
    ),
    "a branch in prompts of zsh, back and forth": (
        "".join(
            f"➜  app git:({branch}) wrk -t2 -c10 -d5s http://localhost:8080/\n@wrk {rate:.2f}\n"
            for branch, rate in (("main", 700.50), ("x", 900.50), ("x", 901.50), ("main", 701.50))
        ).replace(".5\n", ".50\n"),
        {"main": [700.5, 701.5], "x": [900.5, 901.5]},
        *("better", "x"),
    ),
    "a branch above prompts": (
        "~/app on main\n❯ wrk -t2 -c10 -d5s http://localhost:8080/\n@wrk 700.50\n"
        "~/app on pooling [!]\n❯ wrk -t2 -c10 -d5s http://localhost:8080/\n@wrk 900.50\n"
        "me@box MINGW64 /c/app (pooling)\n$ wrk -t2 -c10 -d5s http://localhost:8080/\n@wrk 910.50\n",
        {"main": [700.5], "pooling": [900.5, 910.5]},
        *("unproven", "pooling"),
    ),
    "files shown by tail": (
        "$ tail -n +1 */README.md\n==> go/README.md <==\n# Results\n@wrk 700.50\n==> rust/README.md <==\n# Results\n@wrk 900.50\n",
        {"go": [700.5], "rust": [900.5]},
        *("unproven", "rust"),
    ),
    "files with the same sections": (
        "".join(
            f"==> {at}.md <==\n# Results\n## nginx\n@wrk {first:.2f}\n## apache\n@wrk {second:.2f}\n"
            for at, first, second in (("laptop", 700.5, 500.5), ("server", 1700.5, 1500.5))
        ),
        {
            "laptop · nginx": [700.5],
            "laptop · apache": [500.5],
            "server · nginx": [1700.5],
            "server · apache": [1500.5],
        },
        *("unproven", "laptop · nginx"),
    ),
    "files on one line": (
        "$ cat before.txt after.txt\n@ab 700.5\n@ab 900.5\n",
        {"before": [700.5], "after": [900.5]},
        *("unproven", "after"),
    ),
    "numbered files are repeats": (
        "".join(
            f"==> {name}-{at}.txt <==\n@ab {rate + at}\n"
            for name, rate in (("old", 700.5), ("new", 900.5))
            for at in (1, 2)
        ),
        {"old": [701.5, 702.5], "new": [901.5, 902.5]},
        *("better", "new"),
    ),
    "labels between command and output": (
        "$ ab -n 500 -c 10 http://localhost/page.html\nnginx\n@ab 700.5 server=\n"
        "$ ab -n 500 -c 10 http://localhost/page.html\n# apache\n@ab 900.5 server=\n",
        {"nginx": [700.5], "apache": [900.5]},
        *("unproven", "apache"),
    ),
    "file names before figures": (
        "".join(
            f"{name}-{at}.log:Requests per second:    {rate + at}.25 [#/sec] (mean)\n"
            for name, rate in (("old", 700), ("new", 900))
            for at in (1, 2, 3)
        ),
        {"old": [701.25, 702.25, 703.25], "new": [901.25, 902.25, 903.25]},
        *("better", "new"),
    ),
    "containers of one log": (
        "".join(
            expand(f"@wrk {rate:.2f} host={name}:80\n")
            .replace("\n", f"\nbench-{name}-1   | ")
            .join([f"bench-{name}-1   | ", "\n"])
            for name, rate in (("node", 700.5), ("rust", 900.5))
        ),
        {"bench-node": [700.5], "bench-rust": [900.5]},
        *("unproven", "bench-rust"),
    ),
    "containers of kubectl": (
        "".join(
            "".join(f"[pod/{name}/load] {line}\n" for line in expand(f"@wrk {rate:.2f}").split("\n"))
            for name, rate in (("node-7c9f", 700.5), ("rust-5d8b", 900.5))
        ),
        {"node-7c9f/load": [700.5], "rust-5d8b/load": [900.5]},
        *("unproven", "rust-5d8b/load"),
    ),
    "containers that a script's trace starts": (
        "".join(
            f"+ docker run -d --name srv {name}\n3f2a1b4c5d6e\n+ wrk -t2 -c10 -d5s http://localhost/\n"
            f"@wrk {rate:.2f}\n+ docker rm -f srv\nsrv\n"
            for name, rate in (("nginx:1.25", 900.5), ("httpd:2.4", 700.5))
        ),
        {"nginx": [900.5], "httpd": [700.5]},
        *("unproven", "nginx"),
    ),
    "a cold first run": (
        "first run (cold cache)\n@wrk 100.50\nsecond run\n@wrk 900.50\nthird run\n@wrk 901.50\n",
        {"cold cache": [100.5], "localhost:8080": [900.5, 901.5]},
        *("likely", "localhost:8080"),
    ),
    "banners with a load": (
        "".join(
            f"== {name} workers=4 ==\n@wrk {rate:.2f}\n"
            for name, rate in (("a", 700.5), ("nginx", 900.5), ("nginx", 901.5))
        ),
        {"a": [700.5], "nginx": [900.5, 901.5]},
        *("unproven", "nginx"),
    ),
    "numbers below their label": (
        "".join(f"Containers:\n{n}\n\n@wrk {500 * n + 0.5:.2f}\n\n" for n in (1, 2, 4)),
        {"Containers: 1": [500.5], "Containers: 2": [1000.5], "Containers: 4": [2000.5]},
        *("sweep", ""),
    ),
    "a log with times": (
        "".join(
            f"[2024-01-01 10:0{at}:00] starting gunicorn with {at} workers\n@wrk {500 * at + 0.5:.2f}\n"
            for at in (1, 2, 4)
        ),
        {"gunicorn with 1 workers": [500.5], "gunicorn with 2 workers": [1000.5], "gunicorn with 4 workers": [2000.5]},
        *("sweep", ""),
    ),
    "rates that were set": (
        "".join(
            f"$ wrk2 -t2 -c10 -d30s -R{rate} http://localhost:8080/page.html\n@wrk {rate - 0.25:.2f}\n"
            for rate in (500, 1000)
        ),
        {"localhost:8080": [499.75, 999.75]},
        *("sweep", ""),
    ),
    "rates alone, of two places of the client": (
        "Remote\nRequests/sec: 40.21\n\nLocal\nRequests/sec: 1005.30\n",
        {"Remote": [40.21], "Local": [1005.3]},
        *("unproven", "Local"),
    ),
    "a table beside rates alone": (
        "## Ours\n\n| Server | req/s |\n|---|---|\n| old | 4,732 |\n| new | 9,120 |\n\n"
        "## Kong\n\nRequests/sec: 35,000 (7x faster)\n",
        {"old": [4732], "new": [9120], "Kong": [35_000]},
        *("unproven", "Kong"),
    ),
    "what is now": (
        f"# Keep modules in memory\n\n## Before\n{wrk('/', 700.5)}\n## Now\n{wrk('/', 900.5)}",
        {"Before": [700.5], "Now": [900.5]},
        *("unproven", "Now"),
    ),
    "whole ids of commits": (
        "".join(f"{name * 5}\n\n@wrk {rate:.2f}\n\n" for name, rate in (("5e049e1e", 700.5), ("3f07b7e8", 900.5))),
        {"5e049e1e" * 5: [700.5], "3f07b7e8" * 5: [900.5]},
        *("unproven", "3f07b7e8" * 5),
    ),
    "loads that captions tell": (
        "hey 1000 requests with 50 concurrency\n\n"
        + HEY.format(total=3.2, rate=900.5)
        + "\nhey 10000 requests with 100 concurrency\n\n"
        + HEY.format(total=3.2, rate=1200.5),
        {"hey 1000": [900.5], "hey 10000": [1200.5]},
        *("not_comparable", ""),
    ),
    "a command that made fewer requests than the report has": (
        "$ hey -n 100 -c 10 http://localhost/\n\nsmall\n\n"
        + HEY.format(total=3.2, rate=900.5)
        + "\nwith 50 concurrent clients\n\n"
        + HEY.format(total=3.2, rate=1200.5),
        {"small": [900.5], "50 concurrent clients": [1200.5]},
        *("unproven", "50 concurrent clients"),
    ),
    "one rate that an open loop was set to": (
        "".join(
            f"## {name}\n" + ARTILLERY.format(median=median, p99=3 * median)
            for name, median in (("cache", 2), ("none", 202))
        ),
        {"cache": [99.16], "none": [99.16]},
        *("likely", "cache"),
    ),
    "scripts that k6 prints": (
        "".join(K6.format(name=name, rate=rate) for name, rate in (("list", 900.5), ("search", 100.5))),
        {"list": [900.5], "search": [100.5]},
        *("not_comparable", ""),
    ),
    "a table with failures": (
        "| Server | req/s | Errors |\n|---|---|---|\n| nginx | 12,000 | 0 |\n| caddy | 15,000 | 40 % |\n",
        {"nginx": [12_000], "caddy": [15_000]},
        *("failed", "nginx"),
    ),
    "a table with shares of failures": (
        "| Pool | req/s | p99 (ms) | Failed (%) |\n|---|---|---|---|\n| small | 1,200 | 33 | 0 |\n| large | 1,900 | 44 | 12.5 |\n",
        {"small": [1200], "large": [1900]},
        *("failed", "small"),
    ),
    "http and https of one server": (
        expand("@wrk 900.50 host=localhost:80\nvs\n\n@wrk 500.50 host=localhost:443\n").replace(
            "http://localhost:443", "https://localhost:443"
        ),
        {"localhost:80": [900.5], "localhost:443": [500.5]},
        *("unproven", "localhost:80"),
    ),
    "what another command shows to run": (
        "".join(
            f"$ curl -sI localhost | grep Server\nServer: {server}\n{wrk('/', rate)}"
            for server, rate in (("nginx/1.18", 700.5), ("nginx/1.18", 701.5), ("Apache/2.4", 900.5))
        ),
        {"nginx/1.18": [700.5, 701.5], "Apache/2.4": [900.5]},
        *("unproven", "Apache/2.4"),
    ),
    "what was echoed": (
        "".join(
            f"$ echo 'with {name}'\nwith {name}\n{wrk('/', rate)}"
            for name, rate in (("epoll", 700.5), ("uring", 900.5))
        ),
        {"epoll": [700.5], "uring": [900.5]},
        *("unproven", "uring"),
    ),
    "scripts that start a server": (
        "".join(
            f"$ ./start.sh {name} > /dev/null\n{wrk('/', rate)}$ ./stop.sh\n"
            for name, rate in (("one", 700.5), ("two", 900.5))
        ),
        {"one": [700.5], "two": [900.5]},
        *("unproven", "two"),
    ),
    "arrows before names": (
        ">>> nginx\n@wrk 700.50\n>>> caddy\n@wrk 900.50\n",
        {"nginx": [700.5], "caddy": [900.5]},
        *("unproven", "caddy"),
    ),
    "targets of make": (
        "".join(
            f"make bench-{name}\nwrk -t2 -c10 -d5s http://localhost:8080/\n@wrk {rate:.2f}\n"
            for name, rate in (("sync", 700.5), ("async", 900.5))
        ),
        {"sync": [700.5], "async": [900.5]},
        *("unproven", "async"),
    ),
    "a label and a command on one line": (
        "old: ab -n 500 -c 10\n@ab 700.5 server=\nnew: ab -n 500 -c 10\n@ab 900.5 server=\n",
        {"old": [700.5], "new": [900.5]},
        *("unproven", "new"),
    ),
    "sentences, and what pagers, shells and mails print": (
        "On Tue, Mar 3, 2015 at 10:12 AM, Foo Bar <foo@bar.org>\nwrote:\n"
        "I tried this with sendfile off and it gives me\n@wrk 700.50\n"
        "If I turn sendfile on, I get\n@wrk 900.50\nServer started with pid 8991\n[1] 8991\n(END)\nless\n@wrk 910.50\n",
        {"sendfile off": [700.5], "sendfile on": [900.5, 910.5]},
        *("unproven", "sendfile on"),
    ),
    "a sentence that names nothing": (
        "Apache first:\n@ab 700.5 server=Apache/2.4\nOutput looks like this for the second one:\n@ab 900.5 server=lighttpd/1.4\n",
        {"Apache": [700.5], "lighttpd/1.4": [900.5]},
        *("unproven", "lighttpd/1.4"),
    ),
    "two machines that a forum's post tells apart": (
        "I have a php application on two servers, Server A and Server B. When I run\n\nab -n 500 -c 10 http://weba/\n\nI get\n\n"
        "@ab 700.5 host=weba\n\nand on server B\n\nab -n 500 -c 10 http://webb/\n\n@ab 900.5 host=webb\n",
        {"server A": [700.5], "server B": [900.5]},
        *("unproven", "server B"),
    ),
    "two machines that only reports tell apart": (
        "This is what we get for our php application today:\n\n@ab 700.5 host=weba\n\n"
        "Why does the other one give us so much less?\n\n@ab 900.5 host=webb\n",
        {"weba": [700.5], "webb": [900.5]},
        *("unproven", "webb"),
    ),
    "machines that a German post names": (
        "Ich habe zwei Rechner. Rechner A hat 2 Kerne, Rechner B hat 8 Kerne. Ich bekomme:\n\n@ab 700.5 host=weba\n\n"
        "und auf Rechner B:\n\n@ab 900.5 host=webb\n",
        {"Rechner A": [700.5], "Rechner B": [900.5]},
        *("unproven", "Rechner B"),
    ),
    "courtesies": (
        "Thanks for the report. I can't reproduce this on my machine:\n@wrk 700.50\nWith tls_cache it gives me\n@wrk 900.50\n",
        {"localhost:8080": [700.5], "tls_cache": [900.5]},
        *("unproven", "tls_cache"),
    ),
    "a conjunction, and a box": (
        "with worker_processes 1:\n@ab 700.5\nand with worker_processes auto:\n@ab 900.5\nI get the same on my box:\n@ab 910.5\n",
        {"worker_processes 1": [700.5], "worker_processes auto": [900.5], "nginx/1.22.1": [910.5]},
        *("unproven", "nginx/1.22.1"),
    ),
    "a title right above the first command": (
        f"Apache's itk is much slower than others\n{wrk('/', 700.5)}\nprefork\n{wrk('/', 900.5)}",
        {"itk": [700.5], "prefork": [900.5]},
        *("unproven", "prefork"),
    ),
    "a loop over an option's values": (
        "$ for w in 1 2 3 4; do gunicorn -w $w app:app -D; ab -n 500 -c 10 http://localhost/; pkill gunicorn; done\n"
        + "".join(f"@ab {rate} server=gunicorn\n" for rate in (310.5, 588.5, 900.5, 910.5)),
        {"-w 1": [310.5], "-w 2": [588.5], "-w 3": [900.5], "-w 4": [910.5]},
        *("sweep", ""),
    ),
    "a loop over several lines": (
        "$ for w in 1 2 4 8\n> do gunicorn -w $w app:app -D\n>   ab -n 500 -c 10 http://localhost/\n>   pkill gunicorn\n> done\n"
        + "".join(f"@ab {rate} server=gunicorn\n" for rate in (310.5, 588.5, 900.5, 910.5)),
        {"-w 1": [310.5], "-w 2": [588.5], "-w 4": [900.5], "-w 8": [910.5]},
        *("sweep", ""),
    ),
    "sentences below a heading, each above requests of its own": (
        "### laravel 5.7\n\n**4. 5 benchmarks are launched, 500 calls, for each of the concurrencies 1 and 10**\n\n"
        + "".join(
            f"`ab -n 500 -c {c} http://localhost/hello`\n\n@ab {rate} c={c} path=/hello\n"
            for c, rate in ((1, 300.5), (10, 800.5), (20, 900.5))
        )
        + "\n**5. [redis] 5 benchmarks are launched, 500 calls, for each of the concurrencies 1 and 10**\n\n"
        + "".join(
            f"`ab -n 500 -c {c} http://localhost/redis`\n\n@ab {rate} c={c} path=/redis\n"
            for c, rate in ((1, 200.5), (10, 600.5), (20, 700.5))
        ),
        {"laravel 5.7": [300.5, 800.5, 900.5, 200.5, 600.5, 700.5]},
        *("sweep", ""),
    ),
    "the last line of a paragraph": (
        "nginx\n@wrk 900.50\n\nThese are the times with what had to wait for its turn taken out of them, as\n"
        "the tool (which was changed for that) has it in its second table, and as Coordinated\nOmission\n\n@wrk 700.50\n",
        {"nginx": [900.5], "localhost:8080": [700.5]},
        *("unproven", "nginx"),
    ),
    "loops over ranges": (
        "$ for w in $(seq 2 2 4); do gunicorn -w $w app:app -D; ab -n 500 -c 10 http://localhost/; done\n"
        + "".join(f"@ab {rate} server=gunicorn\n" for rate in (310.5, 588.5))
        + "$ for w in {6..7}; do gunicorn -w $w app:app -D; ab -n 500 -c 10 http://localhost/; done\n"
        + "".join(f"@ab {rate} server=gunicorn\n" for rate in (900.5, 910.5)),
        {"-w 2": [310.5], "-w 4": [588.5], "-w 6": [900.5], "-w 7": [910.5]},
        *("sweep", ""),
    ),
    "numbers of ports": (
        "".join(
            f"Server Port:            80{at}\n@line {rate}\n@line {rate + 1}\n=======\n"
            for at, rate in ((81, 400.5), (82, 900.5), (83, 700.5))
        ),
        {f"Server Port: 80{at}": [rate, rate + 1] for at, rate in ((81, 400.5), (82, 900.5), (83, 700.5))},
        *("better", "Server Port: 8082"),
    ),
    "a loop over versions": (
        "$ for v in 16 18 20; do nvm use $v; ab -n 500 -c 10 http://localhost/; done\n"
        + "".join(f"@ab {rate} server=\n" for rate in (310.5, 588.5, 900.5)),
        {"v=16": [310.5], "v=18": [588.5], "v=20": [900.5]},
        *("unproven", "v=20"),
    ),
    "rates behind names, below several headings": (
        "### /hello\n\nnode-http    Requests/sec:  900.50\nrust-hyper   Requests/sec:  700.50\n\n"
        "### /file\n\nrust-hyper   Requests/sec:  90.50\nnode-http    Requests/sec:  70.50\nnginx        Requests/sec:   N/A\n",
        {
            "/hello · node-http": [900.5],
            "/hello · rust-hyper": [700.5],
            "/file · rust-hyper": [90.5],
            "/file · node-http": [70.5],
        },
        *("unproven", "/hello · node-http"),
    ),
    "rates with remarks, in bold, without a colon": (
        "Echo (Go)\nRequests/sec:  700.50     Memory: 8 M\n\nGin (Go)\nRequests/sec:  600.50     Memory: 9 M\n\n"
        "- Fiber (Go): Requests/sec: **900.50**\nChi: Requests/sec 500.25 (pipelining)\n",
        {"Echo (Go)": [700.5], "Gin (Go)": [600.5], "Fiber (Go)": [900.5], "Chi": [500.25]},
        *("unproven", "Fiber (Go)"),
    ),
    "labels below headings of a change": (
        "".join(
            f"## {phase}\n\nnginx: Requests per second:    {rate}.25 [#/sec] (mean)\n"
            f"caddy: Requests per second:    {rate + 10}.25 [#/sec] (mean)\n\n"
            for phase, rate in (("before", 100), ("after", 200))
        ),
        {
            "before · nginx": [100.25],
            "before · caddy": [110.25],
            "after · nginx": [200.25],
            "after · caddy": [210.25],
        },
        *("unproven", "before · caddy"),
    ),
    "connections that the server closes behind each answer": (
        f"## uwsgi\n{closing(700.5)}\n## gunicorn\n{closing(900.5)}",
        {"uwsgi": [700.5], "gunicorn": [900.5]},
        *("unproven", "gunicorn"),
    ),
    "what a load tool says of its settings": (
        "".join(
            f"## {phase}\n\n```\n$ siege -b -c 10 -r 8 -f {phase.lower()}.txt\n[alert] Zip encoding disabled; siege requires zlib\n"
            f"** SIEGE 4.0.2\n** Preparing 10 concurrent users for battle.\n@siege {rate}\n```\n\n"
            for phase, rate in (("Before", 700.25), ("After", 900.25))
        ),
        {"Before": [700.25], "After": [900.25]},
        *("unproven", "After"),
    ),
    "a bar of progress, and the older order of a report": (
        "".join(
            f"### {phase}\n\n``` bash\n$ boom -n 300 -c 10 http://localhost:8080/\n{HEY.format(rate=rate, total=300 / rate)}```\n"
            for phase, rate in (("Before", 70.5), ("After", 90.5))
        ),
        {"Before": [70.5], "After": [90.5]},
        *("unproven", "After"),
    ),
    "names of tools below the names of servers": (
        "".join(
            f"## {server}\n\n### {page}\n\n**AB:**\n\n@ab {rate}.5 server= path=/\n\n"
            f"**WRK:**\n\n@wrk {rate + 5}.50 host=localhost:80\n\n"
            for rate, (server, page) in zip(
                (100, 200, 300, 400),
                ((server, page) for server in ("puma", "thin") for page in ("Rack", "Sinatra")),
                strict=True,
            )
        ),
        {
            "puma · Rack": [100.5, 105.5],
            "puma · Sinatra": [200.5, 205.5],
            "thin · Rack": [300.5, 305.5],
            "thin · Sinatra": [400.5, 405.5],
        },
        *("unproven", "puma · Sinatra · ab -n 5000 -c 10 no keep-alive /"),
    ),
    "headings with a point, and other terminals": (
        "## #1. Go implementation.\n\n```\nTerminal 1: $ go run .\nTerminal 2: [wrk]\n\n@wrk 900.50\n```\n"
        "## #2. OCaml implementation.\n\n```\nTerminal 1: $ dune build\nTerminal 2: $ [wrk]\n\n@wrk 700.50\n```\n",
        {"Go implementation": [900.5], "OCaml implementation": [700.5]},
        *("unproven", "Go implementation"),
    ),
    "lines that end a run": (
        "".join(
            f"@wrk {rate + level}.50 host=localhost:{port}\n-----{level}--DONE-----\n"
            for port, rate in ((8081, 600), (8082, 800))
            for level in (32, 64)
        ),
        {"localhost:8081": [632.5, 664.5], "localhost:8082": [832.5, 864.5]},
        *("better", "localhost:8082"),
    ),
    "labels of lines without a report's beginning": (
        "".join(
            f"### {test}\n\nExample output:\n\n```\n"
            + "".join(
                f"{name}\nCompleted 50 requests\nCompleted 100 requests\nFinished 100 requests\n"
                f"Requests per second:    {rate}.25 [#/sec] (mean)\n\n\n"
                for name, rate in rates
            )
            + "```\n"
            for test, rates in (
                ("Many small requests", (("Node", 700), ("Akka", 600))),
                ("Much to compute", (("Node", 20), ("Akka", 10))),
            )
        ),
        {
            "Many small requests · Node": [700.25],
            "Many small requests · Akka": [600.25],
            "Much to compute · Node": [20.25],
            "Much to compute · Akka": [10.25],
        },
        *("unproven", "Much to compute · Node"),
    ),
    "a table over clients, in Chinese": (
        "| 并发用户 | mod_php (请求/秒) | Nginx (请求/秒) |\n|---|---|---|\n"
        "| 1 | 345 | 500 |\n| 10 | 340 | 501 |\n| 50 | 250 | 490 |\n",
        {"mod_php": [345, 340, 250], "Nginx": [500, 501, 490]},
        *("sweep", "Nginx"),
    ),
    "what date prints": (
        "".join(
            f"[web]# date; ab -c 10 -n 500 http://localhost:{port}/page.html; date\n"
            f"2012年  2月 12日 日曜日 22:5{port % 10}:59 JST\n"
            f"@ab {rate} server={server} port={port}\n2012年  2月 12日 日曜日 22:5{port % 10}:59 JST\n"
            for port, rate, server in ((8081, 700.5, "Apache/2.2.22"), (8082, 900.5, "nginx/1.0.12"))
        ),
        {"Apache/2.2.22": [700.5], "nginx/1.0.12": [900.5]},
        *("unproven", "nginx/1.0.12"),
    ),
    "labels indented like the output": (
        "    $ pgbench -T 60 -c 10 bench\n"
        + "".join(
            f"    {mode}\n        latency average = 0.989 ms\n        tps = {tps:.6f} (without initial connection time)\n"
            for mode, tps in (("session", 10110.5), ("transaction", 10255.5))
        ),
        {"session": [10110.5], "transaction": [10255.5]},
        *("unproven", "transaction"),
    ),
    "the beginning of each report, then the whole": (
        f"1. Flask\n\n{oha(1809.8082, True)}\n\n1. Robyn\n\n{oha(5457.2339, True)}\n\n## Logs\n\n"
        f"Flask\n\n{oha(1809.8082)}\n\nRobyn\n\n{oha(5457.2339)}\n",
        {"Flask": [1809.8082], "Robyn": [5457.2339]},
        *("likely", "Robyn"),
    ),
    "files of a script that says what it does": (
        "".join(
            f"==> logs/{name}.log <==\nStart the server....\nup in {n} s\nFire....\n{wrk('/', rate)}"
            for name, n, rate in (("httpd", 3, 700.5), ("nginx", 2, 900.5))
        ),
        {"httpd": [700.5], "nginx": [900.5]},
        *("unproven", "nginx"),
    ),
    "services that are restarted, and settings in JSON": (
        "# Caddy v2\n\nRedirecting to /bin/systemctl restart caddy.service\n"
        "Stopping nginx (via systemctl):                            [  OK  ]\n@wrk 700.50\n"
        '# Nginx 1.16.1\n\n```json\n{\n  "workers": "auto"\n}\n```\nRedirecting to /bin/systemctl stop caddy.service\n'
        "@wrk 900.50\n",
        {"Caddy v2": [700.5], "Nginx 1.16.1": [900.5]},
        *("unproven", "Nginx 1.16.1"),
    ),
    "sections in sections": (
        "".join(
            f"## {pods}\n### growing\n#### GET /\n{wrk('/', rate)}#### GET /search\n{wrk('/search', rate / 2)}"
            f"### shrinking\n#### GET /\n{wrk('/', rate - 9)}#### GET /search\n{wrk('/search', rate / 2 - 9)}"
            for pods, rate in (("One pod per node", 700), ("Several pods per node", 900))
        ),
        {
            f"{get} · {pods} per node · {step}": [rate]
            for pods, rates in (("One pod", (700, 350, 691, 341)), ("Several pods", (900, 450, 891, 441)))
            for (step, get), rate in zip(
                product(("growing", "shrinking"), ("GET /", "GET /search")), rates, strict=True
            )
        },
        *("unproven", "GET /search · Several pods per node · growing"),
    ),
    "what somebody set and found": (
        "".join(
            f"## {workload}\nTimeout: {n} s\n**Winner: h3**\n\n### h2\n{wrk('/', rate)}### h3\n{wrk('/', rate + 200)}"
            "\nImprovement:\n+28 %\n\n"
            for n, workload, rate in ((5, "Small files", 700.5), (9, "Large files", 70.5))
        ),
        {
            "Small files · h2": [700.5],
            "Small files · h3": [900.5],
            "Large files · h2": [70.5],
            "Large files · h3": [270.5],
        },
        *("likely", "Large files · h3"),
    ),
    "links to what was measured": (
        f"[axum = 0.8.1](https://docs.rs/axum)\n{wrk('/', 700.5)}\n[actix-web](https://actix.rs)\n{wrk('/', 900.5)}",
        {"axum = 0.8.1": [700.5], "actix-web": [900.5]},
        *("unproven", "actix-web"),
    ),
    "a report that is explained line by line": (
        "## squid\n\n"
        + (FIXTURES / "httperf" / "httperf_01.txt").read_text()
        + "\n## Replies\n\nHow long each took:\n\n"
        "    Reply time [ms]: response 0.4 transfer 0.0\n\n## Requests\n\n    Request rate: 100.5 req/s (10.0 ms/req)\n",
        {"squid": [100.5]},
        *("single", ""),
    ),
    "scripts of transactions": (
        f"$ pgbench -n -f a.sql -c 10 -T 60 bench\n{pgbench('a.sql', 1070.1)}"
        f"$ pgbench -n -f b.sql -c 10 -T 60 bench\n{pgbench('b.sql', 2770.1)}",
        {"bench": [1070.1, 2770.1]},
        *("not_comparable", ""),
    ),
}


@pytest.mark.parametrize("name", POSTS)
def test_a_post_is_judged_as_a_careful_reader_would(name):
    text, *expected = POSTS[name]
    assert [*outcome_of(text)] == expected


@pytest.mark.parametrize(
    ("text", "rates"),
    [
        (
            "With the default settings nginx made `6,365 TPS`, and with the cache on it made `12,105 TPS`.\n",
            {"default settings nginx": [6365.0], "cache on": [12105.0]},
        ),
        (
            "Apache reached 6.3k req/s while nginx got only 9,120 req/s.\n",
            {"Apache": [6300.0], "nginx": [9120.0]},
        ),
        ("nginx 的 QPS 达到 10.7万，caddy 的 QPS 为 8.2万。\n", {"nginx": [107_000.0], "caddy": [82_000.0]}),
        ("Apache schaffte 6.365 Anfragen/s, nginx erreichte 9.120 Anfragen/s.\n", {"Apache": [6365.0], "nginx": [9120.0]}),
        (  # beside reports it is prose as any other
            "Then I tried nginx, which gave 280 req/s:\n\n@ab 280.5 server=\n\n"
            "After that caddy, which gave 99 req/s:\n\n@ab 380.5 server=\n",
            {"nginx": [280.5], "caddy": [380.5]},
        ),
    ],
)  # fmt: skip
def test_rates_in_sentences_are_runs_of_a_text_without_reports(text, rates):
    assert outcome_of(text)[0] == rates


@pytest.mark.parametrize(
    "text",
    [
        "nginx did 900 req/s and should reach 5,000 req/s.",
        "If it served 100 req/s we were happy.",
        "They got 40% more TPS.",
        "By 2017 it served 400 req/s.",
        "Last year nginx made 900 req/s.",
        "When we had launched the shop in two more countries, the API served 50 req/s.",
    ],
)
def test_what_should_be_reached_is_no_rate(text):
    assert list(read(f"{text}\n")[0]) == []


def test_a_rate_in_a_sentence_that_no_report_has_is_told():
    blocks, _ = read(
        expand("TL;DR nginx got 900 req/s, caddy got 800 req/s\n\n## nginx\n\n@ab 850.5\n\n## caddy\n\n@ab 700.5\n")
    )
    assert [problem.line for block in blocks for problem in block.problems] == [1]


@pytest.mark.parametrize(
    "said", ["Brian got 3,000 req/s on his laptop.", "In January our site served 1,500 req/s, and the shop served 900 req/s."]
)  # fmt: skip
def test_rates_of_something_else_beside_reports_are_no_problem(said):
    blocks, _ = read(expand(f"{said}\n\n## nginx\n\n@ab 850.5\n\n## caddy\n\n@ab 700.5\n"))
    assert not [problem for block in blocks for problem in block.problems]


def sides(one: str, other: str, names: tuple[str, str] = ("kong", "tyk")) -> str:
    """What the headline says on two configs, and what speaks against it."""
    blocks, draft = read(expand(f"## {names[0]}\n\n{one}\n## {names[1]}\n\n{other}"))
    headline = judge_draft(Preview(None, blocks, draft, [], None), draft.experiments[0])  # type: ignore[arg-type]
    assert headline
    return f"{headline.outcome}: {headline.sentence} {[objection.text for objection in headline.against]}"


def with_header(header: str, rate: float) -> str:
    return wrk("/", rate).replace("-d5s", f"-d5s -H '{header}'")


def post(file: str, rate: float, n_bytes: int = 0) -> str:
    """ab's report on 500 requests with this file as the body, which came to so many bytes."""
    text = expand(f"$ ab -n 500 -c 10 -p {file} http://localhost/page.html\n\n@ab {rate} n=500\n")
    return text.replace("HTML transferred", f"Total body sent:        {n_bytes}\nHTML transferred") if n_bytes else text


TPC_B = pgbench("<builtin: TPC-B (sort of)>", 900)


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        (with_header("Accept-Encoding: gzip", 900), wrk("/", 700), "header differs: Accept-Encoding against none"),
        (with_header("Authorization: Bearer x", 900), wrk("/", 700), "header differs: Authorization against none"),
        (post("big.json", 900.5), post("tiny.json", 700.5), "body sent differs: big.json against tiny.json"),
        (
            post("a", 900.5, 155_000),
            post("a", 700.5, 5_120_000),
            "not_comparable: Not comparable: request body 310 bytes",
        ),
        (TPC_B, TPC_B.replace("factor: 100", "factor: 10"), "not_comparable: Not comparable: scale 10"),
        (TPC_B, TPC_B.replace("mode: simple", "mode: prepared"), "not_comparable: Not comparable: protocol simple"),
    ],
)
def test_what_else_was_asked_for_is_in_the_headline(one, other, said):
    assert said in sides(one, other)


def test_the_name_of_a_server_in_a_header_is_no_other_request():
    names = ("drupal", "joomla")
    one, other = (with_header(f"Host: {name}.test", rate) for name, rate in zip(names, (700, 800), strict=True))
    assert "header" not in sides(one, other, names)


@pytest.mark.parametrize(("name", "is_told"), [("uwsgi", True), ("nginx with uwsgi", False)])
def test_a_web_server_before_one_side_alone_is_in_the_headline(name, is_told):
    command = "$ ab -n 500 -c 10 http://localhost/page.html\n\n"
    text = sides(
        f"{command}@ab 900.5 server=gunicorn\n", f"{command}@ab 800.5 server=nginx/1.18.0\n", ("gunicorn", name)
    )
    assert ("answering server differs: no proxy against nginx" in text) is is_told


def test_clients_that_could_not_connect_are_no_load():
    few = expand(wrk("/", 990)).replace(
        "Requests/sec:", "  Socket errors: connect 7, read 0, write 0, timeout 0\nRequests/sec:"
    )
    assert "not_comparable: Not comparable: concurrency 3" in sides(few, wrk("/", 900))


def test_a_few_clients_that_a_slower_side_never_connected_do_not_hide_that_the_other_leads():
    lost = expand(wrk("/", 400)).replace(
        "Requests/sec:", "  Socket errors: connect 2, read 0, write 0, timeout 0\nRequests/sec:"
    )
    assert "“tyk” measured 2.3 times as fast as “kong”" in sides(lost, wrk("/", 900))


def test_percentiles_alone_tell_a_tail_that_loses_what_the_median_gains():
    told = "Percentage of the requests served within a certain time (ms)\n  50%  {}\n  95%  {}\n  99%  {}\n"
    blocks, draft = read(f"## old\n{told.format(100, 200, 300)}\n## new\n{told.format(87, 240, 310)}")
    headline = judge_draft(Preview(None, blocks, draft, [], None), draft.experiments[0])
    assert headline
    assert "its p95 is 20 % longer (240 against 200 ms)" in headline.sentence
    assert "p99" not in headline.sentence
