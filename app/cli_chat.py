"""`cabochon chat`: a conversation in the terminal. It keeps its context and is not saved."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from app.cli_terms import (
    CommandError,
    MakeEngine,
    add_model_argument,
    add_sampling_arguments,
    open_model,
    printable,
    sampling_from,
    stop_on_interrupt,
)
from inference import (
    ChatPrompt,
    Delta,
    Engine,
    Finished,
    GenerationRequest,
    InferenceError,
    Message,
    ModelInfo,
    Sampling,
)

_HELP = """\
/new               begin again
/again             make another reply to the last message
/system TEXT       set the system prompt (empty: none)
/temperature T     0 always takes the likeliest token
/seed N            fix the seed (empty: a new one each time)
/tokens            what the last reply cost
/save FILE         write the conversation as Markdown
/help              this help
/quit              leave (Ctrl-D too); Ctrl-C stops a reply
A line that ends in \\ goes on in the next one."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `chat` takes."""
    parser.add_argument("--system", metavar="TEXT", default="", help="the system prompt")
    add_model_argument(parser)
    add_sampling_arguments(parser)


def run(args: argparse.Namespace, make_engine: MakeEngine) -> int:
    """Talk until the input ends."""
    engine = make_engine(args)
    try:
        with stop_on_interrupt() as stop:
            info = open_model(engine, args, stop)
        talk = Talk(engine, args, info)
        if sys.stdin.isatty():
            _prepare_line_editing()
            print(f"{info.name}. /help tells the commands; this conversation is not saved.")
            if info.note:
                print(info.note)
        while (line := _read_message()) is not None:
            if not talk.take(line):
                break
    finally:
        engine.close()
    return 0


def _prepare_line_editing() -> None:
    """Let the arrow keys edit the line, where Python has its line editor."""
    try:
        __import__("readline")
    except ImportError:
        return


def _read_message() -> str | None:
    """Read one message; None at the end of the input."""
    lines: list[str] = []
    while True:
        shown = ("" if lines else "\n> ") if sys.stdin.isatty() else ""
        try:
            line = input(shown)
        except EOFError:
            return "\n".join(lines) if lines else None
        except KeyboardInterrupt:
            print()
            if not lines:
                return None
            lines.clear()
            continue
        if line.endswith("\\"):
            lines.append(line[:-1])
            continue
        return "\n".join([*lines, line])


@dataclass(slots=True)
class _Turn:
    """What the next reply is made of."""

    system: str
    sampling: Sampling
    messages: tuple[Message, ...] = ()


class Talk:
    """A conversation and its commands."""

    def __init__(self, engine: Engine, args: argparse.Namespace, info: ModelInfo) -> None:
        self._engine = engine
        self._max_tokens: int | None = args.max_tokens
        self._stop: tuple[str, ...] = tuple(args.stop)
        self._turn = _Turn(args.system, sampling_from(args, info.default_sampling))
        self._last: Finished | None = None

    def take(self, line: str) -> bool:
        """Answer a message or obey a command.

        Returns:
            Whether to go on.
        """
        if not line.strip():
            return True
        if not line.startswith("/"):
            self._answer((*self._turn.messages, Message("user", line)))
            return True
        name, _, rest = line.partition(" ")
        if name in ("/quit", "/exit"):
            return False
        commands = {
            "/help": lambda _: print(_HELP),
            "/new": self._new,
            "/again": self._again,
            "/system": self._system,
            "/temperature": self._temperature,
            "/seed": self._seed,
            "/tokens": self._tokens,
            "/save": self._save,
        }
        command = commands.get(name)
        if command is None:
            print(f"There is no command {name}; /help tells them.")
            return True
        try:
            command(rest.strip())
        except (ValueError, OSError) as error:
            print(f"That did not work: {error}")
        return True

    def _answer(self, messages: tuple[Message, ...]) -> None:
        turn = self._turn
        system = (Message("system", turn.system),) if turn.system else ()
        request = GenerationRequest(
            ChatPrompt((*system, *messages)),
            turn.sampling,
            max_tokens=self._max_tokens,
            stop=self._stop,
        )
        terminal = sys.stdout.isatty()
        try:
            with stop_on_interrupt() as stop:
                for event in self._engine.generate(request, stop.is_set):
                    match event:
                        case Delta(text, kind) if kind == "answer":
                            sys.stdout.write(printable(text, terminal=terminal))
                            sys.stdout.flush()
                        case Finished():
                            self._last = event
                            self._remember(messages, event)
                        case _:
                            pass
        except InferenceError as error:
            if not sys.stdin.isatty():
                raise
            print(f"\n{error}")
        print()

    def _remember(self, messages: tuple[Message, ...], finished: Finished) -> None:
        if not finished.text:
            self._turn.messages = messages[:-1]
            return
        record = finished.record
        reply = Message(
            "assistant",
            finished.text,
            record.answer_ids,
            record.model_fingerprint,
            finished.thought,
        )
        self._turn.messages = (*messages, reply)

    def _new(self, _: str) -> None:
        self._turn.messages = ()

    def _again(self, _: str) -> None:
        messages = self._turn.messages
        if not messages:
            raise ValueError("there is no reply yet.")
        self._answer(messages[:-1])

    def _system(self, text: str) -> None:
        self._turn.system = text

    def _temperature(self, text: str) -> None:
        value = float(text)
        if not 0 <= value <= 100:
            raise ValueError("a temperature lies between 0 and 100.")
        self._turn.sampling = replace(self._turn.sampling, temperature=value)

    def _seed(self, text: str) -> None:
        self._turn.sampling = replace(self._turn.sampling, seed=int(text) if text else None)

    def _tokens(self, _: str) -> None:
        if self._last is None:
            raise ValueError("there is no reply yet.")
        record = self._last.record
        print(
            f"{record.prompt_tokens:,} tokens read ({record.reused_tokens:,} reused), "
            f"{record.generated_tokens:,} written at {record.tokens_per_second:.1f} a second, "
            f"first after {record.ttft_seconds:.2f} s, seed {record.seed}, {record.reason}"
        )

    def _save(self, name: str) -> None:
        if not name:
            raise CommandError("Say which file to write: /save FILE")
        headings = {"user": "You", "assistant": "Gemma", "system": "System"}
        parts = [f"## {headings[m.role]}\n\n{m.text}\n" for m in self._turn.messages]
        Path(name).expanduser().write_text("\n".join(parts), "utf-8")
        print(f"Saved to {name}.")
