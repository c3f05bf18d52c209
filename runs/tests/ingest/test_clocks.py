"""Dates around a load, as `date`, prompts, uptime and siege's log print them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from runs import ingest
from runs.ingest import Hints
from runs.models import Run
from runs.series.clocks import read_clock, read_moment
from runs.tests.ingest.texts import ab

pytestmark = pytest.mark.django_db

# What `date` printed under LC_ALL of these locales, and lines that scripts print between their screens.
DATES = """\
Fri Nov 21 17:28:19 UTC 2026
Fri Nov 21 05:28:19 PM UTC 2026
Fri 21 Nov 2026 05:28:19 PM CET
Fr 21. Nov 17:28:19 CET 2026
ven. 21 nov. 2026 17:28:19 CET
vendredi 21 novembre 2026, 17:28:19 (UTC+0100)
2026年 11月 21日 土曜日 17:28:19 JST
2026年 11月 21日 土曜日 午後 05:28:19 JST
2026年11月21日 17時28分19秒
2026年 11月 21日 星期六 17:28:19 CST
2026. 11. 21. (토) 17:28:19 KST
sob, 21 lis 2026, 17:28:19 CET
Сб ноя 21 17:28:19 MSK 2026
sáb 21 nov 2026 17:28:19 -03
sab 21 nov 2026, 17:28:19, CET
lör 21 nov 2026 17:28:19 CET
Sat, 21 Nov 2026 17:28:19 +0000
2026-11-21T17:28:19Z
2026-11-21T17:28:19+00:00
2026-11-21 17:28:19,123
2026-11-21 17:28:19.123456789 +0100
21.11.2026 17:28:19
11/21/26 17:28:19
20261121_172819
17:28:19
[17:28:19]
=== 17:28:19 ===
--- Fri Nov 21 17:28:19 UTC 2026 ---
Start: 17:28:19
 17:28:19 up 3 days,  2:11,  3 users,  load average: 0.00, 0.01, 0.05
