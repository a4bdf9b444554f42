"""The engine's process is started by the interpreter itself, wherever it hides."""

import subprocess
import sys
from pathlib import Path

from inference import child_environment, find_interpreter
from inference.process.interpreter import child_command


def test_a_plain_interpreter_is_taken_as_it_is():
    assert find_interpreter() == sys.executable


def test_a_launcher_that_embeds_python_is_never_started_again(tmp_path, monkeypatch):
    launcher = tmp_path / "Contents" / "MacOS" / "Cabochon"
    python = tmp_path / "Contents" / "Resources" / "python" / "bin" / "python3"
    for path in (launcher, python):
        path.parent.mkdir(parents=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(launcher))
    monkeypatch.setattr(sys, "prefix", str(python.parent.parent))
    assert find_interpreter() == str(python)


def test_the_child_imports_from_where_we_do_and_not_from_where_it_stands(tmp_path):
    (tmp_path / "inference.py").write_text("raise SystemExit('the wrong one')")
    program = "import inference, sys; sys.stdout.write(inference.__file__)"
    found = subprocess.run(
        [find_interpreter(), "-P", "-c", program],
        env=child_environment(),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(found.stdout) == Path(__file__).parents[2] / "inference" / "__init__.py"


def test_nothing_is_written_into_a_sealed_bundle(monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert "-B" in child_command("python", [1])
