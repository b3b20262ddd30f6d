"""Model and State."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._errors import ArgumentError

Floats = NDArray[np.float64]
Parameters = Mapping[str, "float | str"]


class Body(NamedTuple):
    """What a model knows of a body."""

    name: str
    fixed: bool
    mass: float
    """kg"""
    volume: float
    """m^3; 0: not known"""
    inertia: Floats
    """kg m^2, about the centre of mass, body axes, shape (3, 3)"""
    com: Floats
    """centre of mass in the body frame (m), shape (3,)"""
    reference: Floats
    """reference point in the body frame (m), shape (3,)"""
    shapes: int


class Joint(NamedTuple):
    """What a model knows of a joint."""

    name: str
    type: str
    body_a: int
    """index; -1: the world"""
    body_b: int
    first_row: int
    rows: int
    coordinates: int
    anchor_a: Floats
    """from the centre of mass of a, its axes (m), shape (3,)"""
    anchor_b: Floats


class Sensor(NamedTuple):
    """What a model knows of a sensor."""

    name: str
    type: str
    components: tuple[str, ...]
    """names of its numbers, ``("x", "y", "z")``; ``("",)`` where there is one"""
    units: tuple[str, ...]


class Measures(NamedTuple):
    """What a state has and how well it keeps the joints."""

    kinetic: float
    """J"""
    potential: float
    """J"""
    work: float
    """J, done by motors, dampers, applied forces, friction and impacts"""
    total: float
    """J; kinetic + potential - work, which is conserved"""
    linear: Floats
    """linear momentum (kg m/s), shape (3,)"""
    angular: Floats
    """angular momentum about the world origin (kg m^2/s), shape (3,)"""
    position_violation: float
    """largest constraint residual (m, or dimensionless for directions)"""
    velocity_violation: float
    """largest residual of the constraints in velocities"""
    orthogonality: float
    """largest Frobenius norm of R^T R - 1"""


class Contacts(NamedTuple):
    """Contact points of the last step."""

    bodies: NDArray[np.int64]
    """indices of bodies a and b, -1: the world, shape (n, 2)"""
    shapes: NDArray[np.int64]
    """which of the shapes of each, shape (n, 2)"""
    point: Floats
    """m, world, shape (n, 3)"""
    normal: Floats
    """unit, from a to b, shape (n, 3)"""
    force: Floats
    """mean force of the step on b (N, world), shape (n, 3)"""
    torque: Floats
    """of rolling and spinning friction on b (N m, world), shape (n, 3)"""
    gap: Floats
    """m; negative where the surfaces overlap, shape (n,)"""


class SiteMotion(NamedTuple):
    """Where a site is and how it moves."""

    position: Floats
    """m, world, shape (3,)"""
    orientation: Floats
    """unit quaternion w, x, y, z from site to world, shape (4,)"""
    velocity: Floats
    """of the point (m/s, world), shape (3,)"""
    angular_velocity: Floats
    """rad/s, site axes, shape (3,)"""


class Projection(NamedTuple):
    """What :meth:`State.project` did."""

    moved: float
    """largest move of a centre of mass (m)"""
    turned: float
    """largest turn of a body (rad)"""
    changed: float
    """largest change of a velocity (m/s)"""
    moved_body: int
    """which body; -2: none"""
    turned_body: int
    changed_body: int
    kinetic_before: float
    """J"""
    kinetic_after: float
    """J"""
    assemblies: int
    """in how many ways loops close, as far as was looked for; 0: it was not"""


def setting_text(value: Any) -> str:
    """A parameter as the expression that the model reader takes."""
    if isinstance(value, str):
        return value
    return repr(float(value))


def with_keyframe(parameters: Parameters | None, keyframe: str | None) -> Parameters:
    """Settings that also say in which keyframe the model starts."""
    return dict(parameters or {}) | ({} if keyframe is None else {".keyframe": keyframe})


def one_by_one(values: Any) -> list[float]:
    """A number, or one for each coordinate, with NaN where nothing is given."""
    if values is None:
        return []
    if isinstance(values, (int, float)):
        return [float(values)]
    return [float("nan") if v is None else float(v) for v in values]


class Model(_core.Model):
    """A compiled model. Immutable; threads may share it. Made by :meth:`from_file`, :meth:`from_string` or ``Spec.compile``."""

    _source: tuple[Any, ...]

    def __new__(cls, *args: object, **named: object) -> Model:
        raise TypeError("a Model is made by Model.from_file(path), Model.from_string(text) or Spec.compile()")

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], parameters: Parameters | None = None, *,
                  keyframe: str | None = None) -> Model:
        """Reads and compiles a model file (YAML or JSON).

        ``parameters`` sets parameters and inputs of the file: numbers, or expressions of earlier parameters. ``"crank.rate"`` and
        ``"crank.coordinate"`` start a joint at a rate or a coordinate, ``keyframe`` all of the model in a keyframe. Raises
        :class:`ModelError` with every mistake of the file.
        """
        path = os.fspath(path)
        with open(path, "rb"):  # FileNotFoundError and its kin, as everywhere in Python
            pass
        return cls._make(path, None, None, with_keyframe(parameters, keyframe), ())

    @classmethod
    def from_string(cls, text: str, parameters: Parameters | None = None, *, name: str = "<string>",
                    keyframe: str | None = None) -> Model:
        """Compiles the text of a model file; ``name`` stands in error messages in place of the file."""
        if not isinstance(text, str):
            raise TypeError("the text of a model must be a str")
        return cls._make(None, text, name, with_keyframe(parameters, keyframe), ())

    @classmethod
    def _make(cls, path: str | None, text: str | None, name: str | None, parameters: Parameters | None,
              forces: tuple[Any, ...]) -> Model:
        settings = tuple((str(k), setting_text(v)) for k, v in (parameters or {}).items())
        model: Model = cls._read(path, text, name, settings, forces)
        model._source = (path, text, name, dict(settings), forces)
        return model

    def with_parameters(self, parameters: Parameters) -> Model:
        """The same model with other values of some parameters and inputs."""
        path, text, name, settings, forces = self._source
        return type(self)._make(path, text, name, settings | dict(parameters), forces)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self)._make, self._source)

    def __copy__(self) -> Model:
        return self

    def __deepcopy__(self, memo: Any) -> Model:
        return self

    def __repr__(self) -> str:
        return f"<polhode.Model {self.name!r}: {len(self.bodies)} bodies, {len(self.joints)} joints, {self.freedoms} freedoms>"

    @property
    def bodies(self) -> dict[str, Body]:
        """All bodies by name, in the order of the file, which is that of all arrays."""
        return {entry[0]: Body(*entry) for entry in self._bodies()}

    @property
    def joints(self) -> dict[str, Joint]:
        """All joints by name, in the order of the file."""
        return {entry[0]: Joint(*entry) for entry in self._joints()}

    @property
    def sensors(self) -> dict[str, Sensor]:
        """All sensors by name, in the order of the file."""
        return {entry[0]: Sensor(*entry) for entry in self._sensors()}

    def body_index(self, name: str) -> int:
        """Place of a body in the arrays; -1 for ``"world"``."""
        return self._found("body", name, self._find_body(name), -1, self.bodies)

    def joint_index(self, name: str) -> int:
        """Place of a joint in the arrays."""
        return self._found("joint", name, self._find_joint(name), 0, self.joints)

    def site_index(self, name: str) -> int:
        """Number of a site, in the order of the file."""
        return self._found("site", name, self._find_site(name), 0, {})

    def input_index(self, name: str) -> int:
        """Place of an input in ``State.inputs``."""
        return self._found("input", name, self._find_input(name), 0, {})

    def _found(self, kind: str, name: str, index: int, least: int, known: Mapping[str, Any]) -> int:
        if index < least:
            there = f"; there are: {', '.join(list(known)[:10])}" if known else ""
            raise ArgumentError(f"the model has no {kind} '{name}'{there}")
        return index

    def state(self) -> State:
        """A state at the start of the model."""
        return State(self)


class State(_core.State):
    """Time, poses and velocities of all bodies, as NumPy arrays over the engine's own memory.

    Writing to the arrays moves the bodies; the scheme notices at the next step. Fixed bodies have rows too. A state that was
    written to must meet its joints, else the step raises :class:`StateError`; :meth:`project` moves it onto them.
    """

    model: Model

    def __new__(cls, model: Model) -> State:
        state: State = super().__new__(cls, model)
        return state

    def __repr__(self) -> str:
        return f"<polhode.State of {self.model.name!r} at t = {self.time:g} s>"

    def copy(self) -> State:
        """A state of its own that goes on bit for bit like this one."""
        other = type(self)(self.model)
        other.assign(self)
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> State:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restore, (type(self), self.model, self._save()))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the whole state to a file; a run that goes on from it goes on bit for bit."""
        with open(path, "wb") as file:
            file.write(self._save())

    def load(self, path: str | os.PathLike[str]) -> None:
        """Reads what :meth:`save` or a checkpoint of ``polhode run`` has written. Another model, or damage, is refused."""
        with open(path, "rb") as file:
            self._load(file.read())

    def measure(self) -> Measures:
        """Energies, momenta and how far the joints are open."""
        return Measures(*self._measure())

    def joint(self, name: str | int) -> tuple[Floats, Floats]:
        """Coordinates (rad or m) and rates of a joint, shape (coordinates,) each."""
        return self._joint(self.model.joint_index(name) if isinstance(name, str) else name)

    def sensors(self) -> dict[str, Floats]:
        """What all sensors read here, by name; :attr:`Model.sensors` says what the numbers are."""
        numbers, readings, at = self._sensors(), {}, 0
        for name, sensor in self.model.sensors.items():
            readings[name] = numbers[at:at + len(sensor.components)]
            at += len(sensor.components)
        return readings

    def sensor(self, name: str) -> Floats:
        """What one sensor reads here."""
        if name not in self.model.sensors:
            raise ArgumentError(f"the model has no sensor '{name}'")
        return self.sensors()[name]

    def site(self, name: str | int) -> SiteMotion:
        """Where a site is and how it moves."""
        index = self.model.site_index(name) if isinstance(name, str) else name
        numbers = self._site(index)
        return SiteMotion(numbers[0:3], numbers[3:7], numbers[7:10], numbers[10:13])

    def set_joint(self, name: str | int, coordinate: Any = None, rate: Any = None) -> None:
        """Asks that a joint gets a coordinate (rad or m), a rate, or both; of joints with several coordinates a sequence, with None
        where nothing is asked for. :meth:`project` makes it so, for everything that was asked for together."""
        index = self.model.joint_index(name) if isinstance(name, str) else name
        values, rates = one_by_one(coordinate), one_by_one(rate)
        for k in range(max(len(values), len(rates))):
            self._set_joint(index, k, values[k] if k < len(values) else float("nan"), rates[k] if k < len(rates) else float("nan"))

    def project(self) -> Projection:
        """Moves the state onto its joints: what :meth:`set_joint` asked for becomes exactly so, loops close, velocities become the
        nearest that the joints allow. Raises :class:`StateError`, and leaves the state as it was, where that cannot be."""
        return Projection(*self._project())

    def set_keyframe(self, name: str) -> None:
        """Time, positions, velocities and inputs of a keyframe of the model."""
        known = self.model.keyframes
        if name not in known:
            raise ArgumentError(f"the model has no keyframe '{name}'" + (f"; there are: {', '.join(known)}" if known else ""))
        self._set_keyframe(known.index(name))

    def contacts(self) -> Contacts:
        """Contact points that the last step met, with their forces; none for schemes without contact."""
        who, what = self._contacts()
        indices = who.astype(np.int64)
        return Contacts(indices[:, :2], indices[:, 2:], what[:, 0:3], what[:, 3:6], what[:, 6:9], what[:, 9:12], what[:, 12])

    def set_input(self, name: str, value: float) -> None:
        """Sets an input of the model, which expressions of forces and motors use."""
        self.inputs[self.model.input_index(name)] = value

    def get_input(self, name: str) -> float:
        """Value of an input."""
        return float(self.inputs[self.model.input_index(name)])


def _restore(kind: type[State], model: Model, data: bytes) -> State:
    state = kind(model)
    state._load(data)
    return state
