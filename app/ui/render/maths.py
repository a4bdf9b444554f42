"""Formulas: set by ziamath on a thread of their own, shown as their source until then.

ziamath's time doubles with every level of nesting, so deep or long formulas stay source.
"""

from __future__ import annotations

import logging
import re
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal, Slot

LONGEST = 600
DEEPEST = 6
KEPT = 512
TOGETHER_MS = 40
_OPENERS = re.compile(r"\\(?:left|begin)\b|\\(?:right|end)\b|[{}^_]|\\[{}]|\\\\")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FormulaKey:
    """What makes a formula look as it does.

    Attributes:
        pixels: Height of the text around it.
    """

    tex: str
    display: bool
    pixels: int


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula as a drawing, in pixels.

    Attributes:
        svg: Empty if it cannot be set; its source is shown instead.
        depth: How far it reaches below the line it stands on.
    """

    svg: bytes
    width: float = 0.0
    height: float = 0.0
    depth: float = 0.0


def is_settable(tex: str) -> bool:
    """Whether a formula is short and flat enough to be set in a moment."""
    if len(tex) > LONGEST:
        return False
    depth = deepest = scripts = 0
    for found in _OPENERS.finditer(tex):
        mark = found.group()
        if mark in {"{", "\\left", "\\begin"}:
            depth += 1
        elif mark in {"}", "\\right", "\\end"}:
            depth -= 1
        elif mark in {"^", "_"} and tex[found.end() : found.end() + 1] in {"^", "_"}:
            scripts += 1
        deepest = max(deepest, depth)
    return deepest <= DEEPEST and scripts == 0


def set_formula(key: FormulaKey) -> Formula:
    """Set a formula; one that is wrong or needs too much gives an empty one."""
    if not is_settable(key.tex):
        return Formula(b"")
    try:
        from ziamath.config import config  # here, as it takes a second and most chats have no maths
        from ziamath.zmath import Latex

        config.svg2 = False  # QtSvg cannot draw the <symbol>s of SVG 2
        drawn = Latex(key.tex, size=key.pixels * 1.12, inline=not key.display)
        svg = drawn.svg()
        _, top, width, height = map(float, drawn.svgxml().attrib["viewBox"].split())
    except Exception as error:  # noqa: BLE001  (its parsers raise whatever they like)
        log.debug("a formula of %d characters was not set: %s", len(key.tex), type(error).__name__)
        return Formula(b"")
    if "href=" in svg or "<image" in svg or "<style" in svg:
        return Formula(b"")
    return Formula(svg.encode(), width, height, max(top + height, 0.0))


class FormulaShop(QObject):
    """Gives formulas, at once if it has them, else some time later; lives on the GUI thread.

    Attributes:
        arrived: Some formulas that were asked for can be had now.
    """

    arrived = Signal()
    _set = Signal(object, object)  # FormulaKey, Formula; from the maths thread

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._formulas: OrderedDict[FormulaKey, Formula | None] = OrderedDict()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="maths")
        self._set.connect(self._on_set)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(TOGETHER_MS)
        self._soon.timeout.connect(self.arrived)
        if (app := QCoreApplication.instance()) is not None:
            app.aboutToQuit.connect(self.close)

    def get(self, key: FormulaKey) -> Formula | None:
        """The formula; None while it is being set."""
        if key in self._formulas:
            self._formulas.move_to_end(key)
            return self._formulas[key]
        if not is_settable(key.tex):
            return Formula(b"")
        self._formulas[key] = None
        if len(self._formulas) > KEPT:
            self._formulas.popitem(last=False)
        self._thread.submit(self._work, key)
        return None

    def _work(self, key: FormulaKey) -> None:
        """Set a formula on the maths thread."""
        formula = set_formula(key)
        with suppress(RuntimeError):  # the window is gone already
            self._set.emit(key, formula)

    @property
    def is_waiting(self) -> bool:
        """Whether formulas are being set."""
        return any(formula is None for formula in self._formulas.values())

    @Slot(object, object)
    def _on_set(self, key: FormulaKey, formula: Formula) -> None:
        self._formulas[key] = formula
        if not self._soon.isActive():
            self._soon.start()

    def close(self) -> None:
        """Set no more formulas than the one that the thread is at."""
        self._thread.shutdown(wait=False, cancel_futures=True)
