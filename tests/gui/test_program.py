"""The whole window on the echo engine, in this process."""

import subprocess
import sys

import pytest
from PySide6.QtCore import QLocale, QObject, Qt, QTranslator
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QWidget

from app.__main__ import Program, Wish
from app.chat.states import ChatState
from app.instance import Instance
from app.lab.plan import Place
from app.paths import find_paths
from app.rows import SearchRow
from app.ui.chat_list import row_of


@pytest.fixture
def make_program(qtbot, qapp, tmp_path):
    made = []

    def make(**wish):
        paths = find_paths({"CABOCHON_HOME": str(tmp_path)}).make()
        wish = {"engine": "echo", "questions": False, "echo_seconds": 0.0} | wish
        program = Program(qapp, paths, Wish(**wish), Instance(paths.data))
        made.append(program)
        program.window.show()
        qtbot.waitUntil(lambda: program.chat.model is not None, timeout=20_000)
        return program

    yield make
    for program in made:
        program.close()
        program.window.deleteLater()
    QApplication.sendPostedEvents()
    qapp.setStyleSheet("")
    for translator in qapp.findChildren(QTranslator):
        qapp.removeTranslator(translator)
        translator.deleteLater()
    qapp.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
    QLocale.setDefault(QLocale.c())


def send(program, text, qtbot):
    count = len(program.chat.conversation)
    composer = program.page.composer
    composer.set_text(text)
    QTest.keyClick(composer.editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(program.chat.conversation) >= count + 2, timeout=20_000)
    qtbot.waitUntil(lambda: program.chat.state is ChatState.READY, timeout=20_000)


def texts(program):
    return [node.text for node in program.chat.conversation.path()]


def test_a_message_is_answered_listed_and_found_again(make_program, qtbot):
    program = make_program()
    send(program, "Tell me about foxes", qtbot)
    assert texts(program) == ["Tell me about foxes", "You said: Tell me about foxes"]
    qtbot.waitUntil(lambda: program.window.header._title == "Tell me about foxes", timeout=20_000)
    program.chats.new_chat()
    assert program.chat.conversation_id == 0
    program.sidebar.search.setText("foxes")
    first = program.sidebar.chats.model().index
    qtbot.waitUntil(lambda: isinstance(row_of(first(0, 0)), SearchRow), timeout=20_000)
    QTest.keyClick(program.sidebar.chats, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: len(program.chat.conversation) == 2, timeout=20_000)


def test_a_deleted_chat_comes_back_by_undo(make_program, qtbot):
    program = make_program()
    send(program, "Keep me", qtbot)
    conversation = program.chat.conversation_id
    program.listing.trash(conversation)
    qtbot.waitUntil(lambda: program.listing.row(conversation) is None, timeout=20_000)
    program.page.bars.undo.first.click()
    qtbot.waitUntil(lambda: program.chat.conversation_id == conversation, timeout=20_000)
    assert texts(program)[0] == "Keep me"


def test_the_last_message_is_edited_into_another_version(make_program, qtbot):
    program = make_program()
    send(program, "First try", qtbot)
    program.actions["edit_last"].trigger()
    assert program.page.composer.text() == "First try"
    send(program, "Second try", qtbot)
    assert texts(program) == ["Second try", "You said: Second try"]
    program.talking.step_version(-1)
    qtbot.waitUntil(lambda: texts(program)[0] == "First try", timeout=20_000)
    assert program.page.composer.text() == ""


def test_escape_leaves_an_edit_and_keeps_the_draft_of_the_chat_empty(make_program, qtbot):
    program = make_program()
    send(program, "First try", qtbot)
    program.actions["edit_last"].trigger()
    program.actions["stop"].trigger()
    assert program.page.composer.text() == ""
    assert len(program.chat.conversation) == 2


def test_drafts_stay_with_their_chats(make_program, qtbot):
    program = make_program()
    send(program, "One", qtbot)
    first = program.chat.conversation_id
    program.page.composer.set_text("half a thought")
    program.composing.on_draft_changed("half a thought")
    program.chats.new_chat()
    assert program.page.composer.text() == ""
    program.page.composer.set_text("another")
    program.composing.on_draft_changed("another")
    program.chats.open_chat(first)
    qtbot.waitUntil(lambda: program.page.composer.text() == "half a thought", timeout=20_000)
    program.chats.new_chat()
    assert program.page.composer.text() == "another"


