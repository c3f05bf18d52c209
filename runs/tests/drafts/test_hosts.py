"""Which machine a text was taken on: by its memory, its prompts and the name that was loaded."""

from __future__ import annotations

import pytest

from runs import ingest
from runs.drafts.hosts import Servers

from .documents import expand, read


def hosts(*lines: str) -> list[str]:
    return [host.name for host in read(expand("\n".join(lines)))[1].hosts]


def test_the_prompt_names_the_machine_that_loads_itself():
    assert hosts("root@web1:~# ab -n 500 -c 10 http://localhost/page.html", "@ab 1.5") == ["web1"]


def test_a_generators_prompt_does_not_name_the_server():
    assert hosts("eva@client:~$ ab -n 500 -c 10 http://shop/page.html", "@ab 1.5 host=shop") == ["shop"]


def test_uname_names_the_machine_that_no_prompt_names():
    uname = "Linux web5 6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 (2024-02-01) x86_64 GNU/Linux"
    _, draft = read(expand(f"{uname}\n\n@meminfo 2041212\n\nnginx\n\n@ab 1.5"))
    assert [(host.name, host.kernel, host.ram_kb) for host in draft.hosts] == [("web5", "6.1.0-18-amd64", 2041212)]


def test_a_distribution_says_more_than_uname():
    uname = "Linux web5 6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 (2024-02-01) x86_64 GNU/Linux"
    _, draft = read(expand(f'{uname}\n\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\n\nnginx\n\n@ab 1.5'))
    assert [(host.name, host.os) for host in draft.hosts] == [("web5", "Debian GNU/Linux 12 (bookworm)")]


def test_a_name_with_its_domain_is_the_prompts_own():
    uname = "Linux web5.example.org 6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 (2024-02-01) x86_64 GNU/Linux"
    assert len(hosts("root@web5:~# uname -a", uname, "", "root@web5:~# ab -n 9 http://localhost/", "@ab 1.5")) == 1


def test_the_line_above_a_monitors_rows_names_the_machine():
    banner = "Linux 6.1.0-18-amd64 (web5) \t03/04/24 \t_x86_64_\t(2 CPU)"
    _, draft = read(expand(f"{banner}\n\nnginx\n\n@ab 1.5"))
    assert [(host.name, host.cores) for host in draft.hosts] == [("web5", 2)]


@pytest.mark.parametrize(
    ("told", "hosts"),
    [
        (
            "Server A has 4 cores and 8GB, Server B has 8 cores and 32GB.",
            [("server A", 4, 8 << 20), ("server B", 8, 32 << 20)],
        ),
        ("Server A (4 vCPU, 500 GB disk) and server B: 8 vCPU.", [("server A", 4, None), ("server B", 8, None)]),
        ("Only server B has 8 cores, server A is another one.", []),  # not "weba" of both
    ],
)
def test_sentences_tell_what_the_machines_have_that_name_the_configs(told, hosts):
    text = f"I have php on two servers. {told} I get\n\n@ab 700.5 host=weba\n\nand on server B\n\n@ab 900.5 host=webb\n"
    _, draft = read(expand(text))
    assert [config.name for config in draft.experiments[0].configs] == ["server A", "server B"]
    assert [(host.name, host.cores, host.ram_kb) for host in draft.hosts] == hosts
    if len(hosts) > 1:
        assert [run.host for run in draft.experiments[0].runs] == [host.key for host in draft.hosts]


def test_an_address_is_no_name():
    assert hosts("@ab 1.5 host=192.0.2.7") == []


def test_the_server_comes_first_though_the_generator_was_looked_at_more_often():
    looks = [line for n in range(3) for line in ("eva@client:~$ top -b -n 1", f"@top 1.10 13:0{n}:00 mib=7950.1")]
    load = ["eva@client:~$ ab -n 500 -c 10 http://web1/page.html", "@ab 1.5 host=web1"]
    assert hosts(*looks, *load, "root@web1:~# top -b -n 1", "@top 3.10 13:10:00") == ["web1", "client"]


def test_memory_without_its_total_tells_of_no_machine():
    assert hosts("@egrep 4000 300", "nginx", "@ab 1.5") == []


