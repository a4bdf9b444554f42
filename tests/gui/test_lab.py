"""The lab through the worker: results stream in, cells stop one by one, answers are verified."""

import pytest

from app.chat.states import ChatState
from app.lab.lab import Lab
from app.lab.plan import Place, Plan, Variant
from app.lab.verifier import Verifier
from inference.echo import EchoScript

PLAN = Plan(
    (Variant("A", "Say {{word}}"), Variant("B", "{{word}}!")),
    ({"word": "one"}, {"word": "two"}),
    (1, 2),
    schema='{"type": "string"}',
)


@pytest.fixture
def desk(make_desk, qtbot):
    made = make_desk()
    made.start()
    qtbot.waitUntil(lambda: made.chat.state is ChatState.READY, timeout=5_000)
    return made


@pytest.fixture
def lab(desk):
    made = Lab(desk.store, desk.worker)
    made.results = []
    made.notices = []
    made.cell_ended.connect(made.results.append)
    made.noticed.connect(made.notices.append)
    return made


def run(lab, qtbot, plan=PLAN, **more):
    with qtbot.waitSignal(lab.ended, timeout=10_000):
        lab.run(plan, "echo", **more)
    return {one.place: one for one in lab.results}


def test_every_cell_ends_once_and_is_kept(lab, desk, qtbot):
    experiment = desk.store.wait(lambda s: s.experiments.create("x", "{}"))
    found = run(lab, qtbot, experiment_id=experiment)
    assert len(found) == len(lab.results) == 8
    assert found[Place(0, 0, 1)].text == "You said: Say one"
    assert found[Place(1, 1, 2)].record.seed == 2
    assert found[Place(0, 0, 1)].schema_fault == "The reply is not JSON."
    kept = desk.store.wait(lambda s: s.experiments.cells(experiment))
    assert {one.text for one in kept} == {one.text for one in lab.results}
    assert len(kept) == 8


def test_a_stopped_cell_keeps_what_it_said_and_the_others_go_on(lab, desk, qtbot):
    desk.engine.script = EchoScript(reply="word " * 40, seconds_per_token=0.002)
    stopped = Place(0, 1, 1)

    def stop(place, _):
        if place == stopped:
            lab.stop(place)

    lab.cell_grew.connect(stop)
    found = run(lab, qtbot)
    assert found.pop(stopped).reason == "stopped"
    assert {one.reason for one in found.values()} == {"end"}


def test_a_column_and_everything_can_be_stopped(lab, desk, qtbot):
    desk.engine.script = EchoScript(reply="word " * 4_000, seconds_per_token=0.001)
    lab.cell_grew.connect(lambda *_: lab.stop_column(0))
    lab.cell_ended.connect(lambda _: lab.stop_all())
    found = run(lab, qtbot)
    assert len(found) == 8
    assert {one.reason for one in found.values()} == {"stopped"}


def test_an_error_is_one_sentence_and_the_lab_goes_on(lab, desk, qtbot):
    desk.engine.script = EchoScript(fail_after_tokens=1)
    found = run(lab, qtbot)
    assert all("told to fail" in one.error for one in found.values())
    assert len(lab.notices) == 1
    desk.engine.script = EchoScript()
    lab.results.clear()
    assert all(not one.error for one in run(lab, qtbot).values())


def test_score_mode_gives_log_likelihoods(lab, qtbot):
    plan = Plan(PLAN.variants, PLAN.inputs, completion="{{word}}.")
    found = run(lab, qtbot, plan)
    assert [one.total_logprob for one in found.values()] == [-4.0] * 4
    assert found[Place(0, 0, 1)].n_tokens == 4


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        (Plan((), ()), "no variant"),
        (Plan((Variant("A", "{{x}}"),), ({"y": "1"},)), "names {{x}}"),
        (Plan((Variant("A"),), ({"input": "1"},), schema="no"), "not JSON"),
    ],
)
def test_a_grid_that_cannot_run_says_why(lab, qtbot, plan, why):
    lab.run(plan, "echo")
    assert why in lab.notices[0]
    assert not lab.running


def answered(desk, qtbot):
    desk.chat.send("hello")
    qtbot.waitUntil(
        lambda: desk.chat.state is ChatState.READY and len(desk.texts()) == 2, timeout=5_000
    )
    return desk.chat.conversation_id, desk.last().id


def test_an_answer_is_verified_from_its_record(desk, qtbot):
    verifier = Verifier(desk.store, desk.worker)
    verifier.on_model_changed(desk.chat.model)
    desk.engine.script = EchoScript(reply="hello")
    ids = answered(desk, qtbot)
    desk.engine.script = EchoScript(reply="help!")
    with qtbot.waitSignal(verifier.verified, timeout=5_000) as told:
        verifier.verify(*ids)
    message_id, verdict = told.args
    assert message_id == ids[1]
    assert verdict.first_difference == 3
    assert (chr(verdict.original.token_id), chr(verdict.replayed.token_id)) == ("l", "p")
    desk.engine.script = EchoScript(reply="hello")
    with qtbot.waitSignal(verifier.verified, timeout=5_000) as told:
        verifier.verify(*ids)
    assert told.args[1].identical


def test_a_message_without_a_record_is_one_sentence(desk, qtbot):
    verifier = Verifier(desk.store, desk.worker)
    conversation_id, _ = answered(desk, qtbot)
    with qtbot.waitSignal(verifier.failed, timeout=5_000) as told:
        verifier.verify(conversation_id, desk.chat.conversation.path()[0].id)
    assert "no run record" in told.args[1]
    with qtbot.waitSignal(verifier.failed, timeout=5_000) as told:
        verifier.verify(conversation_id, desk.last().id)
    assert "No model is open" in told.args[1]


def test_forcing_a_token_branches_beside_the_old_answer(desk, qtbot):
    _, message_id = answered(desk, qtbot)
    old = desk.last().text
    desk.engine.script = EchoScript(reply=" again")
    desk.chat.force(message_id, 3, ord("!"), "!")
    qtbot.waitUntil(
        lambda: desk.chat.state is ChatState.READY and desk.last().id != message_id, timeout=5_000
    )
    assert desk.last().text == old[:3] + "! again"
    assert desk.chat.conversation.node(message_id).text == old
    assert desk.chat.conversation.version(desk.last().id) == (2, 2)
