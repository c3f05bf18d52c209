"""Runs that only the commands around them tell apart: a script's arguments, settings, servers. All texts are made up."""

from __future__ import annotations

import pytest

import parsers
from runs.drafts.relate import relate
from runs.ingest.submission import Preview
from runs.selectors.judging import judge_draft

from .documents import FIXTURES, expand, judge, read

WRK = "$ wrk -t2 -c10 -d5s http://localhost:8080/\n"


def grouped(*commands: str) -> dict[str, list[float | None]]:
    """{config's name: rates of its runs}, of a session with these commands (lines each) before reports of 100.10, 101.10 ..."""
    text = "".join(f"{typed}\n@wrk {100 + at}.10\n" for at, typed in enumerate(commands))
    blocks, draft = read(expand(text))
    (experiment,) = draft.experiments
    return {
        config.name: [
            blocks[run.block].load_results[0].requests_per_second
            for run in experiment.runs
            if run.config == config.key and run.counted
        ]
        for config in experiment.configs
    }


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        ("bun bench.js --node", "bun bench.js --hono", ["node", "hono"]),
        ("./run.sh nginx", "./run.sh apache", ["nginx", "apache"]),
        ("node bench.mjs express", "node bench.mjs fastify", ["express", "fastify"]),
        ("node bench/express.js", "node bench/koa.js", ["express", "koa"]),
        ("npm run bench:express", "npm run bench:koa", ["express", "koa"]),
        ("make bench SERVER=nginx", "make bench SERVER=caddy", ["SERVER=nginx", "SERVER=caddy"]),
        ("WORKERS=4 ./bench.sh\n", "WORKERS=8 ./bench.sh\n", ["WORKERS=4", "WORKERS=8"]),
        ("./bench.sh --workers 4", "./bench.sh --workers 8", ["workers 4", "workers 8"]),
        ("cd bench && ./run.sh puma", "./run.sh unicorn", ["puma", "unicorn"]),
        ("./bench.sh > nginx-1.log; cat nginx-1.log", "./bench.sh > caddy-1.log; cat caddy-1.log", ["nginx", "caddy"]),
        ("cat results/before.txt", "cat results/after.txt", ["before", "after"]),
        ("./bench.sh", "./bench.sh --cache", ["bench.sh", "cache"]),
    ],
)
def test_a_scripts_arguments_tell_configs_apart(first, second, names):
    assert list(grouped(f"$ {first}", f"$ {second}", f"$ {second}").items()) == [
        (names[0], [100.1]),
        (names[1], [101.1, 102.1]),
    ]


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        ("docker compose --profile caddy up -d", "docker compose --profile traefik up -d", ["caddy", "traefik"]),
        ("cp a.conf /etc/nginx/nginx.conf && nginx -s reload", "cp b.conf /etc/nginx/nginx.conf", ["a.conf", "b.conf"]),
        ("git checkout main", "git checkout pool", ["main", "pool"]),
    ],
)
def test_commands_behind_the_sign_of_root_tell_configs_apart_where_no_comment_is_like_them(first, second, names):
    assert list(grouped(f"# {first}\n# {WRK[2:]}", f"# {second}\n# {WRK[2:]}")) == names


@pytest.mark.parametrize("sign", ["$ ", "+ ", "eva@web1:~/bench$ ", "[root@web1 ~]# "])
def test_a_script_is_known_behind_any_prompt(sign):
    assert list(grouped(f"{sign}./run.sh nginx", f"{sign}./run.sh apache")) == ["nginx", "apache"]


@pytest.mark.parametrize(
    "commands",
    [
        ("./bench.sh", "./bench.sh", "sleep 60; ./bench.sh"),
        ("./bench.sh 1", "./bench.sh 2", "./bench.sh 3"),
        ("./bench.sh --run 1", "./bench.sh --run 2", "./bench.sh --run=3"),
        ("./bench.sh > out1.txt; cat out1.txt", "./bench.sh > out2.txt; cat out2.txt"),
        ("./bench.sh -o nginx.txt", "./bench.sh -o nginx-2.txt"),
        ("./bench.sh | tee ab-20240101.log", "./bench.sh | tee ab-20240102.log"),
        ("./bench.sh --seed 17", "./bench.sh --seed 18"),
        ("cat run1.log", "tail -n 20 run2.log"),
        ("./bench.sh", "sudo systemctl restart nginx && sleep 5 && ./bench.sh"),
    ],
)
def test_a_script_run_again_is_a_repeat(commands):
    assert list(map(len, grouped(*(f"$ {command}" for command in commands)).values())) == [len(commands)]


def test_each_turn_of_a_loop_is_of_its_word():
    loop = "$ for s in express koa; do node $s.js & wrk -c10 -t2 -d5s http://localhost:8080; done"
    text = f"{loop}\n@wrk 100.10\n@wrk 200.10\n$ for i in 1 2; do wrk http://localhost:8080; done\n@wrk 300.10\n@wrk 301.10\n"
    _, draft = read(expand(text))
    assert [config.name for config in draft.experiments[0].configs][:2] == ["express", "koa"]
    workers = text.replace("for s in express koa", "for w in 2 8")
    assert [config.name for config in read(expand(workers))[1].experiments[0].configs][:2] == ["w=2", "w=8"]
    numbers = text.replace("express koa", "1 2")
    assert len(read(expand(numbers))[1].experiments[0].configs) == 1


