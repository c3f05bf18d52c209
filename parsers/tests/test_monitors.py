"""What the monitors' figures are called as records, whatever the tool calls them, and what of them is no look at the load."""

from __future__ import annotations

import pytest

from parsers import Block, HostFacts, ProcessSample, SystemSample
from parsers.formats import vmstat

from .reading import FIXTURES, blocks, text_of


def read(kind: str, case: str) -> list[Block]:
    return [b for b in blocks(text_of(FIXTURES / kind / f"{case}.txt")) if b.kind == kind]


def samples(found: list[Block]) -> list[SystemSample]:
    return [r for b in found for r in b.records if isinstance(r, SystemSample)]


@pytest.mark.parametrize(
    ("kind", "case", "metrics"),
    [
        ("mpstat", "mpstat_01", {"cpu_us": 23.86, "cpu_sy": 45.69, "cpu_si": 22.34, "cpu_id": 8.12, "cpu_wa": 0.0}),
        ("sar", "sar_01_u", {"cpu_us": 51.23, "cpu_sy": 48.77, "cpu_id": 0.0}),
        ("sar", "sar_02_urq", {"mem_free_kb": 22164152, "mem_available_kb": 23384240, "load1": 3.98, "run_queue": 3}),
        ("sar", "sar_04_dbSW_am_pm", {"swap_used_kb": 0, "disk_vda_w_kb_per_s": 832.0, "tps": 196.0}),
        ("sar", "sar_03_net", {"net_lo_rx_kb_per_s": 191136.79, "net_eth0_tx_kb_per_s": 0.0}),
        ("iostat", "iostat_02_x", {"cpu_us": 60.7, "cpu_wa": 0.5, "disk_vda_w_kb_per_s": 3236.0, "disk_vda_util_pct": 2.8}),
        ("uptime", "uptime_01", {"load1": 3.95, "load5": 1.54, "load15": 0.63}),
        ("loadavg", "loadavg_01_loop", {"load1": 3.95, "run_queue": 6, "sched_entities": 418}),
        ("stub_status", "stub_status_01", {"active_connections": 1, "requests": 1, "writing": 1, "waiting": 0}),
        ("server_status", "server_status_01_event", {"requests": 96122, "busy_workers": 1, "idle_workers": 99, "load1": 2.1}),
        ("top_macos", "top_macos_01_doc_stats", {"cpu_us": 19.86, "cpu_id": 58.79, "mem_free_kb": 75776, "load1": 6.27}),
        ("top", "top_16_doc_procps2_comma", {"cpu_us": 16.2, "mem_total_kb": 127072, "mem_buffers_kb": 7988}),
    ],
)  # fmt: skip
def test_figures_are_named_alike(kind, case, metrics):
    first = samples(read(kind, case))[0].metrics
    assert {name: first.get(name) for name in metrics} == metrics


def test_of_the_cores_that_mpstat_lists_the_one_with_most_soft_interrupts_counts():
    head = "10:14:02     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle"
    row = "10:14:12  {:>6}   50.00    0.00   10.00    0.00    0.00  {:6.2f}    0.00    0.00    0.00   {:5.2f}"
    made = [head, row.format("all", 48.2, 0), row.format("0", 3.1, 36.9), row.format("1", 94.7, 0)]
    (found,) = samples(blocks("\n".join(["$ mpstat -P ALL 10 1", *made])))
    assert found.metrics["busiest_core_si"] == 94.7


@pytest.mark.parametrize(
    ("kind", "case", "clock"),
    [
        ("mpstat", "mpstat_03_am_pm", "17:47:09"),
        ("mpstat", "mpstat_05_japanese", "17:47:15"),
        ("sar", "sar_11_file_am_pm", "17:48:05"),
        ("iostat", "iostat_03_xt_am_pm", "17:47:21"),
        ("pidstat", "pidstat_07_am_pm", "17:47:41"),
        ("pidstat", "pidstat_06_epoch", None),
        ("server_status", "server_status_01_event", "17:47:18"),
        ("uptime", "uptime_06_doc_macos", None),
        ("top_macos", "top_macos_03_doc_terminal", "11:54:47"),
    ],
)
def test_clocks_are_of_24_hours(kind, case, clock):
    assert samples(read(kind, case))[0].clock == clock


