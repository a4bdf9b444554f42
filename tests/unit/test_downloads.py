"""A download ends whole or is kept for later, whatever the server or the power does."""

from __future__ import annotations

import logging
import random
import shutil
import subprocess
import sys
import threading
import time
from collections import namedtuple
from pathlib import Path

import pytest

from app.models.downloads import Hub, Waits
from app.models.errors import (
    ConnectionFailedError,
    DamagedError,
    LicenceNeededError,
    ModelError,
    NotEnoughSpaceError,
    NotFoundError,
    OfflineError,
)
from app.models.fetch import FETCHING, Fetch, Tries, unfinished
from app.models.manifest import MANIFEST, read_manifest
from app.models.remote import check_repository, choose_files, read_answer
from app.models.request_log import RequestLog
from tests.hub import COMMIT, TestHub, content_of
from tests.processes import wait_until

REPOSITORY = "someone/gemma-tiny-4bit"
BIG = content_of(400_000)
FILES = {
    "config.json": b'{"model_type": "gemma3_text"}',
    "model-00001-of-00002.safetensors": BIG,
    "model-00002-of-00002.safetensors": content_of(90_000, 1),
    "chat_template.jinja": b"",
    "tokenizer.json": content_of(3_000, 2),
    "modeling_evil.py": b"print('no')",
    "photo.png": b"no",
}
WANTED = {name for name in FILES if not name.endswith((".py", ".png"))}
BIG_NAME = "model-00001-of-00002.safetensors"
QUICK = Tries(most=4, pause_seconds=0.0)


def never() -> bool:
    return False


@pytest.fixture
def server():
    server = TestHub()
    server.put(REPOSITORY, dict(FILES))
    yield server
    server.close()


class Desk:
    """What a user has: a models folder, a hub, a switch and a token."""

    def __init__(self, server, folder: Path):
        self.models = folder / "models"
        self.log = RequestLog(folder / "requests.jsonl")
        self.offline = False
        self.token = ""
        self.hub = Hub(
            self.log,
            is_offline=lambda: self.offline,
            token=lambda: self.token,
            endpoint=server.address,
            waits=Waits(connect_seconds=5, stall_seconds=0.5),
        )

    def fetch(self, **more) -> Fetch:
        return Fetch(self.hub, self.models, more.pop("name", REPOSITORY), tries=QUICK, **more)

    def run(self, should_stop=never, **more):
        return list(self.fetch(**more).run(should_stop))

    @property
    def folder(self) -> Path:
        return self.models / "someone--gemma-tiny-4bit"

    def assert_whole(self) -> None:
        assert {p.name for p in self.folder.iterdir()} == WANTED | {MANIFEST}
        for name in WANTED:
            assert (self.folder / name).read_bytes() == FILES[name]
        assert not (self.models / FETCHING).exists()


@pytest.fixture
def desk(server, tmp_path):
    desk = Desk(server, tmp_path)
    yield desk
    desk.hub.close()


# ----------------------------------------------------------------------------- the good way


def test_a_model_comes_whole_with_one_progress(desk):
    progress = desk.run()
    desk.assert_whole()
    assert progress[-1].doing == "done"
    total = sum(len(FILES[name]) for name in WANTED)
    assert progress[-1].done_bytes == progress[-1].total_bytes == total
    done = [p.done_bytes for p in progress]
    assert done == sorted(done)


def test_code_and_pictures_are_not_fetched(desk, server):
    desk.run()
    assert not [path for path, _ in server.seen if "evil" in path or "png" in path]


def test_the_manifest_names_the_commit_and_every_digest(desk):
    desk.run()
    manifest = read_manifest(desk.folder)
    assert manifest.commit == COMMIT
    assert all(file.sha256 or file.blob_id for file in manifest.files)


def test_fetching_again_replaces_the_model_in_one_step(desk):
    desk.run()
    (desk.folder / BIG_NAME).write_bytes(b"damaged")
    desk.run()
    desk.assert_whole()


