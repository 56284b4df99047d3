"""One browser for all tests of pages in a process."""

import pytest

from .browser import Page, start


@pytest.fixture(scope="session")
def driver():
    browser = start()
    yield browser
    browser.quit()


@pytest.fixture
def show(driver, tmp_path):
    """Open the page with an HTML text, or a file."""

    def opened(html="", path=None, **options):
        file = tmp_path / "page.html" if path is None else path
        if html:
            file.write_text(html, encoding="utf-8")
        return Page(driver, file, **options)

    return opened
