"""The one way out, whatever asked for it: nothing is lost, no thread is left behind."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.chat.chat import Chat
from app.store.thread import StoreThread
from app.worker import Worker


def close_all(chat: Chat, worker: Worker, store: StoreThread) -> bool:
    """Stop replies, close the engine on its thread, save what was said, close the file.

    Calling it again does nothing.

    Returns:
        Whether the inference thread ended in time.
    """
    chat.close()
    ended = worker.close()
    # The last events of the stopped replies are still on their way to this thread.
    QCoreApplication.sendPostedEvents()
    store.close()
    return ended