# ----------------------------------------------------------------------------- faults


@pytest.mark.parametrize(
    "faults",
    [
        [("drop", 150_000)],
        [("drop", 0), ("drop", 1), ("drop", 399_999)],
        [("stall", 100_000)],
        [("stall", 0)],
        [("short", 200_000)],
        [("short", 0)],
        [("status", 429)],
        [("status", 500), ("status", 503)],
        [("corrupt",)],
        [("drop", 100_000), ("no range",)],
        [("drop", 100_000), ("wrong range",)],
        [("drop", 100_000), ("corrupt",)],
        [("drop", 1000)] * 20,
    ],
    ids=str,
)
def test_a_faulty_server_is_overcome(desk, server, faults):
    server.faults[BIG_NAME].extend(faults)
    desk.run()
    desk.assert_whole()


def test_an_interrupted_file_goes_on_where_it_was(desk, server):
    server.faults[BIG_NAME].append(("drop", 150_000))
    desk.run()
    first, second = server.ranges(BIG_NAME)
    assert first == ""
    assert int(second.removeprefix("bytes=").rstrip("-")) > 100_000


def test_a_server_that_always_stalls_is_given_up_and_what_came_is_kept(desk, server):
    server.faults[BIG_NAME].extend([("stall", 10_000), *[("stall", 0)] * 9])
    with pytest.raises(ConnectionFailedError, match="kept"):
        desk.run()
    assert unfinished(desk.models)[0].repository == REPOSITORY
    server.faults.clear()
    desk.run()
    desk.assert_whole()
    assert server.ranges(BIG_NAME)[-1] == "bytes=10000-"


def test_a_file_that_is_always_damaged_is_refused(desk, server):
    server.faults[BIG_NAME].extend([("corrupt",)] * 5)
    with pytest.raises(DamagedError, match=BIG_NAME):
        desk.run()
    assert not desk.folder.exists()


def test_another_content_under_the_same_name_starts_anew(desk, server):
    server.faults[BIG_NAME].extend([("drop", 100_000), ("status", 500), *[("status", 500)] * 4])
    with pytest.raises(ConnectionFailedError):
        desk.run()
    files = dict(FILES) | {BIG_NAME: content_of(400_000, 9)}
    server.put(REPOSITORY, files)
    server.faults.clear()
    with pytest.raises(DamagedError):  # it is not what the hub said at first
        desk.run()
    desk.fetch().discard()
    desk.run()
    assert (desk.folder / BIG_NAME).read_bytes() == files[BIG_NAME]


def test_a_redirect_without_end_is_one_sentence(desk, server):
    server.faults[BIG_NAME].append(("loop",))
    with pytest.raises(ConnectionFailedError, match="without end"):
        desk.run()


@pytest.mark.parametrize("code", [400, 410, 451])
def test_a_final_refusal_is_not_tried_again(desk, server, code):
    server.faults[BIG_NAME].extend([("status", code)] * 3)
    with pytest.raises(ConnectionFailedError, match=str(code)):
        desk.run()
    assert len(server.faults[BIG_NAME]) == 2


def test_a_repository_that_is_not_there_is_one_sentence(desk):
    with pytest.raises(NotFoundError, match="someone/other"):
        desk.run(name="someone/other")


def test_a_server_that_is_not_there_is_one_sentence(desk, server):
    server.close()
    with pytest.raises(ConnectionFailedError, match="network"):
        desk.run()
    server.thread = threading.Thread()
    server.thread.start()


# ----------------------------------------------------------------------------- licence


def test_a_gated_model_asks_for_licence_and_token(desk, server):
    server.token = "hf_secret"
    with pytest.raises(LicenceNeededError) as raised:
        desk.run()
    assert raised.value.licence_url == f"https://huggingface.co/{REPOSITORY}"
    desk.token = "hf_secret"
    desk.run()
    desk.assert_whole()


