"""A chat on the echo engine with its threads; garbage of Qt objects is collected here alone."""

import gc

import pytest
from PySide6.QtCore import QObject, QThread, Slot

from app.chat.chat import Chat
from app.chat.closing import close_all
from app.settings import Settings
from app.store.thread import StoreThread
from app.worker import Worker
from inference import EchoEngine
from inference.echo import EchoScript


@pytest.fixture(autouse=True)
def _collect_on_the_gui_thread():
    """As the app does: a cycle with Qt objects in it must not be freed by another thread."""
    gc.disable()
    yield
    gc.collect()
    gc.enable()


LONG = "The quick brown fox jumps over the lazy dog. " * 40


class Desk(QObject):
    """A chat with its threads, and everything it told."""

    def __init__(self, path, script, engine=None):
        super().__init__()
        self.path = path
        self.engine = engine or EchoEngine(script)
        self.store = StoreThread(path)
        self.worker = Worker(lambda: self.engine)
        self.chat = Chat(self.store, self.worker, Settings())
        self.states = []
        self.grown = []
        self.threads = set()
        self.notices = []
        self.returned = []
        self.chat.state_changed.connect(self.on_state)
        self.chat.grew.connect(self.on_grew)
        self.chat.noticed.connect(self.notices.append)
        self.chat.returned.connect(self.returned.append)

    @Slot(object)
    def on_state(self, state):
        self.threads.add(QThread.currentThread())
        self.states.append(state)

    @Slot(int, str, str)
    def on_grew(self, message_id, text, kind):
        self.threads.add(QThread.currentThread())
        self.grown.append(text)

    def start(self, source="echo"):
        self.store.start()
        self.worker.start()
        if source:
            self.chat.load_model(source)

    def close(self):
        return close_all(self.chat, self.worker, self.store)

    def texts(self):
        return [node.text for node in self.chat.conversation.path()]

    def last(self):
        return self.chat.conversation.path()[-1]


@pytest.fixture
def make_desk(tmp_path, qtbot):
    desks = []

    def make(engine=None, **script):
        desk = Desk(tmp_path / "chats.sqlite3", EchoScript(**script), engine)
        desks.append(desk)
        return desk

    yield make
    for desk in desks:
        assert desk.close()


@pytest.fixture
def desk(make_desk):
    made = make_desk()
    made.start()
    return made


@pytest.fixture
def slow(make_desk):
    made = make_desk(reply=LONG, seconds_per_token=0.005)
    made.start()
    return made
