"""Damaged model files never crash, hang or fill the memory: they open, or say one sentence."""

from __future__ import annotations

import json
import random
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from gguf.constants import GGMLQuantizationType

from tests.gguf_files import write_gguf
from tests.model.families import build

ROOT = Path(__file__).parents[2]
ABSURD = [0, -1, 1, 7, 1 << 31, 1 << 63, (1 << 64) - 1, 10**30, 0.5, 1e308, "", "x", "..", None]
ABSURD += [True, [], {}, [[]], {"a": 1}, [0] * 9]


@pytest.fixture(scope="module")
def child():
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.model.fuzz_child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )

    def ask(source, cache):
        process.stdin.write(json.dumps([str(source), str(cache)]) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    yield ask
    process.stdin.close()
    assert process.wait(60) == 0
    process.stdout.close()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    place = tmp_path_factory.mktemp("whole")
    files = {
        kind.name: write_gguf(place / f"{kind.name}.gguf", kind).read_bytes()
        for kind in (GGMLQuantizationType.Q8_0, GGMLQuantizationType.Q4_K, GGMLQuantizationType.F32)
    }
    return {"gguf": list(files.values()), "folder": build("gemma1", place / "tiny-it", bits=4)}


def changed_bytes(rng, data, head):
    """Damage bytes, most often in the head, where every byte has a meaning."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 5, 40))):
        at = rng.randrange(min(head, len(data)) if rng.random() < 0.8 else len(data))
        match rng.randrange(6):
            case 0:
                data[at] = rng.randrange(256)
            case 1:
                data[at] ^= 1 << rng.randrange(8)
            case 2:
                number = rng.choice((0, 1, 255, 1 << 16, 1 << 31, 1 << 40, 1 << 63, (1 << 64) - 1))
                data[at : at + 8] = struct.pack("<Q", number)
            case 3:
                del data[at : at + rng.randint(1, 64)]
            case 4:
                data[at:at] = rng.randbytes(rng.randint(1, 64))
            case _:
                del data[at:]
        if not data:
            break
    return bytes(data)


def changed_json(rng, text):
    """Put something absurd in the place of a value, or damage the text itself."""
    if rng.random() < 0.2:
        return changed_bytes(rng, text.encode(), len(text))
    table = json.loads(text)
    for _ in range(rng.choice((1, 1, 2, 4))):
        holder = table
        while isinstance(holder, dict) and holder:
            key = rng.choice(sorted(holder))
            if isinstance(holder[key], dict) and rng.random() < 0.7:
                holder = holder[key]
                continue
            if rng.random() < 0.2:
                del holder[key]
            else:
                holder[key] = rng.choice(ABSURD)
            break
    return json.dumps(table).encode()


def damaged(rng, whole, place):
    """Make one damaged model; give what to open."""
    if rng.random() < 0.4:
        source = place / "tiny.gguf"
        source.write_bytes(changed_bytes(rng, rng.choice(whole["gguf"]), 12_000))
        return source
    source = place / "tiny-it"
    shutil.copytree(whole["folder"], source)
    name = rng.choice(
        ["config.json"] * 4
        + ["model.safetensors.index.json"] * 2
        + [f"model-0000{i}-of-00002.safetensors" for i in (1, 2)] * 2
        + ["tokenizer.json", "tokenizer_config.json", "generation_config.json"]
    )
    data = (source / name).read_bytes()
    if name.endswith(".safetensors"):
        new = changed_bytes(rng, data, 8 + struct.unpack("<Q", data[:8])[0])
    else:
        new = changed_json(rng, data.decode())
    (source / name).write_bytes(new)
    return source


def test_a_damaged_model_opens_or_says_one_sentence(child, whole, tmp_path, amount):
    bad = []
    opened = 0
    count = amount(2000)
    for seed in range(count):
        place = tmp_path / str(seed)
        place.mkdir()
        source = damaged(random.Random(seed), whole, place)
        code, said = child(source, place / "cache")
        opened += said == "opened"
        if code != 0 or "\n" in said or not said:
            bad.append((seed, source.name, code, said[:300]))
        shutil.rmtree(place)
    assert bad == []
    assert 0.02 * count < opened < 0.8 * count  # the damage is neither harmless nor total
