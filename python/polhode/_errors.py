"""What can go wrong, as exceptions with the messages of the library."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """Base of all exceptions that the engine raises. ``status`` names the library's status code."""

    status: str = ""


class ModelError(Error, ValueError):
    """The model has mistakes. The text shows all of them; ``problems`` lists them with file, line, column, path and hint."""

    problems: list[dict[str, Any]] = []


class ArgumentError(Error, ValueError):
    """An argument makes no sense, or a name is not known."""


class UnsupportedError(Error, NotImplementedError):
    """This scheme, or this build, cannot do it."""


class StepError(Error, ArithmeticError):
    """A step failed: no convergence, a singular system, or numbers that are not finite. The state is the last good one."""


class StateError(Error, ValueError):
    """The state does not meet the joints: its arrays were written to, or what was asked of it cannot be had."""


class FileError(Error, OSError):
    """A file could not be read or written."""
