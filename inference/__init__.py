"""The front door of the engine. `app` imports names from here and from nowhere below.

Names are loaded when they are first asked for, so that one name costs only what it needs: the types
and errors cost milliseconds, `GemmaEngine` imports MLX.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inference.blas import preload_blas as preload_blas
    from inference.echo import EchoEngine as EchoEngine
    from inference.echo import EchoScript as EchoScript
    from inference.engine import GemmaEngine as GemmaEngine
    from inference.errors import DeviceMemoryError as DeviceMemoryError
    from inference.errors import DriftError as DriftError
    from inference.errors import EngineBusyError as EngineBusyError
    from inference.errors import EngineLostError as EngineLostError
    from inference.errors import InferenceError as InferenceError
    from inference.errors import ModelFolderError as ModelFolderError
    from inference.errors import NumericError as NumericError
    from inference.errors import PromptTooLongError as PromptTooLongError
    from inference.errors import RequestError as RequestError
    from inference.loading.embedder import TextEmbedder as TextEmbedder
    from inference.loading.embedder import open_embedder as open_embedder
    from inference.loading.fit import working_set_bytes as working_set_bytes
    from inference.loading.quantise import Quantisation as Quantisation
    from inference.loading.quantise import import_folder as import_folder
    from inference.loading.starter import has_starter as has_starter
    from inference.loading.summary import fit_model as fit_model
    from inference.loading.summary import size_up_model as size_up_model
    from inference.loading.summary import summarise_model as summarise_model
    from inference.loading.summary import verify_model as verify_model
    from inference.process.engine import EngineProcess as EngineProcess
    from inference.process.interpreter import child_environment as child_environment
    from inference.process.interpreter import find_interpreter as find_interpreter
    from inference.process.keeper import Patience as Patience
    from inference.types import ChatPrompt as ChatPrompt
    from inference.types import Constraint as Constraint
    from inference.types import ContextPolicy as ContextPolicy
    from inference.types import Delta as Delta
    from inference.types import DeltaKind as DeltaKind
    from inference.types import Draft as Draft
    from inference.types import Engine as Engine
    from inference.types import EngineOptions as EngineOptions
    from inference.types import Finished as Finished
    from inference.types import FinishReason as FinishReason
    from inference.types import GenerationEvent as GenerationEvent
    from inference.types import GenerationRequest as GenerationRequest
    from inference.types import HiddenState as HiddenState
    from inference.types import LensRow as LensRow
    from inference.types import Loaded as Loaded
    from inference.types import LoadEvent as LoadEvent
    from inference.types import Loading as Loading
    from inference.types import Message as Message
    from inference.types import ModelFit as ModelFit
    from inference.types import ModelInfo as ModelInfo
    from inference.types import ModelSummary as ModelSummary
    from inference.types import ModelVerified as ModelVerified
    from inference.types import Pooling as Pooling
    from inference.types import Prefilling as Prefilling
    from inference.types import Probe as Probe
    from inference.types import Prompt as Prompt
    from inference.types import RawPrompt as RawPrompt
    from inference.types import RenderedToken as RenderedToken
    from inference.types import Role as Role
    from inference.types import RunRecord as RunRecord
    from inference.types import Sampling as Sampling
    from inference.types import Score as Score
    from inference.types import ShouldStop as ShouldStop
    from inference.types import TokenDetail as TokenDetail
    from inference.types import TokenPrompt as TokenPrompt
    from inference.verify import CacheCheck as CacheCheck
    from inference.verify import verify_cache as verify_cache

_HOMES = {
    "inference.blas": ("preload_blas",),
    "inference.echo": ("EchoEngine", "EchoScript"),
    "inference.engine": ("GemmaEngine",),
    "inference.errors": (
        "DeviceMemoryError",
        "DriftError",
        "EngineBusyError",
        "EngineLostError",
        "InferenceError",
        "ModelFolderError",
        "NumericError",
        "PromptTooLongError",
        "RequestError",
    ),
    "inference.loading.fit": ("working_set_bytes",),
    "inference.loading.embedder": ("TextEmbedder", "open_embedder"),
    "inference.loading.quantise": ("Quantisation", "import_folder"),
    "inference.loading.starter": ("has_starter",),
    "inference.loading.summary": (
        "fit_model",
        "size_up_model",
        "summarise_model",
        "verify_model",
    ),
    "inference.process.engine": ("EngineProcess",),
    "inference.process.interpreter": ("child_environment", "find_interpreter"),
    "inference.process.keeper": ("Patience",),
    "inference.verify": ("CacheCheck", "verify_cache"),
    "inference.types": (
        "ChatPrompt",
        "Constraint",
        "ContextPolicy",
        "Delta",
        "DeltaKind",
        "Draft",
        "Engine",
        "EngineOptions",
        "FinishReason",
        "Finished",
        "GenerationEvent",
        "GenerationRequest",
        "HiddenState",
        "LensRow",
        "LoadEvent",
        "Loaded",
        "Loading",
        "Message",
        "ModelFit",
        "ModelInfo",
        "ModelSummary",
        "ModelVerified",
        "Pooling",
        "Prefilling",
        "Probe",
        "Prompt",
        "RawPrompt",
        "RenderedToken",
        "Role",
        "RunRecord",
        "Sampling",
        "Score",
        "ShouldStop",
        "TokenDetail",
        "TokenPrompt",
    ),
}


def __getattr__(name: str) -> object:
    """Load an exported name from its home."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
