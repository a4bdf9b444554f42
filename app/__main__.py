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
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication

from app.chat.chat import Chat
from app.chat.closing import close_all
from app.chat.counting import TokenCounter
from app.chat.meaning import MeaningIndex
from app.chat.states import ChatState
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
from app.logs import start_logging, stop_logging
from app.machine import exclude_from_backup, raise_file_limit
from app.models.request_log import RequestLog
from app.models.shelf import Shelf
from app.opening import Application, Opening
from app.paths import Paths, find_paths
from app.screen import why_no_window
from app.settings import Settings, SettingsFile
from app.store.conversations import TRASH_DAYS
from app.store.rows import ChatSettings
from app.store.thread import StoreThread
from app.ui.actions import Actions
from app.ui.chat.page import ChatPage
from app.ui.chat.transcript import Transcript
from app.ui.chat.transcript_message import MessageView
from app.ui.chat.views import view_of
from app.ui.dialogs.ask import Question
from app.ui.dialogs.desk import Dialogs
from app.ui.inspect_panel import InspectPanel
from app.ui.inspector import Inspector
from app.ui.lab.page import LabPage
from app.ui.language import languages, speak
from app.ui.models.page import ModelsPage
from app.ui.parts import draw_icon
from app.ui.printing import write_pdf
from app.ui.sidebar import Sidebar
from app.ui.speech import announce
from app.ui.theme import Theme
from app.ui.window import Window
from app.worker import Worker
from inference import EchoEngine, EchoScript, Engine, EngineOptions, ModelInfo, Sampling

if TYPE_CHECKING:
    from app.models.downloads import Hub
    from app.models.token import TokenKeeper

