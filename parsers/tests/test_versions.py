"""Versions that cannot be run here, as their sources print: what a line means, not whole captures."""

from __future__ import annotations

import pytest

from parsers.records import HostFacts

from .reading import FIXTURES, agrees, blocks, plain, text_of

VERSIONS = [
    (
        "siege 4.1 in ms",
        "** SIEGE 4.1.6\n** Preparing 25 concurrent users for battle.\nThe server is now under siege...\n"
        "Transactions:                   4263    hits\nAvailability:        100.00 %\nResponse time:                 26.51 ms\n"
        "Transaction rate:             936.92 trans/sec\nLongest transaction:          120.00 ms\n",
        {"users": 25, "transactions": 4263, "response_time_s": 0.02651, "longest_s": 0.12},
    ),
    (
        "siege 2 in bytes",
        "Transactions:                     40 hits\nData transferred:            1048576 bytes\n"
        "Transaction rate:               5.80 trans/sec\nStatus code 200:      40\nFailed transactions:               0\n",
        {"data_transferred_mb": 1.0, "transaction_rate": 5.8, "failed_transactions": 0},
    ),
    (
        "ab 1.3",
        "Concurrency Level:      1\nTime taken for tests:   0.024 seconds\nComplete requests:      10\nBroken pipe errors:     2\n"
        "Requests per second:    416.67\nTransfer rate:          677.92 kb/s received\n\nConnnection Times (ms)\n"
        "              min   avg   max\nConnect:        0     0     1\nTotal:          2     2     4\n",
        {"broken_pipe_errors": 2, "requests_per_second": 416.67, "total_ms": {"min": 2, "mean": 2, "max": 4}},
    ),
    (
        "top of procps 3.2 with a decimal comma",
        "top - 10:11:12 up  3:04,  2 users,  load average: 0,10, 0,20, 0,30\n"
        "Cpu(s): 70,0%us, 10,0%sy,  0,0%ni, 20,0%id,  0,0%wa,  0,0%hi,  0,0%si,  0,0%st\n"
        "Mem:    774616k total,   745092k used,    29524k free,    12345k buffers\n"
        "Swap:  1004052k total,    18708k used,   985344k free,   123456k cached\n\n"
        "  PID USER      PR  NI  VIRT  RES  SHR S %CPU %MEM    TIME+  COMMAND\n"
        " 4321 apache    20   0  1.2g  13m 4.5m S  0,3  1,7   0:01.23 httpd\n",
        {"load1": 0.1, "cpu": {"us": 70.0, "id": 20.0}, "swap_used_kb": 18708, "mem_cached_kb": 123456, "sum_res_kb": 13312,
         "processes": [{"virt_kb": 1258291.2, "shr_kb": 4608, "cpu_pct": 0.3, "time_s": 1.23}]},
    ),
    (
        "top of FreeBSD",
        "last pid: 12345;  load averages:  0.10,  0.20,  0.30    up 10+03:04:05  12:34:56\n"
        "37 processes:  1 running, 36 sleeping\nCPU:  1.2% user,  0.0% nice,  2.3% system,  0.1% interrupt, 96.4% idle\n"
        "Mem: 200M Active, 1024M Inact, 300M Wired, 112M Buf, 400M Free\nSwap: 2048M Total, 12M Used, 2036M Free\n\n"
        "  PID USERNAME    THR PRI NICE   SIZE    RES STATE   C   TIME    WCPU COMMAND\n"
        "  823 www          27  20    0   150M    43M kqread  0   1:23   0.29% httpd\n",
        {"uptime_s": 875045 - 5, "tasks_total": 37, "cpu": {"us": 1.2, "hi": 0.1}, "mem_free_kb": 409600, "swap_used_kb": 12288,
         "processes": [{"res_kb": 44032, "cpu_pct": 0.29}]},
    ),
    (
        "ps of FreeBSD",
        "$ ps aux\nUSER   PID  %CPU %MEM   VSZ   RSS TT  STAT STARTED         TIME COMMAND\n"
        "root    11 199.0  0.0     0    32 -   RL    5Jan24 53232:12.34 [idle]\n"
        "www   1234   0.0  0.5 45678 12345 v0  I    10:20AM     0:01.23 /usr/local/sbin/httpd -D NO\n",
        {"n_rows": 2, "sum_rss_kb": 12377, "processes": [{"time_s": 3193932.34}, {"command": "/usr/local/sbin/httpd -D NO"}]},
    ),
    (
        "ps with lstart",
        "$ ps -eo pid,lstart,rss,cmd\n  PID                  STARTED   RSS CMD\n    1 Mon Mar  4 10:00:01 2024 11724 /sbin/init\n",
        {"columns": ["pid", "start", "rss_kb", "command"], "processes": [{"start": "Mon Mar 4 10:00:01 2024", "rss_kb": 11724}]},
    ),
    (
        "ps with figures last",
        "$ ps -eo pid,user,rss\n  PID USER       RSS\n    1 root     11724\n   22 root      1724\n",
        {"n_rows": 2, "sum_rss_kb": 13448},
    ),
    (
        "ps with two names of one column",
        "$ ps -eo comm,args,pid | grep foo\nfoo             foo                 22\n",
        {"n_rows": 1, "processes": [{"pid": 22}]},
    ),
    (
        "ps of a small busybox",
        "~ # ps\n  PID USER       VSZ STAT COMMAND\n    1 root      1234 S    init\n   23 root         0 S <  [kthreadd]\n",
        {"flavour": "busybox", "n_rows": 2, "processes": [{"stat": "S", "vsz_kb": 1234}, {"stat": "S<", "command": "[kthreadd]"}]},
    ),
    (
        "cpuinfo of PowerPC",
        "processor\t: 0\ncpu\t\t: 745/755\ntemperature \t: 34-36 C (uncalibrated)\nclock\t\t: 600.000000MHz\nbogomips\t: 49.79\n"
        "machine\t\t: PowerMac4,1\n",
        {"n_processors": 1, "processors": [{"cpu": "745/755", "bogomips": 49.79, "machine": "PowerMac4,1"}]},
    ),
    (
        "h2load 1.0",
        "finished in 771.26ms, 129658 req/s, 4.71MB/s\n"
        "requests: 100000 total, 100000 started, 100000 done, 100000 succeeded, 0 failed, 0 errored\n"
        "traffic: 3812300 bytes total, 1009900 bytes headers, 1000000 bytes data\n"
        "time for request:    25.12ms    124.55ms     51.07ms     15.36ms    84.87%\n"
        "req/s (client)  :    1412.04     1447.84     1426.52       10.57    63.00%\n",
        {"requests_errored": 0, "traffic_data_bytes": 1000000, "client_rps": {"mean": 1426.52, "sd": 10.57}},
    ),
    (
        "h2load with percentiles",
        "finished in 2.00s, 308330.00 req/s, 36.18MB/s\n"
        "                 min         max         median      p95         p99         mean        sd         +/- sd\n"
        "request     :        7us       461us        10us        15us        20us        11us         3us    93.62%\n"
        "TTFB        :      258us       292us       275us       292us       292us       275us        16us    50.00%\n"
        "req/s       :   63730.60    86812.79    78887.39    86812.79    86812.79    77079.54    11473.74    75.00%\n",
        {"request_ms": {"max": 0.461, "median": 0.01, "p95": 0.015, "p99": 0.02, "mean": 0.011}, "client_rps": {"sd": 11473.74}},
    ),
    (
        "lscpu whose first line is missing",
        "CPU op-mode(s):                  32-bit, 64-bit\nCPU(s):                          6\n"
        "Model name:                      TI UltraSparc II  (BlackBird)\nThread(s) per core:              1\n",
        {"cpus": 6, "model_name": "TI UltraSparc II  (BlackBird)"},
    ),
    (
        "top in the comments of a program",
        "#top - 14:15:23 up 5 days, 51 min,  3 users,  load average: 0.01, 0.01, 0.00\n"
        "#Tasks: 139 total,   1 running, 138 sleeping,   0 stopped,   0 zombie\n"
        "#KiB Mem :   949580 total,   400472 free,    50768 used,   498340 buff/cache\n",
        {"users": 3, "tasks_total": 139, "mem_total_kb": 949580},
    ),
    (
        "wrk right behind a fence",
        "```Running 3m test @ http://a/\n  8 threads and 200 connections\nRequests/sec:    467.83\n",
        {"url": "http://a/", "threads": 8, "requests_per_second": 467.83},
    ),
    (
        "cpuinfo of an old ARM",
        "Processor\t: ARMv7 Processor rev 4 (v7l)\nprocessor\t: 0\nBogoMIPS\t: 38.40\n\nprocessor\t: 1\nBogoMIPS\t: 38.40\n\n"
        "Features\t: half thumb\nCPU part\t: 0xd03\n\nHardware\t: BCM2835\nRevision\t: a02082\nSerial\t\t: 0000abcdef\n",
        {"n_processors": 2, "hardware": "BCM2835", "revision": "a02082"},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "values"), [v[1:] for v in VERSIONS], ids=[v[0] for v in VERSIONS])
def test_is_read_to_its_end(text, values):
    (block,) = blocks(text)
    assert not block.problems
    assert agrees(values, plain(block))
    assert block.last == text.count("\n")


def test_an_old_arm_names_its_processor():
    (block,) = blocks(VERSIONS[-1][1])
    assert block.records == [HostFacts(cpu_model="ARMv7 Processor rev 4 (v7l)", cores=2)]


def test_autocannon_s_json_below_its_tables_is_the_same_run():
    tables = text_of(FIXTURES / "autocannon" / "autocannon_01.txt")
    exact = text_of(FIXTURES / "autocannon" / "autocannon_08_json.txt").split("\n")[1]
    (block,) = blocks(f"{tables}\n{exact}\n")
    assert (block.first, block.last) == (2, tables.count("\n") + 2)
    assert block.values["requests_sent"] == 39881
