"""Prompts, headings and labels around a block, in the shapes that people paste."""

from __future__ import annotations

import difflib
import re

import pytest

from parsers import parse_command
from parsers.catalogue import load_programs
from parsers.context import Context
from parsers.lines import Lines
from parsers.prompts import load_command, prompt
from parsers.streams import MOST_STREAMS, split_streams
from parsers.transcript import clean, is_elision, is_plain, is_prose, needs_cleaning

from .mangle import before
from .reading import FIXTURES, blocks, fixtures, text_of

COMMAND = "ab -n 100 -c 5 http://localhost/index.html"
PLAIN = ["Setting 1, run 3:", "Apache, worker MPM", "With 2.5 times the clients  ", "It's nginx\n", "Keep-Alive on"]
NOT_PLAIN = [
    "",
    "\n",
    "Snip",
    "Cut...",
    "Etc.",
    "Output omitted",
    "At 12:30",
    "Begun: 5",
    "C:> ab",
    "ps aux",
    "import it",
]
PROMPTS = [
    (f"$ {COMMAND}", None),
    (f"# {COMMAND}", None),
    (f"% {COMMAND}", None),
    (f"> {COMMAND}", None),
    (f"root@web1:~# {COMMAND}", "web1"),
    (f"user@web1:~$ {COMMAND}", "web1"),
    (f"user@web1:/var/www/my-site$ {COMMAND}", "web1"),
    (f"user@web-1.example.org:~$ {COMMAND}", "web-1.example.org"),
    (f"[root@web1 ~]# {COMMAND}", "web1"),
    (f"root@web1 [~]# {COMMAND}", "web1"),
    (f"19:02:11 root@web1:~# {COMMAND}", "web1"),
    (f"[user@web1 conf.d]$ {COMMAND}", "web1"),
    (f"(venv) user@web1:~/app$ {COMMAND}", "web1"),
    (f"user@web1 ~ % {COMMAND}", "web1"),
    (f"user@web1 ~ $ {COMMAND}", "web1"),
    (f"www:~# {COMMAND}", "www"),
    (f"web1:/home/user# {COMMAND}", "web1"),
    (f"web1# {COMMAND}", "web1"),
    (f"web1% {COMMAND}", "web1"),
    (f"web1$ {COMMAND}", "web1"),
    (f"-bash-4.1$ {COMMAND}", None),
    (f"bash-3.2$ {COMMAND}", None),
    (f"sh-4.4# {COMMAND}", None),
    (f"C:\\> {COMMAND}", None),
    (f"C:\\Apache24\\bin>{COMMAND}", None),
    (f"PS C:\\Users\\jo> {COMMAND}", None),
    (f"~ # {COMMAND}", None),
    (f"~/src $ {COMMAND}", None),
    (f"❯ {COMMAND}", None),
    (f"➜  ~ {COMMAND}", None),
    (COMMAND, None),
    (f":; {COMMAND}", None),
    (f"~ ❯ {COMMAND}", None),
    (f"~ {COMMAND}", None),
    (f"~/app {COMMAND}", None),
    (f"web1:~ # {COMMAND}", "web1"),
    (f"[root@web1]# {COMMAND}", "web1"),
    (f"user@web1:～$ {COMMAND}", "web1"),
    (f"Documents$ {COMMAND}", None),
    (f"PS /home/jo> {COMMAND}", None),
    (f"(venv) PS C:\\x> {COMMAND}", None),
    (f"user@web1 ~> {COMMAND}", "web1"),
    (f"~/src> {COMMAND}", None),
    (f"➜  bench git:(main) ✗ {COMMAND}", None),
    (f"(base) ➜  bench {COMMAND}", None),
    (f"λ > {COMMAND}", None),
    (f"12:34:56 ❯ {COMMAND}", None),
    (f"2024-01-01 12:00:00 $ {COMMAND}", None),
    (f"└─$ {COMMAND}", None),
    (f" me \ue0b0 ~/src \ue0b0 \ue0a0 master \ue0b0 {COMMAND}", None),
    (f"  ~/src  \ue0a0 master  {COMMAND}", None),
    (f"MacBook-Pro:bench jo$ {COMMAND}", "MacBook-Pro"),
    (f"In [3]: !{COMMAND}", None),
]
BEHIND = [
    "time {}",
    "sudo {}",
    "taskset -c 0-3 {}",
    "taskset 0xff {}",
    "nice -n 10 {}",
    "numactl -N 0 --membind=0 {}",
    "env A=b {}",
    "A=b {}",
    "sudo -u www-data {}",
    "(time {})",
    "timeout 60 {}",
    "ssh web1 {}",
    "ssh -p 22 jo@web1 '{}'",
    "bash -c '{}'",
    "for i in 1 2 3; do {}; done",
    "for ((i=0;i<3;i++)); do {}; done",
    "ulimit -n 10000 && {}",
    "seq 3 | xargs -I_ {}",
    "docker run -it --rm --network host httpd:alpine {}",
    "sudo docker exec web {}",
    "kubectl exec pod -c c -- {}",
    "{} > out.txt 2>&1",
    "{} 2>&1 | tee log",
    "/usr/sbin/{}",
    "./{}",
]
IMAGES = [
    "docker run --rm williamyeh/wrk:4.0.2 -t1 -c5 -d5s http://localhost/",
    "docker run --rm svagi/h2load -n100 -c5 http://localhost/",
    "docker run --rm -i grafana/k6:0.50.0 run --vus 5 - <test.js",
]
TEMPLATES = [
    "ab -n xxx -c yyy http://localhost/",
    "ab -n <N> -c <concurrent users> http://localhost/",
    "ab [options] [http[s]://]hostname[:port]/path",
    "wrk -t<threads> -c<connections> -d<duration> http://localhost/",
    "siege -c NUM -t 10S http://localhost/",
]
LOADS = [
    "wrk -t2 -c40 -d5s --latency http://localhost/a",
    "./wrk -c 64 -d 30s 'http://localhost:5000/a?b=1'",
    "/opt/wrk2/wrk -R200 http://localhost/",
    "taskset -c 0-3 wrk2 -t4 http://localhost/",
    "hey -z 5s -m POST http://localhost/",
    "oha http://localhost/ -z 5s",
    "h2load -n100 -c10 -m10 https://localhost",
    "autocannon -c 100 localhost:3000",
    "httperf --server localhost --num-conns 10",
    "k6 run test.js",
    "locust -f load.py --headless",
    'echo "GET http://localhost/" | vegeta attack -duration=5s | vegeta report',
]
NO_PROMPTS = [
    "We ran ab -n 100 -c 5 http://localhost/ on it and it was slow",
    "For this test we ran ab -n 100 -c 10 http://localhost/ twice",
    "time to run ab -n 100 http://localhost/ again",
    "I used wrk -t4 and it was fine",
    "siege -c is the option for it",
    "## ab -n 100 is better",
    "> ab -n 100 was what he used",
    "for each server we ran ab -n 100 -c 5 and compared",
    "wrk is quick, -c or not.",
    "hey - a tool",
    "k6",
    "Using wrk -t4 we saw less of it",
    "With `keepalive_timeout 0`",
    "The first run:",
    "# First run",
    "## Results with keep-alive",
    "> he wrote that it was slow",
    "costs $5 a month",
    "50% of the requests",
    "mail me at jo@example.org",
    "http://localhost/ is the page",
    "processor : 0",
    "ab is a tool of Apache",
    "top of the list",
    "top 10 things to tune",
    "siege is another",
    "  50%     33",
    "see also: # of requests",
    "# siege results",
    "# nginx",
    "## httpd",
    "# nginx with caching",
    "# more memory for httpd",
    "# free memory before it",
    "> nginx is next",
    "# nginx 1.18.0",
    "// # of requests",
    "",
]


