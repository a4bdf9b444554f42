"""The console script on the real starter model."""

import json

from app.cli import main


def test_generate_completes_the_capital_of_france(capsys, cabochon_home, starter_cache):
    (cabochon_home / "cache").symlink_to(starter_cache)
    words = ["generate", "--raw", "--prompt", "The capital of France is"]
    assert main([*words, "--temperature", "0", "--max-tokens", "8", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["prompt_ids"] == [2, 818, 5279, 529, 7001, 563]
    assert found["finish_reason"] == "length"
    assert len(found["token_ids"]) == 8
    assert found["prompt_tokens"] == 6
    assert found["text"].startswith(" ")
