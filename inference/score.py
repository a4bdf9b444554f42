"""How likely a model finds a given text: one pass over it, in chunks, in bounded memory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import mlx.core as mx

from inference.checks import MOST_ALTERNATIVES, check_text, whole_number
from inference.errors import PromptTooLongError, RequestError
from inference.guard import Guard
from inference.inspect import details
from inference.reading import Reading
from inference.types import ChatPrompt, Prompt, RawPrompt, Score, TokenDetail, TokenPrompt

if TYPE_CHECKING:
    from inference.model import Model

CHUNK_TOKENS = 64  # logits of so many positions are held at once: 67 MB for 262k tokens


def score(model: Model, prompt: Prompt, completion: str, alternatives: int) -> Score:
    """Give each token of the completion its log-likelihood after the prompt.

    Raises:
        RequestError: The completion is empty.
        PromptTooLongError: Both together do not fit the context.
    """
    check_text("completion", completion)
    whole_number("alternatives", alternatives, least=0, most=MOST_ALTERNATIVES)
    if not completion:
        raise RequestError("completion is empty; give the text to score.")
    ids, n_prompt = _ids(model, prompt, completion)
    if len(ids) > model.info.context_tokens:
        raise PromptTooLongError(len(ids), model.info.context_tokens)
    context = model.tree.restore(ids[:n_prompt])
    guard = Guard(model.forward)
    reading = Reading(context, model.tree, guard, "")
    try:
        for _ in reading.run(ids[:n_prompt], (n_prompt,), lambda: False):
            pass
    finally:
        guard.end_window()
    assert reading.logits is not None
    found = _details(model, reading.logits, ids[n_prompt : n_prompt + 1], alternatives)
    for start in range(n_prompt, len(ids) - 1, CHUNK_TOKENS):
        stop = min(start + CHUNK_TOKENS, len(ids) - 1)
        logits = model.forward.head(context.read(ids[start:stop]))[0]
        found += _details(model, logits, ids[start + 1 : stop + 1], alternatives)
    stream = model.tokenizer.stream()
    found = [replace(detail, text=stream.step(detail.token_id)) for detail in found]
    return Score(sum(detail.logprob for detail in found), tuple(found))


def _ids(model: Model, prompt: Prompt, completion: str) -> tuple[list[int], int]:
    """The ids of prompt and completion, and how many are the prompt's."""
    match prompt:
        case ChatPrompt():
            whole = model.compose(replace(prompt, prefix=completion, prefix_ids=()))
            return list(whole.ids), len(whole.ids) - len(model.tokenizer.encode(completion))
        case RawPrompt() | TokenPrompt():
            before = model.compose(prompt).ids
            return [*before, *model.tokenizer.encode(completion)], len(before)


def _details(
    model: Model, logits: mx.array, ids: list[int], alternatives: int
) -> list[TokenDetail]:
    """Details of the tokens that follow. Shapes: logits (L, V), ids (L,)."""
    found = details(logits, mx.array(ids), alternatives, model.vocabulary.size)
    mx.eval(found.arrays)
    rows = [found.row(i) for i in range(len(ids))]
    return [TokenDetail(i, "", *row) for i, row in zip(ids, rows, strict=True)]
