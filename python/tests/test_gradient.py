"""Gradients of runs against differences of runs."""

import numpy as np
import pytest

import polhode

ARM = """
polhode: 1
parameters: {m: 1.2, l: 0.4, c: 0.15}
gravity: [0, 0, -9.81]
inputs: {u1: 0.1, u2: 0}
bodies:
  - {name: link1, mass: 2, inertia: [0.03, 0.028, 0.004], position: [0, 0, 0.25]}
  - {name: link2, mass: m, inertia: [0.002, 0.02, 0.021], position: [l/2, 0.03, 0.5]}
joints:
  - {name: base, type: revolute, bodies: [world, link1], anchor: [0, 0, 0], axis: [0, 0, 1], motor: {position: u1, kp: 40, kd: 3}}
  - {name: elbow, type: revolute, bodies: [link1, link2], anchor: [0, 0, 0.5], axis: [0, 1, 0], damping: c, motor: {torque: u2}}
run: {scheme: rattlie, step: 2e-3, until: 0.1}
"""
OF = ["link2.position.x", "joints.elbow.angle", "joints.base.rate"]
STEPS = 40


def cost(values):
    return float((values**2).sum()), 2.0 * values


def inputs():
    n = np.arange(STEPS)
    return np.stack([0.5 * np.sin(0.1 * n), 0.3 * np.cos(0.2 * n)], axis=1)


def value(parameters=None, u=None):
    model = polhode.Model.from_string(ARM, parameters)
    return polhode.Sim(model).gradient(cost, STEPS, OF, inputs=inputs() if u is None else u).value


def test_parameters_and_inputs():
    g = polhode.Sim(polhode.Model.from_string(ARM)).gradient(cost, STEPS, OF, inputs=inputs(), by=["m", "l", "c", "gravity.z"])
    for name, at in [("m", 1.2), ("l", 0.4), ("c", 0.15)]:
        coarse, fine = (((value({name: at + s}) - value({name: at - s})) / (2 * s)) for s in (2e-2 * at, 1e-2 * at))
        assert g[name] == pytest.approx(fine + (fine - coarse) / 3, rel=1e-6, abs=1e-8)
    u = inputs()
    for n, k in [(0, 0), (7, 1), (STEPS - 1, 0)]:
        both = []
        for s in (1e-4, -1e-4):
            v = u.copy()
            v[n, k] += s
            both.append(value(u=v))
        assert g.inputs[n, k] == pytest.approx((both[0] - both[1]) / 2e-4, rel=1e-6, abs=1e-9)
    assert g.gravity[2] == pytest.approx(g["gravity.z"], rel=1e-14)
    assert g.quantities.shape == (STEPS + 1, 3)


def test_memory_does_not_matter():
    model = polhode.Model.from_string(ARM)
    all_of_it = polhode.Sim(model).gradient(cost, STEPS, OF, inputs=inputs())
    little = polhode.Sim(model).gradient(cost, STEPS, OF, inputs=inputs(), memory=9000)
    assert (all_of_it.inputs == little.inputs).all() and (all_of_it.start.velocity == little.start.velocity).all()


def test_what_cannot_be():
    model = polhode.Model.from_string(ARM)
    with pytest.raises(polhode.Error, match="there is no body"):
        polhode.Sim(model).gradient(cost, STEPS, ["link3.position.x"])
    with pytest.raises(KeyError, match="neither a parameter"):
        polhode.Sim(model).gradient(cost, STEPS, OF, by=["q"])
    with pytest.raises(polhode.Error, match="no adjoint"):
        polhode.Sim(model, scheme="rk4").gradient(cost, STEPS, OF)


def test_torch():
    torch = pytest.importorskip("torch")
    from polhode.torch import rollout

    sim = polhode.Sim(polhode.Model.from_string(ARM))
    u = torch.tensor(inputs(), dtype=torch.float64, requires_grad=True)
    (rollout(sim, u, OF) ** 2).sum().backward()
    expected = polhode.Sim(polhode.Model.from_string(ARM)).gradient(cost, STEPS, OF, inputs=inputs())
    assert np.allclose(u.grad.numpy(), expected.inputs, rtol=1e-13)


def test_torch_by_its_own_check_and_in_batches():
    torch = pytest.importorskip("torch")
    from polhode.torch import rollout

    sim = polhode.Sim(polhode.Model.from_string(ARM))
    few = torch.tensor(inputs()[:5], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda u: rollout(sim, u, OF), (few,), eps=1e-5, atol=1e-8, rtol=1e-6)
    many = torch.stack([torch.tensor((1 + 0.1 * k) * inputs(), dtype=torch.float64) for k in range(5)]).requires_grad_()
    (rollout(sim, many, OF) ** 2).sum().backward()
    for k in range(5):
        one = many[k].detach().clone().requires_grad_()
        (rollout(sim, one, OF) ** 2).sum().backward()
        assert torch.equal(one.grad, many.grad[k])  # same bits, whatever the threads