def test_each_line_that_a_loop_printed_is_of_its_command():
    text = "$ for i in $(seq 3); do wrk -t4 -c100 -d10s http://a/ | grep Requests/sec; done\n" + "".join(
        f"Requests/sec: {rate:10.2f}\n" for rate in (1811.2, 1802.9, 1820.4)
    )
    blocks, draft = read(text)
    assert {run.method for run in draft.experiments[0].runs} == {draft.experiments[0].runs[0].method}
    assert [block.load_results[0].tool for block in blocks] == ["wrk", "wrk", "wrk"]


def test_a_loop_over_levels_of_concurrency_is_one_config():
    loop = "$ for c in 10 50; do hey -z 10s -c $c http://localhost:8080; done"
    report = (FIXTURES / "hey/hey_01.txt").read_text().partition("\n")[2]
    _, draft = read(f"{loop}\n{report}\n{report.replace('506.08', '706.08')}\n")
    assert len(draft.experiments[0].configs) == 1
    assert [run.method.concurrency for run in draft.experiments[0].runs] == [10, 50]


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        *(
            (f"$ {tool.format(a)}", f"$ {tool.format(b)}", [f"{key}={a}", f"{key}={b}"])
            for tool, key, a, b in (
                ("psql -c \"ALTER SYSTEM SET shared_buffers = '{}'\"", "shared_buffers", "128MB", "1GB"),
                ("mysql -e 'SET GLOBAL innodb_io_capacity={};'", "innodb_io_capacity", "200", "2000"),
                ("sudo sysctl -w net.core.somaxconn={}", "net.core.somaxconn", "128", "4096"),
                ("echo {} | sudo tee /proc/sys/net/core/somaxconn", "somaxconn", "128", "4096"),
                ("export WORKERS={}", "WORKERS", "4", "8"),
                ("pip install uvicorn=={}", "uvicorn", "0.20", "0.30"),
                ("redis-cli config set io-threads {}", "io-threads", "1", "4"),
            )
        ),
        (
            "postgres=# ALTER SYSTEM SET work_mem TO '4MB';\nALTER SYSTEM",
            "postgres=# ALTER SYSTEM SET work_mem TO '64MB';\nALTER SYSTEM",
            ["work_mem=4MB", "work_mem=64MB"],
        ),
        (
            "$ sed -i 's/^worker_processes.*/worker_processes 1;/' /etc/nginx/nginx.conf",
            "$ sed -i 's/worker_processes 1/worker_processes 4/' /etc/nginx/nginx.conf && nginx -s reload",
            ["worker_processes 1", "worker_processes 4"],
        ),
        (
            "$ a2dismod mpm_event\n$ a2enmod mpm_prefork\n$ systemctl restart apache2",
            "$ a2dismod mpm_prefork\n$ a2enmod mpm_event\n$ systemctl restart apache2",
            ["mpm_prefork", "mpm_event"],
        ),
        ("$ kubectl set env deployment/web WORKERS=4", "$ kubectl set env deployment/web WORKERS=8", ["WORKERS=4", "WORKERS=8"]),
        ("$ kubectl scale deploy/web --replicas=1", "$ kubectl scale deploy/web --replicas=3", ["replicas=1", "replicas=3"]),
        ("$ cd app", "$ vi /etc/nginx/nginx.conf\n$ nginx -s reload", ["before nginx.conf edited", "nginx.conf edited"]),
        ("$ git stash", "$ git stash pop", ["git stash", "without git stash"]),
        ("$ sleep 1", "$ a2dismod mpm_prefork && a2enmod mpm_event", ["mpm_prefork", "mpm_event"]),
        ("$ sleep 1", "$ a2enmod deflate", ["without deflate", "deflate"]),
        ("$ sleep 1", "$ sed -i 's/KeepAlive On/KeepAlive Off/' /etc/apache2/apache2.conf", ["KeepAlive On", "KeepAlive Off"]),
        ("$ a2enmod deflate", "$ a2dismod deflate", ["deflate", "without deflate"]),
        ("$ git checkout main", "$ git checkout faster-parser", ["main", "faster-parser"]),
        ("$ cp tuned.conf /etc/nginx/nginx.conf", "$ cp plain.conf /etc/nginx/nginx.conf", ["tuned.conf", "plain.conf"]),
        ("$ ln -sfn /srv/releases/41 /srv/current", "$ ln -sfn /srv/releases/42 /srv/current", ["current=41", "current=42"]),
        ("$ /opt/php7/bin/php -S 0:8080 &", "$ /opt/php8/bin/php -S 0:8080 &", ["php7", "php8"]),
        ("$ systemctl restart nginx", "$ systemctl restart lighttpd", ["nginx", "lighttpd"]),
        ("$ service nginx start", "$ service nginx stop; service caddy start", ["nginx", "caddy"]),
        ("$ docker run -d -p 80:80 nginx:1.25", "$ docker run -d -p 80:80 nginx:1.27", ["nginx:1.25", "nginx:1.27"]),
        ("$ docker run -d --name a -e X=4 app", "$ docker run --name b -d -e X=8 app", ["X=4", "X=8"]),
        ("$ docker compose -f compose.node.yml up -d", "$ docker compose -f compose.bun.yml up -d", ["node", "bun"]),
        ("$ node express.js &\n[1] 4242", "$ kill %1\n$ node koa.js &\n[1] 4243", ["express", "koa"]),
        ("$ gunicorn -w 4 app:app --daemon", "$ gunicorn -w 8 app:app --daemon", ["-w 4", "-w 8"]),
        ("$ node express.js", "$ uvicorn app:app", ["node express.js", "uvicorn"]),
        ("$ PORT=3000 node app.js\nListening\n", "^C\n$ PORT=3000 bun app.js\nListening\n", ["node", "bun"]),
        ("$ WORKERS=1 docker compose up -d", "$ WORKERS=4 docker compose up -d", ["WORKERS=1", "WORKERS=4"]),
        ("$ GOGC=50 ./app\n^C", "$ GOGC=400 ./app\n^C", ["GOGC=50", "GOGC=400"]),
        ("$ sleep 1", "$ git pull\n$ go build", ["before git pull", "git pull"]),
        ("$ sleep 1", "$ sudo apt-get install -y nginx=1.26",
            ["before apt-get install -y nginx=1.26", "apt-get install -y nginx=1.26"]),
        ("$ sleep 1", "$ sudo swapoff -a", ["before swapoff", "swapoff"]),
        ("$ sleep 1", "$ taskset -cp 0 2341", ["before taskset", "taskset"]),
        ("$ sleep 1", "$ echo 'tcp_nopush on;' | sudo tee /etc/nginx/a.conf", ["before tcp_nopush on", "tcp_nopush on"]),
    ],
)  # fmt: skip
def test_what_was_changed_between_two_equal_commands_names_them(first, second, names):
    assert grouped(f"{first}\n{WRK}", f"{second}\n{WRK}", f"$ sleep 10\n{WRK}") == {
        names[0]: [100.1],
        names[1]: [101.1, 102.1],
    }


