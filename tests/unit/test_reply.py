"""The reply's text: whole characters, stop sequences never half shown, thought apart."""

import random

import pytest

from inference import TokenDetail
from inference.reply import LoopGuard, Markers, ReplyReader

OPENER, CLOSER, TURN = 1, 2, 3
MARKERS = Markers(OPENER, CLOSER, frozenset({OPENER, CLOSER, TURN}))


class Pieces:
    """Ids are indices of byte strings; characters come out when they are whole."""

    def __init__(self, table):
        self.table, self.left = table, b""

    def step(self, token_id):
        self.left += self.table[token_id]
        try:
            text, self.left = self.left.decode(), b""
        except UnicodeDecodeError:
            return ""
        return text

    def flush(self):
        left, self.left = self.left, b""
        return left.decode(errors="replace")


def read(tokens, **how):
    """Push tokens (bytes, or ids of markers) until the reader stops; join what it gives."""
    table = dict(enumerate((t for t in tokens), start=10))
    ids = [t if isinstance(t, int) else i for i, t in table.items()]
    reader = ReplyReader(Pieces(table), MARKERS, **how)
    pieces = []
    for i in ids:
        pieces += reader.push(i)
        if reader.stopped:
            break
    return reader, pieces + reader.finish(), table


def cut(text, rng, longest=4):
    tokens, at = [], 0
    while at < len(text):
        size = rng.randint(1, longest)
        tokens.append(text[at : at + size])
        at += size
    return tokens


def test_characters_cut_into_bytes_come_out_whole():
    text = "👩‍👩‍👧‍👦 🇯🇵 𠮷 e\u0301 👍🏽"
    reader, pieces, _ = read([bytes([b]) for b in text.encode()])
    assert reader.answer == text
    assert all("\ufffd" not in p.text and p.text for p in pieces)


def test_an_unfinished_character_is_not_shown():
    reader, _, _ = read([b"a", "👍".encode()[:2]])
    assert reader.answer == "a"


@pytest.mark.parametrize("seed", range(60))
def test_a_stop_sequence_is_found_however_it_is_cut(seed):
    rng = random.Random(seed)
    tokens = cut(b"It is blue.\n\nUser: and you?", rng)
    reader, pieces, _ = read(tokens, stop=("\nUser:", "\n\nUser:"))
    assert reader.stopped
    assert reader.answer == "".join(p.text for p in pieces) == "It is blue."


@pytest.mark.parametrize("seed", range(20))
def test_what_only_looked_like_a_stop_is_shown_in_the_end(seed):
    text = "a\n\nUse\n\nUser it\n\nUs"
    reader, _, _ = read(cut(text.encode(), random.Random(seed)), stop=("\n\nUser:",))
    assert reader.answer == text
    assert not reader.stopped


@pytest.mark.parametrize("seed", range(40))
def test_the_cut_ids_say_exactly_the_answer(seed):
    tokens = cut(b"one two STOP three", random.Random(seed), longest=6)
    reader, _, table = read(tokens, stop=("STOP",))
    ids = reader.cut_ids(lambda rest: [rest])
    said = "".join(i if isinstance(i, str) else table[i].decode() for i in ids)
    assert said == reader.answer == "one two "
    assert len(reader.spoken) >= len([i for i in ids if not isinstance(i, str)])


def test_thought_is_apart_and_its_heading_and_edges_are_not_shown():
    tokens = [OPENER, b"thou", b"ght\n", b"Let me ", b"see\n", CLOSER, b"Four", TURN]
    reader, pieces, _ = read(tokens)
    assert (reader.thought, reader.answer) == ("Let me see", "Four")
    assert [p.kind for p in pieces] == ["thought", "thought", "answer"]
    assert len(reader.answer_ids) == 1


def test_an_empty_thought_shows_nothing():
    reader, pieces, _ = read([OPENER, b"thought\n", CLOSER, b"Four"])
    assert [p.text for p in pieces] == ["Four"]
    assert reader.thought == ""


def test_a_stop_sequence_in_a_thought_does_not_end_the_reply():
    reader, _, _ = read([OPENER, b"thought\n", b"STOP", CLOSER, b"go STOP"], stop=("STOP",))
    assert (reader.thought, reader.answer) == ("STOP", "go ")


def test_spaces_before_the_first_word_are_the_templates():
    reader, pieces, _ = read([b" ", b" It", b" is"], trims_start=True)
    assert reader.answer == "It is"
    assert [p.text for p in pieces] == ["It", " is"]


@pytest.mark.parametrize("seed", range(30))
def test_the_tokens_of_a_delta_say_its_text(seed):
    rng = random.Random(seed)
    tokens = cut(b"Some words STO and then STOP here", rng)
    table = dict(enumerate(tokens, start=10))
    reader = ReplyReader(Pieces(table), MARKERS, stop=("STOP",))
    pieces = []
    for i in table:
        pieces += reader.push(i, TokenDetail(i, "", -1.0, 1.0))
        if reader.stopped:
            break
    for piece in pieces:
        assert "".join(t.text for t in piece.tokens) == piece.text
    assert reader.answer == "Some words STO and then "


def pushed_until_loop(ids):
    guard = LoopGuard()
    return next((n for n, i in enumerate(ids, start=1) if guard.push(i)), None)


@pytest.mark.parametrize("period", [1, 3, 19, 20, 57, 400])
def test_a_loop_is_seen_at_its_eighth_time(period):
    span = period * -(-20 // period)
    start = [5000 + i for i in range(33)]
    assert pushed_until_loop(start + list(range(period)) * 500) == 33 + span * 8


def test_seven_times_are_no_loop():
    ids = list(range(25)) * 7
    assert pushed_until_loop([*ids, 999, *ids]) is None


def test_a_list_of_like_lines_is_no_loop():
    assert pushed_until_loop([x for i in range(300) for x in (1, 2, 3, 1000 + i)]) is None
