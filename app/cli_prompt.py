"""What the commands that read a prompt share: where it comes from, and how it is composed."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from app.cli_terms import CommandError
from inference import ChatPrompt, Message, Prompt, RawPrompt, TokenPrompt


def ids(text: str) -> tuple[int, ...]:
    """Read token ids, separated by commas. An argument type."""
    return tuple(int(word) for word in text.replace(",", " ").split())


def add_prompt_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the prompt: a text, a file, stdin, or token ids; raw or as a conversation."""
    prompt = parser.add_mutually_exclusive_group(required=True)
    prompt.add_argument("--prompt", metavar="TEXT", help="the prompt; - reads it from stdin")
    prompt.add_argument("--prompt-file", metavar="FILE", type=Path, help="a file with the prompt")
    prompt.add_argument("--token-ids", metavar="IDS", type=ids, help="the prompt's exact token ids")
    parser.add_argument("--raw", action="store_true", help="complete the text without a template")
    parser.add_argument("--system", metavar="TEXT", default="", help="the system prompt")


def prompt_from(
    args: argparse.Namespace,
    *,
    prefix: str = "",
    prefix_ids: tuple[int, ...] = (),
    thinking: bool = False,
) -> Prompt:
    """Make the prompt that the arguments tell.

    Raises:
        CommandError: They contradict each other, or the file is no text.
    """
    if args.token_ids is not None:
        if args.raw or args.system or prefix or thinking:
            raise CommandError("Token ids are read as they are; leave out what composes a prompt.")
        return TokenPrompt(args.token_ids + prefix_ids)
    if args.prompt_file is not None:
        text = read_text(args.prompt_file)
    else:
        text = sys.stdin.read() if args.prompt == "-" else args.prompt
    if args.raw:
        if args.system or thinking:
            raise CommandError(
                "A raw prompt has no system prompt and no thinking; leave out --raw."
            )
        return RawPrompt(text + prefix, prefix_ids)
    system = (Message("system", args.system),) if args.system else ()
    return ChatPrompt((*system, Message("user", text)), prefix, prefix_ids, thinking)


def read_text(path: Path) -> str:
    """Read a text file.

    Raises:
        CommandError: It is no text in UTF-8.
    """
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise CommandError(f"{path} is not a text file in UTF-8.") from error
