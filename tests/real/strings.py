"""Strings that tokenizers disagree on: every script, runs of spaces, emoji, controls, code."""

# ruff: noqa: RUF001  (letters that look like others are the point)

from __future__ import annotations

import ast
import inspect
import json
import random
import textwrap
from collections.abc import Iterator

SCRIPTS = (
    (0x20, 0x7F), (0xA0, 0x180), (0x370, 0x400), (0x400, 0x530), (0x531, 0x590), (0x591, 0x5F5),
    (0x600, 0x700), (0x900, 0x980), (0x980, 0xA00), (0xB80, 0xC00), (0xE00, 0xE80),
    (0x10A0, 0x1100), (0x1100, 0x1200), (0x1200, 0x1380), (0x13A0, 0x1400), (0x1780, 0x1800),
    (0x1E00, 0x2000), (0x2000, 0x2070), (0x20A0, 0x20C0), (0x2100, 0x2400), (0x2500, 0x2581),
    (0x2582, 0x27C0), (0x3000, 0x3100), (0x4E00, 0x9FFF), (0xAC00, 0xD7A4), (0xE000, 0xE100),
    (0xFB00, 0xFE70), (0xFF00, 0xFFF0), (0x10300, 0x10350), (0x12000, 0x12100), (0x1D400, 0x1D7FF),
    (0x1F1E6, 0x1F200), (0x1F300, 0x1F650), (0x1F680, 0x1F700), (0x1F900, 0x1FA00),
    (0x20000, 0x20100), (0xE0100, 0xE01F0),
)  # fmt: skip
SPACES = (
    " ",
    "  ",
    "   ",
    "\n",
    "\n\n",
    "\t",
    "\t\t",
    "\r\n",
    " \n ",
    "\u00a0",
    "\u2003",
    "\u3000",
)
HAND = (
    "", " ", "  ", "\n", "a", " a", "a ", "Hello, world!", "The capital of France is",
    "  indented\n    more\n\tand a tab\n", "naïve café — “quoted” … ½ ÷ 3 ≠ 2", "1+1=2; 1234567890",
    "<start_of_turn>user\nhi<end_of_turn>\n<start_of_turn>model\n", "<bos><eos><pad>", "<0x0A>",
    "👩‍👩‍👧‍👦 👍🏽 🇫🇷🇩🇪 ☃️", "مرحبا بالعالم", "नमस्ते दुनिया", "สวัสดีชาวโลก", "こんにちは世界",
    "안녕하세요",
    "e\u0301 vs é", "\u200b\u200d\ufeff", "\x00\x01\x7f", "\ud7ff\ue000\U0010ffff", "a" * 300,
    " " * 100, "\n" * 40, "\t" * 40, "</code></pre>", "[multimodal]", "<table><tr><td>x</td></tr>",
)  # fmt: skip


def strings(count: int, seed: int = 0) -> Iterator[str]:
    """Give so many different strings, none with `▁`, which stands for a space in the vocabulary."""
    rng = random.Random(seed)
    lines = [*code_lines(), *prose()]
    seen = set()
    candidates = iter(HAND)
    while len(seen) < count:
        text = next(candidates, None)
        if text is None:
            text = made_up(rng, lines)
        text = text.replace("▁", "").encode("utf-8", "ignore").decode()
        if text not in seen:
            seen.add(text)
            yield text


def made_up(rng: random.Random, lines: list[str]) -> str:
    match rng.randrange(5):
        case 0:
            low, high = rng.choice(SCRIPTS)
            return "".join(chr(rng.randrange(low, high)) for _ in range(rng.randint(1, 40)))
        case 1:
            start = rng.randrange(len(lines))
            return "\n".join(lines[start : start + rng.randint(1, 12)])
        case 2:
            words = rng.choice(lines).split() or ["x"]
            return "".join(word + rng.choice(SPACES) for word in words)
        case 3:
            mixed = [chr(rng.randrange(*rng.choice(SCRIPTS))) for _ in range(rng.randint(1, 30))]
            return "".join(mixed)
        case _:
            line = rng.choice(lines)
            cut = rng.randrange(len(line) + 1)
            return line[:cut] + rng.choice(SPACES) * rng.randint(1, 9) + line[cut:]


def code_lines() -> list[str]:
    sources = [inspect.getsource(module) for module in (textwrap, json, ast)]
    return [line for source in sources for line in source.splitlines()]


def prose() -> list[str]:
    return [
        "Über den Wolken muß die Freiheit wohl grenzenlos sein.",
        "Съешь же ещё этих мягких французских булок, да выпей чаю.",
        "Ο ήλιος ανατέλλει πάνω από τη θάλασσα.",
        "El pingüino Wenceslao hizo kilómetros bajo exhaustiva lluvia.",
        "いろはにほへと ちりぬるを",
        "天地玄黃,宇宙洪荒。日月盈昃,辰宿列張。",
        "Příliš žluťoučký kůň úpěl ďábelské ódy.",
        "1. First item\n   - nested\n2. Second **bold** `code`",
        "https://example.org/path?query=1&other=%20#fragment",
        "x = {'a': [1, 2.5e-3, None], \"b\": lambda y: y ** 2}  # comment",
        "$$\\int_0^\\infty e^{-x^2}\\,dx = \\frac{\\sqrt{\\pi}}{2}$$",
    ]
