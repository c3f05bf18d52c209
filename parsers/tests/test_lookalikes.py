"""What only looks like a result: other tools' tables, manuals, and the source of the tools and of their parsers."""

from __future__ import annotations

import pytest

from parsers.blocks import Block

from .reading import blocks, fixtures, name, text_of

LOOKALIKES = {
    "ab's manual": """
Requests per second
    This is the number of requests per second. This value is the result of dividing the number of requests by the total
    time taken
Time per request
    The average time spent per request. The first value is calculated with the formula concurrency * timetaken * 1000 /
    done while the second value is calculated with the formula timetaken * 1000 / done
Concurrency Level
    The number of concurrent clients used during the test
Failed requests
    The number of requests that were considered a failure.
""",
    "palb": """
This is palb, Version 0.1.0
Using pycurl as URL getter.
Benchmarking (be patient)..... done
Average Document Length: 23067 bytes
Concurrency Level:    4
Time taken for tests: 6.469 seconds
Requests per second:  15.46 [#/sec] (mean)
Connection Times (ms)
Total:        106   251  97.1    234     750
""",
    "weed benchmark": """
Concurrency Level:      16
Time taken for tests:   88.796 seconds
Complete requests:      1048576
Requests per second:    11808.87 [#/sec]
Connection Times (ms)
              min      avg        max      std
Total:        0.2      1.3       44.8      0.9
""",
    "the options of ab": """
Usage: ab [options] [http[s]://]hostname[:port]/path
Options are:
    -n requests     Number of requests to perform
    -c concurrency  Number of multiple requests to make at a time
    -t timelimit    Seconds to max. to spend on benchmarking
""",
    "a printf": """
    printf("Concurrency Level:      %d\\n", concurrency);
    printf("Time taken for tests:   %.3f seconds\\n", timetaken);
    printf("Complete requests:      %d\\n", done);
    printf("Requests per second:    %.2f [#/sec] (mean)\\n", (double) done / timetaken);
    printf("  50%%  %5d\\n", ap_round_ms(stats[0].time));
""",
    "a parser's source": """
import re
RATE = re.compile(r"Requests per second:\\s+([\\d.]+)")
FIELDS = {"Requests per second:": "rps", "Failed requests:": "failed", "Time per request:": "mean"}
def parse(text):
    if line.startswith("Requests per second:"):
        return float(line.split()[3])
    m = re.search('Requests per second: 12.5', text)
""",
    "a parser's tests": """
    assert parse("Requests per second:    617.01 [#/sec] (mean)") == 617.01
    self.assertEqual(x, "Requests per second:    617.01 [#/sec] (mean)")
    OUTPUT = "Transaction rate:	 13.01 trans/sec"
""",
    "a log of rates": """
time,rps,latency
10,1000,5
11,1010,5
""",
    "a log of rates by date": """
timestamp;requests/s;errors
2024-01-01 10:00;1000;5
2024-01-01 10:01;1010;5
""",
    "code between commas": """
rps, latency, err = run(url)
bench(name, rps=100, c=10)
bench(other, rps=100, c=10)
""",
    "what plans of a service allow": """
| free tier | 10 req/s |
| pro tier | 100 req/s |
""",
    "targets in a table": """
| service | target req/s |
|---|---|
| api | 1000 req/s |
| web | 2000 req/s |
""",
    "prose with commas": """
We saw nginx, apache, and caddy at 1000 req/s
and then, later, more at 2000 req/s
""",
    "awk": """
$ ab -n 100 http://localhost/ | grep 'Requests per second' | awk '{print $4}'
617.01
""",
    "siege's options": """
SIEGE 4.0.7
Usage: siege [options]
       siege [options] URL
       siege -g URL
Options:
  -V, --version             VERSION, prints the version number.
  -c, --concurrent=NUM      CONCURRENT users, default is 10
  -b, --benchmark           BENCHMARK: no delays between requests.
""",
    "siege's manual": """
Transactions: the number of server hits.
Availability: the percentage of socket connections successfully handled by the server.
Elapsed time: the duration of the entire siege test.
Transaction rate: the average number of transactions the server was able to handle per second.
Successful transactions: the number of times the server returned a code less than 400.
""",
    "/proc/PID/status": """
Name:	nginx
Umask:	0022
State:	S (sleeping)
Tgid:	335
Pid:	335
PPid:	334
Uid:	33	33	33	33
VmPeak:	   15688 kB
VmSize:	   15688 kB
VmRSS:	    8920 kB
RssAnon:	    2432 kB
VmSwap:	       0 kB
Threads:	1
""",
    "smaps": """
55d1c0a00000-55d1c0a2d000 r--p 00000000 fd:00 1311 /usr/sbin/nginx
Size:                180 kB
KernelPageSize:        4 kB
MMUPageSize:           4 kB
Rss:                 180 kB
Pss:                  36 kB
Shared_Clean:        180 kB
Private_Dirty:         0 kB
Referenced:          180 kB
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd mr mw me sd
""",
    "numastat -m": """
Per-node system memory usage (in MBs):
                          Node 0           Total
                 --------------- ---------------
MemTotal                 2984.50         2984.50
MemFree                  2694.80         2694.80
MemUsed                   289.70          289.70
Active                     92.12           92.12
""",
    "a node's meminfo": """
Node 0 MemTotal:        3056128 kB
Node 0 MemFree:         2759476 kB
Node 0 MemUsed:          296652 kB
""",
    "docker top": """
UID                 PID                 PPID                C                   STIME               TTY
""",
    "iotop": """
Total DISK READ :       0.00 B/s | Total DISK WRITE :       3.87 M/s
    TID  PRIO  USER     DISK READ  DISK WRITE  SWAPIN     IO>    COMMAND
    287 be/3 root        0.00 B/s    7.75 K/s  0.00 %  0.31 % [jbd2/sda1-8]
""",
    "lsof": """
COMMAND   PID     USER   FD   TYPE DEVICE SIZE/OFF NODE NAME
nginx     334     root    6u  IPv4  12345      0t0  TCP *:http-alt (LISTEN)
nginx     335 www-data    6u  IPv4  12345      0t0  TCP *:http-alt (LISTEN)
""",
    "a glossary": """
MemTotal
    Total usable RAM (i.e. physical RAM minus a few reserved bits and the kernel binary code)
MemFree
    Total free RAM. On highmem systems, the sum of LowFree+HighFree
MemTotal: total usable RAM, in kB
Buffers: relatively temporary storage for raw disk blocks
""",
    "crontab": """
# m h  dom mon dow   command
0 5 * * 1 tar -zcf /var/backups/home.tgz /home/
*/10 * * * * /usr/bin/siege -c 10 -t 5S http://localhost/
""",
    "ls -l": """
total 12
drwxr-xr-x 2 root root 4096 Mar  4 10:00 conf.d
-rw-r--r-- 1 root root 1482 Mar  4 10:00 nginx.conf
-rwxr-xr-x 1 www  www   120 Mar  4 10:00 run.sh
""",
    "netstat": """
Active Internet connections (servers and established)
Proto Recv-Q Send-Q Local Address           Foreign Address         State       PID/Program name
tcp        0      0 0.0.0.0:80              0.0.0.0:*               LISTEN      334/nginx
tcp        0      0 127.0.0.1:80            127.0.0.1:51234         TIME_WAIT   -
""",
    "questions about it": """
What does "Requests per second" of ab mean, and why is Time per request: so different from it?
My Failed requests: is not 0, although Complete requests: looks fine. Transfer rate: whatever.
A processor: that is what counts. Concurrency Level: as high as you can.
""",
    "prose with colons": """
Availability: high. Transactions: many. Concurrency: 5 users.
Active: 3 projects. Cached: none. Buffers: 2 kB each, they say, and that is not enough.
Total: 5 apples, 3 pears
""",
    "a Markdown table of one plan": """
| Plan | Requests/s |
|------|-----------:|
| free |         10 |
""",
    "a Markdown table that explains a rate": """
| Field | Meaning             |
|-------|---------------------|
| req/s | requests per second |
""",
    "a Markdown table of settings": """
| Parameter    | Requests/s | Note          |
|--------------|------------|---------------|
| rate limit   | 100/min    | for each user |
| burst        | 50         | then 429      |
""",
    "a Markdown table of targets": """
| Metric       | Current | Target |
|--------------|--------:|-------:|
| Requests/sec | 529,000 | 900,000 |
""",
    "a Markdown table of what is measured": """
| Rate | Requests/sec | `rate(http_requests_total[5m])` |
|------|--------------|---------------------------------|
| Errors | failed requests per second | `rate(errors[5m])` |
""",
    "a Markdown table of ratios": """
| Server | RPS vs nginx | req/s change |
|--------|-------------:|-------------:|
| caddy  |          0.9 |          -10 |
| h2o    |          1.2 |           20 |
""",
    "a Markdown table of an API's limits": """
### Recommended Limits per Chain

| Chain    | Req/sec | Req/min | Notes           |
|----------|---------|---------|-----------------|
| Ethereum | 10      | 600     | public endpoint |
| Solana   | 20      | 1200    | high capacity   |
""",
    "limits below two headings": """
### 3.2 Production Rate Limits

#### Invoice Retrieval
| Endpoint              | req/s | burst |
|-----------------------|-------|-------|
| POST /invoices/query  | 8     | 16    |
| POST /invoices/export | 4     | 8     |
""",
    "limits in a minute": """
The API allows 100 req/min for each key:

| Endpoint | req/min |
|----------|---------|
| /users   | 100     |
| /search  | 30      |
""",
    "prices and rates": """
| Offer      | Per month | Requests per second |
|------------|-----------|---------------------|
| Small      | $9        | 5                   |
| Enterprise | $499      | 1000                |
""",
    "a disk's throughput": """
Throughput of the disks (MB/s):

| Disk | read | write |
|------|------|-------|
| ssd  | 520  | 480   |
| nvme | 3400 | 2900  |
""",
    "a model's benchmark": """
# Benchmark

| Model  | Params | Accuracy |
|--------|--------|----------|
| small  | 25     | 76.1     |
| medium | 60     | 78.3     |
""",
    "goals above a table": """
Target throughput (requests per second):

| Service | peak | usual |
|---------|------|-------|
| api     | 1200 | 345   |
| web     | 2500 | 987   |
""",
    "features below a sentence with a rate's unit": """
Our server is built for many requests per second, and here is what it has.

| Feature  | Lite | Pro  |
|----------|------|------|
| Workers  | 1    | 64   |
| Plugins  | 12   | 148  |
""",
    "a usage plan": """
**Usage Plan:**

| Rate (requests per second) | Burst |
|----------------------------|-------|
| 2                          | 5     |
""",
    "what is promised": """
| Endpoint    | Response Time (p95) | Throughput (req/s) |
|-------------|---------------------|--------------------|
| `/health`   | <50ms               | 2000+              |
| `/search/`  | <500ms              | 100+               |
""",
    "a server's limits": """
limit_req_zone $binary_remote_addr zone=one:10m rate=10r/s;
    limit_req zone=one burst=5;
API quota: 100 req/min. Burst: 5 requests per second.
""",
    "rates of plans before their names": """
10 req/s - free tier
100 req/s - pro tier
""",
    "limits in columns": """
Rate limits of the API

search   10 req/s
upload    5 req/s
""",
    "limits in a list": """
The default limits are

- search: 10 transactions/s
- upload: 50 transactions/s
""",
    "a changelog with rates": """
1.4.0 - raised the limit to 100 req/s - thanks to all
1.3.9 - 10 req/s - per client
""",
    "prices": """
$20  up to 10 req/s
$50  up to 100 req/s
""",
    "what somebody says a server could do": """
A server like this could process 5000 requests per second.
The old one can process 2363.37 requests per second.
""",
    "a limit in the second line of a heading": """
| Service | Requests/s |
|         | (limit)    |
|---------|------------|
| search  | 10         |
| upload  | 50         |
""",
    "a mean below no rates": """
average TPS: 66225.3
versions
1.2
average TPS: 66225.3
""",
    "a changelog in a table": """
| Version | Notes                                    |
|---------|------------------------------------------|
| 1.2.0   | 5 requests per second limit raised to 10 |
| 1.1.0   | Fixed 500 on an empty body               |
""",
    "ports, sizes and counts in tables": """
| Service | Port |
|---------|------|
| http    | 80   |
| redis   | 6379 |

| File   | Size (KB) |
|--------|-----------|
| app.js | 120       |
| lib.js | 842       |

| Package | Version | Downloads per day |
|---------|---------|-------------------|
| nginx   | 1.25.3  | 12000             |
| redis   | 7.2.4   | 53000             |
""",
    "service level objectives": """
| Service  | Target p99 (ms) | Availability |
|----------|-----------------|--------------|
| checkout | 300             | 99.95%       |
| search   | 150             | 99.9%        |
""",
    "options in a table": """
| Parameter   | Default | Description                 |
|-------------|---------|-----------------------------|
| rate        | 50      | Requests per second to send |
| connections | 100     | Number of connections       |
""",
    "accessors in a table": """
| Property | Get | Set | Type |
|----------|-----|-----|------|
| run      | yes | yes | bool |
| reverse  | yes | no  | bool |
""",
}


def find_results(text: str) -> list[Block]:
    """The blocks with figures; a rate that was not read is a problem of a block without any."""
    return [block for block in blocks(text) if block.values]


@pytest.mark.parametrize("what", LOOKALIKES)
def test_is_no_result(what):
    assert find_results(LOOKALIKES[what].lstrip("\n")) == []


@pytest.mark.parametrize("path", fixtures("others"), ids=name)
def test_other_tools_output_is_none_of_ours(path):
    assert find_results(text_of(path)) == []


@pytest.mark.parametrize("what", LOOKALIKES)
def test_quoted_it_is_none_either(what):
    for sign in ("> ", "# ", "    ", "* "):
        assert find_results("".join(sign + line + "\n" for line in LOOKALIKES[what].strip("\n").split("\n"))) == [], (
            sign
        )
