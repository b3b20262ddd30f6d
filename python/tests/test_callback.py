"""Forces that Python functions compute."""

import gc
import pickle
import threading
import weakref

import numpy as np
import polhode
import pytest

K = 50.0


def spring(motion):
    return -K * motion.position


def spring_energy(motion):
    return 0.5 * K * motion.position @ motion.position


def free_body(**keys):
    return polhode.Spec("body").body("b", mass=2, inertia=[0.1, 0.2, 0.25], position=[1, 0, 0], velocity=[0, 1, 0], **keys)


def test_spring_as_a_callback_moves_like_the_built_in_one():
    ours = free_body().callback("b", spring, potential=spring_energy).compile()
    theirs = free_body().spring("world", "b", stiffness=K, length=0).compile()
    a, b = polhode.Sim(ours, step=1e-3), polhode.Sim(theirs, step=1e-3)
    a.step(1000)
    b.step(1000)
    np.testing.assert_allclose(a.state.position, b.state.position, atol=1e-12)
    assert a.state.measure().potential == pytest.approx(b.state.measure().potential, rel=1e-12)
    result = polhode.Sim(ours, step=1e-3).run(until=1, record="energy")
    assert result.summary["energy"]["max_rel_error"] < 1e-4


def test_without_potential_it_is_work():
    model = free_body().callback("b", spring).compile()
    sim = polhode.Sim(model, step=1e-3)
    before = sim.state.measure()
    sim.step(1000)
    after = sim.state.measure()
    assert before.potential == after.potential == 0
    assert after.work == pytest.approx(after.kinetic - before.kinetic, rel=1e-3)


@pytest.mark.parametrize("answer, expected", [
    (None, [0, 0, 0, 0, 0, 0]),
    ([2, 4, 6], [0, 0, 0, 1, 2, 3]),
    (np.array([2.0, 4, 6]), [0, 0, 0, 1, 2, 3]),
    (([0, 0, 0], [1, 2, 3]), [10, 10, 12, 0, 0, 0]),
    (np.array([[0, 0, 0], [1, 2, 3.0]]), [10, 10, 12, 0, 0, 0]),
    (([0, 0, 2], [0, 0, 0], [0.1, 0, 0]), [0, -1, 0, 0, 0, 1]),
])
def test_loads(answer, expected):
    """Torque about the centre of mass, force at an arm: accelerations of a body with J = diag(0.1, 0.2, 0.25), m = 2."""
    state = free_body().callback("b", lambda m: answer).compile().state()
    np.testing.assert_allclose(state.accelerations()[0], expected, atol=1e-14)


def test_between_two_bodies():
    def attract(a, b):
        force = 3.0 * (b.position - a.position)
        return force, -force

    model = (polhode.Spec().body("a", mass=1, inertia=[1, 1, 1]).body("b", mass=2, inertia=[1, 1, 1], position=[1, 0, 0])
             .callback("a", attract, other="b").compile())
    np.testing.assert_allclose(model.state().accelerations()[:, 3:], [[3, 0, 0], [-1.5, 0, 0]])
    result = polhode.Sim(model, step=1e-2).run(until=1)
    np.testing.assert_allclose(result.momentum.linear, 0, atol=1e-14)


def test_field():
    """A field that grows linearly: force and torque are those of the mean and of the spread of the mass."""
    model = (free_body(angular_velocity=[0, 0, 1])
             .field("b", lambda x, t: (-x[0], -x[1], -x[2]), potential=lambda x, t: 0.5 * float(x @ x)).compile())
    np.testing.assert_allclose(model.state().accelerations()[0, 3:], [-1, 0, 0], atol=1e-14)
    result = polhode.Sim(model, step=1e-3).run(until=1, record="energy")
    assert result.summary["energy"]["max_rel_error"] < 1e-5


