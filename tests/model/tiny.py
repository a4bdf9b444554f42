"""A tiny random Gemma 3 with a tiny tokenizer: all of the engine in milliseconds."""

from __future__ import annotations

import mlx.core as mx
import tokenizers
from tokenizers import decoders, models, normalizers

from inference import EngineOptions, ModelInfo, Sampling
from inference.engine import GemmaEngine
from inference.families.gemma3 import Gemma3Text
from inference.loading.opened import OpenedModel
from inference.mlx_lm_door import gemma3_text
from inference.model import Model
from inference.template import TemplateForm
from inference.tokenizer import Tokenizer

CONTROLS = ("<pad>", "<eos>", "<bos>", "<unk>", "<start_of_turn>", "<end_of_turn>")
LETTERS = "▁abcdefghijklmnopqrstuvwxyz.,:\n"
WINDOW = 8
CONTEXT_TOKENS = 400


def tokenizer() -> Tokenizer:
    """Letters, bytes for everything else, and Gemma 3's control tokens."""
    names = [*CONTROLS, *LETTERS, *(f"<0x{b:02X}>" for b in range(256))]
    vocabulary = {name: i for i, name in enumerate(names)}
    inner = tokenizers.Tokenizer(
        models.BPE(vocabulary, [], unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    )
    inner.normalizer = normalizers.Replace(" ", "▁")
    inner.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    inner.add_special_tokens([tokenizers.AddedToken(n, special=True) for n in CONTROLS])
    return Tokenizer(inner)


def network(seed: int = 7, dtype: mx.Dtype = mx.float32, vocabulary: int = 300) -> Gemma3Text:
    """Four layers; the third sees everything, the others a window of eight."""
    mx.random.seed(seed)
    made = Gemma3Text(
        gemma3_text.ModelArgs(
            model_type="gemma3_text",
            hidden_size=32,
            num_hidden_layers=4,
            intermediate_size=64,
            num_attention_heads=2,
            head_dim=16,
            vocab_size=vocabulary,
            num_key_value_heads=1,
            query_pre_attn_scalar=16,
            sliding_window=WINDOW,
            sliding_window_pattern=3,
        )
    )
    made.set_dtype(dtype)
    mx.eval(made.parameters())
    return made


def opened(allow_bytes: bool = False, **more: object) -> OpenedModel:
    """The tiny model as loading would hand it over; it says letters only, if not told else."""
    net, words = network(**more), tokenizer()
    info = ModelInfo(
        source="tiny",
        name="Tiny",
        fingerprint="tiny",
        family="gemma3_text",
        quantisation="none",
        dtype="float32",
        device="cpu",
        n_parameters=1,
        weights_bytes=1,
        vocabulary_size=words.vocabulary_size,
        context_tokens=CONTEXT_TOKENS,
        default_max_tokens=64,
        default_sampling=Sampling(),
        reply_style="turns",
    )
    pad = words.id_of("<pad>")
    beyond = frozenset(range(words.vocabulary_size, net.args.vocab_size))
    strange = frozenset(range(len(CONTROLS) + len(LETTERS), words.vocabulary_size))
    return OpenedModel(
        network=net,
        tokenizer=words,
        config={},
        info=info,
        layout=net.layout,
        template=TemplateForm(),
        end_ids=frozenset({words.id_of("<eos>"), words.id_of("<end_of_turn>")}),
        forbidden_ids=frozenset({pad, words.bos_id, words.id_of("<unk>")})
        | beyond
        | (frozenset() if allow_bytes else strange),
    )


def engine(tmp_path, chunk: int = 16, **more: object) -> GemmaEngine:
    """An engine that has the tiny model loaded and reads it in small chunks."""
    options = EngineOptions(tmp_path, snapshot_bytes=64 << 20)
    made = GemmaEngine(options)
    made._model = Model(opened(**more), options, chunk_tokens=chunk)
    return made