def test_presets_say_modified_and_stay_as_they_were_kept(make_program, qtbot):
    program = make_program()
    program.tuning.set_system("Be brief.")
    program.tuning.save_preset("Brief")
    panel = program.inspector
    qtbot.waitUntil(lambda: panel.presets.currentData() == "Brief", timeout=20_000)
    assert panel.modified.text() == ""
    panel.sampling.temperature.setValue(0.3)
    assert "modified" in panel.modified.text()
    program.tuning.choose_preset("Brief")
    assert panel.modified.text() == ""
    assert program.chat.settings.system == "Be brief."


def test_an_answer_is_inspected_and_another_token_forced(make_program, qtbot):
    program = make_program()
    send(program, "Hello", qtbot)
    reply = program.chat.conversation.path()[-1]
    with qtbot.waitSignal(program.inspecting.prompt_shown, timeout=20_000):
        program.inspecting.inspect(reply.id)
    assert program.inside.tokens.count() == len("You said: Hello")
    assert program.inside.prompt.toPlainText() == "Hello"
    program.inspecting.look_into(4)
    qtbot.waitUntil(lambda: program.inside.layers.rowCount() == 4, timeout=20_000)
    program.inspecting.force(reply.id, 2, ord("~"))
    qtbot.waitUntil(lambda: program.chat.conversation.n_leaves() == 2, timeout=20_000)
    qtbot.waitUntil(lambda: program.chat.state is ChatState.READY, timeout=20_000)
    assert texts(program)[-1].startswith("Yo~")
    assert program.chat.conversation.node(reply.id).text == "You said: Hello"


def test_the_lab_runs_its_example_and_opens_a_cell_as_a_chat(make_program, qtbot):
    program = make_program()
    program.window.show_page("lab")
    qtbot.waitUntil(lambda: program.lab_page.grid.rowCount() == 2, timeout=20_000)
    with qtbot.waitSignal(program.lab.ended, timeout=20_000):
        program.lab_page.run.click()
    item = program.lab_page.grid.item(0, 1)
    assert "You said: Explain rain to a child in one sentence." in item.text()
    program.experimenting.open_as_chat(Place(0, 1, 1))
    qtbot.waitUntil(lambda: len(program.chat.conversation) == 2, timeout=20_000)
    assert program.window.page() == "chat"
    assert program.chat.settings.system == "You are a patient teacher."


def test_a_chat_is_exported_and_imported(make_program, qtbot, tmp_path):
    program = make_program()
    send(program, "Carry me over", qtbot)
    file = tmp_path / "chat.json"
    with qtbot.waitSignal(program.sharing.done, timeout=20_000):
        program.sharing.export(program.chat.conversation_id, file)
    with qtbot.waitSignal(program.sharing.imported, timeout=20_000):
        program.sharing.take_in([file])
    qtbot.waitUntil(lambda: len(program.listing._rows) == 2, timeout=20_000)
    for name in ("chat.md", "chat.html", "chat.pdf"):
        program.sharing.export(program.chat.conversation_id, tmp_path / name)
        qtbot.waitUntil((tmp_path / name).exists, timeout=20_000)
    with qtbot.waitSignal(program.sharing.failed, timeout=20_000) as told:
        program.sharing.export(program.chat.conversation_id, tmp_path / "chat.exe")
    assert told.args == ["Chats are not written as .exe."]


def test_a_model_that_is_not_there_is_one_sentence(qtbot, qapp, tmp_path, make_program):
    program = make_program()
    program.chat.unload_model()
    qtbot.waitUntil(lambda: program.chat.model is None, timeout=20_000)
    program.page.show_no_model("The file is not there; choose another.")
    assert program.page.empty.no_model.why.text() == "The file is not there; choose another."


def unnamed(root):
    """Every accessible object below a widget that can be reached and has no name."""
    found = []
    for widget in [root, *root.findChildren(QWidget)]:
        interface = QAccessible.queryAccessibleInterface(widget)
        if interface is None or not interface.isValid():
            continue
        reached = widget.focusPolicy() != Qt.FocusPolicy.NoFocus
        controls = (
            QAccessible.Role.Button,
            QAccessible.Role.CheckBox,
            QAccessible.Role.RadioButton,
            QAccessible.Role.ComboBox,
            QAccessible.Role.EditableText,
            QAccessible.Role.SpinBox,
            QAccessible.Role.List,
            QAccessible.Role.Tree,
            QAccessible.Role.Table,
            QAccessible.Role.Slider,
            QAccessible.Role.ProgressBar,
        )
        name = interface.text(QAccessible.Text.Name)
        if (reached or interface.role() in controls) and not name and not is_inner(widget):
            found.append(f"{type(widget).__name__} in {ancestors(widget)}")
    return found