def test_the_state_before_the_first_change_is_a_config_too():
    tuned = "$ sysctl -w net.core.somaxconn=4096\n"
    assert grouped(WRK, tuned + WRK, WRK) == {
        "before net.core.somaxconn=4096": [100.1],
        "net.core.somaxconn=4096": [101.1, 102.1],
    }


def test_a_setting_that_is_taken_back_is_the_first_config_again():
    on, off = "$ export CACHE=on\n", "$ export CACHE=off\n"
    assert grouped(on + WRK, off + WRK, on + WRK, off + WRK) == {
        "CACHE=on": [100.1, 102.1],
        "CACHE=off": [101.1, 103.1],
    }


def test_a_container_that_is_removed_by_force_names_no_config_by_its_option():
    swap = "$ docker rm -f node-app && docker run -d --name go-app go-app:1.2\n"
    assert list(grouped(WRK, swap + WRK)) == ["node", "go"]


def test_a_changed_file_is_named_by_its_changed_line():
    show = "$ cat /etc/nginx/nginx.conf\nworker_processes {};\nevents {{ worker_connections 512; }}\n"
    assert list(grouped(show.format(1) + WRK, show.format(4) + WRK)) == ["worker_processes 1", "worker_processes 4"]


@pytest.mark.parametrize(
    "between",
    [
        *("$ sleep 60", "$ systemctl restart nginx", "$ sudo service nginx reload", "$ curl -I http://localhost:8080/"),
        *("$ echo 3 > /proc/sys/vm/drop_caches", "$ cd /tmp\n$ ls", "$ ulimit -a", "$ nginx -s reload"),
        *("$ vi /etc/nginx/nginx.conf", "$ less /etc/nginx/nginx.conf\n$ sleep 5"),
        *("$ htop\n$ lsblk", "me@box:~/b$ lsblk", "$ kubectl get pods", "$ python3 plot.py out.txt\n$ php -v"),
        *("$ clear", "$ tail -f /var/log/nginx/access.log", "$ export LANG=C"),
    ],
)  # fmt: skip
def test_what_changes_nothing_between_two_runs_leaves_them_repeats(between):
    assert grouped(f"$ systemctl restart nginx\n{WRK}", f"{between}\n{WRK}").popitem()[1] == [100.1, 101.1]


@pytest.mark.parametrize(
    "restart", ["docker restart app", "docker compose restart web", "systemctl restart a b", "pm2 restart app"]
)
def test_the_same_server_restarted_before_each_run_is_no_change(restart):
    assert grouped(f"$ {restart}\n{WRK}", WRK, f"$ {restart}\n{WRK}") == {"localhost:8080": [100.1, 101.1, 102.1]}


