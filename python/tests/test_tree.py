"""Trees over batches."""

import pickle

import numpy as np
import polhode
import pytest
from conftest import PENDULUM

rng = np.random.default_rng(1)


def arm():
    def link(parent, anchor, axis, com):
        return polhode.Link(parent, "revolute", anchor, axis, 2.0, com, [0.1, 0.2, 0.15])

    return polhode.Tree([link(-1, (0, 0, 0), (0, 0, 1), (0.2, 0, 0)), link(0, (0.5, 0, 0), (0, 1, 0), (0.7, 0, 0.1)),
                         link(1, (1, 0, 0), (1, 0, 0), (1.1, 0.1, 0)), polhode.Link(1, "ball", (1, 0, 0), mass=1, com=(1, 0, 1),
                                                                                  inertia=np.eye(3))])


def states(tree, *lead):
    q = np.broadcast_to(tree.home(), (*lead, tree.coordinates)) + rng.normal(size=(*lead, tree.coordinates)) * 0.3
    return q, rng.normal(size=(*lead, tree.velocities)), rng.normal(size=(*lead, tree.velocities))


def test_screw_advances_by_its_pitch():
    nut = polhode.Link(-1, "screw", (0, 0, 0), (0, 0, 1), 3.0, (0, 0, 0), [0.02, 0.02, 0.03], pitch=0.05)
    tree = polhode.Tree([nut])
    np.testing.assert_allclose(tree.mass_matrix([0.3]), [[0.03 + 3.0 * 0.05**2]], rtol=1e-14)
    np.testing.assert_allclose(tree.inverse_dynamics([0.3], [0.0]), [3.0 * 9.81 * 0.05], rtol=1e-13)
    again = pickle.loads(pickle.dumps(tree))
    np.testing.assert_array_equal(again.mass_matrix([0.3]), tree.mass_matrix([0.3]))
    with pytest.raises(polhode.Error, match="needs a pitch"):
        polhode.Tree([polhode.Link(joint="screw", mass=1, inertia=[1, 1, 1])])


def test_sizes():
    tree = arm()
    assert (tree.links, tree.coordinates, tree.velocities) == (4, 7, 6)
    np.testing.assert_array_equal(tree.home(), [0, 0, 0, 1, 0, 0, 0])
    assert (tree.first_coordinate(3), tree.first_velocity(3)) == (3, 3)


def test_forward_is_the_inverse_of_inverse():
    tree = arm()
    q, u, a = states(tree, 5, 3)
    tau = tree.inverse_dynamics(q, u, a)
    assert tau.shape == (5, 3, 6)
    np.testing.assert_allclose(tree.forward_dynamics(q, u, tau), a, atol=1e-10)


def test_mass_matrix_and_energy():
    tree = arm()
    q, u, a = states(tree, 7)
    mass = tree.mass_matrix(q)
    bias = tree.inverse_dynamics(q, u)
    np.testing.assert_allclose(tree.inverse_dynamics(q, u, a), np.einsum("nij,nj->ni", mass, a) + bias, atol=1e-10)
    np.testing.assert_allclose(tree.energy(q, u)[0], 0.5 * np.einsum("ni,nij,nj->n", u, mass, u), rtol=1e-12)


def test_jacobian_twists_and_motors():
    tree = arm()
    q, u, a = states(tree, 4)
    twists = tree.twists(q, u)
    for link in range(tree.links):
        jacobian = tree.jacobian(q, link)
        assert jacobian.shape == (4, 6, 6)
        np.testing.assert_allclose(np.einsum("nij,nj->ni", jacobian, u), twists[:, link], atol=1e-13)
    h = 1e-6
    ahead, behind = tree.motors(tree.advance(q, u, h)), tree.motors(tree.advance(q, u, -h))
    g = polhode.clifford.Motor(tree.motors(q))
    np.testing.assert_allclose((ahead - behind) / (2 * h), g.rate(polhode.clifford.Twist(twists)), atol=1e-8)


def test_wrenches_by_virtual_work():
    tree = arm()
    q, u, _ = states(tree)
    wrench = rng.normal(size=(tree.links, 6))
    difference = tree.inverse_dynamics(q, u) - tree.inverse_dynamics(q, u, wrenches=wrench)
    expected = sum(tree.jacobian(q, k).T @ wrench[k] for k in range(tree.links))
    np.testing.assert_allclose(difference, expected, atol=1e-11)


def test_gravity_is_the_gradient_of_the_potential():
    tree = polhode.Tree([polhode.Link(-1, "revolute", axis=(1, 0, 0), mass=2, com=(0, 0.5, 0), inertia=[0.17, 0.01, 0.17])])
    tau = tree.inverse_dynamics(np.array([[0.0], [0.3]]), np.zeros(1))
    np.testing.assert_allclose(tau[:, 0], 2 * 9.81 * 0.5 * np.cos([0.0, 0.3]), rtol=1e-12)
    np.testing.assert_allclose(tree.center_of_mass([0.0]), [0, 0.5, 0], atol=1e-15)


def test_from_model():
    model = polhode.Model.from_string(PENDULUM)
    tree = polhode.Tree.from_model(model)
    assert tree.link("rod") == 0
    acceleration = tree.forward_dynamics([0.0], [0.0], [0.0])
    np.testing.assert_allclose(acceleration, model.state().accelerations()[0, :1], rtol=1e-12)
    again = pickle.loads(pickle.dumps(tree))
    assert again.velocities == 1
    assert pickle.loads(pickle.dumps(arm())).velocities == 6


def test_wrong():
    tree = arm()
    q, u, a = states(tree, 3)
    for call in (lambda: tree.mass_matrix(u), lambda: tree.inverse_dynamics(q, u[:2]), lambda: tree.mass_matrix(1.0),
                 lambda: polhode.Tree([polhode.Link(joint="hinge")]), lambda: polhode.Tree([polhode.Link(parent=5, mass=1)]),
                 lambda: polhode.Tree([polhode.Link(inertia=[1, 2])]), lambda: polhode.Tree([polhode.Link(axis=(0, 0, 0), mass=1)]),
                 lambda: tree.link("x"), lambda: polhode.Tree([polhode.Link(anchor=(1, 2))])):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(IndexError):
        tree.jacobian(q, 9)
    with pytest.raises(polhode.StepError, match="member 0"):
        polhode.Tree([polhode.Link(mass=0.0)]).forward_dynamics([0.0], [0.0], [1.0])
    for arguments in (("none", 1, 0.0, ()), ("home", -1, 0.0, ()), ("home", 10**17, 0.0, (np.zeros(7),)),
                      ("home", 1, 0.0, (np.zeros(6),))):
        with pytest.raises((ValueError, IndexError)):
            tree._call(*arguments)
    for arguments in (("home", 1, 0.0, (None,)), ("home", 1, 0.0, ("abc",)), ("home", 1, 0.0, (np.zeros(7, dtype=np.float32),)),
                      ("home", "a", 0.0, ()), (3,)):
        with pytest.raises(TypeError):
            tree._call(*arguments)
    with pytest.raises((ValueError, BufferError)):
        frozen = np.zeros(7)
        frozen.flags.writeable = False
        tree._call("home", 1, 0.0, (frozen,))
    with pytest.raises((ValueError, BufferError)):
        tree._call("home", 1, 0.0, (np.zeros(14)[::2],))
