"""From a stored message to what the transcript is told of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QLocale

from app.ui.chat.transcript_message import MessageStatus, MessageView

if TYPE_CHECKING:
    from app.store.rows import Node, ReplyNote

_translate = QCoreApplication.translate


def view_of(node: Node, version: int, versions: int) -> MessageView:
    """Describe a message: which version it is, how it ended, what it cost."""
    note = node.note
    states: dict[str, MessageStatus] = {
        "complete": "complete",
        "writing": "writing",
        "stopped": "stopped",
        "interrupted": "stopped",
        "failed": "failed",
    }
    return MessageView(
        id=node.id,
        role=node.role,
        text=node.text,
        author=note.model_name,
        thought=node.thought,
        thought_seconds=note.thinking_seconds or None,
        thought_tokens=note.thinking_tokens or None,
        version=version,
        versions=versions,
        status=states[node.status],
        footer=footer_of(note) if node.role == "assistant" else "",
        error=note.error,
        note=_note_of(node),
        attachments=tuple(one.name for one in node.attachments),
    )


def footer_of(note: ReplyNote) -> str:
    """One line of figures of a reply that is done."""
    if note.reason is None:
        return ""
    locale = QLocale()
    parts = [
        _translate("Footer", "{n} tok/s").format(n=locale.toString(note.tokens_per_second, "f", 1)),
        _translate("Footer", "first token after {n} s").format(
            n=locale.toString(note.ttft_seconds, "f", 2)
        ),
        _translate("Footer", "{n} tokens").format(n=locale.toString(note.generated_tokens)),
        _translate("Footer", "{n} read").format(
            n=locale.toString(note.prompt_tokens - note.reused_tokens)
        ),
    ]
    if note.reused_tokens:
        reused = locale.toString(note.reused_tokens)
        parts.append(_translate("Footer", "{n} reused").format(n=reused))
    if note.seed is not None:
        parts.append(_translate("Footer", "seed {n}").format(n=note.seed))
    reasons = {
        "end": _translate("Footer", "ended by itself"),
        "stop": _translate("Footer", "stop text"),
        "length": _translate("Footer", "length limit"),
        "stopped": _translate("Footer", "stopped by you"),
        "context": _translate("Footer", "context full"),
        "loop": _translate("Footer", "loop"),
    }
    parts.append(reasons[note.reason])
    return " · ".join(parts)


def _note_of(node: Node) -> str:
    note = node.note
    if node.status == "interrupted":
        return _translate("Footer", "The program ended while this was written.")
    notes = {
        "length": _translate("Footer", "The length limit was reached; Continue goes on."),
        "context": _translate("Footer", "The context is full."),
        "loop": _translate("Footer", "Stopped, because it went round in circles."),
        "stopped": _translate("Footer", "Stopped; Continue goes on."),
    }
    said = [notes.get(note.reason or "", "")]
    if note.dropped_messages:
        said.append(
            _translate("Footer", "%n older message(s) did not fit.", "", note.dropped_messages)
        )
    return " ".join(part for part in said if part)