def test_data_sheets_of_one_machine_are_put_together():
    _, draft = read(
        expand("@cpuinfo Xeon\n\n@meminfo 2041212\n\nroot@web1:~# top -b -n 1\n@top 1.10 13:00:00 mib=1993.4")
    )
    assert [(host.name, host.cpu_model, host.ram_kb) for host in draft.hosts] == [("web1", "Xeon", 2041212)]


def test_two_machines_looked_at_in_turn_are_one_experiment():
    a, b = "@meminfo 512004", "@meminfo 8174304"
    text = "\n\n".join([a, "one", "@ab 1.5", b, "two", "@ab 2.5", a.replace("512004", "512008"), "three", "@ab 3.5"])
    assert len(read(expand(text))[1].experiments) == 1


AB = "$ ab -n 500 -c 10 http://localhost/page.html\n@ab {rate}\n\n"


def loaded(text: str) -> list[str]:
    """The host of each run."""
    _, draft = read(expand(text))
    names = {host.key: host.name for host in draft.hosts}
    return [names.get(run.host or experiment.host, "") for experiment in draft.experiments for run in experiment.runs]


@pytest.mark.parametrize("heading", ["# nginx on {}", "## nginx", "### laptop"])
def test_a_run_has_the_host_that_its_section_shows(heading):
    runs = AB.format(rate=51.1) + AB.format(rate=52.1)
    text = (
        f"{heading.format('old')}\n@cpuinfo 'Old CPU'\n\n{runs}{heading.format('new')}\n@cpuinfo 'New CPU'\n\n"
        + runs.replace("5", "9")
    )
    assert loaded(text) == ["Old CPU", "Old CPU", "New CPU", "New CPU"]


def test_a_run_has_the_host_of_its_prompt():
    text = AB.format(rate=51.1).replace("$", "eva@old:~$") + AB.format(rate=91.1).replace("$", "eva@new:~$")
    assert loaded(text) == ["old", "new"]


def test_two_machines_above_all_runs_are_server_and_generator():
    text = (
        "# Server\n@cpuinfo 'Old CPU'\n\n# Client\n@cpuinfo 'New CPU'\n\n# nginx\n"
        + AB.format(rate=51.1)
        + "# apache\n"
    )
    assert loaded(text + AB.format(rate=91.1)) == ["Old CPU", "Old CPU"]


def test_one_heading_on_two_machines_is_two_configs():
    text = (
        "## laptop\n@cpuinfo 'Old CPU'\n\n"
        + AB.format(rate=51.1)
        + "## server\n@cpuinfo 'New CPU'\n\n"
        + AB.format(rate=91.1)
    )
    assert [c.name for c in read(expand(text))[1].experiments[0].configs] == ["laptop", "server"]


def test_a_later_machine_is_not_that_of_an_earlier_section():
    runs = AB.format(rate=51.1) + AB.format(rate=52.1)
    prompted = AB.format(rate=91.1).replace("$", "root@web2:~#")
    for later in (prompted, "root@web2:~# lscpu\n@cpuinfo 'EPYC'\n\n" + AB.format(rate=91.1)):
        assert loaded(f"# Laptop\n\n{runs}# Server\n\n{later}") == ["", "", "web2"]
        assert loaded(f"On the laptop\n\n{runs}On the big one\n\n{later}") == ["", "", "web2"]


def test_a_run_without_a_host_has_that_of_its_section():
    run, old, new = AB.format(rate=51.1), "eva@old:~$", "eva@new:~$"
    first, second = (run.replace("51", rate) for rate in ("91", "92"))
    text = f"# Old\n\n{run.replace('$', old)}{run.replace('51', '52')}# New\n\n{first.replace('$', new)}{second}"
    assert loaded(text) == ["old", "old", "new", "new"]
    _, draft = read(expand(text))
    assert [config.name for config in draft.experiments[0].configs] == ["Old", "New"]


@pytest.mark.parametrize(
    "machine", ["# The machine\n\n@cpuinfo 'EPYC'\n", "root@web2:~# top -b -n 1\n@top 3.10 13:10:00\n"]
)
def test_a_machine_that_is_shown_behind_all_runs_is_theirs(machine):
    hosts_of = loaded(f"# nginx\n\n{AB.format(rate=51.1)}# apache\n\n{AB.format(rate=91.1)}{machine}")
    assert hosts_of[0] and hosts_of[0] == hosts_of[1]


