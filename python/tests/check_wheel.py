"""Uses an installed polhode: a run, a result file, a listing."""

import pathlib
import sys
import tempfile

import polhode

package = pathlib.Path(polhode.__file__).parent
assert "site-packages" in str(package), package
assert (package / "py.typed").exists()
sim = polhode.Sim(polhode.Model.from_file(sys.argv[1]), step=1e-3)
result = sim.run(until=0.5)
assert result.position.shape == (501, 2, 3)
assert result.summary["position_violation_max"] < 1e-14
with tempfile.TemporaryDirectory() as folder:
    result.to_hdf5(f"{folder}/result.h5")
assert "rattlie" in polhode.schemes()
print(polhode.__version__, result)
