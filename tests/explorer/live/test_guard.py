"""Who may ask: foreign hosts, foreign origins and wrong tokens, of the page and the WebSocket."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="needlescope[live] is not installed")

from needlescope.explorer.live.app import make_app
from needlescope.explorer.live.guard import HEADERS, names_of, policy
from tests.explorer.live.conftest import Client

PORT = 8123
HOST = f"127.0.0.1:{PORT}"
TOKEN = "secret-token"
PAGE, TALK = f"/?token={TOKEN}", f"/talk?token={TOKEN}"
OWN = {"origin": f"http://{HOST}"}


@pytest.fixture
def client(assets):
    app = make_app(TOKEN, names_of("127.0.0.1", PORT), assets)
    return Client(app, HOST)


def refused(client, address=TALK, headers=OWN):
    """Say whether a WebSocket is refused before it opens."""
    first = client.connect(address, headers)
    assert first in ("websocket.accept", "websocket.close")
    return first == "websocket.close"


def test_its_own_page_is_answered(client):
    assert client.get(PAGE).status_code == 200
    assert not refused(client)


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:8124", "", "*"),
        *(f"{HOST}.evil.example", f"127.0.0.1.evil.example:{PORT}", f"user@{HOST}", f"{HOST}/"),
        *(f"0.0.0.0:{PORT}", f"[::]:{PORT}", f"127.1:{PORT}", f"{HOST},{HOST}"),
    ],
)
def test_a_foreign_host_is_refused(client, host):
    answer = client.get(PAGE, headers={"host": host})
    assert answer.status_code == 421 and "token" not in answer.text
    assert client.get("/explorer.js", headers={"host": host}).status_code == 421
    assert refused(client, headers={"host": host, "origin": f"http://{host}"})


@pytest.mark.parametrize("host", [f"localhost:{PORT}", f"LOCALHOST:{PORT}", f"[::1]:{PORT}", HOST])
def test_the_names_of_this_machine_are_answered(client, host):
    assert client.get(PAGE, headers={"host": host}).status_code == 200


def test_a_second_host_is_refused(client):
    both = [("host", HOST), ("host", "evil.example")]
    assert client.get(PAGE, headers=both).status_code == 421


@pytest.mark.parametrize(
    "origin",
    [
        *("http://evil.example", "null", "", f"https://{HOST}", "http://127.0.0.1:8124"),
        *("http://127.0.0.1", f"http://localhost:{PORT}", f"http://{HOST}.evil.example"),
        *(f"http://{HOST}/", f"file://{HOST}"),
    ],
)
def test_a_foreign_origin_is_refused(client, origin):
    assert refused(client, headers={"origin": origin})
    for address in (PAGE, "/explorer.js"):
        assert client.get(address, headers={"origin": origin}).status_code == 403


def test_a_socket_without_an_origin_or_with_two_is_refused(client):
    assert refused(client, headers={})
    assert refused(client, headers=[("origin", OWN["origin"]), ("origin", "http://evil.example")])


@pytest.mark.parametrize(
    "query",
    [
        *("", "?", "?token=", "?token=wrong", f"?token={TOKEN}x", f"?token={TOKEN[:-1]}"),
        *(f"?token={TOKEN.upper()}", f"?Token={TOKEN}", f"?token[]={TOKEN}", "?token=%00"),
        *(f"?token=wrong&token={TOKEN}", f"?token={TOKEN}&token=wrong", "?token=%ff%fe"),
    ],
)
def test_a_wrong_token_is_refused(client, query):
    answer = client.get(f"/{query}")
    assert answer.status_code == 403
    assert "open the whole address" in answer.text and TOKEN not in answer.text
    assert refused(client, f"/talk{query}")


@pytest.mark.parametrize("site", ["cross-site", "same-site", "rubbish"])
def test_files_are_not_given_to_other_sites(client, site):
    assert client.get("/explorer.js", headers={"sec-fetch-site": site}).status_code == 403
    assert client.get("/explorer.js", headers={"sec-fetch-site": "same-origin"}).status_code == 200
    assert refused(client, headers={**OWN, "sec-fetch-site": site})


def test_a_link_from_elsewhere_opens_the_page_if_it_has_the_token(client):
    headers = {"sec-fetch-site": "cross-site"}
    assert client.get(PAGE, headers=headers).status_code == 200
    assert client.get("/?token=guess", headers=headers).status_code == 403


@pytest.mark.parametrize(
    ("address", "status"), [(PAGE, 200), ("/explorer.js", 200), ("/none", 404), ("/?token=no", 403)]
)
def test_every_answer_carries_the_headers(client, address, status):
    answer = client.get(address)
    assert answer.status_code == status
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    rules = answer.headers["content-security-policy"].split("; ")
    assert "default-src 'none'" in rules and "script-src 'self'" in rules
    assert "frame-ancestors 'none'" in rules and "base-uri 'none'" in rules
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert "set-cookie" not in answer.headers and "access-control-allow-origin" not in (
        answer.headers
    )


def test_the_policy_lets_the_page_connect_to_its_own_socket_only(client):
    rules = client.get(PAGE).headers["content-security-policy"].split("; ")
    assert f"connect-src 'self' ws://{HOST}" in rules
    assert policy(HOST).split("; ") == rules


def test_a_port_that_browsers_leave_out_may_be_left_out():
    assert "127.0.0.1" in names_of("127.0.0.1", 80) and "127.0.0.1" not in names_of("127.0.0.1", 81)


def test_another_host_is_the_only_one_that_may_be_named():
    assert names_of("192.0.2.7", 8000) == {"192.0.2.7:8000"}
    assert names_of("2001:db8::1", 8000) == {"[2001:db8::1]:8000"}
