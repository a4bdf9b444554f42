"""The experiment that is open in the lab: its plan, its results, and what becomes of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.chat.chat import Chat
from app.files import write_atomically
from app.lab.inputs import read_inputs
from app.lab.lab import Lab
from app.lab.plan import Place, Plan, example, plan_from_text, plan_to_text
from app.lab.results import CellResult
from app.lab.tables import to_csv, to_json_lines, to_markdown
from app.lab.votes import Ballot, Vote, ballots, tally
from app.settings import Settings
from app.store.rows import ChatSettings
from app.store.store import Store
from app.store.thread import StoreThread
from app.variables import fill

SAVE_MS = 800


class Experimenting(QObject):
    """Keeps the lab's page true.

    Attributes:
        plan_shown: Carries a `Plan`. `cleared`: no result is shown any more.
        running_changed: Cells are on their way, or none any more.
        began, grew, finished: A `Place`; with more text; with the text and its figures.
        said: One sentence.
        chat_wanted: Settings and the first message of a chat that a cell becomes.
        vote_begun: Ballots and what gives the answer of a row, column and seed.
        tallied: Standings and names of the variants.
    """

    plan_shown = Signal(object)
    cleared = Signal()
    running_changed = Signal(bool)
    began = Signal(object)
    grew = Signal(object, str)
    finished = Signal(object, str, str)
    said = Signal(str)
    chat_wanted = Signal(object, str)
    vote_begun = Signal(object, object)
    tallied = Signal(object, object)

    def __init__(
        self,
        store: StoreThread,
        lab: Lab,
        chat: Chat,
        app_settings: Callable[[], Settings],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store, self._lab, self._chat, self._app_settings = store, lab, chat, app_settings
        self._plan = example()
        self._experiment = 0
        self._results: dict[Place, CellResult] = {}
        self._votes: list[Vote] = []
        self._save = QTimer(self, interval=SAVE_MS, singleShot=True)
        self._save.timeout.connect(self.save)
        lab.cell_began.connect(self.began)
        lab.cell_grew.connect(self.grew)
        lab.cell_ended.connect(self.on_ended)
        lab.ended.connect(self.on_all_ended)
        lab.noticed.connect(self.said)

    # ------------------------------------------------------------------------------ the plan

    @Slot()
    def open_last(self) -> None:
        """Open the newest experiment, or the example."""

        def read(store: Store) -> tuple[int, str]:
            rows = store.experiments.all()
            return (rows[0].id, rows[0].plan) if rows else (0, "")

        self._store.ask(read, self._on_read)

    def _on_read(self, found: tuple[int, str]) -> None:
        self._experiment, text = found
        if text:
            try:
                self._plan = plan_from_text(text)
            except ValueError:
                self.said.emit(self.tr("The last experiment cannot be read; it is kept."))
                self._experiment = 0
        self.plan_shown.emit(self._plan)

    @Slot(object)
    def change(self, plan: Plan) -> None:
        """Take another plan."""
        self._plan = plan
        self._save.start()

    @Slot()
    def save(self) -> None:
        """Keep the plan."""
        self._save.stop()
        text, experiment = plan_to_text(self._plan), self._experiment
        if experiment:
            self._store.ask(lambda s: s.experiments.save(experiment, self._name(), text))

    def _name(self) -> str:
        return ", ".join(variant.name for variant in self._plan.variants)[:80] or "Experiment"

    @Slot(str)
    def take_inputs(self, text: str, name: str = "") -> None:
        """Take rows from a text; what cannot be read is told."""
        found = read_inputs(text, name)
        if found.rows:
            self.change(replace(self._plan, inputs=found.rows))
            self._results.clear()
            self.cleared.emit()
            self.plan_shown.emit(self._plan)
        self.said.emit(
            " ".join(found.problems[:3]) or self.tr("%n row(s) were read.", "", len(found.rows))
        )

    def open_inputs(self, path: Path) -> None:
        """Take rows from a file."""
        try:
            self.take_inputs(path.read_text(encoding="utf-8-sig"), path.name)
        except (OSError, UnicodeDecodeError):
            self.said.emit(self.tr("{name} cannot be read as text.").format(name=path.name))

    # ------------------------------------------------------------------------------ running

    @Slot()
    def run(self) -> None:
        """Run every cell; the results are kept."""
        self._results.clear()
        self._votes.clear()
        self.cleared.emit()
        text = plan_to_text(self._plan)
        self._store.ask(lambda s: s.experiments.create(self._name(), text), self._on_created)

    def _on_created(self, experiment: int) -> None:
        self._experiment = experiment
        model = self._chat.model.source if self._chat.model else self._app_settings().model
        self._lab.run(
            self._plan,
            model,
            experiment_id=experiment,
            alternatives=self._app_settings().alternatives,
        )
        self.running_changed.emit(self._lab.running)

    @Slot(object)
    def on_ended(self, result: CellResult) -> None:
        """A cell is done."""
        self._results[result.place] = result
        self.finished.emit(result.place, self._shown(result), self._figures(result))

    @Slot()
    def on_all_ended(self) -> None:
        """No cell is on its way any more."""
        self.running_changed.emit(False)
        records = [result.record for result in self._results.values() if result.record]
        read = sum(record.prompt_tokens - record.reused_tokens for record in records)
        written = sum(r.n_tokens for r in self._results.values())
        self.said.emit(
            self.tr("{cells} cells: {read} prompt tokens read, {written} tokens written.").format(
                cells=len(self._results), read=read, written=written
            )
        )

    def _shown(self, result: CellResult) -> str:
        if result.total_logprob is None:
            return result.text
        return "".join(
            f"{chance:.0%} " for chance in (math.exp(one.logprob) for one in result.details)
        )

    def _figures(self, result: CellResult) -> str:
        if result.error:
            return result.error
        if result.total_logprob is not None:
            n = max(len(result.details), 1)
            return self.tr("log-likelihood {total}, {each} a token").format(
                total=f"{result.total_logprob:.2f}", each=f"{result.total_logprob / n:.2f}"
            )
        parts = [
            self.tr("%n token(s)", "", result.n_tokens),
            f"{result.seconds:.1f} s",
            f"{result.tokens_per_second:.{0 if result.tokens_per_second >= 10 else 1}f} tok/s",
        ]
        if result.schema_fault:
            parts.append(result.schema_fault)
        return " · ".join(parts)

    @Slot(object)
    def open_as_chat(self, place: Place) -> None:
        """Make a chat that asks what a cell was asked."""
        variant, row = self._plan.variants[place.column], self._plan.inputs[place.row]
        settings = ChatSettings(
            system=fill(variant.system, row),
            model=variant.model,
            sampling=variant.sampling,
            max_tokens=variant.max_tokens,
            stop=variant.stop,
            thinking=variant.thinking,
            constraint=variant.constraint,
            raw=variant.raw,
        )
        self.chat_wanted.emit(settings, fill(variant.template, row))

    def export(self, path: Path) -> None:
        """Write the results as CSV, JSON Lines or Markdown, as the file's name asks."""
        makers = {".csv": to_csv, ".jsonl": to_json_lines, ".md": to_markdown}
        maker = makers.get(path.suffix.lower())
        if maker is None:
            self.said.emit(self.tr("Results are written as .csv, .jsonl or .md."))
            return
        try:
            write_atomically(path, maker(self._plan, self._results.values()).encode())
        except OSError as error:
            self.said.emit(self.tr("Not written: {why}.").format(why=error.strerror))
        else:
            self.said.emit(self.tr("Written to {path}.").format(path=path))

    # ------------------------------------------------------------------------------ voting

    @Slot()
    def begin_vote(self) -> None:
        """Begin a blind vote over the results that there are."""
        if not self._results or len(self._plan.variants) < 2:
            self.said.emit(self.tr("A vote needs the results of two variants; run them first."))
            return
        self._votes.clear()
        rows, columns = range(len(self._plan.inputs)), range(len(self._plan.variants))
        every = ballots(rows, self._plan.seeds, columns, len(self._results))
        found = [ballot for ballot in every if self._has(ballot)]
        self.vote_begun.emit(found, self._text_of)

    def _has(self, ballot: Ballot) -> bool:
        return all(
            Place(ballot.row, column, ballot.seed) in self._results
            for column in (ballot.left, ballot.right)
        )

    def _text_of(self, row: int, column: int, seed: int) -> str:
        return self._results[Place(row, column, seed)].text

    @Slot(object)
    def vote(self, vote: Vote) -> None:
        """Count a vote."""
        self._votes.append(vote)
        self.tallied.emit(tally(self._votes), [v.name for v in self._plan.variants])