def test_scripts_on_one_line_are_run_in_turn():
    text = "$ ./bench.sh nginx && ./bench.sh caddy\n@wrk 100.10\n@wrk 200.10\n"
    assert [config.name for config in read(expand(text))[1].experiments[0].configs] == ["nginx", "caddy"]


def test_the_stamp_of_a_logs_lines_is_no_part_of_a_name():
    stamp = "2024-05-01T10:00:00.0000000Z ##[group]"
    assert list(grouped(f"{stamp}nginx\n", f"{stamp.replace('00:00', '01:00')}caddy\n")) == ["nginx", "caddy"]


def test_a_log_with_a_time_before_each_line_is_read_without_it():
    text = "".join(
        f"##[group]Run benchmark ({name})\n+ wrk http://localhost:8080\n@wrk {rate}.10\n"
        for name, rate in (("base", 100), ("pr", 200))
    )
    log = "".join(
        f"2024-05-01T10:00:{at % 60:02}.1234567Z {line}\n" for at, line in enumerate(expand(text).split("\n"))
    )
    blocks, draft = read(log)
    assert [config.name for config in draft.experiments[0].configs] == ["Run benchmark (base)", "Run benchmark (pr)"]
    assert [block.values for block in blocks] == [block.values for block in read(expand(text))[0]]


def test_a_heading_of_its_own_names_a_run_before_its_settings():
    assert list(grouped(f"## Before\n\n{WRK}", f"## After\n\n$ sysctl -w net.core.somaxconn=4096\n{WRK}")) == [
        "Before",
        "After",
    ]


def test_runs_under_one_heading_are_named_by_both():
    runs = ["## nginx\n\n$ export W=1\n" + WRK, "$ export W=2\n" + WRK, "## caddy\n\n$ export W=2\n" + WRK]
    assert list(grouped("# Test\n\n" + runs[0], *runs[1:])) == ["nginx · W=1", "nginx · W=2", "caddy"]


@pytest.mark.parametrize(
    ("commands", "names"),
    [
        (("taskset -c 0 ./server -p 80 &", "taskset -c 0-3 ./server -p 80 &"), ["0", "0-3"]),
        (("numactl -N 0 ./server &", "./server &"), ["numactl", "server"]),
    ],
)
def test_what_confines_a_server_to_a_part_of_the_machine_tells_configs_apart(commands, names):
    found = grouped(*(f"$ {typed}\n{WRK.strip()}" for typed in (*commands, *commands)))
    assert list(map(len, found.values())) == [2, 2]
    assert all(name in title for name, title in zip(names, found, strict=True))


def test_load_generators_reached_by_ssh_are_not_averaged():
    run = "$ ssh {} 'wrk -t2 -c10 -d5s http://web1:8080/'"
    assert list(grouped(*map(run.format, ("load1", "me@load2", "-p 22 load1"))).items()) == [
        ("load1", [100.1, 102.1]),
        ("load2", [101.1]),
    ]
    assert len(grouped(*map(run.format, ("load1", "load1")))) == 1


def test_a_server_at_the_loopback_address_of_ipv6_is_another():
    run = "$ wrk -t2 -c10 -d5s http://{}:8080/"
    hosts = ("127.0.0.1", "[::1]", "127.0.0.1", "[::1]")
    text = "".join(f"{run.format(host)}\n@wrk {100 + at}.10 host={host}:8080\n" for at, host in enumerate(hosts))
    _, draft = read(expand(text))
    (experiment,) = draft.experiments
    assert [sum(run.config == config.key for run in experiment.runs) for config in experiment.configs] == [2, 2]


def test_prompts_of_two_lines_and_of_powerline_name_nothing():
    powerline = " me \ue0b0 ~/src \ue0b0 \ue0a0 main \ue0b0"
    prompts = ("\u2601  bench [main] \u26a1", "\u250c\u2500\u2500(me\u327fkali)-[~/b]", powerline)
    text = "".join(f"{prompt}\n{WRK}@wrk {100 + at}.10\n" for at, prompt in enumerate(prompts))
    assert [config.name for config in read(expand(text))[1].experiments[0].configs] == ["localhost:8080"]


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        ("$ ./start-nginx.sh", "$ ./start-apache.sh", ["nginx", "apache"]),
        ("$ ./start-nginx.sh; ./tune.sh", "$ ./start-apache.sh; ./tune.sh", ["nginx", "apache"]),
        ("$ ./kernel.sh on", "$ ./kernel.sh off", ["on", "off"]),
        ("$ pm2 start app.js -i 1", "$ pm2 delete all; pm2 start app.js -i 4", ["-i 1", "-i 4"]),
        ("$ ./one --port 80 & sleep 1", "$ ./other --port 80 & sleep 1", ["one", "other"]),
        ("$ python flask_app.py & sleep 1", "$ kill %1; python fastapi_app.py & sleep 1", ["flask", "fastapi"]),
        ("$ ./check_status.sh", "$ ./optimize.sh", ["before optimize.sh", "optimize.sh"]),
    ],
)
def test_scripts_that_are_run_before_the_load_tool_tell_configs_apart(first, second, names):
    found = {names[0]: [100.1], names[1]: [101.1, 102.1]}
    assert grouped(f"{first}\n{WRK}", f"{second}\n{WRK}", WRK) == found
    assert grouped(f"{first}; {WRK[2:]}", f"{second}; {WRK[2:]}", WRK) == found


