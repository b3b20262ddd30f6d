"""Polhode: structure-preserving rigid multibody dynamics.

One model, many integration schemes, and a measured account of what each of them keeps::

    import polhode

    model = polhode.Model.from_file("double_pendulum.yaml")
    sim = polhode.Sim(model, scheme="rattlie", step=1e-3)
    sim.step(1000)                       # one second; sim.state.position is a NumPy view
    result = sim.run(until=10)           # result.time, result.position, result["energy/total"], ...
    result.plot("energy/total")

SI units and radians everywhere; quaternions are ``(w, x, y, z)`` from body to world; angular velocities are in the body
frame; twists are ``(omega | v)`` and wrenches ``(torque | force)``.
"""

from . import clifford
from ._batch import Batch
from ._cluster import rollout_on
from ._cones import Cone, ConeSolution, cone_solve
from ._core import Motion, __version__
from ._errors import ArgumentError, Error, FileError, ModelError, StateError, StepError, UnsupportedError
from ._fit import Direction, Fit, fit
from ._lab import Comparison, OrderStudy, Trial, compare, order
from ._lists import JointType, Scheme, joints, schemes
from ._model import Body, Contacts, Joint, Measures, Model, Projection, Sensor, SiteMotion, State
from ._page import Page, view
from ._plot import Figure, Panel, Series, figure
from ._result import Result
from ._rollout import Rollout, rollout
from ._sim import Sim
from ._spec import Spec
from ._sweep import Point, Sweep, sweep
from ._tree import Link, Tree

__all__ = [
    "ArgumentError", "Batch", "Body", "Comparison", "Cone", "ConeSolution", "Contacts", "Direction", "Error", "Figure", "FileError", "Fit", "Joint",
    "JointType", "Link", "Measures", "Model", "ModelError", "Motion", "OrderStudy", "Page", "Panel", "Point",
    "Projection", "Result", "Rollout", "Scheme", "Sensor", "Series", "Sim", "SiteMotion", "Spec", "State", "StateError", "StepError", "Sweep", "Tree", "Trial", "UnsupportedError",
    "__version__", "clifford", "compare", "cone_solve", "figure", "fit", "joints", "order", "rollout", "rollout_on", "schemes", "sweep", "view",
]
