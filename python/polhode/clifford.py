"""Clifford algebras: multivectors of any signature, and the typed values of Cl(0,6,2) that mechanics uses.

Multivectors have the operators ``*`` (geometric product), ``^`` (outer product), ``&`` (shuffle product, the dual of ``^``) and
``~`` (reverse)::

    from polhode.clifford import Algebra
    plane = Algebra(2)                      # e1 e1 = e2 e2 = 1
    e1, e2 = plane.generators
    rotor = (-0.5 * angle * e1 * e2).exp()
    turned = rotor * e1 * ~rotor

Typed values (:class:`Twist`, :class:`Coscrew`, :class:`Motor`, :class:`Inertia`, ...) hold a few numbers each, in arrays of any leading
shape, and their products are straight-line code in C. Twists ``(omega | v)`` and co-screws ``(l | p)`` are about the origin.
"""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

import numpy as np

from . import _core
from ._errors import ArgumentError
from ._model import Floats
from ._multivector import Algebra, Multivector, cl062

__all__ = ["Algebra", "Coscrew", "Hexavector", "Inertia", "Motor", "Multivector", "Plane", "Point", "Symmetric", "Twist", "Typed",
           "cl062"]

SIZES = _core.clifford_functions()
T = TypeVar("T", bound="Typed")


def _run(name: str, *arrays: Floats) -> Floats:
    """A function of the library over arrays that are broadcast along their leading dimensions."""
    *sizes, out_size = SIZES[name]
    leads = [a.shape[:-1] for a in arrays]
    try:
        lead = np.broadcast_shapes(*leads)
    except ValueError:
        raise ArgumentError(f"the shapes do not fit together: {', '.join(map(str, leads))}") from None
    given = tuple(np.ascontiguousarray(np.broadcast_to(a, (*lead, size))) for a, size in zip(arrays, sizes))
    out = np.empty((*lead, out_size))
    _core.clifford(name, int(np.prod(lead, dtype=np.int64)), given, out)
    return out


def _numbers(values: Any, size: int, name: str) -> Floats:
    array = np.asarray(values, dtype=float)
    if array.ndim < 1 or array.shape[-1] != size:
        raise ArgumentError(f"{name}: {size} numbers are needed, and the shape is {array.shape}")
    return array


def _join(*parts: Floats) -> Floats:
    lead = np.broadcast_shapes(*(p.shape[:-1] for p in parts))
    return np.concatenate([np.broadcast_to(p, lead + p.shape[-1:]) for p in parts], axis=-1)


class Typed:
    """A kind of element of Cl(0,6,2). ``array`` has the shape (..., size)."""

    __slots__ = ("array",)
    __array_ufunc__ = None
    size: ClassVar[int]
    kind: ClassVar[int]

    def __init__(self, array: Any) -> None:
        self.array = _numbers(array, self.size, type(self).__name__)

    @classmethod
    def from_multivector(cls: type[T], x: Multivector, tolerance: float = 1e-12) -> T:
        """From a multivector of Cl(0,6,2) that has nothing outside this kind."""
        value = np.zeros(cls.size)
        _core.clifford_convert(cls.kind, value, x.coefficients, abs(float(tolerance)))
        return cls(value)

    def multivector(self) -> Multivector:
        """As a multivector of :func:`cl062`."""
        out = np.zeros(256)
        _core.clifford_convert(self.kind, np.ascontiguousarray(self.array), out, -1.0)
        return Multivector(cl062(), out)

    def __add__(self: T, other: Any) -> T:
        return type(self)(self.array + other.array) if type(other) is type(self) else NotImplemented

    def __sub__(self: T, other: Any) -> T:
        return type(self)(self.array - other.array) if type(other) is type(self) else NotImplemented

    def __neg__(self: T) -> T:
        return type(self)(-self.array)

    def __mul__(self: T, number: Any) -> T:
        return NotImplemented if isinstance(number, Typed) else type(self)(self.array * np.asarray(number, dtype=float)[..., None])

    def __rmul__(self: T, number: Any) -> T:
        return NotImplemented if isinstance(number, Typed) else type(self)(np.asarray(number, dtype=float)[..., None] * self.array)

    def __getitem__(self: T, index: Any) -> T:
        if self.array.ndim < 2:
            raise IndexError("this is a single value")
        return type(self)(self.array[index])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.array})"


