"""What differs between hosts and configs, and what is the same in all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runs.analysis.columns import Column
from runs.analysis.numbers import figure


@dataclass(frozen=True, slots=True)
class Difference:
    """One property whose values are not the same in all columns; "" where a column does not tell."""

    name: str
    values: tuple[str, ...]


def settle(
    names: Sequence[str], columns: Sequence[Mapping[str, str]]
) -> tuple[list[Difference], list[tuple[str, str]]]:
    """(properties that differ, [(name, value)] of those that are the same wherever they are told)."""
    differ, same = [], []
    for name in names:
        values = tuple(column.get(name, "") for column in columns)
        told = {value for value in values if value}
        if len(told) > 1:
            differ.append(Difference(name, values))
        elif told:
            same.append((name, told.pop()))
    return differ, same


def of_columns(columns: Sequence[Column]) -> tuple[list[Difference], list[tuple[str, str]]]:
    """What the runs of each column tell of their method and server."""
    names = ["Host", "Server", "Tool", "Command", "Path", "Concurrency", "Keep-alive"]
    return settle(names, [_properties(column) for column in columns])


def _properties(column: Column) -> dict[str, str]:
    how = column.method
    told = {
        "Host": [run.host for run in column.runs],
        "Server": [run.server_software for run in column.runs],
        "Tool": [run.tool for run in column.runs],
        "Command": [run.command for run in column.runs],
        "Path": [how.path or ""],
        "Concurrency": [str(how.concurrency or "")],
        "Keep-alive": ["" if how.keepalive is None else "on" if how.keepalive else "off"],
    }
    return {name: ", ".join(dict.fromkeys(value for value in values if value)) for name, values in told.items()}


def of_hosts(hosts: Sequence[Mapping[str, object]]) -> tuple[list[Difference], list[tuple[str, str]]]:
    """`hosts` map the columns of a stored host; sizes are given in MiB."""
    names = {"name": "Name", "cpu_model": "CPU", "cores": "Cores", "mhz": "MHz", "ram_kb": "Memory", "swap_kb": "Swap"}
    names |= {"os": "System", "kernel": "Kernel"}
    return settle(
        list(names.values()), [{names[key]: _host_property(key, host.get(key)) for key in names} for host in hosts]
    )


def _host_property(key: str, value: object) -> str:
    if value in (None, ""):
        return ""
    if key.endswith("_kb") and isinstance(value, int):
        return f"{figure(value / 1024)} MiB"
    return figure(value) if isinstance(value, (int, float)) else str(value)
