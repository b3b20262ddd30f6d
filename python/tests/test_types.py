"""Stubs say what there is, and everything public is documented."""

import ast
import inspect
import os
import pathlib

import subprocess
import sys

import polhode
import pytest
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


PROGRAM = '''
import numpy as np
import numpy.typing as npt
import polhode
from polhode.clifford import Motor, Twist

Floats = npt.NDArray[np.float64]


def drag(motion: polhode.Motion) -> Floats:
    return -0.3 * motion.velocity


def swing(rate: float) -> polhode.Result:
    spec = polhode.Spec("pendulum", gravity=[0, 0, -9.81]).parameter(l=1.0).input(u=0.0)
    spec.body("rod", mass=2, inertia=[0.17, 0.001, 0.17], position=[0, "l/2", 0])
    spec.joint("hook", "revolute", "world", "rod", anchor=[0, 0, 0], axis="x", motor={"torque": "u"})
    spec.callback("rod", drag)
    state: polhode.State = spec.compile().state()
    state.set_joint("hook", 0.3, rate=rate)
    state.project()
    return polhode.Sim(state.model, scheme="rattlie", step=1e-3, state=state).run(until=0.1, every=10)


def study(model: polhode.Model, omega: Floats, controls: Floats) -> tuple[Floats, Floats]:
    worlds = polhode.Batch(model, 4, seed=1)
    worlds.rollout(controls, every=5)
    rows = polhode.rollout(model, {"angular_velocity": omega}, steps=100)
    loaded = polhode.Result.load("motion.h5")
    names: list[str] = [scheme.name for scheme in polhode.schemes().values()]
    turn: Motor = ~Twist.make([0, 0, 1], [0, 0, 0]).exp()
    print(loaded.to_dataframe("energy"), names, turn, worlds.joints()[0].shape)
    return rows.position, swing(-6.0).time
'''


def test_a_program_that_uses_it_is_typed(tmp_path):
    pytest.importorskip("mypy")
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    said = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--cache-dir", str(tmp_path), str(path)],
                          env={**os.environ, "MYPYPATH": str(STUB.parent.parent)}, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stdout + said.stderr


def test_marker():
    assert (STUB.parent / "py.typed").exists()