@pytest.mark.parametrize(("line", "host"), PROMPTS)
def test_a_prompt(line, host):
    assert prompt(line) == (host, COMMAND)


@pytest.mark.parametrize("time", ["", "19:02:11 ", "[19:02:11] "])
@pytest.mark.parametrize("typed", ["", "free -m"])
def test_a_prompt_that_shows_the_time(time, typed):
    for place in (":~$", " ~ $"):
        assert prompt(f"{time}user@web1{place} {typed}") == ("web1", typed)


@pytest.mark.parametrize("command", LOADS)
def test_a_load_tools_command_without_a_prompt(command):
    for line in ("{}", "    {}", "`{}`", "Command: {}", "run `{}`", "执行：`{}`", "$ {}"):
        assert prompt(line.format(command)) == (None, command), line


@pytest.mark.parametrize("way", BEHIND)
def test_a_load_tools_command_behind_others(way):
    command = way.format(COMMAND)
    for sign in ("", "$ ", "# ", "> ", ":; ", "user@web1:~$ ", "➜  bench "):
        assert prompt(sign + command) == ("web1" if "web1" in sign else None, command), sign
    assert parse_command(command).options["concurrency"] == 5


@pytest.mark.parametrize("command", IMAGES)
@pytest.mark.parametrize("sign", ["", "$ ", "# "])
def test_an_image_is_named_as_its_tool(command, sign):
    assert prompt(sign + command) == (None, command)
    assert parse_command(command).options["concurrency"] == 5