@pytest.mark.parametrize(
    "command", ["$ ./reset.sh", "$ ./warm_up.sh; ./prepare.sh", "$ make clean", "$ ./start-nginx.sh"]
)
def test_scripts_that_are_run_before_each_load_test_or_only_look_make_repeats(command):
    assert list(grouped(f"{command}\n{WRK}", f"{command}\n{WRK}").values()) == [[100.1, 101.1]]


@pytest.mark.parametrize("reload", ["sudo nginx -s reload", "sudo systemctl reload nginx", "service nginx reload"])
def test_a_reload_between_loops_tells_what_comes_before_and_behind_apart(reload):
    found = grouped(WRK, WRK, f"$ {reload}\n{WRK}", WRK)
    assert list(found.items()) == [("before nginx reloaded", [100.1, 101.1]), ("nginx reloaded", [102.1, 103.1])]


def test_a_reload_before_each_run_is_a_habit():
    assert list(grouped(*[f"$ sudo nginx -s reload\n{WRK}"] * 3).values()) == [[100.1, 101.1, 102.1]]


def test_what_the_load_tool_may_use_of_the_machine_and_what_it_sends_are_not_averaged():
    pinned = "$ taskset -c {} wrk -t2 -c10 -d5s http://localhost:8080/"
    assert len(grouped(pinned.format(0), pinned.format("0-3"))) == 2
    sent = "$ ab -n 500 -c 10 {} http://localhost/page.html\n@ab {}\n"
    for one, other in (("-p a.json", "-p b.json"), ("-f TLS1.2", "-f TLS1.3"), ("", "-X proxy:3128")):
        _, draft = read(expand(sent.format(one, 100.1) + sent.format(other, 200.1)))
        assert [run.repeat for run in draft.experiments[0].runs] == [1, 1]


def test_an_environment_in_the_prompt_tells_configs_apart():
    runs = [f"({name}) me@box:~$ {WRK[2:]}" for name in ("py310", "py310", "py312", "py312")]
    assert list(map(len, grouped(*runs).values())) == [2, 2]


def test_the_file_or_the_comment_behind_a_load_test_names_it():
    run = f"$ {WRK.strip().removeprefix('$ ')} "
    files = ("| tee nginx-1.log", "| tee nginx-2.log", "| tee caddy-1.log")
    assert grouped(*(run + file for file in files)) == {"nginx": [100.1, 101.1], "caddy": [102.1]}
    assert grouped(*(f"{run} # {name}" for name in ("nginx", "nginx", "caddy"))) == {
        "nginx": [100.1, 101.1],
        "caddy": [102.1],
    }
    assert list(map(len, grouped(run + "# first", run + "# second", run).values())) == [3]


def test_a_loop_within_a_loop_is_counted_out():
    loop = "$ for i in 1 2; do for s in nginx caddy; do ./start.sh $s; wrk http://localhost:8080/; done; done\n"
    _, draft = read(expand(loop + "".join(f"@wrk {rate}.10\n" for rate in (100, 200, 101, 201))))
    (experiment,) = draft.experiments
    assert [config.name for config in experiment.configs] == ["nginx", "caddy"]
    assert [run.repeat for run in experiment.runs] == [1, 1, 2, 2]


def test_a_server_that_is_only_stopped_was_part_of_what_was_measured():
    assert list(map(len, grouped(WRK, WRK, f"$ systemctl stop varnish\n{WRK}").values())) == [2, 1]


AB = "$ ab -n 500 -c 10 http://localhost/page.html\n"


def test_a_program_that_is_run_between_each_two_repeats_is_a_habit_that_is_told():
    typed = "$ frobnicate --all\n" + WRK
    assert list(grouped(WRK, typed, typed).values()) == [[100.1, 101.1, 102.1]]
    blocks, _ = read(expand(f"{WRK}@wrk 100.10\n{typed}@wrk 101.10\n{typed}@wrk 102.10\n"))
    assert [[problem.message[:27] for problem in block.problems] for block in blocks] == [
        [],
        ["frobnicate was run before t"],
        ["frobnicate was run before t"],
    ]


@pytest.mark.parametrize("program", ["frobnicate", "tickle --rate 10", "./tickle http://localhost:8080/",
                                     "/usr/local/bin/notify done", "frobnicate -x", "./snapshot.sh"])  # fmt: skip
