"""What there is to choose from."""

from __future__ import annotations

from typing import NamedTuple

from . import _core


class Scheme(NamedTuple):
    """An integration scheme."""

    name: str
    title: str
    reference: str
    """The paper it is from."""
    aliases: str | None
    options: str | None
    order: int
    """Order of convergence; 0: exact."""
    traits: list[str]
    """What it keeps: ``symplectic``, ``time_reversible``, ``keeps_position_constraint``, ..."""


class JointType(NamedTuple):
    """A joint type."""

    name: str
    title: str
    rows: int
    """Constraint rows."""
    coordinates: int
    """Joint coordinates."""
    keys: str
    """Keys that it takes in a model file and in :meth:`Spec.joint`, separated by spaces."""


def schemes() -> dict[str, Scheme]:
    """All schemes by name."""
    return {entry[0]: Scheme(*entry) for entry in _core.schemes()}


def joints() -> dict[str, JointType]:
    """All joint types by name."""
    return {entry[0]: JointType(*entry) for entry in _core.joints()}
