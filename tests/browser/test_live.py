"""The explorer as `needlescope live` serves it: real clicks, drags and keys on every control."""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import urllib.request

import pytest

from tests.browser.conftest import AXE, ROOT, SHOTS, Server, rested, talk

BUSY = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))  # others on this machine
FIRST_CURVE = 1.0 * BUSY  # seconds after the page opens
STEP = 0.150 * BUSY  # seconds from a step of a slider to its line


COARSE = """
const late = talk.slice(before);
const asked = late.filter(({ way, message }) =>
  way === "out" && message.type === "curves" && message.precision === "coarse").at(-1);
const answers = late.filter(({ way, message }) => way === "in" && message.id === asked?.message.id);
"""
DONE = f"""(before) => {{ {COARSE}
  return answers.some(({{ message }}) => message.type === "done"); }}"""
ANSWERED = f"""(before) => {{ {COARSE}
  const lines = answers.filter(({{ message }}) => message.type === "line");
  return {{ keyed, first: lines[0].at, last: lines.at(-1).at }}; }}"""


def slider(page, name):
    return page.locator("input[type=range]:visible").and_(
        page.get_by_role("slider", name=re.compile(rf"{name}.*slider"))
    )


def values(page):
    """Return the errors that the legend shows."""
    return page.locator(".ns-entry .ns-value").all_inner_texts()


def test_the_first_curve_comes_within_a_second(open_page, record_property):
    open_page().wait_for_function("() => talk.length")  # the program has answered before
    times = []
    for _ in range(3):
        page = open_page()
        page.wait_for_function("() => talk.some((item) => item.message.type === 'line')")
        times.append(talk(page, "in", "line")[0]["at"] / 1000.0)
    print(f"first curve after {[round(item, 3) for item in times]} s, busy {BUSY:.1f}")
    assert statistics.median(times) < FIRST_CURVE


@pytest.mark.parametrize("name", ["θ", "κ", "α"])
def test_a_step_of_a_slider_is_answered_at_once(page, name):
    """From the key to the line of attention, at coarse tolerance; each step is a new state."""
    handle = slider(page, name).first
    handle.focus()
    first, last = [], []
    for _ in range(15):
        before = page.evaluate("() => talk.length")
        page.keyboard.press("ArrowRight")
        page.wait_for_function(DONE, arg=before)
        page.wait_for_timeout(250)  # until the fine lines are under way, which a step cuts short
        times = page.evaluate(ANSWERED, before)
        first.append((times["first"] - times["keyed"]) / 1000.0)
        last.append((times["last"] - times["keyed"]) / 1000.0)
    median, whole = 1000 * statistics.median(first), 1000 * statistics.median(last)
    print(f"{name}: attention after {median:.0f} ms, all lines {whole:.0f} ms, busy {BUSY:.1f}")
    assert median < 1000 * STEP


def test_a_hundred_quick_drags_leave_no_backlog(page):
    box = slider(page, "θ").first.bounding_box()
    before = page.evaluate("() => talk.length")
    x, y = box["x"] + box["width"] / 3, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(100):
        page.mouse.move(x + (box["width"] / 2) * (0.5 + 0.5 * (-1) ** k * k / 100), y)
    page.mouse.up()
    moved = page.evaluate("() => performance.now()")
    rested(page)
    late = page.evaluate("(before) => talk.slice(before)", before)
    states = [i["message"]["state"]["theta"] for i in late if i["message"]["type"] == "curves"
              and i["way"] == "out"]  # fmt: skip
    lines = [i for i in late if i["way"] == "in" and i["message"]["type"] == "line"]
    after = [i for i in lines if i["at"] > moved and i["message"]["precision"] == "coarse"]
    print(f"{len(states)} requests, {len(lines)} lines; {len(after)} coarse lines after the drag")
    assert len(after) <= 15  # at most what was under way and the newest
    last = slider(page, "θ").first.get_attribute("aria-valuetext")
    assert float(last) == pytest.approx(states[-1], rel=1e-3)


SLIDERS = ("L", "R", "θ", "π", "α₀|α_0", "α₁|α_1", "κ", "λ", "d")


@pytest.mark.parametrize("name", SLIDERS)
def test_every_slider_follows_keys_clicks_and_its_field(page, name):
    handle = page.get_by_role("slider", name=re.compile(rf"^({name}) .*slider$")).first
    handle.focus()
    first = handle.get_attribute("aria-valuetext")
    for key in ("ArrowRight", "ArrowRight", "ArrowUp"):
        page.keyboard.press(key)
    second = handle.get_attribute("aria-valuetext")
    if name != "R":
        assert second != first
    box = handle.bounding_box()
    page.mouse.click(box["x"] + 0.7 * box["width"], box["y"] + box["height"] / 2)
    third = handle.get_attribute("aria-valuetext")
    assert third != second
    field = handle.locator("xpath=following-sibling::input")
    field.fill("1" if name == "R" else "0.5" if name == "π" else "7")
    field.press("Enter")
    assert handle.get_attribute("aria-valuetext") == field.input_value()
    if name == "d":  # which the lines do without
        return
    field.fill("-3")
    refusal = handle.locator("xpath=following-sibling::p")
    refusal.wait_for(state="visible")
    assert "-3" in refusal.inner_text() and field.get_attribute("aria-invalid") == "true"
    field.fill("nonsense")
    assert "must be a number" in refusal.inner_text()


