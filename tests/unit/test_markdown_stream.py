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


@pytest.mark.parametrize(
    "text", ["Some **bold words** here.", "Some `code here` and", "~~gone now~~ x"]
)
def test_marks_that_are_not_closed_yet_are_never_seen(parser, text):
    stream = MarkdownStream(parser)
    for character in text:
        shown = stream.feed(character).open
        assert not {"*", "`", "~"} & set("".join(r.text for b in shown for r in b.runs)), shown


def test_a_link_that_is_not_complete_yet_shows_its_text_alone(parser):
    stream = MarkdownStream(parser)
    stream.feed("See [the page](https://exam")
    shown = stream.feed("ple.com/").open
    assert "".join(run.text for run in shown[0].runs) == "See the page"


def test_a_table_is_a_table_from_its_first_sight(parser):
    stream = MarkdownStream(parser)
    kinds = set()
    for character in "| a | b |\n|---|---|\n| 1 | 2 |\n":
        kinds |= {block.kind for block in stream.feed(character).open}
    assert kinds == {"table"}


def test_a_long_paragraph_is_cut_between_words_and_keeps_them_all(parser):
    text = "some *words* and `code` " * 400
    blocks = parse_markdown(text, parser)
    assert len(blocks) > 3
    assert [block.continues for block in blocks] == [False] + [True] * (len(blocks) - 1)
    words = " ".join("".join(run.text for run in block.runs) for block in blocks).split()
    assert words == ("some words and code " * 400).split()


def test_numbers_go_on_when_a_long_list_is_cut(parser):
    text = "".join(f"{i}. {'word ' * 30}\n" for i in range(1, 60))
    markers = [block.marker for block in parse_markdown(text, parser)]
    assert markers == [f"{i}." for i in range(1, 60)]


def test_a_reference_told_at_the_end_serves_the_whole_text(parser):
    text = "[a] and more\n\n" + "word\n\n" * 50 + "[a]: https://example.com\n"
    blocks = parse_markdown(text, parser)
    assert blocks[0].runs[0].href == "https://example.com"
    assert all(not block.runs or "]:" not in block.runs[0].text for block in blocks)
