"""Conditions that were shown or set once before the load tests of each config: they speak against the faster one. Made texts."""

from __future__ import annotations

import pytest

from runs.analysis.headline_lead import write_lead
from runs.ingest.submission import Preview
from runs.selectors.judging import judge_draft
from runs.series.clocks import find_dates

from .documents import expand, judge, read

LSCPU = (
    "$ lscpu\nArchitecture:        x86_64\nCPU(s):              8\nVendor ID:           GenuineIntel\n"
    "Model name:          Intel(R) Xeon(R) E-2236 CPU @ 3.40GHz\n{}L3 cache:            12288K\n"
)
STATS = (
    "$ docker stats --no-stream\nCONTAINER ID   NAME      CPU %     MEM USAGE / LIMIT   MEM %     NET I/O          BLOCK I/O PIDS\n"
    "b7de80246e82   shop-db   180.10%   498.2MiB / {}   97.30%    1.2GB / 3.4GB    0B / 0B   11\n"
)
CGROUP = (
    "$ grep . /sys/fs/cgroup/app/cpu.max /sys/fs/cgroup/app/cpu.stat\n/sys/fs/cgroup/app/cpu.max:{} 100000\n"
    "/sys/fs/cgroup/app/cpu.stat:usage_usec 4123456\n/sys/fs/cgroup/app/cpu.stat:nr_periods 900\n"
    "/sys/fs/cgroup/app/cpu.stat:nr_throttled 12\n"
)
UNIT = (
    "$ cat /etc/systemd/system/{}.service\n[Service]\nExecStart=/srv/gunicorn --workers {} site.wsgi\nRestart=always\n"
)
POOL = "$ cat /etc/php/{}/fpm/pool.d/www.conf\n[www]\nuser = www-data\npm = static\npm.max_children = {}\n"
MPM = "$ cat /etc/apache2/mods-enabled/mpm_{}.conf\n<IfModule mpm>\n  StartServers {}\n</IfModule>\n"
COMPOSE = "$ cat compose.yml\nservices:\n  app:\n    image: gunicorn\n    limits:\n      cpus: '{}'\n      memory: {}\n"
PODS = (
    "$ cat {}.yaml\ncontainers:\n- name: a\n  image: a:1\n  resources:\n"
    "    {}:\n      cpu: {}\n      memory: 1Gi\n$ kubectl apply -f ."
)
SERVICE = "$ cat /etc/systemd/system/{}.service\n[Service]\nExecStart=/srv/{}\n{}Restart=always\n"
SHOWS_UNIT = "$ systemctl show {} -p CPUQuotaPerSecUSec\nCPUQuotaPerSecUSec={}\n"
INSPECT = "$ docker inspect -f '{{{{.HostConfig.NanoCpus}}}}' {}\n{}\n"
CPU_MAX = "$ cat /sys/fs/cgroup/system.slice/{}.service/cpu.max\n{} 100000\n"
HEAD = "$ curl -sI http://localhost:8080/\nHTTP/1.1 {}\nContent-Type: text/html\n{}\n"
SIZE = "$ psql a -Atc \"select pg_size_pretty(pg_database_size('a'))\"\n{}\n"
GZIP = "$ nginx -T | grep gzip\n    gzip {};\n"
SCAN = '$ psql a -c "explain select 1 from t where n = 1"\n {}  (cost=0.42..8.44 rows=1 width=64)\n'
DEPLOYED = "$ kubectl get deploy api\nNAME   READY   UP-TO-DATE   AVAILABLE   AGE\napi    {0}/{0}     {0}            {0}      5d\n"
NGINX = "$ cat /etc/nginx/nginx.conf\nworker_processes 4;\naccess_log {};\n"
POSTGRES = "$ grep fsync /etc/postgresql/15/main/postgresql.conf\nfsync = {}\n"
LIMITS = "$ cat deployment.yaml\nresources:\n  limits:\n    cpu: {}\n"
UPSTREAM = "$ cat /etc/nginx/conf.d/a.conf\nupstream app {\n  server 10.0.0.11:80;\n  server 10.0.0.12:80;\n}\n"
BACKEND = "$ cat /etc/haproxy/haproxy.cfg\nbackend app\n  server a 10.0.0.11:80 check\n"
WRK = "$ wrk -t2 -c10 -d5s http://localhost:8080/\n"


def headline_of(one, other, names=("gunicorn", "uvicorn"), load=f"{WRK}\n@wrk {{}}"):
    """Of two configs, each with these lines above its three runs."""
    rates = iter(range(900, 960, 10))
    text = "".join(
        f"## {name}\n\n{typed}\n" + "".join(f"{load.format(f'{next(rates) + 100 * at}.10')}\n" for _ in range(3))
        for at, (name, typed) in enumerate(zip(names, (one, other), strict=True))
    )
    blocks, draft = read(expand(text))
    (experiment,) = draft.experiments
    headline = judge_draft(Preview(None, blocks, draft, [], None), experiment)
    assert headline
    return headline


