"""What runs in the engine's process: `python -m inference.process.child` with five pipe numbers.

The main thread owns the engine, as MLX demands. Beside it a few small threads listen: one for stops
and for the parent's end, one for questions. The process ends itself the moment its parent is gone.
"""

from __future__ import annotations

import ctypes
import faulthandler
import inspect
import logging
import os
import queue
import select
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING

from inference.blas import preload_blas
from inference.errors import DeviceMemoryError, InferenceError
from inference.process.pipes import PipeClosedError, Reader, Writer
from inference.process.wire import (
    STOP,
    Answered,
    Beat,
    Begin,
    Call,
    CallEnded,
    Happened,
    Logged,
    Question,
    Raised,
    Report,
    Returned,
    SideReport,
)

if TYPE_CHECKING:
    from inference.types import Engine

MOST_IN_A_BATCH = 64
_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_log = logging.getLogger(__name__)


class Side:
    """The pipe for what any thread has to say. Safe from any thread."""

    def __init__(self, fd: int) -> None:
        self._writer = Writer(fd)
        self._lock = threading.Lock()

    def say(self, report: SideReport) -> None:
        """Send a report; when nobody listens any more, this process is at its end."""
        try:
            with self._lock:
                self._writer.send(report)
        except PipeClosedError:
            os._exit(0)


class Forward(logging.Handler):
    """Sends log lines to the parent, tracebacks as text."""

    def __init__(self, side: Side) -> None:
        super().__init__()
        self._side = side

    def emit(self, record: logging.LogRecord) -> None:
        """Send one line."""
        text = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            text += "\n" + _frames_of(record.exc_info[1])
        self._side.say(Logged(record.name, record.levelno, text))


def _frames_of(error: BaseException) -> str:
    """Where an error came from: places and types, without messages that might quote the user."""
    frames = "".join(traceback.format_tb(error.__traceback__))
    return f"{frames}{type(error).__module__}.{type(error).__qualname__}"


class Stops:
    """Which calls, or parts of them, are to stop; fed by the lifeline, asked by the engine."""

    def __init__(self) -> None:
        self._asked: set[tuple[int, int]] = set()
        self._lock = threading.Lock()

    def add(self, number: int, part: int) -> None:
        """Ask a call to stop (part 0), or one part of it."""
        with self._lock:
            self._asked.add((number, part))

    def has(self, number: int, part: int = 0) -> bool:
        """Whether it shall stop."""
        asked = self._asked
        return (number, 0) in asked or (number, part) in asked

    def forget_before(self, number: int) -> None:
        """Drop what belongs to calls of the past."""
        with self._lock:
            self._asked = {asked for asked in self._asked if asked[0] >= number}


class Outbox:
    """The events' way out: one at a time while the parent keeps up, in batches when it does not."""

    def __init__(self, fd: int) -> None:
        self._writer = Writer(fd)
        self._waiting: list[Report] = []

    def put(self, report: Report) -> None:
        """Send an event, or let it wait for the next; blocks when too many wait."""
        self._waiting.append(report)
        self.flush(must=len(self._waiting) >= MOST_IN_A_BATCH)

    def flush(self, *, must: bool) -> None:
        """Send what waits, at once where there is room."""
        if self._waiting and (must or self._writer.has_room()):
            batch, self._waiting = self._waiting, []
            self._writer.send(batch)


def _watch_lifeline(fd: int, stops: Stops, side: Side, beat_seconds: float) -> None:
    """Take in stops and show that we live; when the parent is gone, so are we, at once."""
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    raw = b""
    while True:
        if not poll.poll(beat_seconds * 1000):
            side.say(Beat())
            continue
        more = os.read(fd, 4096)
        if not more:
            os._exit(0)
        raw += more
        whole = len(raw) - len(raw) % STOP.size
        for number, part in STOP.iter_unpack(raw[:whole]):
            stops.add(number, part)
        raw = raw[whole:]
        side.say(Beat())


def _read_questions(fd: int, waiting: queue.SimpleQueue[Question]) -> None:
    reader = Reader(fd)
    try:
        while True:
            question = reader.receive(60_000)
            if isinstance(question, Question):
                waiting.put(question)
    except PipeClosedError:
        os._exit(0)


def _answer_questions(
    waiting: queue.SimpleQueue[Question], made: Callable[[], Engine], side: Side
) -> None:
    """Answer one after the other, while the engine speaks."""
    while True:
        question = waiting.get()
        try:
            value = getattr(made(), question.verb)(question.argument)
            side.say(Answered(question.number, value))
        except Exception as error:  # noqa: BLE001  (the thread's outermost frame)
            side.say(Answered(question.number, None, _for_the_parent(error)))


