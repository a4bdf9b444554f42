"""Conversations go out and come in: nothing of a tree or its records is lost or run."""

import json
import zipfile
from dataclasses import replace

import pytest

from app.chat.export import to_html, to_markdown, to_own_json, to_text
from app.chat.import_file import ImportFileError, read_conversations
from app.chat.interchange import Whole, put_in, take_all, take_out
from app.store.rows import Attachment, ChatSettings, Node, ReplyNote, StoredToken
from app.store.store import Store
from inference import RunRecord, Sampling

RECORD = RunRecord(
    *("print", "Gemma", "float32", "hash", "0.1.0", "cpu"),
    prompt_ids=(2, 818, 5279),
    token_ids=(9079, 236761),
    answer_ids=(9079, 236761),
    sampling=Sampling(temperature=0.5, logit_bias=((5, -1.0),)),
    seed=7,
    reason="end",
    prompt_tokens=3,
    reused_tokens=1,
    generated_tokens=2,
    ttft_seconds=0.5,
    prefill_seconds=0.4,
    decode_seconds=1.0,
    tokens_per_second=2.0,
    started_at=1_700_000_000.0,
    logprobs=(-0.5, -0.25),
    guard_events=((1, 4),),
)
DETAILS = (
    StoredToken(9079, 5, -0.5, 1.5, ((9079, -0.5), (5, -2.0))),
    StoredToken(236761, 1, -0.25, 0.5, ((236761, -0.25),)),
)


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path / "chats.sqlite3")
    yield made
    made.close()


@pytest.fixture
def whole(store):
    """A conversation with a version, an attachment, a thought and a record."""
    row = store.conversations.create(ChatSettings(system="Be brief"), "Paris & <others>")
    attached = Attachment("a.py", "code", "print('```')", 4, cut=True)
    first = store.messages.add(row.id, None, "user", "The <b>capital</b>?", [attached])
    store.messages.add(row.id, first.id, "assistant", "First **version**")
    reply = store.messages.begin_reply(row.id, first.id)
    note = ReplyNote("Gemma", "end", seed=7)
    done = replace(reply, text="Paris.", thought="France…", status="complete", note=note)
    store.messages.finish_reply(done, RECORD, DETAILS, (9079, 236761))
    store.conversations.set_tags(row.id, ["travel"])
    return take_out(store, row.id)


def write(tmp_path, content, name="in.json"):
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


def test_our_own_export_comes_back_whole(store, whole, tmp_path):
    path = write(tmp_path, to_own_json([whole]))
    imported = read_conversations(path)
    assert imported.n_damaged == 0
    new = take_out(store, put_in(store, imported.wholes[0]))
    assert to_own_json([renumbered(new)]) == to_own_json([renumbered(whole)])
    (run,) = new.runs.values()
    assert run.record == RECORD
    assert run.details == DETAILS
    assert list(new.spoken.values()) == [("print", (9079, 236761))]


def renumbered(whole):
    """The same conversation with ids counted from one."""
    new = {node.id: i for i, node in enumerate(whole.nodes, 1)} | {None: None}
    nodes = tuple(
        replace(node, id=new[node.id], parent_id=new[node.parent_id]) for node in whole.nodes
    )
    return replace(
        whole,
        nodes=nodes,
        active_leaf=new[whole.active_leaf],
        runs={new[i]: run for i, run in whole.runs.items()},
        spoken={new[i]: one for i, one in whole.spoken.items()},
    )


def test_all_conversations_are_exported(store, whole):
    store.conversations.trash(store.conversations.create(title="gone").id)
    assert [one.title for one in take_all(store)] == ["Paris & <others>"]


def test_markdown_holds_the_visible_path(whole):
    text = to_markdown(whole)
    assert text.startswith("# Paris & <others>\n")
    assert "````\nprint('```')\n````" in text
    assert "> France…" in text
    assert "## Gemma\n\n> France…\n\nParis." in text
    assert "First" not in text


def test_text_holds_the_visible_path(whole):
    assert "You: [a.py]\nThe <b>capital</b>?\n\nGemma:\nParis.\n" in to_text(whole)


def test_html_runs_nothing_and_fetches_nothing(whole):
    evil = "<script>x</script> ![p](http://e.vil/q) [j](javascript:x) [ok](https://a.b) <img src=x>"
    nodes = tuple(replace(node, text=evil) for node in whole.nodes)
    page = to_html(replace(whole, nodes=nodes, title="</title><script>"))
    assert "<script" not in page
    assert "<img" not in page
    assert "javascript:x" not in page.replace("[j](javascript:x)", "")
    assert 'href="https://a.b"' in page
    assert "default-src 'none'" in page


# ------------------------------------------------------------------------------ ChatGPT