def _matrix(K: Any) -> Floats:
    """Columns K @ e_i."""
    units = Twist(np.eye(6))
    columns = [(K @ Twist(np.broadcast_to(units.array[i], K.array.shape[:-1] + (6,)))).array for i in range(6)]
    return np.stack(columns, axis=-1)


def _six(matrix: Any) -> Floats:
    M = np.asarray(matrix, dtype=float)
    if M.shape[-2:] != (6, 6):
        raise ArgumentError(f"matrix: the shape ends with (6, 6), but it is {M.shape}")
    return M


def _check_matrix(found: Floats, given: Floats, tolerance: float, what: str) -> None:
    if not np.all(np.abs(found - given) <= tolerance * (np.max(np.abs(given)) + 1e-300)):
        raise ArgumentError(f"this is no 6x6 matrix {what}")


class Twist(Typed):
    """Angular velocity and velocity of the point at the origin, (omega | v): rad/s and m/s, shape (..., 6). Also a line or a screw."""

    __slots__ = ()
    size, kind = 6, 0

    @classmethod
    def make(cls, omega: Any, v: Any) -> Twist:
        """From omega (..., 3) and v (..., 3)."""
        return cls(_join(_numbers(omega, 3, "omega"), _numbers(v, 3, "v")))

    @classmethod
    def line(cls, point: Any, direction: Any) -> Twist:
        """The line through a point; the twist of unit rotation about it for a unit direction."""
        return cls(_run("line_make", _numbers(point, 3, "point"), _numbers(direction, 3, "direction")))

    @property
    def omega(self) -> Floats:
        return self.array[..., :3]

    @property
    def v(self) -> Floats:
        return self.array[..., 3:]

    def bracket(self, other: Twist) -> Twist:
        """[x, y] = (x y - y x)/2."""
        return Twist(_run("bracket", self.array, other.array))

    def coadjoint(self, P: Coscrew) -> Coscrew:
        """{s, P} = (s~ P - P s~)/2."""
        return Coscrew(_run("coadjoint", self.array, P.array))

    def exp(self) -> Motor:
        """The motor exp(z/2): the rigid motion that this screw makes in unit time."""
        return Motor(_run("motor_exp", self.array))

    def bar(self) -> Coscrew:
        """s~."""
        return Coscrew(_run("bar_twist", self.array))

    def velocity(self, rate: Twist) -> Twist:
        """Velocity of the motion exp(z(t)/2) where z = self changes at a rate."""
        return Twist(_run("motor_velocity", self.array, rate.array))

    def velocity_inverse(self, s: Twist) -> Twist:
        """The rate of z = self for which exp(z/2) moves with velocity s."""
        return Twist(_run("motor_velocity_inverse", self.array, s.array))

    @property
    def pitch(self) -> Any:
        """m/rad, shape (...,): the way along the axis for a turn of one radian; infinite for a translation."""
        return _run("screw_pitch", self.array)[..., 0]

    @property
    def axis(self) -> Twist:
        """The line of the screw, of unit direction; zero for a translation."""
        return Twist(_run("screw_axis", self.array))

    def reciprocal(self, other: Twist) -> Any:
        """omega_x . v_y + v_x . omega_y, shape (...,): 0 where a wrench along one screw does no work on the other."""
        return _run("reciprocal", self.array, other.array)[..., 0]

    def meet(self, plane: Plane) -> Point:
        """Where a line meets a plane."""
        return Point(_run("meet_line_plane", self.array, plane.array))


