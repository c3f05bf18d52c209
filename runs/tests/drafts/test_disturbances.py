"""What slowed one side by what a text shows or says beside its load tests. Made texts, with lines as the tools print them."""

from __future__ import annotations

import pytest

from runs.ingest.submission import Preview
from runs.selectors.judging import judge_draft

from .documents import expand, judge, read
from .test_conditions import WRK, headline_of

PING = (
    "$ ping -c 2 web1\nPING web1 (10.0.0.5) 56(84) bytes of data.\n64 bytes from web1: icmp_seq=1 ttl=64 time={0} ms\n\n"
    "--- web1 ping statistics ---\n2 packets transmitted, 2 received, 0% packet loss, time 1001ms\n"
    "rtt min/avg/max/mdev = {0}/{0}/{0}/0.011 ms\n\n"
)
SPEED = "$ ethtool eth0 | grep Speed\n\tSpeed: {}Mb/s\n"
CLOCKS = "$ grep MHz /proc/cpuinfo\ncpu MHz\t\t: {}\ncpu MHz\t\t: 800.013\n"
MOUNTS = (
    "$ df -hT /var/www\nFilesystem     Type  Size  Used Avail Use% Mounted on\n{}  457G  187G  247G  41% /var/www\n"
)
TITLE = "$ curl -s http://localhost:8080/ | grep title\n<title>{}</title>\n"
BODY = "$ curl -s http://localhost:8080/\n{}\n"
LENGTH = "$ curl -s http://localhost:8080/ | wc -c\n{}\n"
HEADERS = "$ curl -sI http://localhost:8080/\nHTTP/1.1 200 OK\nContent-Type: text/html\n{}\n\n"


@pytest.mark.parametrize(
    ("shown", "what"),
    [
        ("$ mysqldump shop > shop.sql &", "mysqldump"),
        ("$ strace -f -p 4410 -o a.txt &", "strace"),
        ("$ py-spy record -o a.svg --pid 4410 &", "py-spy"),
        ("$ php -v\nPHP 8.2.7 (cli)\n    with Xdebug v3.2.1, Copyright (c) 2002-2023, by Derick Rethans", "Xdebug"),
        ("$ tc qdisc show dev eth0\nqdisc netem 8001: root refcnt 2 limit 1000 delay 20ms", "a delay of the network"),
        (
            "$ cat /proc/mdstat\n      [==>.......]  resync = 12.6% (123456/976630464) finish=92min",
            "a rebuild of the RAID",
        ),
        ("$ dmesg | tail -1\n[91822.331] ata1: hard resetting link", "errors of a disk"),
        (
            "$ dmesg | tail -1\n[ 8125.421] mce: CPU0: Core temperature above threshold, cpu clock throttled (total events = 8231)",
            "a throttled CPU clock",
        ),
        ("$ vcgencmd get_throttled\nthrottled=0x50005", "a throttled CPU clock"),
        ("$ sensors\nPackage id 0:  +99.0°C  (high = +80.0°C, crit = +100.0°C)", "a CPU at its limit of temperature"),
        ("$ kubectl get pods\napi-7d9f7c8b5-x2x8p   1/1   Running   17 (9s ago)   12m", "restarts of its containers"),
        ("$ acpi -b\nBattery 0: Discharging, 71%, 02:11:01 remaining", "battery power"),
        ("$ grep CRON syslog\nMar  4 09:10:01 web1 CRON[411]: (root) CMD (/usr/local/bin/backup-db)", "a cron job"),
        (
            '$ tail -1 error.log\n2024/03/04 09:10:02 [error] 31#31: *8 limiting requests, excess: 20.4 by zone "a"',
            "a limit of requests",
        ),
        ("$ tail -1 app.log\n2024-03-04 09:10:02.120 DEBUG [http-1] query took 3 ms", "debug logging"),
        ("$ cat app.py\ndef hello():\n    time.sleep(0.05)\n    return 'hello'", "a pause in its code"),
        ("```js\nserve((req, res) => {\n  setTimeout(() => res.end('a'), 20);\n});\n```", "a pause in its code"),
        ("$ ./start\n    Finished dev [unoptimized + debuginfo] target(s) in 41.20s", "a debug build"),
        ("$ ./start\n    Finished `dev` profile [unoptimized + debuginfo] target(s) in 1.2s", "a debug build"),
        (
            "$ ./start\nWARNING: This is a development server. Do not use it in a production deployment.",
            "a development server",
        ),
        ("$ ./start\n=> Rails 7.0.4 application starting in development", "a development server"),
        ("$ ./start\n * Debug mode: on", "a development server"),
        (
            "$ df -h /\nFilesystem      Size  Used Avail Use% Mounted on\n/dev/sda1        40G   40G     0 100% /",
            "a full disk",
        ),
    ],
)
def test_what_slows_the_slower_side_alone_may_be_all_of_the_lead(shown, what):
    found = headline_of(shown, "")
    assert (found.outcome, found.next.about) == ("likely", "machine.disturbed")
    assert f"the text tells of {what}" in found.sentence and "beside “gunicorn” only" in found.sentence
    assert headline_of("", shown).outcome == headline_of(shown, shown).outcome == "better"


@pytest.mark.parametrize(
    "shown",
    [
        "$ cat bench.sh\nsleep 0.5",
        "$ cat hono.ts\napp.get('/', (c) => {\n  return c.json({\n    ok: true,\n  }, 200);\n});",
        "$ cat sum.js\nconst sum = sizes.reduce((a, b) => {\n  return a + b;\n}, 0);",
        "$ cat driver.py\n    time.sleep(30)",
        "$ cat a.js\nserver.setTimeout(5000);\nsleep(1);",
        "$ php -v\nPHP 8.2.7 (cli)\n    with Zend OPcache v8.2.7, Copyright (c), by Zend Technologies",
        "$ tc qdisc show dev eth0\nqdisc fq_codel 0: root refcnt 2 limit 10240p flows 1024",
        "$ dmesg | tail -1\n[90011.020] eth0: link becomes ready",
        "$ vcgencmd get_throttled\nthrottled=0x0",
        "$ sensors\nPackage id 0:  +61.0°C  (high = +80.0°C, crit = +100.0°C)",
        "$ kubectl get pods\napi-7d9f7c8b5-x2x8p   1/1   Running   2 (3d ago)   12d",
        "$ acpi -b\nBattery 0: Full, 100%",
        "$ ./start\n    Finished release [optimized] target(s) in 63.11s",
        "$ ./start\n=> Rails 7.0.4 application starting in production",
        "$ ./start\n * Debug mode: off",
        "$ df -h\n/dev/loop3        64M   64M     0 100% /snap/core20/1828",
        "$ grep CRON syslog\nMar  4 09:10:01 web1 CRON[411]: (root) CMD (/usr/local/bin/heartbeat)",
        "$ tail -1 app.log\n2024-03-04 09:10:02.120 INFO [http-1] debug logging is off",
    ],
)
def test_what_shows_that_nothing_slows_a_side_is_no_objection(shown):
    assert headline_of(shown, "").outcome == "better"


