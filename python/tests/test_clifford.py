"""Clifford algebras and typed values."""

import math
import pickle

import numpy as np
import pytest
from polhode import ArgumentError
from polhode.clifford import Algebra, Coscrew, Inertia, Motor, Multivector, Plane, Point, Symmetric, Twist, cl062

rng = np.random.default_rng(2)


def some(algebra):
    return algebra.multivector(rng.normal(size=1 << len(algebra.squares)))


def test_generators_square_and_anticommute():
    algebra = Algebra(2, 1, 1)
    e = algebra.generators
    for i, x in enumerate(e):
        assert x * x == algebra.scalar(algebra.squares[i])
        for y in e[i + 1:]:
            assert x * y == -(y * x) and (x ^ y) == x * y
    assert repr(2 - 3 * e[0] * e[1]) == "2 - 3 e1e2"
    assert algebra["e2e1"] == -algebra["e1e2"]
    assert (5 * algebra["e1e2"])["e2e1"] == -5


@pytest.mark.parametrize("signature", [(3, 0, 0), (1, 3, 0), (3, 0, 1), (0, 3, 1), (4, 1, 0), (2, 2, 2)])
def test_laws(signature):
    algebra = Algebra(*signature)
    x, y, z = some(algebra), some(algebra), some(algebra)
    assert ((x * y) * z).close_to(x * (y * z), 1e-10)
    assert ((x ^ y) ^ z).close_to(x ^ (y ^ z), 1e-10)
    assert ((x & y) & z).close_to(x & (y & z), 1e-10)
    assert (~(x * y)).close_to(~y * ~x, 1e-11)
    assert ((x * y).involute()).close_to(x.involute() * y.involute(), 1e-11)
    assert x.conjugate() == (~x).involute()
    total = sum((x.grade(k) for k in range(sum(signature) + 1)), algebra.scalar(0))
    assert total == x
    whole = algebra["".join(algebra.names)]
    assert (x & whole).close_to(x) and (x ^ 1).close_to(x)


def test_rotor():
    plane = Algebra(2)
    e1, e2 = plane.generators
    rotor = (-0.5 * 0.7 * e1 * e2).exp()
    turned = rotor * e1 * ~rotor
    assert turned["e1"] == pytest.approx(math.cos(0.7)) and turned["e2"] == pytest.approx(math.sin(0.7))
    assert np.float64(2) * e1 == 2 * e1 and (e1 / 2)["e1"] == 0.5 and (1 - e1) == -(e1 - 1)


def test_quaternions_are_cl02():
    i, j = Algebra(0, 2).generators
    k = i * j
    assert i * j * k == Algebra(0, 2).scalar(-1)


def test_wrong():
    algebra = Algebra(3)
    x = algebra["e1"]
    for call in (lambda: Algebra(11), lambda: Algebra(-1), lambda: Algebra(squares=[2]), lambda: Algebra(squares=[1] * 11),
                 lambda: algebra["e9"], lambda: Multivector(algebra, [1, 2]), lambda: x * Algebra(2)["e1"],
                 lambda: Algebra(2, names=["a", "a"]), lambda: Algebra(2, names=["a"]), lambda: Twist([1, 2]),
                 lambda: Motor([1]), lambda: Twist(np.zeros((2, 6))).bracket(Twist(np.zeros((3, 6)))),
                 lambda: Algebra(3)["e1"].bar(), lambda: Twist.from_multivector(cl062()["a1"])):
        with pytest.raises(ValueError):
            call()
    for call in (lambda: x * "a", lambda: x + object(), lambda: Multivector(3, []), lambda: x & None,
                 lambda: Motor.identity() * 3, lambda: Twist(np.zeros(6)) @ 3, lambda: algebra.apply(0, x, x, 0)):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(ArithmeticError):
        (1e6 * x).exp()
    with pytest.raises(ArgumentError):
        algebra.apply(99, x.coefficients, None, 0)
    assert pickle.loads(pickle.dumps(algebra)) == algebra


# ---- Typed values are what the algebra says they are ----------------------------------------------------------------


def motors(*lead):
    return Twist(rng.normal(size=(*lead, 6))).exp()


def test_motors_move_as_sandwich_products():
    g, s = motors(), Twist(rng.normal(size=6))
    G = g.multivector()
    assert (G * s.multivector() * G.conjugate()).close_to((g * s).multivector())
    assert (G * motors().multivector()).algebra == cl062()
    h = motors()
    assert (G * h.multivector()).close_to((g * h).multivector())
    p = Point.make([1.0, 2, 3])
    assert (G * p.multivector() * G.conjugate()).close_to((g * p).multivector())
    R, t = g.matrix()
    np.testing.assert_allclose((g * p).position, R @ [1, 2, 3] + t, atol=1e-13)


def test_motor_exp_log_inverse():
    g = motors(4, 3)
    np.testing.assert_allclose(abs((g.log().exp()).array), abs(g.array), atol=1e-12)
    np.testing.assert_allclose((g * ~g).array, np.broadcast_to(Motor.identity().array, (4, 3, 8)), atol=1e-14)
    q, t = g.split()
    np.testing.assert_allclose(Motor.make(q, t).array, g.array, atol=1e-14)
    np.testing.assert_allclose(g.defects(), 0, atol=1e-14)
    assert np.abs((2 * g.unit().array) - (Motor(2 * g.array).unit() * Motor.identity()).array * 2).max() < 1e-13


