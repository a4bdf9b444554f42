"""What the prefix tree remembers over a restart, and how it bears a bad disk."""

from __future__ import annotations

import logging
import os
import shutil
import stat
from collections import namedtuple

import mlx.core as mx
import numpy as np
import pytest

from inference.caches import layout_of
from inference.context import Context
from inference.grid import Grid
from inference.prefix import PrefixTree
from inference.prefix_files import PrefixFiles, forget_files
from tests.model.tiny_gemma3 import tiny_gemma3

BIG = 1 << 30
IDS = list(range(1, 30))


@pytest.fixture(scope="module")
def network():
    return tiny_gemma3()


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "prefixes"


@pytest.fixture
def start(network, folder):
    """Starts the app, as far as the tree is concerned."""
    layout = layout_of(network)

    def make(budget=BIG, disk=BIG, fingerprint="model"):
        files = PrefixFiles(folder, fingerprint, disk)
        return PrefixTree(lambda _bits: Context(network, layout), layout, Grid(4, 4), budget, files)

    return make


def never():
    return False


def chat(tree, ids=IDS, conversation="chat", marks=(10, 20)):
    context = tree.restore(ids, conversation)
    reused = len(context)
    for _ in tree.read(context, ids, marks, conversation):
        pass
    return context, reused


def logits(context):
    return np.array(context.logits())


def files_in(folder):
    return sorted(folder.glob("*/*.safetensors"))


@pytest.fixture
def saved(start, folder):
    """The logits of a chat that was kept on disk before the app quit."""
    tree = start()
    context, _ = chat(tree)
    tree.save(never)
    assert files_in(folder)
    return logits(context)


def test_after_a_restart_nothing_is_read_again_and_all_is_the_same(start, saved):
    tree = start()
    assert tree.node_bytes < 2000  # tokens, no rows
    context, reused = chat(tree)
    assert reused == len(IDS)
    assert np.array_equal(logits(context), saved)


def test_only_the_rows_of_the_resumed_path_are_loaded(start, saved):
    tree = start()
    other = [*IDS[:10], *range(40, 60)]
    chat(tree, other)
    tree.save(never)
    again = start()
    context = again.restore([*IDS[:10], 50, 51])
    assert len(context) == 10
    loaded = [node for node in again.nodes if node.segment.is_loaded]
    assert max(node.stop for node in loaded) == 10


def test_a_temporary_chat_never_reaches_the_disk(start, folder):
    tree = start()
    chat(tree, conversation="")
    tree.save(never)
    assert files_in(folder) == []


def test_files_are_readable_by_their_owner_alone(saved, folder):
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for path in folder.rglob("*"):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode & 0o077 == 0 or (path.is_dir() and not mode & 0o007)


def test_saving_can_be_stopped_between_files_and_goes_on_later(start, folder):
    tree = start()
    chat(tree)
    asked = iter([False, False])
    tree.save(lambda: next(asked, True))
    assert len(files_in(folder)) == 2
    tree.save(never)
    assert chat(start())[1] == len(IDS)


def test_what_is_on_disk_is_written_once(start, saved, folder):
    tree = start()
    chat(tree)
    before = {path: path.stat().st_ino for path in files_in(folder)}
    tree.save(never)
    assert {path: path.stat().st_ino for path in files_in(folder)} == before


def damage_a_byte_of_the_rows(path):
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    path.write_bytes(data)


def truncate(path):
    path.write_bytes(path.read_bytes()[:-100])


def empty(path):
    path.write_bytes(b"")


def write_zeros(path):
    path.write_bytes(b"\0" * path.stat().st_size)


def damage_a_token(path):
    data = path.read_bytes()
    at = data.index(b'"tokens": "') + len(b'"tokens": "')
    letter = b"B" if data[at : at + 1] != b"B" else b"C"
    path.write_bytes(data[:at] + letter + data[at + 1 :])


@pytest.mark.parametrize(
    "harm", [damage_a_byte_of_the_rows, truncate, empty, write_zeros, damage_a_token]
)
@pytest.mark.parametrize("which", [0, -1])
def test_a_damaged_file_is_never_used(start, saved, folder, harm, which):
    path = files_in(folder)[which]
    harm(path)
    tree = start()
    context, reused = chat(tree)
    assert reused < len(IDS)
    assert np.array_equal(logits(context), saved)


@pytest.mark.parametrize("harm", [damage_a_byte_of_the_rows, truncate, empty, write_zeros])
def test_a_damaged_file_is_deleted(start, saved, folder, harm):
    path = files_in(folder)[0]
    harm(path)
    chat(start())
    assert not path.exists()


def test_a_file_of_a_later_version_is_left_alone(start, saved, folder):
    path = files_in(folder)[0]
    path.write_bytes(path.read_bytes().replace(b'"format": "1"', b'"format": "9"'))
    context, reused = chat(start())
    assert reused < len(IDS)
    assert path.exists()
    assert np.array_equal(logits(context), saved)


def test_foreign_files_are_left_alone(start, saved, folder):
    model_folder = files_in(folder)[0].parent
    foreign = model_folder / "notes.safetensors"
    foreign.write_text("mine")
    assert chat(start())[1] == len(IDS)
    assert foreign.read_text() == "mine"


