"""Which machine a text was taken on: by its memory, its prompts and the name that was loaded."""

from __future__ import annotations

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
