"""The page and its files: what is there, what is not, and that asking changes nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="needlescope[live] is not installed")

from needlescope import __version__
from needlescope.explorer.live.app import HERE, files_of, make_app
from tests.explorer.live.conftest import Client

PAGE = "/?token=t"


@pytest.fixture
def client(assets):
    return Client(make_app("t", ["testserver"], assets), "testserver")


def test_the_page_names_files_that_are_there_and_nothing_inline(client):
    page = client.get(PAGE)
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert f'data-version="{__version__}"' in page.text
    names = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert set(names) == {"data:,", "explorer.css", "page.css", "page.js"}
    for name in set(names) - {"data:,"}:
        assert client.get(f"/{name}").status_code == 200
    assert "style=" not in page.text and not re.search(r"<script[^>]*>[^<]", page.text)
    assert "token" not in page.text


@pytest.mark.parametrize(
    ("name", "kind"), [("page.js", "text/javascript"), ("page.css", "text/css")]
)
def test_files_have_their_media_types(client, name, kind):
    answer = client.get(f"/{name}")
    assert answer.headers["content-type"] == f"{kind}; charset=utf-8"
    assert answer.content == (HERE / name).read_bytes()


@pytest.mark.parametrize(
    "path",
    [
        *("/secret.txt", "/app.py", "/page.html", "/..%2fsession.py", "/%2e%2e/session.py"),
        *(
            "/assets/explorer.js",
            "/%2fetc%2fpasswd",
            "//etc/passwd",
            "/explorer.js/",
            "/page.js%00",
        ),
        *("/..\\session.py", "/.", "/explorer.JS", "/talk?token=t"),
    ],
)
def test_nothing_else_is_given(client, path):
    answer = client.get(path)
    assert answer.status_code in (307, 404) and "import" not in answer.text
    if answer.status_code == 307:
        assert answer.headers["location"].startswith("http://testserver/")


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
@pytest.mark.parametrize("path", [PAGE, "/explorer.js", "/talk?token=t"])
def test_no_other_method_is_answered(client, method, path):
    assert client.request(method, path).status_code in (404, 405)


def test_asking_changes_nothing(client, assets):
    def files():
        folders = (HERE, assets, Path.cwd())
        return {path: path.stat().st_mtime_ns for folder in folders for path in folder.iterdir()}

    addresses = (PAGE, "/explorer.js", "/page.js", "/none", "/?token=t&theta=9")
    before, first = files(), [client.get(path).content for path in addresses]
    assert [client.get(path).content for path in addresses] == first
    assert files() == before


def test_a_front_end_that_is_missing_is_a_sentence(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"explorer\.js is missing in .*: install needlesc"):
        files_of(tmp_path)