@pytest.mark.parametrize("template", [*TEMPLATES, "wrk --help", "ab -version"])
def test_a_template_is_no_command_and_ends_the_one_before(template):
    report = REPORT.format(5) + "\nFailed requests:        0\n"
    first, second = blocks(f"$ {COMMAND}\n{report}\n$ {template}\n{report}")
    assert (first.command, second.command) == (COMMAND, None)


@pytest.mark.parametrize(
    "line", ["h2load HTTP/3 TLSv1.3 test", "h2load HTTP/2 test against caddy", "wrk TLS/1.3 results"]
)
def test_a_title_with_a_tool_and_a_protocol_is_no_command(line):
    assert load_command(line) is None
    assert load_command("wrk localhost:8080/HTTP/3") is not None


def test_every_load_tools_command_is_known_behind_a_bare_sign():
    for program in load_programs():
        assert prompt(f"# {program} -c 5 http://localhost/") == (None, f"{program} -c 5 http://localhost/")


def test_a_file_shown_without_a_prompt():
    assert prompt("cat logs/h2load-400.log") == (None, "cat logs/h2load-400.log")
    assert prompt("cat nine tails") is None


@pytest.mark.parametrize("line", NO_PROMPTS)
def test_no_prompt(line):
    assert prompt(line) is None


@pytest.mark.parametrize(("line", "host"), PROMPTS)
def test_a_block_knows_its_command_and_host(line, host):
    report = text_of(FIXTURES / "ab" / "ab_03_c1.txt").rstrip("\n").split("\n")
    report = [row.replace("Concurrency Level:      1", "Concurrency Level:      5") for row in report]
    report = [row.replace("127.0.0.1", "localhost") for row in report]
    for sign in ("", "> ", "# ", "    ", " * "):
        (block,) = blocks(before(sign)(["As it was", "", line, *report]).text)
        assert (block.command, block.prompt_host, block.command_line) == (COMMAND, host, 3), sign
        assert (block.heading, block.first) == ("As it was", 4), sign


@pytest.mark.parametrize(
    "line",
    [
        "...",
        "[...]",
        "…",
        "[snip]",
        "<snip>",
        "... 略",
        "(略)",
        "...snip...",
        "--- snip ---",
        "(中略)",
        "....",
        ". . .",
    ],
)
def test_an_elision(line):
    assert is_elision(line)


@pytest.mark.parametrize(
    "line", ["~~~", "```", "---", "snippet of a config", "etc/nginx", "and so on...", "cut it out", "1...2"]
)
def test_no_elision(line):
    assert not is_elision(line)


@pytest.mark.parametrize(
    "line",
    [
        "First run:",
        "■ 1回目",
        "With keep-alive",
        "- mod_php",
        "Wynik:",
        "3. nginx",
        "@ann sent the next ones",
        "my.conf(new)",
    ],
)
def test_prose(line):
    assert is_prose(line)


