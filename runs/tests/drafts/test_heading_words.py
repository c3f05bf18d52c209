"""What single headings say, in the languages that were met."""

from __future__ import annotations

import pytest

from runs.drafts import sentences
from runs.drafts.boilerplate import find_numbering, is_boilerplate, strip_markup
from runs.drafts.heading_groups import find_counts
from runs.drafts.heading_words import find_phase, find_repeat, is_generic, is_sentence, is_warm_up
from runs.drafts.sentences import Sentences


@pytest.mark.parametrize(
    "heading",
    [
        *(
            "run 1",
            "First run:",
            "Lauf 2",
            "1回目の Apache Bench:",
            "Results",
            "Summary",
            "Before the load:",
            "Vor dem Test:",
            "- duration: 1 minute",
            "100 concurrent users under 10 minutes",
            "## Setup",
            "**第二次**",
            "第 3 轮",
            "3회차",
            "Durchlauf 2",
            "Попытка 4",
        ),
        *(
            "Po teście:",
            "終了後のメモリ",
            "10ユーザーで10リクエストを送る",
            "#### Apache ab",
            "## Information",
            "出力",
            "### 测试机器",
            "Вывод:",
            "#### Heavy Load (1000 requests, 50 concurrent)",
            "使用率",
            "What top said while it ran:",
            "The short version:",
            "比較",
            "March 14, 2019",
        ),
    ],
)
def test_it_names_no_set_up(heading):
    assert is_generic(heading)


@pytest.mark.parametrize(
    "heading",
    [
        *(
            "nginx",
            "itk, mod_python (django):",
            "MaxClients 50",
            "threads=4",
            "Server B",
            "config 2",
            "### Benchmark #2",
            "## Go",
            *("## rq", "## ht on"),
            *("### go", "# c++", "## make", "### time", "# go", "## go, 10 connections", "## c (-c 50)"),
            "v2:",
            "PHP-FPM beim ersten Start",
        ),
        *(
            "同時接続数50、4回実施",
            "Keep-alive off",
            "Konfiguration 1",
            "the second server",
            "Run 1: cold",
            "2014-02-04: kernel 3.2",
        ),
    ],
)
def test_it_names_a_set_up(heading):
    assert not is_generic(heading)
    assert not is_boilerplate(heading)


@pytest.mark.parametrize(
    "line",
    [
        *(
            "2009-03-13 by romanb apache, performance, test",
            "Posted on March 14, 2019 by kate in linux",
            "投稿者: | 2011年2月27日",
        ),
        *(
            "Home | About | Archive",
            "« Older posts",
            "From: Jan <jan@poczta.test>",
            "Date: Tue, 4 Feb 2014",
            "Subject: a test",
        ),
        *(
            "siege -c 20 -b -t 1m URL",
            "[The manual](https://example.org/) |",
            "[![build](https://example.org/b.svg)](https://example.org/b)",
            "go run server.go -prefork",
            "node server.js",
            "docker-compose up",
            "     execution: local",
            " /\\      Grafana   /--/",
            "default   [  84% ] 100 VUs  00m06.0s/10m0s",
            "default ↓ [ 100% ] 50 VUs  5s",
            "Initializing worker threads...",
            "the .siegerc file in your home directory; change",
            "#### Date: March 5th 2020",
            "✓ is status 200",
            "INFO[0360] the end of it   source=console",
            "sudo service apache2 restart",
            "+ ab -n 1 http://a/",
            'PidFile "/run/httpd.pid"',
        ),
        *(
            "Memory usage max: 180 Mb",
            "CPU usage: 45%",
            "Memory leaked: -32 KB",
            "Ending memory: 11924 KB",
            "log = logging.getLogger(__name__)",
            "cd /tmp && make",
            "see https://example.com/a",
        ),
    ],
)
def test_it_is_of_the_page_or_a_command(line):
    assert is_boilerplate(line)


