"""The comparison table."""

from __future__ import annotations

import csv
import io

from runs.analysis import export
from runs.analysis.facts import ProcessFact
from runs.analysis.judgement import judge
from runs.analysis.table import compare
from runs.selectors.comparison_data import ComparisonData
from runs.tests.analysis.facts import capture, configs, httpd, run


def wsgi():
    runs = [run(1, 617.01), run(1, 878.81, repeat=2), run(2, 722.23), run(2, 887.55, repeat=2)]
    return compare(configs("without", "with"), runs, [])


def mpm():
    failed = {"complete_requests": 1_000_000, "values": {"failed_length": 172849}}
    runs = [
        run(1, 17160.13, failed_requests=0, percentiles_ms={"50": 35, "100": 4612}, max_ms=4612),
        run(2, 11064.69, failed_requests=0, percentiles_ms={"50": 90, "100": 105}, max_ms=105),
        run(3, 29219.55, failed_requests=172849, keepalive=True, **failed),
    ]
    return compare(configs("event", "worker", "event -k"), runs, [])


def test_a_cell_holds_the_mean_and_every_value_with_its_line():
    cell = wsgi().row("requests_per_second").cells[0]
    assert cell.mean == (617.01 + 878.81) / 2
    assert cell.n == 2
    assert [figure.value for figure in cell.figures] == [617.01, 878.81]
    assert all(figure.source.startswith("/uploads/1/#L") for figure in cell.figures)


def test_a_value_leads_to_its_own_line_and_a_requested_concurrency_not_to_a_measured_one():
    lines = {"transfer_rate_kbytes_per_s": 31, "concurrency": 22, "failed_length": 26, "availability_pct": 7}
    values = {"transfer_rate_kbytes_per_s": 2763.86, "failed_length": 3, "availability_pct": 99.0}
    table = compare(configs("a"), [run(1, 280.44, concurrency=10, values=values, figure_lines=lines)], [])
    found = {row.key: row.cells[0].figures[0].line for row in table.rows}
    assert (found["transfer_rate"], found["concurrency"], found["failed_length"]) == (31, 22, 26)
    siege = {"concurrency": 16.7, "users": 20, "availability_pct": 99.0}
    table = compare(configs("a"), [run(1, 9.0, tool="siege", values=siege, figure_lines=lines | {"users": 3})], [])
    found = {row.key: row.cells[0].figures[0].line for row in table.rows}
    assert (found["concurrency"], found["measured_concurrency"], found["availability_pct"]) == (3, 22, 7)


def test_deltas_stand_against_the_first_config():
    cells = mpm().row("requests_per_second").cells
    assert [str(cell.delta or "") for cell in cells] == ["", "▼ 36 % fewer", "▲ 70 % more"]


def test_what_a_tool_did_not_print_is_an_empty_cell_and_not_nought():
    cell = mpm().row("p50_ms").cells[2]
    assert (cell.n, cell.mean, cell.delta) == (0, None, None)


def test_rows_without_any_value_and_groups_without_rows_are_left_out():
    names = [group.name for group in wsgi().groups]
    assert names == ["Load"]


def test_parts_of_failures_show_only_where_there_are_some():
    assert mpm().row("failed_length").cells[2].mean == 172849
    zero = compare(configs("a"), [run(1, 1.0, failed_requests=0, values={"failed_length": 0})], [])
    assert zero.row("failed_length") is None
    assert zero.row("failed_requests").cells[0].mean == 0


def test_monitors_give_memory_and_cpu_rows_by_phase_and_program():
    old_top = {"mem_total_kb": 774616, "mem_free_kb": 9744, "mem_buffers_kb": 102576, "mem_cached_kb": 431428}
    captures = [
        capture(1, metrics=old_top | {"cpu_us": 70.0}, processes=httpd(13, 14)),
        capture(2, processes=httpd(12, 12)),
    ]
    made = compare(configs("a", "b"), [run(1, 1.0), run(2, 2.0)], captures)
    labels = [row.label for group in made.groups for row in group.rows]
    assert "httpd: all together, during" in labels
    assert made.row("mem_obtainable_during").cells[0].mean == (9744 + 102576 + 431428) / 1024
    assert made.row("httpd:_all_together_during").cells[0].mean == 27
    assert made.row("httpd:_each,_mean_during").cells[1].mean == 12
    assert made.row("cpu_us_during").cells[0].mean == 70.0


