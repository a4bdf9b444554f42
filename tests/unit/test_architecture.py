"""The rules of the house, read from the imports: which room may know which, and who may go out.

"Private" is a test here, not a promise: the one file that opens connections is named below.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("inference", "app", "resources")

CHOOSES_AN_ENGINE = {"app/__main__.py", "app/cli.py", "app/selftest.py"}
DRIVES_AN_ENGINE = {"app/worker.py", "app/cli.py", "app/selftest.py"}
LATE_IMPORTS = {
    "inference/__init__.py",
    "app/worker.py",
    "app/__main__.py",
    "app/cli.py",
    "app/selftest.py",
    "app/chat/attachments.py",  # the PDF reader, a fifth of the window's start
    "app/ui/render/maths.py",  # a second of importing, on the maths thread, for the first formula
}
NETWORK = (
    *("socket", "ssl", "http", "urllib.request", "urllib3", "ftplib", "smtplib", "imaplib"),
    *(
        "xmlrpc",
        "socketserver",
        "requests",
        "httpx",
        "httpx2",
        "aiohttp",
        "websockets",
        "huggingface_hub",
    ),
    *("httpx2", "httpcore2", "asyncio", "PySide6.QtNetwork"),
)
MAY_GO_OUT = {"app/models/downloads.py"}
LOCAL_SOCKET = {"app/instance.py": {"QLocalServer", "QLocalSocket"}}
WITHOUT_MLX = ("types", "errors", "echo", "template", "reply")
UI_KNOWS_NOT = ("app.worker", "app.store", "app.cli", "app.__main__", "app.models.downloads")
UI_KNOWS_NOT += ("sqlite3", "mlx", "mlx_lm", "keyring")
CHANGING = {
    *("append", "appendleft", "extend", "insert", "add", "update", "setdefault"),
    *("pop", "popitem", "remove", "discard", "clear", "sort"),
}


@dataclass(frozen=True)
class Import:
    """One imported module, or one name of it."""

    file: str
    line: int
    module: str
    name: str
    late: bool
    for_types: bool

    def of(self, *modules: str) -> bool:
        """Whether this brings one of the modules, or something below it."""
        full = f"{self.module}.{self.name}" if self.name else self.module
        return any(f"{full}.".startswith(f"{module}.") for module in modules)

    def __str__(self) -> str:
        return f"{self.file}:{self.line} imports {self.name or ''} from {self.module}"


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


parse = cache(ast.parse)


@cache
def imports_of(file: str, source: str) -> tuple[Import, ...]:
    def walk(node: ast.AST, late: bool, for_types: bool) -> Iterator[Import]:
        match node:
            case ast.Import():
                for alias in node.names:
                    yield Import(file, node.lineno, alias.name, "", late, for_types)
            case ast.ImportFrom():
                module = node.module or ""
                if node.level:
                    package = file.removesuffix(".py").split("/")[: -node.level]
                    module = ".".join([*package, module]).rstrip(".")
                for alias in node.names:
                    yield Import(file, node.lineno, module, alias.name, late, for_types)
        inner = late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for child in ast.iter_child_nodes(node):
            yield from walk(child, inner, for_types or is_type_checking(node))

    return tuple(walk(parse(source), late=False, for_types=False))


@cache
def house() -> dict[str, str]:
    """Every source file of the product by its path."""
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for room in ROOMS
        for path in sorted((ROOT / room).rglob("*.py"))
    }


def all_imports(files: dict[str, str]) -> list[Import]:
    return [found for file, source in files.items() for found in imports_of(file, source)]


# -------------------------------------------------------------------------------------- rules


def doors(files: dict[str, str]) -> list[str]:
    """Rule 1: the engine knows no window; the app comes in by the front door."""
    return [
        str(found)
        for found in all_imports(files)
        if (found.file.startswith("inference/") and found.of("PySide6", "app", "resources"))
        or (found.file.startswith("app/") and found.module.startswith("inference."))
    ]


def engines(files: dict[str, str]) -> list[str]:
    """Rule 2: few files choose an engine, few drive one."""
    chosen = [
        str(found)
        for found in all_imports(files)
        if found.file.startswith("app/")
        and found.file not in CHOOSES_AN_ENGINE
        and found.module == "inference"
        and found.name.endswith("Engine")
        and found.name != "Engine"
        and not found.for_types
    ]
    driven = [
        f"{file}:{node.lineno} drives an engine"
        for file, source in files.items()
        if file.startswith("app/")
        and not file.startswith("app/cli_")
        and file not in DRIVES_AN_ENGINE
        for node in ast.walk(parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("generate", "generate_many")
    ]
    return chosen + driven


def widgets(files: dict[str, str]) -> list[str]:
    """Rule 3: widgets know plain types, and only `__main__` and the wiring know widgets."""
    return [
        str(found)
        for found in all_imports(files)
        if (found.file.startswith("app/ui/") and found.of(*UI_KNOWS_NOT) and not found.for_types)
        or (
            found.file.startswith("app/")
            and not found.file.startswith(("app/ui/", "app/wiring/"))
            and found.file != "app/__main__.py"
            and found.of("app.ui")
        )
    ]


def network(files: dict[str, str]) -> list[str]:
    """Rule 5: network modules are imported in the named files alone."""
    return [
        str(found)
        for found in all_imports(files)
        if found.of(*NETWORK)
        and found.file not in MAY_GO_OUT
        and found.name not in LOCAL_SOCKET.get(found.file, ())
    ]


def late_imports(files: dict[str, str]) -> list[str]:
    """Rule 6: no import inside a function, but in the named files."""
    return [
        str(found) for found in all_imports(files) if found.late and found.file not in LATE_IMPORTS
    ]


def module_state(files: dict[str, str]) -> list[str]:
    """Rule 6: nothing at module level changes, and importing does nothing."""
    return [
        f"{file}:{line} {what}"
        for file, source in files.items()
        for line, what in state_in(parse(source))
    ]


def state_in(tree: ast.Module) -> Iterator[tuple[int, str]]:
    containers = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    for node in tree.body:
        side_effect = isinstance(node, ast.For | ast.While | ast.With | ast.Try) or (
            isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant)
        )
        if side_effect:
            yield node.lineno, "does something when imported"
        value = getattr(node, "value", None)
        if isinstance(node, ast.Assign | ast.AnnAssign) and is_empty_container(value):
            yield node.lineno, "keeps an empty container to be filled later"
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in changes_in(function, containers):
                yield node.lineno, f"changes module state: {ast.unparse(node)[:60]}"


def is_empty_container(value: ast.AST | None) -> bool:
    match value:
        case ast.List(elts=[]) | ast.Dict(keys=[]):
            return True
        case ast.Call(func=ast.Name(id=kind), args=[]):
            return kind in ("list", "dict", "set", "deque", "defaultdict", "Counter", "bytearray")
        case _:
            return False


def changes_in(function: ast.FunctionDef | ast.AsyncFunctionDef, names: set[str]):
    local = {arg.arg for arg in ast.walk(function.args) if isinstance(arg, ast.arg)}
    local |= {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    for node in ast.walk(function):
        match node:
            case ast.Global():
                yield node
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                if name in names - local:
                    yield node
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=verb)):
                if name in names - local and verb in CHANGING:
                    yield node


def graph(files: dict[str, str]) -> dict[str, set[str]]:
    """Which of our modules needs which when it is imported."""

    def name_of(file: str) -> str:
        return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    modules = {name_of(file) for file in files}
    needs: dict[str, set[str]] = {module: set() for module in modules}
    for found in all_imports(files):
        if found.late or found.for_types:
            continue
        full = f"{found.module}.{found.name}"
        target = full if full in modules else found.module
        if target in modules and target != name_of(found.file):
            needs[name_of(found.file)].add(target)
    return needs


def reachable(needs: dict[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for module in needs.get(waiting.pop(), set()) - seen:
            seen.add(module)
            waiting.append(module)
    return seen


def cycles(files: dict[str, str]) -> list[str]:
    """Rule 6: no module needs itself in the end."""
    needs = graph(files)
    return sorted(module for module in needs if module in reachable(needs, module))


RULES = (doors, engines, widgets, network, late_imports, module_state, cycles)


@pytest.mark.parametrize("rule", RULES)
def test_the_house_keeps_the_rule(rule):
    assert rule(house()) == []


@pytest.mark.parametrize("room", WITHOUT_MLX)
def test_the_door_opens_without_mlx(room):
    files = house()
    if f"inference/{room}.py" not in files:
        pytest.skip(f"there is no inference/{room}.py")
    needed = reachable(graph(files), f"inference.{room}") | {f"inference.{room}"}
    paths = {f"{module.replace('.', '/')}.py" for module in needed}
    heavy = ("mlx", "mlx_lm", "transformers")
    assert [
        str(found)
        for found in all_imports({file: files[file] for file in paths & set(files)})
        if found.of(*heavy) and not found.for_types and not found.late
    ] == []


def test_the_distribution_is_never_shadowed():
    """`packaging` is a library that half the ecosystem imports: ours stays a plain folder."""
    assert not (ROOT / "packaging/__init__.py").exists()


@pytest.mark.parametrize(
    ("rule", "file", "source"),
    [
        (doors, "inference/x.py", "from PySide6.QtCore import QObject"),
        (doors, "inference/x.py", "import app.settings"),
        (doors, "app/x.py", "from inference.types import Message"),
        (engines, "app/chat/chat.py", "from inference import GemmaEngine"),
        (engines, "app/ui/window.py", "def f(engine):\n    engine.generate(1, 2)"),
        (widgets, "app/ui/window.py", "from app.store import database"),
        (widgets, "app/ui/window.py", "import sqlite3"),
        (widgets, "app/chat/chat.py", "from app.ui.window import Window"),
        (network, "app/chat/export.py", "import http.client"),
        (network, "app/chat/export.py", "from urllib import request"),
        (network, "inference/loading/x.py", "from huggingface_hub import snapshot_download"),
        (network, "app/instance.py", "from PySide6.QtNetwork import QTcpSocket"),
        (late_imports, "app/chat/chat.py", "def f():\n    import json"),
        (module_state, "app/x.py", "CACHE = {}"),
        (module_state, "app/x.py", "SEEN = [1]\ndef f():\n    SEEN.append(2)"),
        (module_state, "app/x.py", "N = 0\ndef f():\n    global N\n    N = 1"),
        (module_state, "app/x.py", "print('hello')"),
    ],
)
def test_the_rule_can_be_broken(rule, file, source):
    assert rule({file: source})


def test_a_circle_of_modules_is_found():
    assert cycles({"app/a.py": "import app.b", "app/b.py": "from app import a"}) == [
        "app.a",
        "app.b",
    ]
