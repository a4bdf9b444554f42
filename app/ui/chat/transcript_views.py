"""The widgets that show rows: made once, then moved from row to row as the transcript scrolls.

They are labels to assistive technology, so that each visible part is read as text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from app.ui.chat.transcript_icons import draw_icon
from app.ui.chat.transcript_item import CODE_HEADER
from app.ui.render.blocks import join_plain
from app.ui.render.body import Part
from app.ui.render.code import CodeDocument
from app.ui.render.rich import Mark

if TYPE_CHECKING:
    from app.ui.chat.transcript_message import MessageView
    from app.ui.render.style import Style

MarksOf = Callable[[Part], Sequence[Mark]]
SPOKEN = 1000


class IconButton(QToolButton):
    """A small button with a drawn icon and a name."""

    def __init__(self, icon: str, name: str, style: Style, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAutoRaise(True)
        self.setIconSize(QSize(17, 17))
        self.setFixedSize(28, 28)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.restyle(icon, style)
        self.rename(name)

    def rename(self, name: str) -> None:
        """Give it another name."""
        self.setAccessibleName(name)
        self.setToolTip(name)

    def restyle(self, icon: str, style: Style) -> None:
        """Draw its icon in a style's colours."""
        self._icon = icon
        self.setIcon(draw_icon(icon, style.palette.muted, ratio=self.devicePixelRatioF() * 2))


class PartView(QLabel):
    """Shows one part: prose, code or a table. The transcript takes its mouse events."""

    def __init__(self, parent: QWidget, marks_of: MarksOf) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        # What is painted stays where it is when it grows: only what is new is painted.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._marks_of = marks_of
        self._ground = QColor()
        self.part: Part | None = None

    def show_part(self, part: Part, role: str, ground: QColor) -> None:
        """Show a part, or what has changed of it.

        Args:
            part: Laid out.
            role: Who says it.
            ground: The colour behind it.
        """
        top = 0.0
        if part is self.part and ground == self._ground and part.changed:
            top = part.document.top_of_change(part.changed)
            top += CODE_HEADER if isinstance(part.document, CodeDocument) else 0
        self.part = part
        self._ground = ground
        part.changed = None
        self.setAccessibleName(spoken(part, role))
        self.update(0, max(int(top) - 2, 0), self.width(), 1 << 23)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what has to be drawn anew."""
        if self.part is None:
            return
        document = self.part.document
        marks = self._marks_of(self.part)
        painter = QPainter(self)
        for box in event.region():  # type: ignore[attr-defined]  # the stub lacks it
            clip = QRectF(box)
            painter.save()
            painter.setClipRect(clip)
            painter.fillRect(clip, self._ground)
            if isinstance(document, CodeDocument):
                draw_panel(painter, QRectF(self.rect()), clip, document.style)
                painter.translate(0, CODE_HEADER)
                clip.translate(0, -CODE_HEADER)
            document.paint(painter, clip, marks)
            painter.restore()
        painter.end()


class CodeHeader(QWidget):
    """The line above a code block: its language, Wrap and Copy. It stays in sight."""

    def __init__(self, parent: QWidget, style: Style, rewrapped: Callable[[Part], None]) -> None:
        super().__init__(parent)
        self._part: Part | None = None
        self._rewrapped = rewrapped
        self._style = style
        self._language = QLabel(self)
        self._language.setTextFormat(Qt.TextFormat.PlainText)
        self._wrap = IconButton("wrap", "Wrap long lines", style, self)
        self._wrap.setCheckable(True)
        self._wrap.toggled.connect(self._on_wrap)
        self._copy = IconButton("copy", "Copy code", style, self)
        self._copy.clicked.connect(self._on_copy)
        self._copied = QTimer(self)
        self._copied.setSingleShot(True)
        self._copied.setInterval(1500)
        self._copied.timeout.connect(self._on_copied_shown)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 2, 4, 0)
        row.setSpacing(0)
        row.addWidget(self._language, 1)
        row.addWidget(self._wrap)
        row.addWidget(self._copy)
        self.restyle(style)

    def restyle(self, style: Style) -> None:
        """Take another palette."""
        self._style = style
        self._wrap.restyle("wrap", style)
        self._copy.restyle("copy", style)
        self._language.setFont(style.small_font)
        self._language.setStyleSheet(f"color: {style.palette.muted}; background: transparent;")

    def show_part(self, part: Part) -> None:
        """Stand above a part's code."""
        document = part.document
        assert isinstance(document, CodeDocument)
        if self._part is not part:
            self._copied.stop()
            self._on_copied_shown()
        self._part = part
        name = document.language_name
        if self._language.text() != name:
            self._language.setText(name)
            self.setAccessibleName(f"{name or 'Code'} block")
        self._wrap.blockSignals(True)
        self._wrap.setChecked(document.wrapped)
        self._wrap.blockSignals(False)

    def _on_wrap(self, wrapped: bool) -> None:
        if self._part is not None and isinstance(self._part.document, CodeDocument):
            self._part.document.wrapped = wrapped
            self._rewrapped(self._part)

    def _on_copy(self) -> None:
        if self._part is not None and isinstance(self._part.document, CodeDocument):
            QGuiApplication.clipboard().setText(self._part.document.source)
            self._copy.restyle("done", self._style)
            self._copy.rename("Copied")
            self._copied.start()

    def _on_copied_shown(self) -> None:
        self._copy.restyle("copy", self._style)
        self._copy.rename("Copy code")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Cover the code that scrolls by below."""
        painter = QPainter(self)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, 12)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._style.colour("border"), 1))
        painter.setBrush(self._style.colour("code"))
        painter.drawRoundedRect(box, 9, 9)
        painter.end()


def draw_panel(painter: QPainter, box: QRectF, clip: QRectF, style: Style) -> None:
    """Draw the rounded ground that code stands on, no higher than what can be seen of it."""
    box = box.intersected(clip.adjusted(-box.width(), -20, box.width(), 20))
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(style.colour("border"), 1))
    painter.setBrush(style.colour("code"))
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 9, 9)
    painter.restore()


class ThoughtButton(QToolButton):
    """Unfolds what the model thought: "Thought for 4 s · 120 tokens"."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setAutoRaise(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setIconSize(QSize(14, 14))

    def show_thought(self, view: MessageView, style: Style, *, unfolded: bool) -> None:
        """Tell how long was thought."""
        text = thought_title(view)
        self.setText(text)
        self.setAccessibleName(f"{text}, {'shown' if unfolded else 'folded'}")
        self.setIcon(draw_icon("unfolded" if unfolded else "folded", style.palette.muted, 14))
        self.setFont(style.small_font)
        self.setStyleSheet(f"color: {style.palette.muted};")
        self.resize(self.sizeHint())


