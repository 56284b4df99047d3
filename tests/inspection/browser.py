"""A real browser without a network, which opens pages from files."""

import json
import shutil
import time
from pathlib import Path

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--window-size=1400,900",
)  # fmt: skip
READY = "document.documentElement.dataset.ready === 'true'"
PATIENCE = 30  # seconds; far more than a page takes


def start():
    """A driver of a headless browser; skips the test where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    binary = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("no Chromium with its driver is installed")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.chrome.service.Service(driver)
    try:
        return webdriver.Chrome(options=options, service=service)
    except Exception as error:  # a browser that is installed, but does not run here
        pytest.skip(f"Chromium does not start: {error}")


class Page:
    """A page that is open in a browser."""

    def __init__(self, driver, path, fragment="", ready=READY):
        self.driver = driver
        driver.get("about:blank")
        self.requests(), driver.get_log("browser")  # those of other pages
        start = time.perf_counter()
        driver.get(Path(path).resolve().as_uri() + fragment)
        self.wait(ready)
        self.seconds = time.perf_counter() - start

    def js(self, expression, *arguments):
        """The value of an expression in the page."""
        return self.driver.execute_script(f"return {expression}", *arguments)

    def do(self, statements, *arguments):
        """Run statements in the page, and wait until it is drawn."""
        self.driver.execute_script(statements, *arguments)
        self.settle()

    def settle(self):
        """Wait for two frames."""
        frames = "const done = arguments[0]; const next = requestAnimationFrame;"
        self.driver.execute_async_script(f"{frames} next(() => next(() => done()))")

    def wait(self, condition):
        """Wait until an expression is true."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.js(condition):
                return
            time.sleep(0.01)
        raise AssertionError(f"{condition} is not true; {self.errors()}")

    def press(self, *keys):
        """Press keys, by the names of their events or as text."""
        from selenium.webdriver import ActionChains
        from selenium.webdriver.common.keys import Keys

        actions = ActionChains(self.driver)
        for key in keys:
            actions.send_keys(getattr(Keys, key.upper(), key) if len(key) > 1 else key)
        actions.perform()
        self.settle()

    def select(self, name):
        """Select a node by its name."""
        self.do(
            "const p = app.pane.picture;"
            "const k = p.names.findIndex((_, i) => p.pathOf(i) === arguments[0]);"
            "app.select(app.pane, k, { show: true });",
            name,
        )

    @property
    def selected(self):
        """The name of the node that is selected."""
        return self.js("app.pane.selected < 0 ? null : app.pane.picture.pathOf(app.pane.selected)")

    def names(self, expression):
        """The names of nodes whose numbers an expression gives."""
        return self.js(f"Array.from({expression}, (i) => app.pane.picture.pathOf(i))")

    def requests(self):
        """The addresses that were asked for since the last call."""
        entries = self.driver.get_log("performance")
        events = [json.loads(entry["message"])["message"] for entry in entries]
        sent = [
            e["params"]["request"]["url"]
            for e in events
            if e["method"] == "Network.requestWillBeSent"
        ]
        return [url for url in sent if url != "about:blank"]

    def errors(self):
        """The messages of the console since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]
