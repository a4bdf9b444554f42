"""The list of conversations, and of what a search found, in the sidebar."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractItemModel,
    QByteArray,
    QEvent,
    QItemSelectionModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QDrag,
    QDragMoveEvent,
    QDropEvent,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPen,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from app.rows import ChatRow, SearchRow, Section
from app.ui.theme import LIGHT, Palette

Index = QModelIndex | QPersistentModelIndex
ROW = Qt.ItemDataRole.UserRole + 1  # ChatRow, SearchRow, or Section for a heading
MIME = "application/x-cabochon-chat"


def row_of(index: Index) -> object:
    """The plain row that an index shows."""
    return index.data(ROW)


class RowPainter(QStyledItemDelegate):
    """Paints the rows; lives on the GUI thread."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.palette: Palette = LIGHT
        self.phase = 0  # of the sign that a chat is writing

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Two lines for a find, one for a chat, some air above a heading."""
        line = self.palette.pixels
        match row_of(index):
            case SearchRow():
                return QSize(100, round(line * 3.6))
            case Section():
                return QSize(100, round(line * 2.3))
            case _:
                return QSize(100, round(line * 2.3))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one row."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRect(option.rect).adjusted(8, 1, -8, -1)
        state: QStyle.StateFlag = option.state
        direction: Qt.LayoutDirection = option.direction
        painter.setLayoutDirection(direction)
        row = row_of(index)
        if isinstance(row, Section):
            self._heading(painter, rect, str(index.data()))
        else:
            self._ground(painter, rect, state)
            inner = rect.adjusted(10, 0, -10, 0)
            if isinstance(row, SearchRow):
                self._find(painter, inner, row, str(index.data()))
            elif isinstance(row, ChatRow):
                self._chat(painter, inner, row, str(index.data()))
        painter.restore()

    def _ground(self, painter: QPainter, rect: QRect, state: QStyle.StateFlag) -> None:
        colour = ""
        if state & QStyle.StateFlag.State_Selected:
            colour = self.palette.chosen
        elif state & QStyle.StateFlag.State_MouseOver:
            colour = self.palette.hover
        if colour:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colour))
            painter.drawRoundedRect(rect, 7, 7)
        if state & QStyle.StateFlag.State_HasFocus and state & QStyle.StateFlag.State_Selected:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QColor(self.palette.accent))
            painter.drawRoundedRect(rect.adjusted(0, 0, -1, -1), 7, 7)

    def _font(self, painter: QPainter, scale: float, bold: bool = False) -> QFontMetrics:
        font = QFont(painter.font())
        font.setPixelSize(round(self.palette.pixels * scale))
        font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
        painter.setFont(font)
        return QFontMetrics(font)

    def _line(self, painter: QPainter, rect: QRect, text: str, metrics: QFontMetrics) -> None:
        short = metrics.elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading
        right_to_left = painter.layoutDirection() == Qt.LayoutDirection.RightToLeft
        side = Qt.AlignmentFlag.AlignRight if right_to_left else Qt.AlignmentFlag.AlignLeft
        painter.drawText(rect, int(flags | side) | int(Qt.TextFlag.TextSingleLine), short)

    def _heading(self, painter: QPainter, rect: QRect, text: str) -> None:
        metrics = self._font(painter, 0.84, bold=True)
        painter.setPen(QColor(self.palette.muted))
        self._line(painter, rect.adjusted(10, 6, -10, 0), text, metrics)

    def _chat(self, painter: QPainter, rect: QRect, row: ChatRow, title: str) -> None:
        metrics = self._font(painter, 1.0, bold=row.activity == "unseen")
        if row.activity:
            right_to_left = painter.layoutDirection() == Qt.LayoutDirection.RightToLeft
            x = rect.left() + 4 if right_to_left else rect.right() - 4
            self._sign(painter, QPoint(x, rect.center().y()), row)
            rect = rect.adjusted(20, 0, 0, 0) if right_to_left else rect.adjusted(0, 0, -20, 0)
        painter.setPen(QColor(self.palette.text))
        self._line(painter, rect, title, metrics)

    def _sign(self, painter: QPainter, at: QPoint, row: ChatRow) -> None:
        """A turning arc while it writes, a ring while it waits, a dot when it was not seen."""
        colour = QColor(self.palette.accent)
        painter.setBrush(colour if row.activity == "unseen" else Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(colour, 2))
        if row.activity == "writing":
            painter.drawArc(QRect(at.x() - 5, at.y() - 5, 10, 10), -self.phase * 16, 270 * 16)
        elif row.activity == "waiting":
            painter.drawEllipse(at, 4, 4)
        else:
            painter.drawEllipse(at, 2, 2)

    def _find(self, painter: QPainter, rect: QRect, row: SearchRow, title: str) -> None:
        half = rect.height() // 2
        metrics = self._font(painter, 1.0, bold=True)
        painter.setPen(QColor(self.palette.text))
        self._line(painter, QRect(rect.left(), rect.top() + 3, rect.width(), half), title, metrics)
        metrics = self._font(painter, 0.86)
        painter.setPen(QColor(self.palette.muted))
        below = QRect(rect.left(), rect.top() + half - 1, rect.width(), half)
        self._line(painter, below, row.snippet, metrics)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """A line to rename a chat in."""
        line = QLineEdit(parent)
        line.setAccessibleName(self.tr("Chat title"))
        return line

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Fill the row with the line."""
        editor.setGeometry(QRect(option.rect).adjusted(8, 1, -8, -1))

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Begin with the title as it is, all of it selected."""
        row = row_of(index)
        if isinstance(editor, QLineEdit) and isinstance(row, ChatRow):
            editor.setText(row.title)
            editor.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Tell the list what was typed; nobody changes the model but `show_rows`."""
        row, chats = row_of(index), self.parent()
        if isinstance(editor, QLineEdit) and isinstance(row, ChatRow):
            title = " ".join(editor.text().split())
            if title and title != row.title and isinstance(chats, ChatList):
                chats.renamed.emit(row.id, title)


