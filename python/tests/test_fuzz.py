"""No input ends the interpreter."""

import pathlib
import subprocess
import sys

import pytest


@pytest.mark.parametrize("seed", [1, 2])
def test_everything_with_everything(seed):
    fuzz = pathlib.Path(__file__).parent / "fuzz.py"
    done = subprocess.run([sys.executable, "-X", "faulthandler", fuzz, str(seed), "1500"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "1500 calls" in done.stdout
