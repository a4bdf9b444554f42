"""The window program: every object is made here and every connection drawn here.

The order of a start: the settings are read; the window is made, restored and shown; with its first
painting done, the threads start, the conversations are opened, and the model is loaded on the
engine's own thread. The order of an end: replies are stopped, the engine is closed where it was
made, what was said is saved, the threads end, then the program.
"""

from __future__ import annotations

import argparse
import gc
import logging
import os
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from app.chat.chat import Chat
from app.chat.closing import close_all
from app.chat.counting import TokenCounter
from app.chat.meaning import MeaningIndex
from app.chat.titles import Titler
from app.desk.choosing import Choosing, has_starter
from app.desk.composing import Composing
from app.desk.experimenting import Experimenting
from app.desk.inspecting import Inspecting
from app.desk.listing import Listing
from app.desk.sharing import Sharing
from app.desk.talking import Talking
from app.desk.tuning import Tuning
from app.instance import Instance
from app.lab.lab import Lab
from app.lab.verifier import Verifier
from app.logs import log_failure, start_logging, stop_logging
from app.machine import exclude_from_backup, raise_file_limit
from app.models.request_log import RequestLog
from app.models.shelf import Shelf
from app.offline import keep_libraries_offline
from app.opening import Application, Opening
from app.paths import Paths, find_paths
from app.screen import why_no_window
from app.settings import Settings, SettingsFile
from app.store.thread import StoreThread
from app.ui.actions import Actions
from app.ui.chat.page import ChatPage
from app.ui.chat.transcript import Transcript
from app.ui.chat.views import view_of
from app.ui.dialogs.ask import Question
from app.ui.dialogs.desk import Dialogs
from app.ui.inspect_panel import InspectPanel
from app.ui.inspector import Inspector
from app.ui.lab.page import LabPage
from app.ui.language import speak
from app.ui.models.page import ModelsPage
from app.ui.parts import draw_icon
from app.ui.sidebar import Sidebar
from app.ui.theme import Theme
from app.ui.window import Window
from app.wiring.chats import Chats
from app.wiring.menus import Menus
from app.wiring.tools import Tools
from app.worker import Worker
from inference import EchoEngine, EchoScript, Engine, EngineOptions, ModelInfo

if TYPE_CHECKING:
    from app.models.downloads import Hub
    from app.models.token import TokenKeeper

EngineKind = Literal["thread", "process", "echo"]
YOUNG_MS, OLD_MS = 1_000, 30_000  # how often garbage is collected, and how often all of it
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Wish:
    """How the window was asked to start.

    Attributes:
        engine: None takes the settings' choice.
        model: None takes the settings' choice.
        questions: Whether closing may ask a person something.
        echo_seconds: How long the echo takes for a token or a chunk of a prompt.
    """

    engine: EngineKind | None = None
    model: str | None = None
    questions: bool = True
    echo_seconds: float = 0.02


def engine_maker(
    kind: EngineKind, paths: Paths, settings: Settings, echo_seconds: float
) -> Callable[[], Engine]:
    """Choose the engine. It is made later, on its own thread, and imports MLX only there."""
    options = EngineOptions(paths.cache, settings.snapshot_bytes, settings.snapshot_disk_bytes)

    def in_this_process() -> Engine:
        from inference import GemmaEngine, preload_blas

        preload_blas()  # before MLX is imported
        return GemmaEngine(options)

    def in_its_own_process() -> Engine:
        from inference import EngineProcess

        return EngineProcess("inference:GemmaEngine", options)

    def echo() -> Engine:
        slowly = EchoScript(
            seconds_per_token=echo_seconds,
            seconds_per_chunk=echo_seconds,
            load_seconds=20 * echo_seconds,
        )
        return EchoEngine(slowly)

    makers = {"thread": in_this_process, "process": in_its_own_process, "echo": echo}
    return makers[kind]


def make_token() -> TokenKeeper:
    """Make the keeper of the hub's token; the keychain is asked when it is needed."""
    from app.models.token import TokenKeeper

    return TokenKeeper()


