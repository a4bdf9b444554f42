"""Answers kept in the store are made again after a restart, token for token, on a tiny model."""

import subprocess
import sys
from pathlib import Path

from app.lab.replay import compare, replay_request
from app.store.rows import StoredToken
from app.store.store import Store
from inference import ChatPrompt, Delta, Finished, GenerationRequest, Message, RawPrompt, Sampling
from tests.model import tiny

WORDS = (
    *("the", "night", "was", "dark", "and", "the", "wind", "went", "on", "over", "the"),
    *("hills", "until", "the", "morning", "came"),
)


def never():
    return False


def finish(engine, request):
    """A reply's end, with the details of its tokens."""
    details = []
    for event in engine.generate(request, never):
        if isinstance(event, Delta):
            details += [
                StoredToken(t.token_id, len(t.text), t.logprob, t.entropy, t.alternatives)
                for t in event.tokens
            ]
        if isinstance(event, Finished):
            return event, details
    raise AssertionError("no end")


def requests(n):
    """Turns of a few growing conversations and plain texts, greedy and seeded in turns."""
    for i in range(n):
        text = " ".join(WORDS[: 2 + i % 13])
        turns = tuple(
            Message("assistant" if k % 2 else "user", f"{text} {k}") for k in range(1 + 2 * (i % 3))
        )
        prompt = RawPrompt(text) if i % 5 == 4 else ChatPrompt(turns)
        sampling = Sampling(temperature=0 if i % 2 else 1.0, seed=i)
        yield GenerationRequest(prompt, sampling, max_tokens=12, alternatives=3)


def replay_all(folder):
    """Make every kept answer again with a new engine; print how many are identical."""
    engine = tiny.engine(folder / "other")
    store = Store(folder / "chats.sqlite3")
    identical = 0
    for (message_id,) in store.db.execute("SELECT message_id FROM run").fetchall():
        run = store.runs.of_message(message_id)
        finished, details = finish(engine, replay_request(run.record, 3))
        verdict = compare(run.record, finished.record, run.details, details)
        assert not verdict.differs_in
        identical += verdict.identical
    store.close()
    sys.stdout.write(f"{identical}\n")


def test_kept_answers_are_identical_after_a_restart(tmp_path, amount):
    engine = tiny.engine(tmp_path / "cache")
    store = Store(tmp_path / "chats.sqlite3")
    row = store.conversations.create()
    kept = 0
    for request in requests(amount(100)):
        finished, details = finish(engine, request)
        if not finished.record.token_ids:
            continue
        node = store.messages.begin_reply(row.id, None)
        store.messages.finish_reply(node, finished.record, details)
        kept += 1
    store.close()
    assert kept > amount(100) * 0.8
    code = (
        "import sys; from pathlib import Path; from inference import preload_blas; preload_blas();"
        "from tests.model.test_replay import replay_all; replay_all(Path(sys.argv[1]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.stdout == f"{kept}\n", done.stderr