PS = "$ gunicorn -w 8 a:app &\n\n$ ps aux | grep gunicorn{}\n{}\n\n"
NETSTAT = (
    "$ netstat -s | grep -i listen\n    {0} times the listen queue of a socket overflowed\n"
    "    {0} SYNs to LISTEN sockets dropped\n\n"
)
NSTAT = "$ nstat -az TcpExtListenDrops\n#kernel\nTcpExtListenDrops               {}              0.0\n\n"


@pytest.mark.parametrize(
    ("n", "cut", "is_told"), [(3, "", True), (8, "", False), (1, "", False), (3, " | head -3", False)]
)
def test_fewer_processes_than_were_set_are_told_of_the_slower_side(n, cut, is_told):
    """Made. Of one process, what it started may be called otherwise."""
    lists = [PS.format(cut, f"@ps '/usr/bin/python3 gunicorn -w 8 a:app' {each}") for each in (n, 9)]
    found = headline_of(*lists, names=("Flask", "Pyramid"))
    said = f"the text tells of {n} processes where 8 were set beside “Flask” only" in found.sentence
    assert (found.outcome, said) == (("likely", True) if is_told else ("better", False))
    assert headline_of(*reversed(lists), names=("Flask", "Pyramid")).outcome == "better"


@pytest.mark.parametrize("counters", [NETSTAT, NSTAT])
@pytest.mark.parametrize(("grown", "is_told"), [(48_000, True), (0, False), (20, False)])
def test_connections_that_the_kernel_dropped_between_two_looks_are_of_the_load_between(counters, grown, is_told):
    """Made."""
    load = WRK + "\n@wrk {}\n\n"
    of_slower = [load.format(rate) for rate in (900, 905, 903)]
    of_faster = [load.format(rate) for rate in (1400, 1405, 1403)]
    before, behind = counters.format(120), counters.format(120 + grown)
    sides = [f"## Node\n\n{before}{''.join(of_slower)}{behind}", f"## Bun\n\n{behind}{''.join(of_faster)}{behind}"]
    found = judge("".join(sides))
    said = "48,000 SYNs dropped at a full listen queue (backlog) beside “Node” only" in found.sentence
    assert (found.outcome, said) == (("likely", True) if is_told else ("better", False))


def test_what_the_configs_are_named_after_slows_none_of_them():
    xdebug = "$ php -v\n    with Xdebug v3.2.1, Copyright (c) 2002-2023, by Derick Rethans"
    assert headline_of(xdebug, "", ("with Xdebug", "without Xdebug")).outcome == "better"


def test_a_name_within_another_word_of_an_answer_does_not_name_it():
    found = headline_of(TITLE.format("Shop"), TITLE.format("Please sign in"), ("Rocket", "Gin"))
    assert "a login page against a page of its own" in found.sentence


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        (PING.format("87.1"), PING.format("0.212"), "round trip differs: 0.212 against 87.1 ms"),
        (PING.format("0.212"), PING.format("87.1"), ""),  # in spite of it
        (PING.format("87.1"), PING.format("86.2"), ""),
        (PING.format("0.312"), PING.format("0.112"), ""),
        (PING.format("87.1"), "", ""),
        (SPEED.format(100), SPEED.format(1000), "network differs: 1,000 against 100 Mbit/s"),
        (SPEED.format(1000), SPEED.format(1000), ""),
        (CLOCKS.format("800.034"), CLOCKS.format("3598.201"), "CPU clock differs: 3,598 against 800"),
        (CLOCKS.format("3400.034"), CLOCKS.format("3598.201"), ""),
        (MOUNTS.format("nas:/www  nfs4"), MOUNTS.format("/dev/sda2  ext4"), "file system of /var/www ext4 against"),
        (MOUNTS.format("/dev/sdb1  ext4"), MOUNTS.format("/dev/sda2  ext4"), ""),
        (TITLE.format("All products"), TITLE.format("Welcome to nginx!"), "a default page against a page of its own"),
        (TITLE.format("All products"), TITLE.format("Every product"), ""),
        (HEADERS.format("Age: 0"), HEADERS.format("Age: 512"), "answered from a cache: a hit against no hit"),
        (HEADERS.format("Age: 0"), HEADERS.format("Age: 0"), ""),
        (
            HEADERS.format("X-Varnish: 32770"),
            HEADERS.format("X-Varnish: 32771 32770"),
            "from a cache: a hit against no",
        ),
        (HEADERS.format(""), HEADERS.format("X-Cache: HIT"), "answered from a cache: a hit against no hit"),
        (HEADERS.format("X-Cache: HIT"), HEADERS.format("X-Cache: HIT"), ""),
        (
            BODY.format('{"id": 1}'),
            BODY.format("Warning: mysqli_connect(): refused in /a.php"),
            "an error page against",
        ),
        (BODY.format('{"id": 1}'), BODY.format("app.db.DatabaseError: no such table"), "an error page against a page"),
        (BODY.format('{"id": 1}'), BODY.format('{"id": 2}'), ""),
        (BODY.format('{"id": 1}'), BODY.format("Cannot GET /"), "an error page against a page"),
        (BODY.format('{"id": 1}'), BODY.format("curl: (7) Failed to connect to localhost port 8080"), "an error page"),
        (BODY.format('{"id": 1}'), BODY.format("hello"), "page a line of text against a page of its own"),
        (BODY.format('{"id": 1}'), "$ curl -s http://localhost:8080/health\nOK\n", ""),
        (BODY.format("Hello World"), BODY.format("Hello, World!"), ""),
        (LENGTH.format(48211), LENGTH.format(9800), "page length 9,800 bytes for"),
        (LENGTH.format(48211), LENGTH.format(48190), ""),
        (HEADERS.format("Content-Length: 51200"), HEADERS.format("Content-Length: 312"), "page length 312 bytes for"),
        (HEADERS.format("Content-Length: 512"), HEADERS.format("Content-Length: 512"), ""),
    ],
)
def test_a_state_of_both_sides_that_favours_the_leader_may_be_all_of_the_lead(one, other, said):
    found = headline_of(one, other)
    outcome = "not_comparable" if "length" in said else "likely" if said else "better"
    assert (found.outcome, said in found.sentence) == (outcome, True)


