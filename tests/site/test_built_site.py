"""The site that `make site` has built, in a browser: as wide as a phone, dark, and searched."""

from pathlib import Path

import pytest

from tests.inspection.browser import Page, start

SITE = Path(__file__).resolve().parents[2] / "build" / "site"
PAGES = (
    "index", "tutorial/first-steps", "tutorial/try-dynamicgrad", "tutorial/try-staticgrad",
    "gallery", "benchmarks", "coming-from", "how-to/generated-code", "explanation/read-a-graph",
    "reference/kinks", "reference/ops/nn", "reference/names/dynamicgrad.nn", "decisions/index",
)  # fmt: skip
PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}

pytestmark = pytest.mark.skipif(not SITE.is_dir(), reason="make site has not built it")


@pytest.fixture(scope="module")
def driver():
    browser = start()
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    yield browser
    browser.quit()


@pytest.fixture
def show(driver):
    def opened(name, fragment=""):
        return Page(driver, SITE / f"{name}.html", fragment, "document.readyState === 'complete'")

    return opened


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_a_phone_and_asks_nobody(show, name):
    page = show(name)
    assert page.js("document.documentElement.scrollWidth") <= PHONE["width"]
    assert not page.errors()
    assert all(url.startswith(("file:", "data:")) for url in page.requests())


def test_it_is_dark_where_the_system_is(driver, show):
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": dark})
    colour = show("index").js("getComputedStyle(document.body).backgroundColor")
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert max(int(part) for part in colour.strip("rgb()").split(",")) < 64


def test_search_finds_an_op_and_its_names(show):
    page = show("search", "?q=logsumexp")
    page.wait("document.querySelectorAll('#search-results li a').length > 3")
    found = page.js("Array.from(document.querySelectorAll('#search-results li a'), a => a.text)")
    assert {"gradops.logsumexp", "dynamicgrad.logsumexp"} <= {*found}
