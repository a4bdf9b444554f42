"""What stands beside the chat: inspector, models, the inside of an answer, the lab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.store.rows import ChatSettings
from inference import Sampling

if TYPE_CHECKING:
    from app.__main__ import Program


class Tools(QObject):
    """Draws the connections of this side, and answers what needs more than one part of it."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._p = program

    def connect_all(self) -> None:
        """Draw every connection."""
        self._connect_inspector()
        self._connect_models()
        self._connect_shelf()
        self._connect_inspection()
        self._connect_lab()

    def _connect_inspector(self) -> None:
        panel, tuning = self._p.inspector, self._p.tuning
        tuning.shown.connect(self.on_tuning_shown)
        tuning.presets_shown.connect(panel.show_presets)
        tuning.presets_shown.connect(lambda names, *_: self._p.dialogs.show_presets(names))
        tuning.context_shown.connect(panel.context.show_use)
        self._p.chat.settings_changed.connect(tuning.on_settings_changed)
        self._p.chat.model_changed.connect(tuning.on_model_changed)
        self._p.chat.path_changed.connect(tuning.show_context)
        self._p.chat.reply_ended.connect(tuning.show_context)
        panel.system_changed.connect(tuning.set_system)
        panel.mode_changed.connect(tuning.set_mode)
        panel.sampling.sampling_changed.connect(tuning.set_sampling)
        panel.sampling.max_tokens_changed.connect(tuning.set_max_tokens)
        panel.preset_chosen.connect(tuning.choose_preset)
        panel.presets_requested.connect(lambda: self._p.dialogs.open_presets(tuning.names()))
        panel.preset_save_requested.connect(
            lambda: self._p.dialogs.name_preset(self._p.chat.settings.preset)
        )
        panel.prompts_requested.connect(self._p.menus.open_prompts)

    def _connect_models(self) -> None:
        header, choosing = self._p.window.header, self._p.choosing
        choosing.offered.connect(header.show_models)
        choosing.named.connect(header.show_model)
        choosing.described.connect(self._p.page.empty.welcome.show_model)
        choosing.chosen.connect(self._p.set_settings)
        header.model_chosen.connect(choosing.choose)
        header.open_model_requested.connect(self._p.dialogs.choose_model_file)
        header.unload_requested.connect(self._p.chat.unload_model)
        self._p.chat.model_changed.connect(self._p.counter.on_model_changed)
        self._p.chat.model_changed.connect(self._p.composing.count_again)
        card = self._p.page.empty.no_model
        card.file_requested.connect(self._p.dialogs.choose_model_file)
        card.folder_requested.connect(self._p.dialogs.choose_model_folder)

    def _connect_shelf(self) -> None:
        shelf, page, transfers = self._p.shelf, self._p.models_page, self._p.shelf.transfers
        shelf.listed.connect(page.show_models)
        shelf.offered.connect(page.show_offers)
        shelf.noticed.connect(page.show_line)
        shelf.failed.connect(page.show_error)
        shelf.unload_wanted.connect(self._p.chat.unload_model)
        shelf.arrived.connect(self.on_model_arrived)
        page.load_requested.connect(self._p.choosing.choose)
        page.unload_requested.connect(self._p.chat.unload_model)
        page.fetch_requested.connect(shelf.fetch)
        card = self._p.page.empty.no_model
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
        card.model_chosen.connect(self._p.choosing.choose)
        page.verify_requested.connect(shelf.verify)
        page.remove_requested.connect(shelf.remove)
        page.import_requested.connect(shelf.import_model)
        page.file_requested.connect(self._p.dialogs.choose_model_file)
        page.folder_requested.connect(self._p.dialogs.choose_model_folder)
        self._p.chat.model_changed.connect(shelf.on_model_changed)
        self._p.window.page_shown.connect(self.on_page_shown)
        card.models_requested.connect(self.on_models_wanted)

    def _connect_inspection(self) -> None:
        inside, inspecting = self._p.inside, self._p.inspecting
        self._p.worker.engine_made.connect(inspecting.on_engine_made)
        self._p.transcript.inspect_requested.connect(inspecting.inspect)
        self._p.transcript.alternative_chosen.connect(inspecting.force)
        self._p.chat.opened.connect(inspecting.close)
        inspecting.tokens_shown.connect(self._p.transcript.set_token_details)
        inspecting.opened.connect(inside.show_answer)
        inspecting.opened.connect(self.on_inspected)
        inspecting.prompt_shown.connect(inside.show_prompt)
        inspecting.layers_shown.connect(inside.show_layers)
        inspecting.verdict_shown.connect(inside.show_verdict)
        inspecting.failed.connect(self._p.page.bars.error.show_error)
        inspecting.closed.connect(inside.show_closed)
        inside.layers_requested.connect(inspecting.look_into)
        inside.verify_requested.connect(inspecting.verify)
        inside.close_requested.connect(inspecting.close)

    def _connect_lab(self) -> None:
        page, desk, lab = self._p.lab_page, self._p.experimenting, self._p.lab
        desk.plan_shown.connect(page.show_plan)
        desk.cleared.connect(page.clear_results)
        desk.running_changed.connect(page.show_running)
        desk.began.connect(page.begin)
        desk.grew.connect(page.grow)
        desk.finished.connect(page.finish)
        desk.said.connect(page.show_status)
        desk.chat_wanted.connect(self.on_chat_wanted)
        desk.vote_begun.connect(self._p.dialogs.open_vote)
        desk.tallied.connect(self._p.dialogs.show_tally)
        self._p.dialogs.voted.connect(desk.vote)
        self._p.dialogs.lab_inputs_chosen.connect(desk.open_inputs)
        self._p.dialogs.lab_export_chosen.connect(desk.export)
        page.plan_changed.connect(desk.change)
        page.run_requested.connect(desk.run)
        page.stop_requested.connect(lab.stop_all)
        page.column_stopped.connect(lab.stop_column)
        page.cell_stopped.connect(lab.stop)
        page.inputs_pasted.connect(desk.take_inputs)
        page.inputs_requested.connect(self._p.dialogs.choose_lab_inputs)
        page.export_requested.connect(self._p.dialogs.choose_lab_export)
        page.open_requested.connect(desk.open_as_chat)
        page.vote_requested.connect(desk.begin_vote)

    def on_tuning_shown(
        self, system: str, sampling: Sampling, longest: int | None, mode: str
    ) -> None:
        """Show how the open chat is answered."""
        self._p.inspector.show_system(system)
        self._p.inspector.show_mode(mode)
        self._p.inspector.sampling.show_values(sampling, longest)

    def on_requests_wanted(self) -> None:
        """Show what left this machine."""
        dialog = self._p.dialogs.open_requests(self._p.shelf.requests.lines())
        dialog.cleared.connect(self._p.shelf.requests.clear)

    def on_models_wanted(self) -> None:
        """Show what can be had."""
        self._p.models_page.show_more()
        self._p.window.show_page("models")

    def on_page_shown(self, name: str) -> None:
        """The page of models shows what is there now."""
        if name == "models":
            self._p.shelf.refresh()

    def on_model_arrived(self, source: str) -> None:
        """A model has come; it answers at once where there was none."""
        if self._p.chat.model is None:
            self._p.choosing.choose(source)

    def on_inspected(self) -> None:
        """Show the panel of the answer that is inspected."""
        self._p.menus.show_panels(inspector=True)
        self._p.inspector.show_tab(self._p.inside)

    def on_chat_wanted(self, settings: ChatSettings, text: str) -> None:
        """Open a cell of the lab as a chat."""
        self._p.chats.leave_chat()
        self._p.chat.open_new(settings)
        self._p.composing.on_new()
        self._p.composing.send(text)
