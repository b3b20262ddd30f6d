"""The page of results, and contacts."""

import numpy as np
import polhode
import pytest
from conftest import EXAMPLES


def test_page(double_pendulum, tmp_path):
    result = polhode.Sim(double_pendulum).run(until=0.5, every=5)
    page = result.view(tmp_path / "page.html", height=300)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert text == page.html and "<html" in text.lower() and "rod2" in text
    frame = page._repr_html_()
    assert frame.startswith("<iframe") and 'height="300"' in frame
    result.to_hdf5(tmp_path / "a.h5")
    other = polhode.Sim(double_pendulum, "rk4").run(until=0.5, out=tmp_path / "b.h5")
    both = polhode.view(result, tmp_path / "a.h5", other, path=tmp_path / "both.html")
    assert len(both.html) > len(page.html) and "MB of HTML" in repr(both)
    for call in (lambda: polhode.view(), lambda: polhode.view(tmp_path / "page.html")):
        with pytest.raises(ValueError):
            call()


def test_contacts():
    model = polhode.Model.from_file(EXAMPLES / "contact/stack.yaml")
    sim = polhode.Sim(model)
    assert len(sim.state.contacts().gap) == 0
    sim.step(20)
    contacts = sim.state.contacts()
    n = len(contacts.gap)
    assert contacts.bodies.shape == (n, 2) and contacts.point.shape == contacts.force.shape == (n, 3)
    np.testing.assert_allclose(np.linalg.norm(contacts.normal, axis=1), 1, atol=1e-12)
    lowest = (contacts.bodies == 0).any(axis=1)
    mass = sum(b.mass for b in model.bodies.values() if not b.fixed)
    np.testing.assert_allclose(abs(contacts.force[lowest, 2].sum()), 9.81 * mass, rtol=1e-3)


def test_rollout_with_contact():
    model = polhode.Model.from_file(EXAMPLES / "contact/stack.yaml")
    states = [model.state() for _ in range(3)]
    sim = polhode.Sim(model, state=states[1])
    sim.step(30)
    a = polhode.rollout(model, states, 20, threads=1)
    b = polhode.rollout(model, states, 20, threads=3)
    np.testing.assert_array_equal(a.position, b.position)
    sim.step(20)
    np.testing.assert_array_equal(a.position[1, -1], sim.state.position)