def test_a_program_of_which_nothing_is_known_that_was_run_once_parts_no_repeats(program):
    assert list(grouped(WRK, WRK, f"$ {program}\n{WRK}", WRK).values()) == [[100.1, 101.1, 102.1, 103.1]]
    for changing in ("./tune.sh", "frobnicate --apply", "/opt/use-epoll", "frobnicate /etc/px.conf", "./mode.sh fast"):
        assert len(grouped(WRK, WRK, f"$ {changing}\n{WRK}", WRK)) == 2


def test_what_was_measured_before_a_change_below_one_heading_is_named_by_it():
    edited = "$ vi /etc/php/www.conf\n$ systemctl restart php-fpm\n"
    assert list(grouped(f"I ran it here.\n\n## PHP\n\n{AB}", edited + AB)) == [
        "before www.conf edited",
        "www.conf edited",
    ]


def test_a_program_that_shows_a_file_of_results_changes_nothing():
    assert list(grouped(WRK, WRK, "$ zzview result.png\n" + WRK).values()) == [[100.1, 101.1, 102.1]]
    assert len(grouped(WRK, WRK, "$ zztune --fast\n" + WRK)) == 2


@pytest.mark.parametrize(
    "diff",
    [
        "$ git diff\n--- a/nginx.conf\n+++ b/nginx.conf\n@@ -1,2 +1,2 @@\n user a;\n-worker_processes 1;\n+worker_processes 4;\n",
        "\n```diff\n-worker_processes 1;\n+worker_processes 4;\n```\n\n",
        "\n```diff\n-user a;\n-worker_processes 1;\n+user a;\n+worker_processes 4;\n```\n\n",
    ],
)
def test_a_diff_between_load_tests_tells_what_was_changed(diff):
    found = grouped(AB, AB, diff + AB, AB)
    assert list(map(len, found.values())) == [2, 2]
    assert list(found)[1] == "worker_processes 4"


def test_items_of_a_list_are_no_diff():
    assert list(map(len, grouped(AB, "\n- timeout 10\n+ timeout 20\n\n" + AB).values())) == [2]


@pytest.mark.parametrize(
    ("first", "second", "name"),
    [
        (
            "The pool had pm.max_children = 5 at first.",
            "Then I raised pm.max_children to 50 and restarted php-fpm.",
            "pm.max_children 50",
        ),
        (
            "The default first.",
            "In der php.ini habe ich realpath_cache_size von 16K auf 4096K erhöht.",
            "realpath_cache_size 4096K",
        ),
        ("With opcache.enable=1 in php.ini.", "Now with opcache.enable=0 in php.ini.", "opcache.enable=0"),
        ("All is as installed here.", "Subi MaxRequestWorkers de 150 para 400.", "MaxRequestWorkers 400"),
        ("All is as installed here.", "We set net.core.somaxconn to 4096.", "net.core.somaxconn 4096"),
    ],
)
def test_a_setting_that_a_sentence_tells_with_its_value_names_the_runs_below_it(first, second, name):
    assert list(grouped(f"{first}\n\n{AB}", f"\n{second}\n\n{AB}"))[1] == name


@pytest.mark.parametrize(
    "said",
    ["In my_app we saw 500 errors.", "It ran on web1.example.org 3 times.", "This is nginx.conf with 3 workers."],
)
def test_a_number_behind_a_name_is_no_setting(said):
    assert not any(name.endswith((" 500", " 3")) for name in grouped(AB, f"\n{said}\n\n{AB}"))


def test_what_a_container_may_use_tells_runs_apart():
    assert list(grouped(*(f"$ docker update --cpus={n} web\n{AB}" for n in (1, 2)))) == ["cpus=1", "cpus=2"]


@pytest.mark.parametrize(
    "command",
    [
        "ssh web1 'systemctl stop px; ./px --sched={} &'; sleep 5; ",
        'ssh -p 22 ann@web1 "pkill px; nohup ./px --sched={} &" && ',
        "docker exec web1 sh -c './px --sched={} &'; ",
    ],
)
def test_what_another_shell_is_told_to_start_tells_configs_apart(command):
    load = WRK.removeprefix("$ ").strip()
    typed = [f"$ {command.format(way)}{load}" for way in ("fair", "batch", "batch", "fair")]
    assert grouped(*typed) == {"sched=fair": [100.1, 103.1], "sched=batch": [101.1, 102.1]}


def test_another_kernel_shown_on_one_machine_tells_configs_apart():
    kernels = ("5.10.0-26-amd64", "6.1.0-13-amd64", "5.10.0-26-amd64")
    typed = [f"kai@box:~$ uname -r\n{kernel}\nkai@box:~$ {WRK.removeprefix('$ ')}" for kernel in kernels]
    assert grouped(*typed) == {kernels[0]: [100.1, 102.1], kernels[1]: [101.1]}


def test_a_kernel_that_is_first_shown_between_runs_was_there_before():
    assert grouped(WRK, f"$ uname -r\n6.1.0-18-amd64\n{WRK}", WRK).popitem()[1] == [100.1, 101.1, 102.1]