def _for_the_parent(error: Exception) -> InferenceError:
    """The same error where it belongs to the seam; else one plain sentence."""
    if isinstance(error, InferenceError):
        _log.debug("%s\n%s", type(error).__name__, _frames_of(error))
        return error.with_traceback(None)
    _log.error("The engine met an unexpected error\n%s", _frames_of(error))
    if isinstance(error, MemoryError):
        return DeviceMemoryError(
            "There is not enough memory for this; your text is safe. "
            "Choose a smaller model or a shorter context."
        )
    return InferenceError(
        f"Something went wrong in the engine ({type(error).__name__}); what was written is kept. "
        "Try again, or open the model anew."
    )


class Service:
    """Serves calls on the main thread, one after the other."""

    def __init__(self, calls: Reader, outbox: Outbox, stops: Stops, side: Side) -> None:
        self._calls = calls
        self._outbox = outbox
        self._stops = stops
        self._side = side
        self._engine: Engine | None = None
        self._why_not: InferenceError | None = None

    def begin(self) -> Begin:
        """Wait for the order to make the engine."""
        first = None
        while first is None:
            first = self._calls.receive(60_000)
        assert isinstance(first, Begin)
        return first

    def make(self, begin: Begin) -> None:
        """Make the engine; a failure is told with the first call."""
        module, _, name = begin.factory.partition(":")
        try:
            preload_blas()
            self._engine = getattr(import_module(module), name)(*begin.arguments)
        except Exception as error:  # noqa: BLE001  (the engine's outermost frame)
            self._why_not = _for_the_parent(error)

    def engine(self) -> Engine:
        """The engine, once it is made. Safe from any thread."""
        if self._engine is None:
            raise self._why_not or InferenceError("The engine is still starting.")
        return self._engine

    def serve(self) -> None:
        """Serve until the parent has had enough."""
        while True:
            call = self._calls.receive(60_000)
            if isinstance(call, Call):
                self._stops.forget_before(call.number)
                last = self._serve(call)
                self._side.say(CallEnded(call.number))
                self._outbox.put(last)
                self._outbox.flush(must=True)
                if call.verb == "close":
                    return

    def _serve(self, call: Call) -> Report:
        try:
            method = getattr(self.engine(), call.verb)
            arguments = list(call.arguments)
            if "should_stop" in inspect.signature(method).parameters:
                arguments.append(self._should_stop(call))
            value = method(*arguments)
            if not isinstance(value, Iterator):
                return Returned(call.number, value)
            for event in value:
                self._outbox.put(Happened(call.number, event))
            return Returned(call.number, None)
        except PipeClosedError:
            raise
        except Exception as error:  # noqa: BLE001  (the engine's outermost frame)
            return Raised(call.number, _for_the_parent(error))

    def _should_stop(self, call: Call) -> Callable[..., bool]:
        def should_stop(index: int = -1) -> bool:
            self._outbox.flush(must=False)
            return self._stops.has(call.number, index + 1)

        return should_stop


def _die_with(parent: int) -> None:
    """Let Linux end us with our parent, even if we are stopped or hold Python's lock."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it went before we asked
        os._exit(0)


def main(arguments: list[str]) -> None:
    """Run the engine's process.

    Args:
        arguments: The parent's process number, then the pipes in the order of `wire`.
    """
    parent, calls, events, lifeline, questions, side_fd = map(int, arguments)
    _die_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when we end
    faulthandler.enable()
    side = Side(side_fd)
    stops = Stops()
    service = Service(Reader(calls), Outbox(events), stops, side)
    waiting: queue.SimpleQueue[Question] = queue.SimpleQueue()
    try:
        begin = service.begin()
        logging.basicConfig(level=begin.level, handlers=[Forward(side)])
        for work, args in (
            (_watch_lifeline, (lifeline, stops, side, begin.beat_seconds)),
            (_read_questions, (questions, waiting)),
            (_answer_questions, (waiting, service.engine, side)),
        ):
            # They own nothing and end with the process, whatever they wait for.
            threading.Thread(target=work, args=args, daemon=True).start()
        service.make(begin)
        service.serve()
    except PipeClosedError:
        pass
    sys.stderr.flush()
    os._exit(0)  # no teardown: MLX may abort in it, and nothing here outlives the process


if __name__ == "__main__":
    main(sys.argv[1:])
