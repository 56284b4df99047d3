"""Tests compile anew: some change what the key of kept machine code takes to be as it is.

They choose by the default cost table, and Hypothesis measures no time: none depends on what the
machine is doing.
"""

import gc
import os

import pytest
from hypothesis import settings

from .early_versions import reasons

settings.register_profile("without a deadline", deadline=None)
settings.load_profile("without a deadline")
os.environ.setdefault("STATICGRAD_COSTS", "default")


@pytest.fixture(scope="session", autouse=True)
def without_cache():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STATICGRAD_CACHE", "off")
        yield


def pytest_collection_modifyitems(items):
    """Skip what early versions of other packages cannot pass."""
    if left_out := reasons():
        for item in items:
            if item.nodeid in left_out:
                item.add_marker(pytest.mark.skip(reason=left_out[item.nodeid]))


def pytest_collection_finish():
    """Take what the tests are made of out of the garbage collector's sight.

    More than 100,000 tests are millions of objects: each collection, and each search for what is
    alive, would go through all of them.
    """
    gc.collect()
    gc.freeze()
