"""Pages of comparisons and differences in a real browser: they load nothing and run nothing."""

import numpy as np
import pytest

import staticgrad as sg

from ...inspection.browser import Page, start

HOSTILE = "</td><img/src=x/onerror=document.title='owned'>"


class Document(Page):
    """A page without scripts, which is ready when it is loaded."""

    def wait(self, condition):
        assert self.js("document.readyState") == "complete"


@pytest.fixture(scope="module")
def driver():
    driver = start()
    yield driver
    driver.quit()


def f(x):
    return np.sum(np.tanh(x) ** 2)


f.__name__ = HOSTILE


def comparison(path):
    sg.compare(f, np.linspace(0, 1, 3), seconds=0.01, html=path)


def difference(path):
    with sg.Graph().as_default():
        x, y = (sg.placeholder("float32", [3], name=name) for name in ("x", HOSTILE))
        sg.freeze([sg.exp(x)], [x]).diff(sg.freeze([sg.sin(y)], [y])).save(path)


@pytest.mark.parametrize("write", [comparison, difference])
def test_a_page_loads_one_file_and_is_inert(driver, tmp_path, write):
    write(tmp_path / "page.html")
    page = Document(driver, tmp_path / "page.html")
    assert len(page.requests()) == 1
    assert not page.errors()
    assert page.js("document.querySelectorAll('img, script, a, iframe').length") == 0
    assert page.js("document.title") != "owned"
    assert "<img" in page.js("document.body.innerText")


def test_the_table_is_legible_in_both_themes(driver, tmp_path):
    comparison(tmp_path / "page.html")
    seen = []
    for theme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": theme}]
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        page = Document(driver, tmp_path / "page.html")
        style = "getComputedStyle(document.body)"
        seen.append((page.js(f"{style}.color"), page.js(f"{style}.backgroundColor")))
    assert seen[0] != seen[1]
    assert all(text != back for text, back in seen)
