"""The page of models: from nothing to a model and back, against a hub of the tests' own."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from app.models.downloads import Hub, Waits
from app.models.request_log import RequestLog
from app.models.rows import CONTEXTS, FitRow, ModelRow, OfferRow, TransferRow
from app.models.shelf import Shelf
from app.models.token import TokenKeeper
from app.paths import find_paths
from app.settings import Settings
from app.ui.chat.empty import NoModel
from app.ui.dialogs.ask import Question
from app.ui.dialogs.settings import SettingsDialog
from app.ui.models.page import ModelsPage
from app.ui.models.requests import RequestsDialog
from app.ui.models.token import TokenDialog
from inference import EchoEngine
from tests.hub import TestHub, content_of
from tests.unit.test_models import CONFIG, put_model, safetensors

WAIT_MS = 30_000
MODEL = {
    "config.json": json.dumps(CONFIG).encode(),
    "model.safetensors": safetensors(300_000),
    "tokenizer.json": b"{}",
}


@pytest.fixture
def page(qtbot):
    page = ModelsPage()
    qtbot.addWidget(page)
    page.resize(700, 600)
    page.show()
    return page


def click(qtbot, page, name):
    (button,) = [b for b in page.findChildren(QPushButton) if b.accessibleName() == name]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    return button


# ---------------------------------------------------------------------------------- widgets


def row(**more):
    fits = tuple(
        FitRow(n, "fits" if n < 10_000 else "tight" if n < 100_000 else "too big", f"sum at {n}")
        for n in CONTEXTS
    )
    known = {
        "source": "/m/a",
        "name": "someone/gemma",
        "place": "app",
        "family": "Gemma 3",
        "quantisation": "4 bit",
        "disk_bytes": 4_300_000_000,
        "context_tokens": 32_768,
        "fits": fits,
    }
    return ModelRow(**(known | more))


def test_a_model_is_shown_with_what_it_is_and_whether_it_fits(page):
    page.show_models([row()])
    (card,) = page.here._shown
    assert "Gemma 3 · 4 bit · 32,768 tokens of context · 4.30 GB on disk" in card.details.text()
    assert card.verdict.text() == "Fits"
    assert card.verdict.toolTip() == "sum at 8192"


def test_the_context_slider_shows_what_it_costs(page):
    page.show_models([row()])
    page.context.setValue(CONTEXTS.index(32_768))
    (card,) = page.here._shown
    assert card.verdict.text() == "Tight"
    assert card.remark.text() == "sum at 32768"
    page.context.setValue(CONTEXTS.index(262_144))
    assert page.here._shown[0].verdict.text() == "Too big"


def test_a_damaged_model_says_why_and_cannot_be_opened(page):
    page.show_models([row(problem="model.safetensors is damaged")])
    (card,) = page.here._shown
    assert card.remark.text() == "Damaged: model.safetensors is damaged"
    assert not card.button("load").isEnabled()
    assert card.button("delete").isEnabled()


def test_what_another_program_owns_cannot_be_deleted_here(page):
    page.show_models([row(place="hub")])
    names = [b.accessibleName() for b in page.here.findChildren(QPushButton)]
    assert not any(name.startswith("Delete") for name in names)


def test_deleting_asks_first(page, qtbot):
    page.show_models([row()])
    click(qtbot, page, "Delete…: someone/gemma")
    (question,) = page.findChildren(Question)
    with qtbot.waitSignal(page.remove_requested, timeout=WAIT_MS) as removed:
        question.accept()
    assert removed.args == ["/m/a"]


def test_every_button_says_what_it_is_for(page):
    offer = OfferRow("a/b", "B", "F", "4 bit", 1, 8, "https://x", "", row().fits, True)
    page.show_models([row(), row(source="/m/b", name="other", is_loaded=True)])
    page.show_offers([offer])
    page.moving.show_transfers(
        [TransferRow("c/d", "failed", 1, 2, note="why", licence_url="https://x")]
    )
    names = [b.accessibleName() or b.text() for b in page.findChildren(QPushButton)]
    assert all(names)
    assert len(set(names)) == len(names)


def test_one_progress_grows_in_place(page):
    page.moving.show_transfers([TransferRow("a/b", "fetching", 250, 1000, 100.0, 7.5)])
    card = page.moving.card("a/b")
    assert (card.bar.value(), card.details.text()) == (
        250,
        "250 bytes of 1.00 kB · 100 bytes a second · 8 s left",
    )
    page.moving.show_transfers([TransferRow("a/b", "paused", 500, 1000)])
    assert page.moving.card("a/b") is card
    assert card.details.text() == "Paused at 500 bytes of 1.00 kB"
    page.moving.show_transfers([])
    assert card.isHidden()


def test_a_pasted_repository_is_wanted(page, qtbot):
    page.show_more()
    assert not page.paste.isEnabled()
    qtbot.keyClicks(page.repository, "someone/gemma")
    with qtbot.waitSignal(page.fetch_requested, timeout=WAIT_MS) as wanted:
        qtbot.keyClick(page.repository, Qt.Key.Key_Return)
    assert wanted.args == ["someone/gemma"]


# ---------------------------------------------------------------------------------- the shelf


@dataclass
class Desk:
    shelf: Shelf
    page: ModelsPage
    hub: TestHub
    said: list
    arrived: list


@pytest.fixture
def desk(page, cabochon_home, tmp_path):
    hub = TestHub()
    paths = find_paths(os.environ).make()

    def make_hub(requests, token):
        return Hub(
            requests,
            is_offline=lambda: False,
            token=token,
            endpoint=hub.address,
            waits=Waits(stall_seconds=5),
        )

    shelf = Shelf(
        paths, Settings, {"HOME": str(tmp_path)}, make_hub=make_hub, make_token=TokenKeeper
    )
    desk = Desk(shelf, page, hub, [], [])
    shelf.listed.connect(page.show_models)
    shelf.offered.connect(page.show_offers)
    shelf.noticed.connect(desk.said.append)
    shelf.failed.connect(desk.said.append)
    shelf.arrived.connect(desk.arrived.append)
    shelf.transfers.changed.connect(page.moving.show_transfers)
    page.fetch_requested.connect(shelf.fetch)
    page.moving.fetch_requested.connect(shelf.fetch)
    page.moving.pause_requested.connect(shelf.transfers.pause)
    page.moving.discard_requested.connect(shelf.discard)
    page.moving.token_given.connect(shelf.give_token)
    page.verify_requested.connect(shelf.verify)
    page.remove_requested.connect(shelf.remove)
    yield desk
    shelf.close()
    hub.close()


def test_from_nothing_to_a_model_and_back(desk, qtbot):
    desk.hub.put("someone/gemma", MODEL)
    desk.page.fetch_requested.emit("someone/gemma")
    qtbot.waitUntil(lambda: bool(desk.arrived), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: bool(desk.shelf.rows()), timeout=WAIT_MS)
    (model,) = desk.shelf.rows()
    assert model.name == "someone/gemma"
    assert model.source == desk.arrived[0]
    desk.page.remove_requested.emit(model.source)
    qtbot.waitUntil(lambda: not desk.shelf.rows(), timeout=WAIT_MS)
    assert desk.said[-1].endswith("are free again.")


def test_a_download_is_paused_and_goes_on_after_a_restart(desk, qtbot):
    desk.hub.put("someone/gemma", MODEL)
    desk.hub.faults["model.safetensors"].append(("slow", 0.05))
    desk.page.fetch_requested.emit("someone/gemma")
    qtbot.waitUntil(
        lambda: (
            "someone/gemma" in desk.page.moving.names()
            and desk.page.moving.card("someone/gemma").row.done_bytes > 1_000
        ),
        timeout=WAIT_MS,
    )
    click(qtbot, desk.page, "Pause: someone/gemma")
    qtbot.waitUntil(
        lambda: desk.page.moving.card("someone/gemma").row.doing == "paused", timeout=WAIT_MS
    )
    desk.shelf.transfers._rows.clear()  # as a new start finds it
    desk.shelf.transfers.find_unfinished()
    click(qtbot, desk.page, "Go on: someone/gemma")
    qtbot.waitUntil(lambda: bool(desk.arrived), timeout=WAIT_MS)
    assert any(wanted for wanted in desk.hub.ranges("model.safetensors"))


def test_what_came_of_a_download_can_be_thrown_away(desk, qtbot, cabochon_home):
    desk.hub.put("someone/gemma", MODEL)
    desk.hub.faults["model.safetensors"].append(("slow", 0.05))
    desk.page.fetch_requested.emit("someone/gemma")
    qtbot.waitUntil(lambda: "someone/gemma" in desk.page.moving.names(), timeout=WAIT_MS)
    click(qtbot, desk.page, "Discard: someone/gemma")
    qtbot.waitUntil(lambda: not desk.page.moving.names(), timeout=WAIT_MS)
    models = cabochon_home / "data" / "models"
    assert [path for path in models.rglob("*") if path.is_file()] == []


def test_a_licence_is_asked_for_and_the_token_goes_on(desk, qtbot):
    desk.hub.put("google/gemma", MODEL)
    desk.hub.token = "hf_secret"
    desk.page.fetch_requested.emit("google/gemma")
    qtbot.waitUntil(
        lambda: (
            "google/gemma" in desk.page.moving.names()
            and desk.page.moving.card("google/gemma").row.licence_url != ""
        ),
        timeout=WAIT_MS,
    )
    click(qtbot, desk.page, "Paste a token…: google/gemma")
    (dialog,) = desk.page.findChildren(TokenDialog)
    qtbot.keyClicks(dialog.line, "hf_secret")
    qtbot.mouseClick(dialog.go, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(desk.arrived), timeout=WAIT_MS)
    assert "keychain" in desk.said[0]  # the tests have none


def test_a_bad_repository_is_one_sentence(desk):
    desk.shelf.fetch("no repository")
    assert "no repository id" in desk.said[0]


def test_the_loaded_model_is_let_go_before_it_is_deleted(desk, qtbot, cabochon_home):
    folder = put_model(cabochon_home / "data" / "models" / "someone--gemma")
    desk.shelf.refresh()
    qtbot.waitUntil(lambda: bool(desk.shelf.rows()), timeout=WAIT_MS)
    engine = EchoEngine()
    list(engine.load(str(folder), lambda: False))
    desk.shelf.on_model_changed(engine.info)
    assert desk.shelf.rows()[0].is_loaded
    with qtbot.waitSignal(desk.shelf.unload_wanted, timeout=WAIT_MS):
        desk.shelf.remove(str(folder))
    assert folder.exists()
    desk.shelf.on_model_changed(None)
    qtbot.waitUntil(lambda: not desk.shelf.rows(), timeout=WAIT_MS)
    assert not folder.exists()


def test_a_truncated_model_is_marked_and_the_page_still_opens(desk, qtbot, cabochon_home):
    folder = put_model(cabochon_home / "data" / "models" / "m")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-10])
    desk.shelf.refresh()
    qtbot.waitUntil(lambda: bool(desk.page.here._shown), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: bool(desk.shelf.rows()), timeout=WAIT_MS)
    assert "cut off" in desk.shelf.rows()[0].problem


def test_offers_know_what_is_here_and_recommend_at_most_one(desk, qtbot, cabochon_home):
    put_model(cabochon_home / "data" / "models" / "mlx-community--gemma-3-270m-it-4bit")
    desk.shelf.refresh()
    qtbot.waitUntil(lambda: bool(desk.shelf.rows()), timeout=WAIT_MS)
    offers = desk.shelf.offers()
    assert [offer.name for offer in offers if offer.is_here] == ["Gemma 3 270M"]
    assert sum(offer.is_recommended for offer in offers) <= 1
    desk.page.show_offers(offers)
    assert len(desk.page.more._shown) == len(offers)


def test_closing_in_the_middle_of_a_download_waits_for_nobody(desk, qtbot):
    desk.hub.put("a/b", dict(MODEL) | {"model.safetensors": content_of(100_000)})
    desk.hub.faults["model.safetensors"].append(("stall", 1_000))
    desk.page.fetch_requested.emit("a/b")
    qtbot.waitUntil(lambda: bool(desk.hub.ranges("model.safetensors")), timeout=WAIT_MS)
    desk.shelf.close()
    assert not desk.shelf.transfers._thread.is_alive()


# ---------------------------------------------------------------------------------- privacy


def test_the_requests_are_listed_newest_first_and_can_be_cleared(page, qtbot, tmp_path):
    log = RequestLog(tmp_path / "log")
    log.add("huggingface.co", "/api/models/a/b", "200", 1_500)
    log.add("cdn.example", "/file", "ReadTimeout", 0)
    dialog = RequestsDialog(log.lines(), page)
    dialog.cleared.connect(log.clear)
    dialog.open()
    shown = [[dialog.table.item(n, c).text() for c in (1, 2, 3)] for n in range(2)]
    assert shown == [
        ["cdn.example/file", "ReadTimeout", "0 bytes"],
        ["huggingface.co/api/models/a/b", "200", "1.50 kB"],
    ]
    (clear,) = [b for b in dialog.findChildren(QPushButton) if b.text() == "Clear the list"]
    qtbot.mouseClick(clear, Qt.MouseButton.LeftButton)
    assert log.lines() == []
    assert dialog.table.rowCount() == 0
    dialog.accept()


def test_the_settings_keep_another_folder_for_models(page, qtbot):
    dialog = SettingsDialog(Settings(), [], {"models": "/usual"}, {}, page)
    with qtbot.waitSignal(dialog.changed, timeout=WAIT_MS) as changed:
        dialog.show_models_folder("/elsewhere")
    assert changed.args[0].models_folder == "/elsewhere"
    assert dialog.models_folder.text() == "/elsewhere"
    (usual,) = [b for b in dialog.findChildren(QPushButton) if b.text() == "The usual folder"]
    with qtbot.waitSignal(dialog.changed, timeout=WAIT_MS) as changed:
        usual.click()
    assert changed.args[0].models_folder == ""
    assert dialog.models_folder.text() == "/usual"


def test_a_folder_is_brought_in_as_a_person_chooses(page, qtbot, tmp_path):
    dialog = page.ask_how_to_import(tmp_path / "plain")
    dialog.bits.setCurrentIndex(dialog.bits.findData(8))
    with qtbot.waitSignal(page.import_requested, timeout=WAIT_MS) as wanted:
        dialog._on_accepted()
    assert wanted.args == [str(tmp_path / "plain"), 8]


def test_a_folder_that_is_no_model_is_refused_with_one_sentence(desk, qtbot, tmp_path):
    desk.shelf.import_model(str(tmp_path), 0)
    qtbot.waitUntil(lambda: len(desk.said) >= 2, timeout=WAIT_MS)
    assert "Importing" in desk.said[0]
    assert "config.json" in desk.said[1]


# ---------------------------------------------------------------------------------- first run


@pytest.fixture
def card(qtbot):
    card = NoModel()
    qtbot.addWidget(card)
    card.show()
    return card


def test_the_first_run_offers_one_model_for_this_machine(card, qtbot):
    best = OfferRow("a/b", "Gemma", "F", "4 bit", 733_000_000, 8, "https://l", "Quick.", row().fits)
    card.show_offers([best])
    assert card.offer.isHidden()
    card.show_offers([replace(best, is_recommended=True)])
    assert card.offer.text() == "Download Gemma (about 733 MB)"
    assert "https://l" in card.offer_note.text()
    with qtbot.waitSignal(card.fetch_requested, timeout=WAIT_MS) as wanted:
        qtbot.mouseClick(card.offer, Qt.MouseButton.LeftButton)
    assert wanted.args == ["a/b"]
    card.moving.show_transfers([TransferRow("a/b", "fetching", 1, 2)])
    assert card.moving.card("a/b").isVisible()


def test_the_first_run_offers_what_is_here_already(card, qtbot):
    card.show_found([row(), row(source="/m/b", name="broken", problem="cut off")])
    names = [b.text() for b in card.findChildren(QPushButton) if b.text().startswith("Use ")]
    assert names == ["Use someone/gemma"]
    (use,) = [b for b in card.findChildren(QPushButton) if b.text() == names[0]]
    with qtbot.waitSignal(card.model_chosen, timeout=WAIT_MS) as chosen:
        use.click()
    assert chosen.args == ["/m/a"]