class Program(QObject):
    """Everything that lives while the window is open; on the GUI thread."""

    unexpected = Signal(str)

    def __init__(self, app: QApplication, paths: Paths, wish: Wish, instance: Instance) -> None:
        super().__init__()
        self.app, self.paths, self.wish = app, paths, wish
        self.file = SettingsFile(paths.settings)
        self.settings, self._notice = self.file.load()
        self._closed = self._sure = False
        self._question: Question | None = None

        speak(app, self.settings.language)
        self.theme = Theme(app)
        self.transcript = Transcript()
        self.page = ChatPage(self.transcript)
        self.lab_page = LabPage()
        self.sidebar, self.inspector = Sidebar(), Inspector()
        self.models_page = ModelsPage()
        self.inside = InspectPanel()
        self.inspector.add_tab(self.inside, self.tr("Inspect"))
        self.window = Window(
            self.sidebar,
            {"chat": self.page, "lab": self.lab_page, "models": self.models_page},
            self.inspector,
            may_close=self.may_close,
        )
        self.actions = Actions(self.window)
        self.actions.fill(self.window.menuBar())
        places = {
            "data": paths.data,
            "cache": paths.cache,
            "logs": paths.logs,
            "models": paths.models,
        }
        self.dialogs = Dialogs(
            self.window, self.actions, {name: str(path) for name, path in places.items()}
        )

        kind = wish.engine or ("process" if self.settings.engine_process else "thread")
        self.store = StoreThread(paths.database)
        self.worker = Worker(engine_maker(kind, paths, self.settings, wish.echo_seconds))
        self.counter = TokenCounter()
        self.chat = Chat(self.store, self.worker, self.settings)
        self.titler = Titler(self.store, self.worker)
        self.meaning = MeaningIndex(self.store, self.worker)
        self.listing = Listing(self.store, self.chat, self.worker, self.meaning)
        self.composing = Composing(self.chat, self.counter)
        self.talking = Talking(self.chat, view_of)
        self.tuning = Tuning(self.store, self.chat, lambda: self.settings)
        self.choosing = Choosing(self.chat, lambda: self.settings)
        self.shelf = Shelf(
            paths,
            lambda: self.settings,
            os.environ,
            make_hub=self.make_hub,
            make_token=make_token,
            has_starter=has_starter(),
        )
        self.sharing = Sharing(self.store, self.chat)
        self.verifier = Verifier(self.store, self.worker)
        self.inspecting = Inspecting(self.store, self.worker, self.chat, self.verifier)
        self.lab = Lab(self.store, self.worker)
        self.experimenting = Experimenting(self.store, self.lab, self.chat, lambda: self.settings)
        self.instance = instance
        self.opening = Opening()

        self._young, self._old = QTimer(interval=YOUNG_MS), QTimer(interval=OLD_MS)
        self.chats, self.tools, self.menus = Chats(self), Tools(self), Menus(self)
        self._connect_window()
        for side in (self.chats, self.tools, self.menus):
            side.connect_all()
        self._apply_settings()
        self.window.restore(self.settings.geometry)
        self.window.show_sidebar(self.settings.sidebar_visible)
        self.window.show_inspector(self.settings.inspector_visible)

    # ------------------------------------------------------------------------------ the plan

    def _connect_window(self) -> None:
        self.window.painted.connect(self.start)
        self.window.close_requested.connect(self.quit)
        self.app.aboutToQuit.connect(self.close)
        self.instance.asked_to_front.connect(self.window.to_front)
        if isinstance(self.app, Application):
            self.app.asked_to_open.connect(self.opening.open)
        self.opening.model_asked.connect(self.choosing.choose)
        self.opening.file_asked.connect(self.chats.on_file_asked)
        self.opening.prompt_asked.connect(self.chats.on_prompt_asked)
        self.theme.changed.connect(self.sidebar.set_palette)
        self.theme.changed.connect(self.transcript.on_theme_changed)
        self.theme.changed.connect(self.inside.set_palette)
        self.theme.changed.connect(self.lab_page.set_palette)
        self.window.header.sidebar_toggled.connect(self.menus.on_panels)
        self.window.header.inspector_toggled.connect(self.menus.on_panels)
        self.unexpected.connect(self.on_unexpected, Qt.ConnectionType.QueuedConnection)
        self._young.timeout.connect(lambda: gc.collect(0))
        self._old.timeout.connect(self.on_collect)

    # ------------------------------------------------------------------------------ start, end

    def start(self) -> None:
        """Start the threads, now that the window is on the screen."""
        gc.collect()
        gc.freeze()
        gc.disable()  # cycles with Qt objects in them are collected on this thread alone
        self._young.start()
        self._old.start()
        self.store.start()
        self.worker.start()
        self.chat.open_new()
        self.tuning.refresh_presets()
        self.choosing.offer()
        source = self.choosing.first_source(self.wish.model or "")
        if self.wish.engine == "echo":
            source = source or "echo"
        if source:
            self.chat.load_model(source)
        else:
            self.shelf.refresh()  # what can be had, and what is here already
        self.page.composer.setFocus()
        self.chat.model_changed.connect(self.on_model_changed)
        _log.info("The window is open")

    def on_store_opened(self, notice: str) -> None:
        """The conversations can be read."""
        self.listing.refresh()
        self.experimenting.open_last()
        if self.settings.open_conversation:
            self.chat.open(self.settings.open_conversation)
        for sentence in (self._notice, notice):
            if sentence:
                self.page.bars.undo.notice(sentence)

    def may_close(self) -> bool:
        """Ask a person who closes the window while an answer is written."""
        writing = bool(self.chat.replies.conversations())
        asks = self.wish.questions and self.settings.ask_before_quitting
        if self._sure or self._closed or not (writing and asks):
            return True
        if self._question is None:
            sentence = self.tr(
                "An answer is being written. Stop it and quit? The text so far is kept."
            )
            self._question = Question(
                self.window, sentence, self.tr("Stop and quit"), self.tr("Keep writing")
            )
            self._question.accepted.connect(self.on_sure)
        self._question.open()
        return False

    def on_sure(self) -> None:
        """The person quits all the same."""
        self._sure = True
        self.window.close()

    def quit(self) -> None:
        """End the program; the window is closed."""
        self.close()
        self.app.quit()

    def close(self) -> None:
        """Save, stop and end everything; calling it again does nothing."""
        if self._closed:
            return
        self._closed = True
        self._young.stop()
        self._old.stop()
        self.page.composer.flush()
        self.inspector.flush()
        self.experimenting.save()
        self.lab.stop_all()
        self.chats.save_view()
        sidebar, inspector = self.window.panels()
        self.settings = replace(
            self.settings,
            geometry=self.window.geometry_state(),
            sidebar_visible=sidebar,
            inspector_visible=inspector,
            open_conversation=0 if self.chat.temporary else self.chat.conversation_id,
        )
        self.window.hide()
        self.save_settings()
        self.listing.close()
        self.shelf.close()
        ended = close_all(self.chat, self.worker, self.store)
        self.counter.close()
        self.instance.release()
        _log.info("The window is closed; threads ended: %s", ended)

    def make_hub(self, requests: RequestLog, token: Callable[[], str]) -> Hub:
        """Make the one way out, when a person fetches something for the first time."""
        from app.models.downloads import HUB, Hub

        return Hub(
            requests,
            is_offline=lambda: self.settings.offline,
            token=token,
            endpoint=os.environ.get("HF_ENDPOINT", HUB),
        )

    def save_settings(self) -> None:
        """Write the settings; the window goes on if the disk is full."""
        try:
            self.file.save(self.settings)
        except OSError as error:
            _log.warning("The settings could not be written: %s", error)
            self.page.bars.error.show_error(
                self.tr("The settings could not be written; they hold until you quit."), str(error)
            )

    # ------------------------------------------------------------------------------ settings

    def set_settings(self, settings: Settings) -> None:
        """Take and keep other settings."""
        self.settings = settings
        self.chat.set_app_settings(settings)
        self._apply_settings()
        self.save_settings()
        self.tuning.show_context()

    def _apply_settings(self) -> None:
        now = self.settings
        self.theme.wish(now.appearance, now.increase_contrast, now.text_size)
        self.page.composer.set_send_key(now.send_key)
        self.page.composer.editor.long_characters = now.paste_as_attachment
        self.page.status.show_offline(now.offline)
        self.sidebar.chats.set_still(now.reduce_motion is True)
        self.actions.rebind(now.shortcuts)
        self.meaning.set_enabled(now.semantic_search)

    # ------------------------------------------------------------------------------ chats

    # ------------------------------------------------------------------------------ prompts

    # ------------------------------------------------------------------------------ the house

    def on_model_changed(self, info: ModelInfo | None) -> None:
        """Note when a model comes and goes."""
        _log.info("A model is loaded" if info is not None else "No model is loaded")

    def on_collect(self) -> None:
        """Collect all garbage while nothing is written."""
        if not self.chat.replies.conversations():
            gc.collect()
            gc.freeze()

    def hook(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Log what nobody caught, on any thread; the window goes on and says one sentence."""
        log_failure(_log, "Unexpected", error)
        self.unexpected.emit("".join(traceback.format_exception(kind, error, trace)))

    @Slot(str)
    def on_unexpected(self, details: str) -> None:
        """Say that something went wrong."""
        sentence = self.tr("Something went wrong in the window; your chats are kept.")
        self.page.bars.error.show_error(sentence, details)


def main(argv: Sequence[str] | None = None) -> int:
    """Read the arguments and open the window, where there is a screen for it.

    Returns:
        The exit code: 1 with one sentence on stderr where there is none.
    """
    parser = argparse.ArgumentParser(prog="cabochon", allow_abbrev=False)
    parser.add_argument("--engine", choices=("thread", "process", "echo"))
    parser.add_argument("--echo", action="store_const", const="echo", dest="engine")
    parser.add_argument("--model", help="starter, a GGUF file or a model folder")
    parser.add_argument("--no-questions", action="store_false", dest="questions")
    parser.add_argument("--echo-seconds", type=float, default=0.02, help="a token")
    args = parser.parse_args(argv)
    keep_libraries_offline(os.environ)
    why = why_no_window(os.environ, sys.platform)
    if why:
        sys.stderr.write(f"cabochon: {why}\n")
        return 1
    return open_window(Wish(args.engine, args.model, args.questions, args.echo_seconds))


def open_window(wish: Wish, follow: Callable[[Program], object] | None = None) -> int:
    """Open the window and stay until it is closed.

    Args:
        wish: How it was asked to start.
        follow: Called with the program before its window is shown (the self-test's way in).

    Returns:
        The exit code.
    """
    paths = find_paths(os.environ).make()
    handler = start_logging(paths.log)
    raise_file_limit()
    exclude_from_backup(paths.models, sys.platform)
    sys.setswitchinterval(0.001)  # a busy engine thread lets the window in after a millisecond
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    app = QApplication.instance() or Application(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setApplicationName("Cabochon")
    app.setApplicationDisplayName("Cabochon")
    app.setDesktopFileName("cabochon")
    app.setStyle("Fusion")
    app.setQuitOnLastWindowClosed(False)
    instance = Instance(paths.data)
    if not instance.claim():  # the window that is open comes to the front
        stop_logging(handler)
        return 0
    program = Program(app, paths, wish, instance)
    app.setWindowIcon(QIcon(draw_icon("cabochon", app.palette().text().color(), 256, 1.0)))
    sys.excepthook = program.hook
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: program.quit())
    if follow is not None:
        follow(program)
    program.window.show()
    code = app.exec()
    program.close()
    stop_logging(handler)
    return code


if __name__ == "__main__":
    sys.exit(import_module("app.cli").main())
