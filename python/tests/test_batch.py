"""Many worlds side by side: the bits of single simulations, views without copies, worlds that fail alone."""

import numpy as np
import polhode
import pytest
from conftest import PENDULUM

SWING = PENDULUM.replace("run:", "keyframes:\n  - {name: up, joints: {hinge: {coordinate: 3.0}}}\nrun:")


def alone(model, inputs, every):
    sim = polhode.Sim(model)
    for u in inputs:
        sim.state.inputs[:] = u
        sim.advance(every)
    return sim.state


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_worlds_have_the_bits_of_single_simulations(pendulum, threads):
    inputs = np.random.default_rng(1).normal(size=(9, 20, 1))
    batch = polhode.Batch(pendulum, 9, threads=threads)
    out = batch.rollout(inputs, every=5)
    steps = polhode.Batch(pendulum, 9, threads=threads)
    for k in range(20):
        steps.inputs[:] = inputs[:, k]
        assert steps.step(5) == 0
    for w in range(9):
        state = alone(pendulum, inputs[w], 5)
        for name in ("position", "orientation", "velocity", "angular_velocity"):
            assert np.array_equal(getattr(batch, name)[w], getattr(state, name))
            assert np.array_equal(getattr(steps, name)[w], getattr(state, name))
    q, qd = batch.joints()
    assert np.array_equal(q, out["coordinates"][:, -1]) and np.array_equal(qd, out["rates"][:, -1])


def test_arrays_are_views(pendulum):
    batch = polhode.Batch(pendulum, 3)
    position, inputs = batch.position, batch.inputs
    assert position.shape == (3, 1, 3) and inputs.shape == (3, 1)
    before = position.copy()
    inputs[:] = [[0.0], [1.0], [2.0]]
    batch.step(10)
    assert not np.array_equal(position, before) and len({tuple(p) for p in position[:, 0]}) == 3
    assert np.shares_memory(batch.position, position)
    with pytest.raises(ValueError):
        position[0] = 0
    del batch
    assert np.isfinite(position).all()  # the array keeps the worlds alive
    if hasattr(np, "from_dlpack"):
        assert np.shares_memory(np.from_dlpack(inputs), inputs)


def test_a_world_fails_alone_and_starts_again(pendulum):
    batch = polhode.Batch(pendulum, 4)
    batch.assign(2, position=[[0, 9, 9]])
    assert batch.step(10) == 1
    assert batch.failed.tolist() == [False, False, True, False] and "hinge" in batch.messages[2]
    assert batch.time.tolist() == pytest.approx([0.01, 0.01, 0.0, 0.01])
    assert batch.reset(batch.failed) == 0
    assert batch.step(10, worlds=[2]) == 0
    assert np.array_equal(batch.position[2], batch.position[1])


def test_parameters_of_each_world(pendulum):
    batch = polhode.Batch(pendulum, parameters={"l": [0.5, 1.0, 2.0]})
    batch.step(100)
    for w, length in enumerate((0.5, 1.0, 2.0)):
        sim = polhode.Sim(pendulum.with_parameters({"l": length}))
        sim.advance(100)
        assert np.array_equal(batch.position[w], sim.state.position)


def test_keyframes_and_noise():
    model = polhode.Model.from_string(SWING)
    a, b = (polhode.Batch(model, 64, seed=3, threads=t) for t in (1, 3))
    for batch in (a, b):
        batch.reset(keyframe="up", coordinate_noise=0.1, rate_noise=0.5)
    qa, va = (x.copy() for x in a.joints())
    qb, vb = b.joints()
    assert np.array_equal(qa, qb) and np.array_equal(va, vb)
    assert np.abs(qa - 3.0).max() <= 0.1 and np.ptp(qa) > 0.15 and np.abs(va).max() <= 0.5
    a.reset(keyframe="up", coordinate_noise=0.1)
    assert not np.array_equal(a.joints()[0], qa)


def test_bad_arguments(pendulum):
    batch = polhode.Batch(pendulum, 2)
    for call in (lambda: polhode.Batch(pendulum), lambda: polhode.Batch(pendulum, 0), lambda: polhode.Batch(pendulum, 2, threads=0),
                 lambda: polhode.Batch(pendulum, 3, parameters={"l": [1, 2]}), lambda: batch.step(-1), lambda: batch.step(1, h=0.0),
                 lambda: batch.step(1, worlds=np.array([True])), lambda: batch.rollout(np.zeros((3, 4, 1))),
                 lambda: batch.rollout(np.full((2, 4, 1), np.nan)), lambda: batch.rollout(), lambda: batch.reset(keyframe="no"),
                 lambda: batch.reset(coordinate_noise=-1.0), lambda: batch.assign(5, position=[[0, 0, 0]]),
                 lambda: batch.assign(0, place=[[0, 0, 0]]), lambda: batch.assign(0, orientation=[[0, 0, 0, 0]]),
                 lambda: batch.rollout(np.zeros((2, 4, 1)), record=["colour"])):
        with pytest.raises((polhode.Error, ValueError)):
            call()
    with pytest.raises(TypeError):
        polhode.Batch(None, 2)
    with pytest.raises(IndexError):
        batch.step(1, worlds=[7])


class Foreign:
    """A tensor of another library: nothing but DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack_in_and_out(pendulum):
    inputs = np.random.default_rng(1).normal(size=(4, 6, 1))
    a, b = polhode.Batch(pendulum, 4), polhode.Batch(pendulum, 4)
    assert np.array_equal(a.rollout(inputs)["rates"], b.rollout(Foreign(inputs))["rates"])
    a.assign(1, position=Foreign(a.position[0].copy()))
    a.step(3, worlds=Foreign(np.array([0, 2])))
    assert a.time[0] == a.time[2] > a.time[1]
    assert np.shares_memory(np.from_dlpack(a.inputs), a.inputs)
    torch = pytest.importorskip("torch")
    tensor = torch.from_dlpack(a.inputs)
    tensor[:] = 3.0
    assert (a.inputs == 3.0).all()
    a.rollout(torch.zeros((4, 2, 1), dtype=torch.float64))


def test_worlds_get_parameters_at_random():
    model = polhode.Model.from_string(SWING)
    a, b = polhode.Batch(model, 6, threads=1, seed=2), polhode.Batch(model, 6, threads=3, seed=2)
    drawn = a.randomise({"m": (0.5, 2.0)})["m"]
    assert np.array_equal(drawn, b.randomise({"m": (0.5, 2.0)})["m"])
    assert len(set(drawn)) == 6 and drawn.min() >= 0.5 and drawn.max() < 2.0
    a.inputs[:] = b.inputs[:] = 1.0
    a.step(20)
    b.step(20)
    assert np.array_equal(a.position, b.position)
    own = polhode.Batch(model, parameters=[{"m": m} for m in drawn])
    own.inputs[:] = 1.0
    own.step(20)
    assert np.array_equal(a.position, own.position)
    again = a.randomise({"m": (0.5, 2.0)}, [1])["m"]
    assert again[1] != drawn[1] and np.isnan(again[0]) and a.time[1] == 0.0 < a.time[0]
    with pytest.raises(polhode.Error, match="nonsense"):
        a.randomise({"nonsense": (0, 1)})