def tells_condition(headline):
    return "condition" in [one.label for one in headline.against]


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("$ uname -r\n6.1.0-18-amd64", "$ uname -r\n6.8.0-31-generic", "kernel 6.8.0-31-generic against kernel 6.1"),
        ("$ node -v\nv18.19.0", "$ node -v\nv22.1.0", "node 22.1.0 against node 18.19.0"),
        ("$ nginx -v\nnginx version: nginx/1.18.0", "$ nginx -v\nnginx version: nginx/1.25.3", "nginx/1.25.3 against"),
        (
            '$ java -version\nopenjdk version "11.0.22" 2024-01-16',
            '$ java -version\nopenjdk version "21.0.2" 2024-01-16',
            "java 21.0.2 against java 11.0.22",
        ),
        (
            "$ sysctl net.core.somaxconn\nnet.core.somaxconn = 128",
            "$ sysctl net.core.somaxconn\nnet.core.somaxconn = 4096",
            "somaxconn = 4096 against",
        ),
        (
            "$ docker run -d --cpus=2 -m 512m -p 8080:8080 acme/api:1.4",
            "$ docker run -d --cpus=4 -m 2g -p 8080:8080 acme/api:1.4",
            "--cpus=4 -m 2g against --cpus=2 -m 512m",
        ),
        ("$ cargo run\n^Z\n$ bg", "$ cargo run --release\n^Z\n$ bg", "--release against without --release"),
        (
            PODS.format("a", "limits", "500m"),
            PODS.format("b", "requests", "2000m"),
            "without cpu=500m against cpu=500m",
        ),
        (SERVICE.format("a", "a", "CPUQuota=50%\n"), SERVICE.format("b", "b", ""), "without CPUQuota=50% against"),
        (
            SHOWS_UNIT.format("a", "500ms"),
            SHOWS_UNIT.format("b", "infinity"),
            "CPUQuotaPerSecUSec=infinity against CPUQuotaPerSecUSec=500ms",
        ),
        (INSPECT.format("a", 500000000), INSPECT.format("b", 0), "anoCpus 0 against NanoCpus 500000000"),
        (CPU_MAX.format("a", 50000), CPU_MAX.format("b", "max"), "cpu.max max 100000 against cpu.max 50000 100000"),
        (
            "$ powerprofilesctl get\npower-saver",
            "$ powerprofilesctl get\nperformance",
            "powerprofilesctl get performance against powerprofilesctl get power-saver",
        ),
        (
            "$ wc -l items.csv\n1004003 items.csv",
            "$ wc -l items.csv\n1001 items.csv",
            "about 1,000 lines of items.csv against about 1,000,000 lines",
        ),
        (HEAD.format("200 OK", "Content-Encoding: gzip"), HEAD.format("200 OK", ""), "no compression against"),
        (
            HEAD.format("200 OK", ""),
            HEAD.format("200 OK", "Via: 1.1 squid (squid/5.7)"),
            "proxy 1.1 squid against no proxy",
        ),
        (
            HEAD.format("200 OK", ""),
            HEAD.format("302 Found", "Location: /login"),
            "answer a redirect against answer the page itself",
        ),
        ("$ node app.js &", "$ NODE_ENV=production node app.js &", "NODE_ENV=production against without"),
        ("$ RUST_LOG=debug ./actix &", "$ RUST_LOG=error ./axum &", "RUST_LOG=error against RUST_LOG=debug"),
        (
            "$ grep APP_ .env\nAPP_NAME=a\nAPP_ENV=local",
            "$ grep APP_ .env\nAPP_ENV=prod",
            "APP_ENV=prod against APP_ENV=local",
        ),
        (
            "$ docker exec a env | grep LOG\nLOG_LEVEL=debug",
            "$ docker exec a env\nLOG_LEVEL=warn",
            "LOG_LEVEL=warn against",
        ),
        ("$ systemd-detect-virt\nkvm", "$ systemd-detect-virt\nnone", "systemd-detect-virt none against"),
        ("$ nproc\n4", "$ nproc\n8", "8 cores against 4 cores"),
        (LSCPU.format("Hypervisor vendor:   KVM\n"), LSCPU.format(""), "no hypervisor against hypervisor KVM"),
        (CGROUP.format(100_000), CGROUP.format(200_000), "CPU limit 2 cores against CPU limit 1 core"),
        (STATS.format("512MiB"), STATS.format("2GiB"), "memory limit 2,048 MiB against memory limit 512 MiB"),
        ("$ gunicorn -w 8 app:app &", "$ uwsgi --http :8080 --processes 2 &", "2 processes against 8 processes"),
        ("$ gunicorn -w 8 app:app &", "$ cat puma.conf\nworkers 2\nthreads 1", "2 processes against 8 processes"),
        ("$ node a.js &", "$ PORT=8080 pm2 start b.js -i 4", "4 processes against 1 process"),
        ("$ node a.js &", "$ PORT=8080 pm2 start b.js -i max", "all processes against 1 process"),
        (
            "$ kubectl scale deploy/a --replicas=6",
            "$ kubectl scale deploy/b --replicas=2",
            "2 processes against 6 processes",
        ),
        (UNIT.format("a", 9), UNIT.format("b", 3), "--workers 3 against --workers 9"),
        (COMPOSE.format(1, "512M"), COMPOSE.format(4, "2G"), "cpus=4, memory=2G against cpus=1, memory=512M"),
        (UPSTREAM, BACKEND, "1 backend against 2 backends"),
        ("$ node --inspect a.js &", "$ node b.js &", "without --inspect against --inspect"),
        (
            "$ uvicorn a:app --log-level debug &",
            "$ sanic b.app &",
            "without --log-level debug against --log-level debug",
        ),
        ("$ ./target/debug/a &", "$ ./target/release/b &", "without target/debug/ against target/debug/"),
        ("$ cargo build\n$ ./a &", "$ cargo build --release\n$ ./b &", "--release against without --release"),
        ("$ docker run -d --cpus=1 acme/a:1", "$ docker run -d acme/b:1", "without --cpus=1 against --cpus=1"),
        ("$ export NODE_ENV=test\n$ node a.js &", "$ unset NODE_ENV\n$ node b.js &", "without NODE_ENV=test against"),
        (
            "$ java -agentlib:jdwp=server=y -jar a.jar &",
            "$ java -jar b.jar &",
            "without -agentlib:jdwp=server=y against",
        ),
        ("+ gunicorn -w 8 app:app -D", "+ uwsgi --http :8080 --processes 2 -d", "2 processes against 8 processes"),
        (
            "$ cat nginx.conf\nworker_processes 1;",
            "$ cat haproxy.cfg\nglobal\n  nbthread 8",
            "8 threads against 1 process",
        ),
        ("$ cat pm2.config.js\ninstances: 8,\n$ pm2 start a.js", "$ node b.js &", "1 process against 8 processes"),
        ("$ taskset -c 0 deno run a.ts &", "$ bun run a.ts &", "without taskset -c 0 against taskset -c 0"),
        (
            "$ docker run -d -m 1g -e A_PASSWORD=x a:1",
            "$ docker run -d -e B_PASSWORD=y b:1",
            "without -m 1g against -m 1g",
        ),
        ("gunicorn had 8 workers, uvicorn ran as 2 processes.", "", "2 processes against 8 processes"),
        ("gunicorn ran on my laptop, uvicorn on the big server.", "", "on the big server against on my laptop"),
        (
            "I switched off the access log in uvicorn; gunicorn logged every request.",
            "",
            "no access log against access log",
        ),
        ("gunicorn ran on one instance, uvicorn on four instances.", "", "4 instances against 1 instance"),
        ("gunicorn returns 1000 rows, uvicorn 50 rows.", "", "data 50 rows against data 1000 rows"),
        ("uvicorn uses a pool of 50 connections, gunicorn a pool of 5.", "", "50 pooled connections against 5"),
        (
            "gunicorn was loaded from one client machine. uvicorn was loaded from three client machines.",
            "",
            "3 machines against 1 machine",
        ),
        (
            "$ flask --app a run &",
            "$ gunicorn b:app &",
            "without development server against development server",
        ),
        ("$ php -S :8080 -t public &", "$ systemctl restart php-fpm", "against development server"),
        ("$ npm run dev &", "$ npm start &", "against development mode (run dev)"),
        ("$ bundle exec rails s &", "$ RAILS_ENV=production rails s &", "development server"),
        ("$ valgrind ./a &", "$ ./b &", "without valgrind against valgrind"),
        (
            "$ cat nginx.conf\nworker_processes 1;",
            "$ cat apache2.conf\nMaxRequestWorkers 256",
            "256 workers against 1 process",
        ),
        (
            "$ cat Caddyfile\n:80 {\n  log {\n  }\n}",
            "$ cat nginx.conf\naccess_log off;",
            "access log off against access log on",
        ),
        (
            "$ cat nginx.conf\nhttp {\n    keepalive_timeout 0;\n}",
            "$ cat apache2.conf\nKeepAlive On\nKeepAliveTimeout 5",
            "keep-alive on against keep-alive off",
        ),
        (
            "$ cat /etc/nginx/nginx.conf\nkeepalive_timeout 65;",
            "$ cat /etc/nginx/nginx.conf\nkeepalive_timeout 0s;",
            "keep-alive off against keep-alive on",
        ),
    ],
)
def test_what_was_another_before_the_other_config_is_in_the_sentence(one, other, said):
    found = headline_of(one, other)
    assert tells_condition(found) and said in found.sentence


