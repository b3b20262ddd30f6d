"""Models that many tests use, and the line that ./test counts."""

import pathlib

import polhode
import pytest

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"

PENDULUM = """\
polhode: 1
name: pendulum
parameters: {l: 1.0, g: 9.81, m: 2}
gravity: [0, 0, -g]
inputs: {u: 0}
bodies:
  - {name: rod, mass: m, inertia: [0.17, 0.01, 0.17], position: [0, l/2, 0]}
joints:
  - {name: hinge, type: revolute, bodies: [world, rod], anchor: [0, 0, 0], axis: [1, 0, 0]}
forces:
  - {type: wrench, body: rod, torque: [u, 0, 0]}
run: {scheme: rattlie, step: 1e-3, until: 1}
"""


@pytest.fixture
def pendulum():
    return polhode.Model.from_string(PENDULUM)


@pytest.fixture
def double_pendulum():
    return polhode.Model.from_file(EXAMPLES / "double_pendulum.yaml")


def pytest_terminal_summary(terminalreporter):
    count = {kind: len(terminalreporter.stats.get(kind, [])) for kind in ("passed", "failed", "error", "skipped")}
    terminalreporter.write_line(
        f"{count['passed']} passed, {count['failed'] + count['error']} failed, {count['skipped']} skipped")