def test_the_environment_in_a_prompt_tells_configs_apart():
    typed = [f"({name}) kai@box:~$ {WRK.removeprefix('$ ')}" for name in ("py310", "py310", "py312")]
    assert grouped(*typed) == {"py310": [100.1, 101.1], "py312": [102.1]}


def test_lines_that_differ_in_how_many_numbers_they_have_are_related():
    """Found by make fuzz: "load1" and "load1x2" below each heading, at which relating raised."""
    rate = "Requests per second:    {}.5 [#/sec] (mean)"
    parts = [f"## {server}\n\nload1\n\n{rate}\n\nload1x2\n\n{rate}" for server in ("nginx", "apache")]
    text = "\n\n".join(part.format(10 + n, 20 + n) for n, part in enumerate(parts)) + "\n"
    draft = relate(list(parsers.read(text.splitlines(keepends=True))), text.count("\n"))
    assert len(draft.experiments[0].runs) == 4


def test_the_kernel_of_each_of_two_machines_is_followed_and_names_what_an_upgrade_changed():
    shows, load = "root@{}:~# uname -r\n{}\n", f"root@load1:~# {WRK.removeprefix('$ ')}"
    before = shows.format("web1", "5.15.0-91-generic") + shows.format("load1", "6.1.0-13-amd64") + load
    after = "root@web1:~# apt full-upgrade -y && reboot\n" + shows.format("web1", "6.8.0-31-generic") + load
    assert grouped(before, load, after, load) == {
        "5.15.0-91-generic": [100.1, 101.1],
        "6.8.0-31-generic": [102.1, 103.1],
    }


@pytest.mark.parametrize(
    ("shown", "names"),
    [
        ("$ python3 --version\nPython 3.{}\n", ["Python 3.1", "Python 3.2"]),
        ("$ node --version\nv2{}.11.0\n", ["node 21.11.0", "node 22.11.0"]),
        ("$ docker exec api bun -v\n1.{}.4\n", ["bun 1.1.4", "bun 1.2.4"]),
        ('$ java -version\nopenjdk version "1{}.0.2" 2022-01-18\n', ["java 11.0.2", "java 12.0.2"]),
        ("$ export GOMAXPROCS={}; ./server & sleep 1\n", ["GOMAXPROCS=1", "GOMAXPROCS=2"]),
        ("$ nginx -v\nnginx version: nginx/1.{}\n", ["nginx/1.1", "nginx/1.2"]),
        ("$ cpupower frequency-info\n  The governor \"g{}\" may decide\n", ["scaling_governor=g1", "scaling_governor=g2"]),
    ],
)  # fmt: skip
def test_what_is_shown_to_run_names_both_sides(shown, names):
    assert [*grouped(shown.format(1) + WRK, WRK, shown.format(2) + WRK)] == names


@pytest.mark.parametrize(
    ("one", "other", "differs"),
    [
        (
            "cat /sys/cpu0/scaling_governor\npowersave",
            "cat /sys/cpu0/scaling_governor\nperformance",
            "governor",
        ),
        (
            "curl -I http://a/\nHTTP/1.1 200 OK\nServer: nginx",
            "curl -I http://a/\nHTTP/2 200\nX-Cache: HIT from b",
            "answer from a cache",
        ),
        ("curl -I http://a/\nHTTP/1.1 200 OK\nX-Cache: MISS", "curl -I http://a/\nHTTP/2 200\nx-cache: Miss", ""),
        ("cat /proc/loadavg\npowersave", "cat /proc/loadavg\nperformance", ""),
    ],
)
def test_a_governor_or_a_cache_that_one_side_alone_had_speaks_against_the_faster_one(one, other, differs):
    text = f"## nginx\n$ {one}\n{WRK}\n@wrk 900.10\n## caddy\n$ {other}\n{WRK}\n@wrk 800.10\n"
    blocks, draft = read(expand(text))
    (experiment,) = draft.experiments
    headline = judge_draft(Preview(None, blocks, draft, [], None), experiment)
    assert headline
    told = [one.label for one in headline.against if one.in_sentence]
    assert [each for each in told if each in ("governor", "answer from a cache")] == [differs] * bool(differs)


def test_a_restart_between_groups_of_runs_alone_tells_them_apart_as_what_was_changed_is_not_known():
    restart, loop = (
        "$ sudo systemctl restart {}\n",
        "$ for i in 1 2; do ab -n 500 -c 10 http://localhost/page.html; done\n",
    )
    first, second = "@ab 700.5\n@ab 701.5\n", "@ab 800.5\n@ab 801.5\n"

    def names(*parts: str) -> list[str]:
        return [config.name for config in read(expand("".join(parts)))[1].experiments[0].configs]

    one, other = restart.format("php8.1-fpm"), restart.format("php8.2-fpm")
    assert names(loop, first, one, loop, second) == ["before php8.1-fpm restarted", "php8.1-fpm restarted"]
    assert names(one, loop, first, other, loop, second) == ["php8.1-fpm", "php8.2-fpm"]
    assert names(one, loop, first, one, loop, second) == ["nginx/1.22.1"]
    assert names(AB, "@ab 700.5\n", one, AB, "@ab 701.5\n") == ["nginx/1.22.1"]