def headline_with(told, is_first):
    """Of two servers, nginx the slower one, with a sentence above or below their reports."""
    reports = "".join(
        f"## {server}\n\n" + "".join(f"@ab {rate + at}.00 server=\n" for at in (0, 5, 2)) + "\n"
        for server, rate in (("nginx", 700), ("Apache", 900))
    )
    found = judge(f"{told}\n\n{reports}" if is_first else f"{reports}## Notes\n\n{told}\n")
    assert found
    return found


@pytest.mark.parametrize(
    ("told", "what"),
    [
        ("Note: while nginx was tested a backup was running on the server.", "a backup"),
        ("When I ran nginx, an update was in progress.", "an update"),
        ("During the nginx runs debug logging was still enabled, for Apache it was off.", "debug logging"),
        ("While nginx was tested no backup was running.", ""),
        ("While nginx and Apache were tested a backup was running.", ""),
        ("A backup was running during both.", ""),
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_what_slowed_one_side_by_a_sentence_may_be_all_of_the_lead(told, what, is_first):
    """Made."""
    found = headline_with(told, is_first)
    assert found.outcome == ("likely" if what else "better")
    assert f"the text tells of {what} beside “nginx” only" in found.sentence or not what


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("nginx was tested with TLS, Apache without.", "no TLS against TLS"),
        ("nginx was tested over HTTPS, Apache over plain HTTP.", "no TLS against TLS"),
        ("Caching was on for Apache and off for nginx.", "but a cache against no cache"),
        ("Apache was warmed up for a minute, nginx was not.", "a warm-up against no warm-up"),
        ("The nginx figure was taken from the Example website.", "against figures from another time or machine"),
        ("Compression was enabled only for nginx.", "no compression against compression"),
        ("nginx logs every request, Apache does not log.", "no access log against access log"),
        ("Note that nginx served a 48 KB page and Apache a 2 KB page.", "page 2 KB against page 48 KB"),
        (
            "The nginx database had 2,000,000 rows, the Apache database was empty.",
            "data empty against data 2,000,000 rows",
        ),
        ("The nginx figures are from last year, on the old server.", "against figures from another time or machine"),
        (
            "nginx was a debug build, Apache was built with --release.",
            "the text tells of a debug build beside “nginx” only",
        ),
        ("nginx was on Wi-Fi, Apache on a cable.", "the text tells of Wi-Fi beside “nginx” only"),
        ("nginx was measured on battery, Apache with the charger.", "the text tells of battery power beside “nginx”"),
        ("nginx was measured over VPN from home, Apache in the data center.", "a VPN or the internet beside “nginx”"),
        ("nginx ran in a VM, Apache on bare metal.", "a virtual machine or container beside “nginx” only"),
        ("Note that nginx was on Wi-Fi when I ran this.", "the text tells of Wi-Fi beside “nginx” only"),
        ("The test on nginx was done over WLAN.", "the text tells of Wi-Fi beside “nginx” only"),
        ("nginx ran inside a VirtualBox VM.", "a virtual machine or container beside “nginx” only"),
        ("I forgot that gzip was still on for nginx.", "no compression against compression"),
        ("nginx was still logging every request.", "no access log against access log"),
        ("We left TLS on for nginx.", "no TLS against TLS"),
        ("nginx ran in a VM. Apache ran on bare metal.", "a virtual machine or container beside “nginx” only"),
        ("The nginx server was still built in debug mode.", "the text tells of a debug build beside “nginx”"),
        ("nginx: encrypted (https). Apache: plain http.", "no TLS against TLS"),
        ("nginx served over https. Apache served plain http.", "no TLS against TLS"),
        ("nginx had gzip on. Apache had no gzip.", "no compression against compression"),
        ("nginx ran with 1 worker. Apache used all 8 cores.", "8 CPUs against 1 process"),
        ("nginx: a single worker. Apache: 16 workers.", "16 processes against 1 process"),
        ("nginx runs single-threaded, Apache uses all cores.", "all CPUs against 1 thread"),
        ("Während der nginx-Läufe lief noch ein Backup.", "the text tells of a backup beside “nginx” only"),
        ("Pendant le test de nginx une mise à jour était en cours.", "the text tells of an update beside “nginx” only"),
        ("Podczas testów nginx działał backup, podczas testów Apache już nie.", "of a backup beside “nginx” only"),
        ("Во время тестов nginx шёл бэкап.", "the text tells of a backup beside “nginx” only"),
        ("nginxの測定中はバックアップが動いていました。", "the text tells of a backup beside “nginx” only"),
    ],
)
def test_how_one_side_alone_was_set_up_by_a_sentence_may_be_all_of_the_lead(told, said, is_first):
    found = headline_with(told, is_first)
    assert (found.outcome, said in found.sentence) == ("likely", True)


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("NodeJS", "Golang"), "Node JS runs single thread, Golang uses all cores."),
        (("Node.js", "Golang"), "NodeJS runs single-threaded, Golang on all cores."),
        (("node js", "Golang"), "Node.js is single-threaded, Golang runs on all 8 cores."),
    ],
)
def test_a_sentence_may_spell_a_name_otherwise(names, told):
    node, go = (
        f"## {name}\n\n" + f"@wrk {rate}.10\n@wrk {rate + 5}.20\n" * 2
        for name, rate in zip(names, (900, 1900), strict=True)
    )
    found = judge(f"{node}\n{go}\n## Notes\n\n{told}\n")
    assert found and "CPUs against 1 thread" in found.sentence