def test_another_model_does_not_see_them(start, saved):
    assert chat(start(fingerprint="other"))[1] == 0


def test_a_file_under_another_files_name_is_not_used(start, saved, folder):
    first, second = files_in(folder)[:2]
    shutil.copy(first, second)
    context, _ = chat(start())
    assert np.array_equal(logits(context), saved)


def test_a_file_that_vanishes_while_the_app_runs_is_read_again(start, saved, folder):
    tree = start()
    for path in files_in(folder):
        path.unlink()
    context, reused = chat(tree)
    assert reused == 0
    assert np.array_equal(logits(context), saved)


def test_forgetting_removes_the_files_at_once_and_keeps_what_others_share(start, folder):
    tree = start()
    chat(tree, conversation="a")
    chat(tree, [*IDS[:10], 50, 51, 52], conversation="b")
    tree.save(never)
    tree.forget("a")
    assert chat(start(), [*IDS[:10], 50, 51, 52], "b")[1] == 13
    assert chat(start(), IDS, "c")[1] == 10
    tree.forget("b")
    assert files_in(folder) == []


def test_a_conversation_can_be_forgotten_without_a_model(saved, folder):
    forget_files(folder, "chat")
    assert files_in(folder) == []


def test_erase_all_removes_every_models_files(start, saved, folder):
    other = start(fingerprint="other")
    chat(other, conversation="x")
    other.save(never)
    start().forget("")
    assert files_in(folder) == []
    assert list(folder.glob("*/chats/*")) == []


def test_the_disk_budget_holds_and_the_latest_stay(start, folder):
    tree = start()
    chat(tree)
    tree.save(never)
    size = sum(path.stat().st_size for path in files_in(folder))
    small = start(disk=size * 2)
    for number in range(6):
        chat(small, [number + 40, *IDS], conversation=f"chat {number}")
        for age, path in enumerate(reversed(files_in(folder))):
            os.utime(path, (path.stat().st_atime, path.stat().st_mtime - 10 - age))
        small.save(never)
        assert sum(path.stat().st_size for path in files_in(folder)) <= size * 2
    assert chat(start(), [45, *IDS], conversation="chat 5")[1] == len(IDS) + 1


def test_a_full_disk_turns_the_tier_off_with_one_line(start, folder, monkeypatch, caplog):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage(100, 100, 0))
    tree = start()
    with caplog.at_level(logging.WARNING):
        for number in range(3):
            chat(tree, [number + 40, *IDS], conversation="chat")
            tree.save(never)
    assert len(caplog.records) == 1
    assert files_in(folder) == []
    assert chat(tree, [40, *IDS])[1] == len(IDS) + 1


def test_a_write_that_fails_turns_the_tier_off_and_leaves_no_draft(start, folder, caplog):
    folder.mkdir()
    tree = start()
    chat(tree)
    blocked = tree._disk._files._folder
    blocked.write_text("a file where the folder should be")
    with caplog.at_level(logging.WARNING):
        tree.save(never)
        tree.save(never)
    assert len(caplog.records) == 1
    assert list(folder.rglob("*.tmp")) == []


def test_two_processes_on_one_folder_do_not_disturb_each_other(start, folder):
    one, two = start(), start()
    chat(one)
    chat(two, [*IDS[:20], 50, 51, 52])
    one.save(never)
    two.save(never)
    one.save(never)
    third = start()
    assert chat(third)[1] == len(IDS)
    assert chat(third, [*IDS[:20], 50, 51, 52])[1] == 23


def test_under_pressure_rows_that_the_disk_has_leave_memory_and_come_back(start, saved):
    tree = start()
    context, _ = chat(tree)
    live = context.nbytes
    del context
    tree.budget = live + tree.node_bytes + 1000
    chat(tree, [50, *IDS], conversation="other")
    assert tree.bytes <= tree.budget
    assert any(not node.segment.is_loaded for node in tree.nodes)
    context, reused = chat(tree)
    assert reused == len(IDS)
    assert np.array_equal(logits(context), saved)


def test_no_token_or_chat_name_is_logged(start, folder, caplog):
    with caplog.at_level(logging.DEBUG):
        tree = start()
        chat(tree, conversation="secret plans")
        tree.save(never)
        damage_a_byte_of_the_rows(files_in(folder)[0])
        chat(start(), conversation="secret plans")
    assert caplog.records
    assert "secret" not in caplog.text
    assert str(IDS[5:9])[1:-1] not in caplog.text
    assert all("secret" not in str(path) for path in folder.rglob("*"))


def test_bfloat16_rows_survive_the_disk(network, folder):
    layout = layout_of(network)

    def make():
        files = PrefixFiles(folder, "narrow", BIG)
        return PrefixTree(
            lambda _bits: Context(network, layout, dtype=mx.bfloat16),
            layout,
            Grid(4, 4),
            BIG,
            files,
        )

    tree = make()
    context, _ = chat(tree)
    tree.save(never)
    again, reused = chat(make())
    assert reused == len(IDS)
    assert np.array_equal(logits(context), logits(again))