EngineKind = Literal["thread", "process", "echo"]
NOT_YET = ("print",)
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
        self._message_to_show = 0

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
        self.actions = Actions(self.window, left_out=NOT_YET)
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
        self._connect_window()
        self._connect_chat()
        self._connect_sidebar()
        self._connect_composer()
        self._connect_inspector()
        self._connect_models()
        self._connect_shelf()
        self._connect_actions()
        self._connect_dialogs()
        self._connect_inspection()
        self._connect_lab()
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
        self.opening.file_asked.connect(self.on_file_asked)
        self.opening.prompt_asked.connect(self.on_prompt_asked)
        self.theme.changed.connect(self.sidebar.set_palette)
        self.theme.changed.connect(self.transcript.on_theme_changed)
        self.theme.changed.connect(self.inside.set_palette)
        self.theme.changed.connect(self.lab_page.set_palette)
        self.window.header.sidebar_toggled.connect(self.on_panels)
        self.window.header.inspector_toggled.connect(self.on_panels)
        self.unexpected.connect(self.on_unexpected, Qt.ConnectionType.QueuedConnection)
        self._young.timeout.connect(lambda: gc.collect(0))
        self._old.timeout.connect(self.on_collect)

    def _connect_chat(self) -> None:
        chat, page, shown = self.chat, self.page, self.transcript
        self.talking.opened.connect(self.on_opened)
        self.talking.shown.connect(shown.show_messages)
        self.talking.shown.connect(page.show_transcript)
        self.talking.emptied.connect(self.on_emptied)
        self.talking.began.connect(shown.begin)
        self.talking.grew.connect(shown.grow)
        self.talking.ended.connect(shown.finish)
        self.talking.said.connect(lambda text: announce(self.window, text))
        chat.status_changed.connect(page.status.show_status)
        chat.status_changed.connect(self.on_status)
        chat.state_changed.connect(self.on_state)
        chat.noticed.connect(page.bars.undo.notice)
        chat.waiting_changed.connect(self.on_waiting)
        chat.finished_unseen.connect(self.on_finished_unseen)
        page.queue.taken_back.connect(chat.take_back)
        shown.edit_requested.connect(self.composing.edit)
        shown.regenerate_requested.connect(chat.regenerate)
        shown.version_requested.connect(chat.show_version)
        shown.branch_requested.connect(chat.branch)
        shown.continue_requested.connect(chat.go_on)
        shown.delete_requested.connect(self.on_delete)
        shown.found.connect(page.find_bar.show_found)
        page.find_bar.searched.connect(self.on_searched)
        page.find_bar.stepped.connect(self.on_find_stepped)
        page.find_bar.closed.connect(shown.setFocus)
        self.store.failed.connect(page.bars.error.show_error)
        self.store.opened.connect(self.on_store_opened)

    def _connect_sidebar(self) -> None:
        side, listing = self.sidebar, self.listing
        listing.listed.connect(side.show_chats)
        listing.found.connect(side.show_finds)
        listing.titled.connect(self.window.header.show_title)
        listing.undoable.connect(self.page.bars.undo.offer)
        listing.trash_listed.connect(self.dialogs.show_trash)
        self.chat.conversations_changed.connect(listing.refresh)
        self.chat.writing_changed.connect(listing.on_writing_changed)
        self.chat.writing_changed.connect(self.on_writing_changed)
        self.titler.titled.connect(lambda *_: listing.refresh())
        self.chat.conversations_changed.connect(self.meaning.wake)
        self.chat.path_changed.connect(listing.on_path_changed)
        side.chats.chosen.connect(self.open_chat)
        side.chats.found.connect(self.open_message)
        side.chats.renamed.connect(listing.rename)
        side.chats.trashed.connect(listing.trash)
        side.pinned.connect(listing.pin)
        side.moved.connect(listing.move)
        side.searched.connect(listing.search)
        side.new_requested.connect(self.new_chat)
        side.temporary_requested.connect(self.new_temporary_chat)
        side.folder_requested.connect(self.dialogs.name_folder)
        side.tags_requested.connect(self.on_tags_requested)
        side.trash_requested.connect(lambda: self.dialogs.open_trash(TRASH_DAYS))
        side.settings_requested.connect(self.open_settings)
        side.export_requested.connect(self.ask_to_export)

    def _connect_composer(self) -> None:
        composer, composing = self.page.composer, self.composing
        composer.submitted.connect(composing.send)
        composer.stop_requested.connect(self.chat.stop)
        composer.edit_last_requested.connect(composing.edit_last)
        composer.edit_cancelled.connect(composing.end_edit)
        composer.draft_changed.connect(composing.on_draft_changed)
        composer.files_given.connect(composing.attach_files)
        self.dialogs.files_chosen.connect(composing.attach_files)
        self.counter.refused.connect(self.page.bars.error.show_error)
        composer.long_pasted.connect(composing.on_long_pasted)
        composer.attach_requested.connect(self.dialogs.choose_attachments)
        composer.attachment_removed.connect(composing.detach)
        composing.text_shown.connect(composer.set_text)
        composing.cleared.connect(composer.clear)
        composing.attached.connect(composer.add_chip)
        composing.detached.connect(composer.remove_chip)
        composing.editing_changed.connect(composer.set_editing)
        composing.tokens_changed.connect(composer.show_tokens)
        composing.tokens_changed.connect(self.tuning.on_draft_tokens)
        self.chat.opened.connect(composing.on_opened)
        self.chat.returned.connect(composing.on_returned)
        self.worker.engine_made.connect(self.counter.set_engine)
        self.page.empty.welcome.prompt_chosen.connect(self.on_prompt_chosen)

    def _connect_inspector(self) -> None:
        panel, tuning = self.inspector, self.tuning
        tuning.shown.connect(self.on_tuning_shown)
        tuning.presets_shown.connect(panel.show_presets)
        tuning.presets_shown.connect(lambda names, *_: self.dialogs.show_presets(names))
        tuning.context_shown.connect(panel.context.show_use)
        self.chat.settings_changed.connect(tuning.on_settings_changed)
        self.chat.model_changed.connect(tuning.on_model_changed)
        self.chat.path_changed.connect(tuning.show_context)
        self.chat.reply_ended.connect(tuning.show_context)
        panel.system_changed.connect(tuning.set_system)
        panel.mode_changed.connect(tuning.set_mode)
        panel.sampling.sampling_changed.connect(tuning.set_sampling)
        panel.sampling.max_tokens_changed.connect(tuning.set_max_tokens)
        panel.preset_chosen.connect(tuning.choose_preset)
        panel.presets_requested.connect(lambda: self.dialogs.open_presets(tuning.names()))
        panel.preset_save_requested.connect(
            lambda: self.dialogs.name_preset(self.chat.settings.preset)
        )
        panel.prompts_requested.connect(self.open_prompts)

    def _connect_models(self) -> None:
        header, choosing = self.window.header, self.choosing
        choosing.offered.connect(header.show_models)
        choosing.named.connect(header.show_model)
        choosing.described.connect(self.page.empty.welcome.show_model)
        choosing.chosen.connect(self.set_settings)
        header.model_chosen.connect(choosing.choose)
        header.open_model_requested.connect(self.dialogs.choose_model_file)
        header.unload_requested.connect(self.chat.unload_model)
        self.chat.model_changed.connect(self.counter.on_model_changed)
        self.chat.model_changed.connect(self.composing.count_again)
        card = self.page.empty.no_model
        card.file_requested.connect(self.dialogs.choose_model_file)
        card.folder_requested.connect(self.dialogs.choose_model_folder)

    def _connect_shelf(self) -> None:
        shelf, page, transfers = self.shelf, self.models_page, self.shelf.transfers
        shelf.listed.connect(page.show_models)
        shelf.offered.connect(page.show_offers)
        shelf.noticed.connect(page.show_line)
        shelf.failed.connect(page.show_error)
        shelf.unload_wanted.connect(self.chat.unload_model)
        shelf.arrived.connect(self.on_model_arrived)
        page.load_requested.connect(self.choosing.choose)
        page.unload_requested.connect(self.chat.unload_model)
        page.fetch_requested.connect(shelf.fetch)
        card = self.page.empty.no_model
        for moving in (page.moving, card.moving):
            transfers.changed.connect(moving.show_transfers)
            moving.fetch_requested.connect(shelf.fetch)
            moving.pause_requested.connect(transfers.pause)
            moving.discard_requested.connect(shelf.discard)
            moving.token_given.connect(shelf.give_token)
        shelf.offered.connect(card.show_offers)
        shelf.listed.connect(card.show_found)
        shelf.failed.connect(card.show_reason)
        card.fetch_requested.connect(shelf.fetch)
        card.model_chosen.connect(self.choosing.choose)
        page.verify_requested.connect(shelf.verify)
        page.remove_requested.connect(shelf.remove)
        page.file_requested.connect(self.dialogs.choose_model_file)
        page.folder_requested.connect(self.dialogs.choose_model_folder)
        self.chat.model_changed.connect(shelf.on_model_changed)
        self.window.page_shown.connect(self.on_page_shown)
        card.models_requested.connect(self.on_models_wanted)

    def _connect_actions(self) -> None:
        talking, window = self.talking, self.window
        plan: dict[str, Callable[[], object]] = {
            "new": self.new_chat,
            "temporary": self.new_temporary_chat,
            "open_model": self.dialogs.choose_model_file,
            "settings": self.open_settings,
            "quit": self.window.close,
            "import": self.dialogs.choose_imports,
            "export": lambda: self.ask_to_export(self.chat.conversation_id),
            "export_all": lambda: self.ask_to_export(0),
            "find": self.page.find_bar.open_bar,
            "lab": lambda: window.show_page("lab"),
            "map": lambda: self.dialogs.open_map(talking.branches()),
            "about": lambda: self.dialogs.open_about(version("cabochon")),
            "search": self.focus_search,
            "copy_last": lambda: QGuiApplication.clipboard().setText(talking.last_answer()),
            "chat": lambda: window.show_page("chat"),
            "models": lambda: window.show_page("models"),
            "sidebar": lambda: self.show_panels(sidebar=not window.panels()[0]),
            "inspector": lambda: self.show_panels(inspector=not window.panels()[1]),
            "larger": lambda: self.zoom(10),
            "smaller": lambda: self.zoom(-10),
            "stop": self.on_escape,
            "regenerate": talking.regenerate_last,
            "edit_last": self.composing.edit_last,
            "branch": talking.branch_last,
            "version_before": lambda: talking.step_version(-1),
            "version_after": lambda: talking.step_version(1),
            "chat_before": lambda: self.sidebar.chats.go_to(-1),
            "chat_after": lambda: self.sidebar.chats.go_to(1),
            "shortcuts": lambda: self.dialogs.open_shortcuts(self.settings.shortcuts),
        }
        for name, act in plan.items():
            self.actions[name].triggered.connect(act)

    def _connect_dialogs(self) -> None:
        dialogs, listing = self.dialogs, self.listing
        dialogs.settings_changed.connect(self.set_settings)
        dialogs.erase_all_confirmed.connect(listing.erase_everything)
        dialogs.trash_shown.connect(listing.list_trash)
        dialogs.restored.connect(listing.restore)
        dialogs.erased.connect(listing.erase)
        dialogs.trash_emptied.connect(listing.empty_trash)
        dialogs.preset_named.connect(self.tuning.save_preset)
        dialogs.preset_removed.connect(self.tuning.remove_preset)
        dialogs.prompt_saved.connect(self.on_prompt_saved)
        dialogs.prompt_removed.connect(self.on_prompt_removed)
        dialogs.prompt_used.connect(self.on_prompt_chosen)
        dialogs.prompt_used_as_system.connect(self.tuning.set_system)
        dialogs.folder_named.connect(listing.move)
        dialogs.tags_named.connect(listing.tag)
        dialogs.model_chosen.connect(self.choosing.choose)
        dialogs.requests_wanted.connect(self.on_requests_wanted)
        dialogs.token_forgotten.connect(self.shelf.forget_token)
        dialogs.branch_chosen.connect(self.chat.show_message)
        dialogs.imports_chosen.connect(self.sharing.take_in)
        dialogs.export_chosen.connect(self.sharing.export)
        dialogs.export_all_requested.connect(lambda: self.ask_to_export(0))
        self.sharing.done.connect(self.page.bars.undo.notice)
        self.sharing.failed.connect(self.page.bars.error.show_error)
        self.sharing.page_made.connect(self.on_page_made)
        self.sharing.imported.connect(listing.refresh)

    def _connect_inspection(self) -> None:
        inside, inspecting = self.inside, self.inspecting
        self.worker.engine_made.connect(inspecting.on_engine_made)
        self.transcript.inspect_requested.connect(inspecting.inspect)
        self.transcript.alternative_chosen.connect(inspecting.force)
        self.chat.opened.connect(inspecting.close)
        inspecting.tokens_shown.connect(self.transcript.set_token_details)
        inspecting.opened.connect(inside.show_answer)
        inspecting.opened.connect(self.on_inspected)
        inspecting.prompt_shown.connect(inside.show_prompt)
        inspecting.layers_shown.connect(inside.show_layers)
        inspecting.verdict_shown.connect(inside.show_verdict)
        inspecting.failed.connect(self.page.bars.error.show_error)
        inspecting.closed.connect(inside.show_closed)
        inside.layers_requested.connect(inspecting.look_into)
        inside.verify_requested.connect(inspecting.verify)
        inside.close_requested.connect(inspecting.close)

    def _connect_lab(self) -> None:
        page, desk, lab = self.lab_page, self.experimenting, self.lab
        desk.plan_shown.connect(page.show_plan)
        desk.cleared.connect(page.clear_results)
        desk.running_changed.connect(page.show_running)
        desk.began.connect(page.begin)
        desk.grew.connect(page.grow)
        desk.finished.connect(page.finish)
        desk.said.connect(page.show_status)
        desk.chat_wanted.connect(self.on_chat_wanted)
        desk.vote_begun.connect(self.dialogs.open_vote)
        desk.tallied.connect(self.dialogs.show_tally)
        self.dialogs.voted.connect(desk.vote)
        self.dialogs.lab_inputs_chosen.connect(desk.open_inputs)
        self.dialogs.lab_export_chosen.connect(desk.export)
        page.plan_changed.connect(desk.change)
        page.run_requested.connect(desk.run)
        page.stop_requested.connect(lab.stop_all)
        page.column_stopped.connect(lab.stop_column)
        page.cell_stopped.connect(lab.stop)
        page.inputs_pasted.connect(desk.take_inputs)
        page.inputs_requested.connect(self.dialogs.choose_lab_inputs)
        page.export_requested.connect(self.dialogs.choose_lab_export)
        page.open_requested.connect(desk.open_as_chat)
        page.vote_requested.connect(desk.begin_vote)

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
        self.save_view()
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

    def zoom(self, percent: int) -> None:
        """Make all text larger or smaller."""
        size = max(70, min(self.settings.text_size + percent, 200))
        self.set_settings(replace(self.settings, text_size=size))

    def open_settings(self) -> None:
        """Show the settings."""
        self.dialogs.open_settings(self.settings, languages())

    def show_panels(self, sidebar: bool | None = None, inspector: bool | None = None) -> None:
        """Show or hide the side panels."""
        if sidebar is not None:
            self.window.show_sidebar(sidebar)
        if inspector is not None:
            self.window.show_inspector(inspector)
        self.on_panels()

    def on_panels(self) -> None:
        """The side panels were shown or hidden."""
        sidebar, inspector = self.window.panels()
        self.actions["sidebar"].setChecked(sidebar)
        self.actions["inspector"].setChecked(inspector)

    # ------------------------------------------------------------------------------ chats

    def new_chat(self) -> None:
        """Open a chat without messages."""
        self.leave_chat()
        self.chat.open_new(self.chat.settings if not self.chat.conversation_id else None)
        self.composing.on_new()

    def new_temporary_chat(self) -> None:
        """Open a chat that leaves no trace."""
        self.leave_chat()
        self.chat.open_new(temporary=True)
        self.composing.on_new()

    def leave_chat(self) -> None:
        """Keep what belongs to the open chat before another is opened."""
        self.page.composer.flush()
        self.inspector.flush()
        self.save_view()
        self.window.show_page("chat")

    def save_view(self) -> None:
        """Keep where the open chat is scrolled to."""
        place = self.transcript.place()
        if place is not None and self.chat.conversation_id:
            self.chat.set_view({"place": list(place)})

    def open_chat(self, conversation: int) -> None:
        """Open a chat from the list."""
        if conversation != self.chat.conversation_id:
            self.leave_chat()
            self.chat.open(conversation)

    def open_message(self, conversation: int, message: int) -> None:
        """Open a chat at a message that a search found."""
        if conversation == self.chat.conversation_id:
            self.show_message(message)
        else:
            self._message_to_show = message
            self.open_chat(conversation)

    def show_message(self, message: int) -> None:
        """Show a message of the open chat, whichever version it belongs to."""
        if message and message in self.chat.conversation:
            if all(node.id != message for node in self.chat.conversation.path()):
                self.chat.show_message(message)
            self.transcript.jump_to(message)

    def on_opened(self, views: list[MessageView], view: dict[str, object]) -> None:
        """Another chat is open."""
        self.transcript.show_messages(views)
        self.page.show_transcript()
        if self._message_to_show:
            message, self._message_to_show = self._message_to_show, 0
            QTimer.singleShot(0, lambda: self.show_message(message))
            return  # the keyboard stays in the list of what was found
        match view.get("place"):
            case [int(seen), int() | float() as offset]:
                self.transcript.restore_place((seen, offset))
            case _:
                pass  # it was at its end
        if not self.sidebar.chats.hasFocus():
            self.page.composer.setFocus()

    def on_emptied(self) -> None:
        """The open chat has no message yet."""
        self.transcript.show_messages([])
        self.on_state(self.chat.state)
        self.page.composer.setFocus()

    def on_state(self, state: ChatState) -> None:
        """Buttons and empty pages follow the state."""
        self.page.composer.set_busy(state.busy)
        if self.chat.conversation.leaf is not None:
            return
        failed = self.chat.status.error if self.chat.model is None else ""
        if state is ChatState.NO_MODEL or failed:
            self.page.show_no_model(failed)
        else:
            self.page.show_welcome()

    def on_status(self, status: object) -> None:
        """An error is said where the eyes are."""
        error = self.chat.status.error
        if error and self.chat.conversation.leaf is not None:
            self.page.bars.error.show_error(error)
        elif self.chat.state.busy:
            self.page.bars.error.hide()

    def on_requests_wanted(self) -> None:
        """Show what left this machine."""
        dialog = self.dialogs.open_requests(self.shelf.requests.lines())
        dialog.cleared.connect(self.shelf.requests.clear)

    def on_page_shown(self, name: str) -> None:
        """The page of models shows what is there now."""
        if name == "models":
            self.shelf.refresh()

    def on_models_wanted(self) -> None:
        """Show what can be had."""
        self.models_page.show_more()
        self.window.show_page("models")

    def on_model_arrived(self, source: str) -> None:
        """A model has come; it answers at once where there was none."""
        if self.chat.model is None:
            self.choosing.choose(source)

    def on_waiting(self, rows: tuple[object, ...]) -> None:
        """Show the messages that wait."""
        self.page.queue.show_waiting([(row.id, row.text) for row in self.chat.waiting])

    def on_delete(self, message: int) -> None:
        """Delete a message and what follows it; it can be undone."""
        self.chat.delete(message)
        self.page.bars.undo.offer(
            self.tr("The message and what followed it are deleted."),
            lambda: self.chat.undelete(message),
        )

    def on_finished_unseen(self, conversation: int) -> None:
        """Say quietly that another chat has its answer."""
        row = self.listing.row(conversation)
        title = row.title if row is not None else ""
        self.page.bars.undo.notice(self.tr("“{title}” has an answer.").format(title=title))

    def on_tags_requested(self, conversation: int) -> None:
        """Ask for the tags of a chat."""
        row = self.listing.row(conversation)
        self.dialogs.name_tags(conversation, row.tags if row is not None else ())

    def on_prompt_chosen(self, text: str) -> None:
        """Put a prompt into the composer."""
        self.page.composer.set_text(text)
        self.composing.on_draft_changed(text)
        self.page.composer.setFocus()

    def on_file_asked(self, path: str) -> None:
        """The system asks to open a file that is no model."""
        sentence = self.tr("“{name}” is no GGUF model and was left alone.")
        self.page.bars.undo.notice(sentence.format(name=Path(path).name))

    def on_prompt_asked(self, text: str) -> None:
        """A link brings a prompt: a new chat's composer shows it, and a person sends it."""
        self.new_chat()
        self.on_prompt_chosen(text)
        self.window.to_front()

    def on_tuning_shown(
        self, system: str, sampling: Sampling, longest: int | None, mode: str
    ) -> None:
        """Show how the open chat is answered."""
        self.inspector.show_system(system)
        self.inspector.show_mode(mode)
        self.inspector.sampling.show_values(sampling, longest)

    def on_escape(self) -> None:
        """Leave an edit, else stop the reply."""
        if not self.page.find_bar.isHidden():
            self.page.find_bar.close_bar()
        elif self.composing.editing:
            self.composing.end_edit()
        elif self.chat.state.busy:
            self.chat.stop()

    def on_searched(self, text: str) -> None:
        """Mark a text in the open chat and go to the first find."""
        if self.transcript.find_text(text):
            self.transcript.find_next()

    def on_find_stepped(self, step: int) -> None:
        """Go to the next find, or the one before."""
        if step > 0:
            self.transcript.find_next()
        else:
            self.transcript.find_previous()

    def on_inspected(self) -> None:
        """Show the panel of the answer that is inspected."""
        self.show_panels(inspector=True)
        self.inspector.show_tab(self.inside)

    def on_chat_wanted(self, settings: ChatSettings, text: str) -> None:
        """Open a cell of the lab as a chat."""
        self.leave_chat()
        self.chat.open_new(settings)
        self.composing.on_new()
        self.composing.send(text)

    def on_writing_changed(self, conversation: int, writing: bool) -> None:
        """Let the model name a chat whose first answer is done."""
        if self.settings.automatic_titles:
            self.titler.on_writing_changed(conversation, writing)

    def ask_to_export(self, conversation: int) -> None:
        """Ask where a chat is to be written; 0 is all of them."""
        row = self.listing.row(conversation)
        title = row.title if row is not None else self.listing.title()
        if conversation:
            self.dialogs.choose_export(conversation, title)
        else:
            self.dialogs.choose_export(0, self.tr("All chats"))

    def on_page_made(self, html: str, path: Path) -> None:
        """Write a chat as PDF."""
        write_pdf(html, path)
        self.page.bars.undo.notice(self.tr("Written to {path}.").format(path=path))

    def focus_search(self) -> None:
        """Put the keyboard into the search line, wherever it was."""
        self.show_panels(sidebar=True)
        self.sidebar.focus_search()

    # ------------------------------------------------------------------------------ prompts

    def open_prompts(self) -> None:
        """Show the prompt library."""
        self.store.ask(
            lambda s: s.library.prompts(),
            lambda found: self.dialogs.open_prompts({one.name: one.text for one in found}),
        )

    def on_prompt_saved(self, name: str, text: str) -> None:
        """Keep a prompt."""
        self.store.ask(lambda s: s.library.save_prompt(name, text), lambda _: self.show_prompts())

    def on_prompt_removed(self, name: str) -> None:
        """Remove a prompt."""
        self.store.ask(lambda s: s.library.remove_prompt(name), lambda _: self.show_prompts())

    def show_prompts(self) -> None:
        """Show what the library holds now."""
        self.store.ask(
            lambda s: s.library.prompts(),
            lambda found: self.dialogs.show_prompts({one.name: one.text for one in found}),
        )

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
        _log.error("Unexpected %s", kind.__name__, exc_info=(kind, error, trace))
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
