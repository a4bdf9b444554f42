"""Another token at a place of an answer: the answer goes on from there, and little is read anew."""

import pytest

from inference import EngineOptions, GemmaEngine, GenerationRequest, RawPrompt, Sampling


@pytest.fixture(scope="module")
def engine(starter_cache):
    made = GemmaEngine(EngineOptions(starter_cache))
    list(made.load("starter", lambda: False))
    yield made
    made.close()


def record_of(engine, prompt, tokens):
    request = GenerationRequest(prompt, Sampling(seed=3), tokens, alternatives=3)
    *_, finished = engine.generate(request, lambda: False)
    return finished.record


def test_forcing_a_token_reads_at_most_one_token_anew(engine):
    text = "The ships that sail on the wide sea"
    spoken = record_of(engine, RawPrompt(text), 16).token_ids
    assert len(spoken) == 16
    for place in (2, 14):
        forced = (*spoken[:place], 506)
        again = record_of(engine, RawPrompt(text, forced), 2)
        assert again.prompt_ids[-len(forced) :] == forced
        assert again.prompt_tokens - again.reused_tokens <= 1
