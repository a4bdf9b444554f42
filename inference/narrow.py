"""float16 where the device has no bfloat16 of its own, made safe by a smaller residual stream.

Gemma's residual stream grows past what float16 holds (65,504). Every reader of it is an RMSNorm,
which does not care for scale, so the whole stream can be made smaller by a power of two: the
embedding and what each post-norm adds are multiplied by it, and the norms' epsilon by its square.
Nothing else changes, and nothing is rounded differently.

Source: https://arxiv.org/abs/2408.00118 (Gemma 2's post-norms); measured in decision 0035.
"""

from __future__ import annotations

from typing import Any, Final

import mlx.core as mx
from mlx.nn.layers.normalization import RMSNorm

STREAM_SCALE: Final = 1 / 16
PROVEN: Final = ("gemma2", "gemma3_text", "gemma3")  # by KL against float32, each in the tests
_OLD_CHIPS: Final = ("Apple M1", "Apple M2")  # no bfloat16 arithmetic


def is_wanted(model_type: str, device_name: str, dtype: mx.Dtype) -> bool:
    """Whether a network that came in a dtype should run in float16 on a device."""
    old = any(device_name.startswith(chip) for chip in _OLD_CHIPS)
    return old and model_type in PROVEN and dtype == mx.bfloat16


def to_float16(network: Any) -> None:  # noqa: ANN401  (the families' own classes)
    """Make a network compute in float16, its stream scaled down. In place."""
    fold(network, STREAM_SCALE)
    network.set_dtype(mx.float16)


def fold(network: Any, scale: float) -> None:  # noqa: ANN401  (the families' own classes)
    """Multiply the residual stream by a power of two, without any change of the output."""
    text = getattr(network, "language_model", network)
    for layer in text.layers:
        for name in ("input_layernorm", "pre_feedforward_layernorm"):
            layer[name].eps *= scale**2
        for name in ("post_attention_layernorm", "post_feedforward_layernorm"):
            norm = layer[name]
            folded = RMSNorm(norm.weight.shape[0], norm.eps)
            folded.weight = scale * (1.0 + norm.weight.astype(mx.float32))
            layer[name] = folded
    final = text.final_norm
    final.eps *= scale**2
    final.stream_scale = scale
