"""Attachments, variables, the context meter and titles: the pure parts around the composer."""

import io

import pytest
from pypdf import PdfWriter

from app.chat.attachments import AttachmentError, cut_to, read_attachment, text_attachment
from app.chat.context_meter import measure
from app.chat.titles import clean_title, title_prompt
from app.store.messages import full_text, prompt_messages
from app.store.rows import Attachment, Node
from app.variables import UnknownVariableError, fill, find_variables
from inference import ChatPrompt, RawPrompt


def count(text):
    return -(-len(text) // 4)


@pytest.mark.parametrize(
    ("name", "content", "kind", "text"),
    [
        ("a.txt", "hällo".encode(), "text", "hällo"),
        ("a.py", b"\xef\xbb\xbfprint()", "code", "print()"),
        ("a.csv", b"a,b\n1,2\n", "csv", "a,b\n1,2\n"),
        ("a.md", "grün".encode("cp1252"), "text", "grün"),
        ("README", "日本".encode("utf-16"), "text", "日本"),
    ],
)
def test_text_files_are_read(tmp_path, name, content, kind, text):
    path = tmp_path / name
    path.write_bytes(content)
    assert read_attachment(path) == Attachment(name, kind, text)


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.png", b"\x89PNG", "reads text only"),
        ("a.mp3", b"ID3", "reads text only"),
        ("a.bin", b"ab\0cd", "not a text file"),
        ("a.pdf", b"%PDF-1.4 nothing", "damaged PDF"),
        ("a.pdf", b"", "damaged PDF"),
    ],
)
def test_what_is_no_text_gets_one_sentence(tmp_path, name, content, why):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(AttachmentError, match=why):
        read_attachment(path)


def test_a_missing_file_gets_one_sentence(tmp_path):
    with pytest.raises(AttachmentError, match="cannot be read"):
        read_attachment(tmp_path / "gone.txt")


def pdf(*lines, password=None):
    """A small PDF with text that has no need of fonts of its own."""
    writer = PdfWriter()
    page = writer.add_blank_page(300, 300)
    from pypdf.generic import (
        DecodedStreamObject,
        DictionaryObject,
        NameObject,
    )

    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    fonts = DictionaryObject({NameObject("/F1"): font})
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    stream = DecodedStreamObject()
    shown = " ".join(f"({line}) Tj T*" for line in lines)
    stream.set_data(f"BT /F1 12 Tf 14 TL 20 200 Td {shown} ET".encode())
    page[NameObject("/Contents")] = writer._add_object(stream)
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_a_pdfs_text_is_read(tmp_path):
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf("First line", "Second line"))
    read = read_attachment(path)
    assert read.kind == "pdf"
    assert read.text.split() == ["First", "line", "Second", "line"]


def test_a_pdf_without_text_gets_one_sentence(tmp_path):
    path = tmp_path / "scan.pdf"
    path.write_bytes(pdf())
    with pytest.raises(AttachmentError, match="has no text"):
        read_attachment(path)


def test_a_long_attachment_is_cut_where_a_word_ends_and_says_so():
    read = text_attachment("word " * 10_000)
    cut = cut_to(read, 100, count)
    assert cut.cut
    assert 90 <= cut.n_tokens <= 100
    assert cut.text.endswith("word")
    assert "beginning only" in full_text(Node(1, None, "user", "x", attachments=(cut,)))


def test_a_short_attachment_is_counted_and_left_whole():
    assert cut_to(Attachment("a", "text", "12345678"), 2, count) == Attachment(
        "a", "text", "12345678", 2
    )


# ------------------------------------------------------------------------------ prompts


def test_attachments_come_before_the_question():
    node = Node(1, None, "user", "Why?", attachments=(Attachment("a.txt", "text", "because"),))
    assert full_text(node) == "[a.txt]\nbecause\n[end of a.txt]\n\nWhy?"


def test_turns_alternate_in_a_prompt():
    path = (
        Node(1, None, "user", "a"),
        Node(2, 1, "assistant", "", "failed"),
        Node(3, 2, "user", "b"),
        Node(4, 3, "assistant", "c"),
    )
    made = prompt_messages(path, "sys", {4: ("print", (1, 2))})
    assert [(m.role, m.text) for m in made] == [
        ("system", "sys"),
        ("user", "a\n\nb"),
        ("assistant", "c"),
    ]
    assert made[2].token_ids == (1, 2)


# ------------------------------------------------------------------------------ variables


def test_variables_are_found_once_in_order():
    assert find_variables("{{b}} {{ a }} {{b}} {{}} {{1}} {a}") == ("b", "a")


def test_values_are_put_in_and_never_filled_again():
    assert fill("{{a}}, {{ b }}", {"a": "{{b}}", "b": "2"}) == "{{b}}, 2"


def test_an_unknown_variable_is_named():
    with pytest.raises(UnknownVariableError, match=r"\{\{town\}\}, which has no value; there is a"):
        fill("{{town}}", {"a": ""})


# ------------------------------------------------------------------------------ the meter


PATH = tuple(
    Node(i, i - 1 if i > 1 else None, "user" if i % 2 else "assistant", "") for i in range(1, 7)
)
COUNTS = {node.id: 95 for node in PATH}


def test_what_fits_needs_no_sentence():
    meter = measure(PATH, COUNTS, 95, 95, 1_600, "oldest")
    assert meter.used_tokens == 800
    assert meter.fits
    assert meter.sentence() == ""
    assert meter.fraction == 0.5


def test_the_oldest_turns_fall_out_whole():
    meter = measure(PATH, COUNTS, 95, 0, 560, "oldest")
    assert meter.falls_out == (1, 2, 3, 4)
    assert "oldest 4 messages will fall out" in meter.sentence()


def test_with_the_policy_stop_nothing_falls_out_and_it_says_so():
    meter = measure(PATH, COUNTS, 95, 0, 600, "stop")
    assert meter.falls_out == ()
    assert not meter.fits
    assert "700 tokens and 600 fit" in meter.sentence()


def test_a_prompt_too_long_alone_does_not_fit():
    assert not measure(PATH, COUNTS, 9_000, 0, 600, "rolling").fits


# ------------------------------------------------------------------------------ titles


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ('"Boiling eggs."', "Boiling eggs"),
        ("\n# Title: Boiling eggs\nmore", "Boiling eggs"),
        ("**Boiling eggs**", "Boiling eggs"),
        ("…", ""),
        ("word " * 40, ""),
        ("", ""),
    ],
)
def test_a_title_is_made_of_what_was_said(said, title):
    assert clean_title(said) == title


def test_a_base_model_continues_examples():
    path = (Node(1, None, "user", "How do  I\nsail?"), Node(2, 1, "assistant", "Wind."))
    base, tuned = title_prompt(path, base=True), title_prompt(path, base=False)
    assert isinstance(base, RawPrompt)
    assert base.text.endswith("Text: How do I sail? Wind.\nTitle:")
    assert isinstance(tuned, ChatPrompt)
