"""The real program as a child process on a virtual screen, driven by keys as a person would.

Needs Xvfb and xdotool. What happened is read from the program's own database and screen.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]
MESSAGES = """SELECT role, content || coalesce((SELECT group_concat(content, '') FROM
    (SELECT content FROM growth WHERE message_id = message.id ORDER BY growth.id)), ''), status
    FROM message ORDER BY id"""
PATIENCE = 120.0  # seconds: a watchdog, many times what anything takes


def missing_tools() -> str:
    """One sentence when the tools are not installed, else ""."""
    missing = [tool for tool in ("Xvfb", "xdotool") if shutil.which(tool) is None]
    if not missing:
        return ""
    return (
        f"Driving the window needs {' and '.join(missing)}; install the packages xvfb and xdotool."
    )


def wait_for(what: str, found: Callable[[], object], patience: float = PATIENCE) -> None:
    """Wait until something is so."""
    end = time.monotonic() + patience
    while not found():
        if time.monotonic() > end:
            raise TimeoutError(f"waited {patience:.0f} s for {what}")
        time.sleep(0.05)


class Screen:
    """A virtual screen of its own."""

    def __init__(self, width: int = 1180, height: int = 780) -> None:
        read, write = os.pipe()
        self._server = subprocess.Popen(
            [
                *("Xvfb", "-displayfd", str(write), "-nolisten", "tcp", "-noreset"),
                *("-screen", "0", f"{width}x{height}x24"),
            ],
            pass_fds=(write,),
            stderr=subprocess.DEVNULL,
        )
        os.close(write)
        with os.fdopen(read) as told:
            self.display = f":{told.readline().strip()}"

    def xdotool(self, *words: str) -> str:
        """Run xdotool here."""
        done = subprocess.run(
            ["xdotool", *words],
            env={**os.environ, "DISPLAY": self.display},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        return done.stdout.strip()

    def picture(self, path: Path) -> None:
        """Save what is on the screen, if ImageMagick is there."""
        with suppress(FileNotFoundError):
            subprocess.run(
                ["import", "-window", "root", str(path)],
                env={**os.environ, "DISPLAY": self.display},
                timeout=PATIENCE,
                check=False,
            )

    def close(self) -> None:
        """Take the screen down."""
        self._server.terminate()
        self._server.wait(PATIENCE)


class Program:
    """One run of the program on a screen, with a home of its own."""

    def __init__(self, screen: Screen, home: Path, *arguments: str, **environ: str) -> None:
        self.screen, self.home = screen, home
        env = {key: value for key, value in os.environ.items() if key != "QT_QPA_PLATFORM"}
        env |= {"DISPLAY": screen.display, "CABOCHON_HOME": str(home), "PYTHONPATH": str(ROOT)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "app", "--no-questions", *arguments],
            cwd=ROOT,
            env=env | environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    # ----------------------------------------------------------------------------- hands

    def wait_for_window(self) -> None:
        """Wait until the window can be seen, and give it the keyboard."""
        wait_for("the window", lambda: self.window() or self.process.poll() is not None)
        assert self.process.poll() is None, self.process.communicate()[0]
        self.screen.xdotool("windowfocus", "--sync", self.window())

    def window(self) -> str:
        """The id of the window, "" while there is none."""
        found = self.screen.xdotool("search", "--onlyvisible", "--name", "Cabochon")
        return found.split("\n")[0]

    def type(self, text: str) -> None:
        """Type into whatever has the keyboard."""
        self.screen.xdotool("type", "--delay", "4", text)

    def press(self, keys: str) -> None:
        """Press keys, such as "ctrl+r"."""
        self.screen.xdotool("key", keys)

    def send(self, text: str) -> None:
        """Type a message and send it."""
        self.type(text)
        self.press("Return")

    # ----------------------------------------------------------------------------- eyes

    def messages(self) -> list[tuple[str, str, str]]:
        """Role, text so far and status of every message, the oldest first."""
        path = self.home / "data" / "cabochon.sqlite3"
        if not path.exists():
            return []
        with suppress(sqlite3.OperationalError):
            db = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5)
            try:
                rows = db.execute(MESSAGES).fetchall()
            finally:
                db.close()
            return [(str(role), str(text), str(status)) for role, text, status in rows]
        return []

    def answers(self, *statuses: str) -> list[str]:
        """The texts of the answers, those of some statuses alone."""
        return [
            text
            for role, text, status in self.messages()
            if role == "assistant" and (not statuses or status in statuses)
        ]

    def log(self) -> str:
        """The program's log."""
        path = self.home / "logs" / "cabochon.log"
        return path.read_text() if path.exists() else ""

    # ----------------------------------------------------------------------------- the end

    def quit(self) -> tuple[int, str]:
        """Quit by the menu's keys; give the exit code and all that was printed."""
        self.press("ctrl+q")
        return self.ended()

    def ended(self) -> tuple[int, str]:
        """Wait for the end; give the exit code and all that was printed."""
        try:
            printed, _ = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGABRT)
            self.process.communicate()
            raise
        return self.process.returncode, printed

    def kill(self) -> None:
        """Kill what is left of a failed test."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()
