"""The reference pages are those that the tables make."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "maker",
    [
        "make_reference",
        "make_array_api",
        "make_passes",
        "make_command_line",
        "make_contrasts",
        "make_gallery",
    ],
)
def test_the_page_is_up_to_date(maker):
    code = f"import {maker} as m, sys; sys.exit(m.page() != m.PAGE.read_text())"
    here = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "docs")])}
    done = subprocess.run([sys.executable, "-c", code], env=here, check=False)
    assert done.returncode == 0, "run `make docs`"