@pytest.mark.parametrize(
    ("one", "other", "names"),
    [
        ("$ uname -r\n6.1.0-18-amd64", "$ uname -r\n6.8.0-31-generic", ("kernel 6.1", "kernel 6.8")),  # is compared
        ("$ java -XX:+UseG1GC -jar app.jar &", "$ java -XX:+UseZGC -jar app.jar &", ("G1", "ZGC")),
        ("$ uvicorn app:app &", "$ uvicorn app:app --workers 4 &", ("before", "after")),  # nothing else is told of them
        ("$ uname -r\n6.1.0-18-amd64", "$ uname -r\n6.1.0-18-amd64", ("a1", "b1")),
        ("$ uname -r\n6.1.0-18-amd64", "", ("php", "ruby")),  # nobody knows of the other
        (
            "$ php -i | grep opcache.enable\nopcache.enable => Off => Off",
            "$ php -i | grep opcache.enable\nopcache.enable => On => On",
            ("before opcache.enable=1", "opcache.enable=1"),
        ),
        ("$ date\nMon Mar  4 09:00:11 CET 2024", "$ date\nMon Mar  4 09:10:42 CET 2024", ("php", "ruby")),
        ("$ node a.js --port 3000 &", "$ node a.js --port 3001 &", ("php", "ruby")),
        ("$ docker run -d --cpus=2 acme/api:1.4", "$ docker run -d --cpus=2 acme/api:1.5", ("1.4", "1.5")),
        ("$ redis-server --requirepass 4711 &", "$ redis-server --requirepass 4712 &", ("php", "ruby")),
        (
            "$ cat /etc/a.conf\npassword = 4711\nretries = 3",
            "$ cat /etc/b.conf\npassword = 4712\nretries = 3",
            ("php", "ruby"),
        ),
        ("$ PORT=3000 node a.js &", "$ PORT=3001 node b.js &", ("php", "ruby")),
        ("$ gunicorn -w 4 a:app &", "$ uwsgi --http :8080 --processes 4 &", ("gunicorn", "uwsgi")),
        ("$ node a.js &", "$ pm2 start a.js -i 4", ("one process", "cluster of 4")),
        (POOL.format("7.4", 20), POOL.format("8.2", 20), ("PHP 7.4", "PHP 8.2")),
        (POOL.format("8.2", 5), POOL.format("8.2", 40), ("stock", "tuned")),
        (
            UPSTREAM,
            "$ cat /etc/apache2/site.conf\n<VirtualHost *:80>\n  DocumentRoot /srv\n</VirtualHost>",
            ("nginx", "Apache"),
        ),
        ("$ cargo build --release\n$ ./a &", "$ cargo build --release\n$ ./b &", ("actix", "axum")),
        ("$ flask run &", "$ python manage.py runserver &", ("flask", "django")),
        ("$ php -S :8080 &", "$ systemctl restart php-fpm", ("built-in server", "php-fpm")),
        (
            "$ cat nginx.conf\nworker_processes 4;",
            "$ cat mpm.conf\nThreadsPerChild 64\nMaxRequestWorkers 256",
            ("nginx", "apache"),
        ),
        ("$ flask --debug run &", "$ flask run &", ("Flask (debug)", "Flask (production)")),
        (MPM.format("prefork", 5), MPM.format("event", 2), ("prefork", "event")),
        (PODS.format("a", "requests", "500m"), PODS.format("b", "requests", "2000m"), ("php", "ruby")),
        (PODS.format("a", "limits", "500m"), PODS.format("b", "limits", "500m"), ("php", "ruby")),
        (PODS.format("a", "limits", "500m"), "", ("php", "ruby")),  # nobody knows of the other
        (SERVICE.format("a", "a", "CPUQuota=50%\n"), SERVICE.format("a", "a", ""), ("CPU quota 50%", "no CPU quota")),
        (CPU_MAX.format("a", 50000), CPU_MAX.format("b", 50000), ("tomcat 9", "tomcat 10")),
        (HEAD.format("200 OK", "Content-Encoding: gzip"), HEAD.format("200 OK", ""), ("gzip on", "gzip off")),
        (HEAD.format("200 OK", "Content-Encoding: br"), HEAD.format("200 OK", ""), ("brotli on", "brotli off")),
        (HEAD.format("200 OK", "Via: 1.1 squid"), HEAD.format("200 OK", "Via: 1.1 squid"), ("php", "ruby")),
        ("$ wc -l items.csv\n1004 items.csv", "$ wc -l items.csv\n1001 items.csv", ("php", "ruby")),
        ("$ wc -l access.log\n1004003 access.log", "$ wc -l access.log\n11 access.log", ("php", "ruby")),
        ("$ cat nginx.conf\nkeepalive_timeout 65;", "$ cat apache2.conf\nKeepAliveTimeout 5", ("nginx", "apache")),
        ("$ cat a.conf\nkeepalive_timeout 0;", "$ cat a.conf\nkeepalive_timeout 9;", ("stock", "tuned")),
        (
            "$ cat a.conf\nkeepalive_timeout 0;",
            "$ cat a.conf\nkeepalive_timeout 9;",
            ("nginx, no keep-alive", "nginx, keep-alive"),
        ),
    ],
)
def test_what_is_compared_or_the_same_or_changes_by_itself_is_no_condition(one, other, names):
    assert not tells_condition(headline_of(one, other, names))


