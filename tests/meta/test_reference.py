"""The reference pages are those that the op table makes."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_of_ops_is_up_to_date():
    code = "import make_reference as m, sys; sys.exit(m.page() != m.PAGE.read_text())"
    here = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "docs")])}
    done = subprocess.run([sys.executable, "-c", code], env=here, check=False)
    assert done.returncode == 0, "run `make docs`"