def test_a_token_is_sent_only_where_it_was_asked_for(desk, server):
    desk.token = "hf_secret"
    desk.run()
    assert not any("Authorization" in headers for _, headers in server.seen)
    server.token = "hf_secret"
    desk.run()
    with_token = [path for path, headers in server.seen if "Authorization" in headers]
    assert with_token
    assert not any(path.startswith("/cdn/") for path in with_token)


def test_the_token_is_in_no_file_and_no_log(desk, server, tmp_path, caplog):
    server.token = desk.token = "hf_secret"
    with caplog.at_level(logging.DEBUG):
        desk.run()
    assert "hf_secret" not in caplog.text
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert b"hf_secret" not in path.read_bytes()


def test_a_wrong_token_is_refused_as_a_missing_one(desk, server):
    server.token, desk.token = "hf_secret", "hf_wrong"
    with pytest.raises(LicenceNeededError):
        desk.run()


# ----------------------------------------------------------------------------- privacy


def test_the_offline_switch_blocks_every_request(desk, server):
    desk.offline = True
    with pytest.raises(OfflineError):
        desk.run()
    assert server.seen == []
    assert desk.log.lines() == []


def test_the_switch_works_in_the_middle_of_a_download(desk, server):
    for progress in desk.fetch().run(never):
        if progress.done_bytes > 0:
            desk.offline = True
            break
    asked = len(server.seen)
    with pytest.raises(OfflineError):
        desk.run()
    assert len(server.seen) == asked


def test_every_request_is_listed_without_its_secrets(desk, server):
    desk.run()
    lines = desk.log.lines()
    assert len(lines) == len(server.seen)
    assert {line.host for line in lines} == {"127.0.0.1", "localhost"}
    assert not any("secret" in line.path for line in lines)
    fetched = [line for line in lines if line.path.startswith(f"/cdn/{BIG_NAME}")]
    assert [(line.outcome, line.received_bytes) for line in fetched] == [("200", len(BIG))]


def test_an_insecure_address_is_refused(tmp_path):
    hub = Hub(RequestLog(tmp_path / "log"), is_offline=never, endpoint="http://example.org")
    with pytest.raises(ModelError, match="not a secure"):
        hub.look_up(REPOSITORY)
    hub.close()


def test_the_request_log_keeps_the_newest(tmp_path, monkeypatch):
    monkeypatch.setattr("app.models.request_log.MOST_LINES", 20)
    log = RequestLog(tmp_path / "log")
    for n in range(500):
        log.add("host", f"/{n}", "200", n)
    assert log.lines()[-1].received_bytes == 499
    assert (tmp_path / "log").stat().st_size < 20_000
    with (tmp_path / "log").open("a") as file:
        file.write('{"at": 1, "ho')
    assert log.lines()[-1].received_bytes == 499


# ----------------------------------------------------------------------------- pauses


def test_a_pause_keeps_what_came(desk):
    seen = []
    fetch = desk.fetch()

    def should_stop():
        return fetch._done > 250_000

    seen.extend(fetch.run(should_stop))
    assert seen[-1].doing == "paused"
    again = desk.run()
    assert again[1].done_bytes >= 250_000
    desk.assert_whole()


def test_a_pause_is_felt_while_the_server_stalls(desk, server):
    server.faults[BIG_NAME].append(("stall", 1_000))
    stop = threading.Event()
    ended = []
    runner = threading.Thread(target=lambda: ended.append(desk.run(stop.is_set)[-1].doing))
    runner.start()
    assert wait_until(lambda: server.ranges(BIG_NAME))
    stop.set()
    desk.hub.abort()
    runner.join(10)
    assert ended == ["paused"]


PROGRAM = """
import sys
from pathlib import Path
from tests.unit.test_downloads import Fetch, Hub, QUICK, REPOSITORY, RequestLog, never
top = Path(sys.argv[2])
hub = Hub(RequestLog(top / "log"), is_offline=never, endpoint=sys.argv[1])
for progress in Fetch(hub, top / "models", REPOSITORY, tries=QUICK).run(never):
    print(progress.done_bytes, flush=True)
"""