class Coscrew(Typed):
    """Angular momentum about the origin and momentum, (l | p), or a wrench (torque | force), shape (..., 6)."""

    __slots__ = ()
    size, kind = 6, 1

    @classmethod
    def make(cls, l: Any, p: Any) -> Coscrew:
        """From l (..., 3) and p (..., 3)."""
        return cls(_join(_numbers(l, 3, "l"), _numbers(p, 3, "p")))

    @property
    def l(self) -> Floats:
        return self.array[..., :3]

    @property
    def p(self) -> Floats:
        return self.array[..., 3:]

    def __matmul__(self, s: Twist) -> Any:
        """P(s): the power of a wrench on a twist; twice the kinetic energy for a momentum."""
        return _run("evaluate", self.array, s.array)[..., 0] if isinstance(s, Twist) else NotImplemented

    def bar(self) -> Twist:
        """P~."""
        return Twist(_run("bar_coscrew", self.array))

    def times_e(self) -> Hexavector:
        """P E, of grade 6."""
        return Hexavector(_run("times_e", self.array))

    def dyad(self) -> Symmetric:
        """P ^ P~: the 6x6 matrix P P^T."""
        return Symmetric(_run("dyad", self.array))

    def __and__(self, X: Any) -> Any:
        """Shuffle product P v X with an element of grade 6, shape (...,)."""
        return _run("shuffle", self.array, X.array)[..., 0] if isinstance(X, Hexavector) else NotImplemented


class Hexavector(Typed):
    """P E, what N ^ s is: grade 6, shape (..., 6)."""

    __slots__ = ()
    size, kind = 6, 2

    def coscrew(self) -> Coscrew:
        """A v X: P of P E."""
        return Coscrew(_run("shuffle_a", self.array))


class Motor(Typed):
    """A rigid motion g = a + b eps, shape (..., 8); a is the quaternion. ``g * h`` moves by h first; ``g * x`` moves a typed value; ``~g`` is the inverse."""

    __slots__ = ()
    size, kind = 8, 3

    @classmethod
    def identity(cls) -> Motor:
        """No motion."""
        return cls([1, 0, 0, 0, 0, 0, 0, 0])

    @classmethod
    def make(cls, quaternion: Any, translation: Any) -> Motor:
        """Turn by a unit quaternion (..., 4; w, x, y, z), then shift by (..., 3)."""
        return cls(_run("motor_make", _numbers(quaternion, 4, "quaternion"), _numbers(translation, 3, "translation")))

    def __mul__(self, other: Any) -> Any:
        moves = {Twist: "move_twist", Coscrew: "move_coscrew", Inertia: "move_inertia", Symmetric: "move_sym4",
                 Point: "move_point", Plane: "move_plane", Motor: "motor_mul"}
        if type(other) not in moves:
            return NotImplemented
        return type(other)(_run(moves[type(other)], self.array, other.array))

    def __invert__(self) -> Motor:
        return Motor(_run("motor_conj", self.array))

    def log(self) -> Twist:
        """z with exp(z/2) = g or -g, angle at most pi."""
        return Twist(_run("motor_log", self.array))

    def split(self) -> tuple[Floats, Floats]:
        """Quaternion (..., 4) and translation (..., 3)."""
        both = _run("motor_split", self.array)
        return both[..., :4], both[..., 4:]

    def matrix(self) -> tuple[Floats, Floats]:
        """R (..., 3, 3) and t (..., 3) of x -> R x + t."""
        pose = _run("motor_pose", self.array)
        return pose[..., :9].reshape(*pose.shape[:-1], 3, 3), pose[..., 9:]

    def adjoint(self) -> Floats:
        """The 6x6 matrix H of s -> g s g*, shape (..., 6, 6)."""
        columns = [(self * Twist(np.broadcast_to(e, self.array.shape[:-1] + (6,)))).array for e in np.eye(6)]
        return np.stack(columns, axis=-1)

    def rate(self, s: Twist) -> Floats:
        """dg/dt = s g / 2 of a motion with velocity s, shape (..., 8)."""
        return _run("motor_rate", s.array, self.array)

    def unit(self) -> Motor:
        """The motor nearest to it."""
        return Motor(_run("motor_unit", self.array))

    def defects(self) -> Floats:
        """a.a - 1 and a.b, both 0 for a rigid motion, shape (..., 2)."""
        return _run("motor_measure", self.array)


