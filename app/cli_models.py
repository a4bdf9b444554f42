"""`cabochon models`: list, fetch, import, check, size up and remove models from the terminal."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import inference
from app.cli_terms import CommandError, MakeEngine, count, stop_on_interrupt
from app.models.catalogue import memory_bytes, read_catalogue, recommend
from app.models.check import check_files
from app.models.digests import Interrupted
from app.models.downloads import HUB, Hub
from app.models.errors import ModelError
from app.models.fetch import Fetch, Progress, unfinished
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
from app.models.token import TokenKeeper
from app.paths import Paths, find_paths
from app.settings import Settings, SettingsFile
from app.sizes import as_size, as_time
from inference import EngineOptions, Loading, ModelFit, ModelVerified

CONTEXTS = (2_048, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072, 262_144)
_NAME = re.compile(r"[^\w.-]+")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the commands' words."""
    commands = parser.add_subparsers(dest="models_command", metavar="WHAT", required=True)

    def add(name: str, summary: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        command.add_argument("--json", action="store_true", help="print JSON")
        return command

    listing = add("list", "show the models on this machine")
    listing.add_argument("--details", action="store_true", help="look into each and size it up")
    listing.add_argument("--offers", action="store_true", help="show what can be fetched instead")
    fetching = add("download", "fetch a model from the hub, or go on fetching it")
    fetching.add_argument("repository", metavar="REPO")
    fetching.add_argument("--revision", default="main")
    fetching.add_argument("--file", default="", metavar="NAME", help="one of several GGUF files")
    fetching.add_argument("--discard", action="store_true", help="give up and remove what came")
    importing = add("import", "copy a model into the app's folder, packed into fewer bits if asked")
    importing.add_argument("path", type=Path, metavar="PATH")
    importing.add_argument("--bits", type=int, choices=(2, 3, 4, 5, 6, 8), help="pack the weights")
    importing.add_argument("--group", type=int, choices=(32, 64, 128), default=64)
    importing.add_argument("--name", default="")
    for name, summary in (
        ("verify", "read a whole model and compare it with what it should be"),
        ("remove", "delete a model of the app's folder"),
        ("fit", "tell whether a model fits this machine"),
    ):
        command = add(name, summary)
        command.add_argument("name", metavar="NAME")
        if name == "fit":
            command.add_argument("--context", type=count(1), metavar="N")
            command.add_argument("--working-set", type=count(1), metavar="BYTES")


def run(args: argparse.Namespace, _make_engine: MakeEngine) -> int:
    """Do one of the commands."""
    act: dict[str, Callable[[Desk], int]] = {
        "list": _list,
        "download": _download,
        "import": _import,
        "verify": _verify,
        "remove": _remove,
        "fit": _fit,
    }
    try:
        return act[args.models_command](Desk(args))
    except ModelError as error:
        raise CommandError(str(error)) from error


class Desk:
    """What every command needs: the arguments, the folders, and a way to tell."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.paths: Paths = find_paths(os.environ).make()
        self.settings: Settings = SettingsFile(self.paths.settings).load()[0]
        self.models = Path(self.settings.models_folder or self.paths.models)
        self.places: Places = find_places(self.models, os.environ)
        self.shows_progress = sys.stderr.isatty() and not args.json

    def chosen(self) -> Installed:
        """The model that the arguments name; the starter and paths are not listed, yet here."""
        name = self.args.name
        if name in (STARTER.source, STARTER.name):
            return STARTER
        if Path(name).exists():
            return Installed(name, name, "starter", "", "", 0)
        return choose(find_installed(self.places), name)

    def tell(self, found: object, text: str) -> None:
        """Print the finding: for programs or for people."""
        sys.stdout.write((json.dumps(found, indent=1) if self.args.json else text) + "\n")

    def progress(self, text: str) -> None:
        """Show how far it is, on a terminal only."""
        if self.shows_progress:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()


# --------------------------------------------------------------------------------- the commands


def _list(desk: Desk) -> int:
    if desk.args.offers:
        return _list_offers(desk)
    models = find_installed(desk.places)
    found = [asdict(model) for model in models]
    if inference.has_starter():
        found.insert(0, asdict(STARTER))
    if desk.args.details:
        for entry in found:
            entry.update(_details(str(entry["source"]), str(entry["problem"])))
    lines = [
        "\t".join(
            str(part)
            for part in (
                entry["name"],
                entry["family"],
                entry["quantisation"],
                as_size(int(str(entry["disk_bytes"]))) if entry["disk_bytes"] else "starter",
                f"damaged: {entry['problem']}" if entry["problem"] else "",
            )
        ).rstrip()
        for entry in found
    ]
    for manifest in unfinished(desk.models):
        found.append(asdict(manifest.model) | {"name": manifest.repository, "place": "unfinished"})
        lines.append(f"{manifest.repository}\tnot fetched whole yet")
    desk.tell(found, "\n".join(lines) or "There is no model here yet.")
    return 0


def _list_offers(desk: Desk) -> int:
    offers = read_catalogue()
    limit = inference.working_set_bytes()
    best = recommend(offers, memory_bytes(), limit)
    lines = [
        f"{offer.repository}\t{as_size(offer.size_bytes)}\tfrom {offer.minimum_memory_gb} GB"
        + ("\trecommended" if offer == best else "")
        for offer in offers
    ]
    desk.tell(
        [asdict(offer) | {"recommended": offer == best} for offer in offers], "\n".join(lines)
    )
    return 0


def _details(source: str, problem: str) -> dict[str, object]:
    """What a model's own files say, and whether it fits at the usual contexts."""
    if problem:
        return {}
    try:
        summary, fits = inference.size_up_model(source, CONTEXTS)
    except inference.InferenceError as error:
        return {"problem": str(error)}
    return asdict(summary) | {"fits": [asdict(fit) for fit in fits]}


def _download(desk: Desk) -> int:
    args = desk.args
    hub = Hub(
        RequestLog(desk.paths.data / "requests.jsonl"),
        is_offline=lambda: desk.settings.offline,
        token=lambda: os.environ.get("HF_TOKEN", "") or TokenKeeper().read(),
        endpoint=os.environ.get("HF_ENDPOINT", HUB),
    )
    try:
        fetch = Fetch(hub, desk.models, args.repository, args.revision, args.file)
        if args.discard:
            freed = fetch.discard()
            desk.tell({"freed_bytes": freed}, f"{as_size(freed)} are free again.")
            return 0
        with stop_on_interrupt() as stop:
            for progress in fetch.run(stop.is_set):
                desk.progress(_sentence(progress))
        desk.progress("")
    finally:
        hub.close()
    if progress.doing == "paused":
        raise CommandError("Paused; the same command goes on where it stopped.")
    size = as_size(progress.total_bytes)
    desk.tell({"path": str(fetch.target), "bytes": progress.total_bytes}, f"{fetch.target}\t{size}")
    return 0


def _sentence(progress: Progress) -> str:
    parts = [f"{as_size(progress.done_bytes)} of {as_size(progress.total_bytes)}"]
    if progress.speed:
        parts.append(f"{as_size(round(progress.speed))}/s")
    if progress.seconds_left is not None:
        parts.append(f"{as_time(progress.seconds_left)} left")
    return ", ".join([*parts, progress.note] if progress.note else parts)


def _import(desk: Desk) -> int:
    args = desk.args
    source: Path = args.path.expanduser()
    if not source.exists():
        raise CommandError(f"There is nothing at {source}.")
    name = _NAME.sub(
        "-", args.name or source.stem if source.is_file() else args.name or source.name
    )
    if args.bits and not args.name:
        name = f"{name}-{args.bits}bit"
    place = desk.models / name
    if place.exists():
        raise CommandError(f"There is a model called {name} already; give another --name.")
    inference.summarise_model(str(source))  # an unusable one is refused before it is copied
    desk.models.mkdir(parents=True, exist_ok=True)
    if args.bits:
        form = inference.Quantisation(args.bits, args.group)
        with stop_on_interrupt() as stop:
            for event in inference.import_folder(source, place, form, stop.is_set):
                desk.progress(f"{event.what} {event.fraction:.0%}")
        desk.progress("")
    else:
        _copy(source, place)
    desk.tell({"path": str(place), "name": name}, f"{place}")
    return 0


def _copy(source: Path, place: Path) -> None:
    """Copy a folder or a GGUF file; it appears when it is whole."""
    half = place.with_name(f".importing-{place.name}")
    shutil.rmtree(half, ignore_errors=True)
    try:
        if source.is_dir():
            shutil.copytree(source, half, ignore=shutil.ignore_patterns("*.py", "*.bin", ".*"))
        else:
            half.mkdir()
            shutil.copy2(source, half / source.name)
        half.rename(place)
    finally:
        shutil.rmtree(half, ignore_errors=True)


def _verify(desk: Desk) -> int:
    model = desk.chosen()
    problems = []
    options = EngineOptions(desk.paths.cache)
    with stop_on_interrupt() as stop:
        try:
            for checked in check_files(Path(model.source), stop.is_set):
                desk.progress(f"{checked.name} {checked.fraction:.0%}")
                if not checked.is_whole:
                    problems.append(f"{checked.name} is not what was fetched")
        except Interrupted:
            raise CommandError("Stopped; nothing was changed.") from None
        for event in inference.verify_model(model.source, options, stop.is_set):
            match event:
                case Loading(what, fraction):
                    desk.progress(f"{what} {fraction:.0%}")
                case ModelVerified(_, problem):
                    problems += [problem] if problem else []
    desk.progress("")
    desk.tell(
        {"name": model.name, "is_whole": not problems, "problems": problems},
        f"{model.name}: {'; '.join(problems) if problems else 'whole and as it should be'}",
    )
    return 1 if problems else 0


def _remove(desk: Desk) -> int:
    freed = remove(desk.chosen(), desk.places)
    desk.tell({"freed_bytes": freed}, f"{as_size(freed)} are free again.")
    return 0


def _fit(desk: Desk) -> int:
    found: ModelFit = inference.fit_model(
        desk.chosen().source, desk.args.context, desk.args.working_set
    )
    desk.tell(asdict(found) | {"total_bytes": found.total_bytes}, found.sentence)
    return 0 if found.verdict != "too big" else 1