ROWS = "mysql> select count(*) from orders;\n+----------+\n| count(*) |\n+----------+\n| {:>8} |\n+----------+\n"
PSQL = "$ psql -c 'select count(*) from t'\n count \n-------\n {:>5}\n(1 row)\n"
CMDLINE = "$ cat /proc/cmdline\nBOOT_IMAGE=/vmlinuz-6.1.0-18-amd64 root=/dev/mapper/vg0-root ro quiet{}\n"
GOVERNOR = "$ cat /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor\n{}\n"
HEADERS = "$ curl -sI http://localhost:8080/\nHTTP/1.1 200 OK\nContent-Type: text/html\n{}\n"


@pytest.mark.parametrize(
    ("slow", "fast", "said"),
    [
        ("$ cargo run\n   Compiling a v0.1.0\n", "$ cargo run --release\n   Compiling b v0.1.0\n", "--release against without"),
        ("$ uname -r\n6.1.0-18-amd64", "$ uname -r\n6.8.0-31-generic", "kernel 6.8.0-31-generic against kernel 6.1"),
        (GOVERNOR.format("powersave"), GOVERNOR.format("performance"), "governor differs: performance against powersave"),
        (CMDLINE.format(""), CMDLINE.format(" mitigations=off"), "but mitigations=off against without mitigations=off"),
        (HEADERS.format("X-Cache: MISS"), HEADERS.format("X-Cache: HIT"), "from a cache: a hit against no hit"),
        (ROWS.format(1204331), ROWS.format(250), "about 200 rows of orders against about 1,000,000 rows of orders"),
        (PSQL.format(90000), PSQL.format(90), "about 90 rows of t against"),
        (SIZE.format("12 GB"), SIZE.format("9 MB"), "size of the data differs: 9 against 12,288 MiB"),
        (SIZE.format("6.1 GB"), SIZE.format("8.9 GB"), ""),
        (GZIP.format("on"), GZIP.format("off"), "gzip=off against gzip=on"),
        (SCAN.format("Seq Scan on t"), SCAN.format("Index Scan using a on t"), "index scan of t against sequential scan"),
        (SCAN.format("Index Only Scan using a on t"), SCAN.format("Index Scan using a on t"), ""),
        (DEPLOYED.format(1), DEPLOYED.format(5), "5 replicas of api against 1 replica of api"),
        (DEPLOYED.format(5), DEPLOYED.format(5), ""),
        (SIZE.format("12 GB"), SIZE.format("12 GB"), ""),
        (ROWS.format(1204331), ROWS.format(1204398), ""),
        (GOVERNOR.format("performance"), GOVERNOR.format("performance"), ""),
        (HEADERS.format("X-Cache: MISS"), HEADERS.format("X-Cache: MISS"), ""),
    ],
)  # fmt: skip
def test_what_was_shown_once_for_each_side_is_its_own_where_both_are_run_in_turn(slow, fast, said):
    shown, rates = {"actix": slow, "hyper": fast}, {"actix": (900, 905, 903), "hyper": (1200, 1210, 1204)}
    order = [(at, name) for at in range(3) for name in (("actix", "hyper"), ("hyper", "actix"))[at % 2]]
    sections = [f"## {name}\n\n{'' if at else shown[name]}\n{WRK}\n@wrk {rates[name][at]}.10\n\n" for at, name in order]
    headline = judge("".join(sections))
    assert headline.outcome == ("likely" if said else "better")
    assert said in headline.sentence


@pytest.mark.parametrize(("model", "is_said"), [("", True), ("Intel(R) Xeon(R) E-2236 CPU @ 3.40GHz", False)])
def test_machines_of_other_names_are_told_unless_they_are_shown_to_be_alike(model, is_said):
    """Made: each loads itself."""
    shown = f"$ lscpu\nCPU(s):              8\nModel name:          {model}\n\n" if model else ""
    text = "".join(
        f"## {name}\n\n" + f"{shown}{WRK}@wrk {{}}.10\n\n".replace("$", f"root@{host}:~#") * 3
        for name, host in (("Redis 6", "old-nas"), ("Redis 7", "epyc-3"))
    )
    headline = judge(text.format(900, 905, 903, 1200, 1210, 1204))
    assert headline and ("machine differs: epyc-3 against old-nas" in headline.sentence) is is_said


@pytest.mark.parametrize(
    ("one", "other", "names", "is_told"),
    [
        ("$ gunicorn -k sync a:app &", "$ gunicorn -k sync a:app &", ("sync", "gevent"), True),
        ("$ gunicorn -k sync a:app &", "$ gunicorn -k gevent a:app &", ("sync", "gevent"), False),
        ("$ gunicorn a:app &", "$ gunicorn a:app &", ("sync", "gevent"), False),  # set elsewhere
        ("$ nginx -c /etc/a.conf", "$ nginx -c /etc/a.conf", ("nginx", "varnish"), False),  # may stand before both
        ("$ gunicorn -k sync a:app &", "", ("sync", "gevent"), False),
        ("$ gunicorn -b :8080 app:app &", "$ gunicorn -b :8080 app:app &", ("master", "branch b"), False),
        ("$ gunicorn -b :8080 app:app &", "$ gunicorn -b :8080 app:app &", ("a", "b"), False),
    ],
)
def test_a_side_that_was_started_by_the_command_of_the_other_was_not_measured(one, other, names, is_told):
    found = headline_of(one, other, names)
    said = f"“{names[1]}” was started by the command of “{names[0]}”" in found.sentence
    assert (found.outcome, said) == (("likely", True) if is_told else ("better", False))