@pytest.mark.parametrize(
    "title",
    [
        *("nginx / php-fpm / APC", "Debian 12, kernel 6.1 (2023-06-10)", "Apache - prefork", "with -O2"),
        *("### Initial workers", "## Dates: indexed", "the siege of nginx"),
    ],
)
def test_it_is_no_aside(title):
    assert not is_boilerplate(title)


@pytest.mark.parametrize(
    ("heading", "phase"),
    [
        *(
            ("apache起動直後のプロセス", "before"),
            ("試験前", "before"),
            ("Przed testem", "before"),
            ("Vor dem Test", "before"),
        ),
        *(
            ("ab 2回目の時のスナップショット", "during"),
            ("While Apache was under load", "during"),
            ("w trakcie testu", "during"),
        ),
        *(
            ("Apache Bench をかけた後のプロセス", "after"),
            ("Nach dem Test", "after"),
            ("Po teście", "after"),
            ("nginx", ""),
        ),
    ],
)
def test_it_tells_when(heading, phase):
    assert find_phase(heading) == phase


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1回目:", 1),
        ("2nd run", 2),
        ("Lauf 3", 3),
        ("próba 2", 2),
        ("third try", 3),
        ("第三次", 3),
        ("Попытка 4", 4),
        ("interation: 3", 3),
        ("Tentativa 2", 2),
        ("Deuxième mesure", 2),
        ("terceira execução", 3),
        ("run two", 2),
        ("the second one", 2),
        ("Test: 8 cores", None),
        ("nginx 1.22", None),
    ],
)
def test_it_counts_repeats(text, number):
    assert find_repeat(text) == number


def test_marks_are_no_part_of_a_name():
    assert strip_markup("## event:") == "event"
    assert strip_markup("// thread 2") == "thread 2"
    assert strip_markup("scala 2.*") == "scala 2.*"
    assert strip_markup("🔁 nginx") == strip_markup("│ nginx  │") == strip_markup("# nginx   #") == "nginx"
    assert strip_markup("C#") == "C#"
    assert strip_markup("cache 3s, nginx <-- winner (not the same data)") == "cache 3s, nginx"
    assert strip_markup("a <b> c") == "a <b> c"
    assert strip_markup("■ nginx の場合") == "nginx の場合"
    assert strip_markup("## [apache](https://example.org/) + mod\\_php") == "apache + mod_php"
    assert find_numbering("(1.2) worker") == "1.2"
    assert find_numbering("1.22 of nginx") == "1.22"
    assert find_numbering("50 clients") == ""


def test_the_end_of_a_warm_up_is_none():
    assert is_warm_up("back end warm-up")
    assert not is_warm_up("===END WARM-UP===")


def test_the_words_of_each_sentence_are_looked_for_a_few_times_however_many_others_there_are(monkeypatch):
    """Made: 250 sentences of 120 words each above a rate, 143 KB that took 4.4 s; four times as long for twice as many."""
    seen = []
    words_of = sentences._split_words
    monkeypatch.setattr(sentences, "_split_words", lambda text: seen.append(text) or words_of(text))
    texts = [f"we measured server number{n} with the cache" for n in range(100)]
    every = Sentences(texts)
    assert [every.find_distinguishing_words(text, text) for text in texts] == [f"number{n}" for n in range(100)]
    assert len(seen) <= 2 * len(texts)


def test_a_letter_that_becomes_two_in_lower_case_is_one_letter():
    """Found by made texts: the patterns, which ignore the case, take it for an "i"."""
    assert find_counts([[(1, "## nginx"), (2, letter)] for letter in ("(İ)", "(b)")]) == set()


@pytest.mark.parametrize("title", ["terminal 2", "终端二", "ターミナル2"])
def test_where_something_was_typed_names_nothing_and_software_called_so_does(title):
    assert is_generic(title)
    assert not is_generic(f"{title} server")


def test_a_title_between_signs_may_end_in_a_stop_and_a_sentence_there_is_none():
    assert not is_sentence("*** NO CACHING HOME PAGE.")
    assert is_sentence("NO CACHING HOME PAGE.")
    assert is_sentence("*** then we turned the cache of the home page off.")
