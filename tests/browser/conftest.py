"""Pages in a real browser: Chromium of the system, driven by playwright, without a network."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")
DESKTOP, PHONE = (1280, 900), (390, 844)
GRAVE = {"serious", "critical"}  # violations that axe finds


@dataclass
class Opened:
    """A page, with what it requested and what went wrong since it was opened."""

    page: "Page"
    requests: list[str] = field(default_factory=list)  # beside the page itself
    errors: list[str] = field(default_factory=list)  # of its scripts, on its console, and dialogs

    def dismiss(self, dialog: "Dialog") -> None:
        """Close a dialog, which no page of ours opens."""
        self.errors.append(dialog.message)
        dialog.dismiss()

    def violations(self) -> list[str]:
        """Return what axe finds serious or critical, with the first element of each."""
        from axe_playwright_python.sync_playwright import Axe

        violations: list[dict[str, Any]] = Axe().run(self.page).response["violations"]
        return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in violations if one["impact"] in GRAVE]

    def texts(self, selector: str) -> list[str]:
        """Return the texts of the elements that are visible."""
        read = "(items) => items.filter((item) => item.checkVisibility()).map((item) => item.innerText)"
        return list(self.page.locator(selector).evaluate_all(read))


@pytest.fixture(scope="session")
def chromium() -> "Iterator[Browser]":
    """Start the browser; fail where it is missing, because skipped tests would look like passed ones."""
    from playwright.sync_api import sync_playwright

    path = next((path for name in NAMES if (path := shutil.which(name))), None)
    if path is None:
        pytest.fail("there is no Chromium: sh tools/install_chromium.sh, or apt-get install chromium", pytrace=False)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])  # root has no sandbox
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: "Browser") -> Iterator[Callable[..., Opened]]:
    """Open a file: `open_page(path, size=PHONE, dark=True, scripts=False)`."""
    contexts = []

    def call(path: Path, size: tuple[int, int] = DESKTOP, *, dark: bool = False, scripts: bool = True) -> Opened:
        width, height = size
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            java_script_enabled=scripts,
            offline=True,
        )
        contexts.append(context)
        opened = Opened(context.new_page())
        address = path.resolve().as_uri()
        opened.page.on("request", lambda request: opened.requests.append(request.url))
        opened.page.on("pageerror", lambda error: opened.errors.append(str(error)))
        opened.page.on("console", lambda message: opened.errors.append(message.text))
        opened.page.on("dialog", opened.dismiss)
        opened.page.goto(address)
        opened.requests.remove(address)
        return opened

    yield call
    for context in contexts:
        context.close()
