"""A fatal doubt is overruled by a person, with a reason, and the doubt stands again when that is withdrawn."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User

from runs import ingest
from runs.analysis.doubt_case import Doubt, list_excluded, list_incomparable
from runs.ingest import Rejected
from runs.models import Config, Experiment, Override, Run
from runs.selectors import comparison_data, judging
from runs.tests.analysis.doubting import during, report, session, top

pytestmark = pytest.mark.django_db


@pytest.fixture
def failing(shared: Path) -> Run:
    """The run of seed 003 in which one request of six failed."""
    text = next(shared.glob("seeds/003_*.txt")).read_bytes()
    return ingest.submit(text, origin="rest").upload.runs.get(failed_requests=172849)


@pytest.fixture
def ann() -> User:
    return User.objects.create_user("ann")


def said() -> list[Doubt]:
    return judging.compare_and_judge(comparison_data.load_experiment(Experiment.objects.get()))[1].doubts


def about(run: Run) -> Doubt:
    return next(doubt for doubt in said() if run.pk in doubt.runs and doubt.severity == "fatal")


def test_an_overruled_doubt_keeps_its_run_in_and_says_who_wanted_that(failing, ann):
    assert set(list_excluded(said())) == {failing.pk}
    ingest.override_doubt("errors.length", run=failing, by=ann, reason="the failures are ab's own")
    assert list_excluded(said()) == {}
    assert about(failing).overruled
    override = about(failing).parts[0].override
    assert (override.by, override.reason) == ("ann", "the failures are ab's own")


def test_a_withdrawn_override_stays_as_a_record_and_the_doubt_stands_again(failing, ann):
    override = ingest.override_doubt("errors.length", run=failing, by=ann, reason="why not")
    bob = User.objects.create_user("bob")
    ingest.withdraw_override(override, by=bob)
    assert set(list_excluded(said())) == {failing.pk}
    kept = Override.objects.get()
    assert (kept.made_by, kept.withdrawn_by) == (ann, bob)
    assert kept.withdrawn_at >= kept.made_at


def test_withdrawing_twice_keeps_the_first_one_s_name(failing, ann):
    override = ingest.override_doubt("errors.length", run=failing, by=ann, reason="why not")
    ingest.withdraw_override(override, by=ann)
    ingest.withdraw_override(override, by=User.objects.create_user("bob"))
    assert Override.objects.get().withdrawn_by == ann


def test_overruling_twice_is_one_override_and_after_a_withdrawal_a_new_one(failing, ann):
    first = ingest.override_doubt("errors.length", run=failing, by=ann, reason="why not")
    assert ingest.override_doubt("errors.length", run=failing, by=ann, reason="again") == first
    ingest.withdraw_override(first, by=ann)
    assert ingest.override_doubt("errors.length", run=failing, by=ann, reason="yet again") != first


def test_overrides_and_ids_stay_with_the_rows_of_a_log_that_once_stood_at_its_first_line(ann):
    """As stored by older versions. The log is made."""
    log = (
        "Date & Time, Trans, Elap Time, Data Trans, Resp Time, Trans Rate, Throughput, Concurrent, OKAY, Failed\n"
        + "".join(f"2024-05-01 10:0{at}:00, 900, 9.00, 1, 0.01, 100.0{at}, 0.11, 1.00, 0, 900\n" for at in range(3))
    )
    upload = ingest.submit(log.encode(), origin="rest").upload
    ids = [*upload.runs.order_by("line_first").values_list("pk", flat=True)]
    upload.runs.update(line_first=1, line_last=4)
    made = ingest.override_doubt("errors.failed", run=Run.objects.get(pk=ids[1]), by=ann, reason="as it was meant")
    ingest.reparse(upload.pk)
    assert [*upload.runs.order_by("line_first").values_list("pk", "line_first")] == [*zip(ids, (2, 3, 4), strict=True)]
    standing = Override.objects.order_by("line")
    assert [(one.line, one.rule, one.made_by, one.reason) for one in standing] == [
        (line, "errors.failed", ann, "as it was meant") for line in (2, 3, 4)
    ]
    assert {one.made_at for one in standing} == {made.made_at}
    ingest.reparse(upload.pk)
    assert Override.objects.count() == 3


def test_an_override_outlives_reading_the_text_anew(failing, ann):
    ingest.override_doubt("errors.length", run=failing, by=ann, reason="why not")
    ingest.reparse(failing.upload_id)
    assert Override.objects.get().withdrawn_at is None
    assert about(Run.objects.get(failed_requests=172849)).overruled
    assert list_excluded(said()) == {}


def test_an_override_finds_its_run_where_a_later_reading_begins_it_some_lines_higher(failing, ann):
    ingest.override_doubt("errors.length", run=failing, by=ann, reason="why not")
    Run.objects.filter(pk=failing.pk).update(line_first=failing.line_first - 2)
    assert about(failing).overruled


def test_an_override_about_one_run_says_nothing_of_another(failing, ann):
    other = failing.upload.runs.exclude(pk=failing.pk)[0]
    ingest.override_doubt("errors.length", run=other, by=ann, reason="why not")
    assert set(list_excluded(said())) == {failing.pk}


def test_an_override_about_one_rule_says_nothing_of_another(failing, ann):
    ingest.override_doubt("errors.status", run=failing, by=ann, reason="why not")
    assert set(list_excluded(said())) == {failing.pk}


@pytest.mark.parametrize("reason", ["", "  \n"])
def test_an_override_without_a_reason_is_refused(failing, ann, reason):
    with pytest.raises(Rejected, match="A reason is required"):
        ingest.override_doubt("errors.length", run=failing, by=ann, reason=reason)


def test_an_unknown_doubt_cannot_be_overruled(failing, ann):
    with pytest.raises(Rejected, match="no doubt 'x'"):
        ingest.override_doubt("x", run=failing, by=ann, reason="why not")


def test_an_override_is_about_a_run_or_a_config_and_not_both(failing, ann):
    for target in ({}, {"run": failing, "config": Config.objects.all()[0]}):
        with pytest.raises(Rejected, match="one run or one config"):
            ingest.override_doubt("errors.length", by=ann, reason="why not", **target)


def test_a_long_reason_is_cut_to_what_can_be_kept(failing, ann):
    override = ingest.override_doubt("errors.length", run=failing, by=ann, reason="why\x00" * 400)
    assert len(override.reason) <= 500
    assert "\x00" not in override.reason


def test_a_config_that_was_put_apart_counts_again_when_someone_says_so(ann):
    with_k = report("long_1").replace("-n 5000", "-k -n 5000").replace("414.66", "514.66")
    with_k = with_k.replace("Total transferred:", "Keep-Alive requests:    5000\nTotal transferred:")
    text = session(nginx=report("long_1"), apache=report("long_2"), lighttpd=with_k)
    ingest.submit(text.encode(), origin="rest")
    lighttpd = Config.objects.get(name="lighttpd")
    assert list(list_incomparable(said())) == [lighttpd.pk]
    override = ingest.override_doubt("differs.load", config=lighttpd, by=ann, reason="that is what we compare")
    assert list_incomparable(said()) == {}
    ingest.withdraw_override(override, by=ann)
    assert list(list_incomparable(said())) == [lighttpd.pk]


def test_a_run_whose_server_paged_is_in_no_trend_until_that_is_overruled(ann):
    tight = top(swap=18708, free=2608, cached=1388)
    text = session(one=report("long_1") + during(tight), other=report("long_2") + during(top(swap=0)))
    ingest.submit(text.encode(), origin="rest")
    ingest.apply_deltas()
    paged = Run.objects.get(config__name="one")
    assert set(Run.objects.filter(doubted=True)) == {paged}
    ingest.override_doubt("machine.swap", run=paged, by=ann, reason="it always does")
    ingest.apply_deltas()
    assert not Run.objects.filter(doubted=True).exists()


def test_where_every_run_paged_all_stay_in_their_trends():
    tight = during(top(swap=18708, free=2608, cached=1388))
    ingest.submit(session(one=report("long_1") + tight, other=report("long_2") + tight).encode(), origin="rest")
    ingest.apply_deltas()
    assert not Run.objects.filter(doubted=True).exists()
