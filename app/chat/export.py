"""A conversation as Markdown, plain text, HTML or JSON. Pure: what is written where is not known.

Markdown, text and HTML hold the visible path; JSON holds the whole tree with its run records, in
the form that `resources/conversations.schema.json` documents and `import_own` reads.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from datetime import datetime

from markdown_it import MarkdownIt

from app.chat.conversation import Conversation
from app.chat.interchange import Whole
from app.codec import to_json
from app.store.rows import Node, Run

FORMAT = "cabochon-conversations"
VERSION = 1
_LOWEST = -1e9  # JSON knows no infinity
_SAFE_LINK = re.compile(r"^(https?:|mailto:)", re.IGNORECASE)
_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;
color:#1c1c1e;background:#fff} h2{font-size:.9rem;color:#6b6b70;margin:2rem 0 .5rem}
pre{background:#f4f4f6;padding:.75rem;border-radius:6px;overflow-x:auto} .user{white-space:pre-wrap}
details{color:#6b6b70} table{border-collapse:collapse}
td,th{border:1px solid #ccc;padding:.25rem .5rem}
@media (prefers-color-scheme:dark){body{color:#ececf0;background:#1c1c1e} pre{background:#2c2c2e}}
"""


def speaker(node: Node) -> str:
    """Name who spoke a message."""
    if node.role == "assistant":
        return node.note.model_name or "Gemma"
    return {"user": "You", "system": "System"}[node.role]


def visible_path(whole: Whole) -> tuple[Node, ...]:
    """Give the messages that are shown."""
    return Conversation(whole.nodes, whole.active_leaf).path()


def to_markdown(whole: Whole) -> str:
    """Write the visible path as Markdown; thoughts and attachments are folded or fenced."""
    parts = [f"# {whole.title or 'Conversation'}", f"*{_day(whole.created_at)}*"]
    if whole.settings.system:
        parts += ["## System", whole.settings.system]
    for node in visible_path(whole):
        parts.append(f"## {speaker(node)}")
        parts += [f"**{one.name}**\n\n{_fenced(one.text)}" for one in node.attachments]
        if node.thought:
            quoted = node.thought.strip().replace("\n", "\n> ")
            parts.append(f"> {quoted}")
        parts.append(node.text)
    return "\n\n".join(parts).rstrip() + "\n"


def to_text(whole: Whole) -> str:
    """Write the visible path as plain text, answers as the model wrote them."""
    parts = [whole.title or "Conversation", ""]
    for node in visible_path(whole):
        names = "".join(f" [{one.name}]" for one in node.attachments)
        parts += [f"{speaker(node)}:{names}", node.text, ""]
    return "\n".join(parts)


def to_html(whole: Whole) -> str:
    """Write the visible path as one page that fetches nothing and runs nothing."""
    title = html.escape(whole.title or "Conversation")
    parts = [
        "<!doctype html>\n<html><head><meta charset='utf-8'>",
        "<meta http-equiv='Content-Security-Policy' "
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>{title}</title><style>{_STYLE}</style></head><body><h1>{title}</h1>",
    ]
    markdown = _markdown()
    for node in visible_path(whole):
        parts.append(f"<h2>{html.escape(speaker(node))}</h2>")
        parts += [
            f"<details><summary>{html.escape(one.name)}</summary>"
            f"<pre>{html.escape(one.text)}</pre></details>"
            for one in node.attachments
        ]
        if node.thought:
            thought = html.escape(node.thought)
            parts.append(
                f"<details><summary>Thought</summary><p class='user'>{thought}</p></details>"
            )
        if node.role == "assistant":
            parts.append(f"<div dir='auto'>{markdown.render(node.text)}</div>")
        else:
            parts.append(f"<div class='user' dir='auto'>{html.escape(node.text)}</div>")
    parts.append("</body></html>\n")
    return "\n".join(parts)


def to_own_json(wholes: Sequence[Whole]) -> str:
    """Write whole conversations, with every version and run record."""
    found = {
        "format": FORMAT,
        "version": VERSION,
        "conversations": [_conversation(whole) for whole in wholes],
    }
    return json.dumps(found, ensure_ascii=False, indent=1)


def _conversation(whole: Whole) -> dict[str, object]:
    return {
        "title": whole.title,
        "created_at": whole.created_at,
        "updated_at": whole.updated_at,
        "tags": list(whole.tags),
        "settings": to_json(whole.settings),
        "active_leaf": whole.active_leaf,
        "messages": [_message(whole, node) for node in whole.nodes],
    }


def _message(whole: Whole, node: Node) -> dict[str, object]:
    found = to_json(node)
    run = whole.runs.get(node.id)
    if run is not None:
        found["run"] = _run(run)
    if node.id in whole.spoken:
        by, ids = whole.spoken[node.id]
        found["spoken"] = {"by": by, "token_ids": list(ids)}
    return found


def _run(run: Run) -> dict[str, object]:
    return {
        "record": to_json(run.record),
        "tokens": [
            {
                "token_id": one.token_id,
                "n_characters": one.n_characters,
                "logprob": max(one.logprob, _LOWEST),
                "entropy": one.entropy,
                "alternatives": [[i, max(logprob, _LOWEST)] for i, logprob in one.alternatives],
            }
            for one in run.details
        ],
    }


def _markdown() -> MarkdownIt:
    """Make a renderer that shows raw HTML as text, no pictures, and only harmless links."""
    markdown = MarkdownIt("commonmark", {"html": False, "maxNesting": 20})
    markdown.enable(["table", "strikethrough"]).disable("image")
    markdown.validateLink = lambda url: bool(_SAFE_LINK.match(url))  # type: ignore[method-assign]
    return markdown


def _fenced(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")
