"""The store: nothing that was committed is lost, whatever happens to the file or the process."""

import shutil
import sqlite3
import stat
from dataclasses import replace

import numpy as np
import pytest

from app.store import opening, schema
from app.store.opening import StoreError
from app.store.rows import Attachment, ChatSettings, ReplyNote
from app.store.store import Store, is_temporary
from app.store.transaction import transaction
from inference import Sampling


@pytest.fixture
def path(tmp_path):
    return tmp_path / "chats.sqlite3"


@pytest.fixture
def store(path):
    made = Store(path)
    yield made
    made.close()


def reopen(store):
    store.close()
    again = Store(store.path)
    again.recover()
    return again


def begin(store, *texts):
    """A conversation of finished messages, turn by turn."""
    row = store.conversations.create()
    parent = None
    for i, text in enumerate(texts):
        role = "assistant" if i % 2 else "user"
        parent = store.messages.add(row.id, parent, role, text).id
    return row.id, parent


def test_a_conversation_comes_back_as_it_was(store):
    settings = ChatSettings(system="Be brief", sampling=Sampling(temperature=0.5), stop=("END",))
    row = store.conversations.create(settings)
    attached = Attachment("a.py", "code", "print()", 3, cut=True)
    first = store.messages.add(row.id, None, "user", "hello", [attached])
    store.messages.add(row.id, first.id, "assistant", "hi")
    store.conversations.set_draft(row.id, "half a tho")
    store.conversations.set_view(row.id, {"top": 3})
    again = reopen(store)
    opened = again.conversations.open(row.id)
    assert [node.text for node in opened.nodes] == ["hello", "hi"]
    assert opened.nodes[0].attachments == (attached,)
    assert opened.active_leaf == opened.nodes[1].id
    assert opened.settings == settings
    assert opened.draft == "half a tho"
    assert opened.view == {"top": 3}
    again.close()


def test_a_reply_in_flight_is_interrupted_at_the_next_start(store):
    conversation, last = begin(store, "hello")
    reply = store.messages.begin_reply(conversation, last)
    store.messages.grow(reply.id, [("thought", "hm"), ("answer", "Once ")])
    store.messages.grow(reply.id, [("answer", "upon")])
    again = reopen(store)
    node = again.messages.tree(conversation)[-1]
    assert (node.text, node.thought, node.status) == ("Once upon", "hm", "interrupted")
    assert again.search.find("upon")
    again.close()


def test_a_reply_without_a_word_is_taken_back_at_the_next_start(store):
    conversation, last = begin(store, "hello")
    store.messages.begin_reply(conversation, last)
    again = reopen(store)
    assert [node.role for node in again.messages.tree(conversation)] == ["user"]
    assert again.conversations.open(conversation).active_leaf == last
    again.close()


def test_sends_that_waited_come_back_as_the_draft(store):
    conversation, _ = begin(store, "hello")
    store.conversations.set_draft(conversation, "typed")
    store.conversations.add_waiting(conversation, "one")
    store.conversations.add_waiting(conversation, "two")
    again = reopen(store)
    opened = again.conversations.open(conversation)
    assert opened.draft == "typed\n\none\n\ntwo"
    assert opened.waiting == ()
    again.close()


def test_a_growing_reply_is_not_searched(store):
    conversation, last = begin(store, "hello")
    reply = store.messages.begin_reply(conversation, last)
    store.messages.grow(reply.id, [("answer", "zebra")])
    assert store.search.find("zebra") == ()
    store.messages.finish_reply(replace(reply, text="zebra", status="complete"))
    assert len(store.search.find("zebra")) == 1


@pytest.mark.parametrize(
    "content",
    [
        b"not a database at all, but text",
        b"\0" * 8192,
        bytes(range(256)) * 64,
        b"SQLite format 3\0" + b"\xff" * 4080,
    ],
)
def test_an_unreadable_file_is_set_aside(path, content):
    path.write_bytes(content)
    store = Store(path)
    assert "kept untouched" in store.notice
    begin(store, "new")
    (aside,) = path.parent.glob("*.unreadable-*")
    assert aside.read_bytes() == content
    store.close()


def test_a_damaged_file_found_after_a_kill_is_set_aside(store, path):
    conversation, last = begin(store, *["text " * 500] * 40)
    store.messages.begin_reply(conversation, last)
    store.close()
    content = bytearray(path.read_bytes())
    content[4096 * 5 : 4096 * 12] = b"\x5a" * 4096 * 7
    path.write_bytes(content)
    again = Store(path)
    assert "kept untouched" in again.notice
    assert again.conversations.all() == ()
    again.close()


def test_a_file_of_another_kind_is_set_aside(path):
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE bookmarks(id)")
    other.close()
    store = Store(path)
    assert "kept untouched" in store.notice
    store.close()


def test_a_newer_file_is_left_alone(store, path):
    begin(store, "hello")
    store.db.execute(f"PRAGMA user_version={schema.VERSION + 1}")
    store.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="newer version"):
        Store(path)
    assert path.read_bytes() == before


