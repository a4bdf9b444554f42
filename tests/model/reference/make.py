# ruff: noqa: T201  (run by hand)
"""Make `expected.json`: what transformers' PyTorch classes say of the tiny models of each family.

Run in two steps, since the product's environment has no PyTorch:

    .venv/bin/python -m tests.model.reference.make folders PLACE
    python -m venv V && V/bin/pip install torch==2.13.0 transformers==5.24.0
    V/bin/python tests/model/reference/make.py numbers PLACE
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

SEED = 3
TOKENS = [2] + [(7 * i * i + 3 * i + 11) % 280 for i in range(24)]
LOOKED_AT = (0, 1, 6, 7, 8, 9, 16, 17, 24)  # positions around the window of 8
IDS = tuple(range(0, 280, 23))
EXPECTED = Path(__file__).with_name("expected.json")
# Family -> (class of transformers, its config's class, our prefix, its prefix)
CLASSES = {
    "gemma1": ("GemmaForCausalLM", "GemmaConfig", "", ""),
    "gemma2": ("Gemma2ForCausalLM", "Gemma2Config", "", ""),
    "gemma3": ("Gemma3ForCausalLM", "Gemma3TextConfig", "", ""),
    "gemma3n": ("Gemma3nForCausalLM", "Gemma3nTextConfig", "model.language_model.", "model."),
    "gemma4": ("Gemma4ForCausalLM", "Gemma4TextConfig", "", ""),
    "gemma4_shared": ("Gemma4ForCausalLM", "Gemma4TextConfig", "language_model.model.", "model."),
    "gemma4_moe": ("Gemma4ForCausalLM", "Gemma4TextConfig", "", ""),
    "recurrent": ("RecurrentGemmaForCausalLM", "RecurrentGemmaConfig", "", ""),
}


def folders(place: Path) -> None:
    from tests.model.families import build, build_embedder

    build_embedder(place / "embedding", SEED)
    for family in CLASSES:
        build(family, place / family, SEED)


def numbers(place: Path) -> None:
    expected = {}
    for family in CLASSES:
        expected[family] = numbers_of(family, place / family)
        print(family, expected[family][-1][:4])
    expected["embedding"] = vectors_of(place / "embedding")
    EXPECTED.write_text(json.dumps(expected, indent=0))


def numbers_of(family: str, folder: Path) -> list[list[float]]:
    """Logits at the positions looked at, of the ids looked at."""
    import torch
    import transformers
    from safetensors.torch import load_file

    model_class, config_class, ours, theirs = CLASSES[family]
    told = json.loads((folder / "config.json").read_text())
    told = told.get("text_config", told)
    config = getattr(transformers, config_class)(**translated(told))
    config._attn_implementation = "eager"
    model = getattr(transformers, model_class)(config).float().eval()
    weights = {}
    for file in sorted(folder.glob("*.safetensors")):
        weights |= {
            k.replace(ours, theirs, 1) if ours else k: v for k, v in load_file(file).items()
        }
    missing, extra = model.load_state_dict(fitted(weights), strict=False)
    missing = [name for name in missing if name != "lm_head.weight"]
    assert (missing, extra) == ([], []), family
    model.tie_weights()
    with torch.no_grad():
        logits = model(torch.tensor([TOKENS]), use_cache=False).logits[0]
    return [[round(float(logits[p, i]), 5) for i in IDS] for p in LOOKED_AT]


def vectors_of(folder: Path) -> list[list[float]]:
    """The vector of the tokens, and of their first ten."""
    import torch
    import transformers
    from safetensors.torch import load_file

    config = transformers.Gemma3TextConfig(
        **translated(json.loads((folder / "config.json").read_text()))
    )
    config._attn_implementation = "eager"
    model = transformers.Gemma3TextModel(config).float().eval()
    weights = {}
    for file in sorted(folder.glob("*.safetensors")):
        weights |= load_file(file)
    missing, extra = model.load_state_dict(weights, strict=False)
    assert (missing, extra) == ([], [])
    found = []
    with torch.no_grad():
        for ids in (TOKENS, TOKENS[:10]):
            v = model(torch.tensor([ids]), use_cache=False).last_hidden_state[0].mean(0)
            for name in ("2_Dense", "3_Dense"):
                v = load_file(folder / name / "model.safetensors")["linear.weight"] @ v
            v = v / v.norm()
            found.append([round(float(x), 6) for x in v])
    return found


def translated(told: dict) -> dict:
    """Older config keys in the words of transformers 5."""
    new = dict(told)
    layers = told["num_hidden_layers"]
    match told["model_type"]:
        case "gemma3_text":
            pattern = new.pop("sliding_window_pattern")
            kinds = ("full_attention", "sliding_attention")
            new["layer_types"] = [kinds[bool((i + 1) % pattern)] for i in range(layers)]
        case "gemma3n_text":
            new.pop("rope_local_base_freq")
            new.pop("rope_theta")
        case "recurrent_gemma":
            new.pop("rope_theta")
    return new


def fitted(weights: dict) -> dict:
    """Names and shapes of the two that are stored otherwise."""
    import torch

    new = {}
    for name, value in weights.items():
        if name.endswith("conv_1d.weight"):
            value = value.moveaxis(1, 2)  # noqa: PLW2901
        if ".switch_glu.gate_proj." in name:
            up = weights[name.replace("gate_proj", "up_proj")]
            key = name.replace("switch_glu.gate_proj.weight", "gate_up_proj")
            new[key] = torch.cat([value, up], dim=1)
        elif ".switch_glu.down_proj." in name:
            new[name.replace("switch_glu.down_proj.weight", "down_proj")] = value
        elif ".switch_glu." not in name:
            new[name] = value
    return new


if __name__ == "__main__":
    {"folders": folders, "numbers": numbers}[sys.argv[1]](Path(sys.argv[2]))