def is_inner(widget):
    """A part that Qt made inside a control, which speaks for it."""
    name = widget.objectName()
    inside = (name.startswith("qt_"), isinstance(widget, QLabel))
    parent = widget.parent()
    compound = isinstance(parent, QObject) and type(parent).__name__ in {
        *("QComboBox", "QComboBoxListView", "QComboBoxPrivateContainer", "QTabWidget"),
        *("QSpinBox", "QDoubleSpinBox", "Number", "Whole", "QKeySequenceEdit", "QTabBar"),
        *("QTableWidget", "QTableView", "QTreeView", "QTreeWidget", "QListWidget", "ChatList"),
        *("QScrollArea", "QTextEdit", "QPlainTextEdit", "QTextBrowser", "Editor", "QMenuBar"),
        *("QLineEdit", "SearchLine", "QStackedWidget"),
    }
    return any(inside) or compound or not widget.isVisibleTo(widget.window())


def ancestors(widget):
    names = []
    while widget is not None and len(names) < 5:
        widget = widget.parentWidget()
        names.append(type(widget).__name__)
    return " in ".join(names)


def test_every_control_has_a_name(make_program, qtbot):
    program = make_program()
    send(program, "Hello", qtbot)
    program.menus.show_panels(sidebar=True, inspector=True)
    program.page.find_bar.open_bar()
    program.page.bars.error.show_error("Something.", "details")
    missing = unnamed(program.window)
    program.inspector.show_tab(program.inside)
    missing += unnamed(program.window)
    program.window.show_page("lab")
    missing += unnamed(program.window)
    assert "\n".join(missing) == ""


def test_every_control_of_the_dialogs_has_a_name(make_program, qtbot):
    program = make_program()
    send(program, "Hello", qtbot)
    program.menus.open_settings()
    program.dialogs.open_shortcuts({})
    program.dialogs.open_trash(30)
    program.dialogs.open_presets(["One"])
    program.dialogs.open_prompts({"One": "Say {{what}}."})
    program.dialogs.open_map(program.talking.branches())
    program.dialogs.name_folder(1)
    dialogs = program.window.findChildren(QDialog)
    assert len(dialogs) >= 7
    missing = [name for dialog in dialogs for name in unnamed(dialog)]
    for dialog in dialogs:
        dialog.close()
    assert "\n".join(missing) == ""


def test_a_shortcut_is_bound_anew_and_a_conflict_gives_way(make_program):
    program = make_program()
    assert program.actions["new"].shortcut().toString() == "Ctrl+N"
    program.actions.rebind({"new": "Ctrl+J", "find": "Ctrl+K"})
    assert program.actions["new"].shortcut().toString() == "Ctrl+J"
    assert program.actions["find"].shortcut().toString() == "Ctrl+K"
    assert program.actions["search"].shortcut().toString() == ""


def test_settings_hold_at_once_and_over_a_restart(make_program, qtbot):
    program = make_program()
    program.menus.zoom(20)
    assert program.theme.palette.pixels == 17
    program.close()
    again = make_program()
    assert again.theme.palette.pixels == 17


def test_a_right_to_left_language_turns_the_window_round(make_program, tmp_path):
    paths = find_paths({"CABOCHON_HOME": str(tmp_path)}).make()
    paths.settings.write_text('{"language": "he"}')
    program = make_program()
    assert program.sidebar.new.accessibleName() == "שיחה חדשה"
    assert program.window.layoutDirection() == Qt.LayoutDirection.RightToLeft
    side, centre = program.sidebar, program.page
    middle = side.mapToGlobal(side.rect().center()).x()
    assert middle > centre.mapToGlobal(centre.rect().center()).x()


FIRST_PAINT = """
import sys
from PySide6.QtCore import QTimer
from app.__main__ import Wish, open_window

def follow(program):
    def painted():
        heavy = {"mlx", "mlx_lm", "transformers", "tokenizers", "torch"} & set(sys.modules)
        print("heavy:", sorted(heavy))
        program.quit()
    program.window.painted.disconnect(program.start)
    program.window.painted.connect(painted)

raise SystemExit(open_window(Wish(engine="thread", questions=False), follow))
"""


def test_the_window_is_painted_before_anything_heavy_is_imported(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", FIRST_PAINT],
        check=False,
        env={"CABOCHON_HOME": str(tmp_path), "QT_QPA_PLATFORM": "offscreen", "PATH": ""},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.stdout, done.returncode) == ("heavy: []\n", 0)
