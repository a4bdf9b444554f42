"""A damaged model never keeps the window from opening."""

from PySide6.QtWidgets import QApplication

from app.__main__ import Program, Wish
from app.instance import Instance
from app.paths import find_paths
from tests.processes import exists
from tests.unit.test_models import put_model

WAIT_MS = 60_000


def test_a_cut_off_model_is_said_and_marked_and_the_window_is_open(qtbot, qapp, tmp_path):
    paths = find_paths({"CABOCHON_HOME": str(tmp_path)}).make()
    folder = put_model(paths.models / "someone--gemma")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])
    wish = Wish(engine="process", model=str(folder), questions=False)
    program = Program(qapp, paths, wish, Instance(paths.data))
    program.window.show()
    card = program.page.empty.no_model
    qtbot.waitUntil(lambda: card.isVisible() and bool(card.why.text()), timeout=WAIT_MS)
    assert program.page.composer.isEnabled()
    program.window.show_page("models")
    qtbot.waitUntil(
        lambda: any("cut off" in row.problem for row in program.shelf.rows()), timeout=WAIT_MS
    )
    child = program.worker._engine.process_id
    program.close()
    assert child is None or not exists(child)
    program.window.deleteLater()
    QApplication.sendPostedEvents()
    qapp.setStyleSheet("")
