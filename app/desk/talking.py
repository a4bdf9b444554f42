"""What the transcript shows: the visible path as views, and a reply as it grows."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.chat import Chat
from app.rows import BranchRow
from app.store.rows import Node, OpenedConversation

MakeView = Callable[[Node, int, int], object]


class Talking(QObject):
    """Keeps the transcript true.

    Attributes:
        opened: A chat was opened; carries its views and where it was scrolled to.
        shown: Views of the whole path, of the chat that is open already.
        emptied: There is nothing to show yet.
        began: One more view. `ended`: a view that has its last form.
        grew: Message, text, and "answer" or "thought".
        said: An answer is done; its text, for those who do not see it.
    """

    opened = Signal(object, object)
    shown = Signal(object)
    emptied = Signal()
    began = Signal(object)
    grew = Signal(int, str, str)
    ended = Signal(object)
    said = Signal(str)

    def __init__(self, chat: Chat, make_view: MakeView, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chat, self._make_view = chat, make_view
        self._opening: OpenedConversation | None = None
        self._empty = True
        chat.opened.connect(self.on_opened)
        chat.path_changed.connect(self.on_path_changed)
        chat.message_added.connect(self.on_added)
        chat.reply_began.connect(self.on_added)
        chat.grew.connect(self.grew)
        chat.reply_ended.connect(self.on_ended)

    def views(self) -> list[object]:
        """The visible path as views."""
        return [self._view(node) for node in self._chat.conversation.path()]

    def _view(self, node: Node) -> object:
        version, versions = self._chat.conversation.version(node.id)
        return self._make_view(node, version, versions)

    @Slot(object)
    def on_opened(self, opened: OpenedConversation) -> None:
        """The path of another chat comes next."""
        self._opening = opened

    @Slot()
    def on_path_changed(self) -> None:
        """Show the path anew."""
        opening, self._opening = self._opening, None
        views = self.views()
        self._empty = not views
        if not views:
            self.emptied.emit()
        elif opening is not None:
            self.opened.emit(views, opening.view)
        else:
            self.shown.emit(views)

    @Slot(object)
    def on_added(self, node: Node) -> None:
        """One more message at the end of the path."""
        if self._empty:
            self._empty = False
            self.shown.emit([self._view(node)])
        else:
            self.began.emit(self._view(node))

    @Slot(object)
    def on_ended(self, node: Node) -> None:
        """The reply is done."""
        self.ended.emit(self._view(node))
        self.said.emit(node.text)

    def branches(self) -> tuple[BranchRow, ...]:
        """Every message with its versions, for the branch map."""
        tree = self._chat.conversation
        shown = {node.id for node in tree.path()}
        return tuple(
            BranchRow(
                node.id,
                node.parent_id or 0,
                node.note.model_name or self.tr("Gemma")
                if node.role == "assistant"
                else self.tr("You"),
                " ".join(node.text.split())[:120],
                tree.version(node.id)[1],
                node.id in shown,
            )
            for node in tree.nodes()
        )

    # ------------------------------------------------------------------------------ by key

    @Slot()
    def regenerate_last(self) -> None:
        """Make another version of the last answer."""
        path = self._chat.conversation.path()
        if path:
            self._chat.regenerate(path[-1].id)

    @Slot()
    def branch_last(self) -> None:
        """Let the path end where the last question was answered before."""
        path = self._chat.conversation.path()
        if len(path) > 2:
            self._chat.branch(path[-3].id)

    def step_version(self, step: int) -> None:
        """Show another version of the last message that has several."""
        for node in reversed(self._chat.conversation.path()):
            if self._chat.conversation.version(node.id)[1] > 1:
                self._chat.show_version(node.id, step)
                return

    def last_answer_id(self) -> int:
        """The last answer; 0 if there is none."""
        node = self._chat.conversation.last_of("assistant")
        return node.id if node is not None else 0

    def last_answer(self) -> str:
        """The text of the last answer."""
        node = self._chat.conversation.last_of("assistant")
        return node.text if node is not None else ""