@pytest.mark.parametrize(("cores", "said"), [((2, 8), "8 cores against 2 cores"), ((8, 8), "")])
def test_cores_that_were_shown_below_the_load_tests_of_each_side_are_its_own(cores, said):
    """Made."""
    sides = [
        f"## {name}\n\n" + "".join(f"{WRK}@wrk {rate + n}.10\n\n" for n in (0, 5, 3)) + f"$ nproc\n{n_cores}\n\n"
        for name, rate, n_cores in zip(("Flask", "FastAPI"), (900, 1200), cores, strict=True)
    ]
    headline = judge("".join(sides))
    assert (headline.outcome, said in headline.sentence) == ("likely" if said else "better", True)


@pytest.mark.parametrize(("prompt", "outcome"), [("user@loadgen:~$", "better"), ("root@web1:~#", "likely")])
def test_cores_of_the_machine_that_made_the_load_are_no_condition_of_a_config(prompt, outcome):
    """Made."""
    load = "user@loadgen:~$ wrk -t2 -c10 -d5s http://web1/\n@wrk {}.10 host=web1\n\n"
    sides = [
        f"## {name}\n\n{asks} nproc\n{cores}\n\n" + "".join(load.format(rate + n) for n in (0, 5, 3))
        for name, asks, cores, rate in (("Caddy", "root@web1:~#", 8, 900), ("nginx", prompt, 4, 1200))
    ]
    headline = judge("".join(sides))
    assert headline.outcome == outcome


@pytest.mark.parametrize(
    ("text", "slow", "fast", "said"),
    [
        (NGINX, "/var/log/nginx/access.log", "off", "access log off against access log on"),
        (POSTGRES, "on", "off", "fsync=off against fsync=on"),
        (LIMITS, "500m", "4", "cpu=4 against cpu=500m"),
    ],
)
def test_files_of_one_name_that_set_unlike_software_otherwise_are_told(text, slow, fast, said):
    """Made. Where the configs are named after no software, the files are what is compared."""
    found = headline_of(text.format(slow), text.format(fast), names=("Django", "Rails"))
    assert (found.outcome, said in found.sentence) == ("likely", True)
    assert headline_of(text.format(fast), text.format(fast), names=("Django", "Rails")).outcome == "better"
    assert headline_of(text.format(slow), text.format(fast), names=("before", "after")).outcome == "better"


@pytest.mark.parametrize(
    ("queries", "outcome"),
    [
        (("limit=1000", "limit=10"), "likely"),
        (("page=2&limit=10", "page=1&limit=10"), "better"),
        (("q=a", "q=b"), "better"),
    ],
)
def test_a_query_for_another_number_of_things_may_be_all_of_a_lead(queries, outcome):
    """Made."""
    sides = [
        f"## {name}\n\n"
        + "".join(f"$ wrk http://h/a?{query}\n@wrk {rate + n}.10 host=h path=/a?{query}\n\n" for n in (0, 5, 3))
        for name, rate, query in zip(("Flask", "FastAPI"), (900, 1200), queries, strict=True)
    ]
    headline = judge("".join(sides))
    assert (headline.outcome, "path differs" in headline.sentence) == (outcome, True)


GIT = "$ git status -sb | head -1\n## {}\n$ git log -1 --oneline\n{} Cache routes"
API = "$ /opt/api --version\napi version {}"


@pytest.mark.parametrize(
    ("one", "other", "names", "is_told"),
    [
        (GIT.format("main...origin/main", "9ab12cd"), GIT.format("main", "9ab12cd"), ("main", "faster-routes"), True),
        ("$ git branch\n* main\n  quick", "$ git branch --show-current\nmain", ("main", "quick"), True),
        (GIT.format("main", "9ab12cd"), GIT.format("quick", "4e01fa2"), ("main", "quick"), False),
        (GIT.format("main", "9ab12cd"), GIT.format("main", "4e01fa2"), ("main", "quick"), False),
        (GIT.format("main", "9ab12cd"), "", ("main", "quick"), False),
        (GIT.format("main", "9ab12cd"), GIT.format("main", "9ab12cd"), ("main", "patched"), False),  # not committed
        (
            GIT.format("main", "9ab12cd"),
            GIT.format("main", "9ab12cd") + "\n$ git diff --stat\n a.go | 4 ++--",
            ("main", "quick"),
            False,
        ),
        (API.format("2.3.1"), API.format("2.3.1"), ("api 2.3.1", "api 2.4.0"), True),
        (API.format("2.3.1"), API.format("2.4.0"), ("api 2.3.1", "api 2.4.0"), False),
        (API.format("2.3.1"), "", ("api 2.3.1", "api 2.4.0"), False),  # whatever runs now
        (API.format("2.3.1"), API.format("2.3.1"), ("api 2.3.1", "proxy 1.2.0"), False),
    ],
)
def test_a_side_that_was_shown_as_the_version_or_branch_of_the_other_was_not_measured(one, other, names, is_told):
    found = headline_of(one, other, names)
    said = f"“{names[1]}” was shown as the version or branch “{names[0]}”" in found.sentence
    assert (found.outcome, said) == (("likely", True) if is_told else ("better", False))


PORTS = "# Two servers\n\nnginx listens on port 8081, caddy on port 8082.\n\n"


@pytest.mark.parametrize("ports", [(8082, 8081), (8081, 8082), (8081, 8081)])
def test_a_config_that_was_loaded_at_the_port_of_another_one_is_told(ports):
    loads = "".join(
        f"## {name}\n\n" + "".join(f"$ wrk http://a:{port}/\n@wrk {rate + n}.10 host=a:{port}\n\n" for n in range(3))
        for name, port, rate in zip(("nginx", "caddy"), ports, (900, 1200), strict=True)
    )
    headline = judge(PORTS + loads)
    said = "“caddy” was loaded at the port that the text gives “nginx”"
    assert headline and (said in headline.sentence) is (ports[1] == 8081)


TABLE = "| Framework | Requests/s |\n|---|---|\n| rails | 1200 |\n| phoenix{} | 9800 |\n\n{}\n"


@pytest.mark.parametrize(
    ("mark", "below", "is_told"),
    [
        ("*", "\\* with caching enabled", True),
        ("†", "† with caching enabled", True),
        (" [1]", "[1]: with caching enabled", True),
        ("*", "Nothing else is known.", False),
        ("", "* with caching enabled", False),
        ("*", "* first\n* second", False),  # a list
        ("*", "\\* mean of 3 runs", None),
        ("*", "\\* Median over five repeats, 30 s each.", None),
    ],
)
def test_the_footnote_of_one_row_of_a_table_is_told(mark, below, is_told):
    headline = judge(TABLE.format(mark, below))
    assert headline and ("“with caching enabled” against no such footnote" in headline.sentence) is bool(is_told)
    assert headline and ("footnote" in headline.sentence) is bool(is_told)