@pytest.mark.parametrize("case", ["mpstat_04_german", "mpstat_05_japanese", "mpstat_06_french"])
def test_an_average_in_any_language_is_no_look(case):
    *looks, average = read("mpstat", case)
    assert [b.values["iteration"] for b in looks] == [1, 2]
    assert (average.values["average"], average.records) == ("all", [])


def test_the_first_of_several_reports_is_of_the_time_since_the_start():
    first, *others = read("iostat", "iostat_02_x")
    assert (first.values["average"], first.records) == ("since boot", [])
    assert all(samples([b]) for b in others)


def test_a_single_report_is_the_only_one_to_look_at():
    assert samples(read("iostat", "iostat_01"))


def test_without_it_the_first_report_is_of_the_load():
    assert len(samples(read("iostat", "iostat_09_xzy"))) == 2


def test_days_of_a_file_begin_anew_with_each_table():
    found = read("sar", "sar_10_file")
    assert [b.values.get("iteration") for b in found] == [1, 2, 3, 4, None] * 3


def test_rows_of_one_process_are_one_process():
    table = read("pidstat", "pidstat_02_urds")[0].values["processes"]
    (nginx,) = [row for row in table if row["pid"] == 24]
    assert (nginx["command"], nginx["cpu_pct"], nginx["rss_kb"]) == ("ab", 35.29, 8804)


def test_threads_are_listed_and_not_added_up():
    block = read("pidstat", "pidstat_04_threads")[0]
    assert len(block.values["processes"]) == 2 * len([r for r in block.records if isinstance(r, ProcessSample)]) == 16


def test_a_container_stands_for_its_processes():
    found = [r for r in read("docker_stats", "docker_stats_02_doc_load")[0].records if isinstance(r, ProcessSample)]
    assert [(r.group, r.pid, r.cpu_pct, r.rss_kb) for r in found] == [
        ("photoz-pgbouncer-1", 0, 1.24, 2583.552),
        ("photoz-db-1", 0, 49.92, 182169.6),
    ]


def test_facts_of_the_machine():
    facts = [r for case in ("sysstat/sysstat_01", "uname/uname_01", "nproc/nproc_01")
             for b in blocks(text_of(FIXTURES / f"{case}.txt"))[:1] for r in b.records]  # fmt: skip
    kernel = "6.18.44-fc-v657"
    assert facts == [
        HostFacts(name="web5", cores=2, kernel=kernel),
        HostFacts(name="web5", os="GNU/Linux", kernel=kernel),
        HostFacts(cores=2),
    ]


@pytest.mark.parametrize(
    ("row", "ram_kb"),
    [
        ("31812       15788        6699          55        9324       15430", 31812 * 1024),
        ("128901      115788        6699          55        9324       15430", 128901 * 1024),
        ("246120       15788        6699          55        9324       15430", 246120),
        ("1000224     115788        6699          55        9324       15430", 1000224),
    ],
)
def test_a_table_of_memory_without_its_command_is_in_the_unit_that_a_machine_can_have(row, ram_kb):
    """The first row is of a server's report; the others are made."""
    table = f"              total        used        free      shared  buff/cache   available\nMem:   {row}\n"
    (facts,) = (r for b in blocks(table) for r in b.records if isinstance(r, HostFacts))
    assert facts.ram_kb == ram_kb


def test_processors_that_were_left_out_are_not_counted():
    assert blocks("$ nproc --ignore=1\n1\n")[0].records == [HostFacts(cores=None)]