@pytest.mark.parametrize(
    ("label", "value", "shown"),
    [
        ("training", "schedule", "steps of the schedule"),
        ("training", "joint", "query ridge"),
        ("query", "steps", "temp., inverse"),
        ("loss", "square", None),
        ("noise", "power_law", "exponent"),
        ("noise", "spiked", "size of spikes"),
        ("noise", "two_levels", "ratio of levels"),
    ],
)
def test_every_choice_changes_the_state_and_what_is_asked_for(page, label, value, shown):
    choice = page.locator("select.ns-select:visible").and_(page.get_by_label(label, exact=True))
    choice.first.select_option(value)
    asked = talk(page, "out", "curves")[-1]["message"]["state"]
    assert value in asked.values()
    if shown:
        assert page.get_by_text(shown, exact=True).first.is_visible()
    if value != "schedule" and value != "joint":
        rested(page)
        assert all(re.match(r"≈? ?[\d.]+", item) for item in values(page))


def test_units_log_scale_and_another_draw(page):
    page.get_by_label("n, d, effect size").check(force=True)
    assert page.get_by_text("effect size", exact=True).first.is_visible()
    page.get_by_label("log error").check()
    tokens = talk(page, "in", "bag")[-1]["message"]["tokens"]
    page.get_by_role("button", name="Another draw").click()
    page.wait_for_function(
        "(n) => talk.filter((i) => i.way === 'in' && i.message.type === 'bag').length > n",
        arg=len(talk(page, "in", "bag")),
    )
    assert talk(page, "in", "bag")[-1]["message"]["tokens"] != tokens
    page.wait_for_function(
        "() => /units=practice/.test(location.hash) && /y=log/.test(location.hash)"
    )


def test_training_puts_dots_on_the_lines(page):
    page.get_by_label("trials", exact=True).select_option("8")
    page.get_by_role("button", name="Train", exact=True).click()
    page.get_by_role("button", name="Train", exact=True).wait_for(timeout=120_000)
    rows = page.locator(".ns-results tbody tr").all_inner_texts()
    assert [row.split("\t")[0] for row in rows] == ["attention", "mean pooling", "flat linear"]
    scores = [abs(float(row.split("\t")[-1].replace("−", "-"))) for row in rows]
    assert max(scores) < 8.0


def test_training_is_cancelled(page):
    page.get_by_label("trials", exact=True).select_option("64")
    page.get_by_role("button", name="Train", exact=True).click()
    page.locator(".ns-results tbody tr").first.wait_for(timeout=60_000)
    page.get_by_role("button", name="Cancel").locator("visible=true").click()
    assert page.get_by_text("Cancelled.").first.is_visible()
    page.wait_for_function(
        """() => {
          const id = talk.filter((i) => i.message.type === "train").at(-1).message.id;
          return talk.some((i) => i.way === "in" && i.message.id === id && i.message.type === "done"
            && i.message.cancelled);
        }""",
        timeout=20_000,
    )


def test_the_planner_answers_in_a_sentence(page):
    page.get_by_role("tab", name="Plan").click()
    page.get_by_label("learner").or_(page.locator("select[id*=learner]")).first.select_option(
        "pooled"
    )
    for field, value in (("θ", "4"), ("L", "4"), ("d", "50")):
        page.locator(".ns-row-plan", has=page.locator(f".ns-symbol:text-is('{field}')")).locator(
            "input"
        ).fill(value)
    page.locator(".ns-row-plan", has_text="test error to reach").locator("input").fill("0.2")
    page.get_by_role("button", name="Plan", exact=True).click()
    page.wait_for_function("() => talk.some((i) => i.message.sentence)", timeout=60_000)
    sentence = talk(page, "in", "plan")[-1]["message"]["sentence"]
    assert (
        sentence.startswith("Mean pooling needs") and page.get_by_text(sentence).first.is_visible()
    )
    page.locator(".ns-row-plan", has=page.locator(".ns-symbol:text-is('L')")).locator("input").fill(
        "-1"
    )
    page.get_by_role("button", name="Plan", exact=True).click()
    page.locator(".ns-plan-form .ns-refused:visible").first.wait_for(timeout=20_000)


def test_the_story_is_walked_through(page):
    titles = []
    forth = page.get_by_role("button", name="Next chapter")
    while forth.is_enabled():
        forth.click()
        titles.append(page.locator(".ns-story h2").inner_text())
        page.wait_for_timeout(200)
    assert len(titles) == len(set(titles)) == 6
    page.get_by_role("button", name="Previous chapter").click()
    assert page.locator(".ns-story h2").inner_text() == titles[-2]
    rested(page)


