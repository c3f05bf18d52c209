"""Config texts side by side."""

from __future__ import annotations

from runs.analysis.config_diff import PlainText, of_texts

OLD = "MaxClients 50\nKeepAlive Off\n"


def test_texts_of_one_name_are_compared_with_the_first_configs():
    new = "  MaxClients 100\n  KeepAlive Off\n"
    (diff,) = of_texts(
        [1, 2], [PlainText(1, "/etc/a.conf", OLD), PlainText(2, "/opt/a.conf", new), PlainText(1, "b.conf", "x")]
    )
    assert (diff.before, diff.after) == (1, 2)
    assert [line for line in diff.lines if line[0] in "+-"] == [("-", "MaxClients 50"), ("+", "MaxClients 100")]


def test_the_only_text_of_each_is_compared_whatever_its_name():
    (diff,) = of_texts([1, 2], [PlainText(1, "vhost.conf", OLD), PlainText(2, "vhost-2.conf", OLD)])
    assert diff.lines == ()


def test_texts_for_all_configs_and_lone_ones_are_not_compared():
    assert of_texts([1, 2], [PlainText(None, "a", OLD), PlainText(1, "a", OLD)]) == []


def test_huge_texts_are_left_uncompared():
    assert of_texts([1, 2], [PlainText(1, "a", "x\n" * 2000), PlainText(2, "a", "y\n" * 2000)]) == []