def test_the_programs_that_answered_have_the_first_rows_however_small_they_are():
    sizes = {"chrome": 900, "gnome-shell": 400, "code": 300, "slack": 200, "nginx": 3}
    listed = [ProcessFact(pid, name, name, size * 1024.0) for pid, (name, size) in enumerate(sizes.items(), start=1)]
    served = [run(1, 1.0, server_software="nginx/1.22.1")]
    rows = {
        bool(runs): [
            row.label
            for group in compare(configs("a"), runs, [capture(1, processes=listed)]).groups
            for row in group.rows
        ]
        for runs in (served, [])
    }
    every = [label for label in rows[True] if label.endswith(": all together, during")]
    assert every[:2] == ["nginx: all together, during", "chrome: all together, during"]
    assert not any(label.startswith("nginx") for label in rows[False])


def test_a_screen_that_lists_some_processes_is_not_summed_beside_whole_lists():
    cut = capture(1, metrics={"tasks_total": 150, "tasks_unlisted": 148}, processes=httpd(10, 10))
    whole = capture(1, "before", processes=httpd(10, 10, 10))
    made = compare(configs("a"), [run(1, 1.0)], [whole, cut])
    assert made.row("httpd:_all_together_before").cells[0].mean == 30
    assert made.row("httpd:_all_together_during") is None and made.row("httpd:_processes_during") is None
    assert made.row("httpd:_each,_mean_during").cells[0].mean == 10


def test_available_memory_falls_back_to_free_and_inactive():
    captures = [capture(1, "before", tool="meminfo", metrics={"mem_free_kb": 469848, "mem_inactive_kb": 244512})]
    made = compare(configs("a"), [run(1, 3.07)], captures)
    assert made.row("mem_obtainable_before").cells[0].mean == (469848 + 244512) / 1024


def test_a_full_screen_goes_before_a_quoted_row_of_the_same_config():
    captures = [
        capture(1, processes=httpd(13), partial=True),
        capture(1, processes=httpd(13, 14)),
        capture(2, processes=httpd(9)),
    ]
    made = compare(configs("a", "b"), [], captures)
    assert [cell.n for cell in made.row("httpd:_processes_during").cells] == [1, 1]
    assert made.row("httpd:_processes_during").cells[0].mean == 2


def test_processes_of_a_long_monitor_are_those_at_a_time_and_the_most_is_told_where_it_is_another():
    sums = {"httpd": {"processes": [33.1, 47], "rss_kb": [150 * 1024, 173 * 1024], "cpu_pct": [60, 90]}}
    long = capture(1, processes=httpd(*[3.7] * 299), n=3600, programs=sums)
    made = compare(configs("a"), [], [long])
    rows = {row.key.partition(":_")[2]: row.cells[0].mean for row in made.groups[-1].rows}
    assert rows["all_together_during"] == 150
    assert rows["all_together,_most_during"] == 173
    assert (rows["processes_during"], rows["processes,_most_during"]) == (33.1, 47)
    assert round(rows["each,_mean_during"], 2) == round(150 / 33.1, 2)


def test_a_capture_beside_a_run_goes_to_the_column_of_that_run():
    runs = [run(1, 1.0, concurrency=50), run(1, 2.0, concurrency=100)]
    captures = [capture(1, run=runs[1].id, metrics={"cpu_us": 5.0})]
    made = compare(configs("a"), runs, captures)
    assert [cell.n for cell in made.row("cpu_us_during").cells] == [0, 1]


def test_what_was_watched_beside_a_warm_up_is_in_no_row():
    warm, counted = run(1, 300.0, repeat=0, counted=False), run(1, 1000.0)
    captures = [capture(1, run=one, metrics={"cpu_us": cpu}) for one, cpu in ((warm.id, 9.0), (counted.id, 70.0))]
    data = ComparisonData(configs("a"), [warm, counted], captures, [], [])
    made = compare(data.configs, data.runs, data.counted_captures)
    assert made.row("cpu_us_during").cells[0].mean == 70.0
    assert made.row("requests_per_second").cells[0].mean == 1000.0


def test_the_flat_table_has_exact_figures_and_keys_that_differ():
    made = compare(configs("a", "a"), [run(1, 617.01), run(2, 878.81)], [])
    flat = export.make_comparison_sheet("t", made, judge(made))
    assert flat.heads[:6] == ("metric", "unit", "a", "a: n", "a (2)", "a (2): n")
    assert len(set(flat.heads)) == len(flat.heads)
    assert flat.records()[0]["a"] == 617.01
    assert flat.records()[0]["a (2): verdict"] == "undecided"


def test_csv_makes_formulas_harmless_and_leaves_numbers_alone():
    text = export.as_csv(export.FlatTable("t", ("a", "b"), (("=1+1", -5), ("@x", 1.5), ("+x", None), ("-x", True))))
    rows = list(csv.reader(io.StringIO(text)))
    assert [row[0] for row in rows[1:]] == ["'=1+1", "'@x", "'+x", "'-x"]
    assert rows[1][1] == "-5"
