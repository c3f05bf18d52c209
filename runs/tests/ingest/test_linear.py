"""What a text is related to takes a time that grows with its blocks, not with their square."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest

import parsers
from parsers.catalogue import formats
from parsers.tests.attacks import is_slow, make_attacks
from runs import analysis
from runs.analysis import conclude, method, table
from runs.analysis.verdict import Ground
from runs.drafts import boilerplate, captions, heading_groups, heading_words, names, settings, typed_commands, variants
from runs.drafts.clauses import find_owners, index_names
from runs.drafts.relate import relate
from runs.drafts.sentences import Sentences
from runs.ingest import receive
from runs.ingest.submission import Preview
from runs.selectors.comparison_data import make_draft_case

RATE = "Requests per second:    {:.2f} [#/sec] (mean)\n\n"
TYPED = "$ ab -n 100 http://web/\n" + RATE.replace("{:", "{1:")
FREE = "$ free\n       total   used   free\nMem:   2046748   {}   1046748\nSwap:   1048572   0   1048572\n\n"
TEXTS = {
    "runs": "$ ab -n 100 -c 10 http://web/{}\n" + RATE,
    "headings": "## setting {} of the server\n\n" + RATE,
    "sentences": "Then it was changed to setting {} and measured again, and it went somewhat faster.\n\n" + RATE,
    "conditions in sentences": "We then measured what server {0} did with a cache in front of it, over HTTPS.\n\n"
    + "Requests per second:    {1:.2f} [#/sec] (mean)\n",
    "configs": "## c{}\n$ cat /etc/nginx/nginx.conf\nworker_processes 2;\nevents {{}}\n\n$ ab -n 100 http://web/\n"
    + RATE,
    "corrections": "## setting {0}, here\n\n"
    + RATE.replace("{:", "{1:")
    + "Correction: that was the old build of setting {0}.\n\n",
    "hosts": "[root@web{} ~]# uptime\n 13:37:20 up 4 days, 16:36,  2 users,  load average: 0.35, 0.21, 0.18\n" + RATE,
    "captures": FREE + RATE,
    "settings": "$ export WORKERS={}\n$ ab -n 100 http://web/\n" + RATE,
    "changed files": "$ cat app.conf\nworkers = {}\n\n$ sleep 2\n$ ab -n 100 http://web/\n" + RATE,
    "remarks in sections": "## c{}\n\nI kept the best of five runs here, restarted before each.\n\n" + RATE,
    "clocks": "2024-03-01 10:00:00 run {}\n" + RATE,
    "tables": "| server {} | req/s |\n|---|---|\n| a | {:.2f} |\n| b | 2.5 |\n\n",
    "servers of which something is not known": "$ ab -n 100 http://web{}/\nRequests/sec: {:.2f}\n\n",
    "prompts": "root@web{}:~# ls {}\n",
    # Of these each load test had a copy of all that stand above it.
    "scripts": "".join(f"$ ./set{{0}}-{k}.sh --cpus={k} -m {k}g\n" for k in range(6)) + TYPED,
    "questions": "".join(f"$ cat /proc/sys/net/a{{0}}-{k}\n{k}\n" for k in range(6)) + TYPED,
    "versions": "".join(f"$ tool{{0}}-{k} --version\n1.{k}\n" for k in range(6)) + TYPED,
    "rates in prose": "Line {0} says nothing of it.\n" * 8 + "nginx{0} served {1:.2f} requests per second.\n\n",
}


def grows_with_its_square(part: str) -> bool:
    """Whether four times the blocks take more than eight times as long; a square takes sixteen times as long."""
    n_parts = 7200 // max(6, part.count("\n"))
    text = "".join(part.format(i, 100 + i * 0.37) for i in range(n_parts)) + RATE.format(50)
    lines = text.splitlines(keepends=True)
    blocks = list(parsers.read(lines))
    taken = []
    for n in (len(blocks) // 4, len(blocks)):
        start = time.process_time()
        relate(blocks[:n], blocks[n - 1].last)
        taken.append(time.process_time() - start)
    return taken[1] > 8 * max(taken[0], 0.02)


@pytest.mark.parametrize("what", TEXTS)
def test_four_times_the_blocks_take_no_more_than_eight_times_as_long(what):
    relate(list(parsers.read([RATE.format(50)])), 2)
    assert not all(grows_with_its_square(TEXTS[what]) for _ in range(3))  # a collection of garbage does not count


JUDGED = {
    "pairs of versions": "PR http{0} cached\n" + RATE.replace("{:", "{1:") + "master http{0} cached\n" + TYPED,
    "workloads below headings": "## load {0}\n### nginx\n" + RATE.replace("{:", "{1:") + "### caddy\n" + TYPED,
    "levels of one config": "$ ab -n 100 -c {0} http://web/\n" + RATE.replace("{:", "{1:"),
    "levels of a config each": "## build {0}\n\n$ ab -n 100 -c {0} http://web/\n" + RATE.replace("{:", "{1:"),
    "pairs of two lists": "cold with page{0}:\n"
    + RATE.replace("{:", "{1:")
    + "warm with page{0}:\n"
    + RATE.replace("{:", "{1:"),
}


def judging_grows_with_the_square(part: str) -> bool:
    taken = []
    for n in (150, 600):
        lines = "".join(part.format(i, 100 + i * 0.37) for i in range(n)).splitlines(keepends=True)
        blocks = list(parsers.read(lines))
        draft = relate(blocks, len(lines))
        case = make_draft_case(Preview(receive(b"a"), blocks, draft, [], None), draft.experiments[0])
        start = time.process_time()
        conclude(case, table.compare(case.configs, case.runs, []), None)
        taken.append(time.process_time() - start)
    return taken[1] > 12 * max(taken[0], 0.02)


@pytest.mark.parametrize("what", JUDGED)
def test_four_times_the_configs_are_judged_in_no_more_than_twelve_times_as_long(what):
    """Made: the page of pairs of versions took 27 s for 250 KB, that of 2,000 levels of one config 112 s."""
    assert not all(judging_grows_with_the_square(JUDGED[what]) for _ in range(3))


def test_what_else_than_the_config_differs_is_looked_for_once_for_all_metrics_of_two_columns(monkeypatch):
    """Made: of 1,000 configs with a table of percentiles each it was 8 s instead of 2."""
    times = "Time per request:       {:.3f} [ms] (mean)\n  50%     {:.0f}\n  90%     {:.0f}\n  99%     {:.0f}\n"
    head = "$ ab -n 9000 -c 10 http://web/\n" + RATE.rstrip("\n") + "\n"
    text = "".join(
        f"## c{i}\n\n"
        + "".join((head + times).format(9e4 / ms, ms, ms, 2 * ms, 3 * ms) + "\n" for ms in (i, i + 1, i + 2))
        for i in (100, 300, 900)
    )
    lines = text.splitlines(keepends=True)
    blocks = list(parsers.read(lines))
    draft = relate(blocks, len(lines))
    case = make_draft_case(Preview(receive(b"a"), blocks, draft, [], None), draft.experiments[0])
    asked = []
    monkeypatch.setattr(analysis, "find_confounder", lambda _, *pair: asked.append(pair) or "")
    judged = conclude(case, table.compare(case.configs, case.runs, []), None)
    tested = [one for one in judged.judgement.verdicts.values() if one.ground == Ground.TESTED]
    assert len(asked) == len({*asked}) == 2 < len(tested)


def test_runs_of_very_many_requests_are_told_apart_by_what_was_asked_for(monkeypatch):
    """Made: each run was held against a hundred others, half of the time that a text of siege's rates took."""
    compared = []
    agrees = method.Method.agrees
    monkeypatch.setattr(method.Method, "agrees", lambda self, other: (compared.append(1), agrees(self, other))[1])
    methods = [method.Method(tool="siege", path=f"/{n}") for n in range(500)]
    groups = method.group_by_method([*methods, *methods, method.Method(tool="siege")], lambda own: own)
    assert [len(group) for _, group in groups] == [3, *[2] * 499] and len(compared) < 10