@pytest.mark.django_db
@pytest.mark.parametrize("shown", ["bd@web1:~$ nproc\n4\n", ""])
def test_the_machine_that_bd_loaded_has_the_sender_s_name_and_its_generator_has_not(shown):
    head = f"# Recorded by bd 1\n# host: web1\n\nbd@load1:~$ nproc\n2\n\n{shown}\n## a, run 1 of 1\n"
    text = f"{head}\nbd@load1:~$ ab -n 500 -c 10 http://web1/\n{expand('@ab 1.5')}"
    for name in ("web1", "shop"):
        draft = ingest.preview(text.encode(), hints=ingest.Hints(host="" if name == "web1" else name)).draft
        names = {host.key: host.name for host in draft.hosts}
        assert names[draft.experiments[0].runs[0].host] == name
        assert sorted(names.values()) == sorted(["load1", name])


def test_a_server_of_which_something_is_not_known_is_the_first_that_it_may_be():
    servers = Servers()
    for server in [("", "web", 80), ("nginx", "", 80), ("", "db", 0), ("nginx", "web", 80), ("apache", "web", 80)]:
        servers.add(server)
    assert servers.all == [("nginx", "web", 80), ("", "db", 0), ("apache", "web", 80)]
    assert [servers.find(server) for server in [("", "web", 0), ("apache", "", 0), ("ab", "db", 1)]] == [0, 1, 1]
    assert servers.find(("apache", "web", 80)) == 2 and servers.find(("", "cache", 80)) is None


@pytest.mark.parametrize(
    "line",
    [
        "Hostname: web1",
        "**Host:** web1",
        "Server: web1 (8 cores)",
        "host = web1",
        "hostname web1",
        "Running on: web1, 8 cores, 16 GB RAM",
        "$ hostname\nweb1",
    ],
)
def test_a_line_that_tells_the_host_names_that_of_the_runs_below(line):
    _, draft = read(expand(f"{line}\n\napache:\n@ab 1.5 server=\n\nnginx:\n@ab 2.5 server=\n"))
    (host,), (experiment,) = draft.hosts, draft.experiments
    assert (host.name, {run.host or experiment.host for run in experiment.runs}) == ("web1", {host.key})
    assert [config.name for config in experiment.configs] == ["apache", "nginx"]


@pytest.mark.parametrize(
    "line", ["Server: nginx", "Host: localhost", "Machine: MacBook Pro", "Server: Actix", "Node: v18.19.0", "Server: A"]
)
def test_what_is_no_machines_name_names_no_host(line):
    _, draft = read(expand(f"{line}\n\n@ab 1.5 server=\n"))
    assert draft.hosts == []


def test_each_section_has_the_host_that_it_tells():
    _, draft = read(expand("Host: web1\n@ab 1.5 server=\n@ab 1.6 server=\nHost: web2\n@ab 2.5 server=\n"))
    names = {host.key: host.name for host in draft.hosts}
    assert [names[run.host] for run in draft.experiments[0].runs] == ["web1", "web1", "web2"]
    assert [config.name for config in draft.experiments[0].configs] == ["web1", "web2"]


BELOW = "\n\n## nginx\n@ab 500.1\n\n## caddy\n@ab 400.1 Caddy\n"


