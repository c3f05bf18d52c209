"""Config texts of several configs, directive by directive."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runs.analysis.config_diff import ConfigDiff, FileDiff, compare_configs
from runs.analysis.facts import TextFact
from runs.analysis.summary_wording import describe_differences
from runs.tests.analysis.facts import configs

HTTPD = "Timeout 60\n<VirtualHost *:80>\n  KeepAlive On\n  ServerAlias a b\n</VirtualHost>\nMaxClients 150\nListen 80\nListen 81\n"


def text(config: int | None, content: str, path: str = "httpd.conf", line: int = 1) -> TextFact:
    return TextFact(config, path, content, f"/uploads/1/#L{line}", line)


def compared(*texts: TextFact) -> ConfigDiff:
    return describe_differences(compare_configs(configs("event", "worker", "prefork"), texts))


def one(*contents: str, path: str = "httpd.conf") -> FileDiff:
    return said_of(*contents, path=path)[0]


def said_of(*contents: str, path: str = "httpd.conf") -> tuple[FileDiff, str]:
    """What is found in one file of these contents, a config each, and its sentence."""
    config_diff = compared(*(text(at, content, path) for at, content in enumerate(contents, 1)))
    (file,) = config_diff.files
    return file, file.sentence


def told(found: FileDiff) -> dict[str, list[tuple[str, ...] | str]]:
    return {row.name: [cell.values if cell.state == "set" else cell.state for cell in row.cells] for row in found.rows}


def test_what_differs_is_a_row_with_a_column_for_each_config():
    found, sentence = said_of("Timeout 60\nKeepAlive On\n", "Timeout 5\nKeepAlive On\n", "Timeout 60\n")
    assert told(found) == {"Timeout": [("60",), ("5",), ("60",)], "KeepAlive": [("On",), ("On",), "not set"]}
    assert sentence.startswith("httpd.conf: 2 of 2 directives differ between event, worker and prefork")


def test_each_value_is_linked_to_its_line():
    found = compared(text(1, "# x\n\nTimeout 60\n", line=40), text(2, "Timeout 5\n", line=90)).files[0]
    sources = [cell.sources[0] for cell in found.rows[0].cells]
    assert [(source.line, source.url) for source in sources] == [(42, "/uploads/1/#L42"), (90, "/uploads/1/#L90")]


def test_identical_is_said():
    found, sentence = said_of(HTTPD, HTTPD)
    assert found.rows == ()
    assert "httpd.conf: identical in event and worker (5 directives compared)." in sentence


def test_comments_case_space_quotes_and_order_are_no_difference():
    other = "# other\nlisten 81\nMAXCLIENTS   150\n\n<virtualhost *:80 >\nServerAlias a   b\n keepalive On # no\n"
    other = other.replace(" # no", "") + '</VirtualHost>\nListen "80"\nTimeout 60\n'
    assert one(HTTPD, other).rows == ()


def test_sections_are_respected():
    found = one("<Directory /a>\nOptions None\n</Directory>\n", "<Directory /b>\nOptions None\n</Directory>\n")
    assert [(row.section, [cell.state for cell in row.cells]) for row in found.rows] == [
        ("<Directory /a>", ["set", "not set"]),
        ("<Directory /b>", ["not set", "set"]),
    ]


def test_the_order_of_rewrite_rules_counts():
    first, second = "RewriteRule ^/a /x", "RewriteRule ^/b /y"
    (row,) = one(f"RewriteEngine On\n{first}\n{second}\n", f"RewriteEngine On\n{second}\n{first}\n").rows
    assert row.order


def test_a_directive_that_got_another_name_is_the_same_one():
    found = one("MaxClients 150\nTimeout 5\n", "MaxRequestWorkers 400\nTimeout 5\n")
    assert told(found) == {"MaxClients, MaxRequestWorkers": [("150",), ("400",)]}


def test_what_is_missing_from_a_shortened_text_is_not_shown_rather_than_not_set():
    found, sentence = said_of("Timeout 60\nKeepAlive On\n", "Timeout 5\n...省略...\n")
    assert told(found) == {"Timeout": [("60",), ("5",)]}
    assert found.unshown == 1
    assert "1 directive cannot be compared" in sentence


def test_settings_quoted_without_their_file_are_an_excerpt():
    found, sentence = said_of("Timeout 60\nKeepAlive On\nListen 80\n", "Timeout 60\nKeepAlive On\n", path="")
    assert found.rows == ()
    assert sentence.startswith("config text: what is shown is identical in event and worker")


def test_lines_that_could_not_be_read_are_compared_as_they_stand():
    common = HTTPD + HTTPD + "= odd\n"
    assert one(common, common).rows == ()
    (row,) = one(common + "+ this\n", common).rows
    assert row.name == "lines that are no directive"
    assert [cell.values for cell in row.cells] == [("+ this",), ()]


def test_one_that_has_no_text_is_named():
    found = compared(text(1, HTTPD), text(2, HTTPD))
    assert found.files[0].sentence.endswith("prefork: no text of this kind.")


def test_a_text_that_only_one_config_has_is_said():
    found = compared(text(1, HTTPD))
    assert found.files == ()
    assert found.sentences == (
        "httpd.conf: only event shows it, so there is nothing to compare it with.",
        "worker and prefork: no config text.",
    )


def test_a_text_for_all_is_no_difference():
    assert compared(text(None, HTTPD)).sentences == (
        "httpd.conf is shown once, for no config in particular: no difference follows from it.",
    )


def test_a_file_shown_twice_for_no_config_in_particular_is_named_once():
    found = compared(text(None, HTTPD, line=1), text(None, HTTPD, line=90))
    assert [sentence.split(",")[0] for sentence in found.sentences] == ["httpd.conf is shown 2 times"]


def test_nothing_is_said_where_there_are_no_texts():
    assert compared() == ConfigDiff()


def test_files_correspond_by_path_then_name_then_dialect():
    found = compared(
        text(1, "worker_processes 1;\n", "/etc/nginx/nginx.conf"),
        text(1, "KeepAlive On\nTimeout 5\n", "/etc/httpd/vhost-1.conf"),
        text(2, "KeepAlive Off\nTimeout 5\n", "/opt/vhost-2.conf"),
        text(2, "worker_processes 2;\n", "/opt/nginx/nginx.conf"),
        text(3, "worker_processes 4;\n", "/etc/nginx/conf.d/tuned.conf"),
    )
    assert {file.dialect: [config.name for config in file.configs] for file in found.files} == {
        "nginx": ["event", "worker", "prefork"],
        "httpd": ["event", "worker"],
    }


def test_a_file_of_two_names_is_called_by_both():
    found = compared(text(1, HTTPD, "/etc/a-1.conf"), text(2, HTTPD, "/etc/a-2.conf"))
    assert found.files[0].sentence.startswith("a-1.conf / a-2.conf: identical in event and worker")


def test_of_two_texts_that_could_correspond_none_is_chosen():
    found = compared(text(1, HTTPD, "a.conf"), text(1, HTTPD, "b.conf"), text(2, HTTPD, "c.conf"))
    assert found.files == ()


def test_of_a_file_shown_twice_the_later_counts():
    found = compared(text(1, "Timeout 1\n", line=1), text(1, "Timeout 60\n", line=9), text(2, "Timeout 60\n"))
    assert found.files[0].rows == ()


def test_what_fits_no_dialect_is_compared_line_by_line():
    found, sentence = said_of('{"threads": 4,\n "tls": [1]}\n', '{"threads": 8,\n "tls": [1]}\n', path="app.json")
    assert [line for line in found.lines[0].lines if line[0] in "+-"] == [
        ("-", '{"threads": 4,'),
        ("+", '{"threads": 8,'),
    ]
    assert sentence == "app.json: the lines of event and worker differ. prefork: no text of this kind."


def test_huge_texts_without_directives_are_left_uncompared():
    found, sentence = said_of('{"a": 1}\n' * 2000, '{"a": 2}\n' * 2000, path="app.json")
    assert found.lines == ()
    assert sentence.startswith("app.json: the texts of event and worker are too long to be compared.")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("http { gzip on; server { listen 80; } }\n", "# x\nhttp {\n  server { listen 80; }\n  gzip 'on';\n}\n"),
        (
            'server.port = 80\nserver.modules = ("a","b")\n',
            'server.modules = ( "a" )\nserver.modules += ( "b" )\nserver.port=80\n',
        ),
        ("[PHP]\na = 1\nb = 2\n", '; x\n[PHP]\nb=2\na = "1"\n'),
        ("net.core.somaxconn=1\nvm.swappiness = 0\n", "vm/swappiness=0\nnet/core/somaxconn = 1\n"),
        ("workers = 4\nbind = x\n", "bind=x\nworkers 4\n"),
    ],
)
def test_each_dialect_knows_what_is_no_difference(a, b):
    assert one(a, b, path="x.conf").rows == ()


def test_an_address_far_down_names_its_page():
    found = compared(text(1, "Timeout 1\n", line=4000), text(2, "Timeout 2\n"))
    assert found.files[0].rows[0].cells[0].sources[0].url == "/uploads/1/?line=4000#L4000"


NAMES = st.lists(
    st.sampled_from(["Timeout", "KeepAlive", "MaxClients", "User", "Group", "ServerRoot"]), unique=True, min_size=1
)


@given(NAMES, st.integers(0, 99), st.integers(0, 9))
@settings(deadline=None)
def test_any_order_and_any_comments_leave_no_difference(names, value, seed):
    dice = random.Random(seed)  # noqa: S311
    lines = [f"{name} {value}" for name in names]
    shuffled = dice.sample(lines, len(lines))
    with_comments = [part for line in shuffled for part in (f"# {value}", "", f"  {line}")]
    assert one("\n".join(lines), "\n".join(with_comments)).rows == ()


@given(st.text(max_size=200), st.text(max_size=200))
@settings(deadline=None)
def test_any_texts_are_compared_without_a_complaint_and_none_differs_from_itself(a, b):
    compared(text(1, a, ""), text(2, b, ""))
    for found in compared(text(1, a), text(2, a)).files:
        assert found.rows == ()
        assert not any(diff.lines for diff in found.lines)
