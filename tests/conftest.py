"""Tests keep machine code in a directory of their own, which is new for each run."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def cache_of_tests(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STATICGRAD_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
