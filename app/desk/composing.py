"""What stands in the composer: drafts, attachments, an edit of an older message."""

from __future__ import annotations

import itertools
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.attachments import text_attachment
from app.chat.chat import Chat
from app.chat.counting import TokenCounter
from app.store.rows import Attachment, OpenedConversation

NO_LIMIT = 1 << 30


class Composing(QObject):
    """Remembers what is being written.

    Attributes:
        text_shown: A text is to stand in the composer.
        cleared: What stood in the composer is sent.
        attached: Key, name and cost of an attachment that is to be shown.
        detached: An attachment, by its key, is to be shown no more.
        editing_changed: A message is being edited, or none any more.
        tokens_changed: What the text costs.
    """

    text_shown = Signal(str)
    cleared = Signal()
    attached = Signal(str, str, str)
    detached = Signal(str)
    editing_changed = Signal(bool)
    tokens_changed = Signal(int)

    def __init__(self, chat: Chat, counter: TokenCounter, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chat, self._counter = chat, counter
        self._keys, self._pastes = itertools.count(1), itertools.count(1)
        self._attachments: dict[str, Attachment] = {}
        self._editing = 0
        self._draft = ""
        self._new_draft = ""  # of the chat that has no message yet, while another is open
        self._open = 0
        self.draft_tokens = 0
        counter.counted.connect(self.on_counted)
        counter.attached.connect(self.attach)

    # ------------------------------------------------------------------------------ the text

    @Slot(str)
    def on_draft_changed(self, text: str) -> None:
        """Keep what is written, and count it."""
        self._draft = text
        if not self._editing:
            self._open = self._chat.conversation_id
            self._chat.set_draft(text)
        self._count(text)

    def _count(self, text: str) -> None:
        if text:
            self._counter.count(text)
        else:
            self._tell_tokens(0)

    @Slot(object)
    def on_opened(self, opened: OpenedConversation) -> None:
        """Another chat is open: its draft comes back."""
        self._leave()
        self._open = opened.row.id
        self._show(opened.draft)

    @Slot()
    def on_new(self) -> None:
        """A chat without messages is open: what was begun there comes back."""
        self._leave()
        self._open = 0
        self._show(self._new_draft)

    def _leave(self) -> None:
        if self._open == 0 and not self._editing:
            self._new_draft = self._draft
        self._end_edit()
        for key in list(self._attachments):
            self.detach(key)

    def _show(self, text: str) -> None:
        self._draft = text
        self.text_shown.emit(text)
        self._count(text)

    @Slot(str)
    def on_returned(self, text: str) -> None:
        """Texts that waited come back, before what was written since."""
        self._show("\n\n".join(part for part in (text, self._draft) if part))

    # ------------------------------------------------------------------------------ sending

    @Slot(str)
    def send(self, text: str) -> None:
        """Send the text with its attachments, or finish the edit."""
        attachments = tuple(self._attachments.values())
        editing = self._editing
        self._attachments.clear()
        self._draft = self._new_draft = ""
        self._editing = 0
        if editing:
            self.editing_changed.emit(False)
            self._chat.edit(editing, text)
        else:
            self._chat.set_draft("")
            self._chat.send(text, attachments)
        self.cleared.emit()
        self._tell_tokens(0)

    @Slot(int)
    def edit(self, message: int) -> None:
        """Put a message into the composer, to be sent as another version of itself."""
        node = self._chat.conversation.node(message)
        self._editing = message
        self.editing_changed.emit(True)
        self.text_shown.emit(node.text)
        self._count(node.text)

    @Slot()
    def edit_last(self) -> None:
        """Edit the last message that the user wrote."""
        last = self._chat.conversation.last_of("user")
        if last is not None and not self._chat.state.busy:
            self.edit(last.id)

    @Slot()
    def end_edit(self) -> None:
        """Leave the message as it is."""
        if self._editing:
            self._end_edit()
            self._show("")

    @property
    def editing(self) -> bool:
        """Whether a message is being edited."""
        return bool(self._editing)

    def _end_edit(self) -> None:
        if self._editing:
            self._editing = 0
            self.editing_changed.emit(False)

    # ------------------------------------------------------------------------------ attachments

    def attach(self, attachment: Attachment) -> None:
        """Add a text that goes with the message."""
        key = f"attachment-{next(self._keys)}"
        self._attachments[key] = attachment
        cost = self.tr("%n token(s)", "", attachment.n_tokens) if attachment.n_tokens else ""
        cut = self.tr("only its beginning") if attachment.cut else ""
        detail = " · ".join(part for part in (cost, cut) if part)
        self.attached.emit(key, attachment.name, detail)
        self._tell_tokens(self.draft_tokens)

    @Slot(list)
    def attach_files(self, paths: list[Path]) -> None:
        """Read files, each to be cut to half the context."""
        for path in paths:
            self._counter.attach(path, self._most_tokens())

    def _most_tokens(self) -> int:
        model = self._chat.model
        return model.context_tokens // 2 if model is not None else NO_LIMIT

    @Slot(str)
    def on_long_pasted(self, text: str) -> None:
        """A long paste becomes an attachment."""
        pasted = text_attachment(text, next(self._pastes))
        self._counter.attach_text(pasted, self._most_tokens())

    @Slot(str)
    def detach(self, key: str) -> None:
        """Take an attachment off."""
        self._attachments.pop(key, None)
        self.detached.emit(key)
        self._tell_tokens(self.draft_tokens)

    @Slot(int)
    def on_counted(self, tokens: int) -> None:
        """Show what the text costs."""
        self._tell_tokens(tokens if self._draft or self._editing else 0)

    @Slot()
    def count_again(self) -> None:
        """Count by another model's tokens."""
        self._count(self._draft)

    def _tell_tokens(self, tokens: int) -> None:
        self.draft_tokens = tokens
        attached = sum(one.n_tokens for one in self._attachments.values())
        self.tokens_changed.emit(tokens + attached)