def test_a_name_is_looked_for_by_the_word_that_the_fewest_names_have():
    """Made: each sentence about clients was held against all names with that word."""
    index = index_names(name for n in range(500) for name in (f"config {n}", f"{n} clients"))
    assert max(map(len, index.values())) <= 2
    assert [*find_owners(["config 7 used a cache", "all clients did"], index)] == [
        ("config 7", "config 7 used a cache")
    ]


def test_a_text_of_more_machines_than_are_told_apart_is_related():
    text = "".join(TEXTS["hosts"].format(i, 100 + i) for i in range(150))
    lines = text.splitlines(keepends=True)
    (experiment,) = relate(list(parsers.read(lines)), len(lines)).experiments
    assert len(experiment.runs) == 150


def test_a_heading_of_a_megabyte_is_cut():
    lines = [
        "## " + "word " * 200_000 + "\n",
        "\n",
        RATE.format(5),
        "## " + "word " * 10_000 + "\n",
        "\n",
        RATE.format(6),
    ]
    draft = relate(list(parsers.read(lines)), len(lines))
    assert len(draft.experiments[0].runs) == 2 and max(len(run.label) for run in draft.experiments[0].runs) < 500


def least_cpu_s(work: Callable[[int], object]) -> float:
    """Of three tries, each of which is given its number: what was asked before is remembered."""
    spent = []
    for number in range(3):
        start = time.process_time()
        work(number)
        spent.append(time.process_time() - start)
    return min(spent)


@pytest.mark.parametrize(
    "heading", ["---é {:-<490}", "{::<490}x", "|.{:.<480}", "[. . . . .{: <480}x", "--- é{: <480}x"]
)
def test_a_heading_is_judged_in_a_time_that_grows_with_its_length(heading):
    """Made of the patterns' own pieces: 500 characters took up to 8 ms."""

    def judge(number: int) -> None:
        for at in range(200):
            line = f"{heading.format('')}{number}{at}"
            assert boilerplate.strip_markup(line) and boilerplate.is_boilerplate(line) in (True, False)

    assert least_cpu_s(judge) < 0.5