def test_a_server_s_keep_alive_is_no_condition_of_clients_that_ask_for_none():
    found = [
        headline_of("$ cat nginx.conf\nkeepalive_timeout 0;", "$ cat a.conf\nKeepAlive On", load=load)
        for load in ("$ ab -n 900 -c 9 http://a/\n@ab {}", "$ ab -k -n 900 -c 9 http://a/\n@ab {} keep=1")
    ]
    assert [tells_condition(one) for one in found] == [False, True]


def test_a_setting_of_one_file_is_told_where_the_configs_are_named_after_something_else_that_it_shows():
    found = headline_of(POOL.format("7.4", 5), POOL.format("8.2", 40), ("PHP 7.4", "PHP 8.2"))
    assert write_lead(found).line.endswith(", but pm.max_children=40 against pm.max_children=5")
    found = headline_of("$ docker run -d --cpus=1 a:1", "$ docker run -d --cpus=4 a:2", ("node 18", "node 20"))
    assert tells_condition(found) and "--cpus=4 against --cpus=1" in found.sentence
    found = headline_of("The figures of Gin were taken with debug logging.", "", ("Gin", "Echo"))
    assert "the text tells of debug logging beside “Gin” only" in found.sentence
    found = headline_of("$ go build -race\n$ ./app &", "$ go build\n$ ./app &", ("go 1.20", "go 1.22"))
    assert tells_condition(found) and "without -race against -race" in found.sentence
    found = headline_of("$ GIN_MODE=debug ./a &", "$ ./b &", ("Gin", "Echo"))
    assert tells_condition(found) and "without GIN_MODE=debug against GIN_MODE=debug" in found.sentence
    found = headline_of("$ RAILS_ENV=development puma &", "$ LOTUS_ENV=production puma &", ("Rails", "Lotus"))
    assert "LOTUS_ENV=production against RAILS_ENV=development, which could be all of it" in found.sentence


@pytest.mark.parametrize("server", ["", "adm@shop:~$ nproc\n8\n\n"])
def test_load_generators_that_the_configs_were_loaded_from_are_told(server):
    """Each at its own prompt: what is shown there is none of the machine under load."""
    sections = [
        f"## {name}\n\neva@{client}:~$ nproc\n{cores}\n"
        f"eva@{client}:~$ wrk -t2 -c10 -d5s http://shop:8080/\n@wrk {rate} host=shop:8080\n"
        for name, client, cores, rate in (("php", "small", 2, "900.50"), ("ruby", "big", 16, "950.50"))
    ]
    blocks, draft = read(expand(server + "\n".join(sections)))
    (experiment,) = draft.experiments
    names = {host.key: host.name for host in draft.hosts} | {"": ""}
    assert {names[run.host or experiment.host] for run in experiment.runs} == {"shop" if server else ""}
    headline = judge_draft(Preview(None, blocks, draft, [], None), experiment)
    assert headline and "load generator differs: big (16 cores) against small (2 cores)" in headline.sentence


def test_a_load_generator_that_one_side_confined_to_a_core_is_told():
    confined = WRK.replace("$ wrk", "$ taskset -c 0 wrk")
    text = f"## go\n{confined}@wrk 900.10\n## rust\n{WRK}@wrk 950.10\n"
    headline = judge(text)
    assert headline and "load generator differs: all of it against taskset -c 0" in headline.sentence


@pytest.mark.parametrize("is_behind", [False, True])
def test_the_server_that_headers_beside_a_load_name_is_told_where_the_config_is_named_after_another(is_behind):
    headers = "$ curl -sI http://localhost:8080/\nHTTP/1.1 200 OK\nServer: {}\nContent-Type: text/html\n\n"

    def sentence(first, second):
        parts = [
            f"## {name}\n\n{''.join((load, shown) if is_behind else (shown, load))}\n"
            for name, load, shown in (
                ("nginx", f"{WRK}@wrk 900.10\n\n", headers.format(first)),
                ("caddy", f"{WRK}@wrk 950.10\n\n", headers.format(second)),
            )
        ]
        headline = judge("".join(parts))
        assert headline
        return headline.sentence

    assert "“nginx/1.24.0” answered for “caddy”" in sentence("nginx/1.24.0", "nginx/1.24.0")
    assert "answered for" not in sentence("nginx/1.24.0", "Caddy")


BEFOREHAND = {
    "the page cache was emptied": "{prompt}sync; echo 3 > /proc/sys/vm/drop_caches\n",
    "the machine was up for 1 min": "$ uptime\n 10:00:01 up 1 min,  1 user,  load average: 0.81, 0.20, 0.10\n\n",
    "the load average was 9.81": "$ uptime\n 10:00:01 up 12 days,  3:04,  1 user,  load average: 9.81, 8.70, 7.02\n\n",
    "the server was up for 3s": "$ systemctl status web\n● web.service - The web server\n     Loaded: loaded (enabled)\n"
    "     Active: active (running) since Fri 2026-11-20 10:00:01 UTC; 3s ago\n\n",
    "the server was up for 2 seconds": "$ docker ps\nID   IMAGE   COMMAND   CREATED         STATUS         PORTS    NAMES\n"
    'f00dcafe0123   web     "web"     3 seconds ago   Up 2 seconds   80/tcp   web\n\n',
}


@pytest.mark.parametrize("prompt", ["$ sudo sh -c '", "# "])
@pytest.mark.parametrize("what", BEFOREHAND)
def test_what_slows_the_runs_of_one_side_alone_is_said(what, prompt):
    """Made. Of several alike runs the first one shows that it slowed none, unless what loaded the machine goes on."""

    def judge_rates(before, slow, fast="", rates=(900, 901, 902)):
        runs = "".join(f"{WRK}\n@wrk {rate}.10\n\n" for rate in rates)
        text = f"## ext4\n\n{before}{runs}## xfs\n\n{fast}{runs.replace(' 9', ' 13')}"
        return judge(text)

    before, said = BEFOREHAND[what].format(prompt=prompt), f"{what} just before a run of “ext4” only"
    assert said in judge_rates(before, "", rates=[900]).sentence
    alike = judge_rates(before, "")
    assert (alike.outcome, said in alike.sentence) == (("likely", True) if "load" in what else ("better", False))
    if "load" not in what:  # behind the first load test it is that one's
        assert said not in judge_rates(before, "", before, rates=[900]).sentence
    assert judge_rates("", "", before).outcome == "better"