class ChatList(QTreeView):
    """Conversations under their headings, or what a search found.

    Attributes:
        chosen: A chat was chosen by its id.
        found: A find was chosen: conversation and message.
        renamed: A chat got another title by hand.
        moved: A chat was dropped on a folder ("" is none).
        trashed: A chat is to go to the trash.
    """

    chosen = Signal(int)
    found = Signal(int, int)
    renamed = Signal(int, str)
    moved = Signal(int, str)
    trashed = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chats")
        self.setAccessibleName(self.tr("Chats"))
        self._items = QStandardItemModel(self)
        self._painter = RowPainter(self)
        self._current = 0
        self._turn = QTimer(self, interval=80)
        self._turn.timeout.connect(self._on_turned)
        self._still = False
        self.setModel(self._items)
        self.setItemDelegate(self._painter)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setIndentation(0)
        self.setMouseTracking(True)
        self.setExpandsOnDoubleClick(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        edit = QAbstractItemView.EditTrigger
        self.setEditTriggers(edit.DoubleClicked | edit.EditKeyPressed)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setDropIndicatorShown(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.selectionModel().currentChanged.connect(self._on_current_changed)

    def set_palette(self, palette: Palette) -> None:
        """Paint in these colours."""
        self._painter.palette = palette
        self.scheduleDelayedItemsLayout()
        self.viewport().update()

    def set_still(self, still: bool) -> None:
        """Show that a chat writes without moving anything."""
        self._still = still

    def show_sections(self, sections: Sequence[Section], current: int) -> None:
        """Show the conversations; the open one is chosen without being told again."""
        self._current = current
        state = QAbstractItemView.State.EditingState
        if self.state() == state:  # a name is being typed: what changed is shown afterwards
            return
        self._items.clear()
        writing = False
        for section in sections:
            heading = self._heading(section)
            self._items.appendRow(heading)
            for row in section.rows:
                heading.appendRow(self._item(row))
                writing = writing or row.activity == "writing"
        self.expandAll()
        self._mark(current)
        if writing and not self._still:
            self._turn.start()
        else:
            self._turn.stop()

    def show_finds(self, finds: Sequence[SearchRow]) -> None:
        """Show what a search found."""
        self._turn.stop()
        self._items.clear()
        for find in finds:
            item = QStandardItem(find.title or self.tr("New chat"))
            item.setData(find, ROW)
            item.setData(f"{find.title}: {find.snippet}", Qt.ItemDataRole.AccessibleTextRole)
            item.setEditable(False)
            item.setDragEnabled(False)
            self._items.appendRow(item)

    def rename_chat(self, conversation: int) -> None:
        """Open the line that renames a chat."""
        index = self._index_of(conversation)
        if index.isValid():
            self.edit(index)

    def row_at(self, place: QPoint) -> ChatRow | None:
        """The conversation under a point of the viewport."""
        row = row_of(self.indexAt(place))
        return row if isinstance(row, ChatRow) else None

    def current_row(self) -> ChatRow | None:
        """The conversation that the keyboard is at."""
        row = row_of(self.currentIndex())
        return row if isinstance(row, ChatRow) else None

    def go_to(self, step: int) -> None:
        """Choose the next conversation in the list, or the one before."""
        ids = [row.id for row in self.rows()]
        if self._current in ids:
            at = ids.index(self._current) + step
            if 0 <= at < len(ids):
                self.chosen.emit(ids[at])

    def rows(self) -> list[ChatRow]:
        """The conversations in the order shown."""
        found: list[ChatRow] = []
        for i in range(self._items.rowCount()):
            heading = self._items.item(i)
            for j in range(heading.rowCount()):
                row = heading.child(j).data(ROW)
                if isinstance(row, ChatRow):
                    found.append(row)
        return found

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Backspace alone does nothing; with Ctrl or ⌘ it moves the chat to the trash."""
        row = self.current_row()
        if event.key() in (Qt.Key.Key_Backspace, Qt.Key.Key_Delete):
            if event.modifiers() & Qt.KeyboardModifier.ControlModifier and row is not None:
                self.trashed.emit(row.id)
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self.currentIndex())
            return
        super().keyPressEvent(event)

    def mimeTypes(self) -> list[str]:
        """What can be dropped here."""
        return [MIME]

    def startDrag(self, actions: Qt.DropAction) -> None:
        """Carry the id of a chat."""
        row = self.current_row()
        if row is None:
            return
        from_here = QMimeData()
        from_here.setData(MIME, QByteArray(str(row.id).encode()))
        drag = QDrag(self)
        drag.setMimeData(from_here)
        drag.exec(actions)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Take a chat over a folder, or over anything that is in none."""
        if event.mimeData().hasFormat(MIME):
            event.acceptProposedAction()
        else:
            event.ignore()

    def dropEvent(self, event: QDropEvent) -> None:
        """Move a chat to the folder under the pointer."""
        if not event.mimeData().hasFormat(MIME):
            event.ignore()
            return
        conversation = int(bytes(event.mimeData().data(MIME).data()).decode())
        row = row_of(self.indexAt(event.position().toPoint()))
        folder = row.folder if isinstance(row, (ChatRow, Section)) else ""
        event.acceptProposedAction()
        self.moved.emit(conversation, folder)

    def event(self, event: QEvent) -> bool:
        """Lay the rows out anew when the font changes."""
        if event.type() == QEvent.Type.FontChange:
            self.scheduleDelayedItemsLayout()
        return super().event(event)

    def _heading(self, section: Section) -> QStandardItem:
        names = {"today": self.tr("Today"), "week": self.tr("Previous 7 days")}
        name = section.folder or (
            self.tr("Pinned") if section.pinned else names.get(section.age or "", self.tr("Older"))
        )
        item = QStandardItem(name)
        item.setData(section, ROW)
        item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsDropEnabled)
        return item

    def _item(self, row: ChatRow) -> QStandardItem:
        title = row.title or self.tr("New chat")
        item = QStandardItem(title)
        item.setData(row, ROW)
        words = {
            "writing": self.tr("writing"),
            "waiting": self.tr("waiting"),
            "unseen": self.tr("new answer"),
        }
        said = f"{title}, {words[row.activity]}" if row.activity else title
        item.setData(said, Qt.ItemDataRole.AccessibleTextRole)
        tip = title if not row.tags else f"{title}\n{' · '.join(row.tags)}"
        item.setToolTip(tip)
        return item

    def _index_of(self, conversation: int) -> QModelIndex:
        for i in range(self._items.rowCount()):
            heading = self._items.item(i)
            for j in range(heading.rowCount()):
                row = heading.child(j).data(ROW)
                if isinstance(row, ChatRow) and row.id == conversation:
                    return heading.child(j).index()
        return QModelIndex()

    def _mark(self, conversation: int) -> None:
        index = self._index_of(conversation)
        choose = self.selectionModel()
        blocked = choose.blockSignals(True)
        if index.isValid():
            choose.setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        else:
            choose.clear()
        choose.blockSignals(blocked)
        self.viewport().update()

    def _choose(self, index: Index) -> None:
        match row_of(index):
            case ChatRow(id=conversation):
                self.chosen.emit(conversation)
            case SearchRow(conversation=conversation, message=message):
                self.found.emit(conversation, message)
            case _:
                pass

    def _on_current_changed(self, current: QModelIndex, before: QModelIndex) -> None:
        self._choose(current)

    def _on_turned(self) -> None:
        self._painter.phase = (self._painter.phase + 30) % 360
        self.viewport().update()
