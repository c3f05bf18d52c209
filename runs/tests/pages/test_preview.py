"""From a paste over the preview and its edits to what is stored."""

from __future__ import annotations

import hashlib
import io
import re

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.core.files.uploadedfile import SimpleUploadedFile

from runs import ingest
from runs.forms import pack_bytes
from runs.models import Capture, Config, Experiment, Host, Run, Upload
from runs.presenters import texts
from runs.selectors import judging
from runs.tests.drafts.documents import expand
from runs.tests.ingest.texts import ab, session
from runs.tests.pages.form import fields

TEXT = session(100.0, 110.0, heading="worker:") + "\n" + session(200.0, heading="event:")


def previewed(browser, text: str = TEXT, **fields_given):
    response = browser.post("/preview/", {"text": text} | fields_given)
    assert response.status_code == 200
    return response.content.decode()


def key_of(sent: dict[str, list[str]], what: str, value: str) -> str:
    """The name of the field of this kind ("configs") that holds a value."""
    return next(name for name, values in sent.items() if name.startswith(f"{what}:") and values == [value])


def test_a_preview_in_which_nothing_was_recognised_says_so_and_what_was_looked_for(browser):
    page = previewed(browser, "hello\nnothing here\n")
    assert "Nothing was recognised in 2 lines. Expected the report of a load test (ab, artillery, autocannon," in page


def test_a_preview_of_a_table_alone_that_was_not_read_says_what_was_expected_in_which_line(browser):
    page = previewed(browser, "| Build | Throughput |\n|---|---|\n| main | 51234 |\n| patch | 53870 |\n")
    assert "Nothing was recognised in 4 lines." in page
    assert "Line 1: &#x27;Throughput&#x27;: expected the unit of these figures, such as req/s" in page


def test_the_last_line_of_a_paste_counts_without_its_end(browser):
    page = previewed(browser, "name,rps\nnginx,1234.5\napache,987.6")
    browser.post("/preview/", fields(page, "preview") | {"action": "save"})
    assert set(Run.objects.values_list("config__name", "requests_per_second")) == {("nginx", 1234.5), ("apache", 987.6)}


def test_a_preview_stores_nothing_and_shows_what_it_would_store(browser):
    page = previewed(browser)
    assert Upload.objects.count() == Experiment.objects.count() == Run.objects.count() == 0
    assert 'value="worker"' in page
    assert 'value="event"' in page
    assert len(run_keys(page)) == 3
    assert 'class="t load' in page
    assert 'class="t memory' in page


def test_a_text_that_takes_too_long_to_preview_is_refused_with_a_way_out(browser, monkeypatch):
    monkeypatch.setattr("runs.ingest.reading.AT_ONCE_S", -1)
    response = browser.post("/preview/", {"text": TEXT})
    assert response.status_code == 413 and "Send it to the REST API" in response.content.decode()


