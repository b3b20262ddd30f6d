"""Stubs say what there is, and everything public is documented."""

import ast
import inspect
import pathlib

import polhode
from polhode import _core, clifford

STUB = pathlib.Path(polhode.__file__).parent / "_core.pyi"


def declared():
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, None
        if isinstance(node, ast.ClassDef):
            members = set()
            for part in node.body:
                if isinstance(part, ast.FunctionDef):
                    members.add(part.name)
                if isinstance(part, ast.AnnAssign):
                    members.add(part.target.id)
            yield node.name, members


def test_stub_matches_the_module():
    there = {n for n in dir(_core) if not n.startswith("_")}
    assert {name for name, _ in declared()} == there
    for name, members in declared():
        if members is not None:
            own = {m for m in vars(getattr(_core, name)) if not m.startswith("__")}
            assert members - {"__new__"} == own, name


def test_everything_is_documented():
    for module in (polhode, clifford):
        for name, thing in vars(module).items():
            if name.startswith("_") or not (inspect.isclass(thing) or inspect.isfunction(thing)) or "polhode" not in thing.__module__:
                continue
            assert inspect.getdoc(thing), name
            if inspect.isclass(thing):
                for member, value in vars(thing).items():
                    if inspect.isfunction(value) and not member.startswith("_"):
                        assert inspect.getdoc(value), f"{name}.{member}"


def test_marker():
    assert (STUB.parent / "py.typed").exists()
