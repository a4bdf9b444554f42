"""What the commands share: the words for a model and its sampling, and what a terminal may show."""

from __future__ import annotations

import argparse
import math
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from types import FrameType

from app.paths import find_paths
from app.settings import SettingsFile
from inference import Engine, InferenceError, Loaded, Loading, ModelInfo, Sampling

MakeEngine = Callable[[argparse.Namespace], Engine]


class CommandError(Exception):
    """The command cannot go on; the message is one sentence for the user."""


def number(low: float, high: float = math.inf) -> Callable[[str], float]:
    """Make an argument type for numbers in a range."""

    def read(text: str) -> float:
        value = float(text)
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text} is not in the range {low:g} to {high:g}")
        return value

    read.__name__ = "number"
    return read


def count(low: int, high: int = 2**63 - 1) -> Callable[[str], int]:
    """Make an argument type for whole numbers in a range."""

    def read(text: str) -> int:
        value = int(text)
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text} is not in the range {low} to {high}")
        return value

    read.__name__ = "whole number"
    return read


def bias(text: str) -> tuple[int, float]:
    """Read ID=BIAS. An argument type."""
    token_id, _, amount = text.partition("=")
    return int(token_id), float(amount)


def add_model_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--model`."""
    parser.add_argument(
        "--model",
        metavar="DIR|FILE|starter",
        default="",
        help="a model folder, a .gguf file, or the starter model (the default)",
    )


def add_sampling_arguments(parser: argparse.ArgumentParser) -> None:
    """Add how tokens are drawn; what is left out is the model's own recommendation."""
    group = parser.add_argument_group("sampling")
    group.add_argument("--max-tokens", type=count(1), metavar="N")
    group.add_argument("--temperature", type=number(0, 100), metavar="T")
    group.add_argument("--top-k", type=count(0), metavar="K")
    group.add_argument("--top-p", type=number(0, 1), metavar="P")
    group.add_argument("--min-p", type=number(0, 1), metavar="P")
    group.add_argument("--repetition-penalty", type=number(0.01, 100), metavar="R")
    group.add_argument("--repetition-window", type=count(0), metavar="N", help="0 looks at all")
    group.add_argument("--presence-penalty", type=number(-100, 100), metavar="R")
    group.add_argument("--frequency-penalty", type=number(-100, 100), metavar="R")
    group.add_argument("--xtc-probability", type=number(0, 1), metavar="P")
    group.add_argument("--xtc-threshold", type=number(0, 1), metavar="P")
    group.add_argument("--logit-bias", action="append", type=bias, metavar="ID=BIAS")
    group.add_argument("--seed", type=count(0, 2**32 - 1), metavar="N")
    group.add_argument("--stop", action="append", default=[], metavar="TEXT")


def sampling_from(args: argparse.Namespace, default: Sampling) -> Sampling:
    """Lay the given arguments over the model's own sampling."""
    names = {field.name for field in fields(Sampling)} - {"logit_bias"}
    given = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    return replace(default, **given, logit_bias=tuple(args.logit_bias or default.logit_bias))


def default_model() -> str:
    """Give the model that the window uses, else the starter."""
    settings, _ = SettingsFile(find_paths(os.environ).settings).load()
    return settings.model or "starter"


def open_model(engine: Engine, args: argparse.Namespace, stop: threading.Event) -> ModelInfo:
    """Open the model that the arguments name, with progress on a terminal's stderr.

    Raises:
        InferenceError: It cannot be opened.
    """
    source = args.model or ("echo" if args.engine == "echo" else default_model())
    shown = sys.stderr.isatty()
    info: ModelInfo | None = None
    try:
        for event in engine.load(source, stop.is_set):
            match event:
                case Loading(what, fraction) if shown:
                    sys.stderr.write(f"\r\x1b[K{what} {fraction:.0%}")
                    sys.stderr.flush()
                case Loaded(found):
                    info = found
                case Loading():
                    pass
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
    if info is None:
        raise InferenceError("The model was not opened.")
    return info


@contextmanager
def stop_on_interrupt() -> Iterator[threading.Event]:
    """Let Ctrl-C set a flag instead of ending the program; a second one ends it."""
    stop = threading.Event()

    def on_interrupt(_number: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def printable(text: str, *, terminal: bool) -> str:
    """Take out what could command a terminal; a pipe gets the text as it is."""
    if not terminal:
        return text
    return "".join(c for c in text if c in "\n\t" or not (c < " " or "\x7f" <= c <= "\x9f"))