@pytest.mark.parametrize(
    "told",
    [
        "Apache was measured on battery, nginx with the charger.",  # and Apache leads in spite of it
        "Both were tested with TLS.",
        "nginx and Apache were measured in the data center, not over the VPN.",
        "Neither nginx nor Apache used gzip.",
        "nginx and Apache served the same 48 KB page.",
        "nginx served a 12 KB page, Apache served a 12 KB page.",
        "nginx used 12 MB of memory for its pages, Apache 48 MB.",
        "Access logging was off for nginx, and for Apache, too.",
        "gzip was disabled in nginx and Apache.",
        "nginx is often used with TLS, but here everything is plain HTTP.",
        "No errors with nginx, with Apache the log had some warnings.",
        "nginx has a cache for open files, Apache has none by default.",
        "nginx is on port 8080, Apache on port 8081.",
        "nginx was on Wi-Fi. So was Apache: all runs were made over Wi-Fi.",
        "nginx was on Wi-Fi. Apache was on Wi-Fi.",
        "nginx was not on Wi-Fi.",
        "nginx was on Wi-Fi at first, so I ran it again: nginx was not on Wi-Fi in the runs below.",
        "Everything ran in Docker. nginx was run in Docker with host networking.",
        "Apache was on Wi-Fi.",  # and leads in spite of it
        "Many people run nginx in Docker.",
        "nginx is still popular.",
        "nginx is still slower with gzip.",
        "The left chart shows nginx with gzip.",
        "The results of nginx with TLS were left out here.",
        "I still had gzip off for nginx.",
        "nginx has good support for https.",
        "nginx had gzip on.",  # of Apache nothing is told
        "nginx ran with 4 workers. Apache used all 8 cores.",
        "nginx ran with 1 worker.",
        "nginx and Apache used all cores.",
        "If nginx had gzip and Apache not, the page would be smaller.",
        "Während der nginx-Läufe lief kein Backup.",
        "I stopped the backup before I tested nginx.",
        "Before the nginx runs an update was running; I waited until it had finished.",
        "Backup nie działał podczas testów nginx.",
        "nginxの測定前にバックアップを停止しました。",
    ],
)
def test_what_a_sentence_says_of_both_sides_or_of_no_load_is_no_objection(told):
    assert headline_with(told, is_first=True).outcome == "better"


def headline_of_sections(*said, rates=(700, 900)):
    """Of two servers in turn, each with a sentence below its first heading."""
    order = [(at, side) for at in range(3) for side in ((0, 1), (1, 0))[at % 2]]
    sections = [
        f"## {('nginx', 'Apache')[side]}\n\n{'' if at else said[side]}\n\n@ab {rates[side] + (0, 5, 2)[at]}.00 server=\n"
        for at, side in order
    ]
    return judge("\n".join(sections))


@pytest.mark.parametrize(
    ("slow", "fast", "what"),
    [
        ("A backup was running while I did this.", "", "a backup"),
        ("It was restarted for every run.", "It had been up since the morning.", "a cold start"),
        ("Restarted before each run, so with an empty cache.", "Warmed up with 5000 requests.", "a cold start"),
        ("I had to do this from home.", "", "a VPN or the internet"),
        ("This was a debug build, by the way.", "", "a debug build"),
        ("", "I made ten runs and kept the best ones.", "picked runs of the other side"),
        ("", "These are the best three of ten.", "picked runs of the other side"),
    ],
)
def test_a_sentence_in_the_section_of_one_side_tells_what_may_be_all_of_the_lead(slow, fast, what):
    """Made, as the others. It says nothing of the faster side that would explain that side's lead."""
    found = headline_of_sections(slow, fast)
    assert (found.outcome, found.next.about) == ("likely", "machine.disturbed")
    assert f"the text tells of {what} beside “nginx” only" in found.sentence
    assert headline_of_sections(fast, slow).outcome == "better"
    assert headline_of_sections(slow or fast, slow or fast).outcome == "better"


@pytest.mark.parametrize(
    ("slow", "fast"),
    [
        ("The backup was switched off before this.", ""),
        ("Restarted before each run.", "Restarted before each run, as above."),
        ("Restarted before each run.", "The same procedure."),
        ("Usually a cold start takes three seconds.", ""),
        ("No cold start here.", ""),
        ("", "I did not keep only the best runs."),
        ("", "This is the best I could do."),
    ],
)
def test_a_sentence_in_a_section_that_tells_of_nothing_odd_is_no_objection(slow, fast):
    assert headline_of_sections(slow, fast).outcome == "better"


def test_a_part_of_a_sentence_that_names_both_sides_may_tell_of_picked_runs_of_one():
    found = headline_of_sections("For Apache I kept the best of ten; nginx had a single try.", "")
    assert "the text tells of picked runs of the other side beside “nginx” only" in found.sentence


@pytest.mark.parametrize(
    ("said", "is_told"),
    [
        ("Each figure is the best of ten runs.", True),
        ("All results are the fastest of 5 runs.", True),
        ("Each figure is the median of 5 runs.", False),
        ("These figures are not the best of ten runs.", False),
    ],
)
def test_a_sentence_that_calls_all_figures_the_best_of_several_runs_is_told(said, is_told):
    """Made."""
    found = headline_with(said, is_first=True)
    assert found.outcome == "better"
    assert ("either side's rate is the best of several runs" in found.sentence) is is_told


def test_the_fastest_of_several_runs_is_picked_and_the_fastest_server_is_not():
    told = headline_with("Shown is the fastest of 5 runs for Apache.", is_first=True)
    assert "the text tells of picked runs of the other side beside “nginx” only" in told.sentence
    assert headline_with("Apache is the fastest of 3 servers.", is_first=True).outcome == "better"


def test_a_sentence_above_all_sections_or_below_them_is_of_no_side():
    said = "A backup was running, and I kept the best of ten."
    sections = "".join(
        f"## {server}\n\n" + "".join(f"@ab {rate + at}.00 server=\n" for at in (0, 5, 2)) + "\n"
        for server, rate in (("nginx", 700), ("Apache", 900))
    )
    for text in (f"# Servers\n\n{said}\n\n{sections}", f"{sections}## Notes\n\n{said}\n"):
        blocks, draft = read(expand(text))
        assert judge_draft(Preview(None, blocks, draft, [], None), draft.experiments[0]).outcome == "better"


@pytest.mark.parametrize("said", ["I show the best of three runs.", "It all ran over Wi-Fi.", "A backup was running."])
def test_a_sentence_below_a_title_of_both_sides_is_of_neither(said):
    """Made: the first side alone was said to have run over Wi-Fi, as the title above both was taken for its heading."""
    sides = [
        f"$ ab http://{server}.example/\n@ab {rate} server={server}\n"
        for server, rate in (("nginx", 700), ("Apache", 900))
    ]
    blocks, draft = read(expand(f"# Two servers\n\n{said}\n\n" + "\n".join(sides)))
    assert len(draft.experiments[0].configs) == 2
    assert not any(block.values.get("slowed_by") for block in blocks)


