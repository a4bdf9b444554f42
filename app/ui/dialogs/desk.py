"""Opens the dialogs over the window and passes on what was done in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.lab.votes import Ballot, Standing
from app.rows import BranchRow, ChatRow
from app.settings import Settings
from app.ui.actions import Actions
from app.ui.dialogs.ask import Question, ask, ask_name, choose_files, choose_folder, choose_target
from app.ui.dialogs.branch_map import BranchMap
from app.ui.dialogs.library import PresetDialog, PromptDialog
from app.ui.dialogs.settings import SettingsDialog
from app.ui.dialogs.shortcuts import ShortcutSheet
from app.ui.dialogs.trash import TrashDialog
from app.ui.lab.vote import VoteDialog
from app.ui.models.requests import RequestsDialog

if TYPE_CHECKING:
    from PySide6.QtWidgets import QDialog, QWidget

    from app.models.request_log import RequestLine

TEXT_FILES = "*.txt *.md *.csv *.tsv *.json *.jsonl *.py *.js *.ts *.c *.h *.cpp *.rs *.go *.java "
TEXT_FILES += "*.sh *.sql *.html *.css *.xml *.yaml *.yml *.toml *.ini *.log *.tex *.pdf"


class Dialogs(QObject):
    """At most one dialog of each kind.

    Attributes:
        settings_changed: Carries `Settings`.
        named: What a name was asked for, the id it is for, and the name.
        files_chosen: Files to attach. `model_chosen`: a model file or folder.
    """

    settings_changed = Signal(object)
    erase_all_confirmed = Signal()
    export_all_requested = Signal()
    trash_shown = Signal()
    restored = Signal(int)
    erased = Signal(int)
    trash_emptied = Signal()
    preset_named = Signal(str)
    preset_removed = Signal(str)
    prompt_saved = Signal(str, str)
    prompt_removed = Signal(str)
    prompt_used = Signal(str)
    prompt_used_as_system = Signal(str)
    folder_named = Signal(int, str)
    tags_named = Signal(int, object)
    files_chosen = Signal(list)
    model_chosen = Signal(str)
    imports_chosen = Signal(list)
    export_chosen = Signal(int, object)
    requests_wanted = Signal()
    token_forgotten = Signal()
    lab_inputs_chosen = Signal(object)
    lab_export_chosen = Signal(object)
    voted = Signal(object)
    branch_chosen = Signal(int)

    def __init__(self, window: QWidget, actions: Actions, places: Mapping[str, str]) -> None:
        super().__init__(window)
        self._window, self._actions, self._places = window, actions, places
        self.trash: TrashDialog | None = None
        self.presets: PresetDialog | None = None
        self.prompts: PromptDialog | None = None
        self.vote: VoteDialog | None = None

    # ------------------------------------------------------------------------------ opening

    def open_settings(self, settings: Settings, languages: Mapping[str, str]) -> SettingsDialog:
        """Show the settings."""
        commands = self._actions.all()
        dialog = SettingsDialog(settings, commands, self._places, languages, self._window)
        dialog.changed.connect(self.settings_changed)
        dialog.export_requested.connect(self.export_all_requested)
        dialog.erase_requested.connect(self.ask_to_erase)
        dialog.log_requested.connect(self.requests_wanted)
        dialog.token_forgotten.connect(self.token_forgotten)
        dialog.models_folder_requested.connect(
            lambda: choose_folder(
                dialog, self.tr("Folder for models"), lambda to: dialog.show_models_folder(str(to))
            )
        )
        dialog.open()
        return dialog

    def open_requests(self, lines: Sequence[RequestLine]) -> RequestsDialog:
        """Show what left this machine."""
        over = self._window.findChild(SettingsDialog) or self._window
        dialog = RequestsDialog(lines, over)
        dialog.open()
        return dialog

    def open_shortcuts(self, chosen: Mapping[str, str]) -> QDialog:
        """Show all shortcuts."""
        sheet = ShortcutSheet(self._actions.all(), self._actions.keys(chosen), self._window)
        sheet.open()
        return sheet

    def open_trash(self, days: int) -> None:
        """Show what was deleted; the rows come by `show_trash`."""
        dialog = TrashDialog(days, self._window)
        dialog.restore_requested.connect(self.restored)
        dialog.erase_requested.connect(self._on_erase)
        dialog.empty_requested.connect(self._on_empty)
        dialog.finished.connect(self._on_trash_closed)
        self.trash = dialog
        dialog.open()
        self.trash_shown.emit()

    def show_trash(self, rows: Sequence[ChatRow]) -> None:
        """Show what lies in the trash, if it is open."""
        if self.trash is not None:
            self.trash.show_rows(rows)

    def open_presets(self, names: Sequence[str]) -> None:
        """Show the presets."""
        dialog = PresetDialog(self._window)
        dialog.show_names(names)
        dialog.removed.connect(self.preset_removed)
        dialog.finished.connect(self._on_presets_closed)
        self.presets = dialog
        dialog.open()

    def show_presets(self, names: Sequence[str]) -> None:
        """Show other presets, if they are open."""
        if self.presets is not None:
            self.presets.show_names(names)

    def open_prompts(self, prompts: Mapping[str, str]) -> None:
        """Show the prompt library."""
        dialog = PromptDialog(self._window)
        dialog.show_prompts(prompts)
        dialog.saved.connect(self.prompt_saved)
        dialog.removed.connect(self.prompt_removed)
        dialog.used.connect(self.prompt_used)
        dialog.used_as_system.connect(self.prompt_used_as_system)
        dialog.finished.connect(self._on_prompts_closed)
        self.prompts = dialog
        dialog.open()

    def show_prompts(self, prompts: Mapping[str, str]) -> None:
        """Show other prompts, if they are open."""
        if self.prompts is not None:
            self.prompts.show_prompts(prompts)

    # ------------------------------------------------------------------------------ asking

    def name_preset(self, name: str) -> None:
        """Ask for the name of a preset."""
        title, prompt = self.tr("Save as preset"), self.tr("Name of the preset")
        ask_name(self._window, title, prompt, name, self.preset_named.emit)

    def name_folder(self, conversation: int) -> None:
        """Ask for the name of a folder."""
        title, prompt = self.tr("New folder"), self.tr("Name of the folder")
        ask_name(
            self._window, title, prompt, "", lambda name: self.folder_named.emit(conversation, name)
        )

    def name_tags(self, conversation: int, tags: Sequence[str]) -> None:
        """Ask for the tags of a chat."""

        def tell(text: str) -> None:
            names = tuple(name for part in text.split(",") if (name := part.strip()))
            self.tags_named.emit(conversation, names)

        ask_name(
            self._window,
            self.tr("Tags"),
            self.tr("Tags, with commas between"),
            ", ".join(tags),
            tell,
        )

    def choose_attachments(self) -> None:
        """Ask for files to attach."""
        kinds = ";;".join([f"{self.tr('Texts')} ({TEXT_FILES})", f"{self.tr('All files')} (*)"])
        choose_files(self._window, self.tr("Attach files"), kinds, self.files_chosen.emit)

    def choose_model_file(self) -> None:
        """Ask for a GGUF file."""

        def tell(paths: list[Path]) -> None:
            self.model_chosen.emit(str(paths[0]))

        choose_files(self._window, self.tr("Open a GGUF file"), "GGUF (*.gguf)", tell)

    def choose_model_folder(self) -> None:
        """Ask for a model folder."""
        choose_folder(
            self._window,
            self.tr("Open a model folder"),
            lambda path: self.model_chosen.emit(str(path)),
        )

    def choose_imports(self) -> None:
        """Ask for files to import."""
        kinds = f"{self.tr('Chats')} (*.json *.zip)"
        choose_files(self._window, self.tr("Import chats"), kinds, self.imports_chosen.emit)

    def choose_export(self, conversation: int, title: str) -> None:
        """Ask where a chat is to be written; 0 is all of them."""
        kinds = {
            "Markdown (*.md)": ".md",
            "JSON (*.json)": ".json",
            "HTML (*.html)": ".html",
            "PDF (*.pdf)": ".pdf",
        }
        if not conversation:
            kinds = {"JSON (*.json)": ".json", "Markdown (*.md)": ".md"}
        name = "".join(c if c.isalnum() or c in " -_" else "_" for c in title).strip() or "chat"

        def tell(path: Path) -> None:
            self.export_chosen.emit(conversation, path)

        choose_target(
            self._window,
            self.tr("Export"),
            f"{name[:60]}{next(iter(kinds.values()))}",
            ";;".join(kinds),
            tell,
        )

    def choose_lab_inputs(self) -> None:
        """Ask for a file of rows for the lab."""

        def tell(paths: list[Path]) -> None:
            self.lab_inputs_chosen.emit(paths[0])

        kinds = f"{self.tr('Rows')} (*.csv *.tsv *.jsonl *.json *.txt)"
        choose_files(self._window, self.tr("Open inputs"), kinds, tell)

    def choose_lab_export(self) -> None:
        """Ask where the lab's results are to be written."""
        kinds = "CSV (*.csv);;JSON Lines (*.jsonl);;Markdown (*.md)"
        title = self.tr("Export results")
        choose_target(self._window, title, "results.csv", kinds, self.lab_export_chosen.emit)

    def open_vote(self, ballots: Sequence[Ballot], text_of: Callable[[int, int, int], str]) -> None:
        """Ask which answers are better."""
        dialog = VoteDialog(ballots, text_of, self._window)
        dialog.voted.connect(self.voted)
        dialog.finished.connect(self._on_vote_closed)
        self.vote = dialog
        dialog.open()

    def show_tally(self, standings: Sequence[Standing], names: Sequence[str]) -> None:
        """Show how the variants did, if the vote is open."""
        if self.vote is not None:
            self.vote.show_tally(standings, names)

    def open_map(self, rows: Sequence[BranchRow]) -> None:
        """Show every version of the open chat."""
        dialog = BranchMap(rows, self._window)
        dialog.chosen.connect(self.branch_chosen)
        dialog.open()

    def open_about(self, version: str) -> None:
        """Say what this is."""
        sentence = self.tr(
            "Cabochon {version}. Private chat with Google's Gemma models, and a bench for prompts. "
            "Chats stay on this machine. Gemma is provided under the Gemma terms of use "
            "(ai.google.dev/gemma/terms)."
        ).format(version=version)
        Question(self._window, sentence, self.tr("Close"), "").open()

    def ask_to_erase(self) -> None:
        """Ask whether all chats are to be erased."""
        sentence = self.tr(
            "Erase every chat, prompt, preset and record on this machine? "
            "This cannot be taken back; export them first if in doubt."
        )
        ask(self._window, sentence, self.tr("Erase everything"), self.erase_all_confirmed.emit)

    def _on_erase(self, conversation: int) -> None:
        sentence = self.tr("Delete this chat for good? This cannot be taken back.")
        ask(
            self._window,
            sentence,
            self.tr("Delete for good"),
            lambda: self.erased.emit(conversation),
        )

    def _on_empty(self) -> None:
        sentence = self.tr("Delete everything in the trash for good? This cannot be taken back.")
        ask(self._window, sentence, self.tr("Empty the trash"), self.trash_emptied.emit)

    def _on_trash_closed(self) -> None:
        self.trash = None

    def _on_presets_closed(self) -> None:
        self.presets = None

    def _on_vote_closed(self) -> None:
        self.vote = None

    def _on_prompts_closed(self) -> None:
        self.prompts = None