@pytest.mark.parametrize(
    ("look", "module"),
    [
        (boilerplate.strip_markup, boilerplate),
        (boilerplate.is_boilerplate, boilerplate),
        (heading_words.split_repeat, heading_words),
        (heading_words.is_sentence, heading_words),
    ],
    ids=lambda each: each.__name__,
)
def test_no_look_at_a_heading_goes_back_and_forth_in_texts_made_of_its_patterns(look, module):
    patterns = [each for each in vars(module).values() if isinstance(each, re.Pattern)]
    attacks = {one for each in patterns for one in make_attacks(each.pattern, each.flags & re.IGNORECASE)}
    look("ab")  # what it asks for is compiled
    wide = [attack for attack in sorted(attacks) if attack[1].strip()]  # wide gaps were narrowed before
    assert not [one for one in wide if is_slow(look.__wrapped__, *one, size=2_000)]


def test_a_heading_of_very_many_numbers_of_repeats_is_judged_once():
    """Made: each was taken off, and the rest judged again, 30 s a MB."""

    def judge(number: int) -> None:
        heading_words.is_generic("run 1 " * (80 + number))
        heading_words.is_generic("a - retest" * (50 + number))

    assert least_cpu_s(judge) < 0.05


def _find_command(kind: str) -> Callable[[str], object]:
    command = formats()[kind].command
    assert command is not None
    return command.search


@pytest.mark.parametrize(
    ("look", "text"),
    [
        (settings.read_setting, f"echo 1 | tee /sys/{'a' * 3900} x"),
        (settings.read_setting, f"npm install {'a' * 3900}"),
        (typed_commands._split_words, "a{: <3900}x"),
        (typed_commands.LOOP.search, "for a in{: <3900}x"),
        (heading_groups._CLIENTS.fullmatch, "1{: <3900}x"),
        (names._REMARK.split, "1{: <3900}x"),
        (names._COUNTED.fullmatch, "1{::<3900}1"),
        (_find_command("ss_counted"), "ss " * 1_300),
        (_find_command("ab_gnuplot"), "/ab" * 1_300),
        (_find_command("ab_percentiles_csv"), "ab " * 1_300),
    ],
)
def test_a_command_of_four_thousand_characters_is_looked_at_once(look, text):
    """Made of the patterns' own pieces: up to 0.4 s each."""
    look("ab -n 1 http://a/")  # the patterns are compiled
    assert least_cpu_s(lambda number: look(f"{text.format('')}{number}")) < 0.01


@pytest.mark.parametrize(
    ("look", "text"),
    [
        (captions._strip_filling, ". " * 250 + "x"),
        (names._LOAD_PHRASE.search, "-" * 500),
        (settings.read_setting, "sed -i " + "s/" * 240),
        (variants._FILE_NUMBER.search, "-" * 2_000 + "x"),
    ],
)
def test_a_line_of_five_hundred_characters_and_more_is_looked_at_once(look, text):
    """Made of the patterns' own pieces: 48 to 390 ms each."""
    assert least_cpu_s(lambda number: look(f"{text}{number}")) < 0.01


def test_twice_as_many_sentences_take_no_more_than_three_times_as_long():
    """Made: what each said was looked for in all the others, 5 s for a megabyte of them."""

    def spend(n: int) -> float:
        texts = [f"Now we look at it with proxy{i} turned off and the cache set to {i} again." for i in range(n)]
        start = time.process_time()
        every = Sentences(texts)
        assert every.find_distinguishing_words(texts[-1], texts[-1]) == f"proxy{n - 1} turned off"
        for text in texts:
            every.find_distinguishing_words(text, text)
        return time.process_time() - start

    spend(10)
    assert any(spend(8_000) < 3 * spend(4_000) for _ in range(3))


def test_a_wide_gap_in_a_heading_is_narrowed_before_names_are_looked_for():
    """Made: each of 480 blanks was tried as the beginning of what several patterns look for, 20 ms a heading."""
    text = "".join(f"## nginx {number}{' ' * 150}, one\n\n{RATE.format(number)}" for number in range(100, 104))
    draft = relate(list(parsers.read(parsers.Text([text]))), text.count("\n"))
    assert [run.label for run in draft.experiments[0].runs] == [f"nginx {number} , one" for number in range(100, 104)]


def test_each_line_of_a_long_text_is_judged_once_and_not_remembered_behind_it(monkeypatch):
    """Made: 350 reports below 60 sentences each. Above 20,000 lines each was judged again at every step."""
    judged: list[str] = []

    def judge(text: str) -> bool:
        judged.append(text)
        return True

    remembering = boilerplate.remember_lines(judge)
    monkeypatch.setattr(captions, "is_sentence", remembering)
    told = ("".join(f"It was {i}.{k}.\n" for k in range(60)) for i in range(350))
    text = "".join(f"{sentences}\n{RATE.format(i)}" for i, sentences in enumerate(told))
    relate(list(parsers.read(parsers.Text([text]))), text.count("\n"))
    assert len(judged) == len({*judged}) > 20_000
    assert remembering(judged[0]) and len(judged) == len({*judged}) + 1  # it was forgotten