def test_a_folder_that_cannot_be_read_is_one_sentence(tmp_path):
    with pytest.raises(StoreError, match="cannot be opened"):
        Store(tmp_path / "missing" / "chats.sqlite3")


def test_an_old_file_is_migrated_on_a_copy(store, path, monkeypatch):
    begin(store, "hello")
    store.close()
    before = path.read_bytes()
    step = "ALTER TABLE conversation ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue';"
    monkeypatch.setattr(opening, "VERSION", schema.VERSION + 1)
    monkeypatch.setattr(opening, "MIGRATIONS", (*schema.MIGRATIONS, step))
    again = Store(path)
    assert again.db.execute("SELECT colour FROM conversation").fetchone() == ("blue",)
    assert again.messages.tree(1)[0].text == "hello"
    assert path.with_name(f"chats.sqlite3.version-{schema.VERSION}").read_bytes() == before
    again.close()


def test_a_migration_that_fails_leaves_the_old_file(store, path, monkeypatch):
    begin(store, "hello")
    store.close()
    before = path.read_bytes()
    monkeypatch.setattr(opening, "VERSION", schema.VERSION + 1)
    monkeypatch.setattr(
        opening, "MIGRATIONS", (*schema.MIGRATIONS, "ALTER TABLE nothing RENAME TO x;")
    )
    with pytest.raises(StoreError):
        Store(path)
    assert path.read_bytes() == before


def test_a_copied_folder_shows_its_conversations(store, path, tmp_path):
    begin(store, "moved house")
    store.close()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copy(path, elsewhere / path.name)
    moved = Store(elsewhere / path.name)
    assert len(moved.search.find("moved")) == 1
    moved.close()


def test_two_writers_do_not_lose_each_others_changes(store, path):
    conversation, last = begin(store, "hello")
    reply = store.messages.begin_reply(conversation, last)
    other = Store(path)
    for n in range(50):
        store.messages.grow(reply.id, [("answer", f"{n} ")])
        other.conversations.rename(conversation, f"title {n}")
    other.close()
    again = reopen(store)
    assert again.conversations.get(conversation).title == "title 49"
    text = again.messages.tree(conversation)[-1].text
    assert text == "".join(f"{n} " for n in range(50))
    again.close()


def test_the_trash_brings_back_and_forgets(store):
    keep, _ = begin(store, "keep me")
    gone, _ = begin(store, "throw me")
    store.conversations.trash(gone)
    assert [row.id for row in store.conversations.all()] == [keep]
    assert store.search.find("throw") == ()
    assert [row.id for row in store.conversations.all(trash=True)] == [gone]
    store.conversations.restore(gone)
    assert store.search.find("throw")
    store.conversations.trash(gone)
    assert store.conversations.empty_trash(older_than_days=30) == ()
    assert store.conversations.empty_trash() == (gone,)
    assert store.messages.tree(gone) == ()
    assert store.search.find("throw") == ()
    assert store.search.find("keep")


def test_a_deleted_message_is_hidden_and_comes_back(store):
    conversation, last = begin(store, "one", "two")
    store.messages.delete(last)
    assert [node.text for node in store.messages.tree(conversation)] == ["one"]
    store.messages.restore(last)
    assert [node.text for node in store.messages.tree(conversation)] == ["one", "two"]


def test_the_models_title_never_replaces_the_users(store):
    conversation, _ = begin(store, "hello")
    store.conversations.rename(conversation, "Greetings", "model")
    assert store.conversations.get(conversation).title == "Greetings"
    store.conversations.rename(conversation, "Mine")
    store.conversations.rename(conversation, "Again", "model")
    assert store.conversations.get(conversation).title == "Mine"


def test_folders_tags_and_pins(store):
    conversation, _ = begin(store, "hello")
    folder = store.conversations.add_folder("Work")
    store.conversations.move(conversation, folder.id)
    store.conversations.set_tags(conversation, ["b", "a", " a "])
    store.conversations.pin(conversation, True)
    row = store.conversations.get(conversation)
    assert (row.folder_id, row.tags, row.pinned) == (folder.id, ("a", "b"), True)
    assert store.conversations.all()[0] == row
    store.conversations.remove_folder(folder.id)
    store.conversations.set_tags(conversation, [])
    assert store.conversations.get(conversation).folder_id is None
    assert store.conversations.tags() == ()


def test_temporary_ids_are_told_apart(store):
    memory = Store(None)
    row = memory.conversations.create()
    node = memory.messages.add(row.id, None, "user", "secret")
    assert is_temporary(row.id)
    assert is_temporary(node.id)
    assert not is_temporary(store.conversations.create().id)
    memory.close()


def test_unpaired_surrogates_and_nulls_are_kept_as_text(store):
    conversation, _ = begin(store, "a\ud800b\0c")
    assert store.messages.tree(conversation)[0].text == "a\ufffdb\0c"


def test_presets_and_prompts(store):
    settings = ChatSettings(system="Translate", sampling=Sampling(top_k=1))
    store.library.save_preset("French", settings)
    store.library.save_preset("French", replace(settings, system="Translate well"))
    (preset,) = store.library.presets()
    assert preset.settings.system == "Translate well"
    store.library.save_prompt("Sum up", "Sum up {{text}}")
    assert store.library.prompts()[0].text == "Sum up {{text}}"
    store.library.remove_preset("French")
    store.library.remove_prompt("Sum up")
    assert store.library.presets() + store.library.prompts() == ()