def judge_table(one, other, title="{} req/s ({})"):
    """The headline of a made table with these words beside the unit of each side's column."""
    columns = title.format("Kong", one), title.format("Tyk", other)
    rows = [f"| {at} | {2400 + 3 * at} | {2900 + 2 * at} |" for at in (1, 2, 3)]
    return judge("\n".join([f"| Run | {' | '.join(columns)} |", "|---|---|---|", *rows]))


@pytest.mark.parametrize("title", ["{} req/s ({})", "{} requests/sec, {}", "{} ({} req/s)"])
def test_a_leader_of_which_the_best_of_several_runs_is_told_may_lead_by_that(title):
    found = judge_table("median of 5", "best of 5", title)
    assert (found.outcome, found.next.about) == ("likely", "load.picked")
    assert "the rate of “Tyk” alone is the best of 5, which could be all of it" in found.sentence
    slower = judge_table("best of 5", "median of 5", title)
    assert (slower.outcome, slower.against[0].text) == ("better", "The rate of “Kong” alone is the best of 5")


def test_the_same_statistic_of_either_side_keeps_a_verdict():
    both = judge_table("best of 5", "best of 5")
    assert (both.outcome, both.against[0].text) == ("better", "Either side's rate is the best of several runs")
    for said in ("median of 5", "median", "avg of 3", "mean"):
        found = judge_table(said, said)
        assert (found.outcome, found.against) == ("better", ()), said


@pytest.mark.parametrize("said", ["best of 5", "median", "avg of 3", "mean of five runs"])
def test_what_a_column_of_rates_is_made_of_hides_none(said):
    blocks, _ = read(f"| Server | requests/s ({said}) |\n|---|---|\n| nginx | 1000.5 |\n| caddy | 900.5 |")
    assert [block.load_results[0].requests_per_second for block in blocks] == [1000.5, 900.5]


def test_several_statistics_of_the_same_runs_are_no_runs_of_their_own():
    table = "| Server | req/s (mean) | req/s (best of 5) |\n|---|---|---|\n| nginx | 1000.5 | 1100.5 |\n| caddy | 900.5 | 950.5 |"
    blocks, _ = read(table)
    assert [block.load_results[0].requests_per_second for block in blocks] == [1000.5, 900.5]


@pytest.mark.parametrize(
    ("told", "what"),
    [
        ("Las pruebas de Symfony se lanzaron por WiFi; las de Laravel por cable.", "Wi-Fi"),
        ("Symfony lief nur über WLAN, Laravel über Kabel.", "Wi-Fi"),
        ("Symfony 部署在 2 核的虚拟机上，Laravel 部署在物理机上。", "a virtual machine or container"),
        ("Symfony тестировали на виртуальной машине, Laravel на физическом сервере.", "a virtual machine or container"),
        ("Symfony haben wir vormittags gemessen, Laravel nachts um drei.", "daytime or live traffic"),
        ("Symfony was measured under production traffic, Laravel at night.", "daytime or live traffic"),
        ("We also ran 256 clients; Laravel crashed there, so we only show 64 below.", "failures of the other side"),
        ("Laravel fell over at 512, which is left out.", "failures of the other side"),
        ("Laravel runs without authentication, Symfony with it.", "less work done by the other side"),
        ("For Laravel the database writes were switched off.", "less work done by the other side"),
        ("For Laravel the database was replaced by a mock.", "less work done by the other side"),
        ("Laravel was tuned, Symfony was left at its defaults.", "tuning of the other side alone"),
        ("The Laravel figures are extrapolated from one core.", "figures of the other side that were not measured"),
        ("The rates of Laravel were multiplied by 4.", "figures of the other side that were not measured"),
        ("The Laravel figures are sums of four instances.", "sums over several instances of the other side"),
        ("Laravel crashed after 20 seconds each time.", "crashes of the other side"),
        ("The third Laravel run had timeouts and is not counted.", "failures of the other side"),
        ("For Laravel the two slowest runs were dropped.", "picked runs of the other side"),
        (
            "В приложении на Laravel проверку токена пришлось отключить, в Symfony всё работает.",
            "less work done by the",
        ),
    ],
)
def test_what_prose_of_any_language_says_of_one_side_without_its_version_may_be_all_of_the_lead(told, what):
    found = headline_between(told, ("Symfony 7", "Laravel 11"))
    assert found.outcome == "likely"
    assert f"the text tells of {what}" in found.sentence
    assert "beside “Symfony 7” only" in found.sentence


@pytest.mark.parametrize(
    "told",
    [
        "Todas las pruebas, tanto de Symfony como de Laravel, se lanzaron por cable; nunca por WiFi.",
        "Symfony 和 Laravel 都部署在同一台物理机上，压测机是另一台虚拟机。",
        "Symfony und Laravel wurden nachts im Wechsel gemessen.",
        "We also ran 256 clients, where Laravel never crashed; we only show 64 below.",
        "Symfony crashed at 512, which is left out.",
        "Neither Symfony nor Laravel runs without authentication.",
        "Authentication was not switched off for Laravel.",
        "Both run without validation, Symfony and Laravel.",
        "Symfony and Laravel used a mocked database.",
        "Symfony was tuned, Laravel was left at its defaults.",  # and is slower all the same
        "Laravel was optimized for such pages by its authors.",
        "None of the figures of Laravel is extrapolated.",
        "The memory of Laravel was estimated from ps.",
        "Laravel crashed at first, a newer version does not.",
        "Symfony and Laravel each had a warm-up of 30 s.",
        "Laravel needs no warm-up, Symfony does.",
    ],
)
def test_what_prose_of_any_language_says_of_both_sides_or_denies_is_no_objection(told):
    assert headline_between(told, ("Symfony 7", "Laravel 11")).outcome == "better"


def test_tuning_that_the_configs_are_named_after_is_no_objection():
    assert headline_between("nginx (tuned) was tuned.", ("nginx (default)", "nginx (tuned)")).outcome == "better"


def test_a_name_without_its_version_names_none_of_two_versions():
    assert headline_between("PHP was tested over Wi-Fi.", ("PHP 7.4", "PHP 8.2")).outcome == "better"