BAD = [
    ("mpstat/mpstat_01", "23.59", "23x59", "mpstat"),
    ("sar/sar_01_u", "48.76", "4&.76", "sar"),
    ("iostat/iostat_02_x", "60.70", "6o.70", "iostat"),
    ("pidstat/pidstat_01", "9.90", "9..90", "pidstat"),
]


@pytest.mark.parametrize(("case", "figure", "broken", "kind"), BAD)
def test_a_row_whose_figures_are_none_is_named(case, figure, broken, kind):
    text = text_of(FIXTURES / f"{case}.txt").replace(figure, broken, 1)
    at = next(number for number, line in enumerate(text.split("\n"), start=1) if broken in line)
    assert [(b.kind, p.line) for b in blocks(text) for p in b.problems] == [(kind, at)]


@pytest.mark.parametrize("nan", ["-nan", "nan"])
def test_what_is_no_number_is_not_known(nan):
    text = text_of(FIXTURES / "mpstat" / "mpstat_01.txt").replace("8.12", nan, 1)
    first = [b for b in blocks(text) if b.kind == "mpstat"][0]
    assert first.values["idle_pct"] is None and not first.problems
    assert "cpu_id" not in samples([first])[0].metrics


LOOKALIKES = {
    "a bare number": "2\n",
    "a number below another command": "$ wc -l access.log\n2\n",
    "a log with times": "17:47:02 starting the second run\n17:47:03 CPU is at 50 %usr\n17:47:04 done 5 5 5\n",
    "rows without their titles": "17:47:03     all   23.86    0.00   45.69    0.00    0.00   22.34    0.00    0.00    8.12\n",
    "an average in prose": "Average: 5.2 requests, 3 failed\nAverage:        CPU    was low\n",
    "prose about uptime": "At 17:48 up went the load average: 3 and more.\n",
    "versions": "1.25.3 2.4.57 3.0.11 1/2 4\n",
    "nginx in prose": "Active connections: many\nReading: 0 of the books. Writing: none.\n",
    "Linux in prose": "Linux 6.1 is a kernel\nLinux web5 is up\nDarwin was a naturalist\n",
    "a docker listing": "CONTAINER ID   IMAGE         COMMAND                  CREATED          STATUS          PORTS     NAMES\n"
    '9d53fbd0b81e   golang:1.24   "sh -c x"   14 seconds ago   Up 12 seconds   80/tcp   web\n',
    "devices": "Device             Boot Start       End  Sectors  Size\n/dev/vda1          2048 4095 2048 1M\n",
    "a mail's date": "2024-03-04 13:00:00\n\nHello,\nthe Device was slow.\n",
}  # fmt: skip


@pytest.mark.parametrize("what", LOOKALIKES)
@pytest.mark.parametrize("sign", ["", "> ", "    "])
def test_is_no_monitor(what, sign):
    assert blocks("".join(f"{sign}{line}\n" for line in LOOKALIKES[what].rstrip("\n").split("\n"))) == []


def test_hours_of_vmstat_are_blocks_that_follow_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = samples(read("vmstat", "vmstat_02_wt"))
    monkeypatch.setattr(vmstat, "MOST_ROWS", 2)
    parts = read("vmstat", "vmstat_02_wt")
    assert [(b.values["n_rows"], b.values.get("iteration")) for b in parts] == [(2, None), (2, 2), (2, 3)]
    assert len({b.command_line for b in parts}) == 1
    assert samples(parts) == whole
    assert whole[0].clock == "13:52:10"


LSCPU = """Architecture:          x86_64
CPU op-mode(s):        32-bit, 64-bit
CPU(s):                8
Thread(s) per core:    2
Model name:            Intel(R) Xeon(R) CPU E5-2620 v2 @ 2.10GHz
CPU MHz:               2100.0
L1d cache:             32K
Flags:                 fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush dts acpi mmx fxsr sse
"""