@pytest.mark.parametrize(
    ("told", "facts"),
    [
        ("- CPU: AMD EPYC 7302P\n- Cores: 16\n- RAM: 64 GB\n- OS: Debian 12", ("AMD EPYC 7302P", 16, 64, "Debian 12")),
        ("CPU: Intel i7-4710HQ (8) @ 3.500GHz\nMemory: 15.936 GiB", ("Intel i7-4710HQ", 8, 15.936, "")),
        ("| Part | |\n|---|---|\n| CPU | Intel(R) Xeon(R) E5-2670 |\n| Memory | 32 GB |", ("Intel Xeon E5-2670", None, 32, "")),
        ("**Server:** 4 vCPU, 8 GB RAM, Ubuntu 22.04", ("", 4, 8, "")),
        ("- Prozessor: Intel Core i5-3210M\n- Arbeitsspeicher: 8 GB\n- Debian 11", ("Intel Core i5-3210M", None, 8, "Debian 11")),
        ("- Processador: Intel Core i5-3210M (4 núcleos)\n- Memória RAM: 8 GB", ("Intel Core i5-3210M", 4, 8, "")),
        ("Serveur : 4 cœurs, 8 Go de RAM", ("", 4, 8, "")),
        ("Сервер: 4 ядра, 8 ГБ ОЗУ", ("", 4, 8, "")),
        ("環境: CPU 2コア / メモリ 4GB", ("", 2, 4, "")),
        ("硬件配置:云服务器2核4G", ("", 2, 4, "")),
        ("处理器   Intel(R) Xeon(R) CPU E5-2670 @ 2.60GHz 1核\n内存     4G", ("Intel Xeon E5-2670", 1, 4, "")),
        ("CPUs:   2\nRAM:    4096 MB", ("", 2, 4, "")),
        ("- 2.7 GHz Intel Core i7\n- 16 GB 2133 MHz LPDDR3", ("Intel Core i7", None, 16, "")),
        ("Hardware: [Raspberry Pi 2](https://example.org/pi) (4 cores, 1 GB Ram)", ("", 4, 1, "")),
        ("+ load generator\n\n- CPU: Intel Xeon E5-2683 v4\n- Mem: 128 GB\n\n+ server\n\n- CPU: AMD EPYC 7302P\n- Mem: 64 GiB",
         ("AMD EPYC 7302P", None, 64, "")),
    ],
)  # fmt: skip
def test_lists_and_tables_of_its_parts_tell_of_the_machine(told, facts):
    _, draft = read(expand(f"# Two servers\n\n{told}{BELOW}"))
    (host,) = draft.hosts
    cpu_model, cores, gib, system = facts
    assert (host.cpu_model, host.cores, host.os) == (cpu_model, cores, system)
    assert host.ram_kb == pytest.approx(gib * 1024**2, abs=1)
    assert draft.experiments[0].host == host.key


@pytest.mark.parametrize(
    "told",
    [
        "- Memory: 512 MB",  # of a container, or of a process
        "| Metric | Value |\n|---|---|\n| CPU | 45 % |\n| Memory | 32 MB |",
        "- CPU: AMD EPYC 7302P\n- RAM: 64 GB\n\n- CPU: Intel Xeon E5-2670\n- RAM: 32 GB",
    ],
)
def test_what_may_be_of_something_else_tells_of_no_machine(told):
    _, draft = read(expand(f"# Two servers\n\n{told}{BELOW}"))
    assert draft.hosts == []


def test_what_a_tool_printed_of_a_machine_stays():
    shown = "$ nproc\n4\n$ cat /proc/meminfo\nMemTotal:        8174592 kB\nMemFree:          100000 kB\n"
    _, draft = read(expand(f"- CPU: AMD EPYC 7302P\n- Cores: 16\n- RAM: 8 GB\n\n{shown}{BELOW}"))
    (host,) = draft.hosts
    assert (host.cpu_model, host.cores, host.ram_kb) == ("AMD EPYC 7302P", 4, 8174592)


@pytest.mark.parametrize(
    ("told", "facts"),
    [
        ("- Xeon E5-2697 v3 @ 2.60GHz (4 cores)\n- 4 GB\n- Ubuntu\n### Load server\n- Xeon (8 cores)\n- 16 GB", (4, 4 << 20)),
        ("### Core i7 860 @ 2.80GHz × 8, PHP 5.5", (8, None)),
        ("Processor Name: Intel Core i3\nTotal Number Of Cores:  2\nMemory: 4 GB", (2, 4 << 20)),
        ("- 4 GB\n- a site of 3 pages", None),
    ],
)  # fmt: skip
def test_a_size_beside_a_processor_and_the_count_behind_its_clock_rate_are_the_machines(told, facts):
    found = read(expand(f"{told}\n\n## nginx\n\n@ab 1.5 server=\n"))[1].hosts
    assert [(host.cores, host.ram_kb) for host in found] == ([facts] if facts else [])


