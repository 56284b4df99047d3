"""The reference pages are those that the op table makes."""

import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_of_ops_is_up_to_date():
    code = "import make_reference as m, sys; sys.exit(m.page() != m.PAGE.read_text())"
    done = subprocess.run([sys.executable, "-c", code], cwd=DOCS, check=False)
    assert done.returncode == 0, "run `make docs`"
