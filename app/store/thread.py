"""The store on a thread of its own: calls go in, answers come back on the GUI thread."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QCoreApplication, QObject, Qt, QThread, Signal, Slot

from app.logs import log_failure
from app.store.opening import StoreError
from app.store.store import Store, is_temporary

T = TypeVar("T")
_log = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class _Call:
    """One call on its way to the store and back."""

    call: Callable[[Store], Any]  # Any: the answer is of the caller's own type
    then: Callable[[Any], None] | None
    failed: Callable[[str], None] | None
    temporary: bool
    answer: Any = None
    error: str = ""
    raised: Exception | None = None
    done: threading.Event = field(default_factory=threading.Event)


class StoreThread(QObject):
    """Runs calls on the store one after another, in the order they were asked.

    Lives on the GUI thread. `then` and `failed` are always called on the GUI thread, so plain
    functions and lambdas are safe there.

    Signals:
        opened (str): The file is open; one sentence if something was set aside, else "".
        failed (str): One sentence: the file cannot be used, or a call without its own `failed`
            went wrong.
    """

    opened = Signal(str)
    failed = Signal(str)
    _asked = Signal(object)  # _Call

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread = QThread()
        self._thread.setObjectName("store")
        self._clerk = _Clerk(path)
        self._clerk.moveToThread(self._thread)
        self._asked.connect(self._clerk.on_asked, Qt.ConnectionType.QueuedConnection)
        self._clerk.answered.connect(self.on_answered, Qt.ConnectionType.QueuedConnection)
        self._clerk.opened.connect(self.opened, Qt.ConnectionType.QueuedConnection)
        self._clerk.failed.connect(self.failed, Qt.ConnectionType.QueuedConnection)
        self._thread.started.connect(self._clerk.on_started)
        self._closed = False

    def start(self) -> None:
        """Open the file, on the store's thread."""
        self._thread.start()

    def ask(
        self,
        call: Callable[[Store], T],
        then: Callable[[T], None] | None = None,
        *,
        failed: Callable[[str], None] | None = None,
        temporary: bool = False,
    ) -> None:
        """Run a call on the store's thread and give its answer to `then` on the GUI thread.

        Args:
            call: Uses the store, and nothing of the window.
            then: Gets the answer.
            failed: Gets one sentence when the call went wrong; else the signal `failed` tells it.
            temporary: Use the store that lives in memory alone.
        """
        assert not self._closed, "the store is closed"
        self._asked.emit(_Call(call, then, failed, temporary))

    def wait(self, call: Callable[[Store], T], *, temporary: bool = False) -> T:
        """Run a call and wait for its answer; for start and end alone, the window stands still.

        Raises:
            StoreError: The call went wrong.
        """
        asked = _Call(call, None, None, temporary)
        self._asked.emit(asked)
        asked.done.wait()
        if asked.error:
            raise StoreError(asked.error) from asked.raised
        answer: T = asked.answer
        return answer

    def ask_for(
        self,
        an_id: int,
        call: Callable[[Store], T],
        then: Callable[[T], None] | None = None,
        *,
        failed: Callable[[str], None] | None = None,
    ) -> None:
        """Run a call on the store that a conversation or message lives in."""
        self.ask(call, then, failed=failed, temporary=is_temporary(an_id))

    @Slot(object)
    def on_answered(self, asked: _Call) -> None:
        """Hand an answer to whoever asked."""
        if asked.error:
            (asked.failed or self.failed.emit)(asked.error)
        elif asked.then is not None:
            asked.then(asked.answer)

    def close(self) -> None:
        """Let every call that was asked be done and answered, then close the file."""
        if self._closed:
            return
        if self._thread.isRunning():
            while True:
                # Answers may ask again (a message that is sent on): until all is quiet.
                barrier = _Call(lambda _: None, None, None, temporary=False)
                self._asked.emit(barrier)
                barrier.done.wait()
                before = self._clerk.n_done
                QCoreApplication.sendPostedEvents(self)
                again = _Call(lambda _: None, None, None, temporary=False)
                self._asked.emit(again)
                again.done.wait()
                if self._clerk.n_done == before + 1:
                    break
            self._closed = True
            self._thread.quit()
            self._thread.wait()
        self._closed = True
        self._clerk.close()


class _Clerk(QObject):
    """Holds the store; lives on the store's thread."""

    answered = Signal(object)  # _Call
    opened = Signal(str)
    failed = Signal(str)
    _wipe = Signal()

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._store: Store | None = None
        self._temporary: Store | None = None
        self._why = "The conversations are not open."
        self.n_done = 0
        self._wiping = False
        self._wipe.connect(self.on_wipe, Qt.ConnectionType.QueuedConnection)

    @Slot()
    def on_started(self) -> None:
        """Open the file and put in order what the last run left."""
        try:
            self._store = Store(self._path)
            self._store.recover()
            self._wipe_later()
        except StoreError as error:
            self._why = str(error)
            self.failed.emit(self._why)
        except (OSError, sqlite3.Error) as error:
            self._why = f"The conversations at {self._path} cannot be opened: {error}."
            self.failed.emit(self._why)
        else:
            self.opened.emit(self._store.notice)

    @Slot(object)
    def on_asked(self, asked: _Call) -> None:
        """Run one call."""
        try:
            asked.answer = asked.call(self._pick(asked.temporary))
        except OSError as error:
            asked.error, asked.raised = f"{error.filename}: {error.strerror}.", error
        except (StoreError, ValueError) as error:
            asked.error, asked.raised = str(error), error
        except sqlite3.Error as error:
            log_failure(_log, "A call on the store failed", error)
            asked.error = f"The conversations could not be written ({error}); free some disk space."
            asked.raised = error
        except (KeyError, TypeError) as error:
            log_failure(_log, "A call on the store failed", error)
            asked.error, asked.raised = "That conversation is no longer there.", error
        self.n_done += 1
        asked.done.set()
        self.answered.emit(asked)
        self._wipe_later()

    def _wipe_later(self) -> None:
        if self._store is not None and self._store.wiping.wanted and not self._wiping:
            self._wiping = True
            self._wipe.emit()

    @Slot()
    def on_wipe(self) -> None:
        """Let removed words leave the file, a step between other calls."""
        if self._store is None:
            return
        self._wiping = False
        try:
            self._store.wiping.step()
        except sqlite3.Error as error:
            log_failure(_log, "Removed words could not leave the file yet", error)
            return  # after the next start
        self._wipe_later()

    def _pick(self, temporary: bool) -> Store:
        if temporary:
            if self._temporary is None:
                self._temporary = Store(None)
            return self._temporary
        if self._store is None:
            raise StoreError(self._why)
        return self._store

    def close(self) -> None:
        """Close the files; called when the thread has ended."""
        for store in (self._store, self._temporary):
            if store is not None:
                store.close()
        self._store = self._temporary = None
