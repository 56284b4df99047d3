"""A saved model gives the same bits in a process that has neither its code nor dynamicgrad."""

import importlib.util
from pathlib import Path

PATH = Path(__file__).parents[2] / "examples" / "elsewhere.py"
spec = importlib.util.spec_from_file_location("elsewhere", PATH)
elsewhere = importlib.util.module_from_spec(spec)
spec.loader.exec_module(elsewhere)


def test_another_process_gives_the_same_bits():
    found = elsewhere.run()
    assert found["equal to the bit"]
    assert found["accuracy here"] == found["accuracy there"] > 0.95
    assert found["the other process"].endswith("float32[batch, 2] -> float32[batch, 2]")
