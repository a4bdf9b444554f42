"""Runs `cabochon models …` in a process of its own, so that looking into files stalls nobody."""

from __future__ import annotations

import json
import logging

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, Signal, Slot

from inference import child_environment, find_interpreter

_PROGRAM = "import sys; from app.cli import main; sys.exit(main(sys.argv[1:]))"
_log = logging.getLogger(__name__)


class Command(QObject):
    """One run of a command.

    Attributes:
        done: What it printed as JSON (None if nothing), and its sentence on failure.
    """

    done = Signal(object, str)

    def __init__(self, words: list[str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process = QProcess(self)
        environment = QProcessEnvironment()
        for name, value in child_environment().items():
            environment.insert(name, value)
        self._process.setProcessEnvironment(environment)
        self._process.finished.connect(self._on_finished)
        self._process.errorOccurred.connect(self._on_error)
        self._process.start(find_interpreter(), ["-P", "-c", _PROGRAM, "models", *words, "--json"])

    def stop(self) -> None:
        """End it; nothing is told any more."""
        self._process.blockSignals(True)
        self._process.kill()
        self._process.waitForFinished(1_000)

    @Slot()
    def _on_finished(self) -> None:
        out = bytes(self._process.readAllStandardOutput().data())
        said = bytes(self._process.readAllStandardError().data()).decode(errors="replace")
        try:
            found: object = json.loads(out) if out else None
        except ValueError:
            found = None
        sentence = ""
        if found is None:
            lines = said.strip().splitlines()
            sentence = lines[-1].removeprefix("cabochon: ") if lines else "It ended unexpectedly."
            _log.info("A command about models ended with code %d", self._process.exitCode())
        self.done.emit(found, sentence)

    @Slot(QProcess.ProcessError)
    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self.done.emit(None, "The command could not be started.")
