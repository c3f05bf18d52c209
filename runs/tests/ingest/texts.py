"""Small pasted sessions, made up."""

AB = """\
Server Software:        nginx/1.22.1
Server Hostname:        localhost
Server Port:            8080

Document Path:          /page.html
Document Length:        35 bytes

Concurrency Level:      {c}
Time taken for tests:   2.000 seconds
Complete requests:      {n}
Failed requests:        {failed}
Total transferred:      2060000 bytes
HTML transferred:       350000 bytes
Requests per second:    {rps:.2f} [#/sec] (mean)
Time per request:       4.000 [ms] (mean)
Time per request:       0.400 [ms] (mean, across all concurrent requests)
Transfer rate:          145.24 [Kbytes/sec] received

Percentage of the requests served within a certain time (ms)
  50%     73
  99%   1205
 100%  13840 (longest request)
"""

MEMINFO = """\
MemTotal:         774616 kB
MemFree:          {free} kB
Buffers:          102576 kB
Cached:           431428 kB
SwapTotal:        491392 kB
SwapFree:         491392 kB
"""


def ab(rps: float = 500.0, *, n: int = 1000, c: int = 10, failed: int = 0) -> str:
    return AB.format(rps=rps, n=n, c=c, failed=failed)


def meminfo(free: int = 9744) -> str:
    return MEMINFO.format(free=free)


def session(*rates: float, heading: str = "worker:") -> str:
    """One heading, then a meminfo and an ab for each rate."""
    command = "$ ab -n 1000 -c 10 http://localhost:8080/page.html"
    parts = [f"{heading}\n\n$ cat /proc/meminfo\n{meminfo(int(rate))}\n{command}\n{ab(rate)}" for rate in rates]
    return "\n".join(parts)