def test_what_a_function_sees():
    seen = []

    def look(motion):
        seen.append(motion)
        with pytest.raises(ValueError):
            motion.position[0] = 5  # read-only
        return None

    model = free_body(angular_velocity=[0, 0, 2]).callback("b", look).compile()
    polhode.Sim(model, step=0.5).step()
    first = seen[0]
    assert first.mass == 2 and first.time >= 0
    assert first.rotation.shape == (3, 3)
    np.testing.assert_array_equal(first.inertia, np.diag([0.1, 0.2, 0.25]))
    x, v = first.point([0.5, 0, 0])
    np.testing.assert_allclose(v, first.velocity + first.rotation @ np.cross(first.angular_velocity, [0.5, 0, 0]), atol=1e-14)
    np.testing.assert_allclose(x, first.position + first.rotation @ [0.5, 0, 0], atol=1e-14)


def test_exceptions_come_through():
    calls, healthy = [], []

    def fail(motion):
        calls.append(1)
        if len(calls) > 5 and not healthy:
            raise KeyError("the sixth")
        return [0, 0, 0]

    sim = polhode.Sim(free_body().callback("b", fail).compile(), step=1e-3)
    with pytest.raises(KeyError, match="the sixth"):
        sim.step(1000)
    count = len(calls)
    assert count == 6  # not called again after that
    before = sim.state.position.copy()
    with pytest.raises(KeyError):
        sim.run(until=1)
    with pytest.raises(KeyError):
        sim.state.measure(), sim.state.accelerations()
    np.testing.assert_array_equal(sim.state.position, before)
    healthy.append(1)
    sim.step()  # and it goes on


@pytest.mark.parametrize("answer", ["abc", 5, [1, 2], [1, 2, "x"], [[1, 2, 3], [4, 5]], [[1, 2, 3]] * 4, object(), {}, [None] * 3])
def test_answers_that_are_no_loads(answer):
    sim = polhode.Sim(free_body().callback("b", lambda m: answer).compile(), step=1e-3)
    with pytest.raises(TypeError):
        sim.step()


def test_answers_that_are_not_finite():
    sim = polhode.Sim(free_body().callback("b", lambda m: [np.inf, 0, 0]).compile(), step=1e-3)
    with pytest.raises(polhode.StepError):
        sim.step()


def test_a_function_that_steps_its_own_simulation_is_refused():
    holder = []
    model = free_body().callback("b", lambda m: holder[0].step()).compile()
    holder.append(polhode.Sim(model, step=1e-3))
    with pytest.raises(RuntimeError, match="in use"):
        holder[0].step()


def test_a_function_may_step_another_simulation():
    inner = polhode.Sim(free_body().compile(), step=1e-3)

    def both(motion):
        inner.step()
        return [0, 0, 1]

    sim = polhode.Sim(free_body().callback("b", both).compile(), step=1e-3)
    sim.step(10)
    assert inner.time > 0


def test_circles_are_collected():
    class Controller:
        def act(self, motion):
            return [0, 0, self.sim.time]

    controller = Controller()
    controller.sim = polhode.Sim(free_body().callback("b", controller.act).compile(), step=1e-3)
    controller.sim.step(10)
    gone = weakref.ref(controller)
    del controller
    gc.collect()
    assert gone() is None


def test_threads_share_a_model():
    model = free_body().callback("b", spring).compile()
    alone = polhode.Sim(model, step=1e-3)
    alone.step(300)
    sims = [polhode.Sim(model, step=1e-3) for _ in range(4)]
    threads = [threading.Thread(target=s.step, args=(300,)) for s in sims]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for sim in sims:
        np.testing.assert_array_equal(sim.state.position, alone.state.position)


def test_pickle_with_functions():
    model = pickle.loads(pickle.dumps(free_body().callback("b", spring).compile()))
    np.testing.assert_allclose(model.state().accelerations()[0, 3], -K / 2)
    with pytest.raises(Exception):
        pickle.dumps(free_body().callback("b", lambda m: None).compile())


def test_not_a_function():
    with pytest.raises(TypeError):
        free_body().callback("b", 3)
    for forces in (3, (3,), ((1,),), ((0, -2, 3, None, None, None),), ((99, -2, spring, None, None, None),), (None,)):
        with pytest.raises((TypeError, ValueError)):
            model = polhode.Model._make(None, free_body().to_text(), "x", None, forces)
            polhode.Sim(model, step=1e-3).step()