def thought_title(view: MessageView) -> str:
    """The line that stands for a folded thought."""
    if view.status == "writing" and not view.text:
        title = "Thinking"
    elif view.thought_seconds is None:
        title = "Thought"
    elif view.thought_seconds < 1:
        title = "Thought for less than a second"
    elif view.thought_seconds < 100:
        title = f"Thought for {round(view.thought_seconds)} s"
    else:
        minutes, seconds = divmod(round(view.thought_seconds), 60)
        title = f"Thought for {minutes} min {seconds} s"
    if view.thought_tokens:
        title += f" · {view.thought_tokens:,} tokens"
    return title


class Notice(QLabel):
    """A sentence below a message: an error, or a quiet note."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def show_notice(self, text: str, style: Style, *, is_error: bool) -> None:
        """Show a sentence."""
        self.setText(text)
        self.setFont(style.font if is_error else style.small_font)
        palette = style.palette
        if is_error:
            self.setStyleSheet(
                f"color: {palette.error}; background: {palette.error_page};"
                "border-radius: 8px; padding: 5px 12px;"
            )
        else:
            self.setStyleSheet(f"color: {palette.muted}; padding: 2px 0;")


def spoken(part: Part, role: str) -> str:
    """What is read aloud of a part."""
    document = part.document
    if isinstance(document, CodeDocument):
        text = document.source[:SPOKEN].strip()
    else:
        text = join_plain(document.blocks)[:SPOKEN].strip()
    kind = "Code: " if isinstance(document, CodeDocument) else ""
    return f"{role}: {kind}{text}" if text else role