17:28:19 up 10 min, 1 user, load average: 0,00, 0,01, 0,05
1795282099
1795282099.123456789
"""
OTHERS = """\
it took 00:01:30 in all
at 12:00:01 the server restarted
12:00:01 - 12:00:05
12:00:01 DONE
GET 12:00:01
25:00:01
12:61:01
17:28
Time: 00:01:30
Run 3 nginx 12:00:01 2026
run 3 at 17:28:19
top - 17:28:19 up 3 days
[Sun Jan 30 20:49:02 2011] [error] server reached MaxClients setting
Set 3 12:00:01
10:20:30:40
192.168.10.20
2026-11-21
1234567890123
10000
"""


@pytest.mark.parametrize("line", DATES.splitlines())
def test_a_line_that_is_only_a_date_tells_its_time(line):
    assert read_clock(line) == "17:28:19"


@pytest.mark.parametrize("line", [line for line in DATES.splitlines() if "21" in line])
def test_a_line_with_a_whole_date_tells_its_day(line):
    assert read_moment(line).day.isoformat() == "2026-11-21"


def test_mails_and_replies_have_dates_and_commits_and_doubtful_orders_none():
    assert read_moment("Date: Sat, 21 Nov 2026 17:28:19 GMT").day.isoformat() == "2026-11-21"
    assert read_moment("Date: Sat, 21 Nov 2026 17:28:19 +0100 (CET)").at.hour == 17
    assert read_moment("mar. 3 nov. 2026 17:28:19 CET").day.isoformat() == "2026-11-03"  # a Tuesday
    assert read_moment("Date:   Sat Nov 21 17:28:19 2026 +0100").day is None
    assert read_moment("03/04/2026 17:28:19").day is None
    assert read_moment("2026-02-30 17:28:19").day is None


@pytest.mark.parametrize("line", OTHERS.splitlines())
def test_a_line_that_says_anything_else_tells_none(line):
    assert read_clock(line) is None


def test_noon_and_midnight_on_a_clock_of_twelve_hours():
    assert [read_clock(f"{time} CET") for time in ("12:00:01 AM", "12:00:01 PM")] == ["00:00:01", "12:00:01"]


def spans(text: str) -> list[tuple[float | None, float | None]]:
    ingest.submit(text.encode(), origin="web")
    return list(Run.objects.order_by("line_first").values_list("clock_start_s", "clock_end_s"))


COMMAND = "ab -n 1000 -c 10 http://localhost:8080/page.html"  # the report says that it took two seconds


def test_a_date_right_above_the_command_begins_the_run():
    text = f"$ date\nFri Nov 21 12:33:01 UTC 2026\n$ {COMMAND}\n{ab()}"
    assert spans(text) == [(45181.0, 45183.0)]


def test_dates_printed_by_the_same_command_line_hold():
    text = f"$ date; {COMMAND}; date\nFri Nov 21 12:33:01 UTC 2026\n{ab()}\nFri Nov 21 12:33:03 UTC 2026\n"
    assert spans(text) == [(45181.0, 45183.0)]


def test_a_prompt_below_the_report_tells_its_end_to_the_second():
    text = f"[root@web 12:30:00 ~]# {COMMAND}\n{ab()}\n[root@web 12:33:03 ~]# ls\n"
    assert spans(text) == [(45181.0, 45183.0)]


def test_the_prompt_before_a_command_says_when_the_one_before_it_ended_and_no_more():
    assert spans(f"[root@web 12:30:00 ~]# {COMMAND}\n{ab()}") == [(None, None)]


def test_a_run_past_midnight_ends_above_a_day():
    assert spans(f"23:59:59\n{ab()}") == [(86399.0, 86401.0)]


def test_a_run_that_ended_after_midnight_began_before_it():
    text = f"[root@web 23:59:00 ~]# {COMMAND}\n{ab()}\n[root@web 00:00:01 ~]# ls\n"
    assert spans(text) == [(86399.0, 86401.0)]


def test_each_run_of_a_loop_begins_at_its_own_date():
    parts = [f"Fri Nov 21 12:3{n}:00 UTC 2026\n{ab(500 + n)}\n" for n in range(3)]
    assert spans("\n".join(parts)) == [(45000.0 + 60 * n, 45002.0 + 60 * n) for n in range(3)]


def test_dates_that_cannot_both_be_of_the_load_tell_nothing():
    longer = ab().replace("2.000 seconds", "20.000 seconds")
    assert spans(f"12:33:01\n{longer}\n12:33:02\n") == [(None, None)]


def test_a_date_with_other_things_between_is_not_the_runs():
    text = "12:33:01\n" + "a sentence about something else\n" * 6 + f"$ {COMMAND}\n{ab()}"
    assert spans(text) == [(None, None)]


def test_siege_logs_when_it_was_done():
    figures = "    250,       20.00,           1,       0.02,       12.50,        0.05,        0.25,     250,       0"
    text = f"2026-11-21 12:33:21,{figures}\n"
    assert spans(text) == [(45181.0, 45201.0)]


def began(text: str, **hints: str) -> list[str | None]:
    ingest.submit(text.encode(), origin="web", hints=Hints.from_dict(hints))
    found = Run.objects.order_by("line_first").values_list("ran_at", flat=True)
    return [f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S}" if at else None for at in found]


def test_a_run_is_of_the_day_that_the_text_shows_above_it():
    text = f"$ date\nFri Nov 21 12:33:01 UTC 2014\nThe server is idle, with nothing else on it.\n\n$ {COMMAND}\n{ab()}"
    assert began(text) == ["2014-11-21 12:33:01"]


def test_each_run_has_the_last_date_above_it_and_the_first_below_where_there_is_none():
    text = f"{ab(500)}\n2014-11-21 12:33:01\n\n{ab(501)}\nSat Nov 22 08:00:00 +0900 2014\n{ab(502)}"
    assert began(text) == ["2014-11-21 12:32:59", "2014-11-21 12:33:01", "2014-11-21 23:00:00"]


def test_the_clock_of_a_run_goes_on_from_the_date_above_it():
    text = f"Fri Nov 21 23:50:00 UTC 2014\n\n$ uname\nLinux\n{'idle ' * 9}\n00:05:00\n$ {COMMAND}\n{ab()}"
    assert began(text) == ["2014-11-22 00:05:00"]


def test_a_log_and_the_heading_of_a_monitor_have_their_day():
    figures = "    250,       20.00,           1,       0.02,       12.50,        0.05,        0.25,     250,       0"
    assert began(f"2014-11-21 00:00:10,{figures}\n") == ["2014-11-20 23:59:50"]
    heading = "Linux 3.13.0-40-generic (web1) \t11/22/2014 \t_x86_64_\t(4 CPU)\n\n"
    assert began(f"{heading}$ {COMMAND}\n{ab()}")[1:] == ["2014-11-22 12:00:00"]


@pytest.mark.parametrize(
    ("heading", "day"),
    [
        ("## 2014-11-21: PHP 7.4", "2014-11-21"),
        ("21 November 2014 - PHP 7.4", "2014-11-21"),
        ("### 21.11.2014 (PHP 7.4)", "2014-11-21"),
        ("## Debian 8 (2014-11-21)", None),
        ("2014-11-21-nightly", None),
    ],
)
def test_a_heading_that_begins_with_a_date_says_the_day(heading, day):
    assert began(f"{heading}\n\n$ {COMMAND}\n{ab()}") == [day and f"{day} 12:00:00"]


def test_the_sender_says_when_it_ran_where_the_text_does_not():
    assert began(ab(), at="2014-11-21T12:33:01+01:00") == ["2014-11-21 11:33:01"]
    assert began(f"2014-11-21 12:33:01\n{ab(501)}", at="2015-01-01")[1:] == ["2014-11-21 12:33:01"]


def test_a_clock_that_is_ahead_of_the_upload_is_not_believed():
    assert began(f"{datetime.now(UTC).year + 2}-01-01 12:33:01\n{ab()}") == [None]