def test_the_address_restores_the_state(page, open_page):
    field = page.get_by_role("slider", name=re.compile("^θ .*slider$")).locator(
        "xpath=following-sibling::input"
    )
    field.fill("5.25")
    page.wait_for_function("() => location.hash.includes('theta=5.25')")
    rested(page)
    here = values(page)
    other = open_page(address=page.url)
    rested(other)
    assert talk(other, "out", "curves")[0]["message"]["state"]["theta"] == 5.25
    assert values(other) == here
    other.reload()
    rested(other)
    assert values(other) == here


def test_the_script_is_copied_and_runs(page):
    page.get_by_text("Save", exact=True).click()
    page.get_by_role("button", name="Copy as Python").click()
    page.get_by_text("Script copied").wait_for()
    script = page.evaluate("() => navigator.clipboard.readText()")
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0 and done.stdout.startswith("attention [[0.25,"), done.stderr


@pytest.mark.parametrize(
    ("name", "suffix", "start"),
    [
        ("Figure, SVG", ".svg", b"<svg"),
        ("Figure, PNG", ".png", b"\x89PNG"),
        ("Numbers, CSV", ".csv", b""),
    ],
)
def test_downloads(page, name, suffix, start, tmp_path):
    page.get_by_text("Save", exact=True).click()
    with page.expect_download() as coming:
        page.get_by_role("button", name=name).click()
    path = tmp_path / coming.value.suggested_filename
    coming.value.save_as(path)
    content = path.read_bytes()
    assert path.suffix == suffix and len(content) > 300 and content.startswith(start)
    if suffix == ".csv":
        assert len(content.splitlines()) > 20 and b"attention" in content


def test_a_server_that_is_gone_is_said_and_found_again(open_page):
    first = Server()
    page = open_page(address=first.address, expected="ERR_CONNECTION_REFUSED")
    rested(page)
    first.stop()
    page.get_by_text("No answer from needlescope live").wait_for(timeout=10_000)
    assert page.locator("#connection").is_visible()


def test_a_lost_connection_is_made_again(page):
    page.evaluate("() => socket.close()")
    page.wait_for_function("() => socket.readyState === 1", timeout=10_000)
    page.locator("#connection").wait_for(state="hidden")
    before = page.evaluate("() => talk.length")
    page.get_by_role("slider", name=re.compile("^θ .*slider$")).first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "(before) => talk.slice(before).some((i) => i.message.type === 'line')", arg=before
    )


def test_without_its_token_nothing_is_shown(open_page, server):
    page = open_page(address=f"http://127.0.0.1:{server.port}/", expected="Failed to load")
    assert "open the whole address" in page.inner_text("body")
    with pytest.raises(urllib.error.HTTPError, match="421"):
        request = urllib.request.Request(server.address, headers={"Host": "evil.example"})
        urllib.request.urlopen(request, timeout=20)


def test_a_page_of_another_site_reaches_nothing(open_page, server, browser):
    """A foreign page that even knows the token gets no WebSocket, no file and no frame."""
    context = browser.new_context()
    page = context.new_page()
    page.route(
        "http://evil.example/",
        lambda route: route.fulfill(content_type="text/html", body="<p>evil</p>"),
    )
    page.goto("http://evil.example/")
    outcome = page.evaluate(
        """async ([port, address]) => {
          const socket = new WebSocket(address.replace("http:", "ws:").replace("/?", "/talk?"));
          const ended = await new Promise((tell) => {
            socket.onopen = () => tell("open");
            socket.onerror = () => tell("refused");
          });
          const got = async (options) => {
            try { return await (await fetch(address, options)).text(); } catch { return "refused"; }
          };
          const script = await new Promise((tell) => {
            const tag = document.createElement("script");
            tag.type = "module";
            tag.src = `http://127.0.0.1:${port}/explorer.js`;
            tag.onload = () => tell("loaded");
            tag.onerror = () => tell("refused");
            document.head.append(tag);
          });
          return [ended, await got({}), await got({ mode: "no-cors" }), script];
        }""",
        [server.port, server.address],
    )
    context.close()
    assert outcome[0] == "refused" and outcome[1] == "refused" and outcome[3] == "refused"
    assert outcome[2] in ("refused", "")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_all_can_use_it_and_a_picture_of_it(open_page, theme, width):
    page = open_page(viewport={"width": width, "height": 900}, color_scheme=theme)
    rested(page)
    SHOTS.mkdir(parents=True, exist_ok=True)
    for tab in ("Explore", "Plan"):
        page.get_by_role("tab", name=tab).click()
        page.wait_for_timeout(300)
        page.screenshot(path=SHOTS / f"{tab.lower()}-{width}-{theme}.png", full_page=True)
        wide = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{wide} pixels too wide"
        if not AXE.exists():
            pytest.skip(f"{AXE.relative_to(ROOT)} is missing: make test-browser")
        page.evaluate(AXE.read_text(encoding="utf-8"))
        found = page.evaluate("async () => (await axe.run()).violations")
        bad = [
            f"{item['id']} ({item['impact']}): {item['nodes'][0]['html'][:200]}"
            for item in found
            if item["impact"] in ("serious", "critical")
        ]
        assert not bad, json.dumps(bad, indent=1)