@pytest.mark.parametrize(
    "line",
    [
        "-----",
        "",
        "import re",
        "x = {}",
        "</div>",
        "https://example.org/",
        "return 1;",
        "@app.route('/')",
        "res.end(h)",
        "h += 'a'",
    ],
)
def test_no_prose(line):
    assert not is_prose(line)


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("plain\n", "plain"),
        ("plain\r\n", "plain"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;root@web1: ~\x07root@web1:~# ls", "root@web1:~# ls"),
        ("a\u00a0b\u3000c\u200bd", "a b cd"),
        ("<b>bold</b> &lt;x&gt; &amp; &#39;y&#39;<br/>", "bold <x> & 'y'"),
        ("10%\r20%\r30%", "30%"),
        ("abx\x08c", "abc"),
        ("abxy\x08\x08\x08c", "ac"),
        ("a^[[C", "a"),
        ("ESC[H\x1b[2J[3Jtop", "top"),
        ("[H[2Jtop - 10:00[K", "top - 10:00"),
        ("[Host ~]# [Kbytes]", "[Host ~]# [Kbytes]"),
        ("nul\x00l", "null"),
        ("[0mreset[0m [1;32mgreen[0m", "reset green"),
        ("<defunct> <none>", "<defunct> <none>"),
    ],
)
def test_clean(raw, cleaned):
    assert clean(raw) == cleaned


REPORT = "Requests per second:    {} [#/sec] (mean)"
HEADINGS = [
    ("Without caching\n\n{0}\n", "Without caching", None),
    ("== With caching ==\n{0}\n", "== With caching ==", None),
    ("First: {0}\n", None, "First:"),
    ("* second run: {0}\n", None, "second run:"),
    ("1回目：{0}\n", None, "1回目："),
    ("Some title\n\n- run 1 - {0}\n", "Some title", "run 1"),
    ("**Apache**\n\n```\n{0}\n```\n", "**Apache**", None),
    ("> nginx is next\n>\n> {0}\n", "nginx is next", None),
    ("### Mono on Schedulers.elastic()\n\n{0}\n", "### Mono on Schedulers.elastic()", None),
]


@pytest.mark.parametrize(("text", "heading", "label"), HEADINGS)
def test_heading_and_label(text, heading, label):
    (block,) = blocks(text.format(REPORT.format("617.01")))
    assert block.values == {"requests_per_second": 617.01}
    assert (block.heading, block.label, block.partial) == (heading, label, True)


def test_a_command_over_several_lines():
    (block,) = blocks(
        f"$ ab -n 100 \\\n>    -c 5 \\\n>    http://localhost/index.html\n{REPORT.format(5)}\nFailed requests:        0\n"
    )
    assert block.command == COMMAND


def test_a_command_for_another_page_printed_another_report():
    lines = [
        "$ ab -n 100 -c 1 http://127.0.0.1/other.html",
        "",
        "Now the page:",
        *text_of(FIXTURES / "ab" / "ab_03_c1.txt").split("\n"),
    ]
    (block,) = blocks("\n".join(lines))
    assert block.command is None


def test_a_code_fence_is_no_heading():
    (block,) = blocks(f"An empty file:\n```bash\n$ ab http://localhost/\n{REPORT.format(5)}\n```\n")
    assert block.heading == "An empty file:"


def test_a_report_right_below_a_command_is_what_it_printed():
    """Authors change addresses and forget one of the two."""
    report = text_of(FIXTURES / "ab" / "ab_03_c1.txt").split("\n")
    (block,) = blocks("\n".join(["$ ab -n 100 -c 7 http://www.example.org/", *report]))
    assert block.command == "ab -n 100 -c 7 http://www.example.org/"


def test_a_plain_line_is_prose_by_every_other_rule():
    lines = {line for path in fixtures() for line in text_of(path).split("\n")} | set(PLAIN) | set(NOT_PLAIN)
    for line in filter(is_plain, lines):
        assert (prompt(line), is_elision(line), is_prose(line)) == (None, False, True)
        around = Context()
        around.add_line(1, line, Lines([]))
        assert (around.heading, around.stamps) == ((1, line.strip()), [])


@pytest.mark.parametrize("line", PLAIN)
def test_most_headings_are_plain(line):
    assert is_plain(line)


@pytest.mark.parametrize("line", NOT_PLAIN)
def test_what_may_be_something_else_is_not_plain(line):
    assert not is_plain(line)


WRK = text_of(FIXTURES / "wrk" / "wrk_02_latency.txt")
AB = text_of(FIXTURES / "ab" / "ab_01_plain.txt")