def test_headings_and_sentences_that_tell_what_each_machine_has_give_runs_their_hosts():
    tellings = ("Box one is a Ryzen with 6 cores and 16 GB.", "Box two, an old Xeon with 4 cores and 8 GB:")
    _, draft = read(expand("".join(f"{told}\n\n@wrk 100.5 10.0.0.{at}:80\n\n" for at, told in enumerate(tellings))))
    names = {host.key: (host.name, host.cores, host.ram_kb) for host in draft.hosts}
    assert [names[run.host] for run in draft.experiments[0].runs] == [("box one", 6, 16 << 20), ("box two", 4, 8 << 20)]
    text = "".join(f"{age} Server: {n} Kerne, {n} GB RAM\n\n@wrk {n}.5\n\n" for age, n in (("Alter", 2), ("Neuer", 8)))
    _, draft = read(expand(text))
    assert {(host.name, host.cores, host.ram_kb) for host in draft.hosts} == {
        ("Alter Server", 2, 2 << 20),
        ("Neuer Server", 8, 8 << 20),
    }


@pytest.mark.parametrize(
    ("line", "model"),
    [
        ("On Intel i9-10900K", "Intel i9-10900K"),
        ("Intel(R) Xeon(R) CPU           X5670  @ 2.93GHz", "Intel Xeon X5670"),
        ("All tested on an AMD Ryzen 7 5800X", "AMD Ryzen 7 5800X"),
        ("AMD Ryzen 7 was slower than we thought, so we took the Intel one again", None),
        ("We compare it with the Intel i9-10900K of last year", None),
    ],
)
def test_a_line_that_is_a_processor_tells_the_machine(line, model):
    _, draft = read(expand(f"{line}\n\n## Before\n\n@ab 900.5\n\n## After\n\n@ab 1100.5\n"))
    assert [host.cpu_model for host in draft.hosts] == ([model] if model else [])


