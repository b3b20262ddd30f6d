"""Sensors, tendons and actuators from Python."""
import numpy as np
import pytest

import polhode


def cart() -> polhode.Spec:
    spec = polhode.Spec("cart", gravity=[0, 0, -9.81])
    spec.body("m", mass=2, inertia=[1, 1, 1], position=[1, 0, 0])
    spec.site("hook", "world").site("eye", "m", position=[0, 0.1, 0])
    spec.joint("rail", "prismatic", "world", "m", axis="x")
    spec.tendon("cord", path=["hook", "eye"], stiffness=20, damping=1, cable=True)
    spec.actuator("drive", joint="rail", control="1 - sensor.enc.rate", gear=3, limits=[-2, 2])
    spec.sensor("enc", "joint", joint="rail").sensor("imu", "accelerometer", site="eye").sensor("cord", "tendon", tendon="cord")
    return spec


def test_readings_are_known_by_name() -> None:
    state = cart().compile().state()
    assert list(state.model.sensors) == ["enc", "imu", "cord"]
    assert state.model.sensors["imu"].components == ("x", "y", "z")
    assert state.model.sensors["imu"].units == ("m/s^2",) * 3
    readings = state.sensors()
    assert readings["enc"] == pytest.approx([0, 0])
    assert readings["imu"] == pytest.approx([1.5, 0, 9.81])  # the drive gives 3 N
    assert readings["cord"][0] == pytest.approx(np.hypot(1, 0.1))
    with pytest.raises(polhode.ArgumentError, match="no sensor 'gyro'"):
        state.sensor("gyro")


def test_they_are_recorded() -> None:
    result = polhode.Sim(cart().compile(), step=1e-3).run(until=0.5)
    enc = np.asarray(result["sensors/enc"])
    assert enc.shape == (501, 2)
    assert np.asarray(result["sensors/imu"]).shape == (501, 3)
    assert np.gradient(enc[:, 0], 1e-3)[1:-1] == pytest.approx(enc[1:-1, 1], abs=1e-4)