def test_a_first_run_that_an_emptied_page_cache_made_slow_is_said_to_be_all_of_the_lead():
    emptied = BEFOREHAND["the page cache was emptied"].format(prompt="# ")
    text = f"## ext4\n\n{emptied}" + "".join(f"{WRK}\n@wrk {rate}.10\n\n" for rate in (410, 900, 905, 902))
    text += "## xfs\n\n" + "".join(f"{WRK}\n@wrk {rate}.10\n\n" for rate in (940, 941, 945, 942))
    found = judge(text)
    said = "One run of “ext4” alone decides which is ahead, and the page cache was emptied just before it."
    assert said in found.sentence
    assert found.next.text.startswith("Begin the runs of both alike")


@pytest.mark.parametrize(
    ("nginx", "apache", "is_swapped"), [("702", "902", False), ("902", "702", True), ("700", "900", False)]
)
def test_a_table_that_has_the_sides_the_other_way_round_leaves_a_lead_likely(nginx, apache, is_swapped):
    reports = "".join(
        f"## {server}\n\n" + "".join(f"@ab {rate + at}.00 server=\n" for at in (0, 5, 2)) + "\n"
        for server, rate in (("nginx", 700), ("Apache", 900))
    )
    table = f"| server | requests per second |\n|---|---|\n| nginx | {nginx} |\n| Apache | {apache} |\n"
    headline = judge(reports + table)
    assert (headline.outcome, "which reverses their order" in headline.sentence) == (
        ("likely", True) if is_swapped else ("better", False)
    )


@pytest.mark.parametrize(
    ("limit", "is_said"),
    [
        ("limit_req zone=one burst=50;", True),
        ("limit_rate 100k;", True),
        ("limit_rate 0;", False),
        ("# limit_req zone=one;", False),
    ],
)
def test_a_rate_limit_in_the_config_text_of_one_server_may_be_all_of_the_lead(limit, is_said):
    """Made."""
    nginx = f"$ cat /etc/nginx/nginx.conf\nserver {{\n    listen 80;\n    {limit}\n    root /var/www;\n}}\n\n"
    caddy = "$ cat /etc/caddy/Caddyfile\n:80 {\n  root * /var/www\n  file_server\n}\n\n"
    reports = "".join(
        f"## {server}\n\n{shown}" + "".join(f"{WRK}\n@wrk {rate + at}.10\n\n" for at in (0, 5, 2))
        for server, shown, rate in (("nginx", nginx, 700), ("Caddy", caddy, 900))
    )
    found = judge(reports)
    assert ("without rate limit against rate limit" in found.sentence) is is_said


@pytest.mark.parametrize(
    ("one", "other", "names", "is_said"),
    [
        ("limit_req zone=a burst=20;", "", ("Express", "Fastify"), True),
        ("limit_req zone=a burst=20;", None, ("Express", "Fastify"), True),
        ("# limit_req zone=a burst=20;", None, ("Express", "Fastify"), False),
        ("limit_req zone=a burst=20;", "limit_req zone=a burst=20;", ("Express", "Fastify"), False),
        ("limit_req zone=a burst=20;", "", ("with limits", "without limits"), False),
        ("limit_req zone=a burst=20;", "", ("before", "after"), False),
    ],
)
def test_a_rate_limit_in_one_of_two_files_of_one_name_may_be_all_of_the_lead(one, other, names, is_said):
    shown = "$ cat /etc/nginx/conf.d/default.conf\nserver {{\n    listen 8080;\n    {}\n}}\n"
    found = headline_of(shown.format(one), "" if other is None else shown.format(other), names)
    assert ("without rate limit against rate limit" in found.sentence) is is_said


@pytest.mark.parametrize(
    ("told", "is_reversed"),
    [
        ("| server | requests per second |\n|---|---|\n| nginx | 3120 |\n| Apache | 1890 |\n", True),
        ("nginx handled 902 requests per second and Apache only 702 requests per second.\n", True),
        ("nginx reached 902 req/s while Apache got 702 req/s.\n", True),
        ("Apache reached 902 req/s, nginx only 702 req/s.\n", False),
    ],
)
def test_rates_of_a_table_or_sentence_that_no_repeat_has_leave_a_lead_likely(told, is_reversed):
    """Made: swapped in a sentence, or of no report."""
    reports = "".join(
        f"## {server}\n\n" + "".join(f"@ab {rate + at}.00 server=\n" for at in (0, 5, 2)) + "\n"
        for server, rate in (("nginx", 700), ("Apache", 900))
    )
    found = judge(f"{reports}## Results\n\n{told}")
    assert (found.outcome, "which reverses their order" in found.sentence) == (
        ("likely", True) if is_reversed else ("better", False)
    )
    ends = write_lead(found).under.endswith("but the text's own figures reverse their order.")
    assert ends is is_reversed


@pytest.mark.parametrize(
    "told",
    [
        "| server | requests per second |\n|---|---|\n| nginx | 9400 |\n| Apache | 5200 |\n",
        "nginx served 9,400 requests per second, Apache 5,200 requests per second.\n",
    ],
)
def test_a_rate_of_a_table_or_sentence_that_contradicts_the_report_is_told(told):
    text = f"{told}\n## nginx\n\n@ab 4100.00\n\n## Apache\n\n@ab 5200.00 server=Apache/2.4\n"
    headline = judge(text)
    assert ("load.told_otherwise", "nginx") in [(one.rule, one.config) for one in headline.against]


def test_the_day_at_the_end_of_a_heading_is_the_run_s_and_no_name():
    text = "".join(
        f"## {name} (run on 2024-0{month}-01 10:00)\n\n@ab {rate}.00\n\n"
        for name, month, rate in (("old", 3, 3000), ("new", 5, 3400))
    )
    blocks, draft = read(expand(text))
    assert [f"{at:%m-%d}" for _, at in find_dates(blocks)] == ["03-01", "05-01"]
    assert [config.name for config in draft.experiments[0].configs] == ["old", "new"]


