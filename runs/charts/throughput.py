"""Which config serves more? Horizontal bars from zero for the means, every repeat a dot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runs.charts import Figure, axis, color, layout, plain, short, symbol


@dataclass(frozen=True, slots=True)
class Bar:
    """One config's requests per second: each repeat's value, with words for the hover box.

    `interval`: the bounds of the mean's 95 % interval, where there are repeats enough for one. `counted` False: a doubt
    keeps all of it out of verdicts, which the bar must not hide.
    """

    name: str
    place: int
    values: tuple[float, ...]
    hovers: tuple[str, ...] = ()
    delta: str = ""
    interval: tuple[float, float] | None = None
    counted: bool = True

    @property
    def mean(self) -> float:
        return sum(self.values) / len(self.values) if self.values else 0.0


def figure(bars: Sequence[Bar]) -> Figure:
    """One bar a config in the order given, the first on top."""
    height = 60 + 34 * max(len(bars), 2)
    labels = [short(bar.name) for bar in bars]
    return {
        "data": [_means(bars), *(_dots(at, bar) for at, bar in enumerate(bars) if bar.values)],
        "layout": layout(
            height,
            margin={"l": 8, "r": 24, "t": 8, "b": 40},
            bargap=0.3,
            xaxis=axis("requests per second", rangemode="tozero"),
            yaxis=axis(
                autorange="reversed",
                tickmode="array",
                tickvals=list(range(len(bars))),
                ticktext=labels,
                showgrid=False,
                zeroline=False,
            ),
        ),
    }


def _means(bars: Sequence[Bar]) -> Figure:
    return {
        "type": "bar",
        "orientation": "h",
        "y": list(range(len(bars))),
        "x": [bar.mean for bar in bars],
        "marker": {
            "color": [color(bar.place) for bar in bars],
            "opacity": 0.55,
            "pattern": {"shape": ["" if bar.counted else "/" for bar in bars]},
        },
        "text": ["" if bar.counted else "not counted" for bar in bars],
        "textposition": "auto",
        "insidetextanchor": "start",
        "textfont": {"color": "--ink"},
        "width": 0.62,
        "error_x": _whiskers(bars),
        "hovertext": [_hover(bar) for bar in bars],
        "hoverinfo": "text",
    }


def _whiskers(bars: Sequence[Bar]) -> Figure:
    """The intervals, cut at nought and where they would press the bars flat."""
    most = 1.5 * max((value for bar in bars for value in bar.values), default=0.0)
    ends = [bar.interval or (bar.mean, bar.mean) for bar in bars]
    return {
        "type": "data",
        "symmetric": False,
        "array": [max(min(high, most) - bar.mean, 0.0) for bar, (_, high) in zip(bars, ends, strict=True)],
        "arrayminus": [max(bar.mean - max(low, 0.0), 0.0) for bar, (low, _) in zip(bars, ends, strict=True)],
        "visible": any(bar.interval for bar in bars),
        "color": "--ink",
        "thickness": 1.5,
        "width": 5,
    }


def _dots(at: int, bar: Bar) -> Figure:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": list(bar.values),
        "y": [at] * len(bar.values),
        "marker": {
            "color": color(bar.place),
            "symbol": symbol(bar.place),
            "size": 10,
            "line": {"color": "--box", "width": 1.5},
        },
        "hovertext": list(bar.hovers) or None,
        "hoverinfo": "text" if bar.hovers else "x",
    }


def _hover(bar: Bar) -> str:
    lines = [f"<b>{bar.name}</b>", f"{plain(bar.mean)} requests per second, n={len(bar.values)}", bar.delta]
    lines.append("" if bar.counted else "not counted, see the doubts")
    return "<br>".join(line for line in lines if line)
