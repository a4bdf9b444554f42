"""What the page of models shows and does: the models here, those to be had, those on their way."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject, Qt, QThreadPool, QTimer, Signal, Slot

from app.files import write_atomically
from app.models.catalogue import (
    DEVICE_SHARE,
    Offer,
    memory_bytes,
    read_catalogue,
    recommend,
    verdict,
)
from app.models.command import Command
from app.models.errors import ModelError
from app.models.fetch import folder_name
from app.models.installed import (
    STARTER,
    Installed,
    Places,
    choose,
    find_installed,
    find_places,
    remove,
)
from app.models.request_log import RequestLog
from app.models.rows import CONTEXTS, FitRow, ModelRow, OfferRow
from app.models.transfers import Transfers
from app.paths import Paths
from app.settings import Settings
from app.sizes import as_size
from inference import ModelInfo

if TYPE_CHECKING:
    from app.models.downloads import Hub

_log = logging.getLogger(__name__)


class Keeper(Protocol):
    """Keeps the hub's access token."""

    def read(self) -> str:
        """Give the token, empty if there is none."""

    def keep(self, token: str) -> bool:
        """Keep a token; tell whether the keychain has it."""

    def forget(self) -> None:
        """Forget it everywhere."""


class Shelf(QObject):
    """Keeps the page true. It lives on the GUI thread; files are looked into elsewhere.

    Attributes:
        listed: The models here, as a list of `ModelRow`.
        offered: The models to be had, as a list of `OfferRow`.
        noticed: One sentence on what was done. `failed`: what went wrong.
        unload_wanted: The loaded model is to be let go, because it will be deleted.
        arrived: A model is whole now, by its source.
    """

    listed = Signal(object)
    offered = Signal(object)
    noticed = Signal(str)
    failed = Signal(str)
    unload_wanted = Signal()
    arrived = Signal(str)
    _found = Signal(object)
    _removed = Signal(str, int, str)

    def __init__(
        self,
        paths: Paths,
        settings: Callable[[], Settings],
        environ: Mapping[str, str],
        *,
        make_hub: Callable[[RequestLog, Callable[[], str]], Hub],
        make_token: Callable[[], Keeper],
        has_starter: bool = False,
        parent: QObject | None = None,
    ) -> None:
        """Prepare it; nothing is looked into yet.

        Args:
            paths: The app's folders.
            settings: Gives the settings of now.
            environ: Tells where other programs keep their models.
            make_hub: Makes the way out, when something is fetched for the first time.
            make_token: Makes the keeper of the token, when one is first wanted.
            has_starter: Whether the starter model is installed.
            parent: Qt's.
        """
        super().__init__(parent)
        self._make_the_hub, self._make_token = make_hub, make_token
        self._token: Keeper | None = None
        self._has_starter = has_starter
        self._paths, self._settings, self._environ = paths, settings, environ
        self.requests = RequestLog(paths.data / "requests.jsonl")
        self.transfers = Transfers(self._make_hub, self._models, self)
        self.transfers.arrived.connect(self._on_arrived)
        self._offers = read_catalogue()
        self._installed: list[Installed] = []
        self._pool = QThreadPool(self)  # the disk may be slow
        self._pool.setMaxThreadCount(1)
        queued = Qt.ConnectionType.QueuedConnection
        self._found.connect(self._on_found, queued)
        self._removed.connect(self._on_removed, queued)
        self._details: dict[str, Mapping[str, Any]] = {}
        self._busy: dict[str, str] = {}
        self._verified: dict[str, str] = {}
        self._loaded = ""
        self._doomed = ""  # the source of a model to delete once it is let go
        self._limit = int(memory_bytes() * DEVICE_SHARE)
        self._commands: set[Command] = set()
        self._looking = False

    # ------------------------------------------------------------------------------ showing

    def refresh(self) -> None:
        """List what is here, and then look into it in a process of its own."""
        self.transfers.find_unfinished()
        places = self._places()
        self._pool.start(lambda: self._found.emit(find_installed(places)))
        if not self._looking:
            self._looking = True
            self._run(["list", "--details"], self._on_details)

    @property
    def has_models(self) -> bool:
        """Whether any model of this machine can be opened."""
        return any(not row.problem for row in self.rows())

    def rows(self) -> list[ModelRow]:
        """The models here."""
        used = self._read_used()
        starter = [STARTER] if self._has_starter else []
        return [self._row(model, used) for model in (*starter, *self._installed)]

    def offers(self) -> list[OfferRow]:
        """The models to be had, the recommended one first."""
        best = recommend(self._offers, memory_bytes(), self._limit)
        here = {model.repository or model.name for model in self._installed}
        rows = [self._offer(offer, offer == best, here) for offer in self._offers]
        return sorted(rows, key=lambda row: not row.is_recommended)

    def _tell(self) -> None:
        self.listed.emit(self.rows())
        self.offered.emit(self.offers())

    def _row(self, model: Installed, used: Mapping[str, float]) -> ModelRow:
        details = self._details.get(model.source, {})
        fits = tuple(
            FitRow(fit["context_tokens"], fit["verdict"], fit["sentence"])
            for fit in details.get("fits", ())
        )
        remarks = [self._verified.get(model.source, ""), str(details.get("inexact", ""))]
        return ModelRow(
            source=model.source,
            name=model.repository or model.name,
            place=model.place,
            family=str(details.get("family") or model.family),
            quantisation=str(details.get("quantisation") or model.quantisation),
            disk_bytes=model.disk_bytes,
            context_tokens=int(details.get("context_tokens") or model.context_tokens),
            used_at=used.get(model.source, 0.0),
            fits=fits,
            problem=model.problem or str(details.get("problem", "")),
            remark=" ".join(filter(None, remarks)),
            busy=self._busy.get(model.source, ""),
            is_loaded=model.source == self._loaded,
        )

    def _offer(self, offer: Offer, is_best: bool, here: set[str]) -> OfferRow:
        fits = tuple(
            FitRow(n, verdict(offer.needed_bytes(n), self._limit), self._sum(offer, n))
            for n in CONTEXTS
            if n <= offer.context_tokens
        )
        return OfferRow(
            repository=offer.repository,
            name=offer.name,
            family=offer.family,
            quantisation=offer.quantisation,
            size_bytes=offer.size_bytes,
            minimum_memory_gb=offer.minimum_memory_gb,
            licence=offer.licence,
            note=offer.note,
            fits=fits,
            is_recommended=is_best,
            is_here=bool({offer.repository, folder_name(offer.repository)} & here),
        )

    def _sum(self, offer: Offer, context_tokens: int) -> str:
        needed = offer.needed_bytes(context_tokens)
        cache = offer.window_bytes + context_tokens * offer.bytes_per_token
        return self.tr(
            "About {weights} of weights + {cache} for {context} tokens of context + {scratch} to "
            "read a prompt = {needed}, {share} % of the {limit} that this machine can hold."
        ).format(
            weights=as_size(offer.size_bytes),
            cache=as_size(cache),
            context=f"{context_tokens:,}",
            scratch=as_size(needed - cache - offer.size_bytes),
            needed=as_size(needed),
            share=round(100 * needed / self._limit),
            limit=as_size(self._limit),
        )

    # ------------------------------------------------------------------------------ doing

    def fetch(self, repository: str) -> None:
        """Fetch a model or go on with it; `owner/name file.gguf` names one of several files."""
        name, _, gguf = repository.strip().partition(" ")
        try:
            self.transfers.fetch(name, gguf.strip())
        except ModelError as error:
            self.failed.emit(str(error))

    def give_token(self, repository: str, token: str) -> None:
        """Keep the hub's access token, and go on."""
        if not self._token_keeper().keep(token):
            self.noticed.emit(
                self.tr("This system has no keychain; the token is kept until you quit.")
            )
        self.fetch(repository)

    def forget_token(self) -> None:
        """Forget the hub's access token, in the keychain too."""
        self._token_keeper().forget()

    def discard(self, repository: str) -> None:
        """Give a model up that is on its way."""
        if freed := self.transfers.discard(repository):
            self.noticed.emit(self.tr("{size} are free again.").format(size=as_size(freed)))

    def verify(self, source: str) -> None:
        """Read a whole model and compare it with what it should be."""
        self._busy[source] = self.tr("Verifying…")
        self._tell()
        self._run(["verify", source], lambda found, why: self._on_verified(source, found, why))

    def import_model(self, folder: str, bits: int) -> None:
        """Copy a model folder here, packed into so many bits, or as it is (0)."""
        self.noticed.emit(self.tr("Importing {name}…").format(name=Path(folder).name))
        words = ["import", folder, *(["--bits", str(bits)] if bits else [])]
        self._run(words, self._on_imported)

    def _on_imported(self, found: object, why: str) -> None:
        if isinstance(found, dict):
            name = str(found.get("name", ""))
            self.noticed.emit(self.tr("{name} is here now.").format(name=name))
        else:
            self.failed.emit(why)
        self.refresh()

    def remove(self, source: str) -> None:
        """Delete a model; the loaded one is let go first."""
        if source == self._loaded:
            self._doomed = source
            self._busy[source] = self.tr("Deleting…")
            self._tell()
            self.unload_wanted.emit()
        else:
            self._remove(source)

    def _remove(self, source: str) -> None:
        """Delete on another thread; a large file takes its time."""
        self._busy[source] = self.tr("Deleting…")
        self._tell()
        installed, places = list(self._installed), self._places()

        def work() -> None:
            try:
                self._removed.emit(source, remove(choose(installed, source), places), "")
            except ModelError as error:
                self._removed.emit(source, 0, str(error))

        self._pool.start(work)

    @Slot(str, int, str)
    def _on_removed(self, source: str, freed: int, why: str) -> None:
        self._busy.pop(source, None)
        if why:
            self.failed.emit(why)
        else:
            self._details.pop(source, None)
            self._installed = [model for model in self._installed if model.source != source]
            self.noticed.emit(self.tr("{size} are free again.").format(size=as_size(freed)))
        self._tell()

    @Slot(object)
    def on_model_changed(self, info: ModelInfo | None) -> None:
        """Another model is loaded now, or none."""
        self._loaded = info.source if info is not None else ""
        if self._loaded:
            self._write_used(self._loaded)
        if self._doomed and self._doomed != self._loaded:
            doomed, self._doomed = self._doomed, ""
            self._remove(doomed)
        else:
            self._tell()

    def close(self) -> None:
        """Pause what is on its way and end what looks into files."""
        self.transfers.close()
        self._pool.waitForDone(1_000)
        for command in self._commands:
            command.stop()
        self._commands.clear()

    # ------------------------------------------------------------------------------ answers

    def _run(self, words: list[str], then: Callable[[object, str], None]) -> None:
        command = Command(words, self)
        self._commands.add(command)

        def on_done(found: object, why: str) -> None:
            self._commands.discard(command)
            command.deleteLater()
            then(found, why)

        command.done.connect(on_done)

    @Slot(object)
    def _on_found(self, found: list[Installed]) -> None:
        self._installed = found
        self._tell()

    def _on_details(self, found: object, why: str) -> None:
        self._looking = False
        if not isinstance(found, list):
            _log.info("The models could not be looked into: %s", why)
            return
        self._details = {str(entry.get("source")): entry for entry in found}
        limits = [fit["limit_bytes"] for entry in found for fit in entry.get("fits", ())]
        self._limit = limits[0] if limits else self._limit
        self._tell()

    def _on_verified(self, source: str, found: object, why: str) -> None:
        self._busy.pop(source, None)
        if not isinstance(found, dict):
            self.failed.emit(why)
        elif found.get("is_whole"):
            self._verified[source] = self.tr("Verified: whole and as it should be.")
        else:
            self._verified.pop(source, None)
            problems = "; ".join(found.get("problems", ()))
            self._details[source] = {**self._details.get(source, {}), "problem": problems}
            self.failed.emit(problems)
        self._tell()

    @Slot(str)
    def _on_arrived(self, folder: str) -> None:
        ggufs = sorted(Path(folder).glob("*.gguf"))
        source = str(ggufs[0]) if ggufs else folder
        self.noticed.emit(self.tr("A model has arrived and is whole."))
        self.arrived.emit(source)
        QTimer.singleShot(0, self.refresh)

    # ------------------------------------------------------------------------------ places

    def _models(self) -> Path:
        return Path(self._settings().models_folder or self._paths.models)

    def _places(self) -> Places:
        return find_places(self._models(), self._environ)

    def _make_hub(self) -> Hub:
        return self._make_the_hub(self.requests, lambda: self._token_keeper().read())

    def _token_keeper(self) -> Keeper:
        if self._token is None:
            self._token = self._make_token()
        return self._token

    def _read_used(self) -> dict[str, float]:
        try:
            found = json.loads((self._paths.data / "used.json").read_bytes())
            return {str(source): float(at) for source, at in found.items()}
        except (OSError, ValueError, AttributeError, TypeError):
            return {}

    def _write_used(self, source: str) -> None:
        used = self._read_used() | {source: time.time()}
        used = {key: at for key, at in used.items() if key == "starter" or Path(key).exists()}
        try:
            write_atomically(self._paths.data / "used.json", json.dumps(used).encode())
        except OSError as error:
            _log.info("When a model was used could not be written: %s", error)