def test_a_program_killed_at_any_moment_goes_on_later(desk, server, tmp_path, amount):
    for n in range(amount(20)):
        server.faults[BIG_NAME].append(("slow", 0.004))
        program = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, server.address, str(tmp_path)],
            stdout=subprocess.PIPE,
            cwd=Path.cwd(),
        )
        program.stdout.readline()
        time.sleep(random.Random(n).uniform(0, 0.12))
        program.kill()
        program.wait()
        program.stdout.close()
    server.faults.clear()
    desk.run()
    desk.assert_whole()
    shutil.rmtree(desk.folder)
    assert list(desk.models.rglob("*")) == []


def test_giving_up_leaves_no_file(desk, server):
    server.faults[BIG_NAME].extend([("drop", 50_000), *[("status", 400)] * 2])
    with pytest.raises(ConnectionFailedError):
        desk.run()
    assert desk.fetch().discard() > 50_000
    assert list(desk.models.rglob("*")) == []
    assert unfinished(desk.models) == []


# ----------------------------------------------------------------------------- space


def test_too_little_space_is_refused_before_anything_comes(desk, server, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(1, 1, 300_000))
    with pytest.raises(NotEnoughSpaceError, match="300 kB are free"):
        desk.run()
    assert not any(path.startswith("/cdn/") for path, _ in server.seen)


# ----------------------------------------------------------------------------- what the hub says


@pytest.mark.parametrize(
    "name", ["../evil", "/etc/passwd", "a/../../b", "a\\b", "", "C:evil", "x" * 300]
)
def test_a_file_outside_of_its_folder_is_refused(name):
    answer = {"sha": COMMIT, "siblings": [{"rfilename": name, "size": 1}]}
    with pytest.raises(ModelError):
        read_answer(REPOSITORY, answer)


@pytest.mark.parametrize(
    "answer",
    [None, [], {}, {"sha": 1}, {"sha": COMMIT}, {"sha": COMMIT, "siblings": [1]}]
    + [{"sha": COMMIT, "siblings": [{"rfilename": "a", "size": s}]} for s in (-1, None, "1")],
)
def test_an_answer_without_sense_is_one_sentence(answer):
    with pytest.raises(ModelError):
        read_answer(REPOSITORY, answer)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("google/gemma-3-4b-it", "google/gemma-3-4b-it"),
        ("  mlx-community/gemma-3-1b-it-4bit\n", "mlx-community/gemma-3-1b-it-4bit"),
        ("https://huggingface.co/a/b", "a/b"),
        ("https://huggingface.co/a/b/tree/main?x=1", "a/b"),
    ],
)
def test_a_repository_may_be_pasted_as_people_copy_it(text, name):
    assert check_repository(text) == name


@pytest.mark.parametrize("text", ["", "a", "a/b/c", "../x", "a/..", "http://evil/a/b", "a b/c"])
def test_what_is_no_repository_is_refused(text):
    with pytest.raises(ModelError):
        check_repository(text)


def test_one_of_several_gguf_files_has_to_be_named():
    siblings = [{"rfilename": f"m-{q}.gguf", "size": 1} for q in ("Q4_K_M", "Q8_0")]
    model = read_answer(REPOSITORY, {"sha": COMMIT, "siblings": siblings})
    with pytest.raises(ModelError, match=r"m-Q4_K_M\.gguf, m-Q8_0\.gguf"):
        choose_files(model)
    assert choose_files(model, "m-Q8_0.gguf").files[0].name == "m-Q8_0.gguf"
    with pytest.raises(NotFoundError):
        choose_files(model, "other.gguf")


def test_weights_that_cannot_be_opened_are_refused_before_they_come():
    siblings = [{"rfilename": "pytorch_model.bin", "size": 1}]
    model = read_answer(REPOSITORY, {"sha": COMMIT, "siblings": siblings})
    with pytest.raises(ModelError, match="no weights"):
        choose_files(model)