def test_jax():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    from polhode.jax import rollout

    run = rollout(polhode.Sim(polhode.Model.from_string(ARM)), OF, STEPS)
    found = jax.grad(lambda u: (run(u) ** 2).sum())(inputs())
    expected = polhode.Sim(polhode.Model.from_string(ARM)).gradient(cost, STEPS, OF, inputs=inputs())
    assert np.allclose(np.asarray(found), expected.inputs, rtol=1e-13)


def test_jax_in_batches_and_in_32_bits():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    from polhode.jax import rollout

    run = rollout(polhode.Sim(polhode.Model.from_string(ARM)), OF, STEPS)
    by_inputs = jax.grad(lambda u: (run(u) ** 2).sum())
    many = np.stack([(1 + 0.1 * k) * inputs() for k in range(5)])
    found = np.asarray(jax.jit(jax.vmap(by_inputs))(many))
    for k in range(5):
        assert (np.asarray(by_inputs(many[k])) == found[k]).all()  # same bits, whatever the threads
    few = rollout(polhode.Sim(polhode.Model.from_string(ARM)), OF, 5)
    jacobian = np.asarray(jax.jacrev(few)(inputs()[:5]))
    change = np.asarray(few(inputs()[:5] + 1e-5) - few(inputs()[:5] - 1e-5)) / 2e-5
    assert np.allclose(jacobian.sum(axis=(2, 3)), change, rtol=1e-6, atol=1e-9)
    with jax.enable_x64(False) if hasattr(jax, "enable_x64") else jax.experimental.disable_x64():
        half = np.asarray(by_inputs(inputs().astype(np.float32)))
    assert half.dtype == np.float32 and np.allclose(half, np.asarray(by_inputs(inputs())), rtol=1e-4, atol=1e-5)


PUSHED = """
polhode: 1
parameters: {mu: 0.3, r: 0.1}
gravity: [0, 0, -9.81]
inputs: {u: 1.0}
contact: {}
bodies:
  - {name: ground, fixed: true, shapes: [{type: plane, friction: mu}]}
  - {name: ball, mass: 2, inertia: [0.008, 0.008, 0.008], position: [0, 0, r], velocity: [2, 0, 0], shapes: [{type: sphere, radius: r}]}
forces: [{type: wrench, body: ball, point: [0, 0, 0.05], force: [u, 0.2*u, 0]}]
run: {scheme: moreau, step: 2e-3, until: 0.1}
"""


def pushed(parameters=None, u=None, by=()):
    sim = polhode.Sim(polhode.Model.from_string(PUSHED, parameters))
    return sim.gradient(cost, STEPS, ["ball.position.x", "ball.angular_velocity.y"], inputs=u, by=by)


def test_contact():
    u = 1.0 + 0.3 * np.sin(0.2 * np.arange(STEPS))[:, None]
    g = pushed(u=u, by=["mu", "r"])
    for name, at in [("mu", 0.3), ("r", 0.1)]:
        s = 1e-4 * at
        assert g[name] == pytest.approx((pushed({name: at + s}, u).value - pushed({name: at - s}, u).value) / (2 * s), rel=1e-6)
    s = 1e-3
    plus, minus = u.copy(), u.copy()
    plus[7, 0] += s
    minus[7, 0] -= s
    assert g.inputs[7, 0] == pytest.approx((pushed(u=plus).value - pushed(u=minus).value) / (2 * s), rel=1e-6)


def test_unresolved_impacts_are_said():
    text = """
polhode: 1
gravity: [0, 0, -9.81]
contact: {}
bodies:
  - {name: ground, fixed: true, shapes: [{type: plane, restitution: 0.8}]}
  - {name: ball, mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, 0.2], shapes: [{type: sphere, radius: 0.1}]}
joints: [{name: S, type: prismatic, bodies: [world, ball], anchor: [0, 0, 0], axis: [0, 0, 1]}]
run: {scheme: moreau, step: 2e-3, until: 0.2}
"""
    with pytest.warns(RuntimeWarning, match="impacts? whose moment a step does not resolve"):
        polhode.Sim(polhode.Model.from_string(text)).gradient(cost, 100, ["ball.position.z"])