@pytest.mark.parametrize("columns", [40, 44, 48, 50, 55, 60, 64, 80, 100])
def test_lscpu_in_a_window_of_few_columns(columns):
    """Made: a window breaks its lines anywhere, also within words."""
    broken = [line[at : at + columns] for line in LSCPU.splitlines() for at in range(0, len(line), columns)]
    (block,) = blocks("\n".join([*broken, "", "E5-2620 is what we had"]))
    assert (block.values["model_name"], block.last) == ("Intel(R) Xeon(R) CPU E5-2620 v2 @ 2.10GHz", len(broken))


def test_lscpu_joins_nothing_across_a_blank_line():
    (block,) = blocks(LSCPU.partition(" @")[0] + "\n\nE5-2620 is what we had in 2012\n")
    assert block.values["model_name"] == "Intel(R) Xeon(R) CPU E5-2620 v2"


def test_somebodys_remarks_in_brackets_are_no_part_of_what_lscpu_says():
    """Real: lines of vicanso/pingap's benches."""
    told = "CPU(s):           16       (总逻辑核心数/线程数)\nModel name:       Intel(R) Core(TM) i5-13400 @ 4.60GHz (CPU型号)\n"
    (block,) = blocks(f"Architecture:     x86_64 (架构)\n{told}")
    assert block.values == {"architecture": "x86_64", "cpus": 16, "model_name": "Intel(R) Core(TM) i5-13400 @ 4.60GHz"}


def test_lines_that_a_filter_left_of_lscpu_are_read_where_its_command_or_a_second_one_stands():
    """Made."""
    printed = "CPU(s):          4\nModel name:      AMD EPYC 7763 64-Core Processor\n"
    (block,) = blocks(f"web$ lscpu | grep -E '^CPU|Model name'\n{printed}Notes: a small machine\n")
    assert (block.kind, block.last, block.values["cpus"]) == ("lscpu", 3, 4)
    assert block.values["model_name"] == "AMD EPYC 7763 64-Core Processor"
    (alone,) = blocks(f"{printed}Notes: a small machine\n")
    assert (alone.last, alone.values["cpus"]) == (2, 4)
    alike = ("CPU(s): 4\nNotes: a small machine\n", "web$ lscpu | grep -c core\n0\nNotes: a small machine\n")
    assert [blocks(text) for text in alike] == [[], []]


def test_signs_that_are_odd_only_beside_others():
    """Made: a colour whose escape character is lost, in a table with a name that is not ASCII."""
    (block,) = blocks(
        "USER       PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n"
        "ro[31mot     1  0.0  0.1 167332 11528 ?        Ss   10:00   0:01 /sbin/init\n"
        "jürgen       2  0.0  0.0    100    50 ?        S    10:00   0:00 bash\n"
    )
    assert [row["user"] for row in block.values["processes"]] == ["ro[31mot", "jürgen"]
    assert block.values["sum_rss_kb"] == 11578


def test_a_header_of_top_that_names_columns_twice():
    text = text_of(FIXTURES / "top" / "top_01_n1.txt")
    header = next(line for line in text.split("\n") if "PID" in line)
    (block,) = blocks(text.replace(header, header.replace("SHR", "RES").replace("VIRT", "RES")))
    (whole,) = blocks(text)
    rows, whole_rows = block.values["processes"], whole.values["processes"]
    assert [row["res_kb"] for row in rows] == [row["virt_kb"] for row in whole_rows]
    assert len(block.records) == len(whole.records)


def test_a_screen_of_top_says_how_many_processes_it_leaves_out():
    system, *processes = read("top", "top_11_head")[0].records
    assert system.metrics["tasks_unlisted"] == system.metrics["tasks_total"] - len(processes) > 0


