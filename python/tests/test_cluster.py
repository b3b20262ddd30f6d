"""Worlds on workers: the bits of one batch, one store, and shares of killed workers made again."""

import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import polhode
import pytest
from conftest import PENDULUM

NOISE = {"coordinate_noise": 0.3, "rate_noise": 1.0}
RANGES = {"m": (0.5, 2.0)}


def study(workers, inputs_seed=0, **more):
    model = polhode.Model.from_string(PENDULUM)
    inputs = np.random.default_rng(inputs_seed).normal(size=(23, 8, 1))
    return polhode.rollout_on(workers, model, 23, inputs, every=5, share=4, seed=7, threads=1, start=NOISE, randomise=RANGES, **more)


def whole():
    """The same in one batch."""
    batch = polhode.Batch(polhode.Model.from_string(PENDULUM), 23, seed=7)
    drawn = batch.randomise(RANGES)["m"]
    batch.reset(**NOISE)
    out = batch.rollout(np.random.default_rng(0).normal(size=(23, 8, 1)), every=5)
    return drawn, out


def check(found):
    drawn, out = whole()
    assert np.array_equal(found["parameters/m"][:], drawn)
    assert np.array_equal(found["coordinates"][:], out["coordinates"]) and np.array_equal(found["rates"][:], out["rates"])
    assert not np.asarray(found["failed"][:]).any()


def test_threads_and_processes_have_the_bits_of_one_batch():
    with ThreadPoolExecutor(2) as pool:
        check(study(pool))
    steps = []
    check(study(None, progress=lambda made, all: steps.append((made, all))))
    assert steps[-1] == (6, 6) and len(steps) == 6


@pytest.mark.parametrize("name", ["study.h5", "study.zarr"])
def test_one_store_that_goes_on(tmp_path, name):
    module = pytest.importorskip("h5py" if name.endswith("h5") else "zarr")
    path, seen = tmp_path / name, []

    def stop(made, _):
        if made == 3:
            raise KeyboardInterrupt

    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(KeyboardInterrupt):
            study(pool, out=path, progress=stop)
        study(pool, out=path, progress=lambda made, all: seen.append(made))
        assert seen == [4, 5, 6]  # what was there was not made again
        with pytest.raises(polhode.ArgumentError, match="another study"):
            study(pool, out=path, scheme="rkmk4")
        with pytest.raises(polhode.ArgumentError, match="another study"):
            study(pool, out=path, inputs_seed=1)
    found = module.File(path) if name.endswith("h5") else module.open_group(str(path), mode="r")
    check(found)


def killer(pids, gone):
    """Ends one worker as soon as there is one."""
    def run():
        for _ in range(2000):
            if found := pids():
                os.kill(found[0], signal.SIGKILL)
                gone.append(found[0])
                return
            time.sleep(0.005)
    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_shares_of_a_killed_process_are_made_again(monkeypatch):
    from polhode import _cluster
    pools = []

    class Pool(ProcessPoolExecutor):
        def __init__(self, *given, **named):
            super().__init__(*given, **named)
            pools.append(self)

    monkeypatch.setattr(_cluster, "ProcessPoolExecutor", Pool)
    gone = []
    thread = killer(lambda: list((pools[0]._processes or {}) if pools else {}), gone)
    check(study(None))
    thread.join()
    assert gone and len(pools) >= 1


def test_dask():
    pytest.importorskip("distributed")
    from distributed import Client, LocalCluster
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1") as cluster, Client(cluster) as client:
        check(study(client))
        gone = []
        thread = killer(lambda: [w.process.pid for w in cluster.workers.values() if w.process is not None], gone)
        check(study(client))
        thread.join()
        assert gone


def test_ray(tmp_path, monkeypatch):
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    try:
        check(study(ray))
        from polhode import _cluster
        mark, run_share = tmp_path / "gone", _cluster.run_share

        def die_once(*share):
            if share[1] == 8 and not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return run_share(*share)

        monkeypatch.setattr(_cluster, "run_share", die_once)
        check(study(ray))
        assert mark.exists()
    finally:
        ray.shutdown()


def test_mistakes_are_those_of_the_study():
    with ThreadPoolExecutor(1) as pool, pytest.raises(polhode.Error, match="nonsense"):
        polhode.rollout_on(pool, polhode.Model.from_string(PENDULUM), 4, rows=2, randomise={"nonsense": (0, 1)})
    with pytest.raises(polhode.ArgumentError, match="workers"):
        polhode.rollout_on(3, polhode.Model.from_string(PENDULUM), 4, rows=2)
