"""Every family's network keeps the promises that the engine builds on."""

from __future__ import annotations

import mlx.core as mx
import pytest

from inference.caches import make_caches
from tests.model.families import FAMILY_NAMES, WINDOW, tiny

TOKENS = [2] + [(7 * i * i + 3 * i + 11) % 280 for i in range(3 * WINDOW)]


@pytest.fixture(scope="module")
def opened():
    made = {}

    def get(family):
        if family not in made:
            made[family] = tiny(family)
        return made[family]

    return get


@pytest.fixture(params=FAMILY_NAMES)
def model(request, opened):
    return opened(request.param)


def read(model, cuts):
    """Logits of the tokens, read with caches in chunks that end at `cuts`."""
    caches = make_caches(model.layout)
    found = []
    for start, end in zip([0, *cuts], [*cuts, len(TOKENS)], strict=True):
        for cache in caches:
            if hasattr(cache, "begin"):
                cache.begin()
        found.append(model.network(mx.array([TOKENS[start:end]]), caches))
        for cache in caches:
            if hasattr(cache, "advance"):
                cache.advance(end - start)
    return mx.concatenate(found, axis=1)


@pytest.mark.parametrize("cuts", [[1], [WINDOW - 1], [WINDOW], [WINDOW + 1, 2 * WINDOW + 1]])
def test_reading_in_chunks_is_reading_at_once(model, cuts):
    whole = model.network(mx.array([TOKENS]))
    assert mx.abs(read(model, cuts) - whole).max().item() < 1e-4
    assert whole.std().item() > 0.5


def test_a_window_layer_forgets_what_is_behind_its_window(model):
    far = any(layer.kind != "window" for layer in model.layout.layers)
    changed = [TOKENS[0], (TOKENS[1] + 1) % 250, *TOKENS[2:]]
    one, other = (model.network(mx.array([ids]))[0, -1] for ids in (TOKENS, changed))
    assert far
    assert mx.abs(one - other).max().item() > 0


def test_logits_are_float32_and_the_head_of_the_hidden_states(model):
    ids = mx.array([TOKENS])
    logits = model.network(ids)
    assert logits.dtype == mx.float32
    assert logits.shape == (1, len(TOKENS), model.info.vocabulary_size)
    assert mx.array_equal(logits, model.network.head(model.network.hidden(ids)))


def test_embeddings_of_the_tokens_are_the_tokens(model):
    ids = mx.array([TOKENS])
    embeddings = model.network.embed(ids)
    before = mx.array(embeddings)
    logits = model.network(ids, input_embeddings=embeddings)
    assert mx.array_equal(logits, model.network(ids))
    assert mx.array_equal(embeddings, before)


def test_a_bias_of_zero_changes_nothing_and_barred_columns_are_not_seen(model):
    ids = mx.array([TOKENS])
    n = len(TOKENS)
    plain = model.network(ids)
    zero = model.network(ids, attention_bias=mx.zeros((n, n)))
    assert mx.abs(zero - plain).max().item() < 1e-4
    barred = mx.zeros((n, n)).at[n - 1, : n - 1].add(-1e9)
    assert mx.abs(model.network(ids, attention_bias=barred) - plain)[0, -1].max().item() > 1e-3
    assert mx.abs(model.network(ids, attention_bias=barred) - plain)[0, : n - 1].max().item() < 1e-4


def test_two_rows_are_read_as_one_is(model):
    other = TOKENS[::-1]
    both = model.network(mx.array([TOKENS, other]))
    for row, ids in enumerate((TOKENS, other)):
        assert mx.abs(both[row] - model.network(mx.array([ids]))[0]).max().item() < 1e-4


@pytest.mark.parametrize(
    ("family", "bits"),
    [*((family, 4) for family in FAMILY_NAMES), *(("gemma3", bits) for bits in (2, 3, 5, 6, 8))],
)
def test_a_quantised_folder_is_opened_with_each_weight_as_it_was_packed(opened, family, bits):
    model, packed = opened(family), tiny(family, bits=bits)
    ids = mx.arange(model.info.vocabulary_size)[None]
    dense = model.network.embed(ids)[0]
    q, scales, biases = mx.quantize(dense, group_size=32, bits=bits)
    expected = mx.dequantize(q, scales, biases, group_size=32, bits=bits)
    assert mx.abs(packed.network.embed(ids)[0] - expected).max().item() < 1e-5
    assert packed.info.n_parameters == model.info.n_parameters
    assert packed.info.quantisation == f"{bits} bit"


def test_what_ends_a_reply_comes_from_every_source(model):
    closer = "<turn|>" if model.info.family == "Gemma 4" else "<end_of_turn>"
    assert model.end_ids >= {1, model.tokenizer.id_of(closer)}
    assert not model.end_ids & model.forbidden_ids
    assert {0, 2, 3} <= model.forbidden_ids


def test_a_tuned_model_speaks_in_turns(model):
    assert model.info.reply_style == "turns"
    assert not model.info.is_base
    assert model.template.source is not None
    assert model.info.can_think == (model.info.family == "Gemma 4")