@pytest.mark.parametrize(
    ("line", "facts"),
    [
        ("I ran this on a small cloud VM (2 vCPU, 4 GB RAM, Ubuntu 24.04).", ("", 2, 4096)),
        ("The server has 8 cores and 16GB of memory.", ("", 8, 16384)),
        ("A droplet, 512MB RAM, 1 core, nothing else on it", ("", 1, 512)),
        ("c5.xlarge (4 vCPUs, 8 GiB)", ("", 4, 8192)),
        ("Small instance: 1 virtual CPU and 613 MB of RAM", ("", 1, 613)),
        ("Tested on MacBook Pro, 2.6 GHz 6-Core Intel Core i7, 16 GB 2667 MHz DDR4", ("Intel Core i7", 6, 16384)),
        ("Hardware: AMD Ryzen 9 5950X 16-Core, 64 GiB DDR4", ("AMD Ryzen 9 5950X", 16, 65536)),
        ("Machine: Intel(R) Core(TM) i7-8700K CPU @ 3.70GHz, 32GB RAM", ("Intel Core i7-8700K", None, 32768)),
        ("サーバ: Core2Duo E6600 2.4GHz, メモリ 2GB", ("Core2Duo E6600", None, 2048)),
        ("The server uses 2 GB of RAM and 4 cores", None),
        ("The container is limited to 2 CPUs and 512 MB of memory on this host", None),
        ("One node has 8 cores and 16 GB of RAM, the other node 4 cores and 8 GB of RAM", None),
        ("8 cores and 16 GB of RAM would be faster", None),
    ],
)
def test_a_sentence_with_cores_and_memory_tells_the_machine(line, facts):
    found = read(expand(f"{line}\n\n## Before\n\n@ab 900.5\n\n## After\n\n@ab 1100.5\n"))[1].hosts
    told = [(host.cpu_model, host.cores, host.ram_kb and host.ram_kb // 1024) for host in found]
    assert told == ([facts] if facts else [])


def test_a_bracket_that_ends_behind_a_processor_is_no_part_of_its_name():
    text = "uWSGI\n\nServer: 4 Kerne (Xeon E3-1230 v5), 16 GB RAM.\n\n## two\n\n@ab 1.5 server=\n\n## eight\n\n@ab 2.5 server=\n"
    (host,) = read(expand(text))[1].hosts
    assert (host.cpu_model, host.cores, host.ram_kb) == ("Xeon E3-1230 v5", 4, 16 << 20)


SAR = """$ sar -u 1 2
Linux 5.10.0-23-amd64 ({host}) \t02/10/2024 \t_x86_64_\t({cores} CPU)

13:24:51        CPU     %user     %nice   %system   %iowait    %steal     %idle
13:24:52        all     5{cores}.10      0.00     10.10      0.00      0.00     39.80
13:24:53        all     6{cores}.10      0.00     10.10      0.00      0.00     38.80
"""


def test_all_that_a_command_prints_is_of_the_machine_that_its_first_line_names():
    """Made text."""
    shown = "\n".join(SAR.format(host=host, cores=cores) for host, cores in (("web1", 8), ("client1", 4)))
    draft = read(expand(f"@ab 900.1\n\n{shown}"))[1]
    names = {host.key: host.name for host in draft.hosts}
    assert [names[capture.host] for capture in draft.experiments[0].captures] == ["web1", "client1"]


LSCPU = "$ lscpu\nArchitecture:            x86_64\nCPU(s):                  {}\nModel name:              Intel(R) Xeon(R) E5-2670\n"


@pytest.mark.parametrize("above", ["## nginx\n\n## caddy\n\n", "$ docker run nginx\n$ docker run caddy\n"])
def test_machines_of_one_model_with_other_numbers_of_cpus_are_two(above):
    one, other = above.split("\n" if above[0] == "$" else "\n\n")[:2]
    first, second = (expand(f"$ wrk -t2 -c10 -d5s http://localhost/\n@wrk {rate}.10\n\n") for rate in (900, 700))
    before = f"{one}\n\n{LSCPU.format(8)}{first}{other}\n\n"
    listed = "$ grep 'model name' /proc/cpuinfo | head -2\n" + "model name\t: Intel(R) Xeon(R) E5-2670\n" * 2
    model = "Intel(R) Xeon(R) E5-2670"
    assert loaded(f"{before}{LSCPU.format(2)}{second}") == [f"{model}, 8 cores", f"{model}, 2 cores"]
    assert loaded(f"{before}{LSCPU.format(8)}{second}") == [model, model]
    assert loaded(f"{before}{listed}{second}") == [model, model]  # a listing may be cut


@pytest.mark.parametrize(
    ("above", "facts"),
    [
        (
            "> Hardware:\n> CPU: Intel(R) Core(TM) i7-8700 CPU @ 3.20GHz\n> RAM: 16 GB\n",
            ("Intel Core i7-8700", None, 16),
        ),
        ("Ran all tests on:\n\n`Intel Core i7 CPU @ 3.20GHz × 12, 16GB of RAM`\n", ("Intel Core i7", 12, 16)),
        (
            "## CPU\n\nIntel(R) Core(TM) i7-8700 CPU @ 3.20GHz\n\nPhysical cores: 6\n\nLogical cores: 12\n",
            ("Intel Core i7-8700", 12, None),
        ),
        ("- CPU: Intel Xeon E5-2660 v3 CPU\n", ("Intel Xeon E5-2660 v3", None, None)),
    ],
)
def test_what_a_text_tells_of_its_machine(above, facts):
    (host,) = read(expand(f"# Notes\n\n{above}\n```\n@ab 900.1\n```\n"))[1].hosts
    model, cores, gib = facts
    assert (host.cpu_model, host.cores, host.ram_kb) == (model, cores, gib and gib * 1024**2)


@pytest.mark.parametrize("ssh", ["ssh web", "ssh -t root@web", "ssh -p 2222 web"])
def test_a_monitor_that_ssh_ran_is_of_the_machine_that_it_names(ssh):
    """Made text: all is typed at the load generator's prompt."""
    report = "@ab 900.5 host=web"
    memory = "             total       used       free     shared    buffers     cached\n"
    memory += "Mem:          3931       3800        148          0        150       2400\n"
    text = f"[me@lg ~]$ ab -n 500 -c 10 http://web/\n{report}\n[me@lg ~]$ {ssh} free -m\n{memory}[me@lg ~]$ ls\n"
    _, draft = read(expand(text))
    (capture,) = draft.experiments[0].captures
    assert {host.key: host.name for host in draft.hosts}[capture.host] == "web"
