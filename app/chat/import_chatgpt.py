"""One conversation of ChatGPT's export: its `mapping` is a tree, and stays one here.

Hidden, empty, tool and system messages are left out; what follows them moves up to the nearest
message that is kept. Pictures and other parts that are no text leave a word in their place.

Source: the `conversations.json` of OpenAI's data export, as of 2025.
"""

from __future__ import annotations

import time
from typing import Any

from app.chat.interchange import Whole
from app.store.rows import Node, ReplyNote
from inference import Role


def read_chatgpt(found: dict[str, Any]) -> Whole:
    """Read one conversation.

    Raises:
        ValueError: There is no message in it.
    """
    mapping: dict[str, dict[str, Any]] = found["mapping"]
    numbers: dict[str, int] = {}
    nearest: dict[
        str, int | None
    ] = {}  # each of ChatGPT's nodes to the kept message at or above it
    nodes: list[Node] = []
    created = _time(found.get("create_time"), time.time())
    for key in _parents_first(mapping):
        entry = mapping[key]
        parent = nearest.get(entry.get("parent") or "")
        node = _node(entry.get("message"), len(nodes) + 1, parent, created)
        if node is None:
            nearest[key] = parent
            continue
        numbers[key] = node.id
        nearest[key] = node.id
        nodes.append(node)
    if not nodes:
        raise ValueError("there is no message in it")
    return Whole(
        str(found.get("title") or ""),
        created,
        _time(found.get("update_time"), created),
        tuple(nodes),
        nearest.get(str(found.get("current_node"))),
    )


def _parents_first(mapping: dict[str, dict[str, Any]]) -> list[str]:
    """Order the nodes so that parents come first; cycles and orphans become roots or vanish."""
    order = [key for key, entry in mapping.items() if entry.get("parent") not in mapping]
    seen = set(order)
    for key in order:
        for child in mapping[key].get("children") or ():
            if child in mapping and child not in seen:
                seen.add(child)
                order.append(child)
    return order


def _node(
    message: dict[str, Any] | None, new_id: int, parent: int | None, created: float
) -> Node | None:
    if not message:
        return None
    role = (message.get("author") or {}).get("role")
    hidden = (message.get("metadata") or {}).get("is_visually_hidden_from_conversation")
    if role not in ("user", "assistant") or hidden:
        return None
    text = _text(message.get("content") or {})
    if not text.strip():
        return None
    kept: Role = "user" if role == "user" else "assistant"
    model = str((message.get("metadata") or {}).get("model_slug") or "ChatGPT")
    note = ReplyNote(model_name=model) if kept == "assistant" else ReplyNote()
    at = _time(message.get("create_time"), created)
    return Node(new_id, parent, kept, text, "complete", at, note=note)


def _text(content: dict[str, Any]) -> str:
    kind = content.get("content_type")
    if kind == "code":
        return f"```\n{content.get('text', '')}\n```"
    if kind not in ("text", "multimodal_text"):
        return ""
    parts = []
    for part in content.get("parts") or ():
        if isinstance(part, str):
            parts.append(part)
        elif isinstance(part, dict):
            parts.append(str(part.get("text") or f"[{_word(part)}]"))
    return "\n".join(part for part in parts if part)


def _word(part: dict[str, Any]) -> str:
    kind = str(part.get("content_type") or "")
    return "picture" if "image" in kind else "audio" if "audio" in kind else "attachment"


def _time(value: object, default: float) -> float:
    return float(value) if isinstance(value, int | float) else default
