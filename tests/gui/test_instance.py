"""A second start raises the first window."""

from app.instance import Instance


def test_the_second_tells_the_first_and_gives_way(qtbot, tmp_path):
    first, second = Instance(tmp_path), Instance(tmp_path)
    assert first.claim()
    with qtbot.waitSignal(first.asked_to_front, timeout=2_000):
        assert not second.claim()
    first.release()
    assert second.claim()
    second.release()


def test_another_data_folder_is_another_program(tmp_path, qapp):
    first, second = Instance(tmp_path / "a"), Instance(tmp_path / "b")
    assert first.claim()
    assert second.claim()
    first.release()
    second.release()
