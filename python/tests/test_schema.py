"""The JSON schema takes every model that the engine takes, and refuses what is wrong in form."""

import json
import os
import pathlib
import subprocess

import pytest

jsonschema = pytest.importorskip("jsonschema")
yaml = pytest.importorskip("yaml")

ROOT = pathlib.Path(__file__).parents[2]
SCHEMA = json.loads(subprocess.run([os.environ["POLHODE_PROGRAM"], "schema"], capture_output=True, check=True).stdout)
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)


def errors(text):
    return [e.message for e in VALIDATOR.iter_errors(yaml.safe_load(text))]


def test_it_is_a_schema():
    jsonschema.Draft7Validator.check_schema(SCHEMA)


def test_the_committed_schema_is_that_of_the_program():
    assert json.loads((ROOT / "docs" / "polhode.schema.json").read_text(encoding="utf-8")) == SCHEMA


@pytest.mark.parametrize("path", sorted(ROOT.glob("examples/**/*.yaml")) + sorted(ROOT.glob("tests/parts/*.yaml")),
                         ids=lambda p: p.stem)
def test_examples_are_valid(path):
    assert errors(path.read_text(encoding="utf-8")) == []


WRONG_IN_FORM = ["key_unknown", "key_unknown_far", "key_unknown_in_body", "key_unknown_in_joint", "key_unknown_in_run",
                 "key_of_another_joint", "key_of_another_shape", "kind_bool_for_number", "kind_list_for_name",
                 "kind_list_for_number", "kind_map_for_list", "kind_number_for_vector", "kind_parameters_list",
                 "kind_quaternion_list", "kind_nothing_for_number", "size_bodies", "size_limits", "size_matrix",
                 "size_quaternion", "size_vector", "joint_type_unknown", "shape_type_unknown", "force_type_unknown",
                 "mass_negative", "mass_zero", "step_zero", "until_negative", "volume_negative",
                 "shape_radius_zero", "contact_law", "version_missing", "name_missing", "record_kind", "motor_on_ball"]


def test_files_that_are_wrong_in_form_are_refused():
    """Every bad file either breaks the schema or is wrong in a way that only the engine sees; those of the list must break it."""
    refused = set()
    for path in sorted((ROOT / "tests" / "bad").glob("*.yaml")):
        try:
            if errors(path.read_text(encoding="utf-8")):
                refused.add(path.stem)
        except yaml.YAMLError:
            refused.add(path.stem)
    assert set(WRONG_IN_FORM) <= refused
    assert len(refused) >= 55