def test_a_log_of_very_many_runs_is_shown_in_part(browser, monkeypatch):
    """Made: of 20,000 rows each was named at the log's first line and marked in all of its lines; 2 MB of HTML in 4 s.

    Each is at its own line, and those of one line are named in part.
    """
    made: list[int] = []
    make = texts.draft_runs
    monkeypatch.setattr(
        texts, "draft_runs", lambda blocks, draft, part: made.append(len(part.runs)) or make(blocks, draft, part)
    )
    row = "2024-01-02 03:{:02}:{:02},   1000,   10.01,       12,       0.02,      99.90,        0.01,        2.11,    1000,  0\n"
    page = previewed(browser, "".join(row.format(n // 60, n % 60) for n in range(900)))
    assert made == [texts.MOST_ROWS] and "500 more blocks are not shown" in page and "900 runs" in page
    assert page.count('class="tag"') == 900 and " more</" not in page
    wide = "|".join(f" {1000 + n} " for n in range(30))
    titles = "|".join(f" nginx {n} (req/s) " for n in range(30))
    page = previewed(browser, f"| page |{titles}|\n{'|---' * 31}|\n| index |{wide}|\n")
    assert page.count('class="tag"') == texts.MOST_OPENING + 1 and f"and {30 - texts.MOST_OPENING} more" in page


def test_a_history_longer_than_any_preview_has_is_refused(browser):
    """Made: 200,000 changes in 2 MB, which took seconds to check."""
    history = pack_bytes(b"[" + b",".join([b'["",{}]'] * 21) + b"]")
    response = browser.post("/preview/", {"text": TEXT, "history": history})
    assert response.status_code == 400 and "are incomplete" in response.content.decode()


def test_save_stores_it_and_goes_to_the_experiment(browser, person):
    sent = fields(previewed(browser), "preview")
    response = browser.post("/preview/", sent | {"action": "save"})
    made = Experiment.objects.get()
    assert response.url == made.get_absolute_url()
    assert sorted(Run.objects.values_list("requests_per_second", flat=True)) == [100.0, 110.0, 200.0]
    upload = Upload.objects.get()
    assert (upload.origin, upload.created_by) == ("web", person)
    assert "\n".join(ingest.load_text(upload).lines()) + "\n" == TEXT


def test_the_same_text_again_is_said_to_be_there_and_stores_nothing(browser):
    browser.post("/preview/", fields(previewed(browser), "preview") | {"action": "save"})
    page = previewed(browser)
    assert "stored already" in page
    response = browser.post("/preview/", fields(page, "preview") | {"action": "save"}, follow=True)
    assert "was already stored" in response.content.decode()
    assert Upload.objects.count() == 1
    assert Run.objects.count() == 3


def test_names_changed_in_place_are_stored(browser):
    sent = fields(previewed(browser), "preview")
    sent[key_of(sent, "configs", "worker")] = ["Worker MPM"]
    sent[key_of(sent, "experiments", "worker and event")] = ["Two MPMs"]
    sent[key_of(sent, "hosts", "756 MiB")] = ["labo-2"]
    browser.post("/preview/", sent | {"action": "save"})
    assert Experiment.objects.get().name == "Two MPMs"
    assert set(Config.objects.values_list("name", flat=True)) == {"Worker MPM", "event"}
    assert Host.objects.get().name == "labo-2"


def test_a_heading_above_a_config_is_shown_where_others_stand_below_another_one(browser):
    def find_headings(text: str) -> list[str]:
        return re.findall(r'<p class="group[^>]*>(.*?)</p>', previewed(browser, expand(text)))

    assert find_headings("# Servers\n\n## nginx\n\n@ab 900\n\n## caddy\n\n@ab 700\n") == []
    sections = "# Servers\n\n## Vibe\n\n### GC\n@wrk 900\n\n### Manual\n@wrk 800\n\n## Actix\n@wrk 700\n"
    assert find_headings(sections) == ["Vibe", "Vibe"]


def test_edits_are_kept_over_several_updates_of_the_preview(browser):
    sent = fields(previewed(browser), "preview")
    sent[key_of(sent, "configs", "worker")] = ["Worker MPM"]
    again = fields(browser.post("/preview/", sent | {"action": "update"}).content.decode(), "preview")
    assert key_of(again, "configs", "Worker MPM")
    again[key_of(again, "experiments", "worker and event")] = ["Two MPMs"]
    last = fields(browser.post("/preview/", again | {"action": "update"}).content.decode(), "preview")
    browser.post("/preview/", last | {"action": "save"})
    assert Experiment.objects.get().name == "Two MPMs"
    assert "Worker MPM" in Config.objects.values_list("name", flat=True)


def run_keys(page: str) -> list[str]:
    return re.findall(r'class="run[^>]*data-key="([^"]+)"', page)


def press(browser, page: str, **values) -> str:
    """The preview after a button was pressed, with these fields changed."""
    response = browser.post("/preview/", fields(page, "preview") | values)
    assert response.status_code == 200
    answer: str = response.content.decode()
    return answer


def board(page: str) -> dict[str, list[str]]:
    """{name of a config: its runs' keys}."""
    cards = page.split('data-config="')[1:]
    return {
        name[0]: run_keys(card)
        for card in cards
        if (name := re.findall(r'name="configs:[^"]*"\s+value="([^"]*)"', card))
    }


def stored() -> dict[float | None, tuple[str, int]]:
    """{requests per second: (config, repeat)}."""
    runs = Run.objects.select_related("config")
    return {run.requests_per_second: (run.config.name, run.repeat) for run in runs}


def test_runs_move_to_another_config_and_to_a_new_one(browser):
    page = previewed(browser)
    first, second, third = run_keys(page)
    other = re.search(r'<option value="(\w+)">\s*\w+ event\b', page)[1]
    page = press(browser, page, action="move", pick=[first], to=other)
    assert board(page) == {"worker": [second], "event": [first, third]}
    page = press(browser, page, action="move", pick=[first, second], to="new")
    assert list(board(page).values()) == [[third], [first, second]]
    browser.post("/preview/", fields(page, "preview") | {"action": "save"})
    assert stored() == {100.0: ("worker 2", 1), 110.0: ("worker 2", 2), 200.0: ("event", 1)}


def test_configs_of_which_a_run_is_selected_are_merged_as_repeats(browser):
    page = previewed(browser)
    first, _, third = run_keys(page)
    page = press(browser, page, action="merge", pick=[first, third])
    renamed = fields(page, "preview")
    renamed[key_of(renamed, "configs", "worker")] = ["Apache"]
    browser.post("/preview/", renamed | {"action": "save"})
    assert stored() == {100.0: ("Apache", 1), 110.0: ("Apache", 2), 200.0: ("Apache", 3)}


def test_each_change_can_be_undone(browser):
    page = previewed(browser)
    keys = run_keys(page)
    merged = press(browser, page, action="merge", pick=keys)
    sent = fields(merged, "preview")
    renamed = press(browser, merged, action="update", **{key_of(sent, "configs", "worker"): ["Apache"]})
    assert board(renamed) == {"Apache": keys}
    assert board(back := press(browser, renamed, action="undo")) == board(merged)
    assert board(back := press(browser, back, action="undo")) == board(page)
    assert 'value="undo"' not in back


def test_what_was_given_one_name_stays_together_when_that_is_changed(browser):
    sent = fields(previewed(browser), "preview")
    first, second = (key_of(sent, "configs", name) for name in ("worker", "event"))
    page = press(browser, previewed(browser), action="update", **{first: ["event"]})
    assert list(board(press(browser, page, action="update", **{first: ["Apache"]}))) == ["Apache"]
    page = press(browser, previewed(browser), action="update", **{second: ["worker"]})
    assert list(board(press(browser, page, action="update", **{first: ["Apache"]}))) == ["Apache"]


def test_a_button_without_a_selection_changes_nothing_and_says_so(browser):
    page = previewed(browser)
    pressed = press(browser, page, action="move", to="new")
    assert "Nothing changed" in pressed and board(pressed) == board(page)


def test_the_text_is_shown_in_parts_and_all_of_it_is_read(browser, monkeypatch):
    monkeypatch.setattr("runs.presenters.texts.LINES_SHOWN", 10)
    page = previewed(browser)
    assert 'id="L1"' in page and 'id="L11"' not in page
    assert len(run_keys(page)) == 3
    assert 'id="L11"' in press(browser, page, at="11")


def test_a_folded_config_has_fewer_than_8_controls(browser):
    page = previewed(browser, session(*[100.0 + at for at in range(9)], heading="nginx:"))
    folded = page.split('data-config="c1"')[1].split('<ul class="rows">')[0]
    assert len(re.findall(r"<(?:input|select|button|summary|a)\b", folded)) == 7
    assert len(run_keys(page)) == 5 and page.count(":counted") == 9


def test_the_page_stays_small_for_very_many_configs(browser, monkeypatch):
    monkeypatch.setattr("runs.presenters.texts.MOST_CONFIGS", 3)
    monkeypatch.setattr("runs.presenters.texts.MOST_ROWS", 2)
    page = previewed(browser, "\n".join(session(100.0 + at, heading=f"php 8.{at}:") for at in range(8)))
    assert len(board(page)) == 3
    assert "5 more configs" in page and page.count(":shown") == 1
    browser.post("/preview/", fields(page, "preview") | {"action": "save"})
    assert Config.objects.count() == 8


def test_a_preview_of_runs_of_which_none_counts_is_shown(browser):
    sent = fields(previewed(browser), "preview")
    for key in run_keys(previewed(browser)):
        del sent[f"blocks:{key}:counted"]
    assert browser.post("/preview/", sent | {"action": "update"}).status_code == 200
    browser.post("/preview/", sent | {"action": "save"})
    assert browser.get(Experiment.objects.get().get_absolute_url()).status_code == 200


def test_a_run_can_be_labelled_and_kept_from_counting(browser):
    page = previewed(browser)
    sent, (first, second, _) = fields(page, "preview"), run_keys(page)
    sent[f"blocks:{first}:label"] = ["cold"]
    del sent[f"blocks:{second}:counted"]
    browser.post("/preview/", sent | {"action": "save"})
    assert Run.objects.filter(requests_per_second=100.0, label="cold", counted=True).exists()
    assert Run.objects.get(requests_per_second=110.0).counted is False


def test_a_block_left_out_is_not_stored_and_can_be_put_back(browser):
    page = previewed(browser)
    first, gone, last = run_keys(page)
    page = press(browser, page, action="leave_out", pick=[gone])
    assert run_keys(page) == [first, last]
    assert run_keys(press(browser, page, put_back=gone)) == [first, gone, last]
    browser.post("/preview/", fields(page, "preview") | {"action": "save"})
    assert set(stored()) == {100.0, 200.0}


def test_a_capture_gets_another_phase(browser):
    sent = fields(previewed(browser), "preview")
    phase = next(name for name in sent if name.endswith(":phase"))
    sent[phase] = ["after"]
    browser.post("/preview/", sent | {"action": "save"})
    assert sorted(Capture.objects.values_list("phase", flat=True)) == ["after", "before", "before"]


def test_secrets_are_taken_out_unless_somebody_says_no(browser):
    text = TEXT + "\nCookie: sid=abcdef123456\n$ sshpass -p hunter2 ssh web1\n"
    page = previewed(browser, text)
    sent = fields(page, "preview")
    assert len(sent["redact"]) == 2
    assert page.count("<mark>") == 4
    kept = sent | {"redact": sent["redact"][:1], "action": "save"}
    browser.post("/preview/", kept)
    stored = "\n".join(ingest.load_text(Upload.objects.get()).lines())
    assert "abcdef123456" not in stored
    assert "[redacted]" in stored
    assert "hunter2" in stored


def test_a_secret_is_shown_without_the_one_before_it_in_its_line(browser):
    page = previewed(browser, TEXT + "\n$ curl -u ann:hunter2secret -b sid=abcdef123456 http://web1/\n")
    listed = page.partition("Secrets to redact")[2].partition("</fieldset>")[0]
    assert listed.count("<mark>") == 2
    assert "hunter2" not in listed and "curl -u" in listed and "-b" in listed


def test_the_lead_says_where_monitors_are_yet_to_be_judged(browser):
    told = "what the monitors show is added on saving"
    alone = f"worker:\n\n{ab(100.0)}\nevent:\n\n{ab(200.0)}"
    assert told in previewed(browser) and told not in previewed(browser, alone)


def test_a_change_says_what_it_did(browser):
    sent = fields(previewed(browser), "preview") | {"action": "update"}
    name = key_of(sent, "configs", "worker")
    assert ">Renamed.</p>" in browser.post("/preview/", sent | {name: "prefork"}).content.decode()
    page = browser.post("/preview/", {name: value for name, value in sent.items() if not name.endswith(":counted")})
    assert ">Changed a run or monitor.</p>" in page.content.decode()


def test_the_keyboard_comes_from_the_configs_to_saving_past_the_labels_in_the_text(browser):
    labels = re.findall(r'<a class="tag" href="#[^>]*>', previewed(browser))
    assert labels and all('tabindex="-1"' in label for label in labels)


def test_nothing_is_saved_before_its_secrets_were_shown(browser):
    response = browser.post("/preview/", {"text": TEXT + "\nCookie: sid=abcdef123456\n", "action": "save"})
    assert response.status_code == 200
    assert Upload.objects.count() == 0


def test_tags_are_put_on_every_run(browser):
    sent = fields(previewed(browser), "preview") | {"tags": ["nightly, lab"], "action": "save"}
    browser.post("/preview/", sent)
    assert all(run.tags == ["nightly", "lab"] for run in Run.objects.all())


def test_one_file_is_kept_as_it_came(browser):
    file = io.BytesIO(TEXT.replace("\n", "\r\n").encode("utf-16"))
    file.name = "session.txt"
    sent = fields(browser.post("/preview/", {"files": file}).content.decode(), "preview")
    browser.post("/preview/", sent | {"action": "save"})
    upload = Upload.objects.get()
    assert upload.name == "session.txt"
    assert upload.sha256 == hashlib.sha256(file.getvalue()).hexdigest()


def test_several_files_become_one_text_with_their_names_for_headings(browser):
    files = [io.BytesIO(ab(100.0).encode()), io.BytesIO(ab(200.0).encode("utf-16"))]
    files[0].name, files[1].name = "worker.txt", "event.log"
    page = browser.post("/preview/", {"files": files, "text": ""}).content.decode()
    assert len(run_keys(page)) == 2
    assert "# worker" in page
    assert "# event" in page


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [("", 400, "empty"), ("   \n \n", 400, "empty"), ("\x00\x01\x02" * 500, 415, "Not a text")],
)
def test_what_cannot_be_read_is_refused_on_the_page(browser, text, status, said):
    response = browser.post("/preview/", {"text": text})
    assert response.status_code == status
    assert said in response.content.decode()


def test_a_binary_file_names_its_line_and_what_was_expected(browser):
    file = io.BytesIO(b"\x89PNG" + bytes(range(256)) * 20)
    file.name = "a.png"
    response = browser.post("/preview/", {"files": file})
    assert response.status_code == 415
    assert "Line 1" in response.content.decode()


def test_text_with_nothing_in_it_can_be_seen_and_is_not_lost(browser):
    page = previewed(browser, "dear diary,\nnothing was measured today")
    assert "dear diary" in page
    assert "Select runs" not in page and "Keep the" in page
    response = browser.post("/preview/", fields(page, "preview") | {"action": "save"})
    assert response.status_code == 422
    shown = response.content.decode()
    assert "kept for inspection" in shown
    assert "nothing was measured today" in shown
    assert Upload.objects.get().status == "failed"


@pytest.mark.parametrize("raw", ["", "!!!", "AAAA", "eJw="])
def test_a_preview_that_did_not_arrive_whole_is_refused(browser, raw):
    response = browser.post("/preview/", {"raw": raw, "redact_shown": "1"})
    assert response.status_code == 400


@pytest.mark.parametrize(
    "edits", ["{", "[]", '{"blocks": 5}', '{"blocks": {"b99": {"label": "x"}}}', '{"configs": {"c1": {"name": 3}}}']
)
def test_edits_that_no_preview_wrote_are_refused(browser, edits):
    sent = fields(previewed(browser), "preview") | {"edits": [edits], "action": "save"}
    assert browser.post("/preview/", sent).status_code == 400
    assert Upload.objects.count() == 0


def test_a_text_larger_than_allowed_is_refused(browser, settings):
    settings.MAX_UPLOAD_BYTES = 1000
    assert browser.post("/preview/", {"text": TEXT}).status_code == 413
    file = io.BytesIO(TEXT.encode())
    file.name = "a.txt"
    response = browser.post("/preview/", {"files": file})
    assert response.status_code == 413
    assert "This could not be read" in response.content.decode()


def test_the_preview_is_not_there_without_a_text(browser):
    assert browser.get("/preview/").url == "/"


@pytest.mark.parametrize("public", [True, False])
def test_nobody_stores_anything_without_logging_in_and_no_text_is_lost(client, db, settings, public):
    settings.PUBLIC_READ = public
    response = client.post("/preview/", {"text": TEXT, "action": "save"})
    assert response.status_code == 403
    page = response.content.decode()
    assert "You are logged out" in page
    assert "Requests per second:    110.00" in page
    assert Upload.objects.count() == 0


def test_a_stranger_has_little_unpacked(client, db):
    answers = [client.post("/preview/", {"text": "x", "raw": pack_bytes(b"word " * n)}) for n in (1000, 2**19)]
    assert [answer.status_code for answer in answers] == [403, 400]
    assert "word word" in answers[0].content.decode() and "word word" not in answers[1].content.decode()


@pytest.mark.parametrize(("user", "taken"), [(AnonymousUser(), False), (User(username="joe"), True)])
def test_files_are_taken_of_who_is_logged_in_only(rf, user, taken):
    request = rf.post("/login/", {"files": SimpleUploadedFile("a.txt", TEXT.encode()), "name": "joe"})
    request.user = user
    assert (request.POST["name"], "files" in request.FILES) == ("joe", taken)


def test_runs_that_only_a_number_tells_apart_are_grouped_in_one_click_and_parted_again(browser):
    text = session(100.0, heading="nginx 1") + "\n" + session(110.0, heading="nginx 2")
    page = previewed(browser, text)
    grouped = press(browser, page, group=groupings(page)[0])
    assert list(board(grouped)) == ["nginx"]
    assert list(board(press(browser, grouped, group=groupings(grouped)[0]))) == ["nginx 1", "nginx 2"]
    browser.post("/preview/", fields(grouped, "preview") | {"action": "save"})
    assert stored() == {100.0: ("nginx", 1), 110.0: ("nginx", 2)}


def groupings(page: str) -> list[str]:
    """The values of the buttons that group the runs in another way."""
    return re.findall(r'name="group" value="([^"]*)"', page)


def headline_of(browser, sent):
    return browser.post("/preview/", sent).context["experiments"][0]["headline"]


def test_a_preview_opens_with_the_headline_of_its_groups_as_they_stand(browser):
    sent = fields(previewed(browser), "preview")
    assert headline_of(browser, sent).winner.title == "event"
    renamed = sent | {key_of(sent, "configs", "event"): "nginx 2"}
    assert headline_of(browser, renamed).winner.title == "nginx 2"
    assert Run.objects.count() == Upload.objects.count() == 0


def test_the_headline_of_a_preview_is_that_of_the_stored_text(browser, shared):
    text = next(shared.glob("seeds/002_*.txt")).read_bytes().decode()
    shown = headline_of(browser, {"text": text})
    ingest.submit(text.encode(), origin="rest")
    kept = browser.get(f"{Experiment.objects.get().get_absolute_url()[:-1]}.json").json()["headline"]
    assert (kept["sentence"], kept["outcome"]) == (shown.sentence, shown.outcome)


@pytest.mark.parametrize("runs", [2, 12])
def test_a_preview_s_headline_asks_the_database_nothing(browser, runs, django_assert_num_queries):
    text = session(*[100.0 + at for at in range(runs)], heading="worker:") + session(200.0, heading="event:")
    shown = ingest.preview(text.encode())
    with django_assert_num_queries(0):
        assert [judging.judge_draft(shown, each).outcome for each in shown.draft.experiments]


def test_a_preview_says_what_speaks_against_the_leader(browser):
    page = previewed(
        browser, expand("## before\n\n@ab 280.44 n=500\n\n## after\n\n@ab 280.45 n=500\n").replace("280.45", "380.44")
    )
    assert (
        "<li>Figures of “after” cannot all be true (500 requests in 1.783 s are 280.4 per second, not 380.4)</li>"
        in page
    )


def test_a_refused_text_that_was_compressed_is_not_sent_back_whole_and_the_page_says_so(browser):
    answers = [browser.post("/preview/", {"raw": pack_bytes(b"word " * n), "edits": "x"}) for n in (1000, 600_000)]
    assert [answer.status_code for answer in answers] == [400, 400]
    assert ["word word" in answer.text for answer in answers] == [True, False]
    assert ["too large to be sent back, so the box is empty" in answer.text for answer in answers] == [False, True]
