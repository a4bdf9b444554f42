"""The chat side of the window: transcript, sidebar and composer, and what opens a chat."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.chat.states import ChatState
from app.store.conversations import TRASH_DAYS
from app.ui.chat.transcript_message import MessageView
from app.ui.speech import announce

if TYPE_CHECKING:
    from app.__main__ import Program


class Chats(QObject):
    """Draws the connections of this side, and answers what needs more than one part of it."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._p = program
        self._message_to_show = 0

    def connect_all(self) -> None:
        """Draw every connection."""
        self._connect_chat()
        self._connect_sidebar()
        self._connect_composer()

    def _connect_chat(self) -> None:
        chat, page, shown = self._p.chat, self._p.page, self._p.transcript
        self._p.talking.opened.connect(self.on_opened)
        self._p.talking.shown.connect(shown.show_messages)
        self._p.talking.shown.connect(page.show_transcript)
        self._p.talking.emptied.connect(self.on_emptied)
        self._p.talking.began.connect(shown.begin)
        self._p.talking.grew.connect(shown.grow)
        self._p.talking.ended.connect(shown.finish)
        self._p.talking.said.connect(lambda text: announce(self._p.window, text))
        chat.status_changed.connect(page.status.show_status)
        chat.status_changed.connect(self.on_status)
        chat.state_changed.connect(self.on_state)
        chat.noticed.connect(page.bars.undo.notice)
        chat.waiting_changed.connect(self.on_waiting)
        chat.finished_unseen.connect(self.on_finished_unseen)
        page.queue.taken_back.connect(chat.take_back)
        shown.edit_requested.connect(self._p.composing.edit)
        shown.regenerate_requested.connect(chat.regenerate)
        shown.version_requested.connect(chat.show_version)
        shown.branch_requested.connect(chat.branch)
        shown.continue_requested.connect(chat.go_on)
        shown.delete_requested.connect(self.on_delete)
        shown.found.connect(page.find_bar.show_found)
        page.find_bar.searched.connect(self.on_searched)
        page.find_bar.stepped.connect(self.on_find_stepped)
        page.find_bar.closed.connect(shown.setFocus)
        self._p.store.failed.connect(page.bars.error.show_error)
        self._p.store.opened.connect(self._p.on_store_opened)

    def _connect_sidebar(self) -> None:
        side, listing = self._p.sidebar, self._p.listing
        listing.listed.connect(side.show_chats)
        listing.found.connect(side.show_finds)
        listing.titled.connect(self._p.window.header.show_title)
        listing.undoable.connect(self._p.page.bars.undo.offer)
        listing.trash_listed.connect(self._p.dialogs.show_trash)
        self._p.chat.conversations_changed.connect(listing.refresh)
        self._p.chat.writing_changed.connect(listing.on_writing_changed)
        self._p.chat.writing_changed.connect(self.on_writing_changed)
        self._p.titler.titled.connect(lambda *_: listing.refresh())
        self._p.chat.conversations_changed.connect(self._p.meaning.wake)
        self._p.chat.path_changed.connect(listing.on_path_changed)
        side.chats.chosen.connect(self.open_chat)
        side.chats.found.connect(self.open_message)
        side.chats.renamed.connect(listing.rename)
        side.chats.trashed.connect(listing.trash)
        side.pinned.connect(listing.pin)
        side.moved.connect(listing.move)
        side.searched.connect(listing.search)
        side.new_requested.connect(self.new_chat)
        side.temporary_requested.connect(self.new_temporary_chat)
        side.folder_requested.connect(self._p.dialogs.name_folder)
        side.tags_requested.connect(self._p.menus.on_tags_requested)
        side.trash_requested.connect(lambda: self._p.dialogs.open_trash(TRASH_DAYS))
        side.settings_requested.connect(self._p.menus.open_settings)
        side.export_requested.connect(self._p.menus.ask_to_export)

    def _connect_composer(self) -> None:
        composer, composing = self._p.page.composer, self._p.composing
        composer.submitted.connect(composing.send)
        composer.stop_requested.connect(self._p.chat.stop)
        composer.edit_last_requested.connect(composing.edit_last)
        composer.edit_cancelled.connect(composing.end_edit)
        composer.draft_changed.connect(composing.on_draft_changed)
        composer.files_given.connect(composing.attach_files)
        self._p.dialogs.files_chosen.connect(composing.attach_files)
        self._p.counter.refused.connect(self._p.page.bars.error.show_error)
        composer.long_pasted.connect(composing.on_long_pasted)
        composer.attach_requested.connect(self._p.dialogs.choose_attachments)
        composer.attachment_removed.connect(composing.detach)
        composing.text_shown.connect(composer.set_text)
        composing.cleared.connect(composer.clear)
        composing.attached.connect(composer.add_chip)
        composing.detached.connect(composer.remove_chip)
        composing.editing_changed.connect(composer.set_editing)
        composing.tokens_changed.connect(composer.show_tokens)
        composing.tokens_changed.connect(self._p.tuning.on_draft_tokens)
        self._p.chat.opened.connect(composing.on_opened)
        self._p.chat.returned.connect(composing.on_returned)
        self._p.worker.engine_made.connect(self._p.counter.set_engine)
        self._p.page.empty.welcome.prompt_chosen.connect(self.on_prompt_chosen)

    def new_chat(self) -> None:
        """Open a chat without messages."""
        self.leave_chat()
        self._p.chat.open_new(self._p.chat.settings if not self._p.chat.conversation_id else None)
        self._p.composing.on_new()

    def new_temporary_chat(self) -> None:
        """Open a chat that leaves no trace."""
        self.leave_chat()
        self._p.chat.open_new(temporary=True)
        self._p.composing.on_new()

    def leave_chat(self) -> None:
        """Keep what belongs to the open chat before another is opened."""
        self._p.page.composer.flush()
        self._p.inspector.flush()
        self.save_view()
        self._p.window.show_page("chat")

    def save_view(self) -> None:
        """Keep where the open chat is scrolled to."""
        place = self._p.transcript.place()
        if place is not None and self._p.chat.conversation_id:
            self._p.chat.set_view({"place": list(place)})

    def open_chat(self, conversation: int) -> None:
        """Open a chat from the list."""
        if conversation != self._p.chat.conversation_id:
            self.leave_chat()
            self._p.chat.open(conversation)

    def open_message(self, conversation: int, message: int) -> None:
        """Open a chat at a message that a search found."""
        if conversation == self._p.chat.conversation_id:
            self.show_message(message)
        else:
            self._message_to_show = message
            self.open_chat(conversation)

    def show_message(self, message: int) -> None:
        """Show a message of the open chat, whichever version it belongs to."""
        if message and message in self._p.chat.conversation:
            if all(node.id != message for node in self._p.chat.conversation.path()):
                self._p.chat.show_message(message)
            self._p.transcript.jump_to(message)

    def on_opened(self, views: list[MessageView], view: dict[str, object]) -> None:
        """Another chat is open."""
        self._p.transcript.show_messages(views)
        self._p.page.show_transcript()
        if self._message_to_show:
            message, self._message_to_show = self._message_to_show, 0
            QTimer.singleShot(0, lambda: self.show_message(message))
            return  # the keyboard stays in the list of what was found
        match view.get("place"):
            case [int(seen), int() | float() as offset]:
                self._p.transcript.restore_place((seen, offset))
            case _:
                pass  # it was at its end
        if not self._p.sidebar.chats.hasFocus():
            self._p.page.composer.setFocus()

    def on_emptied(self) -> None:
        """The open chat has no message yet."""
        self._p.transcript.show_messages([])
        self.on_state(self._p.chat.state)
        self._p.page.composer.setFocus()

    def on_state(self, state: ChatState) -> None:
        """Buttons and empty pages follow the state."""
        self._p.page.composer.set_busy(state.busy)
        if self._p.chat.conversation.leaf is not None:
            return
        failed = self._p.chat.status.error if self._p.chat.model is None else ""
        if state is ChatState.NO_MODEL or failed:
            self._p.page.show_no_model(failed)
        else:
            self._p.page.show_welcome()

    def on_status(self, status: object) -> None:
        """An error is said where the eyes are."""
        error = self._p.chat.status.error
        if error and self._p.chat.conversation.leaf is not None:
            self._p.page.bars.error.show_error(error)
        elif self._p.chat.state.busy:
            self._p.page.bars.error.hide()

    def on_waiting(self, rows: tuple[object, ...]) -> None:
        """Show the messages that wait."""
        self._p.page.queue.show_waiting([(row.id, row.text) for row in self._p.chat.waiting])

    def on_delete(self, message: int) -> None:
        """Delete a message and what follows it; it can be undone."""
        self._p.chat.delete(message)
        self._p.page.bars.undo.offer(
            self.tr("The message and what followed it are deleted."),
            lambda: self._p.chat.undelete(message),
        )

    def on_finished_unseen(self, conversation: int) -> None:
        """Say quietly that another chat has its answer."""
        row = self._p.listing.row(conversation)
        title = row.title if row is not None else ""
        self._p.page.bars.undo.notice(self.tr("“{title}” has an answer.").format(title=title))

    def on_prompt_chosen(self, text: str) -> None:
        """Put a prompt into the composer."""
        self._p.page.composer.set_text(text)
        self._p.composing.on_draft_changed(text)
        self._p.page.composer.setFocus()

    def on_file_asked(self, path: str) -> None:
        """The system asks to open a file that is no model."""
        sentence = self.tr("“{name}” is no GGUF model and was left alone.")
        self._p.page.bars.undo.notice(sentence.format(name=Path(path).name))

    def on_prompt_asked(self, text: str) -> None:
        """A link brings a prompt: a new chat's composer shows it, and a person sends it."""
        self.new_chat()
        self.on_prompt_chosen(text)
        self._p.window.to_front()

    def on_searched(self, text: str) -> None:
        """Mark a text in the open chat and go to the first find."""
        if self._p.transcript.find_text(text):
            self._p.transcript.find_next()

    def on_find_stepped(self, step: int) -> None:
        """Go to the next find, or the one before."""
        if step > 0:
            self._p.transcript.find_next()
        else:
            self._p.transcript.find_previous()

    def on_writing_changed(self, conversation: int, writing: bool) -> None:
        """Let the model name a chat whose first answer is done."""
        if self._p.settings.automatic_titles:
            self._p.titler.on_writing_changed(conversation, writing)

    def on_escape(self) -> None:
        """Leave an edit, else stop the reply."""
        if not self._p.page.find_bar.isHidden():
            self._p.page.find_bar.close_bar()
        elif self._p.composing.editing:
            self._p.composing.end_edit()
        elif self._p.chat.state.busy:
            self._p.chat.stop()

    def focus_search(self) -> None:
        """Put the keyboard into the search line, wherever it was."""
        self._p.menus.show_panels(sidebar=True)
        self._p.sidebar.focus_search()
