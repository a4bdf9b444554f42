"""The echo keeps the contract of the seam."""

from inference import ChatPrompt, EchoEngine, Finished, GenerationRequest, Message


def test_the_reply_is_the_deltas_joined():
    request = GenerationRequest(ChatPrompt((Message("user", "hello"),)))
    events = list(EchoEngine().generate(request, lambda: False))
    finished = events[-1]
    assert isinstance(finished, Finished)
    assert finished.text == "You said: hello"
    assert "".join(e.text for e in events if hasattr(e, "kind")) == finished.text
