"""The time to read a text grows with its length, whatever it is made of."""

from __future__ import annotations

import random
import re
import string

import pytest

import parsers
from parsers import context, gutters, prompts, reader, streams, transcript
from parsers.catalogue import formats
from parsers.context import Context
from parsers.decode import Text
from parsers.lines import Lines

from .attacks import is_slow, make_attacks
from .endless import FLOOR_S, PIECES, cpu_s, draw, growth, is_read_within
from .reading import FIXTURES, replace_part, text_of

N_OF_A_KIND, SIZE = 12, 6000


def test_twice_a_text_takes_no_more_than_four_times_as_long():
    slow = [(grown, one) for one in draw(N_OF_A_KIND, seed=1) if (grown := growth(one, SIZE)) > 4]
    assert not slow, [(round(grown, 1), one.kind, one.piece, one.line[:80]) for grown, one in slow]


@pytest.mark.parametrize("piece", PIECES, ids=repr)
@pytest.mark.parametrize("size", [60_000, 10**6])
def test_a_very_long_line_takes_no_more_than_a_second(piece, size):
    """Below 64 KiB it is looked at."""
    top = "top - 13:37:20 up 4 days, 16:36,  2 users,  load average: 0.35, 0.21, 0.18\n"
    for line in ("{}x", "$ cat x{}x", "%Cpu(s):  2.5{}x"):
        assert is_read_within(1, [top, line.format(piece * (size // len(piece))) + "\n", f"{piece}\n"])


@pytest.mark.parametrize(
    "line", ["{", '"lscpu": [', "Summary:", "  PID USER  %CPU %MEM COMMAND", "%", "$ ", "> ", "**70 req/s**"]
)
def test_very_many_lines_that_begin_nothing_take_no_more_than_a_second(line):
    assert is_read_within(1, [f"{line}\n"] * 5_000)


def test_no_opening_goes_back_and_forth_in_texts_made_of_itself():
    """Found so: a line of 60,000 stars in a table took 110 s, as two repeats of them stood behind each other."""
    opens = [re.compile(form.opens) for form in formats().values() if form.opens]
    slow = [(one, each.pattern) for each in opens for one in make_attacks(each.pattern) if is_slow(each.match, *one)]
    assert not slow


@pytest.mark.parametrize(
    "module", [context, prompts, gutters, streams, transcript, reader], ids=lambda module: module.__name__
)
def test_no_first_look_at_a_line_goes_back_and_forth_in_texts_made_of_its_patterns(module):
    def look(line: str) -> None:
        transcript.clean(line)
        reader._find_signs.__wrapped__(line)
        context._describe.__wrapped__(line)

    look("$ ab -n 1 http://a/")  # all patterns are compiled
    patterns = [each for each in vars(module).values() if isinstance(each, re.Pattern)]
    attacks = {one for each in patterns for one in make_attacks(each.pattern, each.flags & re.IGNORECASE)}
    assert not [attack for attack in sorted(attacks) if "".join(attack).strip() and is_slow(look, *attack)]


@pytest.mark.parametrize(
    "lines",
    [
        [f"a| {'*' * 8_000} req/s"],
        [f"| |{'a' * 8_000}"],
        ['{ "transactions": 1,', f'  "availability": 100.0{" " * 190}x'],
        [f"we made{',' * 380} 900 req/s"],
        ["Architecture: x86_64", f"{'NUMA ' * 1_000}: x"],
        ["Running 30s test @ http://a/", "  12 threads and 400 connections", "Requests/sec:" * 4_500],
        ["top - 13:37:20 up 4 days, 16:36,  2 users,  load average: 0.35, 0.21, 0.18", f"%Cpu(s): 1,1{' ' * 190}x"],
    ],
    ids=["stars", "cell", "siege", "commas", "lscpu", "wrk", "top"],
)
def test_signs_that_several_repeats_take_are_looked_at_once(lines):
    """Made of the patterns' own pieces, wrk's found by make fuzz: up to 130 s a MB."""
    text = [f"{line}\n" for line in lines] * 40
    assert any(cpu_s(text) < FLOOR_S + 2e-6 * sum(map(len, text)) for _ in range(3))


def test_a_path_of_sixty_thousand_brackets_is_looked_for_once():
    """Made: a prompt with a command that shows a file, which took 37 s."""
    assert is_read_within(1, [f"$ cat x{'(' * 60_000}\n", "worker_processes 2;\n"])
    (block,) = parsers.read([f"$ cat {'x/' * 200}nginx.conf\n", "worker_processes 2;\n", "events {}\n"])
    assert block.kind == "config" and block.values["path"].endswith("x/nginx.conf")


def test_no_line_of_a_log_is_taken_for_a_diffs_with_two_hundred_lines_behind_it(monkeypatch):
    """A log of uptime in a loop begins with a blank, as lines of a diff do; each look ahead took 80 us."""
    asked = []
    ahead = Lines.ahead
    monkeypatch.setattr(Lines, "ahead", lambda self, most: (asked.append(most), ahead(self, most))[1])
    log = "$ uptime\n 17:48:08 up 21 min,  0 user,  load average: 3.95, 1.54, 0.63\n"
    assert len(list(parsers.read(Text([log * 100])))) == 100 and sum(asked) < 2_000


@pytest.mark.parametrize(
    ("command", "line"),
    [
        (f"{'a' * 4_000}", "{} of them"),
        (f"{'a' * 4_000} --version", "{} of them"),
        (f"{'a' * 60_000} --version", "1.{}"),
        (f"curl{' http://a:80/b' * 4_000}#", "HTTP/1.1 200 OK {}"),
        (f"curl {'a/' * 30_000}#", "HTTP/1.1 200 OK {}"),
        (f"{'cat .' * 12_000}", "a_{} = 1"),
    ],
    ids=["words", "version", "versions", "addresses", "path", "settings"],
)
def test_a_very_long_command_is_looked_at_once_for_what_the_lines_below_it_show(command, line):
    """Found by make fuzz: a word of a command that was repeated, which took 400 s a MB, at each line below it."""
    assert is_read_within(1, [f"$ {command}\n", *(f"{line.format(number)}\n" for number in range(200))])


def test_a_very_long_command_is_cut_for_the_blocks_below_it():
    """Made: each load test below it was related with all of the command, 64 s a MB."""
    rates = [f"Requests per second:    {rate} [#/sec] (mean)\n\n" for rate in (100.5, 101.5)]
    blocks = list(parsers.read([f"$ ab -n 10 http://a/{' -H a' * 12_000}\n", *rates]))
    assert [len(block.command or "") for block in blocks] == [4096, 4096]


@pytest.mark.parametrize(
    "prompt",
    [f"~/a on m{' via a' * 20} {'x' * 70}", f"~/a on m{' [-]' * 30} {'x' * 70}", f"app on m{' [-]' * 40} x"],
    ids=lambda prompt: prompt[:12],
)
def test_a_prompt_of_two_lines_with_many_states_of_git_is_looked_at_once(prompt):
    """Made of the patterns' own pieces: 100 characters took 4 s, and each further one 1.4 times as long."""
    assert is_read_within(1, [f"{prompt}\n", "❯ uptime\n"])


def test_a_command_with_many_scripts_is_looked_through_once():
    """Made of the pattern's own pieces: the path behind "--" was looked for from each of them, which took 300 s a MB."""
    command = f"$ wrk http://a/b{' -s a -- b' * 400}\n"
    assert is_read_within(0.5, [command, "Running 10s test @ http://a/b\n", "Requests/sec:  12.50\n"])
    *_, block = parsers.read(
        ["$ wrk -s a.lua http://a/b -- x /c /d\n", "Running 10s test @ http://a/b\n", "Requests/sec:  12.50\n"]
    )
    assert block.load_results[0].path == "/d"


def test_a_metric_that_goes_on_with_figures_without_blanks_is_looked_at_once():
    """Found by make fuzz: k6's line with a repeated percentile below it, which took more than 20 s."""
    metric = "     http_req_blocked...............: avg=12.36µs  MIN=5.87\n"
    assert is_read_within(1, [metric, "p(95)=0s" * 2_000 + " x\n", metric])


def test_a_line_of_many_prompts_before_a_command_is_looked_at_a_few_times():
    """Found by make fuzz: a prompt's sign 3,000 times before a command, which took 12 s a MB."""
    lines = [f"{'$' * 3_000} httperf --server {number} --uri /\n" for number in range(40)]
    prose = [f"{'a b' * 1_000} httperf --server {number} --uri /\n" for number in range(40)]
    assert any(cpu_s(lines) < 15 * cpu_s(prose) for _ in range(3))


WRK = "Requests/sec:  XXXXX.XX\n"
IOSTAT = "Device             tps    MB_read/s    MB_wrtn/s    MB_dscd/s    MB_read    MB_wrtn    MB_dscd\n"


@pytest.mark.parametrize(
    "lines",
    [
        [WRK, " \n"],
        [IOSTAT, "\n"],
        ["avg  12 req/s\n", "max  13 req/s\n"],
        ["Metric  rps\n", "Metric  qps\n"],
        ["| nginx | req/s |\n", "| caddy | rps |\n"],
        ["nginx,rps\n", "caddy,qps\n"],
    ],
)
def test_rows_that_look_like_headings_of_a_table_of_rates_are_not_read_by_each_of_them(lines):
    """Made of a template of wrk, iostat's heading, means and headings. Each with those below it took 10 to 80 times as long."""
    prose = [
        f"a table of {n} requests per second\n" for n in range(4_000)
    ]  # no two alike, of which some would be skipped
    assert any(cpu_s(lines * 2_000) < 12 * cpu_s(prose) for _ in range(3))  # others use the processor, too
    assert not [block for block in parsers.read(lines * 20) if block.kind == "rate_table"]


def test_rows_of_a_drawn_table_that_has_no_rates_are_not_read_by_each_of_them():
    """Found by make fuzz: autocannon's box with a row that is repeated, which took 75 times as long as prose."""
    row, rule, end = f"│ Req/Sec {'│ 0   ' * 7}│\n", f"├─────────{'┼─────' * 7}┤\n", f"│ Bytes/s {'│ 0 B ' * 7}│\n"
    prose = [f"a table of {n} requests per second\n" for n in range(320)]
    assert any(cpu_s([*[row, rule] * 160, end]) < 25 * cpu_s(prose) for _ in range(3))


def test_a_table_of_rates_is_read_below_lines_that_look_like_its_heading():
    text = [WRK] * 30 + ["\n", "server  clients  req/s\n", "nginx  10  1200\n", "caddy  10  900\n"]
    assert [block.values["requests_per_second"] for block in parsers.read(text)] == [1200, 900]


def test_a_brace_is_tried_by_those_formats_alone_whose_json_begins_so(request):
    tried = []
    for kind, form in formats().items():

        def parse(lines, command, kind=kind, parse=form.parse):
            tried.append(kind)
            return parse(lines, command)

        replace_part(request, kind, "parse", parse)
    assert list(parsers.read(["{\n", '  "made": {\n'] * 1_000)) == [] and tried == []


def test_no_records_of_a_monitor_are_made_while_it_is_read(request):
    made = []
    replace_part(request, "top", "records", made.append)
    assert (
        len(list(parsers.read([*text_of(FIXTURES / "top" / "top_01_n1.txt").splitlines(keepends=True), "\n"] * 3))) == 3
    )
    assert made == []


def test_no_pattern_is_made_for_the_label_of_each_line(monkeypatch):
    """Made: a list of rates that were not measured, which took 12 s a MB."""
    lines = [f"- goal {n}: {n} req/s\n" for n in range(100)]
    list(parsers.read(lines))
    made, build = [], re.compile
    monkeypatch.setattr(re, "compile", lambda pattern, flags=0: (made.append(pattern), build(pattern, flags))[1])
    list(parsers.read([line.replace("goal", "limit") for line in lines]))
    assert len(made) < 10


@pytest.mark.parametrize("line", ["a", "%", "[", "> ", "{", "1", "$ cat x"])
def test_of_many_equal_lines_a_few_are_looked_at(line, monkeypatch):
    numbers = []
    monkeypatch.setattr(Context, "add_line", lambda self, number, line, lines: numbers.append(number))
    list(parsers.read([f"{line}\n"] * 5_000))
    assert len(numbers) < 50


@pytest.mark.parametrize(
    "lines",
    [
        ["{", "}"],
        ["a", "b"],
        ["{", "[", "}"],
        ["a", "b", "c", "d", "e"],
        [f"{n} %" for n in range(60)],
        ["Summary:", "", "x", ""],
        ["Summary:", "  Total: 1", "x"],
        ["a", "", "", "b", " "],
    ],
)
def test_of_many_lines_that_take_turns_a_few_are_looked_at(lines, monkeypatch):
    numbers = []
    monkeypatch.setattr(Context, "add_line", lambda self, number, line, lines: numbers.append(number))
    wanted = "Requests/sec:  12.5000\n"
    text = "".join(f"{line}\n" for line in lines * 1_000)
    (block,) = parsers.read(Text([text + wanted]))
    assert len(numbers) < 250 and block.first == text.count("\n") + 1


@pytest.mark.parametrize("line", ["Mem:  ", "Tasks: ", "%Cpu(s): "])
def test_figures_of_a_screen_that_never_end_are_looked_at_once(line):
    """Found by make fuzz: amounts of memory of 200 digits each, which took 18 s a MB."""
    text = [
        "top - 13:37:20 up 4 days, 16:36,  2 users,  load average: 0.35, 0.21, 0.18\n",
        line + ("1" * 199 + " ") * 200 + "\n",
    ]
    prose = ["Somebody wrote this\n", ("a" * 199 + " ") * 200 + "\n"]
    assert any(cpu_s(text * 5) < 12 * cpu_s(prose * 5) for _ in range(3))


@pytest.mark.parametrize(
    "lines",
    [
        ["equal runs of a small loop\n", f"cpu before: cpu {'1' * 60}x\n"],
        ["              total        used        free\n", "Mem:        8000000\n", f"{'1' * 190} x\n"],
        ["Server Version: Apache/2.4\n", f"Server load: {'1' * 190} {'1' * 190} {'1' * 190}x\n"],
        [f"pgbench (1{'a' * 4000}\n", "transaction type: <builtin: TPC-B (sort of)>\n"],
        [
            f"--procs-- {'-' * 23}memory{'-' * 22}  {'---swap-- -----io---- ' * 8}\n",
            f"{'-' * 19}a{'-' * 19} " * 50 + "\n",
        ],
    ],
    ids=["passport", "free", "server_status", "pgbench", "dstat"],
)
def test_a_row_of_digits_or_dashes_is_cut_in_one_way(lines):
    """The first and the last found by make fuzz (more than 20 s), the others by strings made of each pattern."""
    assert is_read_within(1, lines)


def test_a_log_of_logs_is_split_a_few_times():
    """Made: a line with 3,000 names of containers, which took 96 s a MB and 188 MB."""
    pods = "[pod/a/b] "
    assert is_read_within(2, [f"{pods * 3_000}Requests/sec:  1.5\n", f"{pods * 3_000}x\n"] * 10)
    assert [block.kind for block in parsers.read([f"{pods * 2}Requests/sec:  1.5\n", f"{pods * 2}x\n"])] == ["unknown"]


BOX = "┌───────────┬─────┐" * 1_000
NINES = "9" * 19
ROW = f"GET      /a{' ' * 80}{NINES} {NINES}({NINES}%) |" + f"      {NINES}" * 4 + " |\n"


@pytest.mark.parametrize(
    "lines",
    [
        ["Bombarding http://a/ for 10s using 200 connections" * 600 + "\n"],
        [f"{BOX}\n", "$ vmstat 1 5\n"] * 4,
        ["Type     Name  # reqs      # fails |    Avg     Min     Max    Med |   req/s  failures/s\n", *[ROW] * 60],
        ["Mem:   2058892k av, 1969596k used,   89296k free\n", *["       224720k active,     69412k inactive\n"] * 300],
        [
            "> request count   | 3 | 3 | 0\n",
            *[f"> response time -th percentile (ms){' ' * 49}|    - |    - |    -\n"] * 150,
        ],
    ],
    ids=["bombardier", "box", "locust", "top", "gatling"],
)
def test_wide_rows_and_lines_of_many_reports_take_as_long_as_prose(lines):
    """Found by make fuzz: up to 6 s a MB."""
    size = sum(map(len, lines))
    prose = [f"Somebody wrote {n} lines of this and that\n" for n in range(size // 35)]
    assert any(cpu_s(lines) < 8 * cpu_s(prose) for _ in range(3))


def test_a_log_of_uptime_is_read_as_its_lines_are_one_by_one():
    load = "2 users,  load average: 0.{}, 1.00, 2.50\n"
    log = [f" 13:00:{n:02} up {n % 3} days,  1:{n:02},  {load.format(n)}" for n in range(10, 60)]
    log[30] = " 13:00:50 up 1 day, 24 min,  1 user,  load average: 0,10 1,00 2,50\n"  # of a locale with commas
    values = [block.values for block in parsers.read(log)]
    assert [one.pop("iteration") for one in values] == list(range(1, 51))
    alone = [block.values for line in log for block in parsers.read([line])]
    assert values == [{name: value for name, value in one.items() if name != "iteration"} for one in alone]


UPTIME = " 13:00:{:02} up 3 days,  1:{:02},  2 users,  load average: 0.{:02}, 1.00, 2.50\n"
TITLES = "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n"
PROCESS = "www-data    20{:02}  0.1  0.3  517{:02}  64{:02} ?        S    10:14   0:32 /usr/sbin/apache2 -k start\n"


@pytest.mark.parametrize(
    "lines",
    [
        f"$ uptime\n{UPTIME}",
        f"{UPTIME}\n",
        f"Fri Nov 27 00:13:50 UTC 2026\n{UPTIME}",
        f"{TITLES}{PROCESS}",
        f"{TITLES}{PROCESS}\n",
    ],
    ids=["prompts", "blank lines", "dates", "titles", "titles, blank lines"],
)
def test_a_log_of_a_loop_takes_about_as_long_as_prose(lines):
    """Made: it took several times as long while each line was held against the openings of all formats."""
    text = "".join(lines.format(n % 60, n % 50, n % 70) for n in range(4_000))
    assert len(list(parsers.read(Text([text])))) == 4_000
    prose = [f"Somebody wrote {n} lines of this and that\n" for n in range(len(text) // 45)]
    assert any(cpu_s(text.splitlines(keepends=True)) < 2 * cpu_s(prose) for _ in range(3))


def test_lines_of_uptime_below_prompts_are_read_as_they_are_by_themselves():
    lines = [UPTIME.format(n, n, n) for n in range(10, 30)]
    alone = [block.values for line in lines for block in parsers.read([line])]
    assert [block.values for block in parsers.read(Text(["".join(f"$ uptime\n{line}\n" for line in lines)]))] == alone
    assert [block.kind for block in parsers.read(Text([f"{lines[0]}12 processes: 11 sleeping, 1 running\n"]))] == [
        "top"
    ]


def test_a_log_of_loadavg_is_read_as_its_lines_are_one_by_one():
    log = [f"0.{n} 1.00 2.50 1/{200 + n} {3000 + n}\n" for n in range(10, 60)]
    log[30] = "0.40 1.00 2.50 1/230\n"  # as some kernels have it
    values = [block.values for block in parsers.read(log)]
    assert [one.pop("iteration") for one in values] == list(range(1, 51))
    alone = [block.values for line in log for block in parsers.read([line])]
    assert values == [{name: value for name, value in one.items() if name != "iteration"} for one in alone]


@pytest.mark.parametrize("lines", [["ok", "no", "on"], ["1", "22", "3.5"], ["name:", "x"]], ids=" ".join)
def test_short_lines_that_recur_take_less_time_than_those_that_do_not(lines):
    """Made: of two signs a line, 4 s a MB, as each was held against the openings of all formats once more."""
    drawn = random.Random(1).choices(lines, k=10_000)  # noqa: S311
    others = [f"{line} 12:{number}\n" for number, line in enumerate(drawn)]  # with a time, each is looked at by itself
    assert any(cpu_s([f"{line}\n" for line in drawn]) < 0.6 * cpu_s(others) for _ in range(3))


@pytest.mark.parametrize("line", ["# {}", "> {}", "a: {}", "{}", "[{}", "`{}", "%{}", "  {}", "12: {}", "é {}"])
def test_lines_that_begin_nothing_take_less_time_than_those_that_may(line):
    """Made: signs and a few letters, up to 5 s a MB, as each was held against the openings of all formats."""
    chance = random.Random(1)  # noqa: S311
    drawn = [line.format("".join(chance.choices(string.ascii_lowercase, k=4))) for _ in range(5_000)]
    others = [f"{text} 12:{number}\n" for number, text in enumerate(drawn)]
    assert any(cpu_s([f"{text}\n" for text in drawn]) < 0.6 * cpu_s(others) for _ in range(3))


def test_no_line_of_a_commands_output_is_looked_at_by_the_line_above(monkeypatch):
    """A look ahead at each line of a shown file took half of the time that the file took."""
    looks = []
    ahead = Lines.ahead
    monkeypatch.setattr(Lines, "ahead", lambda self, most: looks.append(self.number) or ahead(self, most))
    shown = [f"line {n} of a file\n" for n in range(500)]
    text = ["$ ./bench.sh\n", *shown, "with cache\n", "Requests/sec:  12.5000\n"]
    (block,) = parsers.read(text)
    assert block.heading == "with cache" and block.command == "./bench.sh" and len(looks) < 20


def test_a_diff_that_removes_very_many_settings_takes_a_time_that_grows_with_them():
    """Made: each removed line was kept with all those before it."""
    few, many = ([f"-key{number} value\n" for number in range(n)] for n in (2_000, 16_000))
    assert any(cpu_s(many) < 16 * cpu_s(few) for _ in range(3))


def test_behind_the_limit_of_short_reports_nothing_is_read(monkeypatch):
    """Made: 5,000 rates behind names of pods, then more of them, each of which was split off: 2.7 s a MB."""
    splits, split = [], reader.split
    monkeypatch.setattr(reader, "MOST_SHORT", 20)
    monkeypatch.setattr(reader, "split", lambda source, *more: splits.append(source.number) or split(source, *more))
    found = list(parsers.read([f"[pod/a-{n}/x] Requests/sec: {n}\n{'' if n % 3 else chr(10)}" for n in range(300)]))
    assert len(found) == 20 and len(splits) < 40
    assert "nothing was read from here on" in found[-1].problems[-1].message
