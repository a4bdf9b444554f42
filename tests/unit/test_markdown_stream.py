"""A streamed text and the same text parsed at once are one."""

import random

import pytest

from app.ui.render.parser import MarkdownParser
from app.ui.render.stream import MarkdownStream, parse_markdown

ANSWER = """# Title

Some *text* with `code`, **bold** and a [link](https://example.com).
A second line, then \\(x^2\\).

1. First
   ```python
   print("hello")
   ```
2. Second
   - nested
     - deeper

10) other

> A quote
lazy line
> - list in it

| a | b |
|---|--:|
| 1 | `2` |

- [ ] open
- [x] done

$$
a
- b
$$

~~~~ js
``` not the end
~~~~

Setext
======

[^1]: A note.

Text[^1] ends.
"""


@pytest.fixture(scope="module")
def parser():
    return MarkdownParser()


def streamed(text, pieces, parser):
    stream = MarkdownStream(parser)
    blocks = []
    for piece in pieces:
        blocks += stream.feed(piece).frozen
    return (*blocks, *stream.finish().frozen)


def test_every_prefix_streamed_by_character_is_what_it_is_at_once(parser):
    for end in range(0, len(ANSWER), 17):
        text = ANSWER[:end]
        assert streamed(text, text, parser) == parse_markdown(text, parser), repr(text[-40:])


def test_random_cuts_change_nothing(parser, amount):
    chance = random.Random(7)
    text = ANSWER * 4
    whole = parse_markdown(text, parser)
    for _ in range(amount(30)):
        pieces, at = [], 0
        while at < len(text):
            size = chance.randint(1, 200)
            pieces.append(text[at : at + size])
            at += size
        assert streamed(text, pieces, parser) == whole


def test_what_is_frozen_never_changes(parser):
    stream = MarkdownStream(parser)
    whole = parse_markdown(ANSWER, parser)
    frozen = []
    for character in ANSWER:
        frozen += stream.feed(character).frozen
        assert tuple(frozen) == whole[: len(frozen)]
