"""What a run has recorded."""

from __future__ import annotations

import difflib
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._errors import ArgumentError
from ._page import Page, view
from ._plot import Panel, Series, figure

if TYPE_CHECKING:
    import pandas

    from ._model import Floats, Model

BODY_ARRAYS = ("position", "orientation", "velocity", "angular_velocity")


def check_memory(model: Model, names: tuple[str, ...] | None, until: float, time: float, step: float, every: int) -> None:
    """Refuses a recording that this machine has no room for, before the run and not in the middle of it."""
    joints = sum(6 + 2 * joint.coordinates for joint in model.joints.values())
    width = 13 * len(model.bodies) + 13 + joints if names is None else len(names)
    try:
        rows = max(until - time, 0.0) / abs(step) / max(every, 1)
        room = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, OverflowError, ZeroDivisionError):
        return
    if rows * width * 8 > room:
        raise MemoryError(f"{rows:.3g} rows of {width} numbers do not fit into memory; record less, or into a file (out=)")


class FileArrays(Mapping[str, Any]):
    """The arrays of a result file, each read when it is first asked for."""

    def __init__(self, file: _core.ResultFile) -> None:
        self._file = file
        self._index = {name: i for i, name in enumerate(file.names())}
        self._read: dict[str, Floats] = {}

    def __getitem__(self, name: str) -> Floats:
        if name not in self._read:
            self._read[name] = self._file.array(self._index[name])
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)


class FileRecording:
    """What a result file holds, in place of a recording in memory."""

    def __init__(self, file: _core.ResultFile, path: str) -> None:
        self._file = file
        self._path = path

    def arrays(self) -> FileArrays:
        """All that was recorded, by name."""
        return FileArrays(self._file)

    def write(self, path: str) -> None:
        """Another file of it; the ending chooses the format."""
        if path.lower().endswith(".h5"):
            shutil.copyfile(self._path, path)
        else:
            self._file.convert(path)


def summary_of_rows(arrays: Mapping[str, Floats], scheme: str, step: float) -> dict[str, Any]:
    """What the rows of a file tell of its run: errors over the rows, not over all steps."""
    time, total, kinetic = (np.asarray(arrays[n]) if n in arrays else np.zeros(0) for n in ("time", "energy/total", "energy/kinetic"))
    error = float(np.abs(total - total[0]).max()) if len(total) else float("nan")
    scale = float(kinetic.max()) if len(kinetic) else 0.0
    duration = float(time[-1] - time[0]) if len(time) else 0.0
    largest = {f"{part}_violation_max": float(np.max(arrays[f"violation/{part}"], initial=0.0))
               for part in ("position", "velocity") if f"violation/{part}" in arrays}
    return {"scheme": scheme, "step": step, "steps": round(duration / step) if step else 0, "time": float(time[-1]) if len(time) else 0.0,
            "energy": {"initial": float(total[0]) if len(total) else float("nan"), "final": float(total[-1]) if len(total) else float("nan"),
                       "scale": scale, "max_abs_error": error, "max_rel_error": error / scale if scale > 0 else None}, **largest}


UNITS = {"position": "m", "velocity": "m/s", "angular_velocity": "rad/s", "energy": "J", "force": "N", "torque": "N m",
         "linear": "kg m/s", "angular": "kg m^{2}/s", "stress": "J"}


def label(name: str) -> str:
    """A quantity with its unit, for an axis."""
    parts = name.split("/")
    unit = "" if parts[0] == "violation" else UNITS.get(parts[-1]) or UNITS.get(parts[0])
    text = " ".join(p.replace("_", " ") for p in reversed(parts))
    return f"{text} ({unit})" if unit else text


def near(name: str, known: Iterable[str]) -> str:
    """What may have been meant: a quantity, or a group of them."""
    words = {"/".join(key.split("/")[:n]) for key in known for n in range(1, key.count("/") + 2)}
    found = difflib.get_close_matches(name, sorted(words), 1)
    return f"; did you mean '{found[0]}'?" if found else ""


