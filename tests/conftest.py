"""Tests compile anew: some change what the key of kept machine code takes to be as it is."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def without_cache():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STATICGRAD_CACHE", "off")
        yield
