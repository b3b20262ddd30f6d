"""Random mechanisms of tests/cross, built once more by calls of Python: the same bits as in C.

POLHODE_CROSS_SEEDS says how many mechanisms there are to choose from; each fourth is written by the program of the C tests.
"""

import json
import os
import pathlib
import subprocess

import numpy as np
import polhode
import pytest

PROGRAM = pathlib.Path(polhode.__file__).parents[2] / "tests" / "cross" / "test_kept"


def build(model):
    """A mechanism by calls, element by element."""
    spec = polhode.Spec(gravity=model.get("gravity", [0, 0, 0]))
    for body in model["bodies"]:
        spec.body(**body)
    for joint in model.get("joints", []):
        joint = dict(joint)
        name, kind = joint.pop("name"), joint.pop("type")
        if kind == "gear":
            spec.gear(name, *joint["joints"], joint["ratio"])
        else:
            spec.joint(name, kind, *joint.pop("bodies"), **joint)
    for force in model.get("forces", []):
        force = dict(force)
        spec.force(force.pop("type"), **force)
    return spec.compile()


@pytest.mark.skipif(not PROGRAM.exists(), reason="the program of the C tests is not built")
def test_same_bits_as_in_c(tmp_path):
    seeds = int(os.environ.get("POLHODE_CROSS_SEEDS", "200"))
    environment = os.environ | {"POLHODE_CROSS_WRITE": str(tmp_path), "POLHODE_CROSS_SEEDS": str(seeds)}
    subprocess.run([PROGRAM, "file_calls"], env=environment, check=True, stdout=subprocess.DEVNULL)
    other, same = [], 0
    for path in sorted(tmp_path.iterdir()):
        scheme, numbers, text = path.read_text().split("\n", 2)
        sim = polhode.Sim(build(json.loads(text)), scheme=scheme, step=1e-3)
        try:
            sim.step(20)
        except polhode.StepError:  # the state is that of the last good step, in C too
            pass
        s = sim.state
        parts = np.hstack([s.position, s.orientation, s.velocity, s.angular_velocity]).ravel()
        expected = np.array([float.fromhex(x) for x in numbers.split()])
        same += parts.tobytes() == expected.tobytes()
        if parts.tobytes() != expected.tobytes():
            other.append(path.name)
    assert not other
    assert same > seeds / 8
