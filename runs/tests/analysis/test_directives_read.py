"""Config texts read as directives, dialect by dialect."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runs.analysis.dialects import DIALECTS, read, read_limits
from runs.analysis.directives import Parsed, is_elision


def settings_of(parsed: Parsed | None) -> dict[str, str]:
    """ "sections › name" -> value."""
    assert parsed is not None
    return {" › ".join((*one.path, one.name)): one.value for one in parsed.directives}


HTTPD = """\
# the main file
ServerRoot "/etc/httpd"
Timeout 60
<IfModule prefork.c>
    maxclients  256
</IfModule>
LogFormat "%h %l \\"%r\\"" \\
    combined
<VirtualHost *:80 >
    ServerName www.example.org
    <Directory "/var/www/my site">
        Options   Indexes FollowSymLinks
    </Directory>
</VirtualHost>
LoadModule wsgi_module modules/mod_wsgi.so
"""


def test_httpd_has_sections_quotes_and_lines_that_go_on():
    found = settings_of(read(HTTPD))
    assert found["ServerRoot"] == "/etc/httpd"
    assert found["<IfModule prefork.c> › maxclients"] == "256"
    assert found['<VirtualHost *:80> › <Directory "/var/www/my site"> › Options'] == "Indexes FollowSymLinks"
    assert found["LogFormat combined"].startswith('"%h %l')
    assert found["LoadModule wsgi_module"] == "modules/mod_wsgi.so"


NGINX = """\
user www-data;
events { worker_connections 768; } # at least
http {
    log_format main '$remote_addr - "$request" '
                    '$status';
    upstream app { server 127.0.0.1:8000 weight=2; server unix:/run/app.sock; }
    server {
        listen 80; server_name a.example.org;
        location ~ \\.php$ { fastcgi_param HTTPS ${scheme}x; }
    }
    server { listen 81; server_name b.example.org; include snippets/*.conf; }
}
"""


def test_nginx_has_blocks_and_its_servers_go_by_their_names():
    found = settings_of(read(NGINX))
    assert found["events › worker_connections"] == "768"
    assert found["http › log_format main"].count("$") == 3
    assert found["http › upstream app › server"] == "unix:/run/app.sock"
    assert found["http › server a.example.org › location ~ \\.php$ › fastcgi_param HTTPS"] == "${scheme}x"
    assert found["http › server b.example.org › include"] == "snippets/*.conf"


def test_nginx_servers_of_one_name_are_told_apart_by_where_they_listen():
    found = settings_of(
        read("server { listen 80; server_name x; root /a; }\nserver { listen 443; server_name x; root /b; }")
    )
    assert (found["server x 80 › root"], found["server x 443 › root"]) == ("/a", "/b")


def test_nginx_lua_is_one_value():
    text = (
        'location /x {\n  content_by_lua_block {\n    if a then ngx.say("}") end; local t = { 1 }\n  }\n  gzip on;\n}\n'
    )
    parsed = read(text.replace('"}"', '"x"'))
    assert [one.name for one in parsed.directives] == ["content_by_lua_block", "gzip"]
    assert [one.line for one in parsed.directives] == [1, 4]


LIGHTTPD = """\
server.modules = ( "mod_access",   # who may
                   "mod_fastcgi" )
server.modules += ( "mod_status" )
server.max-connections = 1024
$HTTP["host"] =~ "example\\.org$" {
    server.document-root = "/srv/" + "www"
} else $SERVER["socket"] == ":81" {
    dir-listing.activate = "enable"
}
fastcgi.server = ( ".php" => (( "socket" => "/run/php.sock", "max-procs" => 2 )) )
include "conf.d/*.conf"
"""


def test_lighttpd_has_arrays_conditions_and_what_is_added():
    parsed = read(LIGHTTPD)
    found = settings_of(parsed)
    assert [one.value for one in parsed.directives if one.name == "server.modules"] == [
        "mod_access",
        "mod_fastcgi",
        "mod_status",
    ]
    assert found["$HTTP[host] =~ example\\.org$ › server.document-root"] == "/srv/ + www"
    assert found["fastcgi.server › .php › socket"] == "/run/php.sock"
    assert found["fastcgi.server › .php › max-procs"] == "2"
    assert found["include"] == "conf.d/*.conf"


def test_php_ini_has_sections_and_quotes():
    found = settings_of(
        read('[PHP]\nmemory_limit = 128M ; enough\nerror_log = "a;b.log"\n[opcache]\nopcache.enable=1\n')
    )
    assert found == {
        "[PHP] › memory_limit": "128M",
        "[PHP] › error_log": "a;b.log",
        "[opcache] › opcache.enable": "1",
    }


def test_my_cnf_has_settings_without_a_value_and_two_ways_to_write_a_name():
    parsed = read("[mysqld]\nskip-networking\nmax-connections = 151\n", "/etc/mysql/my.cnf")
    assert [(one.name, one.value) for one in parsed.directives] == [("skip-networking", ""), ("max-connections", "151")]
    assert parsed.directives[1].key == "max_connections"


def test_sysctl_names_may_be_paths_and_devices_may_have_dots():
    found = settings_of(
        read(
            "net/core/somaxconn=1024\n-net.ipv4.tcp_rmem = 4096\t87380  6291456\nnet/ipv4/conf/eth0.1/forwarding = 1\n"
        )
    )
    assert found == {
        "net.core.somaxconn": "1024",
        "net.ipv4.tcp_rmem": "4096 87380 6291456",
        "net.ipv4.conf.eth0/1.forwarding": "1",
    }


def test_anything_with_keys_and_values_is_read_as_that():
    assert settings_of(read("workers = 4\nthreads: 2\nbind 0.0.0.0:8000\n")) == {
        "workers": "4",
        "threads": "2",
        "bind": "0.0.0.0:8000",
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# only a comment\n",
        '<Server port="1">\n  <Connector port="8080" maxThreads="150" />\n</Server>\n',
        '{"a": 1,\n "b": [2]}\n',
        "a:\n  b: 1\n  c:\n    - 2\n",
        "def f(x):\n    return x\n",
    ],
)
def test_what_no_dialect_fits_is_read_as_none(text):
    assert read(text) is None


def test_the_path_decides_where_the_look_of_a_text_fits_two():
    text = "[www]\npm = dynamic\npm.max_children = 5\n"
    assert read(text, "/etc/php/7.4/fpm/pool.d/www.conf").dialect == "ini"
    assert read("KeepAlive Off\n", "/etc/httpd/conf/httpd.conf").dialect == "httpd"


@pytest.mark.parametrize(
    "line",
    ["...", "…", "# ...", "[snip]", "(中略)", "〜省略〜", "-- snip --", "; 以下略", "... 省略 ...", "...(略)..."],
)
def test_lines_that_say_that_lines_are_missing(line):
    assert is_elision(line)
    assert read(f"KeepAlive On\n{line}\nTimeout 5\n").elided


@pytest.mark.parametrize("line", ["KeepAlive On", "#", "", "}", "# Listen 80", "include ...;"])
def test_lines_that_do_not(line):
    assert not is_elision(line)


def test_limits_name_what_bounds_concurrency_with_its_line():
    text = "KeepAlive On\n<IfModule mpm_worker_module>\n  ServerLimit 4\n  MaxRequestWorkers 25\n  MaxClients 100\n</IfModule>\n"
    found = read_limits(text)
    assert [(limit.name, limit.value, limit.line_offset) for limit in found] == [
        ("MaxRequestWorkers", 25, 3),
        ("MaxClients", 100, 4),
    ]
    assert found[0].section == ("<IfModule mpm_worker_module>",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (NGINX, [("worker_connections", 768)]),
        ("worker_processes auto;\nworker_connections 1024;\n", [("worker_connections", 1024)]),
        (LIGHTTPD, [("server.max-connections", 1024)]),
        ("maxconn = 128\n", [("maxconn", 128)]),
        ("[www]\npm.max_children = 5\n", [("pm.max_children", 5)]),
    ],
)
def test_limits_of_each_dialect(text, expected):
    assert [(limit.name, limit.value) for limit in read_limits(text)] == expected


LINES = st.lists(
    st.sampled_from(
        [
            *(HTTPD + NGINX + LIGHTTPD).split("\n"),
            *(
                "[a]",
                "k = v",
                "</x>",
                "}",
                "{",
                "(",
                ")",
                '"',
                "'",
                "\\",
                "...",
                "=>",
                "$HTTP[",
                "a += (",
                "else {",
                "\0",
            ),
        ]
    ),
    max_size=40,
)
TEXTS = st.one_of(st.text(max_size=300), LINES.map("\n".join))


@given(TEXTS)
@settings(deadline=None)
def test_any_text_is_read_by_every_dialect_without_a_complaint(text):
    read(text)
    read_limits(text)
    for dialect in DIALECTS:
        directives, unread = dialect.parse(text)
        assert all(0 <= one.line <= text.count("\n") for one in directives)
        assert all(0 <= at <= text.count("\n") for at in unread)


HOSTILE = {
    "braces": "{" * 50_000,
    "sections": "<a>\n" * 20_000,
    "parentheses": "(" * 50_000,
    "quotes": '"' * 50_001,
    "nested": "a = " + "(b => " * 9_000,
    "tag": "<" + "a" * 100_000,
    "tag and blanks": "<a" + " " * 100_000 + "x",
    "variables": "a " + "${" * 50_000,
    "blanks": "a" + " " * 100_000 + "x\ta",
    "escapes": "a '" + " \\'" * 30_000,
    "dots": "a." * 50_000 + "=",
    "lua": "x_by_lua_block {" * 20_000,
    "names": "a" * 100_000 + "_by_lua_block",
    "closing": "</a>\n<a>\n" * 10_000 + "}" * 10_000,
}


@pytest.mark.parametrize("parse", [*[dialect.parse for dialect in DIALECTS], read])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_time_in_proportion_to_its_length(name, parse):
    # Anything that grows with the square of these lengths would not end within the suite's patience.
    parse(HOSTILE[name])
    read_limits(HOSTILE[name])
