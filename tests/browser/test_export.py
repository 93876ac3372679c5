"""The exported page in a browser: from a file, and within the frame of another page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from needlescope.explorer.export import page as write_page

LOCAL = ("file:", "data:", "blob:")
WAIT = 20_000  # milliseconds
ERROR = re.compile(r"test error of 0\.\d")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_page(tmp_path_factory.mktemp("page") / "explorer.html")


@pytest.fixture
def tab(browser: Any) -> Iterator[Any]:
    """A tab; what it complains about or fetches fails the test."""
    context = browser.new_context(viewport={"width": 1300, "height": 1200})
    made, wrong, bad = context.new_page(), list[str](), ("error", "warning")
    made.on("console", lambda said: wrong.extend([said.text] * (said.type in bad)))
    made.on("pageerror", lambda error: wrong.append(str(error)))
    made.on("request", lambda asked: wrong.extend([asked.url] * (asked.url[:5] not in LOCAL)))
    yield made
    context.close()
    assert wrong == []


def test_it_works_from_a_file(tab: Any, path: Path) -> None:
    tab.goto(path.as_uri())
    summary = tab.locator(".ns-summary")
    summary.filter(has_text=ERROR).wait_for(timeout=WAIT)
    before = summary.text_content()
    slider = tab.get_by_role("slider", name="θ")
    slider.focus()
    for _ in range(20):
        slider.press("ArrowRight")
    strength = f"θ = {float(slider.get_attribute('aria-valuetext')):g} "
    summary.filter(has_text=strength).filter(has_text=ERROR).wait_for(timeout=WAIT)
    assert summary.text_content() != before
    assert not tab.get_by_role("tab", name="Plan").is_visible()
    assert tab.get_by_label("loss", exact=True).is_disabled()
    tab.locator("#about summary").click()
    assert "mean pooling" in tab.locator("#about").inner_text()


def test_it_works_in_a_frame(tab: Any, path: Path) -> None:
    outer = path.with_name("docs.html")
    outer.write_text(
        "<!doctype html><link rel=icon href='data:,'>"
        f"<iframe src={path.name} sandbox='allow-scripts' width=1200 height=1100></iframe>"
    )
    tab.goto(outer.as_uri())
    frame = tab.frame_locator("iframe")
    frame.locator(".ns-summary").filter(has_text=ERROR).wait_for(timeout=WAIT)
