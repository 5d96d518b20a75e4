"""Every rule of the gate, attacked."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from gistmeter.core.errors import InputError
from gistmeter.workbench import gate
from gistmeter.workbench.passwords import hashed, matches
from gistmeter.workbench.server import address_of, bind, is_loopback, serve
from gistmeter.workbench.state import State, state_place
from workbench.served import BASE, PORT, opened, started, visitor

PASSWORD = "correct horse battery"


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Any, TestClient]]:
    with opened(tmp_path / "folder") as found:
        yield found


def stranger(bench: Any) -> TestClient:
    return TestClient(bench.gate, base_url=BASE, follow_redirects=False)


@pytest.mark.parametrize("path", ["/", "/drops/abc", "/result/runs/x", "/download/json/runs/x"])
def test_nobody_gets_in_without_the_token(pair: Any, path: str) -> None:
    answer = stranger(pair[0]).get(path)
    assert answer.status_code == 403
    assert "Open the address that gistmeter printed" in answer.text


def test_a_wrong_token_is_refused_and_sets_no_cookie(pair: Any) -> None:
    answer = stranger(pair[0]).get(f"/?token={'x' * 43}")
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_the_token_leaves_the_address_and_the_cookie_is_closed_to_scripts(pair: Any) -> None:
    bench, _ = pair
    answer = stranger(bench).get(f"/?token={bench.gate.token}")
    assert answer.status_code == 303
    assert "token" not in answer.headers["location"]
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert bench.gate.token not in cookie


def test_the_state_holds_no_key_that_opens_the_workbench(pair: Any) -> None:
    bench, client = pair
    value = client.cookies[bench.gate.cookie]
    content = b"".join(file.read_bytes() for file in state_place(bench.folder).glob("state.*"))
    assert value.encode() not in content
    assert bench.gate.token.encode() not in content


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", f"127.0.0.1.evil.example:{PORT}",
             "127.0.0.1:1", "", f"192.168.0.7:{PORT}", f"0.0.0.0:{PORT}"],
)  # fmt: skip
def test_a_name_that_was_bound_anew_is_refused(pair: Any, host: str) -> None:
    answer = pair[1].get("/", headers={"host": host})
    assert answer.status_code == 403
    assert "another server" in answer.text


@pytest.mark.parametrize("host", ["localhost", "[::1]", "127.0.0.1"])
def test_the_names_of_this_machine_are_ours(pair: Any, host: str) -> None:
    answer = pair[1].get("/", headers={"host": f"{host}:{PORT}", "origin": f"http://{host}:{PORT}"})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", f"https://127.0.0.1:{PORT}", "http://127.0.0.1:1",
               f"{BASE}.evil.example", f"http://localhost:{PORT}"],
)  # fmt: skip
def test_a_page_of_another_origin_can_ask_for_nothing(pair: Any, origin: str) -> None:
    for ask in (pair[1].get, pair[1].post):
        answer = ask("/drops", headers={"origin": origin})
        assert answer.status_code == 403
        assert "another site" in answer.text


def test_a_form_without_an_origin_changes_nothing(pair: Any) -> None:
    bench, client = pair
    bare = TestClient(bench.gate, base_url=BASE, cookies=dict(client.cookies))
    assert bare.post("/drops").status_code == 403
    assert bare.post("/drops", headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert not (bench.folder / "dropped").exists()
    assert bare.post("/drops", headers={"sec-fetch-site": "same-origin"}).status_code == 200


def test_a_foreign_page_cannot_embed_what_is_here(pair: Any) -> None:
    crossing = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
    bench, client = pair
    bare = TestClient(bench.gate, base_url=BASE, cookies=dict(client.cookies))
    assert bare.get("/static/bench.js", headers=crossing).status_code == 403


@pytest.mark.parametrize("path", ["/", "/nowhere", "/result/runs/gone", "/static/bench.css"])
def test_every_answer_forbids_frames_foreign_scripts_and_caches(pair: Any, path: str) -> None:
    headers = pair[1].get(path).headers
    parts = headers["content-security-policy"].split(";")
    policy = dict(part.strip().split(" ", 1) for part in parts)
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert policy["form-action"] == "'self'"
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-frame-options"] == "DENY"
    assert headers["x-content-type-options"] == "nosniff"
    if not path.startswith("/static/"):
        assert headers["cache-control"] == "no-store"


def test_refusals_are_protected_too(pair: Any) -> None:
    answer = pair[1].get("/", headers={"host": "evil.example"})
    assert answer.headers["x-frame-options"] == "DENY"


def test_a_rater_rates_and_sees_nothing_else(pair: Any) -> None:
    bench, _ = pair
    rater = TestClient(bench.gate, base_url=BASE, headers={"origin": BASE}, follow_redirects=False)
    answer = rater.get(f"/?token={bench.gate.rater_token}")
    assert answer.headers["location"] == "/rate"
    for path in ("/", "/result/runs/x", "/items/runs/x", "/download/json/runs/x", "/ratefoo"):
        assert rater.get(path).status_code == 403, path
    assert rater.post("/drops").status_code == 403


def test_a_session_of_yesterday_is_told_so(pair: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    bench, client = pair
    later = time.time() + 13 * 3600
    bench.state._sessions.clear()
    monkeypatch.setattr(time, "time", lambda: later)
    answer = client.get("/")
    assert answer.status_code == 403
    assert "Nothing is lost" in answer.text


def test_sessions_outlive_a_restart_and_tokens_do_not(tmp_path: Path) -> None:
    with opened(tmp_path / "folder") as (bench, client):
        cookies, token = dict(client.cookies), bench.gate.token
    with opened(tmp_path / "folder") as (bench, _):
        again = TestClient(bench.gate, base_url=BASE, cookies=cookies)
        assert again.get("/").status_code == 200
        assert stranger(bench).get(f"/?token={token}").status_code == 403


@pytest.mark.parametrize(
    "next_", ["//evil.example", "https://evil.example", "/\\evil.example", "x"]
)
def test_no_redirect_leads_elsewhere(pair: Any, next_: str) -> None:
    answer = pair[1].post(
        "/language", data={"language": "en", "next": next_}, follow_redirects=False
    )
    assert answer.headers["location"] == "/"


# A password for other machines


def test_other_machines_need_a_password(tmp_path: Path) -> None:
    assert is_loopback("127.0.0.1")
    assert is_loopback("localhost")
    assert is_loopback("::1")
    for host in ("0.0.0.0", "192.168.1.4", "example.org", "::"):
        assert not is_loopback(host)
        with pytest.raises(InputError, match="password"):
            serve(tmp_path, host=host, port=0, password="", ready=lambda _: None)


def test_the_command_takes_no_password_as_an_option(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "gistmeter", "open", str(tmp_path), "--host", "0.0.0.0"]
    found = subprocess.run(
        [*command, "--password", "x"], capture_output=True, text=True, timeout=60, check=False
    )
    assert found.returncode == 2
    assert "password" in found.stderr.lower()
    found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False,
                           stdin=subprocess.DEVNULL)  # fmt: skip
    assert found.returncode == 2
    assert "GISTMETER_OPEN_PASSWORD" in found.stderr


def test_short_passwords_are_refused_and_hashes_are_salted() -> None:
    with pytest.raises(InputError, match="at least 10"):
        hashed("123456789")
    first, second = hashed(PASSWORD), hashed(PASSWORD)
    assert first != second
    assert PASSWORD not in first
    assert matches(PASSWORD, first)
    assert not matches(PASSWORD + " ", first)


@pytest.mark.parametrize("kept", ["scrypt$1", "scrypt$99999999999$8$1$00$00", "md5$1$1$1$00$00"])
def test_a_hash_that_is_none_or_costs_too_much_is_refused(kept: str) -> None:
    with pytest.raises(InputError, match="scrypt"):
        matches(PASSWORD, kept)


def test_the_password_opens_and_a_wrong_one_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "PAUSE", 0.3)
    with opened(tmp_path / "folder", host="192.168.0.7", password=hashed(PASSWORD)) as (bench, _):
        base = f"http://192.168.0.7:{PORT}"
        guest = TestClient(
            bench.gate, base_url=base, headers={"origin": base}, follow_redirects=False
        )
        assert guest.get("/").headers["location"].startswith("/login")
        began = time.monotonic()
        wrong = guest.post("/login", data={"password": "guess", "who": "Eve"})
        assert time.monotonic() - began > 0.3
        assert wrong.status_code == 403
        assert guest.get("/").status_code == 303
        right = guest.post("/login", data={"password": PASSWORD, "who": "Ada", "next": "//evil"})
        assert right.headers["location"] == "/"
        assert guest.get("/").status_code == 200


def test_with_any_address_only_addresses_name_the_server(tmp_path: Path) -> None:
    with opened(tmp_path / "folder", host="0.0.0.0", password=hashed(PASSWORD)) as (bench, _):
        assert bench.gate._is_ours(f"192.168.0.9:{PORT}")
        assert not bench.gate._is_ours(f"evil.example:{PORT}")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0.0.0.0", "::1"])
def test_the_printed_address_is_answered_at_once(tmp_path: Path, host: str) -> None:
    try:
        bind(host, 0).close()
    except InputError:
        pytest.skip("no IPv6 here")
    with (
        started(tmp_path, "--host", host, GISTMETER_OPEN_PASSWORD=PASSWORD) as (_, address),
        httpx.Client(trust_env=False, timeout=60, follow_redirects=True) as client,
    ):
        assert client.get(address).status_code == 200


def test_addresses_are_spelled_as_browsers_want_them() -> None:
    assert address_of("::1", 8) == address_of("[::1]", 8) == "http://[::1]:8"
    assert address_of("192.0.2.7", 8, others=True) == "http://192.0.2.7:8"
    assert address_of("0.0.0.0", 8) == "http://127.0.0.1:8"
    assert "0.0.0.0" not in address_of("0.0.0.0", 8, others=True)


# One folder, one server


def test_a_second_server_on_the_folder_is_refused(pair: Any) -> None:
    with pytest.raises(InputError, match="another workbench is open"):
        State(pair[0].folder)


def test_the_folder_brings_no_queue_of_its_own(tmp_path: Path) -> None:
    place = state_place(tmp_path)
    assert not place.is_relative_to(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    assert state_place(other) != place


def test_the_server_listens_on_the_loopback_address_alone(tmp_path: Path) -> None:
    with started(tmp_path / "folder") as (_, address):
        with contextlib.closing(visitor(address)) as client:
            assert client.get("/").status_code == 200
        port = int(address.split(":")[2].split("/")[0])
        names = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None)}
        for name in names - {"127.0.0.1", "::1"}:
            if not name.startswith("127."):
                with pytest.raises(OSError), socket.create_connection((name, port), timeout=2):
                    pass