@pytest.mark.parametrize(
    ("restarts", "outcome"),
    [
        (("restart tomcat", ""), "likely"),
        (("restart tomcat", "restart node"), "better"),
        (("", "restart node"), "better"),
    ],
)
def test_a_server_that_was_restarted_before_each_run_of_the_slower_side_alone_was_cold(restarts, outcome):
    text = ""
    for name, rate, restart in zip(("Tomcat", "Node"), (700, 900), restarts, strict=True):
        typed = f"$ systemctl {restart}\n" if restart else ""
        text += f"## {name}\n\n" + "".join(
            f"{typed}$ ab -n 900 http://a/\n@ab {rate + at}.00 server=\n\n" for at in (0, 5, 2)
        )
    found = judge(text)
    assert found.outcome == outcome
    assert ("a cold start beside “Tomcat” only" in found.sentence) is (outcome == "likely")


def headline_between(told, names):
    """Of a made text with a sentence above both sides."""
    text = f"# Comparison\n\n{told}\n\n" + "".join(
        f"## {name}\n\n" + "".join(f"@ab {rate + at}.00 server=\n" for at in (0, 5, 2)) + "\n"
        for name, rate in zip(names, (700, 900), strict=True)
    )
    return judge(text)


WARMS = "$ wrk -c9 http://a/ > /dev/null\n"


@pytest.mark.parametrize(
    ("before_slower", "before_faster", "is_told"),
    [
        ("$ systemctl restart tomcat\n", WARMS, True),
        ("$ systemctl restart tomcat\n", f"$ systemctl restart node\n{WARMS}", False),
        (f"$ systemctl restart tomcat\n{WARMS}", WARMS, False),
        ("$ systemctl restart tomcat\n", "", False),
        ("", WARMS, False),
    ],
)
def test_a_single_run_behind_a_restart_beside_one_that_was_warmed_up_was_cold(before_slower, before_faster, is_told):
    sides = ("Tomcat", before_slower, 700), ("Node", before_faster, 1900)
    text = "".join(f"## {name}\n\n{before}$ wrk -c9 http://a/\n@wrk {rate}\n\n" for name, before, rate in sides)
    headline = judge(text)
    assert headline and ("a cold start beside “Tomcat” only" in headline.sentence) is is_told


LOGGED = "$ journalctl -u app --since -5min\n{}\n"
CODES = "$ awk '{{print $9}}' access.log | sort | uniq -c\n  9120 200\n{}"


@pytest.mark.parametrize(
    ("shown", "what"),
    [
        (
            LOGGED.format("Mar 04 11:02:10 a1 gunicorn[2211]: [2025-03-04 11:02:10 +0000] [2219] [CRITICAL] WORKER TIMEOUT"),
            "errors in its log",
        ),
        (LOGGED.format("2024-03-04 09:10:02.120 ERROR [http-1] c.a.Api : connection reset"), "errors in its log"),
        (LOGGED.format("2024/03/04 09:10:02 [crit] 31#31: *8 SSL_write() failed"), "errors in its log"),
        (LOGGED.format("[Mon Mar 04 09:10:02.1 2024] [proxy:error] [pid 9] AH00957: attempt failed"), "errors in its log"),
        (LOGGED.format('{"level":"error","time":1709543402,"msg":"upstream timed out"}'), "errors in its log"),
        ("$ docker logs api\nTraceback (most recent call last):\n  File \"/a.py\", line 4, in b\n", "errors in its log"),
        (CODES.format("  5538 503\n"), "failing answers (503) in its access log"),
        ("$ grep -c ERROR app.log\n311\n", "errors in its log"),
    ],
)  # fmt: skip
def test_failures_in_the_log_of_one_side_speak_against_the_lead_of_either(shown, what):
    """Made. They slow a server, or spare it work."""
    for one, other in ((shown, ""), ("", shown)):
        found = headline_of(one, other, names=("Tornado", "Sanic"))
        assert found.outcome == "likely" and what in found.sentence
    assert headline_of(shown, shown, names=("Tornado", "Sanic")).outcome == "better"


@pytest.mark.parametrize(
    "shown",
    [
        LOGGED.format("Mar 04 11:02:10 a1 gunicorn[2211]: [2025-03-04 11:02:10 +0000] [2219] [INFO] Booting worker with pid: 9"),
        LOGGED.format('2024/03/04 09:10:02 [error] 31#31: *8 open() "/srv/favicon.ico" failed (2: No such file or directory)'),
        LOGGED.format("2024-03-04 09:10:02.120 INFO [http-1] ERROR_LOG=/var/log/a.log"),
        CODES.format("    12 404\n"),
        "$ grep -c ERROR app.log\n0\n",
    ],
)  # fmt: skip
def test_a_log_without_failures_is_no_objection(shown):
    assert headline_of(shown, "", names=("Tornado", "Sanic")).outcome == "better"


@pytest.mark.parametrize(
    ("told", "is_told"),
    [
        ("Run 3 timed out (not counted).", True),
        ("Run 3 hung and was killed after 5 minutes, so it is missing here.", True),
        ("The server crashed once during the third run, I started it again.", True),
        ("Der zweite Lauf wurde abgebrochen.", True),
        ("Run 3 timed out (not counted)", True),
        ("All runs ended normally.", False),
        ("Tests: 0 failed, 12 passed", False),
        ("About a third of the answers were 429.", True),
        ("The answers were 450 bytes long.", False),
        ("No run failed.", False),
        ("The first run was left out as a warm-up.", False),
        ("Run 3 never finished.", True),
        ("Run 2 failed to start.", True),
        ("Every run failed to reach the limit of the network.", False),
        ("In the second test 3 requests failed.", False),
        ("The server was killed after each run.", False),
        ("The requests per second were 502, and all was well.", False),
        ("The responses were 512 and 1024 bytes long.", False),
    ],
)
def test_a_run_that_failed_and_is_not_shown_speaks_against_the_lead(told, is_told):
    """Made: behind the load tests of the faster side, or of the slower one."""
    runs = {
        name: "".join(f"@wrk {rate + at}.10\n\n" for at in (0, 5, 9))
        for name, rate in (("Falcon", 900), ("Sanic", 1100))
    }
    for texts in ((told, "Fine."), ("Fine.", told)):
        text = "".join(f"## {name}\n\n{runs[name]}{said}\n\n" for name, said in zip(runs, texts, strict=True))
        found = judge(text)
        assert (
            found.outcome,
            "a failed run" in found.sentence or "failing answers" in found.sentence,
        ) == (("likely", True) if is_told else ("better", False))


def test_pauses_of_unlike_lengths_over_several_lines_are_told():
    code = "$ cat > a.js <<'END'\nserve((req, res) => {{\n  setTimeout(() => {{\n    res.end('a');\n  }}, {});\n}});\nEND\n"
    names = ("node 18", "node 20")
    found = headline_of(code.format(20), code.format(5), names)
    assert found.outcome == "likely" and "a pause in its code (20) beside “node 18” only" in found.sentence
    assert headline_of(code.format(5), code.format(5), names).outcome == "better"