def test_the_note_below_a_reply_is_kept(store):
    conversation, last = begin(store, "hello")
    reply = store.messages.begin_reply(conversation, last, "Well")
    note = ReplyNote("Echo", "length", prompt_tokens=5, seed=3, prefix_characters=4)
    store.messages.finish_reply(replace(reply, text="Well, hi", status="complete", note=note))
    assert store.messages.tree(conversation)[-1].note == note


def test_erasing_everything_leaves_no_word(store, path):
    begin(store, "a marvellous word")
    assert any(b"marvellous" in file.read_bytes() for file in path.parent.iterdir())
    store.erase_everything()
    assert not any(b"marvellous" in file.read_bytes() for file in path.parent.iterdir())


def test_emptying_the_trash_leaves_no_word(store, path):
    begin(store, "an ordinary word")
    conversation, _ = begin(store, "a marvellous word")
    store.conversations.trash(conversation)
    store.conversations.empty_trash()
    store = reopen(store)
    store.wiping.finish()
    assert not store.wiping.wanted
    assert not any(b"marvellous" in file.read_bytes() for file in path.parent.iterdir())
    assert any(b"ordinary" in file.read_bytes() for file in path.parent.iterdir())
    assert store.search.find("ordinary")
    store.close()


def test_a_file_of_the_first_version_is_migrated(path):
    with sqlite3.connect(path) as old:
        old.executescript(f"{schema.MIGRATIONS[0]}PRAGMA user_version=1;")
        old.execute("INSERT INTO conversation(title, created_at, updated_at) VALUES ('Old', 1, 1)")
    old.close()
    store = Store(path)
    assert [row.title for row in store.conversations.all()] == ["Old"]
    assert path.with_name("chats.sqlite3.version-1").exists()
    store.close()


def test_removing_a_prompt_leaves_no_word(store, path):
    store.library.save_prompt("p", "marvellous")
    store.library.remove_prompt("p")
    store.close()
    assert b"marvellous" not in path.read_bytes()


# ------------------------------------------------------------------------------ search


@pytest.mark.parametrize("query", ['foo"bar', "a AND", "(", "-x", "col:x", "*", "^", "%", "\0"])
def test_no_query_is_an_error(store, query):
    begin(store, 'say foo"bar AND col:x (-x) 100%')
    store.search.find(query)


def test_the_last_word_is_a_beginning(store):
    begin(store, "The lighthouse keeper")
    assert store.search.find("light")
    assert store.search.find("the lighthouse keep")
    assert store.search.find("house") == ()


def test_accents_and_case_do_not_matter(store):
    conversation, _ = begin(store, "Crème brûlée")
    store.conversations.rename(conversation, "Älter")
    assert store.search.find("creme BRULEE")
    assert store.search.find("alter")[0].message_id == 0


def test_words_inside_chinese_and_japanese_are_found(store):
    begin(store, "我喜欢学习新的语言", "日本語を勉強しています")
    (hit,) = store.search.find("学习")
    assert hit.snippet[slice(*hit.spans[0])] == "学习"
    assert store.search.find("勉強")
    assert store.search.find("学日") == ()


def test_a_snippet_tells_where_the_words_are(store):
    begin(store, "word " * 50 + "needle in\nthe hay " + "word " * 50)
    (hit,) = store.search.find("needle hay")
    assert [hit.snippet[first:last] for first, last in hit.spans] == ["needle", "hay"]
    assert "\n" not in hit.snippet


def test_search_by_meaning_finds_the_nearest(store):
    begin(store, "cats", "dogs", "stars")
    waiting = store.search.without_embedding("model", 10)
    vectors = np.eye(3, dtype=np.float32)
    store.search.keep_embeddings("model", [i for i, _ in waiting], vectors)
    assert store.search.without_embedding("model", 10) == ()
    assert len(store.search.without_embedding("another", 10)) == 3
    near = np.array([0.1, 0.9, 0.1], np.float32)
    assert store.search.nearest("model", near, 1)[0].message_id == waiting[1][0]
    store.search.forget_embeddings()
    assert store.search.nearest("model", near) == ()


def test_the_file_is_its_owners_alone(tmp_path):
    from app.paths import find_paths

    paths = find_paths({"CABOCHON_HOME": str(tmp_path / "home")}).make()
    assert stat.S_IMODE(paths.data.stat().st_mode) == 0o700


def test_a_durable_step_waits_for_the_disk_and_the_next_does_not(store):
    def mode():
        return store.db.execute("PRAGMA synchronous").fetchone()[0]

    with transaction(store.db, durable=True), transaction(store.db):
        assert mode() == 2
        begin(store, "hello")
    assert mode() == 1
    with pytest.raises(sqlite3.IntegrityError), transaction(store.db, durable=True):
        store.messages.add(begin(store, "lost")[0], 10**9, "user", "an orphan")
    assert mode() == 1
    assert len(store.conversations.all()) == 1