@pytest.mark.parametrize(
    ("option", "outcome"),
    [(' -H "Connection: close"', "not_comparable"), (" -disable-keepalive", "not_comparable"), ("", "better")],
)
def test_connections_that_the_command_of_one_side_closes_stop_their_comparison(option, outcome):
    hey = "$ hey{} -n 900 -c 10 http://localhost:8080/\n\nSummary:\n  Total:\t{:.4f} secs\n  Requests/sec:\t{:.4f}\n\n"
    hey += "Latency distribution:\n  50% in 0.0100 secs\n\n"
    sides = [("Koa", option, 700), ("Hono", "", 900)]
    text = "".join(
        f"## {name}\n\n" + "".join(hey.format(said, 900 / (rate + at), rate + at) for at in (0, 3, 1))
        for name, said, rate in sides
    )
    found = judge(text)
    assert found.outcome == outcome


@pytest.mark.parametrize(
    ("asks", "one", "other", "said"),
    [
        ("psql -Atc 'show fsync'", "on", "off", "fsync=off against fsync=on"),
        (
            "psql -c 'SHOW fsync;'",
            " fsync \n-------\n on\n(1 row)",
            " fsync \n-------\n off\n(1 row)",
            "fsync=off against",
        ),
        ("mysql -e \"show variables like 'sync_binlog'\"", "sync_binlog\t1", "sync_binlog\t0", "sync_binlog=0 against"),
        ("mysql -e 'select @@sync_binlog'", "| 1 |", "| 0 |", "sync_binlog=0 against"),
        (
            "redis-cli config get appendonly",
            '1) "appendonly"\n2) "yes"',
            '1) "appendonly"\n2) "no"',
            "appendonly=no against",
        ),
        ("sqlite3 a.db 'pragma synchronous'", "2", "0", "synchronous=0 against"),
        ("psql -Atc 'show fsync'", "on", "on", ""),
        ("psql -Atc 'select 1'", "1", "2", ""),
        ("curl -s http://localhost:8080/", '[{"id":1}]', '{"error":"no database"}', "an error page against"),
        ("curl -s http://localhost:8080/", '{"status":"ok"}', '{"status":"error","items":[]}', "an error page against"),
        ("curl -s http://localhost:8080/", '{"id":1}', '{"error":null,"id":2}', ""),
        ("curl -s http://localhost:8080/", '{"errors":[],"id":1}', '[{"error":"in a log"}]', ""),
    ],
)
def test_what_a_database_or_a_page_answers_one_side_alone_may_be_all_of_the_lead(asks, one, other, said):
    found = headline_of(f"$ {asks}\n{one}\n", f"$ {asks}\n{other}\n")
    assert tells_condition(found) is bool(said)
    assert said in found.sentence


def test_a_setting_of_a_database_that_the_configs_are_named_after_is_what_is_compared():
    shown = [f"$ psql -Atc 'show fsync'\n{value}\n" for value in ("on", "off")]
    assert not tells_condition(headline_of(*shown, ("fsync on", "fsync off")))


@pytest.mark.parametrize(
    ("one", "other", "rules"),
    [
        (
            "$ cargo run\n    Finished dev [unoptimized + debuginfo] target(s) in 41.20s",
            "$ cargo run --release",
            ["differs"],
        ),
        ("$ ./start\n    Finished dev [unoptimized + debuginfo] target(s) in 41.20s", "", ["machine.disturbed"]),
        (
            "$ uname -r\n6.1.0\n$ ./start\n    Finished dev [unoptimized + debuginfo] target(s) in 41.20s",
            "$ uname -r\n6.8.0",
            ["differs", "machine.disturbed"],
        ),
    ],
)
def test_one_fact_that_a_command_and_its_output_tell_is_said_once(one, other, rules):
    found = headline_of(f"{one}\n", f"{other}\n", ("actix", "hyper"))
    told = [objection.rule for objection in found.against if objection.rule in ("differs", "machine.disturbed")]
    assert told == rules


@pytest.mark.parametrize(
    ("names", "outcome", "labels"),
    [
        (("HTTP/1.1", "HTTP/2"), "better", ["pipelining"]),
        (("Apache", "Caddy"), "not_comparable", ["pipelining", "protocol"]),
    ],
)
def test_the_streams_of_http2_are_told_beside_the_protocol_that_is_compared(names, outcome, labels):
    report = (
        "$ h2load -n 9000 -c 10 {} https://localhost/\n\nfinished in {:.2f}s, {:.2f} req/s, 9.00MB/s\n"
        "requests: 9000 total, 9000 started, 9000 done, 9000 succeeded, 0 failed, 0 errored, 0 timeout\n"
        "status codes: 9000 2xx, 0 3xx, 0 4xx, 0 5xx\n\n"
    )
    text = "".join(
        f"## {name}\n\n" + "".join(report.format(said, 9000 / (rate + at), rate + at) for at in (0, 5, 2))
        for name, said, rate in zip(names, ("--h1", "-m 10"), (700, 900), strict=True)
    )
    found = judge(text)
    assert (found.outcome, [objection.label for objection in found.against if objection.rule == "differs"]) == (
        outcome,
        labels,
    )


@pytest.mark.parametrize(("one", "other"), [("256", "65536"), ("65536", "65536")])
def test_what_was_asked_below_the_load_tests_of_each_section_is_of_that_section(one, other):
    sections = (
        f"## {name}\n\n" + "".join(f"@ab {rate + at}.00 server=\n" for at in (0, 5, 2)) + f"\n$ ulimit -n\n{n}\n\n"
        for name, rate, n in (("php", 700, one), ("ruby", 900, other))
    )
    headline = judge("".join(sections))
    assert ("65536 against ulimit -n 256" in headline.sentence) is (one != other)
    assert headline.outcome == ("likely" if one != other else "better")


@pytest.mark.parametrize("names", [("v1", "v2"), ("A", "B"), ("old", "new")])
@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("{0} was loaded with 16 clients and {1} with 64 clients.", "64 clients against 16 clients"),
        ("{0} was loaded with 64 clients and {1} with 64 clients.", ""),
        ("The figures of {1} are peak rates; those of {0} are mean rates.", "peak rate against mean rate"),
        ("The figures of {1} are mean rates; those of {0} are mean rates.", ""),
    ],
)
def test_what_a_sentence_says_of_the_load_is_no_comparison_of_configs_with_names_that_tell_nothing(names, told, said):
    sections = (
        f"## {name}\n\n" + "".join(f"@line {rate + at}.00\n" for at in (0, 5, 2)) + "\n"
        for name, rate in zip(names, (700, 900), strict=True)
    )
    headline = judge("".join(sections) + f"\n{told.format(*names)}\n")
    assert (headline.outcome, said in headline.sentence) == ("likely" if said else "better", True)