def test_a_server_that_reads_its_changed_file_again_does_not_debug():
    """Made: "reload" is also a mode in which code is read again."""
    off, on = "tcp_nopush off", "tcp_nopush on; sendfile on; sendfile_max_chunk 1m"
    shown = "$ cat n.conf\nworker_processes 1;\nevents {{}}\nhttp {{ server {{ listen 80;\n{};\n}} }}\n"
    runs = [
        "".join(f"$ ab -n 90000 http://a/\n@ab {rate + at}.1 n=90000\n\n" for at in (0, 5, 9)) for rate in (900, 600)
    ]
    changes = f"$ sed -i 's/{off}/{on}/' n.conf\n$ nginx -s reload -c /srv/n.conf\n"
    found = judge(shown.format(off) + runs[0] + changes + shown.format(on) + runs[1])
    assert (found.outcome, found.against) == ("better", ())


PGREP = "$ ssh web pgrep -c php-fpm\n{}\n"
LISTED = "$ ls -lh /var/www/html/index.html\n-rw-r--r-- 1 root root {} Mar  4 09:12 /var/www/html/index.html\n"
SCRIPT = "$ cat load.js\nexport default function () {{\n  http.get('{}://shop.lab/');\n}}\n"
MYSQL = "mysql> SHOW VARIABLES LIKE 'sync_binlog';\n+---------------+-------+\n| Variable_name | Value |\n+---------------+-------+\n| sync_binlog   | {}     |\n+---------------+-------+\n"  # noqa: E501
REDIS = '127.0.0.1:6379> config get appendfsync\n1) "appendfsync"\n2) "{}"\n'
URL = "$ export DATABASE_URL={}://{}\n$ gunicorn -w 4 shop.wsgi &\n"
HOST = "$ docker run -d --rm {} web:1\n"
DEBUGGED = "$ sudo sed -i 's/LogLevel {}/LogLevel {}/' /etc/apache2/apache2.conf\n$ sudo systemctl restart apache2\n"
DESCRIBED = "$ git -C /srv/app describe --tags\n{}\n"
GZIPPED = "$ cat /etc/nginx/conf.d/app.conf\nserver {{\n    gzip {};\n}}\n"
CONFIG = "$ grep DEBUG settings.py\nDEBUG = {}\n"
TYPE = "$ curl -s http://169.254.169.254/latest/meta-data/instance-type; echo\n{}\n"
VERSION = "$ curl -so /dev/null -w '%{{http_version}}\\n' https://a.lab/\n{}\n"
HEAP = "$ pgrep -af java\n2211 java -Xmx{} -jar app.jar\n"
COUNT = "$ mongosh shop --quiet --eval 'db.orders.countDocuments()'\n{}\n"
ITEMS = "$ curl -s http://localhost:8080/ | jq length\n{}\n"
FSTYPE = "$ findmnt -no FSTYPE /data\n{}\n"
LIMITS = "$ cat /proc/$(pgrep -o a)/limits | grep open\nMax open files      {0}          {0}         files     \n"
COMMITS = "$ git -C /srv/app log -1 --oneline\n{} Cache the list\n"
PREPARED = "$ sysbench oltp_read_only --tables=10 --table-size={} prepare\n"
NETEM = "$ sudo tc qdisc add dev eth0 root netem delay 15ms\n"
PACED = (
    "$ cat a.js\nimport http from 'k6/http';\nexport default function () {{\n  http.get('http://10.0.0.5/');\n{}}}\n"
)
INDEX = '$ psql shop -c "CREATE INDEX orders_user ON orders (user_id)"\nCREATE INDEX\n'
CAT_UNIT = (
    "$ systemctl cat {0}\n# /etc/systemd/system/{0}.service\n[Unit]\nDescription={0}\n\n"
    "[Service]\nExecStart=/opt/{0}\nCPUQuota={1}\n\n"
)


