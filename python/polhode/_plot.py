"""Figures: SVG text that notebooks show and files keep."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _core

LINES = ("solid", "dashed", "dotted", "none")
MARKERS = ("none", "circle", "square", "triangle", "diamond")


@dataclass
class Series:
    """A line of a panel."""

    x: Any
    y: Any
    label: str | None = None
    line: str = "solid"
    marker: str = "none"
    color: str | None = None
    """``"#rrggbb"``; None: the next one of the palette"""

    def _tuple(self) -> tuple[Any, ...]:
        x = np.ascontiguousarray(self.x, dtype=float).ravel()
        y = np.ascontiguousarray(self.y, dtype=float).ravel()
        return (self.label, x, y, LINES.index(self.line), MARKERS.index(self.marker), self.color)


@dataclass
class Panel:
    """Axes with their series; panels stand one below the other."""

    series: Sequence[Series] = field(default_factory=list)
    x_label: str | None = None
    y_label: str | None = None
    title: str | None = None
    x_log: bool = False
    y_log: bool = False
    equal: bool = False
    share_x: bool = False

    def _tuple(self) -> tuple[Any, ...]:
        return (self.title, self.x_label, self.y_label, self.x_log, self.y_log, self.equal, self.share_x,
                tuple(s._tuple() for s in self.series))


class Figure:
    """A figure as SVG. A notebook shows it; :meth:`save` writes it."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the SVG file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def __repr__(self) -> str:
        return f"<polhode.Figure, {len(self.svg)} bytes of SVG>"


def figure(panels: Sequence[Panel], title: str | None = None) -> Figure:
    """Draws panels one below the other."""
    return Figure(_core.plot(title, tuple(p._tuple() for p in panels)))
