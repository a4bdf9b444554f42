"""How the open chat is answered: the inspector's values, presets, and the room in the context."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.chat import Chat
from app.settings import Settings
from app.store.rows import ChatSettings, Preset
from app.store.store import Store
from app.store.thread import StoreThread
from inference import ModelInfo, Sampling


class Tuning(QObject):
    """Keeps the inspector true.

    Attributes:
        shown: System prompt, `Sampling`, longest answer (or None), and "chat" or "raw".
        presets_shown: Names, the chosen one, and whether it was changed since.
        context_shown: Tokens used, tokens that fit, and a warning or "".
    """

    shown = Signal(str, object, object, str)
    presets_shown = Signal(object, str, bool)
    context_shown = Signal(int, int, str)

    def __init__(
        self,
        store: StoreThread,
        chat: Chat,
        app_settings: Callable[[], Settings],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store, self._chat, self._app_settings = store, chat, app_settings
        self._presets: dict[str, Preset] = {}
        self._draft_tokens = 0

    # ------------------------------------------------------------------------------ showing

    @Slot()
    def refresh_presets(self) -> None:
        """Ask for the presets again."""
        self._store.ask(lambda s: s.library.presets(), self._on_presets)

    def _on_presets(self, presets: tuple[Preset, ...]) -> None:
        self._presets = {preset.name: preset for preset in presets}
        self._show_presets()

    @Slot(object)
    def on_settings_changed(self, settings: ChatSettings) -> None:
        """Show the open chat's settings."""
        sampling = settings.sampling or self._default_sampling()
        mode = "raw" if settings.raw else "chat"
        self.shown.emit(settings.system, sampling, settings.max_tokens, mode)
        self._show_presets()
        self.show_context()

    @Slot(object)
    def on_model_changed(self, info: ModelInfo | None) -> None:
        """Show the defaults and the context of another model."""
        self.on_settings_changed(self._chat.settings)

    def names(self) -> tuple[str, ...]:
        """The names of the presets."""
        return tuple(self._presets)

    def _default_sampling(self) -> Sampling:
        return self._chat.model.default_sampling if self._chat.model else Sampling()

    def _show_presets(self) -> None:
        now = self._chat.settings
        kept = self._presets.get(now.preset)
        modified = kept is not None and _as_preset(kept.settings) != _as_preset(now)
        self.presets_shown.emit(tuple(self._presets), now.preset if kept else "", modified)

    # ------------------------------------------------------------------------------ the context

    @Slot(int)
    def on_draft_tokens(self, tokens: int) -> None:
        """The message being written costs so much."""
        self._draft_tokens = tokens
        self.show_context()

    @Slot()
    def show_context(self) -> None:
        """Show how full the context is, and what the next message would do."""
        used, total = self._used(), self._total()
        warning = ""
        if total and used + self._draft_tokens > total:
            policy = self._chat.settings.context_policy or self._app_settings().context_policy
            if policy == "stop":
                warning = self.tr(
                    "The next message does not fit; start a new chat or raise the limit."
                )
            else:
                warning = self.tr("The oldest messages will be left out of the next answer.")
        self.context_shown.emit(used + self._draft_tokens, total, warning)

    def _used(self) -> int:
        path = self._chat.conversation.path()
        for node in reversed(path):
            if node.role == "assistant" and node.note.prompt_tokens:
                return node.note.prompt_tokens + node.note.generated_tokens
        return 0

    def _total(self) -> int:
        model = self._chat.model
        own = self._chat.settings.context_tokens or self._app_settings().context_tokens
        if model is None:
            return own or 0
        return min(own, model.context_tokens) if own else model.context_tokens

    # ------------------------------------------------------------------------------ changing

    @Slot(str)
    def set_system(self, text: str) -> None:
        """Change the system prompt."""
        self._set(replace(self._chat.settings, system=text))

    @Slot(object)
    def set_sampling(self, sampling: Sampling) -> None:
        """Change the sampling."""
        self._set(replace(self._chat.settings, sampling=sampling))

    @Slot(object)
    def set_max_tokens(self, tokens: int | None) -> None:
        """Change how long an answer may get."""
        self._set(replace(self._chat.settings, max_tokens=tokens))

    @Slot(str)
    def set_mode(self, mode: str) -> None:
        """Talk ("chat") or complete text ("raw")."""
        self._set(replace(self._chat.settings, raw=mode == "raw"))

    @Slot(str)
    def choose_preset(self, name: str) -> None:
        """Take a preset's settings; "" goes back to the model's own, keeping the system prompt."""
        now = self._chat.settings
        preset = self._presets.get(name)
        if preset is None:
            self._set(replace(now, preset="", sampling=None, max_tokens=None))
        else:
            self._set(replace(preset.settings, preset=name, model=now.model))

    def save_preset(self, name: str) -> None:
        """Keep the settings of the open chat under a name."""
        if not name:
            return
        settings = replace(self._chat.settings, preset=name)

        def save(store: Store) -> tuple[Preset, ...]:
            store.library.save_preset(name, _as_preset(settings))
            return store.library.presets()

        self._store.ask(save, self._on_presets)
        self._set(settings)

    @Slot(str)
    def remove_preset(self, name: str) -> None:
        """Remove a preset; chats that took it keep their settings."""

        def remove(store: Store) -> tuple[Preset, ...]:
            store.library.remove_preset(name)
            return store.library.presets()

        self._store.ask(remove, self._on_presets)

    def _set(self, settings: ChatSettings) -> None:
        if settings != self._chat.settings:
            self._chat.set_settings(settings)


def _as_preset(settings: ChatSettings) -> ChatSettings:
    """What of a chat's settings a preset holds."""
    return replace(settings, preset="", model="")
