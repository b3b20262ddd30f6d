"""Models: reading, mistakes, what they hold."""

import copy
import pickle

import numpy as np
import polhode
import pytest
from conftest import EXAMPLES, PENDULUM


def test_file_and_string_are_the_same_model():
    path = EXAMPLES / "double_pendulum.yaml"
    a = polhode.Model.from_file(path)
    b = polhode.Model.from_string(path.read_text())
    assert a.text == b.text
    assert list(a.bodies) == ["rod1", "rod2"]
    assert list(a.joints) == ["O", "A"]
    assert (a.rows, a.velocities, a.rank, a.freedoms) == (6, 12, 6, 6)
    np.testing.assert_array_equal(a.gravity, [0, 0, -9.81])
    assert a.bodies["rod1"].mass == 61.6538
    np.testing.assert_array_equal(a.bodies["rod1"].inertia, np.diag([5.1763, 0.0771, 5.1763]))
    assert a.joints["A"].type == "ball"
    assert (a.joints["O"].body_a, a.joints["O"].body_b) == (-1, 0)


def test_the_class_says_how_models_are_made():
    with pytest.raises(TypeError, match="from_file"):
        polhode.Model(str(EXAMPLES / "four_bar.yaml"))


def test_parameters():
    model = polhode.Model.from_string(PENDULUM, {"l": 2, "m": "3*2", "g": np.float64(1.62)})
    assert model.bodies["rod"].mass == 6
    assert model.gravity[2] == -1.62
    assert model.state().position[0, 1] == 1.0


def test_unknown_parameter():
    with pytest.raises(polhode.ModelError, match="length"):
        polhode.Model.from_string(PENDULUM, {"length": 2})


def test_all_mistakes_at_once_with_their_place():
    with pytest.raises(polhode.ModelError) as caught:
        polhode.Model.from_string("polhode: 1\nboddies: []\ngravity: [0, 1]\n", name="bad.yaml")
    text = str(caught.value)
    assert "bad.yaml:2:1: error: unknown key 'boddies'" in text
    assert "did you mean 'bodies'?" in text
    assert "bad.yaml:3:" in text
    assert isinstance(caught.value, ValueError)
    assert caught.value.status == "PH_BAD_MODEL"
    first = caught.value.problems[0]
    assert (first["line"], first["column"], first["severity"]) == (2, 1, "error")


BAD = [p for p in sorted((EXAMPLES.parent / "tests/bad").glob("*.yaml")) if not p.stem.startswith("setting_")]  # those are good by themselves


@pytest.mark.parametrize("path", BAD, ids=lambda p: p.stem)
def test_bad_files_raise(path):
    with pytest.raises(polhode.Error):
        polhode.Sim(polhode.Model.from_file(path), step=1e-3)


def test_missing_file():
    with pytest.raises(FileNotFoundError, match="no/such.yaml"):
        polhode.Model.from_file("no/such.yaml")


def test_names():
    model = polhode.Model.from_string(PENDULUM)
    assert model.body_index("rod") == 0
    assert model.body_index("world") == -1
    assert model.joint_index("hinge") == 0
    assert model.input_index("u") == 0
    with pytest.raises(polhode.ArgumentError, match="no body 'road'; there are: rod"):
        model.body_index("road")


def test_models_are_not_made_by_hand():
    with pytest.raises(TypeError):
        polhode.Model()
    with pytest.raises(TypeError):
        object.__new__(polhode.Model)
    with pytest.raises(TypeError):
        polhode._core.Model()


def test_copy_and_pickle():
    model = polhode.Model.from_string(PENDULUM, {"l": 3})
    assert copy.copy(model) is model
    assert copy.deepcopy(model) is model
    again = pickle.loads(pickle.dumps(model))
    assert again.state().position[0, 1] == 1.5


def test_listings():
    schemes = polhode.schemes()
    assert schemes["rattlie"].order == 2
    assert "symplectic" in schemes["rattlie"].traits
    assert schemes["rk4"].order == 4
    assert polhode.joints()["ball"].rows == 3
    assert polhode.joints()["revolute"].coordinates == 1