@pytest.mark.parametrize(
    ("one", "other", "names", "said"),
    [
        (PGREP.format(3), PGREP.format(17), ("PHP 8.1", "PHP 8.3"), "17 processes of php-fpm against 3 processes"),
        (PGREP.format(1), PGREP.format(4), ("PHP 8.1", "PHP 8.3"), "4 processes of php-fpm against 1 process of"),
        (PGREP.format(16), PGREP.format(17), ("PHP 8.1", "PHP 8.3"), ""),
        (PGREP.format(3), PGREP.format(17), ("prefork", "event"), ""),
        (LISTED.format("148K"), LISTED.format("2.1K"), ("Apache", "nginx"), "page length 2,150 bytes"),
        (LISTED.format("2.1K"), LISTED.format("2.1K"), ("Apache", "nginx"), ""),
        (SCRIPT.format("https"), SCRIPT.format("http"), ("Traefik 2", "Traefik 3"), "load.js: http against address in"),
        (SCRIPT.format("http"), SCRIPT.format("http"), ("Traefik 2", "Traefik 3"), ""),
        (MYSQL.format(1), MYSQL.format(0), ("MySQL", "MariaDB"), "sync_binlog=0 against sync_binlog=1"),
        (MYSQL.format(1), MYSQL.format(1), ("MySQL", "MariaDB"), ""),
        (REDIS.format("always"), REDIS.format("everysec"), ("Redis", "Valkey"), "appendfsync=everysec against"),
        (REDIS.format("always"), REDIS.format("always"), ("Redis", "Valkey"), ""),
        (URL.format("postgres", "db1/a"), URL.format("sqlite", "/a.db"), ("Django 4.2", "Django 5.0"), "_URL=sqlite: against"),
        (URL.format("postgres", "db1/a"), URL.format("postgres", "db2/b"), ("Django 4.2", "Django 5.0"), ""),
        (URL.format("postgres", "db1/a"), URL.format("sqlite", "/a.db"), ("Postgres", "SQLite"), ""),
        (HOST.format("-p 8080:8080"), HOST.format("--network host"), ("alpine", "debian"), "--network=host against without"),
        (HOST.format("--net=host"), HOST.format("--network host"), ("alpine", "debian"), ""),
        (DEBUGGED.format("warn", "debug"), DEBUGGED.format("debug", "warn"), ("prefork", "event"), "against LogLevel debug"),
        (DEBUGGED.format("info", "warn"), DEBUGGED.format("info", "warn"), ("prefork", "event"), ""),
        (DESCRIBED.format("v2.3.0"), DESCRIBED.format("v2.4.1"), ("gunicorn", "uvicorn"), "version of app: v2.4.1 against"),
        (DESCRIBED.format("v2.3.0"), DESCRIBED.format("v2.3.0"), ("gunicorn", "uvicorn"), ""),
        (GZIPPED.format("on"), GZIPPED.format("off"), ("nginx 1.22", "nginx 1.26"), "gzip=off against gzip=on"),
        (GZIPPED.format("on"), GZIPPED.format("on"), ("nginx 1.22", "nginx 1.26"), ""),
        (CONFIG.format("True"), CONFIG.format("False"), ("Django 3.2", "Django 4.2"), "DEBUG=False against DEBUG=True"),
        (CONFIG.format("False"), CONFIG.format("False"), ("Django 3.2", "Django 4.2"), ""),
        (TYPE.format("t3.medium"), TYPE.format("c5.xlarge"), ("Ubuntu", "Debian"), "machine type c5.xlarge against"),
        (TYPE.format("t3.medium"), TYPE.format("t3.medium"), ("Ubuntu", "Debian"), ""),
        (TYPE.format("t3.medium"), TYPE.format("c5.xlarge"), ("t3.medium", "c5.xlarge"), ""),
        (VERSION.format("1.1"), VERSION.format("2"), ("nginx 1.24", "nginx 1.25"), "HTTP/2 against HTTP/1.1"),
        (VERSION.format("2"), VERSION.format("2"), ("nginx 1.24", "nginx 1.25"), ""),
        (COUNT.format(2100331), COUNT.format(1000), ("GORM", "sqlx"), "about 1,000 rows of the data against about 2,000,000"),
        (COUNT.format(1020), COUNT.format(1000), ("GORM", "sqlx"), ""),
        (ITEMS.format(500), ITEMS.format(20), ("GORM", "sqlx"), "about 20 items in an answer against about 500 items"),
        (ITEMS.format(20), ITEMS.format(20), ("GORM", "sqlx"), ""),
        (FSTYPE.format("ext4"), FSTYPE.format("tmpfs"), ("RocksDB", "LMDB"), "file system of /data tmpfs against"),
        (FSTYPE.format("ext4"), FSTYPE.format("tmpfs"), ("ext4", "tmpfs"), ""),
        (LIMITS.format(256), LIMITS.format(65536), ("gobetween", "skipper"), "limit of open files 65536 against"),
        (LIMITS.format(256), LIMITS.format(256), ("gobetween", "skipper"), ""),
        (COMMITS.format("4be01aa"), COMMITS.format("91c20ee"), ("Gunicorn", "uWSGI"), "version of app: 91c20ee against"),
        (COMMITS.format("4be01aa"), COMMITS.format("91c20ee"), ("main", "fast-json"), ""),
        (PREPARED.format(5000000), PREPARED.format(1000), ("MySQL", "MariaDB"), "data of 1000 rows a table against"),
        (PREPARED.format(1000), PREPARED.format(1000), ("MySQL", "MariaDB"), ""),
        (NETEM, "$ sudo tc qdisc del dev eth0 root\n", ("quic-go", "msquic"), "(netem) beside “quic-go” only"),
        (NETEM, "", ("quic-go", "msquic"), ""),
        (PACED.format("  sleep(0.02);\n"), PACED.format(""), ("Zuul", "Kong"), "no pause of its clients against"),
        (PACED.format("  sleep(1);\n"), PACED.format("  sleep(1);\n"), ("Zuul", "Kong"), ""),
        (HEAP.format("256m"), HEAP.format("4g"), ("JDK 17", "JDK 21"), "heap 4g against heap 256m"),
        (HEAP.format("4g"), HEAP.format("4g"), ("JDK 17", "JDK 21"), ""),
        ("", INDEX, ("SQLAlchemy", "Tortoise"), "index orders_user against without index orders_user"),
        (INDEX, "", ("SQLAlchemy", "Tortoise"), ""),
        ("", INDEX, ("without index", "with index"), ""),
        (CAT_UNIT.format("imgproxy", "100%"), CAT_UNIT.format("thumbor", "400%"), ("imgproxy", "thumbor"), "CPUQuota=400% against"),
        (CAT_UNIT.format("imgproxy", "400%"), CAT_UNIT.format("thumbor", "400%"), ("imgproxy", "thumbor"), ""),
    ],
)  # fmt: skip
def test_what_a_command_answered_or_set_for_one_side_alone_is_in_the_sentence(one, other, names, said):
    """Made. The honest twin of each has the same for both, or is named after it."""
    found = headline_of(one, other, names)
    assert (found.outcome != "better", said in found.sentence) == (bool(said), True)


@pytest.mark.parametrize(
    ("told", "what"),
    [
        ("Für Apache war der Cache warm, nginx lief direkt nach dem Neustart.", "a cold start"),
        ("Pendant les essais avec nginx, une sauvegarde de la base tournait sur le serveur.", "a backup"),
        ("nginx was measured from my laptop over the office Wi-Fi, Apache from the server itself.", "Wi-Fi"),
        ("nginx et Apache ont été redémarrés avant chaque essai.", ""),
        ("Pendant les essais, rien d'autre ne tournait sur le serveur.", ""),
        ("Both were measured from the second server over the 10 Gbit/s link.", ""),
        ("nginx se midió con la caché vacía, Apache ya estaba caliente.", "a cold start"),
        ("测试 nginx 时服务器上正在做数据库备份。", "a backup"),
        ("测试期间服务器上没有备份。", ""),
        ("nginx was tested right after a restart.", "a cold start"),
        ("The memory of nginx right after the start was 12 MB.", ""),
        ("While measuring nginx the CPU was limited to 1.2 GHz, I noticed this only afterwards.", "a slow CPU clock"),
        ("While measuring nginx the CPU was limited to 2 cores.", ""),
        ("While measuring nginx the CPU was reduced to those of one socket.", ""),
        ("nginx used the H2 database, Apache did not.", ""),
        ("nginx был собран в отладочном режиме, Apache — в релизном.", "a debug build"),
    ],
)
def test_sentences_with_words_between_or_in_other_languages_tell_the_same(told, what):
    found = headline_with(told, is_first=True)
    assert (found.outcome, f"the text tells of {what} beside “nginx” only" in found.sentence) == (
        ("likely", True) if what else ("better", False)
    )
