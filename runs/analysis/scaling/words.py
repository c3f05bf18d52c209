"""What a sweep and its fitted law say, in sentences."""

from __future__ import annotations

from dataclasses import dataclass

from runs.analysis.numbers import figure

from .law import LEAST_LEVELS, Fit, Interval
from .profile import LACK_OF_FIT
from .sweeps import Found, level_of

# Residual standard error as a share of the mean rate: how near the law comes to what was measured.
CLOSE, ROUGH = 0.05, 0.15
# A peak whose interval spans more than this is not named: nobody could act on it.
WIDEST = 4.0


def sentence(sweep: Found, fit: Fit | None) -> str:
    """How many levels are missing, or where the peak is."""
    if fit is None:
        return _missing(sweep)
    if _off(sweep, fit) >= ROUGH:
        return f"{sweep.name}: {_quality(sweep, fit)} No peak is read off it."
    return f"{sweep.name}: {_peak(sweep, fit)} {_quality(sweep, fit)}"


def details(fit: Fit) -> tuple[str, ...]:
    """λ, σ and κ with their intervals."""
    return (
        f"λ {_told(fit.rate_one, fit.rate_one_interval, ' requests/s for one client alone')}",
        f"σ {_told(fit.contention, fit.contention_interval, ', the share of work that waits in line (contention)')}",
        f"κ {_told(fit.coherency, fit.coherency_interval, ', the cost of keeping each other informed (coherency)')}",
    )


def notes(sweep: Found) -> tuple[str, ...]:
    found = [f"Left out at concurrency {level_of(run)}: {why.rstrip('.')}." for run, why in sweep.left_out]
    if len(sweep.configs) > 1:
        found.append(
            "Each level is a config of its own; they count as one since their names differ in that number only."
        )
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Knee:
    """Where req/s peaks: clients at once, and between which numbers of them with 95 %."""

    at: float
    low: float
    high: float


def knee(sweep: Found, fit: Fit | None) -> Knee | None:
    """A peak within what was measured, where its interval is narrow enough to be of use."""
    if fit is None or fit.peak_at is None or fit.peak_interval.high is None:
        return None
    if _too_wide(fit.peak_interval) or _off(sweep, fit) >= ROUGH:
        return None
    within = sweep.levels[0].n <= fit.peak_at <= sweep.levels[-1].n
    return Knee(fit.peak_at, fit.peak_interval.low, fit.peak_interval.high) if within else None


def _too_wide(interval: Interval) -> bool:
    return interval.high is None or interval.high > WIDEST * max(interval.low, 1.0)


def _missing(sweep: Found) -> str:
    levels = [str(level.n) for level in sweep.levels]
    lack = LEAST_LEVELS - len(levels)
    if lack <= 0:
        return f"{sweep.name}: no scaling law fits these {len(levels)} levels of concurrency."
    have = " and ".join(part for part in (", ".join(levels[:-1]), *levels[-1:]) if part) or "none"
    plural = "level" if len(levels) == 1 else "levels"
    are = "1 more is" if lack == 1 else f"{lack} more are"
    return (
        f"{sweep.name}: {len(levels)} {plural} of concurrency that count ({have}); a scaling law takes at least "
        f"{LEAST_LEVELS}, {are} missing."
    )


def _peak(sweep: Found, fit: Fit) -> str:
    least, most = sweep.levels[0].n, sweep.levels[-1].n
    interval = fit.peak_interval
    if fit.peak_at is None or interval.high is None:
        return _no_peak(fit, most)
    if fit.peak_at < least:
        return f"req/s falls from the lowest level measured on ({least} clients): the peak lies below it."
    span = f"95 % interval {_clients(interval.low)} to {_clients(interval.high)}"
    if _too_wide(interval):
        return f"req/s has a peak, but where is uncertain ({span} clients)."
    place = f"at {_clients(fit.peak_at)} clients ({span}), with {figure(fit.peak_rate)} requests/s"
    if fit.peak_at > most:
        return f"no peak up to the {most} clients measured; drawn out, the law puts it {place}."
    return f"req/s peaks {place}."


def _no_peak(fit: Fit, most: int) -> str:
    if fit.peak_interval.low > most:
        more = f" If there is one, it lies above {_clients(fit.peak_interval.low)} clients."
        return f"no peak within what was measured (up to {most} clients)." + more
    return f"whether req/s has a peak cannot be told from these levels (up to {most} clients)."


def _quality(sweep: Found, fit: Fit) -> str:
    share = _off(sweep, fit)
    word = "closely" if share < CLOSE else "roughly" if share < ROUGH else "badly"
    off = f"off by {share:.1%}".replace("%", " %")
    fitted = f"The law describes the {len(sweep.levels)} levels {word} (R² {_r_squared(fit)}, {off})."
    if fit.lack_of_fit is not None and fit.lack_of_fit < LACK_OF_FIT:
        return fitted + " It misses the means by more than repeats vary, so the intervals rest on its own misses."
    return fitted


def _off(sweep: Found, fit: Fit) -> float:
    """The residual standard error as a share of the mean rate."""
    rates = [rate for level in sweep.levels for rate in level.rates]
    return fit.residual * len(rates) / sum(rates)


def _r_squared(fit: Fit) -> str:
    return "–" if fit.r_squared is None else f"{min(fit.r_squared, 0.9999):.4f}".rstrip("0").rstrip(".")


def _told(value: float, interval: Interval | None, what: str) -> str:
    if interval is None or interval.high is None:
        return f"{figure(value)}{what}"
    return f"{_short(value)} ({_short(interval.low)} to {_short(interval.high)}){what}"


def _short(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1 else figure(value)


def _clients(value: float) -> str:
    return f"{value:.0f}" if value < 10_000 else f"{value:.2g}"
