"""Starting and editing mechanisms: joint coordinates, rates, keyframes, states that leave their joints."""

import math

import numpy as np
import polhode
import pytest
from conftest import EXAMPLES, PENDULUM


def test_an_edited_state_is_refused(double_pendulum):
    sim = polhode.Sim(double_pendulum)
    before = sim.state.measure().total
    sim.state.position[0, 2] += 0.3
    with pytest.raises(polhode.StateError, match=r"joint '.*' is off by 0.3"):
        sim.step()
    done = sim.state.project()
    assert 0 < done.moved < 0.3 and done.assemblies == 0
    sim.step(10)
    assert abs(sim.state.measure().position_violation) < 1e-12
    assert abs(sim.state.measure().total - before) < 1000


def test_coordinates_and_rates_of_a_state(pendulum):
    sim = polhode.Sim(pendulum)
    sim.state.set_joint("hinge", 7.0)
    with pytest.raises(polhode.StateError, match="project"):
        sim.step()
    sim.state.set_joint("hinge", rate=-2)
    done = sim.state.project()
    q, rate = sim.state.joint("hinge")
    assert q[0] == pytest.approx(7.0, abs=1e-14) and rate[0] == pytest.approx(-2, abs=1e-14)
    assert done.kinetic_before == 0 and done.kinetic_after > 0
    sim.step(10)
    with pytest.raises(polhode.ArgumentError):
        sim.state.set_joint("hinge", [0.0, 1.0])


def test_a_model_starts_at_a_rate():
    model = polhode.Model.from_string(PENDULUM, {"hinge.rate": -6, "hinge.coordinate": "l/2"})
    q, rate = model.state().joint("hinge")
    assert q[0] == pytest.approx(0.5) and rate[0] == pytest.approx(-6)
    with pytest.raises(polhode.ModelError, match="hinge"):
        polhode.Model.from_string(PENDULUM, {"hing.rate": -6})


def test_a_loop_keeps_the_rate_that_is_given():
    model = polhode.Model.from_file(EXAMPLES / "four_bar.yaml", {"A.rate": -6})
    state = model.state()
    assert state.joint("A")[1][0] == pytest.approx(-6, abs=1e-13)
    assert state.measure().velocity_violation < 1e-13
    state.set_joint("A", coordinate=1.0, rate=-6.0)
    assert state.project().assemblies >= 2
    assert state.joint("A")[0][0] == pytest.approx(1.0, abs=1e-14)


def test_keyframes():
    spec = (polhode.Spec("arm", gravity=[0, 0, -9.81])
            .body("upper", mass=2, inertia=[0.2, 0.2, 0.01], position=[0, 0, -0.5])
            .body("lower", mass=1, inertia=[0.1, 0.1, 0.01], position=[0, 0, -1.5])
            .joint("shoulder", "universal", "world", "upper", anchor=[0, 0, 0], axis="x", axis2="y")
            .joint("elbow", "revolute", "upper", "lower", anchor=[0, 0, -1], axis="y", rate=0.5)
            .keyframe("bent", joints={"elbow": {"coordinate": 1.2, "rate": 2}, "shoulder": [0.1, -0.3]}, time=0)
            .keyframe("rest"))
    model = spec.compile()
    assert model.keyframes == ("bent", "rest")
    state = model.state()
    assert state.joint("elbow")[1][0] == pytest.approx(0.5)
    state.set_keyframe("bent")
    np.testing.assert_allclose(state.joint("shoulder")[0], [0.1, -0.3], atol=1e-14)
    np.testing.assert_allclose(state.joint("elbow"), [[1.2], [2]], atol=1e-13)
    state.set_keyframe("rest")
    assert state.measure().kinetic == 0
    with pytest.raises(polhode.ArgumentError, match="bent, rest"):
        state.set_keyframe("ben")
    bent = polhode.Model.from_string(spec.to_text(), keyframe="bent").state()
    assert bent.joint("elbow")[0][0] == pytest.approx(1.2)
    assert polhode.Spec.start(spec, "bent").compile().state().joint("elbow")[0][0] == pytest.approx(1.2)


def test_numbers_that_are_none(pendulum):
    state = pendulum.state()
    with pytest.raises(polhode.ArgumentError):
        state.set_joint("hinge", math.inf)
    state.position[0] = np.nan
    with pytest.raises(ValueError):
        state.project()
    state.reset()
    state.project()


def test_parts_sites_and_defaults():
    model = (polhode.Spec("two arms", gravity=[0, 0, -9.81])
             .defaults(shapes={"type": "capsule", "radius": 0.02, "density": 1000}, joints={"type": "revolute"})
             .parameter(p=[0.1, 0, 0])
             .model("arm", parameters={"l": 0.5}, bodies=[{"name": "rod", "position": ["l/2", 0, 0],
                                                           "shapes": [{"axis": "x", "length": "l"}]}],
                    joints=[{"name": "root", "bodies": ["world", "rod"], "anchor": [0, 0, 0], "axis": "y"}],
                    sites=[{"name": "tip", "body": "rod", "position": ["l/2", 0, 0]}])
             .part(model="arm", prefix="a_")
             .part(model="arm", prefix="b_", parameters={"l": 0.25}, position="10*p")
             .compile())
    assert list(model.bodies) == ["a_rod", "b_rod"]
    np.testing.assert_allclose(model.state().site("b_tip").position, [1.25, 0, 0], atol=1e-15)
    with pytest.raises(polhode.ArgumentError):
        model.state().site("tip")
