"""Blocks as plain HTML, for pasting into other programs. Nothing in it is loaded from anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from app.ui.render.blocks import BOLD, CODE, ITALIC, NOTE, STRIKE, Block, Run

_TAGS = ((BOLD, "strong"), (ITALIC, "em"), (STRIKE, "s"), (CODE, "code"), (NOTE, "sup"))


def to_html(blocks: Sequence[Block]) -> str:
    """Write blocks as HTML, lists and quotes nested again."""
    made: list[str] = []
    opened: list[str] = []
    for block in blocks:
        _nest(made, opened, block)
        made.append(_block(block))
    while opened:
        made.append(f"</{opened.pop()}>")
    return "".join(made).replace("</table><table>", "")


def _nest(made: list[str], opened: list[str], block: Block) -> None:
    """Close and open lists and quotes until the block stands where it belongs."""
    wanted = block.path
    while len(opened) > len(wanted) or any(
        (tag == "blockquote") != (kind == "q") for tag, kind in zip(opened, wanted, strict=False)
    ):
        made.append(f"</{opened.pop()}>")
    for kind in wanted[len(opened) :]:
        ordered = block.marker[:1].isdigit()
        tag = "blockquote" if kind == "q" else "ol" if ordered else "ul"
        start = f' start="{block.marker[:-1]}"' if tag == "ol" and block.marker != "1." else ""
        opened.append(tag)
        made.append(f"<{tag}{start}>")


def _block(block: Block) -> str:
    match block.kind:
        case "code":
            text = f"<pre><code>{escape(block.text)}</code></pre>"
        case "heading":
            text = f"<h{block.level}>{_runs(block.runs)}</h{block.level}>"
        case "rule":
            text = "<hr>"
        case "table":
            return _rows(block)
        case "note":
            text = f"<p><sup>{escape(block.marker)}</sup> {_runs(block.runs)}</p>"
        case _:
            text = f"<p>{_runs(block.runs)}</p>"
    if block.marker and "l" in block.path:
        box = {"[ ]": "☐ ", "[x]": "☑ "}.get(block.marker, "")
        return f"<li>{box}{text.removeprefix('<p>').removesuffix('</p>')}</li>"
    return text


def _rows(block: Block) -> str:
    assert block.table is not None
    tag = "th" if block.table.has_header else "td"
    rows = "".join(
        "<tr>" + "".join(f"<{tag}>{_runs(cell)}</{tag}>" for cell in row) + "</tr>"
        for row in block.table.rows
    )
    return f"<table>{rows}</table>"


def _runs(runs: Sequence[Run]) -> str:
    return "".join(map(_run, runs))


def _run(run: Run) -> str:
    if run.maths:
        return f"<code>{escape(run.text)}</code>"
    text = escape(run.text).replace("\n", "<br>")
    for style, tag in _TAGS:
        if run.style & style:
            text = f"<{tag}>{text}</{tag}>"
    return f'<a href="{escape(run.href)}">{text}</a>' if run.href else text