def chatgpt_node(key, parent, children, role=None, text="", **message):
    if role is None:
        return {"id": key, "message": None, "parent": parent, "children": children}
    content = {"content_type": "text", "parts": [text]}
    made = {"author": {"role": role}, "content": content, "create_time": 1.5, "metadata": {}}
    return {"id": key, "message": made | message, "parent": parent, "children": children}


CHATGPT = {
    "title": "Old chat",
    "create_time": 1_600_000_000.5,
    "update_time": 1_600_000_100.0,
    "current_node": "d",
    "mapping": {
        "d": chatgpt_node("d", "t", [], "assistant", "Second answer"),
        "root": chatgpt_node("root", None, ["s"]),
        "s": chatgpt_node("s", "root", ["a"], "system", "hidden rules"),
        "a": chatgpt_node("a", "s", ["b", "t"], "user", "Question"),
        "b": chatgpt_node("b", "a", ["c"], "assistant", "First answer"),
        "c": chatgpt_node(
            *("c", "b", [], "user"),
            content={"content_type": "multimodal_text", "parts": [
                {"content_type": "image_asset_pointer"}, "what is this?"]},
        ),
        "t": chatgpt_node("t", "a", ["d"], "tool", "search results"),
    },
}  # fmt: skip


def test_chatgpts_tree_is_kept(store, tmp_path):
    (one,) = read_conversations(write(tmp_path, [CHATGPT])).wholes
    new = take_out(store, put_in(store, one))
    by_text = {node.text: node for node in new.nodes}
    question = by_text["Question"]
    assert question.parent_id is None
    assert by_text["First answer"].parent_id == question.id
    assert by_text["Second answer"].parent_id == question.id
    assert by_text["[picture]\nwhat is this?"].parent_id == by_text["First answer"].id
    assert len(new.nodes) == 4
    assert new.active_leaf == by_text["Second answer"].id
    assert (new.title, new.created_at) == ("Old chat", 1_600_000_000.5)


def test_chatgpts_zip_is_read_as_it_comes(tmp_path):
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("user.json", "{}")
        archive.writestr("conversations.json", json.dumps([CHATGPT, {"mapping": {}}, 5]))
    imported = read_conversations(path)
    assert [one.title for one in imported.wholes] == ["Old chat"]
    assert imported.n_damaged == 2


def test_a_cycle_in_a_tree_does_not_hang(tmp_path):
    mapping = {
        "a": chatgpt_node("a", "b", ["b"], "user", "x"),
        "b": chatgpt_node("b", "a", ["a"], "user", "y"),
        "c": chatgpt_node("c", None, ["c"], "user", "z"),
    }
    (one,) = read_conversations(write(tmp_path, [{"mapping": mapping}])).wholes
    assert [node.text for node in one.nodes] == ["z"]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "not json",
        "[]",
        "{}",
        "[" * 100_000,
        '{"format": "cabochon-conversations", "version": 99, "conversations": []}',
        '{"format": "cabochon-conversations", "version": 1, "conversations": [{}]}',
    ],
)
def test_a_bad_file_is_one_sentence(tmp_path, content):
    with pytest.raises(ImportFileError) as told:
        read_conversations(write(tmp_path, content))
    assert str(told.value).endswith((".", "first."))
    assert "in.json" in str(told.value)


def test_a_damaged_tree_is_left_out(tmp_path, whole):
    found = json.loads(to_own_json([whole, whole]))
    found["conversations"][0]["messages"][1]["parent_id"] = 10**9
    imported = read_conversations(write(tmp_path, found))
    assert (len(imported.wholes), imported.n_damaged) == (1, 1)


def test_a_missing_file_is_one_sentence(tmp_path):
    with pytest.raises(ImportFileError, match="cannot be read"):
        read_conversations(tmp_path / "nothing.json")


def test_the_schema_names_what_is_exported(whole):
    from pathlib import Path

    schema = json.loads(Path("resources/conversations.schema.json").read_text())
    message = json.loads(to_own_json([whole]))["conversations"][0]["messages"][-1]
    assert set(message) <= set(schema["$defs"]["message"]["properties"])
    assert set(schema["$defs"]["message"]["required"]) <= set(message)
    record = schema["$defs"]["run"]["properties"]["record"]
    assert set(record["required"]) <= set(message["run"]["record"])


def test_a_whole_without_messages_is_exported_too():
    empty = Whole("", 0.0, 0.0, (), None)
    assert to_markdown(empty).startswith("# Conversation")
    assert "<h1>Conversation</h1>" in to_html(empty)
    assert Node(1, None, "user", "x").text in to_text(
        Whole("", 0.0, 0.0, (Node(1, None, "user", "x"),), 1)
    )
