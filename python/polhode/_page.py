"""The web page of results: a 3-D view with plots that needs nothing but a browser."""

from __future__ import annotations

import html
import os
import pathlib
import tempfile
import webbrowser
from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import _core
from ._errors import ArgumentError

if TYPE_CHECKING:
    from ._result import Result


class Page:
    """One HTML file with the motion inside. A notebook shows it; :meth:`save` writes it, :meth:`open` shows it in the browser."""

    def __init__(self, text: str, height: int) -> None:
        self.html = text
        self._height = height
        self._file: str | None = None

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.html)}" width="100%" height="{self._height}" '
                'style="border:0" sandbox="allow-scripts"></iframe>')

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page."""
        pathlib.Path(path).write_text(self.html, encoding="utf-8")

    def open(self) -> None:
        """Shows the page in the browser of this machine."""
        if self._file is None:
            handle, self._file = tempfile.mkstemp(".html", "polhode-")
            os.close(handle)
            self.save(self._file)
        webbrowser.open(pathlib.Path(self._file).as_uri())

    def __repr__(self) -> str:
        return f"<polhode.Page, {len(self.html) / 1e6:.2g} MB of HTML>"


def view(*results: Result | str | os.PathLike[str], path: str | os.PathLike[str] | None = None, height: int = 600,
         megabytes: float = 15.0, folder: str | os.PathLike[str] | None = None) -> Page:
    """A page of one or several results, or result files, side by side.

    ``path`` also writes it there. The page takes at most so many ``megabytes``: numbers are rounded and frames left out until it fits.
    Files of shapes that a result file names are read from its own folder or below, or from ``folder`` if that is given.
    """
    if not results:
        raise ArgumentError("there is nothing to show")
    if folder is None and not any(isinstance(r, (str, os.PathLike)) for r in results):
        folder = os.sep  # results of this process name no files but those that it has read already
    with tempfile.TemporaryDirectory() as own:
        files: Sequence[str] = [as_file(r, own, i) for i, r in enumerate(results)]
        target = os.path.join(own, "page.html")
        _core.page(tuple(files), target, 1e6 * float(megabytes), None if folder is None else os.fspath(folder))
        page = Page(pathlib.Path(target).read_text(encoding="utf-8"), int(height))
    if path is not None:
        page.save(path)
    return page


def as_file(result: Result | str | os.PathLike[str], folder: str, index: int) -> str:
    """A result file of a result."""
    if isinstance(result, (str, os.PathLike)):
        return os.fspath(result)
    if result.path is not None:
        return result.path
    file = os.path.join(folder, f"{index + 1}-{result.summary['scheme']}.h5")
    result.to_hdf5(file)
    return file
