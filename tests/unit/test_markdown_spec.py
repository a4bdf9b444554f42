"""The CommonMark specification's own examples, streamed and at once; hostile text, in bounds."""

import gc
import json
import random
import time
from pathlib import Path

import pytest

from app.ui.render.blocks import runs_text
from app.ui.render.parser import MarkdownParser
from app.ui.render.stream import MarkdownStream, parse_markdown

EXAMPLES = json.loads((Path(__file__).parents[1] / "data/commonmark_examples.json").read_text())[
    "examples"
]
WATCHDOG_SECONDS = 6.0  # of this thread's own time: ten times what is wanted, and more


@pytest.fixture(scope="module")
def parser():
    return MarkdownParser()


def finished(text, pieces, parser):
    stream = MarkdownStream(parser)
    blocks = [block for piece in pieces for block in stream.feed(piece).frozen]
    blocks += stream.finish().frozen
    if stream.references_came_late:
        return parse_markdown(text, parser)
    return tuple(blocks)


def test_each_example_streamed_by_character_is_what_it_is_at_once(parser, amount):
    chance = random.Random(3)
    for example in chance.sample(EXAMPLES, amount(len(EXAMPLES))):
        assert finished(example, example, parser) == parse_markdown(example, parser), example


def test_all_examples_in_one_text_in_random_cuts(parser, amount):
    chance = random.Random(4)
    for _ in range(amount(30)):
        text = "\n\n".join(chance.sample(EXAMPLES, 40))
        pieces, at = [], 0
        while at < len(text):
            size = chance.choice((1, 2, 5, 40, 500))
            pieces.append(text[at : at + size])
            at += size
        assert finished(text, pieces, parser) == parse_markdown(text, parser)


def test_no_example_loses_its_words(parser):
    for example in ("a\n===\nb", "* x\n\n  y\n* z", "> q\n\n~~~\nw\n~~~"):
        shown = "".join(runs_text(b.runs) + b.text for b in parse_markdown(example, parser))
        assert {c for c in example if c.isalpha()} == {c for c in shown if c.isalpha()}


HAND_MADE = {
    "nested quotes": ">" * 5000 + " x",
    "nested lists": "".join("  " * i + "- x\n" for i in range(300)),
    "nested brackets": "[" * 20_000,
    "images": "![" * 10_000,
    "image codes": "![`" * 7000,
    "stars": "*a_ " * 8000,
    "strikes": "~~" * 10_000,
    "backticks": "".join("`" * i + " " for i in range(200)),
    "entities": "&amp;" * 8000,
    "escapes": "\\*" * 15_000,
    "autolinks": "<http://x" * 5000,
    "links": "[a](" * 8000,
    "one long line": "x" * 1_000_000,
    "one long line of words": "word " * 100_000,
    "open fence": "```\n" + "x\n" * 50_000,
    "many fences": "```\nx\n```\n" * 3000,
    "unbalanced fences": "````\n```\n~~~\n" * 2000,
    "table of 10,000 cells": "|"
    + "a|" * 100
    + "\n|"
    + "-|" * 100
    + "\n"
    + ("|" + "b|" * 100 + "\n") * 100,
    "table of one row": "|" + "a|" * 5000 + "\n|" + "-|" * 5000 + "\n|" + "b|" * 5000,
    "references": "".join(f"[r{i}]: http://x/{i}\n" for i in range(2000)) + "[r1] " * 2000,
    "reference chain": "".join(f"[a{i}]: [a{i + 1}][a{i + 1}]\n" for i in range(1000)) + "[a0]",
    "long address": "[x](http://x/" + "y" * 200_000 + ") " + "[x] " * 100,
    "zalgo": ("a" + "\u0301\u0323\u034f" * 40) * 500,
    "half pairs": "\ud800a\udfff" * 5000,
    "zeros": "\x00\x01\x07" * 5000,
    "objects": "\ufffc\ufdd0\ufdd1\u2028\u2029" * 2000,
    "bidi": "\u202e\u2066abc\u2069\u202c " * 3000,
    "carriage returns": "a\r\nb\rc\n" * 3000,
    "maths": "$$" * 5000 + "\\(" * 5000,
    "open maths": "\\[\n" + "x + \n" * 5000,
    "footnotes": "[^a]" * 5000 + "\n\n" + "[^a]: x\n" * 2000,
    "tasks": "- [ ] x\n" * 4000,
    "one item": "- " + "word " * 20_000,
    "one item of code": "- x\n\n  ```\n" + "  code\n" * 5000,
    "html": "<marquee><script>" * 4000,
}


@pytest.fixture
def collected():
    """No collection of garbage in between, as in the program while an answer streams."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("collected")
@pytest.mark.parametrize("name", HAND_MADE)
def test_hostile_text_ends_in_time(parser, name):
    text = HAND_MADE[name]
    start = time.thread_time()
    blocks = parse_markdown(text, parser)
    assert time.thread_time() - start < max(len(text) / 100_000, 1) * WATCHDOG_SECONDS
    assert blocks


@pytest.mark.usefixtures("collected")
@pytest.mark.parametrize("name", HAND_MADE)
def test_no_piece_of_hostile_text_stops_the_window(parser, name):
    text = HAND_MADE[name][:12_000]
    stream = MarkdownStream(parser)
    longest = 0.0
    for at in range(0, len(text), 400):
        start = time.thread_time()
        stream.feed(text[at : at + 400])
        longest = max(longest, time.thread_time() - start)
    assert longest < 0.5  # ten times the target of 50 ms


def random_text(chance):
    marks = [*"*_`~[]()<>#-+|\\$^!&:. \n\n\n", "```", "**", "$$", "\\(", "> ", "- ", "1. ", "    "]
    words = [
        "word",
        "مرحبا",
        "漢字",
        "👩‍👩‍👧‍👦",
        "e\u0301",
        "\u202e",
        "\x00",
        "\ud83d",
        "http://a.b/c",
    ]
    return "".join(chance.choice([*marks, *words, *words]) for _ in range(chance.randint(1, 200)))


def test_random_text_never_fails_and_reads_the_same_in_pieces(parser, amount):
    chance = random.Random(11)
    for _ in range(amount(1000)):
        text = random_text(chance)
        size = chance.choice((1, 2, 20, 100))
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert finished(text, pieces, parser) == parse_markdown(text, parser), repr(text)