def test_another_output_right_below_the_longest_row_of_a_screen_is_no_rest_of_its_command():
    head = "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND"
    row = "{:>7} root      20   0    2500   1488   1392 S   0.0   0.0   0:00.00 {}"
    channels = ["1 WCHAN                    COMMAND", "3 do_epoll_wait            nginx: worker process"]
    lines = [head, row.format(412, "sleep"), row.format(636, "kworker/u8:3-kvfree_rcu_reclaim"), *channels]
    assert [(block.kind, block.first, block.last) for block in blocks("\n".join([*lines, ""]))] == [
        ("top", 1, 3),
        ("wait_channels", 4, 5),
    ]


def test_a_column_called_time_is_not_the_time_of_its_rows():
    """Found by make fuzz: mpstat with "Time" as a title, which stopped the whole text from being related."""
    titles = ("CPU", "%usr", "%nice", "%sys", "%iowait", "%irq", "%soft", "%steal", "%guest", "%gnice", "Time")
    figures = ("all", "23.86", "0.00", "49.24", "0.00", "0.00", "18.27", "0.00", "0.00", "0.00", "8.63")
    rows = [f"17:47:0{at}{''.join(f'{word:>8}' for word in row)}\n" for at, row in enumerate((titles, figures), 5)]
    (block,) = blocks(rows)
    assert block.kind == "mpstat" and block.values["time"] == "17:47:06"


@pytest.mark.parametrize(
    "row",
    [
        pytest.param("?                        sleep 1", id="a process that ended meanwhile"),
        pytest.param("-                        ", id="a process with a blank title"),
    ],
)
def test_no_process_ends_the_list_of_wait_channels(row):
    rows = ["1 WCHAN                    COMMAND", f"3 {row}", "2 do_epoll_wait            nginx: worker process"]
    channels, sockets = blocks("".join(f"      {row}\n" for row in [*rows, "5 ESTAB 0 0", "1 State Recv-Q Send-Q"]))
    assert (channels.lines, sockets.lines) == ((1, 3), (4, 5))
    assert [row["n"] for row in channels.values["rows"]] == [1, 3, 2]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        (
            "MaxRequestWorkers",
            "[mpm_event:error] [pid 9:tid 8] AH00484: server reached MaxRequestWorkers setting, consider raising",
        ),
        (
            "pm.max_children",
            "[26-Nov-2026 11:02:31] WARNING: [pool www] server reached pm.max_children setting (5), consider raising it",
        ),
        (
            "worker_connections",
            "2026/11/26 11:02:31 [alert] 9#9: *4 512 worker_connections are not enough while connecting to upstream",
        ),
        ("open_files", "2026/11/26 11:02:31 [crit] 9#9: accept4() failed (24: Too many open files)"),
        ("listen_queue", '*** uWSGI listen queue of socket ":8000" (fd: 3) full !!! (101/100) ***'),
        (
            "listen_queue",
            "Nov 26 11:02:31 web1 kernel: TCP: request_sock_TCP: Possible SYN flooding on port 80. Sending cookies.",
        ),
        ("nf_conntrack", "[ 6051.114] nf_conntrack: nf_conntrack: table full, dropping packet"),
        ("memory", "[ 6051.114] Out of memory: Killed process 812 (php-fpm8.2) total-vm:400000kB, anon-rss:90000kB"),
    ],
)
def test_a_log_tells_which_limit_was_reached(name, line):
    """Made by the message in the program's source, with a line around it that tells nothing."""
    [log] = blocks(
        f"[26-Nov-2026 11:02:10] NOTICE: ready to handle connections\n{line}\n[notice] signal process started\n"
    )
    assert (log.kind, log.lines, log.values) == ("limit_log", (2, 2), {"reached": {name: 1}})
    assert blocks(f"We then saw that {line.split('] ')[-1][:40]} and raised it.\n") == []