@pytest.mark.parametrize("arrow", ["==>", "->", "--->", "===>"])
def test_a_line_with_an_arrow_before_it_names_what_a_script_runs_next(arrow):
    text = f"$ ./all.sh\n{arrow} tomcat\n@wrk 100.1\n{arrow} jetty\n@wrk 101.1\n"
    assert [config.name for config in read(expand(text))[1].experiments[0].configs] == ["tomcat", "jetty"]


def test_every_command_of_a_line_changes_its_setting():
    swap = "$ sudo a2dismod -q mpm_{} && sudo a2enmod -q mpm_{} && sudo systemctl restart apache2\n" + WRK
    to_prefork, to_event = swap.format("event", "prefork"), swap.format("prefork", "event")
    assert grouped(to_prefork, to_event, to_prefork, to_event) == {
        "mpm_prefork": [100.1, 102.1],
        "mpm_event": [101.1, 103.1],
    }


def test_a_branch_in_the_first_line_of_a_prompt_with_versions_names_a_config():
    prompt = "bench on  {} is 📦 v2.1.0 via 🐹 v1.22.1 took 30s\n❯ wrk -t2 -c10 -d5s http://localhost:8080/\n"
    main, pool = prompt.format("main"), prompt.format("pool")
    assert grouped(main, main, pool) == {"main": [100.1, 101.1], "pool": [102.1]}


def test_a_branch_in_the_first_line_of_a_prompt_with_the_time_names_a_config():
    prompt = "14:3{}:13 shop/web  {} [!$]    ruby-2.4.5@web\n➔ wrk -t2 -c10 -d5s http://localhost:8080/\n"
    texts = (prompt.format(at, name) for at, name in enumerate(("626-pool", "626-pool", "main")))
    assert grouped(*texts) == {"626-pool": [100.1, 101.1], "main": [102.1]}


def test_a_headline_names_what_was_requested_once_and_not_in_each_name():
    text = "".join(
        f"## {name}\n\n$ wrk http://localhost:8080{path}\n@wrk {rate:.2f} path={path}\n"
        for name, more in (("old", 1.0), ("new", 1.3))
        for path, rate in (("/a", 900 * more), ("/b", 100 * more))
    )
    sentence = judge(text).sentence
    assert "On /a: “new” " in sentence and "On /b: “new” " in sentence and "· /a" not in sentence


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (("VU=20\nTIME=30\n", "VU=0\nTIME=60\n"), ["localhost:8080"]),
        (("VU=20\nWORKERS=4\n", "VU=20\nWORKERS=8\n"), ["WORKERS=4", "WORKERS=8"]),
    ],
)
def test_variables_that_are_the_load_in_a_tools_command_name_no_config(lines, names):
    command = "$ wrk -c ${VU} -d $TIME http://localhost:8080/\n"
    assert [*grouped(*(f"{own}{command}" for own in lines))] == names


def test_sides_that_commands_tell_apart_keep_what_each_was_shown_with_and_are_named_without_it():
    """Made: each side's file is its own condition, and the server that headers name needs no other word."""
    text = "".join(
        f"$ docker run -d -p 8080:80 {image}\n$ cat /etc/sysctl.d/99-web.conf\nnet.core.somaxconn = {backlog}\n"
        f"$ curl -I http://localhost:8080/\nHTTP/1.1 200 OK\nServer: {server}\n\n"
        f"$ wrk -t2 -c10 -d4s http://localhost:8080/\n@wrk {rate}.10\n"
        for image, backlog, server, rate in (("nginx", 1024, "nginx/1.25.3", 900), ("caddy", 4096, "Caddy", 700))
    )
    blocks, draft = read(expand(text))
    (experiment,) = draft.experiments
    assert [config.name for config in experiment.configs] == ["nginx/1.25.3", "Caddy"]
    assert [(one.config, one.text) for one in experiment.texts] == [
        ("c1", "net.core.somaxconn = 1024"),
        ("c2", "net.core.somaxconn = 4096"),
    ]
    conditions = [blocks[run.block].values.get("conditions") for run in experiment.runs]
    assert conditions == ["net.core.somaxconn=1024", "net.core.somaxconn=4096"]


def test_a_file_that_was_changed_for_one_of_two_alike_sides_is_in_their_names():
    run = "$ wrk -t2 -c10 -d4s http://localhost:8080/\n"
    shown = "$ cat app.conf\nbacklog = {}\n{}@wrk {}.10\n"
    nginx, caddy = ("".join(shown.format(n, run, rate + n) for n in (128, 512)) for rate in (900, 700))
    text = f"$ docker run nginx\n{nginx}$ docker run caddy\n{caddy}"
    (experiment,) = read(expand(text))[1].experiments
    assert len({config.name for config in experiment.configs}) == 4
