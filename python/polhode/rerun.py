"""Results in Rerun (https://rerun.io): bodies that move, reactions, and every number over time.

::

    import polhode.rerun

    polhode.rerun.log(result, save="motion.rrd")      # rerun motion.rrd
    polhode.rerun.log(result, spawn=True)             # opens the viewer

Needs ``pip install polhode[rerun]``.
"""

from __future__ import annotations

import json
import os
import pathlib
import struct
import tempfile
from typing import Any

import numpy as np

from . import _core
from ._page import as_file
from ._result import Result

try:
    import rerun as rr
except ImportError as error:  # pragma: no cover
    raise ImportError("polhode.rerun needs the Rerun SDK: pip install polhode[rerun]") from error

NUMBERS = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}


class Shapes:
    """Triangles of all bodies, from the glTF file that the library makes of a result."""

    def __init__(self, data: bytes) -> None:
        length, = struct.unpack("<I", data[12:16])
        self._file = json.loads(data[20:20 + length])
        self._bytes = data[28 + length:]

    def _array(self, accessor: int) -> Any:
        a = self._file["accessors"][accessor]
        view = self._file["bufferViews"][a["bufferView"]]
        width = WIDTHS[a["type"]]
        start = view.get("byteOffset", 0) + a.get("byteOffset", 0)
        return np.frombuffer(self._bytes, NUMBERS[a["componentType"]], a["count"] * width, start).reshape(-1, width)

    def _colour(self, primitive: dict[str, Any]) -> tuple[float, ...]:
        material = self._file["materials"][primitive["material"]] if "material" in primitive else {}
        linear = material.get("pbrMetallicRoughness", {}).get("baseColorFactor", [0.5, 0.5, 0.5, 1])
        return tuple(float(x) ** (1 / 2.2) for x in linear[:3])

    def of_body(self, name: str) -> list[tuple[Any, Any, Any]]:
        """``(corners, triangles, colour)`` of each shape, from the centre of mass in body axes."""
        nodes = self._file["nodes"]
        body: dict[str, Any] = next((n for n in nodes if n.get("name") == name and "mesh" not in n), {})
        out = []
        for child in (nodes[i] for i in body.get("children", [])):
            if "mesh" not in child:
                continue
            for primitive in self._file["meshes"][child["mesh"]]["primitives"]:
                corners = self._array(primitive["attributes"]["POSITION"]).astype(float) * child.get("scale", [1, 1, 1])
                corners = turned(child.get("rotation", [0, 0, 0, 1]), corners) + child.get("translation", [0, 0, 0])
                triangles = (self._array(primitive["indices"]).reshape(-1, 3) if "indices" in primitive
                             else np.arange(len(corners)).reshape(-1, 3))
                out.append((corners, triangles, self._colour(primitive)))
        return out


def path_of(*parts: str) -> str:
    """Names of bodies may hold any sign."""
    return rr.new_entity_path(list(parts))


def turned(q: Any, points: Any) -> Any:
    """Points turned by a quaternion x, y, z, w."""
    u, w = np.asarray(q[:3], float), float(q[3])
    t = 2 * np.cross(u, points)
    return points + w * t + np.cross(u, t)


def shapes_of(result: Result) -> Shapes:
    """The triangles of a result."""
    with tempfile.TemporaryDirectory() as own:
        file = as_file(result, own, 0)
        target = os.path.join(own, "shapes.glb")
        _core.open_result(file, os.path.dirname(os.path.abspath(file)) if result.path else os.sep).convert(target)
        return Shapes(pathlib.Path(target).read_bytes())


def log_shapes(result: Result, entity: str, to: rr.RecordingStream) -> None:
    """What does not change: the shapes, each below its body."""
    shapes = shapes_of(result)
    for name in result.bodies:
        for k, (corners, triangles, colour) in enumerate(shapes.of_body(name)):
            mesh = rr.Mesh3D(vertex_positions=corners, triangle_indices=triangles, albedo_factor=colour)
            rr.log(path_of(entity, name, f"shape{k}"), mesh, static=True, recording=to)


def log_motion(result: Result, entity: str, to: rr.RecordingStream) -> None:
    """Where the bodies are at each moment."""
    time = rr.TimeColumn("time", duration=np.asarray(result["time"]))
    for b, name in enumerate(result.bodies):
        x, q = np.asarray(result["position"])[:, b], np.asarray(result["orientation"])[:, b]
        columns = rr.Transform3D.columns(translation=x, quaternion=q[:, [1, 2, 3, 0]])
        rr.send_columns(path_of(entity, name), [time], columns, recording=to)


def log_numbers(result: Result, to: rr.RecordingStream) -> None:
    """Everything else that was recorded for each moment, as numbers over time."""
    time = rr.TimeColumn("time", duration=np.asarray(result["time"]))
    for key in result.keys():
        if key in ("time", "orientation") or len(result[key]) != len(result["time"]):
            continue
        for name, column in result._table(key):
            rr.send_columns(path_of("numbers", *name.split(".")), [time], rr.Scalars.columns(scalars=np.asarray(column, float)), recording=to)


def log(result: Result, *, save: str | os.PathLike[str] | None = None, spawn: bool = False, entity: str = "world",
        recording: Any = None) -> Any:
    """Sends a result to Rerun: shapes, motion, below ``entity``, and all numbers below ``numbers``. The recording comes back.

    ``save`` writes a file (``.rrd``), ``spawn`` opens the viewer; else it goes to ``recording``, or to a new one.
    """
    to = recording or rr.RecordingStream(f"polhode {result.model.name}".strip())
    if save is not None:
        to.save(os.fspath(save))
    if spawn:
        to.spawn()
    rr.log(entity, rr.ViewCoordinates.RIGHT_HAND_Z_UP, static=True, recording=to)
    log_shapes(result, entity, to)
    log_motion(result, entity, to)
    log_numbers(result, to)
    if save is not None:
        to.flush()
    return to