class Group(Mapping[str, Any]):
    """A group of quantities: ``result.energy.total``, ``result.joints["A"].force``."""

    def __init__(self, arrays: Mapping[str, Floats], prefix: str) -> None:
        self._arrays = arrays
        self._prefix = prefix

    def __getitem__(self, name: str) -> Any:
        full = self._prefix + name
        if full in self._arrays:
            return self._arrays[full]
        if any(key.startswith(full + "/") for key in self._arrays):
            return Group(self._arrays, full + "/")
        raise KeyError(f"nothing named '{full}' was recorded{near(full, self._arrays)}")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __iter__(self) -> Iterator[str]:
        rest = (key[len(self._prefix):] for key in self._arrays if key.startswith(self._prefix))
        return iter(dict.fromkeys(key.split("/")[0] for key in rest))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<{self._prefix.rstrip('/') or 'result'}: {', '.join(self)}>"


class Result(Group):
    """What a run has recorded, by the names of a result file.

    ``result["energy/total"]``, ``result.energy.total`` and ``result.joints["A"].force`` are NumPy views; the first index counts
    the rows. ``time`` (n,), ``position`` (n, bodies, 3), ``orientation`` (n, bodies, 4; w, x, y, z), ``velocity`` and
    ``angular_velocity`` (n, bodies, 3), ``energy/{kinetic,potential,work,total}`` (n,), ``momentum/{linear,angular}`` (n, 3),
    ``violation/{position,velocity}`` (n,), ``joints/<name>/{force,torque}`` (n, 3) and ``{coordinate,rate}`` (n, k).
    ``summary`` holds the largest errors over all steps, recorded or not, as ``polhode run --json`` prints them.
    """

    def __init__(self, model: Model, summary: dict[str, Any], recording: Any, stopped: bool, path: str | None) -> None:
        super().__init__(recording.arrays(), "")
        self._recording = recording
        self.model = model
        self.summary = summary
        self.stopped = stopped
        """True where the progress function ended the run."""
        self.path = path
        """The file that was written in place of recording, or None."""
        self.bodies = list(model.bodies)
        """Names of the bodies, in the order of the arrays."""

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, folder: str | os.PathLike[str] | None = None) -> Result:
        """A result file (``.h5``) that ``polhode run --out`` or :meth:`to_hdf5` wrote, also while the run that writes it goes on.

        Arrays are read when they are first asked for, and cannot be written to. ``model`` is the model that was run; files of its shapes
        are read from the folder of the result or below it, or from ``folder``. ``summary`` is made from the rows of the file.
        """
        from ._model import Model

        path = os.fspath(path)
        with open(path, "rb"):  # FileNotFoundError and its kin, as everywhere in Python
            pass
        file = _core.open_result(path, None if folder is None else os.fspath(folder))
        _, scheme, step, text, settings = file.about()
        model: Model = Model._of_result(file)
        model._source = (None, text, path, dict(line.split("=", 1) for line in settings.splitlines() if "=" in line), ())
        recording = FileRecording(file, path)
        return cls(model, summary_of_rows(recording.arrays(), scheme, step), recording, False, path)

    def keys(self) -> Any:
        """Full names of all quantities."""
        return self._arrays.keys()

    def body(self, name: str) -> Any:
        """The recorded arrays of one body: ``result.body("rod").position`` has shape (n, 3)."""
        index = self.model.body_index(name)
        if index < 0:
            raise ArgumentError("the world does not move")
        return SimpleNamespace(**{key: self._arrays[key][:, index] for key in BODY_ARRAYS if key in self._arrays})

    def to_hdf5(self, path: str | os.PathLike[str]) -> None:
        """Writes the result file that ``polhode run --out`` would have written (HDF5)."""
        path = os.fspath(path)
        if not path.lower().endswith(".h5"):
            raise ArgumentError(f"the name of an HDF5 result ends with .h5, not '{path}'")
        self._recording.write(path)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Writes comma-separated values, one line for each row."""
        path = os.fspath(path)
        if not path.lower().endswith(".csv"):
            raise ArgumentError(f"the name of a CSV result ends with .csv, not '{path}'")
        self._recording.write(path)

    def to_dataframe(self, *names: str) -> pandas.DataFrame:
        """A table for pandas, which must be installed: one row for each moment, the index is the time (s).

        ``names`` chooses quantities or groups (``"position"``, ``"joints/A"``); default: all that have a row for each moment. Columns
        have the names of ``polhode plot``: ``rod.position.x``, ``energy.total``, ``joints.A.force.z``.
        """
        import pandas

        time = self["time"]
        wanted = [key for key in self.keys() if key != "time" and len(self._arrays[key]) == len(time)
                  and (not names or any(key == n or key.startswith(n + "/") for n in names))]
        for name in names:
            if not any(key == name or key.startswith(name + "/") for key in wanted):
                raise KeyError(f"nothing named '{name}' was recorded for each moment{near(name, self.keys())}")
        columns = {text: column for key in wanted for text, column in self._table(key)}
        return pandas.DataFrame(columns, index=pandas.Index(time, name="time"))

    def _table(self, name: str) -> Iterator[tuple[str, Any]]:
        """The columns of a quantity by the names of ``polhode plot``."""
        array = self._arrays[name]
        parts = name.split("/")
        axes = ("w", "x", "y", "z") if parts[-1] == "orientation" else ("x", "y", "z")
        of_bodies = len(parts) == 1 and array.ndim > 1 and array.shape[1] == len(self.bodies)
        single = array.ndim == 2 and array.shape[1] == 1
        for index in np.ndindex(array.shape[1:]):
            inner = index[1:] if of_bodies else index
            named = len(inner) == 1 and array.shape[-1] == len(axes) and parts[-1] not in ("coordinate", "rate")
            ending = [] if single else [axes[i] if named else str(i) for i in inner]
            yield ".".join(([self.bodies[index[0]]] if of_bodies else []) + parts + ending), array[(slice(None), *index)]

    def plot(self, *names: str, ax: Any = None, log: bool = False) -> Any:
        """Draws quantities over time, a panel for each: ``result.plot("energy/total", "position")``; by default the energy error.

        A :class:`Figure` (SVG) comes back. With ``ax``, an axes of Matplotlib, all are drawn there and it comes back.
        """
        panels = [self._panel(name) for name in names or ("energy error",)]
        if ax is not None:
            for panel in panels:
                for series in panel.series:
                    ax.plot(series.x, series.y, label=series.label)
                ax.set_ylabel(panel.y_label)
            ax.set_xlabel("time (s)")
            ax.set_yscale("log" if log else "linear")
            ax.legend()
            return ax
        for index, panel in enumerate(panels):
            panel.y_log = log
            panel.share_x = index > 0
        return figure(panels, self.model.name)

    def view(self, path: str | os.PathLike[str] | None = None, *, height: int = 600, megabytes: float = 15.0) -> Page:
        """The 3-D page of this result, shown by a notebook; ``path`` also writes it there. See :func:`polhode.view`."""
        return view(self, path=path, height=height, megabytes=megabytes)

    def _panel(self, name: str) -> Panel:
        time = self["time"]
        if name == "energy error":
            total = self["energy/total"]
            return Panel([Series(time, total - total[0])], "time (s)", "energy error (J)")
        array = self[name]
        if isinstance(array, Group):
            series = [s for part in array for s in self._panel(f"{name}/{part}").series]
            return Panel([Series(s.x, s.y, s.label) for s in series], "time (s)", label(name))
        return Panel([Series(time, column, text) for text, column in self._columns(name, array)], "time (s)", label(name))

    def _columns(self, name: str, array: Any) -> Iterator[tuple[str, Any]]:
        """The columns of a quantity with their names."""
        axes = ("w", "x", "y", "z") if name == "orientation" else ("x", "y", "z")
        of_bodies = array.ndim > 2 and array.shape[1] == len(self.bodies)
        for index in np.ndindex(array.shape[1:]):
            inner = index[1:] if of_bodies else index
            parts = [self.bodies[index[0]]] if of_bodies else []
            parts += ["".join(axes[i] if i < len(axes) else str(i) for i in inner)] if inner else []
            yield " ".join(parts) or name.rsplit("/", 1)[-1], array[(slice(None), *index)]

    def __repr__(self) -> str:
        s = self.summary
        rows = len(self._arrays["time"]) if "time" in self._arrays else 0
        return (f"<polhode.Result of {self.model.name!r}: {s['scheme']}, {s['steps']} steps of {s['step']:g} s to t = {s['time']:g} s, "
                f"{rows} rows; energy error {s['energy']['max_abs_error']:.3g} J>")