def test_bracket_and_power():
    x, y = Twist(rng.normal(size=(5, 6))), Twist(rng.normal(size=(5, 6)))
    X, Y = x[0].multivector(), y[0].multivector()
    assert (0.5 * (X * Y - Y * X)).close_to(x[0].bracket(y[0]).multivector())
    P = Coscrew.make(rng.normal(size=3), rng.normal(size=3))
    np.testing.assert_allclose(P @ x, x.omega @ P.l + x.v @ P.p, atol=1e-13)
    np.testing.assert_allclose(x.coadjoint(P) @ y, -(P @ x.bracket(y)), atol=1e-12)  # {s, P}(y) = -P([s, y])


def test_inertia():
    N = Inertia.make(2.0, [0.1, 0.2, 0.3], np.diag([0.1, 0.2, 0.15]))
    s = Twist(rng.normal(size=(4, 6)))
    P = N @ s
    v = s.v + np.cross(s.omega, [0.1, 0.2, 0.3])  # of the centre of mass
    np.testing.assert_allclose(P.p, 2 * v, atol=1e-13)
    np.testing.assert_allclose(N.kinetic_energy(s), 0.5 * (P @ s), rtol=1e-13)
    np.testing.assert_allclose((N.inverse() @ P).array, s.array, atol=1e-12)
    g = motors()
    np.testing.assert_allclose((g * N).kinetic_energy(g * s), N.kinetic_energy(s), rtol=1e-12)
    with pytest.raises(ArithmeticError):
        Inertia(np.zeros(10)).inverse()
    spring = Symmetric.spring(3.0, Twist.line([0, 0, 0], [1, 0, 0]))
    np.testing.assert_allclose(spring.elastic_energy(Twist.make([0, 0, 0], [0.2, 0, 0])), 0.5 * 3 * 0.04)


def test_points_lines_planes():
    a, b = Point.make([0, 0, 1]), Point.make([1, 0, 1])
    line = a & b
    floor = Plane.make([0, 0, 0], [0, 0, 1])
    wall = Plane.make([3, 0, 0], [1, 0, 0])
    np.testing.assert_allclose((wall ^ line).position, [3, 0, 1])
    np.testing.assert_allclose((wall ^ (floor ^ Plane.make([0, 2, 0], [0, 1, 0]))).position, [3, 2, 0])
    plane = Point.make([0, 1, 1]) & line
    np.testing.assert_allclose([plane.incidence(x) for x in (a, b, Point.make([5, 7, 1]))], 0, atol=1e-15)
    assert plane.incidence(Point.make([0, 0, 0])) != 0
    assert Twist.from_multivector(line.multivector()).array == pytest.approx(line.array)


# ---- Acceleration, defects, 6x6 matrices, screws ---------------------------------------------------------------------


def _body():
    rng = np.random.default_rng(3)
    N = Inertia.make(2.0, [0.3, -0.2, 0.5], np.diag([1.0, 2.0, 2.5]))
    s, W = Twist(rng.normal(size=6)), Coscrew(rng.normal(size=6))
    return N, s, W


def test_acceleration_leaves_no_defect():
    N, s, W = _body()
    rate = N.acceleration(s, W)
    assert np.abs(N.motion_defect(s, rate, W).array).max() < 1e-13
    assert np.abs(N.motion_defect_coadjoint(s, rate, W).array).max() < 1e-13
    assert np.abs(N.motion_defect(s, rate * 1.1, W).array).max() > 1e-3


def test_wedge_and_shuffle_are_those_of_the_algebra():
    N, s, W = _body()
    assert np.allclose((N ^ s).multivector().coefficients, (N.multivector() ^ s.multivector()).coefficients, atol=1e-13)
    assert np.allclose((N ^ s).coscrew().array, (N @ s).array)
    assert np.isclose(s.bar() & (N ^ s), 2.0 * N.kinetic_energy(s))


def test_six_by_six_in_and_out():
    N, s, W = _body()
    assert np.allclose(N.matrix() @ s.array, (N @ s).array)
    assert np.allclose(Inertia.from_matrix(N.matrix()).array, N.array, atol=1e-12)
    K = Symmetric.from_matrix(N.matrix() + np.diag([1.0, 2, 3, 4, 5, 6]))
    assert np.allclose((K @ s).array, N.matrix() @ s.array + np.array([1.0, 2, 3, 4, 5, 6]) * s.array)
    assert np.allclose(K.damping_wrench(s).array, -(K @ s).array)
    g = Twist([0.3, -0.2, 0.5, 1.0, 2.0, 3.0]).exp()
    H = g.adjoint()
    assert np.allclose(H @ s.array, (g * s).array)
    assert np.allclose((g * K).matrix(), np.linalg.inv(H).T @ K.matrix() @ np.linalg.inv(H), atol=1e-11)
    many = Symmetric(np.stack([K.array, 2 * K.array]))
    assert many.matrix().shape == (2, 6, 6) and np.allclose(Symmetric.from_matrix(many.matrix()).array, many.array, atol=1e-11)
    with pytest.raises(ArgumentError):
        Symmetric.from_matrix(np.triu(np.ones((6, 6))))
    with pytest.raises(ArgumentError):
        Inertia.from_matrix(np.eye(6) * np.arange(6))


def test_pitch_axis_and_reciprocity():
    line = Twist.line([1.0, 2, 3], [0.0, 0.6, 0.8])
    s = Twist.make(2 * line.omega, 2 * (line.v + 0.25 * line.omega))
    assert np.isclose(s.pitch, 0.25) and np.allclose(s.axis.array, line.array)
    assert np.isinf(Twist([0.0, 0, 0, 1, 0, 0]).pitch)
    assert np.isclose(line.reciprocal(Twist.line([1.0, 2, 3], [1.0, 0, 0])), 0.0)
    assert np.isclose(s.bar() @ line, s.reciprocal(line))
