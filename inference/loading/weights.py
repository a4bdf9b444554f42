"""Fill a network with the weights of a model folder, in the form that suits the device.

On a GPU weights stay as they are stored. On a CPU everything is widened to float32, one weight at a
time: narrow kernels are up to fifty times slower there. Plain float16 is widened everywhere, since
the residual stream of Gemma leaves its range.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mlx.core as mx
from mlx.nn.layers.quantized import quantize
from mlx.utils import tree_flatten

from inference.errors import DeviceMemoryError, InferenceError, ModelFolderError
from inference.loading.cache_folder import STOPPED
from inference.mlx_lm_door import infer_quant_config
from inference.types import Loading, ShouldStop

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

PROGRESS_BYTES = 32 << 20
_NO_MEMORY = "The device has too little memory for this model; choose a smaller one."
PACKED = ("weight", "scales", "biases")

Weights = dict[str, mx.array]
Module = Any  # an nn.Module; mlx.nn has no types
Quantised = dict[str, dict[str, Any]]  # a module's path -> group_size, bits, mode


def on_cpu() -> bool:
    """Tell whether the default device is a CPU."""
    return bool(mx.default_device().type == mx.DeviceType.cpu)


def prepare(
    network: Module, files: Iterable[Path], more: Weights | None = None
) -> tuple[Weights, Quantised]:
    """Match files with a network; every array is still lazy and nothing large was read.

    Args:
        network: Just made, nothing quantised.
        files: Safetensors files that were judged.
        more: Weights from elsewhere.

    Raises:
        ModelFolderError: A weight is missing, unknown, or of the wrong shape.
    """
    weights: Weights = dict(more or {})
    for file in files:
        loaded = mx.load(str(file))
        assert isinstance(loaded, dict)
        weights.update(loaded)
    weights = network.sanitize(weights)
    return weights, check(network, weights)


def held_bytes(network: Module, weights: Weights, widen: bool) -> int:
    """Tell how much memory the weights will take."""
    if widen:
        return 4 * sum(array.size for array in arrays_of(network))
    return sum(v.nbytes * (2 if v.dtype == mx.float16 else 1) for v in weights.values())


def fill(
    network: Module, weights: Weights, quantised: Quantised, widen: bool, should_stop: ShouldStop
) -> Iterator[Loading]:
    """Put weights into their network and evaluate them on this thread.

    Args:
        network: The one that they were prepared with.
        weights: From `prepare`; emptied, so that what is widened is not held twice.
        quantised: From `prepare`.
        widen: Turn everything into float32.
        should_stop: Asked between weights.

    Raises:
        InferenceError: Stopped.
    """
    if widen:
        ready = _widened(weights, quantised)
    else:
        halves = {k for k, v in weights.items() if v.dtype == mx.float16}
        ready = {k: v.astype(mx.float32) if k in halves else v for k, v in weights.items()}
        quantize(network, class_predicate=lambda path, _: quantised.get(path, False))
    weights.clear()
    network.eval()
    network.load_weights(list(ready.items()), strict=True)
    yield from _evaluate(list(ready.values()), should_stop)
    mx.eval(_hidden_arrays(network))


def check(network: Module, weights: Weights) -> Quantised:
    """See that the weights are exactly those of the network; tell which are quantised, and how.

    Raises:
        ModelFolderError: Names the weight that is missing, unknown, or of the wrong shape.
    """
    wanted = dict(tree_flatten(network.parameters()))
    modules = dict(network.named_modules())
    quantised: Quantised = {}
    for name in weights:
        path, _, leaf = name.rpartition(".")
        if leaf == "scales" and name not in wanted and f"{path}.weight" in weights:
            quantised[path] = _form(path, modules.get(path), weights)
    for name, value in weights.items():
        path, _, leaf = name.rpartition(".")
        if path in quantised and leaf in PACKED:
            continue
        if name not in wanted:
            raise ModelFolderError(
                f"The model has a weight that this network does not know, {name!r}; "
                "choose another conversion of the model."
            )
        if value.shape != wanted[name].shape:
            raise ModelFolderError(
                f"The weight {name!r} has the shape {value.shape} and the config asks for "
                f"{wanted[name].shape}; fetch the model again, or another conversion."
            )
    missing = sorted(set(wanted) - set(weights))
    if missing:
        raise ModelFolderError(
            f"The model lacks the weight {missing[0]!r}"
            f"{f' and {len(missing) - 1} more' if missing[1:] else ''}; fetch the model again."
        )
    return quantised


def arrays_of(network: Module) -> list[mx.array]:
    """Give all weights of a network."""
    return list(dict(tree_flatten(network.parameters())).values())


def count_parameters(network: Module) -> int:
    """Count the numbers of a loaded network, as if none were quantised."""
    count = 0
    for module in network.modules():
        own = {k: v for k, v in module.items() if isinstance(v, mx.array) and k[0] != "_"}
        if hasattr(module, "bits"):
            count += own.pop("weight").size * 32 // module.bits
            own.pop("scales")
            own.pop("biases", None)
        count += sum(value.size for value in own.values())
    return count


def _form(path: str, module: Module, weights: Weights) -> dict[str, Any]:
    """How a weight was packed, read from its shapes, which must fit each other."""
    weight, scales = weights[f"{path}.weight"], weights[f"{path}.scales"]
    biases = weights.get(f"{path}.biases")
    bad = ModelFolderError(
        f"The quantised weight {path!r} does not fit the network; "
        "fetch the model again, or another conversion."
    )
    if module is None or not hasattr(module, "to_quantized"):
        raise bad
    *rows, columns = module.weight.shape
    n_groups = scales.shape[-1] if scales.ndim else 0
    if not n_groups or columns % n_groups or weight.dtype != mx.uint32:
        raise bad
    bits, rest = divmod(weight.shape[-1] * 32, columns) if weight.ndim else (0, 1)
    if rest or bits not in (2, 3, 4, 5, 6, 8) or [*weight.shape[:-1]] != rows:
        raise bad
    if [*scales.shape[:-1]] != rows or (biases is not None and biases.shape != scales.shape):
        raise bad
    try:
        form: dict[str, Any] = infer_quant_config(path, module, weights)
    except ValueError as error:
        raise bad from error
    affine = form["mode"] == "affine"
    if affine == (biases is None) or (affine and form["group_size"] not in (32, 64, 128)):
        raise bad
    return form


def _widened(weights: Weights, quantised: Quantised) -> Weights:
    """Dequantise everything, lazily."""
    wide: Weights = {}
    for name, value in weights.items():
        path, _, leaf = name.rpartition(".")
        if path not in quantised or leaf not in PACKED:
            wide[name] = (
                value.astype(mx.float32) if mx.issubdtype(value.dtype, mx.floating) else value
            )
        elif leaf == "weight":
            scales, biases = weights[f"{path}.scales"], weights.get(f"{path}.biases")
            if biases is not None:
                scales, biases = scales.astype(mx.float32), biases.astype(mx.float32)
            dense = mx.dequantize(value, scales, biases, **quantised[path])
            wide[name] = dense.astype(mx.float32)
    return wide


def _evaluate(values: list[mx.array], should_stop: ShouldStop) -> Iterator[Loading]:
    """Evaluate some at a time, so that progress shows and no more than needed is held."""
    total = sum(value.nbytes for value in values) or 1
    done, waiting, n_waiting = 0, [], 0
    values.reverse()
    while values:
        waiting.append(values.pop())
        n_waiting += waiting[-1].nbytes
        if n_waiting < PROGRESS_BYTES and values:
            continue
        if should_stop():
            raise InferenceError(STOPPED)
        _evaluate_now(waiting)
        done, waiting, n_waiting = done + n_waiting, [], 0
        yield Loading("Reading the weights", done / total)


def _evaluate_now(arrays: list[mx.array]) -> None:
    try:
        mx.eval(arrays)
    except MemoryError as error:
        raise DeviceMemoryError(_NO_MEMORY) from error
    except RuntimeError as error:  # what MLX raises, for a lack of memory too
        if "alloc" in str(error).lower():
            raise DeviceMemoryError(_NO_MEMORY) from error
        raise ModelFolderError(
            "A weight could not be read from the disk; fetch the model again."
        ) from error


def _hidden_arrays(network: Module) -> list[mx.array]:
    """Arrays that modules keep under names with an underscore; nobody else evaluates them."""
    return [
        value
        for module in network.modules()
        for name, value in module.items()
        if name.startswith("_") and isinstance(value, mx.array)
    ]
