"""Joint-coordinate dynamics of trees of rigid bodies, over batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _core
from ._errors import ArgumentError
from ._model import Floats, Model

JOINTS = ("revolute", "prismatic", "ball", "free", "screw")


@dataclass
class Link:
    """A link of a tree, described in the inertial frame where all joint coordinates are zero."""

    parent: int = -1
    """an earlier link; -1: the world"""
    joint: str = "revolute"
    """``"revolute"``, ``"prismatic"``, ``"screw"``, ``"ball"`` or ``"free"``"""
    anchor: Sequence[float] = (0, 0, 0)
    """point of the axis, centre of the ball, reference point of a free joint (m)"""
    axis: Sequence[float] = (0, 0, 1)
    """of revolute, prismatic and screw joints"""
    mass: float = 0.0
    """kg"""
    com: Sequence[float] = (0, 0, 0)
    """centre of mass (m)"""
    inertia: Any = field(default_factory=lambda: np.zeros((3, 3)))
    """about the centre of mass (kg m^2): 3 numbers or 3x3"""
    armature: float = 0.0
    """added to the mass matrix for each velocity of the joint"""
    pitch: float = 0.0
    """of screw joints: metres along the axis for each radian"""

    def _tuple(self) -> tuple[Any, ...]:
        if self.joint not in JOINTS:
            raise ArgumentError(f"there is no joint '{self.joint}' for trees; there are: {', '.join(JOINTS)}")
        inertia = np.asarray(self.inertia, dtype=float)
        inertia = np.diag(inertia) if inertia.shape == (3,) else inertia
        if inertia.shape != (3, 3):
            raise ArgumentError(f"the inertia of a link has the shape (3,) or (3, 3), not {inertia.shape}")
        vectors = [tuple(float(x) for x in v) for v in (self.anchor, self.axis, self.com)]
        if any(len(v) != 3 for v in vectors):
            raise ArgumentError("anchor, axis and centre of mass of a link have three numbers each")
        return (int(self.parent), JOINTS.index(self.joint), vectors[0], vectors[1], float(self.mass), vectors[2],
                tuple(inertia.ravel().tolist()), float(self.armature), float(self.pitch))


class Tree(_core.Tree):
    """A tree of rigid bodies in joint coordinates: robot arms, legs, hands.

    All calls take arrays with any number of leading dimensions, which are broadcast against each other: ``q`` (..., coordinates) and
    ``u``, ``tau`` (..., velocities). The loop over them runs in C without the lock. Twists ``(omega | v)`` and wrenches ``(torque | force)``
    are about the origin of the inertial frame.
    """

    _links: list[int] | None
    _source: Any

    def __new__(cls, links: Sequence[Link], gravity: Sequence[float] = (0.0, 0.0, -9.81)) -> Tree:
        source = (tuple(link._tuple() for link in links), tuple(float(g) for g in gravity))
        tree: Tree = cls._from_links(*source)
        tree._links = None
        tree._source = source
        return tree

    @classmethod
    def from_model(cls, model: Model) -> Tree:
        """The tree of a model without loops, of revolute, prismatic, screw, ball and fixed joints. Home is the start of the model;
        of forces only gravity is part of the tree."""
        tree: Tree
        tree, links = cls._from_model(model)
        tree._links = links
        tree._source = model
        return tree

    def __reduce__(self) -> tuple[Any, ...]:
        if self._links is not None:
            return (type(self).from_model, (self._source,))
        return (type(self)._again, (self._source,))

    @classmethod
    def _again(cls, source: Any) -> Tree:
        tree: Tree = cls._from_links(*source)
        tree._links = None
        tree._source = source
        return tree

    def link(self, body: str | int) -> int:
        """The link of a body of the model that the tree was made from; -1: it cannot move."""
        if self._links is None:
            raise ArgumentError("this tree was not made from a model")
        return self._links[self._source.body_index(body) if isinstance(body, str) else body]

    def first_coordinate(self, link: int) -> int:
        """Where the coordinates of a link begin in q."""
        return self._first(link)[0]

    def first_velocity(self, link: int) -> int:
        """Where the velocities of a link begin in u."""
        return self._first(link)[1]

    def _batch(self, *pairs: tuple[Any, tuple[int, ...], str]) -> tuple[tuple[int, ...], list[Floats | None]]:
        """Leading dimensions that all arrays share, and the arrays broadcast to them, contiguous."""
        arrays: list[Any] = []
        leads = []
        for value, core, name in pairs:
            if value is None:
                arrays.append(None)
                continue
            array = np.asarray(value, dtype=float)
            if array.ndim < len(core) or array.shape[array.ndim - len(core):] != core:
                raise ArgumentError(f"{name}: the shape ends with {core}, but it is {array.shape}")
            leads.append(array.shape[:array.ndim - len(core)])
            arrays.append(array)
        try:
            lead = np.broadcast_shapes(*leads)
        except ValueError:
            raise ArgumentError(f"the batches do not fit together: {', '.join(map(str, leads))}") from None
        cores = [core for _, core, _ in pairs]
        return lead, [None if a is None else np.ascontiguousarray(np.broadcast_to(a, lead + core)) for a, core in zip(arrays, cores)]

    def _run(self, name: str, lead: tuple[int, ...], arrays: Sequence[Any], number: float = 0.0) -> None:
        self._call(name, int(np.prod(lead, dtype=np.int64)), number, tuple(arrays))

    def home(self) -> Floats:
        """Coordinates at home: zeros and identity quaternions, shape (coordinates,)."""
        q = np.zeros(self.coordinates)
        self._run("home", (), (q,))
        return q

    def inverse_dynamics(self, q: Any, u: Any, u_rate: Any = None, wrenches: Any = None) -> Floats:
        """Joint forces tau (N m or N) = M(q) u' + bias(q, u), shape (..., velocities). ``wrenches`` (..., links, 6) act on the links."""
        nq, nu = (self.coordinates,), (self.velocities,)
        lead, arrays = self._batch((q, nq, "q"), (u, nu, "u"), (u_rate, nu, "u_rate"), (wrenches, (self.links, 6), "wrenches"))
        tau = np.empty(lead + nu)
        self._run("inverse_dynamics", lead, (*arrays, tau))
        return tau

    def forward_dynamics(self, q: Any, u: Any, tau: Any, wrenches: Any = None) -> Floats:
        """Accelerations u' for given joint forces, shape (..., velocities)."""
        nq, nu = (self.coordinates,), (self.velocities,)
        lead, arrays = self._batch((q, nq, "q"), (u, nu, "u"), (tau, nu, "tau"), (wrenches, (self.links, 6), "wrenches"))
        u_rate = np.empty(lead + nu)
        self._run("forward_dynamics", lead, (*arrays, u_rate))
        return u_rate

    def mass_matrix(self, q: Any) -> Floats:
        """M(q), shape (..., velocities, velocities); symmetric."""
        lead, arrays = self._batch((q, (self.coordinates,), "q"))
        mass = np.empty((*lead, self.velocities, self.velocities))
        self._run("mass_matrix", lead, (*arrays, mass))
        return mass

    def energy(self, q: Any, u: Any) -> tuple[Floats, Floats]:
        """Kinetic and potential energy (J), shape (...,) each."""
        lead, arrays = self._batch((q, (self.coordinates,), "q"), (u, (self.velocities,), "u"))
        kinetic, potential = np.empty(lead), np.empty(lead)
        self._run("energy", lead, (*arrays, kinetic, potential))
        return kinetic, potential

    def center_of_mass(self, q: Any) -> Floats:
        """Centre of mass of all links (m), shape (..., 3)."""
        lead, arrays = self._batch((q, (self.coordinates,), "q"))
        com = np.empty((*lead, 3))
        self._run("center_of_mass", lead, (*arrays, com, np.empty(lead)))
        return com

    def motors(self, q: Any) -> Floats:
        """Rigid motions of all links from home, as motors, shape (..., links, 8); :class:`polhode.clifford.Motor` takes them."""
        lead, arrays = self._batch((q, (self.coordinates,), "q"))
        motors = np.empty((*lead, self.links, 8))
        self._run("motion", lead, (*arrays, None, motors, None))
        return motors

    def twists(self, q: Any, u: Any) -> Floats:
        """Twists (omega | v) of all links, shape (..., links, 6)."""
        lead, arrays = self._batch((q, (self.coordinates,), "q"), (u, (self.velocities,), "u"))
        twists = np.empty((*lead, self.links, 6))
        self._run("motion", lead, (*arrays, None, twists))
        return twists

    def accelerations(self, q: Any, u: Any, u_rate: Any) -> Floats:
        """Rates of the twists of all links, shape (..., links, 6)."""
        nu = (self.velocities,)
        lead, arrays = self._batch((q, (self.coordinates,), "q"), (u, nu, "u"), (u_rate, nu, "u_rate"))
        rates = np.empty((*lead, self.links, 6))
        self._run("accelerations", lead, (*arrays, rates))
        return rates

    def jacobian(self, q: Any, link: int) -> Floats:
        """J with twist of the link = J u, shape (..., 6, velocities)."""
        lead, arrays = self._batch((q, (self.coordinates,), "q"))
        columns = np.empty((*lead, self.velocities, 6))
        self._run("jacobian", lead, (*arrays, columns), link)
        return np.swapaxes(columns, -1, -2)

    def advance(self, q: Any, u: Any, h: float) -> Floats:
        """Coordinates after constant velocities u have acted for the time h (s), shape (..., coordinates)."""
        lead, arrays = self._batch((q, (self.coordinates,), "q"), (u, (self.velocities,), "u"))
        out = np.empty((*lead, self.coordinates))
        self._run("advance", lead, (*arrays, out), float(h))
        return out

    def __repr__(self) -> str:
        return f"<polhode.Tree: {self.links} links, {self.velocities} velocities>"
