"""Sweeps of concurrency, and the law fitted to them. Its published fits are those of the R package usl."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runs.analysis import scaling
from runs.analysis.scalability_law import Sweep, compute_law, fit
from runs.analysis.scaling import Point, Range
from runs.analysis.summary_wording import describe_sweep
from runs.analysis.table import compare
from runs.tests.analysis.facts import configs, run
from runs.tests.analysis.judging import headline_of

# SPEC SDM91 on a Sun SPARCcenter 2000, scripts/hour over users; Gunther, Guerrilla Capacity Planning, 2007.
# The data are usl's `specsdm91`, the figures its tests/summary.Rout.save and tests/peak-scalability.Rout.save.
SPEC = {1: 64.9, 18: 995.9, 36: 1652.4, 72: 1853.2, 108: 1828.9, 144: 1775.0, 216: 1702.2}
# usl's `raytracer`, its first six rows; the figures are in its tests/confint.Rout.save.
RAYTRACER = {1: 20.0, 4: 78.0, 8: 130.0, 12: 170.0, 16: 190.0, 20: 200.0}
# The data of usl's tests/coef.R, which has 0.02, 0.02 and 1 for them.
ROUND = {1: 1.0, 2: 1.8868, 4: 3.0769, 6: 3.5294, 8: 3.5398, 10: 3.3557}


def fit_sweeps(*of, **how) -> list[Sweep]:
    return [describe_sweep(each) for each in scaling.fit_sweeps(*of, **how)]


def fitted(rates: dict[int, float]):
    return fit([(n, [rate]) for n, rate in rates.items()])


def sweep(rates: dict[int, list[float]], **fields) -> Sweep:
    runs = [ab(n, rate, **fields) for n, values in rates.items() for rate in values]
    (found,) = fit_sweeps(configs("worker"), runs)
    return found


def ab(n: int, rate: float, config: int = 1, **fields):
    return run(config, rate, command=f"ab -n {n * 100} -c {n} http://web1/", **fields)


def noisy(spread: float, repeats: int, true=(200.0, 0.04, 0.0003), levels=(1, 5, 10, 20, 40, 80, 160)):
    dice = random.Random(4)  # noqa: S311
    return {n: [compute_law(n, *true) * dice.gauss(1, spread) for _ in range(repeats)] for n in levels}


def test_it_finds_the_published_fit_of_spec_sdm91():
    found = fitted(SPEC)
    assert found.contention == pytest.approx(2.773e-02, rel=1e-3)
    assert found.coherency == pytest.approx(1.044e-04, rel=1e-3)
    assert found.rate_one == pytest.approx(89.9952, rel=1e-4)
    assert found.residual == pytest.approx(82.85, rel=1e-4)
    assert found.freedom == 4
    assert found.peak_at == pytest.approx(96.51956, rel=1e-5)
    assert found.peak_rate == pytest.approx(1884, abs=0.5)


def test_its_intervals_are_the_published_standard_errors_times_students_t():
    # Student's t with 4 degrees of freedom leaves 2.5 % above 2.776.
    found = fitted(SPEC)
    errors = {"contention": 9.122e-03, "coherency": 1.988e-05, "rate_one": 14.21}
    for name, error in errors.items():
        interval = getattr(found, f"{name}_interval")
        assert (interval.high - interval.low) / 2 == pytest.approx(2.776 * error, rel=1e-3)


def test_it_finds_the_published_fit_of_the_ray_tracer():
    found = fitted(RAYTRACER)
    assert found.contention == pytest.approx(0.02444, rel=1e-3)
    assert found.coherency == pytest.approx(0.00163, rel=3e-3)
    assert found.rate_one == pytest.approx(20.85605, rel=1e-5)


def test_it_finds_the_published_fit_of_round_parameters():
    found = fitted(ROUND)
    assert (found.rate_one, found.contention, found.coherency) == pytest.approx((1, 0.02, 0.02), rel=1e-3)


def test_noise_leaves_the_true_parameters_inside_their_intervals():
    found = fit(list(noisy(0.02, 5).items()))
    assert found.contention_interval.low < 0.04 < found.contention_interval.high
    assert found.coherency_interval.low < 0.0003 < found.coherency_interval.high
    assert found.peak_interval.low < math.sqrt(0.96 / 0.0003) < found.peak_interval.high


@pytest.mark.parametrize(
    ("true", "levels"), [((200.0, 0.04, 0.0003), (1, 5, 10, 20, 40, 80, 160)), ((200.0, 0.04, 0.0), (1, 4, 8, 16, 32))]
)
def test_the_peaks_interval_holds_it_as_often_as_it_says(true, levels):
    dice = random.Random(1)  # noqa: S311
    top = compute_law(levels[-1], *true)
    peak = math.sqrt((1 - true[1]) / true[2]) if true[2] else math.inf
    draws = [[(n, [dice.gauss(compute_law(n, *true), 0.03 * top)]) for n in levels] for _ in range(100)]
    found = [fit(draw).peak_interval for draw in draws]
    hits = sum(one.low <= peak <= (math.inf if one.high is None else one.high) for one in found)
    assert 90 <= hits <= 99


def test_more_noise_makes_the_peak_less_certain():
    widths = [fit(list(noisy(spread, 5).items())).peak_interval for spread in (0.01, 0.04)]
    assert widths[0].high - widths[0].low < widths[1].high - widths[1].low


def test_without_coherency_there_is_no_peak_and_the_words_say_so():
    found = sweep({n: [compute_law(n, 100, 0.05, 0) * f for f in (0.99, 1.01)] for n in (1, 2, 4, 8, 16)})
    assert found.fit.peak_at is None or found.fit.peak_interval.high is None
    assert "no peak within what was measured (up to 16 clients)" in found.sentence
    assert found.knee is None


def test_rates_that_are_all_the_same_have_no_peak_that_could_be_told():
    found = sweep({n: [100.0] for n in (50, 100, 150, 200)})
    assert "cannot be told" in found.sentence
    assert found.fit.r_squared is None


def test_rates_that_only_fall_have_their_peak_below():
    found = sweep({50: [900.0, 910], 100: [800.0, 805], 150: [700.0, 702], 200: [620.0, 612], 300: [480.0, 482]})
    assert "falls from the lowest level measured on" in found.sentence
    assert found.knee is None


def test_a_peak_is_named_with_its_interval_and_how_well_the_law_fits():
    found = sweep({n: [rate] for n, rate in SPEC.items()})
    assert "req/s peaks at 97 clients (95 % interval 78 to 157), with 1,884 requests/s." in found.sentence
    assert "fits the 7 levels roughly (R² 0.9896, off by 5.9 %)" in found.sentence
    assert (round(found.knee.at), round(found.knee.low), round(found.knee.high)) == (97, 78, 157)


def test_nothing_is_read_off_a_law_that_does_not_fit():
    found = sweep({1: [10.0], 2: [500.0], 4: [20.0], 8: [400.0], 16: [5.0]})
    assert "badly" in found.sentence and "No peak is read off it." in found.sentence
    assert found.knee is None


def test_repeats_that_vary_less_than_the_law_misses_widen_the_intervals():
    shaky = {1: [100.0, 100.1], 2: [150.0, 150.1], 4: [300.0, 300.1], 8: [310.0, 310.1], 16: [300.0, 300.1]}
    found = fit(list(shaky.items()))
    assert found.lack_of_fit < 0.001
    assert found.freedom == 2


@pytest.mark.parametrize(("levels", "words"), [(2, "2 more are missing"), (3, "1 more is missing")])
def test_below_four_levels_it_says_how_many_are_missing(levels, words):
    found = sweep({n: [100.0 * n] for n in range(1, levels + 1)})
    assert found.fit is None
    assert found.missing == 4 - levels
    assert words in found.sentence


def test_one_level_is_no_sweep():
    assert fit_sweeps(configs("worker"), [ab(10, 100.0), ab(10, 101.0)]) == []


def test_failing_runs_are_left_out_and_named():
    runs = [ab(n, 100.0 * n) for n in (1, 2, 3, 4)] + [ab(5, 9999.0)]
    (found,) = fit_sweeps(configs("worker"), runs, excluded={runs[-1].id: "4 of 500 requests failed"})
    assert [level.n for level in found.levels] == [1, 2, 3, 4]
    assert found.notes == ("Left out at concurrency 5: 4 of 500 requests failed.",)


def test_a_sweep_of_which_nothing_counts_says_so():
    runs = [ab(n, 100.0 * n) for n in (1, 2)]
    (found,) = fit_sweeps(configs("worker"), runs, excluded={one.id: "all failed" for one in runs})
    assert found.levels == ()
    assert "0 levels of concurrency that count (none)" in found.sentence


def test_runs_that_a_person_took_out_do_not_count():
    runs = [ab(n, 100.0 * n) for n in (1, 2)] + [ab(3, 9.0, counted=False)]
    (found,) = fit_sweeps(configs("worker"), runs)
    assert [level.n for level in found.levels] == [1, 2]


def test_keep_alive_and_path_part_the_sweeps_of_one_config():
    runs = [ab(n, 10.0 * n, keepalive=k) for k in (True, False) for n in (1, 2)]
    runs += [ab(n, 10.0 * n, keepalive=False, path="/slow") for n in (1, 2)]
    runs += [ab(n, 10.0 * n, keepalive=False, path="/fast") for n in (1, 2)]
    names = [found.name for found in fit_sweeps(configs("worker"), runs)]
    assert names == ["worker (1)", "worker (2)", "worker (3)", "worker (4)"]


def test_what_a_quoted_run_does_not_tell_is_as_in_the_others():
    runs = [ab(1, 10.0, path="/", keepalive=False), ab(2, 20.0, path="/", keepalive=False), ab(3, 30.0)]
    (found,) = fit_sweeps(configs("worker"), runs)
    assert [level.n for level in found.levels] == [1, 2, 3]


def test_configs_whose_names_differ_in_the_level_only_are_one_sweep():
    given = configs("同時接続数50、4回実施", "同時接続数100、4回実施", "worker at 150")
    runs = [ab(50, 3.07), ab(100, 2.82, config=2), ab(150, 4.62, config=3)]
    (found,) = fit_sweeps(given, runs)
    assert [config.id for config in found.configs] == [1, 2]
    assert found.name == "同時接続数N、4回実施"
    assert "config of its own" in found.notes[0]


def test_a_sweep_of_configs_that_are_grouped_by_level_is_named_after_the_rest():
    named = configs("10 connections · nginx", "50 connections · nginx")
    (found,) = fit_sweeps(named, [ab(10, 300.0, config=1), ab(50, 500.0, config=2)])
    assert found.name == "nginx"


def test_versions_in_names_are_no_levels():
    given = configs("apache 2.2", "apache 2.4")
    assert fit_sweeps(given, [ab(10, 3.0), ab(20, 3.0, config=2)]) == []


def test_latency_is_the_95th_percentile_or_else_the_mean():
    told = sweep({1: [10.0], 2: [20.0]}, percentiles_ms={"95": 12.0}, mean_ms=5.0)
    assert (told.tail, told.levels[0].tail_ms) == ("p95", 12.0)
    untold = sweep({1: [10.0], 2: [20.0]}, mean_ms=5.0)
    assert (untold.tail, untold.levels[0].tail_ms) == ("mean", 5.0)


@given(
    st.dictionaries(
        st.integers(1, 10_000),
        st.lists(st.floats(min_value=0, max_value=1e7), min_size=1, max_size=4),
        min_size=1,
        max_size=8,
    )
)
@settings(deadline=None, max_examples=60)
def test_any_figures_are_answered_in_words(rates):
    runs = [ab(n, rate) for n, values in rates.items() for rate in values]
    for found in fit_sweeps(configs("worker"), runs):
        assert found.sentence
        assert "nan" not in found.sentence and "inf" not in found.sentence
        if found.fit:
            assert all(
                math.isfinite(value) for value in (found.fit.rate_one, found.fit.contention, found.fit.coherency)
            )


@pytest.mark.parametrize("rate", [math.nan, math.inf, -1.0, None])
def test_what_is_no_rate_is_left_out(rate):
    runs = [ab(n, 10.0 * n) for n in (1, 2)] + [ab(3, rate)]
    (found,) = fit_sweeps(configs("worker"), runs)
    assert [level.n for level in found.levels] == [1, 2]


def test_the_leaders_of_a_sweep_are_all_that_serve_the_most_at_one_of_its_levels():
    """Of a report of sysbench: "select" is compared with neither of the others, and yet no "write" leads where it serves more."""
    rates = {"read": (783.9, 3470.7), "write": (3425.6, 14115.4), "select": (33572.0, 186823.8)}
    points = [
        Point(name, at, level, rate, None, 0.0, 1)
        for at, (name, own) in enumerate(rates.items())
        for level, rate in zip((1, 8), own, strict=True)
    ]
    assert Range("concurrency", tuple(points), None, None).leaders == {1: "select", 8: "select"}
    assert Range("concurrency", tuple(points[:4]), None, None).leaders == {1: "write", 8: "write"}
    assert Range("concurrency", tuple(points[:2]), None, None).leaders == {}


@pytest.mark.parametrize(
    ("one", "other", "leads"),
    [
        (("GET", "/a"), ("POST", "/a"), {}),
        ((None, "/a"), (None, "/b"), {}),
        (("GET", "/a"), (None, "/a"), {1: "redis"}),
        ((None, None), ("GET", "/a"), {1: "redis"}),
    ],
)
def test_of_series_that_were_asked_for_unlike_things_none_leads(one, other, leads):
    points = (Point("redis", 0, 1, 900.0, None, 0.0, 1, one), Point("sqlite", 1, 1, 300.0, None, 0.0, 1, other))
    assert Range("concurrency", points, None, None).leaders == leads


def wrk(n: int, threads: int, rate: float, config: int = 1):
    return run(config, rate, tool="wrk", command=f"wrk -t{threads} -c{n} -d30s http://web1/", concurrency=n)


def test_runs_with_other_options_at_one_level_are_not_averaged_and_told():
    runs = [wrk(n, threads, 10.0 * n + threads) for n in (10, 20, 40) for threads in (2, 8)] + [wrk(20, 8, 208.0)]
    (found,) = fit_sweeps(configs("worker"), runs)
    assert [level.rates for level in found.levels] == [(102.0,), (202.0,), (402.0,)]
    assert found.notes == ("Left out at concurrency 10, 20 and 40: sent with threads 8, not threads 2.",)


def test_the_load_of_most_levels_is_the_sweeps():
    runs = [wrk(10, 8, 900.0), *(wrk(n, 2, 10.0 * n) for n in (10, 20, 40))]
    (found,) = fit_sweeps(configs("worker"), runs)
    assert [level.rates for level in found.levels] == [(100.0,), (200.0,), (400.0,)]


def test_options_that_go_with_the_level_leave_all_its_runs():
    runs = [wrk(n, min(n, 4), 10.0 * n + at) for n in (1, 2, 4, 8) for at in (0, 1)]
    (found,) = fit_sweeps(configs("worker"), runs)
    assert [len(level.rates) for level in found.levels] == [2, 2, 2, 2]
    assert not found.notes


@pytest.mark.parametrize(
    ("threads", "told"),
    [
        ((2,), ""),
        ((2, 8), " Only runs with threads 2 are compared, not those with threads 8."),
        ((4, 1, 2), " Only runs with threads 4 are compared, not those with threads 1 and threads 2."),
    ],
)
def test_a_headline_of_a_sweep_has_one_load_and_tells_the_others(threads, told):
    runs = [wrk(n, each, 10.0 * n / each) for n in (10, 20, 40) for each in threads]
    sentence = headline_of(compare(configs("worker"), runs, [])).sentence
    assert sentence.endswith(f"One run a level, which cannot show noise.{told}")
    assert f"from {100 / threads[0]:g} at 10 connections to {400 / threads[0]:g} at 40" in sentence
