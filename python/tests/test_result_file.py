"""Result files read again, as tables, in Rerun; and figures as PDF."""

import os
import pathlib
import pickle
import subprocess

import numpy as np
import polhode
import pytest

from conftest import EXAMPLES


@pytest.fixture
def made(tmp_path):
    model = polhode.Model.from_file(EXAMPLES / "four_bar.yaml")
    result = polhode.Sim(model, step=1e-3).run(until=0.2, every=4)
    result.to_hdf5(tmp_path / "a.h5")
    return result, tmp_path / "a.h5"


def test_a_file_comes_back_bit_for_bit(made):
    result, path = made
    again = polhode.Result.load(path)
    assert set(again.keys()) >= set(result.keys())
    for name in result.keys():
        assert np.array_equal(again[name], result[name]), name
    assert again.bodies == result.bodies and again.model.name == result.model.name
    assert again.summary["scheme"] == "rattlie" and again.summary["steps"] == 200 and again.summary["time"] == pytest.approx(0.2)
    assert np.array_equal(again.body("crank").position, result.body("crank").position)
    assert not again["position"].flags.writeable


def test_what_was_loaded_can_do_what_a_result_can(made, tmp_path):
    result, path = made
    again = polhode.Result.load(path)
    again.to_hdf5(tmp_path / "b.h5")
    again.to_csv(tmp_path / "b.csv")
    result.to_csv(tmp_path / "a.csv")
    ours, theirs = (np.genfromtxt(tmp_path / f, delimiter=",", names=True) for f in ("a.csv", "b.csv"))
    assert np.allclose(ours["crankx"], theirs["crankx"], atol=0, rtol=1e-12)
    assert "svg" in again.plot("energy").svg and again.view().html.startswith("<!")
    assert polhode.Result.load(tmp_path / "b.h5")["time"][-1] == result["time"][-1]
    step = polhode.Sim(pickle.loads(pickle.dumps(again.model)), step=1e-3).run(until=0.2, every=4)
    assert np.array_equal(step.position, result.position)


def test_settings_come_back_with_the_file(tmp_path):
    model = polhode.Model.from_file(EXAMPLES / "double_pendulum.yaml", {"l": 1.3})
    polhode.Sim(model, step=1e-3).run(until=0.1, out=tmp_path / "l.h5")
    again = polhode.Result.load(tmp_path / "l.h5")
    run = polhode.Sim(again.model, step=1e-3).run(until=0.1)
    assert np.array_equal(run.position, again.position)


def test_files_that_are_none(tmp_path):
    with pytest.raises(FileNotFoundError):
        polhode.Result.load(tmp_path / "none.h5")
    (tmp_path / "bad.h5").write_bytes(b"no result")
    with pytest.raises(polhode.Error):
        polhode.Result.load(tmp_path / "bad.h5")


def test_tables(made):
    pytest.importorskip("pandas")
    result, path = made
    table = polhode.Result.load(path).to_dataframe()
    assert table.index.name == "time" and len(table) == len(result["time"])
    assert np.array_equal(table["crank.position.x"], result.body("crank").position[:, 0])
    assert np.array_equal(table["rocker.orientation.w"], result.body("rocker").orientation[:, 0])
    assert np.array_equal(table["joints.A.force.z"], result.joints["A"].force[:, 2])
    assert np.array_equal(table["joints.A.coordinate"], result.joints["A"].coordinate[:, 0])
    assert list(result.to_dataframe("energy")) == [f"energy.{n}" for n in result.energy]
    with pytest.raises(KeyError, match="enrgy.*did you mean 'energy'"):
        result.to_dataframe("enrgy")


def test_names_of_tables_are_those_of_the_program(made):
    pytest.importorskip("pandas")
    result, path = made
    listed = subprocess.run([os.environ["POLHODE_PROGRAM"], "plot", path, "--list", "--json"], capture_output=True, text=True, check=True).stdout
    for name in result.to_dataframe():
        assert f'"{name}"' in listed, name


def test_a_sweep_is_a_table_too():
    pytest.importorskip("pandas")
    sweep = polhode.sweep(EXAMPLES / "double_pendulum.yaml", {"l": [0.8, 1.0]}, until=0.05, step=1e-3)
    table = sweep.to_dataframe("energy/max_abs_error")
    assert list(table) == ["l", "energy/max_abs_error"] and list(table["l"]) == [0.8, 1.0]


def test_rerun_has_bodies_and_numbers(made, tmp_path):
    pytest.importorskip("rerun")
    import polhode.rerun as logger

    result, path = made
    shapes = logger.shapes_of(polhode.Result.load(path))
    (corners, triangles, colour), *_ = shapes.of_body("crank")
    assert np.ptp(corners, axis=0).max() > 0.05 and triangles.max() < len(corners) and all(0 <= c <= 1 for c in colour)
    logger.log(result, save=tmp_path / "a.rrd")
    assert pathlib.Path(tmp_path / "a.rrd").stat().st_size > 10000


def test_a_pdf_is_read_by_others(made, tmp_path):
    pypdf = pytest.importorskip("pypdf")
    _, path = made
    out = tmp_path / "a.pdf"
    subprocess.run([os.environ["POLHODE_PROGRAM"], "plot", path, "energy.error", "joints.A.reaction", "-o", out, "-q"], check=True)
    page, = pypdf.PdfReader(out, strict=True).pages
    assert float(page.mediabox.width) == pytest.approx(540)
    text = page.extract_text().replace(" ", "")
    assert "time(s)" in text and "energyerror(J)" in text and "jointAreactionforce(N)" in text
