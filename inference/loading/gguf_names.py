"""Names of weights: GGUF's on one side, the hub's and mlx-lm's on the other.

Source: llama.cpp conversion/gemma.py and gguf/tensor_mapping.py; the norms of Gemma 1 to 3 are
stored there as 1 + w.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inference.errors import ModelFolderError

if TYPE_CHECKING:
    from collections.abc import Iterator

_OUTER = {
    "token_embd": "embed_tokens",
    "output_norm": "norm",
}
_ATTENTION_AND_MLP = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_TWO_NORMS = _ATTENTION_AND_MLP | {"ffn_norm": "post_attention_layernorm"}
_FOUR_NORMS = _ATTENTION_AND_MLP | {
    "post_attention_norm": "post_attention_layernorm",
    "ffn_norm": "pre_feedforward_layernorm",
    "post_ffw_norm": "post_feedforward_layernorm",
}
_QK_NORMS = _FOUR_NORMS | {
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
}
_PER_LAYER_OUTER = _OUTER | {
    "per_layer_token_embd": "embed_tokens_per_layer",
    "per_layer_model_proj": "per_layer_model_projection",
    "per_layer_proj_norm": "per_layer_projection_norm",
}
_PER_LAYER = _QK_NORMS | {
    "inp_gate": "per_layer_input_gate",
    "proj": "per_layer_projection",
    "post_norm": "post_per_layer_input_norm",
}
_GEMMA3N = _PER_LAYER | {
    "altup_correct_coef": "altup.correction_coefs",
    "altup_correct_scale": "altup.correct_output_scale",
    "altup_predict_coef": "altup.prediction_coefs",
    "altup_router": "altup.modality_router",
    "altup_router_norm": "altup.router_norm",
    "laurel_l": "laurel.linear_left",
    "laurel_r": "laurel.linear_right",
    "laurel_post_norm": "laurel.post_laurel_norm",
}
_GEMMA4 = _PER_LAYER | {
    "layer_output_scale": "layer_scalar",
    "ffn_gate_inp": "router.proj",
    "ffn_gate_inp.scale": "router.scale",
    "ffn_down_exps": "experts.switch_glu.down_proj",
    "ffn_down_exps.scale": "router.per_expert_scale",
    "pre_ffw_norm_2": "pre_feedforward_layernorm_2",
    "post_ffw_norm_1": "post_feedforward_layernorm_1",
    "post_ffw_norm_2": "post_feedforward_layernorm_2",
}
_STACKED = {  # one tensor there, several here
    "altup_proj": "altup_projections",
    "altup_unembd_proj": "altup_unembed_projections",
}
_BARE = ("layer_scalar", "scale", "per_expert_scale", "correct_output_scale")  # no `.weight`
_NOT_WEIGHTS = {"rope_freqs.weight"}  # part of the config
_LAYER = re.compile(r"blk\.(\d+)\.(\w+?(?:\.scale)?)(?:\.weight)?")


@dataclass(frozen=True, slots=True)
class Part:
    """Some of a tensor of the file.

    Attributes:
        key: The weight's full name here, `.weight` included where it has one.
        index: Which part of the tensor's axis.
        of: How many parts the axis has; 1 is the whole tensor.
        axis: Cut there.
    """

    key: str
    index: int = 0
    of: int = 1
    axis: int = 0

    @property
    def module(self) -> str:
        """The key without `.weight`."""
        return self.key.removesuffix(".weight")


@dataclass(frozen=True, slots=True)
class Names:
    """How one architecture's weights are called.

    Attributes:
        prefix: Of everything but the head.
        norms_have_one: The file stores 1 + w for norms.
    """

    outer: dict[str, str]
    inner: dict[str, str]
    prefix: str = "model."
    norms_have_one: bool = False

    def parts(self, name: str) -> Iterator[Part]:
        """Give the weights that a tensor of the file becomes.

        Raises:
            ModelFolderError: The network has no such weight.
        """
        short = name.removesuffix(".weight")
        layer = _LAYER.fullmatch(name)
        if name in _NOT_WEIGHTS:
            return
        if short == "output":
            yield Part("lm_head.weight")
        elif short in self.outer:
            yield Part(_key(self.prefix + self.outer[short]))
        elif short in _STACKED and self.inner is _GEMMA3N:
            for i in range(3):
                yield Part(_key(f"{self.prefix}{_STACKED[short]}.{i}"), i, 3)
        elif layer and layer[2] == "ffn_gate_up_exps" and self.inner is _GEMMA4:
            for i, half in enumerate(("gate_proj", "up_proj")):
                here = f"{self.prefix}layers.{layer[1]}.experts.switch_glu.{half}"
                yield Part(_key(here), i, 2, 1)
        elif layer and layer[2] in self.inner:
            yield Part(_key(f"{self.prefix}layers.{layer[1]}.{self.inner[layer[2]]}"))
        else:
            raise ModelFolderError(
                f"The GGUF file has a weight that this network does not know, {name[:80]!r}; "
                "choose another conversion of the model."
            )

    def offset(self, key: str) -> float:
        """Give what the file added to a weight: 1 for norms of Gemma 1 to 3, else 0."""
        return 1.0 if self.norms_have_one and key.endswith("norm.weight") else 0.0


def _key(name: str) -> str:
    return name if name.rpartition(".")[2] in _BARE else f"{name}.weight"


NAMES = {
    "gemma": Names(_OUTER, _TWO_NORMS, norms_have_one=True),
    "gemma2": Names(_OUTER, _FOUR_NORMS, norms_have_one=True),
    "gemma3": Names(_OUTER, _QK_NORMS, norms_have_one=True),
    "gemma3n": Names(_PER_LAYER_OUTER, _GEMMA3N, "model.language_model."),
    "gemma4": Names(_PER_LAYER_OUTER, _GEMMA4),
}