@pytest.mark.parametrize(
    ("text", "begins"),
    [(WRK, "Running "), (AB, "This is ApacheBench"), (WRK, "Requests/sec:"), (WRK, "Transfer/sec:")],
)
@pytest.mark.parametrize("front", ['{"level":"info"}', "listening on 3000", "GET / 200", "ready."])
def test_a_report_with_another_programs_output_in_front(text, begins, front):
    (clear,), (glued,) = blocks(text), blocks(text.replace(begins, front + begins, 1))
    assert (glued.kind, glued.values, glued.problems) == (clear.kind, clear.values, [])
    assert glued.heading is None


def test_a_report_on_the_line_of_its_command():
    (block,) = blocks("$ wrk -c4 -t2 http://127.0.0.1:8082/page.html" + " " * 40 + WRK[WRK.index("Running") :])
    assert block.command == "wrk -c4 -t2 http://127.0.0.1:8082/page.html"
    assert block.values == blocks(WRK)[0].values


@pytest.mark.parametrize(("text", "kind"), [(WRK, "wrk"), (AB, "ab")])
def test_output_behind_a_figure_is_a_remark(text, kind):
    rates = [line for line in text.split("\n") if line.startswith(("Requests/sec", "Requests per second"))]
    (block,) = blocks(text.replace(rates[0], rates[0] + '{"level":"info"}'))
    assert (block.kind, block.values, block.problems) == (kind, blocks(text)[0].values, [])


def beside(text: str) -> str:
    """The report twice, side by side, the second with other figures."""
    return "\n".join(
        f"{line:<80}{re.sub('[1-8]', '9', line)}" if line.strip() else "" for line in text.rstrip().split("\n")
    )


@pytest.mark.parametrize("name", ["wrk/wrk_02_latency", "siege/siege_02_b_t", "ab/ab_20_noserver"])
def test_two_reports_side_by_side_are_two(name):
    text = text_of(FIXTURES / f"{name}.txt")
    text = text[max(text.find(begins) for begins in ("Running", "Transactions:", "Server Software")) :].rstrip() + "\n"
    other = re.sub("[1-8]", "9", text)
    left, right, *behind = blocks(f"{beside(text)}\n\nAnd then:\n\n{text}")
    (clear,), (further,) = blocks(text), blocks(other)
    assert (left.values, left.lines, left.problems) == (clear.values, clear.lines, clear.problems)
    assert (right.values, right.lines) == (further.values, further.lines)
    assert [(block.values, block.heading) for block in behind] == [(clear.values, "And then:")]
    typed = blocks(beside(f"$ {name.partition('/')[0]} -c8 http://a/\n{text}") + "\n")
    assert [(block.first, block.command) for block in typed] == [(2, typed[0].command), (2, typed[1].command)]


def compared(name: str) -> tuple[str, str]:
    """A report without its command and banner, and the same with other figures."""
    text = text_of(FIXTURES / f"{name}.txt")
    text = text[max(text.find(begins) for begins in ("Running", "Transactions:", "Server Software")) :].rstrip() + "\n"
    return text, re.sub("[1-8]", "9", text)


@pytest.mark.parametrize("row", ["| {} | {} |", "{}  | {}"])
@pytest.mark.parametrize("name", ["wrk/wrk_02_latency", "siege/siege_02_b_t"])
def test_reports_in_the_columns_of_a_table_have_its_titles(name, row):
    text, other = compared(name)
    rows = zip(["nginx", "---", *text.split("\n")], ["caddy", "---", *other.split("\n")], strict=True)
    table = "\n".join(row.format(f"{one:<60}", two) for one, two in rows)
    left, right, behind = blocks(f"{table}\n\nAnd then:\n\n{text}")
    (clear,), (further,) = blocks(text), blocks(other)
    assert [(block.heading, block.values) for block in (left, right)] == [
        ("nginx", clear.values),
        ("caddy", further.values),
    ]
    assert (behind.values, behind.heading) == (clear.values, "And then:")


@pytest.mark.parametrize("context", [3, 99])
@pytest.mark.parametrize("name", ["wrk/wrk_02_latency", "ab/ab_20_noserver", "siege/siege_02_b_t"])
def test_a_diff_of_two_results_is_both(name, context):
    text, other = compared(name)
    lines = [each.splitlines(keepends=True) for each in (text, other)]
    diff = "".join(difflib.unified_diff(*lines, "a/old.txt", "b/new.txt", n=context))
    before, after, behind = blocks(f"$ git diff --no-index old.txt new.txt\n{diff}\nAnd then:\n\n{text}")
    (clear,), (further,) = blocks(text), blocks(other)
    assert [block.heading for block in (before, after, behind)] == ["old", "new", "And then:"]
    assert behind.values == clear.values
    assert (before.values, after.values) == (clear.values, further.values) or context == 3
    assert [block.load_results[0].requests_per_second for block in (before, after)] == [
        each.load_results[0].requests_per_second for each in (*blocks(text), *blocks(other))
    ]