def test_a_share_of_the_processor_is_read_from_a_column_called_cpu():
    """The rows are of a router with FreeBSD, by `top -CPz -o cpu -n`."""
    text = (
        "  PID USERNAME  THR PRI NICE   SIZE    RES STATE   C   TIME     CPU COMMAND\n"
        "35582 root        7  20    0   696M   593M uwait   1   8:21   2.78% suricata\n"
        "35368 root        1  20    0   134M 99440K nanslp  0  14:56   0.00% barnyard2\n"
    )
    (block,) = blocks(text)
    assert [(r.cpu_pct, r.rss_kb) for r in block.records if isinstance(r, ProcessSample)] == [
        (2.78, 593 * 1024),
        (0.0, 99440),
    ]


def test_an_old_processor_that_is_not_counted_has_its_name():
    """Printed by a camera."""
    text = """Processor       : ARM926EJ-S rev 5 (v5l)
BogoMIPS        : 119.60
Features        : swp half thumb fastmult edsp java
CPU implementer : 0x41
CPU architecture: 5TEJ

Hardware        : W55FA93
"""
    (block,) = blocks(text)
    assert block.records == [HostFacts(cpu_model="ARM926EJ-S rev 5 (v5l)")]


def test_threads_that_have_their_processs_pid_are_one_process():
    """The rows are of an appliance with FreeBSD."""
    text = (
        "  PID USERNAME  PRI NICE   SIZE    RES STATE   C   TIME    WCPU COMMAND\n"
        "38246 root       20    0 82280K 65012K select  0   0:53   0.26% mastools{PROXY-LS-RCV0}\n"
        "38246 root       20    0 82280K 65012K select  0   0:53   0.25% mastools{PROXY-VD-RCV0}\n"
        "37854 root       20    0 39404K 33124K kqread  0   1:44   0.05% nsnetsvc\n"
    )
    (block,) = blocks(text)
    found = [(r.group, r.cpu_pct, r.rss_kb) for r in block.records if isinstance(r, ProcessSample)]
    assert found == [("mastools", 0.51, 65012), ("nsnetsvc", 0.05, 33124)]
    assert block.values["sum_res_kb"] == 65012 + 33124


def test_free_below_its_command_is_read_by_place_in_any_language():
    titles = "               razem       użyte       wolne    dzielone      bufory     w cache    dostępne"
    rows = "Pamięć: 24684100 1528196 21667732 69396 42692 1813348 23155904\nZapas: 0 0 0"
    (block,) = blocks(f"$ free -w\n{titles}\n{rows}\n")
    assert block.kind == "free"
    assert (block.values["mem_buffers_kb"], block.values["mem_cache_kb"]) == (42692, 1813348)
    assert (block.values["mem_available_kb"], block.values["swap_total_kb"]) == (23155904, 0)


TRANSLATED_VMSTAT = """\
$ vmstat -t 1 2
proc. -----------pamięć---------- ---swap-- ---we/wy--- -system-- ------cpu-------------czas--------
dz bl   swap  wolna  bufor  cache   si   so    bi    bo   in   cs uż sy be io sk                 UTC
 2  0      0 21063828  39192 2121008    0    0  2635  3628  461 1253 24  6 70  0  0 2026-11-27 07:21:26
 2  0      0 21063828  39192 2121008    0    0     0   256  465  492 50  2 48  0  0 2026-11-27 07:21:27
$ vmstat -a
procs -----------minne----------- -växling- -----io---- -system-- ------cpu-----
 k  b  växl  fritt  inakt aktivt   vi   vu    bi    bu  avb ktxb an sy ia vä st
 4  0      0 20552608 2924380 738780    0    0  2563  3342  474 1339 29  6 64  0  0
"""


def test_translated_columns_of_vmstat_are_told_by_their_places():
    stamped, active = blocks(TRANSLATED_VMSTAT)
    assert (stamped.first, stamped.last, active.first, active.last) == (2, 5, 7, 9)
    assert stamped.values["rows"][1].items() >= {"buff_kb": 39192, "us": 50, "timestamp": "2026-11-27 07:21:27"}.items()
    assert active.values["rows"][0].items() >= {"inact_kb": 2924380, "active_kb": 738780, "id": 64}.items()
