"""mlx-lm's own Gemma 3, tiny and seeded, for tests of what lies under any network."""

from __future__ import annotations

import mlx.core as mx

from inference.mlx_lm_door import gemma3_text

WINDOW = 8
VOCABULARY = 64
WIDTH = 32


def tiny_gemma3(window=WINDOW, layers=4, pattern=3):
    mx.random.seed(7)
    model = gemma3_text.Model(
        gemma3_text.ModelArgs(
            model_type="gemma3_text",
            hidden_size=WIDTH,
            num_hidden_layers=layers,
            intermediate_size=64,
            num_attention_heads=2,
            head_dim=16,
            vocab_size=VOCABULARY,
            num_key_value_heads=1,
            query_pre_attn_scalar=16,
            sliding_window=window,
            sliding_window_pattern=pattern,
        )
    )
    mx.eval(model.parameters())
    return model
