"""Models built by calls."""

import pickle

import numpy as np
import polhode
import pytest
from conftest import EXAMPLES


def double_pendulum():
    rod = dict(mass=61.6538, inertia=[5.1763, 0.0771, 5.1763])
    return (polhode.Spec("spatial double pendulum", gravity=[0, 0, "-g"])
            .parameter(l=1.0, g=9.81)
            .body("rod1", position=[0, "l/2", 0], **rod)
            .body("rod2", position=["-l/2", "l", 0], orientation={"matrix": np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])}, **rod)
            .joint("O", "ball", "world", "rod1", anchor=[0, 0, 0])
            .joint("A", "ball", "rod1", "rod2", anchor=(0, "l", 0))
            .run(scheme="rattlie", step=1e-3, until=50))


def test_same_motion_as_the_file():
    a = polhode.Sim(double_pendulum().compile())
    b = polhode.Sim(polhode.Model.from_file(EXAMPLES / "double_pendulum.yaml"))
    a.step(500)
    b.step(500)
    np.testing.assert_array_equal(a.state.position, b.state.position)


def test_text_is_a_model_file(tmp_path):
    (tmp_path / "model.yaml").write_text(double_pendulum().to_text())
    model = polhode.Model.from_file(tmp_path / "model.yaml", {"l": 2})
    assert model.state().position[1, 1] == 2


def test_parameters_of_a_spec():
    assert double_pendulum().compile({"l": 4}).state().position[0, 1] == 2


def test_every_element():
    model = (polhode.Spec("all", gravity=np.array([0, 0, -9.81]))
             .body("frame", fixed=True)
             .body("a", mass=np.float64(1), inertia=np.eye(3), position=[1, 0, 0])
             .body("b", mass=1, inertia=[1, 1, 1], position=[2, 0, 0])
             .shape("a", "sphere", radius=0.1).shape("a", "box", size=[1, 2, 3])
             .joint("h1", "revolute", "frame", "a", anchor=[0, 0, 0], axis=[0, 0, 1], damping=0.1)
             .joint("h2", "revolute", "a", "b", anchor=[1, 0, 0], axis=[0, 0, 1])
             .gear("g", "h1", "h2", 2)
             .spring("a", "b", stiffness=10, length=0.5, name="s")
             .torsion("h1", stiffness=3)
             .bushing("world", "b", stiffness=np.eye(6) * 5, anchor=[2, 0, 0])
             .wrench("b", force=[0, "2*u", "sin(t)"], frame="body")
             .input(u=1.5).gravity(0, 0, -1).record(stress="all").project()
             .run(step=1e-3).compile())
    assert list(model.joints) == ["h1", "h2", "g"]
    assert model.bodies["a"].shapes == 2
    assert model.gravity[2] == -1
    sim = polhode.Sim(model)
    sim.step(100)
    assert sim.state.inputs[0] == 1.5
    assert polhode.Sim(model).run(until=0.01).stress.shape == (11, 2, 3, 3)


def test_mistakes_of_a_spec():
    spec = polhode.Spec().body("rod", mass=-1, inertia=[1, 1, 1], massiveness=3).joint("j", "bal", "world", "road")
    with pytest.raises(polhode.ModelError) as caught:
        spec.compile()
    text = str(caught.value)
    for part in ("<spec>:", "unknown key 'massiveness'", "did you mean 'ball'?"):
        assert part in text
    with pytest.raises(polhode.ArgumentError, match="no body 'x' yet"):
        spec.shape("x", "sphere")
    with pytest.raises(polhode.ModelError):
        polhode.Spec().body("b", mass=float("nan"), inertia=[1, 1, 1]).compile()
    with pytest.raises(TypeError):
        polhode.Spec().body("b", mass=object(), inertia=[1, 1, 1]).compile()


def test_odd_names():
    model = polhode.Spec("Größe ⚙ 𝄞").body('b "1"', mass=1, inertia=[1, 1, 1]).compile()
    assert list(model.bodies) == ['b "1"']
    assert model.name == "Größe ⚙ 𝄞"


def test_states_are_pickled_whole(tmp_path):
    sim = polhode.Sim(double_pendulum().compile(), "lgvi-del")
    sim.step(100)
    other = pickle.loads(pickle.dumps(sim.state))
    sim.state.save(tmp_path / "state")
    third = sim.model.state()
    third.load(tmp_path / "state")
    sim.step(100)
    for state in (other, third):
        again = polhode.Sim(state.model, "lgvi-del", 1e-3, state=state)
        again.step(100)
        np.testing.assert_array_equal(again.state.position, sim.state.position)
    (tmp_path / "state").write_bytes((tmp_path / "state").read_bytes()[:-9])
    with pytest.raises(polhode.Error):
        third.load(tmp_path / "state")
    with pytest.raises(TypeError):
        third._load("text")
