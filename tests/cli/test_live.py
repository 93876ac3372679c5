"""The command: what is missing is a sentence, and what others could reach is said."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from needlescope.cli import live


@pytest.mark.parametrize("missing", live.NEEDED)
def test_a_missing_extra_is_a_sentence_that_names_it(missing, refused, monkeypatch):
    found = live.find_spec
    monkeypatch.setattr(live, "find_spec", lambda name: None if name == missing else found(name))
    said = refused("live", "--no-browser")
    assert missing in said and said.strip().endswith('pip install "needlescope[live]"')


def test_options_reach_the_server(run, monkeypatch):
    pytest.importorskip("uvicorn", reason="needlescope[live] is not installed")
    from needlescope.explorer.live import serve

    calls = []
    monkeypatch.setattr(serve, "serve", lambda *given, **named: calls.append((given, named)))
    result = run("live", "--port", 8001, "--no-browser")
    assert (result.exit_code, result.output) == (0, "")
    result = run("live", "--host", "192.0.2.1")
    assert "192.0.2.1 is more than this machine, and nothing is encrypted" in result.stderr
    assert [given for given, _ in calls] == [("127.0.0.1", 8001), ("192.0.2.1", 0)]
    assert [named["browser"] for _, named in calls] == [False, True]


def test_a_page_is_exported_without_a_server(run, monkeypatch, tmp_path):
    written = []
    made = SimpleNamespace(page=written.append)
    monkeypatch.setitem(sys.modules, "needlescope.explorer.export", made)
    path = str(tmp_path / "page.html")
    result = run("live", "--export", path)
    assert (result.exit_code, result.output.strip(), written) == (0, path, [path])


@pytest.mark.parametrize("port", ["-1", "65536", "http"])
def test_a_port_that_is_none_is_refused(port, refused):
    assert "Invalid value for '--port'" in refused("live", "--port", port)
