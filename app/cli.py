"""The console script `cabochon`: the window, or one of the commands in the table below.

Each command is a module with `add_arguments(parser)` and `run(args, make_engine) -> int`. It is
imported only when it is asked for. Exit codes: 0, 2 for bad arguments, and 1 otherwise, with one
sentence on stderr.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING

from app.cli_terms import CommandError
from app.machine import why_not_here
from app.offline import keep_libraries_offline

if TYPE_CHECKING:
    from inference import Engine

COMMANDS = (
    ("generate", "app.cli_generate", "print one reply"),
    ("chat", "app.cli_chat", "talk in the terminal"),
    ("score", "app.cli_score", "tell how likely a model finds a text"),
    ("embed", "app.cli_embed", "give texts vectors, or tell how alike they are"),
    ("inspect", "app.cli_inspect", "show a prompt as the model sees it, layer by layer"),
    ("bench", "app.cli_bench", "measure a model's pace on this machine"),
    ("suite", "app.cli_suite", "run a suite of prompts and see whether it still holds"),
    ("models", "app.cli_models", "list, fetch, import, check and remove models"),
    ("verify-cache", "app.cli_verify", "check that kept prefixes change nothing"),
)

# Options of the start without a command.
WINDOW_OPTIONS = ("--echo", "--engine", "--model", "--no-questions", "--echo-seconds")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the console script.

    Returns:
        The exit code.
    """
    keep_libraries_offline(os.environ)
    given = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        return _run(given)
    except KeyboardInterrupt:
        return _fail("Stopped.")
    except BrokenPipeError:
        # Nobody reads any more; keep Python from writing again when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _fail("The output was closed before everything was written.")


def _run(given: list[str]) -> int:
    if why := why_not_here(sys.platform, platform.machine()):
        return _fail(why)
    name = next((word for word in given if not word.startswith("-")), "")
    parser = _parser(name if given[:1] == [name] else "")
    if not given or given[0].partition("=")[0] in WINDOW_OPTIONS:
        window: int = import_module("app.__main__").main(given)
        return window
    if given[0] == "--self-test":
        tested: int = import_module("app.selftest").main(given[1:])
        return tested
    args = parser.parse_args(given)
    from inference import InferenceError

    try:
        code: int = args.run(args, make_engine)
    except (CommandError, InferenceError) as error:
        return _fail(str(error))
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        return _fail(f"{error.strerror or error}: {error.filename or 'the file'}.")
    sys.stdout.flush()
    return code


def _parser(chosen: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cabochon",
        description="Private chat with Google's Gemma models; without a command, the window.",
        allow_abbrev=False,
    )
    parser.add_argument("--self-test", action="store_true", help="see whether all of it works")
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, module, summary in COMMANDS:
        command = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        if name == chosen:
            command.add_argument(
                "--engine",
                choices=("gemma", "echo"),
                default="gemma",
                help="echo answers without a model, to try things out",
            )
            found = import_module(module)
            found.add_arguments(command)
            command.set_defaults(run=found.run)
    return parser


class _Version(argparse.Action):
    """Prints the installed version."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"cabochon {version('cabochon')}")
        parser.exit()


def make_engine(args: argparse.Namespace) -> Engine:
    """Make the engine that the arguments ask for, with its caches in the app's folder."""
    if args.engine == "echo":
        from inference import EchoEngine

        return EchoEngine()
    from app.paths import find_paths
    from inference import EngineOptions, GemmaEngine, preload_blas

    preload_blas()
    return GemmaEngine(EngineOptions(find_paths(os.environ).make().cache))


def _fail(sentence: str) -> int:
    sys.stderr.write(f"cabochon: {sentence}\n")
    return 1