def test_a_diff_of_configuration_files_stays_one_text():
    diff = (
        "--- a/nginx.conf\n+++ b/nginx.conf\n@@ -1,2 +1,2 @@\n user www;\n-worker_processes 1;\n+worker_processes 4;\n"
    )
    (block,) = blocks(f"{diff}\n{compared('wrk/wrk_02_latency')[0]}")
    assert block.kind == "wrk"
    assert "before" not in [text for _, text in block.trail]


def test_a_log_of_many_containers_is_split_in_parts():
    """Each container is read with a blank line for each of the others' lines, which must not grow with their number."""
    source = Lines(f"box-{number} | text\n" for number in range(1, 1001))
    first = next(source)
    assert len(list(split_streams(source, first))) == MOST_STREAMS == source.number
    assert next(source) == f"box-{MOST_STREAMS + 1} | text\n"


def test_a_rate_below_a_heading_that_a_tool_prints_too_is_read():
    (block,) = blocks("nginx\n\nSummary:\n  Requests/sec:\t1234.5\n")
    assert (block.kind, block.lines, block.values["requests_per_second"]) == ("unknown", (4, 4), 1234.5)


def test_a_command_is_known_behind_the_prompt_of_a_load_tools_command_of_any_shape():
    load = f"prod web7 # {COMMAND}\n{REPORT.format(5)}"
    _, second = blocks(f"{load}\nprod web7 # vi x; ./restart\n{load}")
    assert (second.typed, second.trail) == (("vi x; ./restart", COMMAND), [])


def test_a_command_is_no_answer_to_the_one_above_it():
    uptime = "$ uptime\n 13:00:00 up 3 days,  1:00,  2 users,  load average: 0.10, 1.00, 2.50\n"
    block = blocks("$ cat /proc/sys/net/core/somaxconn\n$ cat /proc/sys/net/core/rmem_max\n212992\n" + uptime)[-1]
    assert [value for _, value, _ in block.shown] == ["212992"]


@pytest.mark.parametrize(
    ("line", "bare"),
    [
        ("[code]", ""),
        ("[/CODE]", ""),
        ("[b]nginx[/b] and [color=red]apache[/color]:", "nginx and apache:"),
        ("Requests per second: 5.0[/code]", "Requests per second: 5.0"),
        ("$ ps aux | grep [b]eam", "$ ps aux | grep [b]eam"),
    ],
)
def test_tags_of_forums_are_removed(line, bare):
    assert (clean(line) if needs_cleaning(line) else line) == bare


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("[code]", "[/code]"),
        ("[code=bash]", "[/code]"),
        ("#+begin_example", "#+end_example"),
        ("#+BEGIN_SRC sh", "#+END_SRC"),
        ("{{{", "}}}"),
        ("\\begin{verbatim}", "\\end{verbatim}"),
        ('<source lang="text">', "</source>"),
        ("<syntaxhighlight>", "</syntaxhighlight>"),
    ],
)
def test_where_code_begins_is_no_heading(begin, end):
    text = "".join(f"{name}:\n{begin}\n{REPORT.format(5)}\n{end}\n\n" for name in ("old", "new"))
    assert [block.heading for block in blocks(text)] == ["old:", "new:"]


@pytest.mark.parametrize(
    ("first", "sign"), [("╭─kim@web1 ~/bench", "╰─$ "), ("┌──(kim㉿web1)-[~]", "└─$ "), ("╭─ kim@web1 ~", "╰─❯ ")]
)
def test_the_first_line_of_a_prompt_of_two_lines_names_the_host(first, sign):
    block = blocks(f"{first}\n{sign}free -m\n{text_of(FIXTURES / 'free' / 'free_01.txt')}")[0]
    assert (block.kind, block.prompt_host, block.command) == ("free", "web1", "free -m")
