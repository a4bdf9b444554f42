"""Starts one child, watches it and sees it off: nothing of it stays behind, whatever it does.

A thread of the keeper's own hears what the child says aside (its log, its heartbeat, answers) and
buries it when it ends, hangs, or does not follow a stop. Nothing here starts a child again.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import select
import signal
import subprocess
import threading
import time
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass

from inference.errors import EngineLostError, InferenceError
from inference.process.interpreter import child_command, child_environment, find_interpreter
from inference.process.pipes import PipeClosedError, Reader, Writer
from inference.process.wire import (
    STOP,
    Answered,
    Beat,
    Begin,
    Call,
    CallEnded,
    Logged,
    Question,
    Report,
)

log = logging.getLogger(__name__)

WATCH_SECONDS = 0.1
_STDERR_LINES = 30
_PIPES = 5


@dataclass(frozen=True, slots=True)
class Patience:
    """How long the parent waits for what.

    Attributes:
        stop_seconds: For the engine's own end of a stopped reply, before the reply ends without it.
        follow_seconds: For the engine to come free after a stop, before it is replaced.
        silence_seconds: For a sign of life; loading may hold Python's lock for seconds.
        answer_seconds: For the answer to a question from another thread.
        close_seconds: For a tidy end.
    """

    stop_seconds: float = 0.15
    follow_seconds: float = 4.0
    silence_seconds: float = 30.0
    answer_seconds: float = 5.0
    close_seconds: float = 0.4


class Keeper:
    """One child process and the pipes to it. `ask`, `stop` and `kill` are safe from any thread."""

    def __init__(self, begin: Begin, patience: Patience, python: str = "") -> None:
        self._patience = patience
        self._lock = threading.Lock()  # guards the two below
        self._asked: dict[int, Future[object]] = {}
        self._leaving: tuple[int, float] | None = None
        self._questions_lock = threading.Lock()  # one writer at a time
        self._numbers = itertools.count(1)
        self._calls_ended = 0
        self._gone = threading.Event()
        self.was_replaced = False  # it did not follow a stop
        self._stderr: deque[str] = deque(maxlen=_STDERR_LINES)
        self._batch: deque[Report] = deque()
        started: Future[None] = Future()
        # It only listens, and ends with the child, which ends with this process: a daemon, so that
        # a program that forgot to close its engine can still end.
        self._thread = threading.Thread(
            target=self._run, args=(python, started), name="engine keeper", daemon=True
        )
        self._thread.start()
        started.result()
        self._calls.send(begin)

    # ------------------------------------------------------------------------------ state

    @property
    def process_id(self) -> int:
        """The child's number with the system."""
        return self._process.pid

    @property
    def is_gone(self) -> bool:
        """Whether the child has ended and was buried."""
        return self._gone.is_set()

    def how_it_ended(self) -> str:
        """In a few words for the log."""
        code = self._process.returncode
        if code is None:
            return "is running"
        if code < 0:
            with contextlib.suppress(ValueError):
                return f"was ended by {signal.Signals(-code).name}"
        return f"ended with code {code}"

    # ------------------------------------------------------------------------------ speaking

    def call(self, call: Call) -> None:
        """Send a call; a child that does not take it in is lost.

        Raises:
            PipeClosedError: The child is gone or hangs.
        """
        deadline = time.monotonic() + self._patience.silence_seconds
        self._calls.send(call, lambda: self.is_gone or time.monotonic() > deadline)

    def receive(self, wait_ms: float) -> Report | None:
        """Give the next event, if one comes in time.

        Raises:
            PipeClosedError: The child is gone and everything it said was read.
        """
        if not self._batch:
            batch = self._events.receive(wait_ms)
            if isinstance(batch, list):
                self._batch.extend(batch)
        return self._batch.popleft() if self._batch else None

    def stop(self, number: int, part: int = 0) -> None:
        """Tell the engine to stop a call, or one part of it; never waits."""
        with contextlib.suppress(PipeClosedError):
            self._lifeline.send_bytes(STOP.pack(number, part), lambda: True)

    def leave(self, number: int) -> None:
        """Nobody waits for this stopped call any more; replace the child if it goes on."""
        with self._lock:
            self._leaving = (number, time.monotonic() + self._patience.follow_seconds)

    def rejoin(self) -> bool:
        """The stopped call came to its end after all.

        Returns:
            False when the child is being replaced already.
        """
        with self._lock:
            self._leaving = None
            return not self.was_replaced

    def ask(self, verb: str, argument: object) -> object:
        """Ask something small, from any thread.

        Raises:
            InferenceError: What the engine raised, or it is gone or too busy to answer.
        """
        answer: Future[object] = Future()
        number = next(self._numbers)
        with self._lock:
            self._asked[number] = answer
        deadline = time.monotonic() + self._patience.answer_seconds
        try:
            if not self._questions_lock.acquire(timeout=self._patience.answer_seconds):
                raise InferenceError("The engine is too busy to answer; try again.")
            try:
                if self.is_gone:
                    raise PipeClosedError("the child is gone")
                self._questions.send(Question(number, verb, argument), self._gone.is_set)
            finally:
                self._questions_lock.release()
            return answer.result(max(deadline - time.monotonic(), 0.0))
        except PipeClosedError:
            raise EngineLostError("The engine is gone; the next message starts it again.") from None
        except TimeoutError:
            raise InferenceError("The engine is too busy to answer; try again.") from None
        finally:
            with self._lock:
                self._asked.pop(number, None)

    # ------------------------------------------------------------------------------ the end

    def kill(self) -> None:
        """End the child at once, if it is not gone yet."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    def bury(self, wait_seconds: float = 1.0) -> bool:
        """Wait until nothing of the child is left, killing it when the time is over.

        Returns:
            Whether it went within the time.
        """
        went = self._gone.wait(wait_seconds)
        if not went:
            self.kill()
            self._gone.wait(1.0)
        return went

    # ------------------------------------------------------------------------------ its thread

    def _run(self, python: str, started: Future[None]) -> None:
        """Start the child here: Linux ends it with the thread that started it."""
        try:
            self._start(python or find_interpreter())
        except OSError as error:
            started.set_exception(
                InferenceError(f"The engine's process could not be started ({error.strerror}).")
            )
            return
        started.set_result(None)
        try:
            self._listen()
        finally:
            self._end()

    def _start(self, python: str) -> None:
        pairs = [os.pipe() for _ in range(_PIPES)]
        (calls, events, lifeline, questions, side) = pairs
        theirs = [calls[0], events[1], lifeline[0], questions[0], side[1]]
        ours = [calls[1], events[0], lifeline[1], questions[1], side[0]]
        try:
            self._process = subprocess.Popen(  # noqa: S603  (our own interpreter and module)
                child_command(python, [os.getpid(), *theirs]),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=child_environment(),
                pass_fds=theirs,
            )
        except OSError:
            for fd in ours:
                os.close(fd)
            raise
        finally:
            for fd in theirs:
                os.close(fd)
        self._calls, self._events = Writer(ours[0]), Reader(ours[1])
        self._lifeline, self._questions, self._side = (
            Writer(ours[2]),
            Writer(ours[3]),
            Reader(side[0]),
        )
        log.debug("The engine's process %d was started", self._process.pid)

    def _listen(self) -> None:
        """Hear the child out until it ends, or end it."""
        poll = select.poll()
        poll.register(self._side.fd, select.POLLIN)
        assert self._process.stderr is not None
        stderr = self._process.stderr.fileno()
        poll.register(stderr, select.POLLIN)
        silent_looks = 0
        patience = max(int(self._patience.silence_seconds / WATCH_SECONDS), 1)
        while True:
            ready = poll.poll(WATCH_SECONDS * 1000)
            silent_looks = 0 if ready else silent_looks + 1
            for fd, _ in ready:
                if fd == stderr:
                    raw = os.read(stderr, 65536)
                    if not raw:
                        poll.unregister(stderr)
                    self._stderr.extend(raw.decode(errors="replace").splitlines())
                elif not self._hear():
                    return
            if silent_looks >= patience:
                log.error("The engine's process gave no sign of life and is replaced")
                return
            if self._overstays():
                log.warning("The engine did not follow a stop and is replaced")
                return

    def _hear(self) -> bool:
        """Take in what the child said aside; False when it is gone."""
        try:
            while (report := self._side.receive(0)) is not None:
                match report:
                    case Logged(name, level, text):
                        logging.getLogger(name).log(level, "%s", text)
                    case Answered(number, value, error):
                        self._answer(number, value, error)
                    case CallEnded(number):
                        self._calls_ended = number
                    case _:
                        assert isinstance(report, Beat)
        except PipeClosedError:
            return False
        return True

    def _answer(self, number: int, value: object, error: Exception | None) -> None:
        with self._lock:
            answer = self._asked.pop(number, None)
        if answer is None:
            return  # the asker gave up
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(value)

    def _overstays(self) -> bool:
        with self._lock:
            if self._leaving is None:
                return False
            number, deadline = self._leaving
            if self._calls_ended >= number:
                self._leaving = None
                return False
            self.was_replaced = time.monotonic() > deadline
            return self.was_replaced

    def _refuse_all(self) -> None:
        with self._lock:
            asked, self._asked = self._asked, {}
        for answer in asked.values():
            answer.set_exception(
                EngineLostError("The engine is gone; the next message starts it again.")
            )

    def _end(self) -> None:
        """Leave nothing behind: no process, no pipe, nobody waiting."""
        if self._process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(0.05)  # its last pipe closed: it is about to end by itself
        self.kill()
        self._process.wait()
        assert self._process.stderr is not None
        rest = self._process.stderr.read()
        self._stderr.extend(rest.decode(errors="replace").splitlines())
        self._process.stderr.close()
        if self._process.returncode not in (0, -signal.SIGKILL) or self._stderr:
            said = "\n".join(self._stderr)
            log.warning("The engine's process %s\n%s", self.how_it_ended(), said)
        self._gone.set()
        self._refuse_all()

    def close_pipes(self) -> None:
        """Close our ends. Called once, by the thread that calls, after the child is gone."""
        with self._questions_lock:
            for end in (self._calls, self._lifeline, self._questions, self._events, self._side):
                end.close()
