"""Many worlds on many machines: shares of a batch on the workers of Dask, Ray or any executor, each with a pool, gathered in one file."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures import wait as wait_for
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._batch import Batch, as_array
from ._errors import ArgumentError, Error
from ._model import Floats, Model
from ._rollout import available_threads

Arrays = dict[str, Any]


def run_share(source: tuple[Any, ...], first: int, count: int, settings: dict[str, Any], start: dict[str, Any] | None,
              ranges: dict[str, tuple[float, float]] | None, inputs: Any, rows: int, every: int,
              record: tuple[str, ...]) -> tuple[int, Arrays]:
    """What a worker does: some worlds of the whole, with the numbers that they have in it."""
    model = Model._make(*source)
    batch = Batch(model, count, first_world=first, **settings)
    drawn = batch.randomise(ranges) if ranges else {}
    if start is not None:
        batch.reset(**start)
    out: Arrays = batch.rollout(inputs, rows, every=every, record=record)
    out |= {f"parameters/{name}": values for name, values in drawn.items()}
    out["time"] = np.array(batch.time)
    out["failed"] = batch.failed
    out["messages"] = [message or "" for message in batch.messages]
    return first, out


# ---- Stores: one array for each name, worlds first ------------------------------------------------------------------------


class Memory:
    """Keeps the shares in NumPy arrays."""

    def __init__(self, worlds: int) -> None:
        self.worlds, self.arrays = worlds, dict[str, Any]()

    def put(self, first: int, share: Arrays) -> None:
        for name, values in share.items():
            if name == "messages":
                self.arrays.setdefault(name, [""] * self.worlds)[first:first + len(values)] = values
                continue
            if name not in self.arrays:
                self.arrays[name] = np.zeros((self.worlds, *values.shape[1:]), values.dtype)
            self.arrays[name][first:first + len(values)] = values

    def has(self, first: int, count: int) -> bool:
        return False

    def close(self) -> Arrays:
        return self.arrays


class Store(Memory):
    """A file that shares are written to as they come, with a note of which are there: what another run has left is gone on with."""

    def __init__(self, group: Any, worlds: int, shut: Callable[[], None], key: str) -> None:
        super().__init__(worlds)
        self.group, self.shut = group, shut
        if "done" not in group:
            self._array("done", np.zeros(1, "u1"))[:] = 0
            group.attrs["study"] = key
        elif group.attrs.get("study") != key:
            raise ArgumentError("the store holds another study: choose another file, or remove it")

    def _array(self, name: str, values: Any) -> Any:
        if name in self.group:
            return self.group[name]
        shape = (self.worlds, *values.shape[1:])
        chunks = tuple(max(1, n) for n in (min(self.worlds, 64), *values.shape[1:]))
        if hasattr(self.group, "create_array"):  # Zarr 3
            return self.group.create_array(name, shape=shape, dtype=values.dtype, chunks=chunks)
        return self.group.create_dataset(name, shape=shape, dtype=values.dtype)

    def put(self, first: int, share: Arrays) -> None:
        for name, values in share.items():
            if name == "messages":
                values = np.array([m.encode()[:256] for m in values], "S256").view("u1").reshape(-1, 256)  # UTF-8, zeros after it
            self._array(name, values)[first:first + len(values)] = values
        self.group["done"][first:first + len(share["time"])] = 1  # last: a share that is not whole is made again

    def has(self, first: int, count: int) -> bool:
        return bool(np.all(np.asarray(self.group["done"][first:first + count]) == 1))

    def close(self) -> Arrays:
        self.shut()
        return {}


def open_store(path: str | os.PathLike[str] | None, worlds: int, key: str) -> Memory:
    """In memory, in an HDF5 file (.h5, .hdf5) or in a Zarr store (.zarr)."""
    if path is None:
        return Memory(worlds)
    name = os.fspath(path)
    if name.endswith(".zarr"):
        import zarr

        return Store(zarr.open_group(name, mode="a"), worlds, lambda: None, key)
    if name.endswith((".h5", ".hdf5")):
        import h5py

        file = h5py.File(name, "a")
        return Store(file, worlds, file.close, key)
    raise ArgumentError(f"'{name}': results go to a file that ends with .h5 or .zarr")


# ---- Workers: something that is given shares and hands them back in any order ---------------------------------------------


class Futures:
    """An executor of concurrent.futures, or what looks like one; a process pool that breaks is made anew."""

    def __init__(self, executor: Any, renew: Callable[[], Any] | None) -> None:
        self.executor, self.renew = executor, renew

    def run(self, shares: Iterable[tuple[Any, ...]], attempts: int) -> Iterator[tuple[int, Arrays]]:
        tried: dict[int, int] = {}
        pending = {self._submit(share): share for share in shares}
        while pending:
            done = wait_for(pending, return_when="FIRST_COMPLETED").done if isinstance(next(iter(pending)), Future) else _ready(pending)
            for future in done:
                share = pending.pop(future)
                try:
                    yield future.result()
                except (Error, ArgumentError, TypeError, ValueError):
                    raise  # of the study, not of the worker
                except Exception as error:
                    self._again(pending, share, tried, attempts, error)

    def _again(self, pending: dict[Any, Any], share: tuple[Any, ...], tried: dict[int, int], attempts: int, error: Exception) -> None:
        tried[share[1]] = tried.get(share[1], 0) + 1
        if tried[share[1]] >= attempts:
            raise Error(f"worlds {share[1]} to {share[1] + share[2] - 1} were lost {attempts} times: {error}") from error
        pending[self._submit(share)] = share

    def _submit(self, share: tuple[Any, ...]) -> Any:
        try:
            return self.executor.submit(run_share, *share)
        except Exception:
            if self.renew is None:
                raise
            self.executor = self.renew()
            return self.executor.submit(run_share, *share)


def _ready(pending: Mapping[Any, Any]) -> list[Any]:
    """Futures of other libraries have `done` alone."""
    while True:
        if ready := [f for f in pending if f.done()]:
            return ready
        time.sleep(0.01)


class Ray:
    """Workers of Ray, which makes tasks of killed ones again by itself."""

    def __init__(self, ray: Any, threads: int | None) -> None:
        self.ray = ray
        self.task = ray.remote(run_share).options(num_cpus=threads or 1, max_retries=0)

    def run(self, shares: Iterable[tuple[Any, ...]], attempts: int) -> Iterator[tuple[int, Arrays]]:
        ray, tried = self.ray, dict[int, int]()
        pending = {self.task.remote(*share): share for share in shares}
        while pending:
            (reference,), _ = ray.wait(list(pending), num_returns=1)
            share = pending.pop(reference)
            try:
                yield ray.get(reference)
            except ray.exceptions.RayTaskError:
                raise  # of the study
            except Exception as error:
                tried[share[1]] = tried.get(share[1], 0) + 1
                if tried[share[1]] >= attempts:
                    raise Error(f"worlds {share[1]} to {share[1] + share[2] - 1} were lost {attempts} times: {error}") from error
                pending[self.task.remote(*share)] = share


def workers_of(workers: Any, threads: int | None) -> tuple[Any, Callable[[], None]]:
    """A Dask client, the module ray, an executor, or None: processes of this machine."""
    def nothing() -> None:
        pass

    if workers is None:
        pools = list[ProcessPoolExecutor]()

        def renew() -> ProcessPoolExecutor:
            pools.append(ProcessPoolExecutor(max(1, available_threads() // (threads or 1))))
            return pools[-1]

        def leave() -> None:
            for pool in pools:
                pool.shutdown(cancel_futures=True)

        return Futures(renew(), renew), leave
    if getattr(workers, "__name__", "") == "ray":
        return Ray(workers, threads), nothing
    if hasattr(workers, "get_executor"):  # a Dask client
        return Futures(workers.get_executor(pure=False, retries=0), lambda: workers.get_executor(pure=False)), nothing
    if isinstance(workers, Executor) or hasattr(workers, "submit"):
        return Futures(workers, None), nothing
    raise ArgumentError("workers: a Dask client, the module ray, an executor, or None")


def rollout_on(workers: Any, model: Model, worlds: int, inputs: ArrayLike | None = None, rows: int | None = None, *, every: int = 1,
               record: Sequence[str] = ("coordinates", "rates"), out: str | os.PathLike[str] | None = None, share: int = 256,
               start: Mapping[str, Any] | None = None, randomise: Mapping[str, tuple[float, float]] | None = None, seed: int = 0,
               threads: int | None = None, step: float | None = None, scheme: str | None = None, attempts: int = 3,
               progress: Callable[[int, int], None] | None = None) -> Arrays:
    """:meth:`Batch.rollout` of any number of worlds, in shares, on the workers of a cluster: a Dask client, the module ``ray`` (initialised), any
    ``concurrent.futures.Executor``, or None for processes of this machine.

    ``start`` are arguments of :meth:`Batch.reset`, ``randomise`` those of :meth:`Batch.randomise`. Every world has the bits that it has in one batch
    of them all, whoever moved it. ``out`` names one HDF5 file (.h5) or Zarr store (.zarr), to which shares are written as they come: a run that
    was ended goes on where it was, and nothing needs to fit into memory. Without it the arrays come back by name. The share of a worker that is
    killed is made again, up to ``attempts`` times.
    """
    whole = None if inputs is None else as_array(inputs, float)
    rows = whole.shape[-2] if whole is not None and whole.ndim >= 2 else rows
    if rows is None:
        raise ArgumentError("how many rows? give inputs or a number")
    if worlds < 1 or share < 1:
        raise ArgumentError("a study needs at least one world, and a share at least one")
    path, text, name, settings, forces = model._source
    source = (None, text or model.text, name or path, settings, forces)
    shared = {"seed": seed, "threads": threads, "step": step, "scheme": scheme}
    key = repr((source[1], settings, worlds, rows, every, tuple(record), start, randomise, seed, step, scheme, None if whole is None else whole.shape))
    given = b"" if whole is None else np.ascontiguousarray(whole).tobytes()
    store = open_store(out, worlds, hashlib.sha256(key.encode() + given).hexdigest())
    firsts = [first for first in range(0, worlds, share) if not store.has(first, min(share, worlds - first))]
    tasks = [(source, first, min(share, worlds - first), shared, None if start is None else dict(start),
              None if randomise is None else dict(randomise), whole if whole is None or whole.ndim < 3 else whole[first:first + share], rows,
              every, tuple(record)) for first in firsts]
    pool, end = workers_of(workers, threads)
    made = len(range(0, worlds, share)) - len(tasks)
    try:
        for first, arrays in pool.run(tasks, attempts):
            store.put(first, arrays)
            made += 1
            if progress is not None:
                progress(made, len(range(0, worlds, share)))
    finally:
        end()
        result = store.close()
    return result