class Inertia(Typed):
    """Mass, mass times centre of mass, and moments about the origin (xx yy zz xy xz yz), shape (..., 10)."""

    __slots__ = ()
    size, kind = 10, 4

    @classmethod
    def make(cls, mass: Any, com: Any, inertia: Any) -> Inertia:
        """From mass (kg), centre of mass (..., 3) and inertia about it (..., 3, 3)."""
        matrix = np.asarray(inertia, dtype=float)
        if matrix.shape[-2:] != (3, 3):
            raise ArgumentError(f"inertia: the shape ends with (3, 3), but it is {matrix.shape}")
        return cls(_run("inertia_make", np.asarray(mass, dtype=float)[..., None], _numbers(com, 3, "com"),
                        matrix.reshape(*matrix.shape[:-2], 9)))

    def __matmul__(self, s: Twist) -> Any:
        """The momentum P = N s."""
        return Coscrew(_run("momentum", self.array, s.array)) if isinstance(s, Twist) else NotImplemented

    def __xor__(self, s: Any) -> Any:
        """The outer product N ^ s = P E."""
        return Hexavector(_run("wedge_inertia", self.array, s.array)) if isinstance(s, Twist) else NotImplemented

    def acceleration(self, s: Twist, W: Coscrew) -> Twist:
        """s' = E v (Y ^ (W - {s, P})) of a body of this inertia under the wrench W."""
        rate: Twist = self.inverse() @ (W - s.coadjoint(self @ s))
        return rate

    def motion_defect(self, s: Twist, s_rate: Twist, W: Coscrew) -> Hexavector:
        """N ^ s' + (s~ N - N s~) ^ s / 2 - W E: 0 along a motion."""
        defect: Hexavector = (self ^ s_rate) + (self.rate(s) ^ s) - W.times_e()
        return defect

    def motion_defect_coadjoint(self, s: Twist, s_rate: Twist, W: Coscrew) -> Hexavector:
        """The same as N ^ s' + {s, P} E - W E."""
        defect: Hexavector = (self ^ s_rate) + s.coadjoint(self @ s).times_e() - W.times_e()
        return defect

    def matrix(self) -> Floats:
        """The 6x6 matrix from (omega | v) to (l | p), shape (..., 6, 6)."""
        return _matrix(self)

    @classmethod
    def from_matrix(cls, matrix: Any, tolerance: float = 1e-9) -> Inertia:
        """From the 6x6 matrix of a rigid body, shape (..., 6, 6); one that is none is refused."""
        M = _six(matrix)
        mass = np.trace(M[..., 3:, 3:], axis1=-2, axis2=-1) / 3.0
        com = np.stack([M[..., 2, 4], M[..., 0, 5], M[..., 1, 3]], axis=-1) / mass[..., None]
        square = np.sum(com * com, axis=-1)[..., None, None] * np.eye(3) - com[..., :, None] * com[..., None, :]
        found = cls.make(mass, com, M[..., :3, :3] - mass[..., None, None] * square)
        _check_matrix(found.matrix(), M, tolerance, "of a rigid body")
        return found

    def kinetic_energy(self, s: Twist) -> Any:
        """J, shape (...,)."""
        return _run("kinetic_energy", self.array, s.array)[..., 0]

    def rate(self, s: Twist) -> Inertia:
        """Its rate when it moves with velocity s."""
        return Inertia(_run("inertia_rate", self.array, s.array))

    def inverse(self) -> Symmetric:
        """Y with s = Y @ P."""
        return Symmetric(_run("inertia_inverse", self.array))

    def symmetric(self) -> Symmetric:
        """As an element of grade 4 without its special form."""
        return Symmetric(_run("inertia_sym4", self.array))


class Symmetric(Typed):
    """A symmetric element of grade 4: stiffness, damping, or the inverse of an inertia, shape (..., 21)."""

    __slots__ = ()
    size, kind = 21, 5

    @classmethod
    def spring(cls, stiffness: Any, line: Twist) -> Symmetric:
        """A spring (N/m) along a line of unit direction."""
        return cls(_run("line_spring", np.asarray(stiffness, dtype=float)[..., None], line.array))

    def __matmul__(self, other: Any) -> Any:
        """K @ twist is the co-screw A v (K ^ s); Y @ co-screw the twist E v (Y ^ P), for an inverse inertia."""
        if isinstance(other, Twist):
            return (self ^ other).coscrew()
        return Twist(_run("velocity", self.array, other.array)) if isinstance(other, Coscrew) else NotImplemented

    def __xor__(self, s: Any) -> Any:
        """The outer product K ^ s, of grade 6."""
        return Hexavector(_run("wedge_sym4", self.array, s.array)) if isinstance(s, Twist) else NotImplemented

    def matrix(self) -> Floats:
        """The 6x6 matrix of s -> K @ s, from (omega | v) to (l | p), shape (..., 6, 6)."""
        return _matrix(self)

    @classmethod
    def from_matrix(cls, matrix: Any, tolerance: float = 1e-9) -> Symmetric:
        """From a symmetric 6x6 matrix, shape (..., 6, 6)."""
        M = _six(matrix)
        basis = _matrix(cls(np.eye(cls.size))).reshape(cls.size, 36)
        found = cls(M.reshape(*M.shape[:-2], 36) @ np.linalg.pinv(basis))
        _check_matrix(found.matrix(), M, tolerance, "that is symmetric")
        return found

    def damping_wrench(self, s: Twist) -> Coscrew:
        """Wrench -D s of a damper."""
        return Coscrew(_run("damping_wrench", self.array, s.array))

    def elastic_wrench(self, delta: Twist) -> Coscrew:
        """Wrench of a small displacement."""
        return Coscrew(_run("elastic_wrench", self.array, delta.array))

    def elastic_energy(self, delta: Twist) -> Any:
        """J, shape (...,)."""
        return _run("elastic_energy", self.array, delta.array)[..., 0]


class Point(Typed):
    """w and w times the position, shape (..., 4); at infinity where w = 0."""

    __slots__ = ()
    size, kind = 4, 6

    @classmethod
    def make(cls, x: Any) -> Point:
        """From a position (..., 3)."""
        return cls(_run("point_make", _numbers(x, 3, "x")))

    @property
    def position(self) -> Floats:
        """m, shape (..., 3)"""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.array[..., 1:] / self.array[..., :1]

    def __and__(self, other: Any) -> Any:
        """Joins: point & point is a line, point & line a plane."""
        if isinstance(other, Point):
            return Twist(_run("join_points", self.array, other.array))
        return Plane(_run("join_point_line", self.array, other.array)) if isinstance(other, Twist) else NotImplemented


class Plane(Typed):
    """n . x = d, shape (..., 4)."""

    __slots__ = ()
    size, kind = 4, 7

    @classmethod
    def make(cls, point: Any, normal: Any) -> Plane:
        """Through a point, with a normal."""
        return cls(_run("plane_make", _numbers(point, 3, "point"), _numbers(normal, 3, "normal")))

    def __xor__(self, other: Any) -> Any:
        """Meets: plane ^ plane is a line, plane ^ line a point."""
        if isinstance(other, Plane):
            return Twist(_run("meet_planes", self.array, other.array))
        return Point(_run("meet_line_plane", other.array, self.array)) if isinstance(other, Twist) else NotImplemented

    def incidence(self, point: Point) -> Any:
        """n . x - d w: 0 for a point in the plane, shape (...,)."""
        return _run("incidence", self.array, point.array)[..., 0]
