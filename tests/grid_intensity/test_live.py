"""Live sources, asked only of a server on this machine: what is sent, what is kept, what is never told."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tco.errors import ReadError
from tco.grid_intensity import Reading, live
from tco.grid_intensity.formats.write import to_text

DATA = Path(__file__).resolve().parents[1] / "data" / "grid"
SECRET = "s3cr3t-k3y"
ANSWERS = {
    "carbon-intensity": "electricity-maps.json",
    "intensity": "neso.json",
    "electricity": "eia.json",
    "api": "a75.xml",
}


class Server(ThreadingHTTPServer):
    asked: list[tuple[str, dict[str, str]]]
    status = 200
    body: bytes | None = None


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
        body = self.server.body
        if body is None:
            body = (DATA / ANSWERS[self.path.lstrip("/").split("/")[0].split("?")[0]]).read_bytes()
        self.send_response(self.server.status)
        if self.server.status in (301, 302):
            self.send_header("Location", "http://127.0.0.1:9/elsewhere")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    found = Server(("127.0.0.1", 0), Handler)
    found.asked = []
    thread = threading.Thread(target=found.serve_forever, daemon=True)
    thread.start()
    for name in ("ELECTRICITY_MAPS", "NESO", "EIA", "ENTSOE"):
        monkeypatch.setenv(f"TCO_GRID_{name}_URL", f"http://127.0.0.1:{found.server_port}")
    for key in ("ELECTRICITY_MAPS_KEY", "EIA_API_KEY", "ENTSOE_TOKEN"):
        monkeypatch.setenv(key, SECRET)
    yield found
    found.shutdown()
    found.server_close()
    thread.join()


SPAN = ("2030-07-04T11:00Z", "2030-07-04T14:00Z")


def test_a_zone_is_always_sent_and_the_caller_is_never_looked_up(server: Server) -> None:
    series = live.fetch("electricity-maps", "FR", *SPAN)
    path, headers = server.asked[0]
    query = parse_qs(urlsplit(path).query)
    assert query["zone"] == ["FR"]
    assert query["shouldUseFallbackCallerLookup"] == ["false"]
    assert query["start"] == ["2030-07-04T11:00Z"]
    assert headers["auth-token"] == SECRET
    assert SECRET not in path
    assert series.about.retrieved is not None
    assert series.about.retrieved.endswith("Z")
    with pytest.raises(ReadError, match="a place is never left to the source to guess"):
        live.fetch("electricity-maps", None, *SPAN)


@pytest.mark.parametrize(
    ("name", "zone", "field"), [("eia", "CISO", "api_key"), ("entsoe", "10Y1001A1001A82H", "securityToken")]
)
def test_sources_of_generation(server: Server, name: str, zone: str, field: str) -> None:
    series = live.fetch(name, zone, "2030-10-31T10:00Z", "2030-10-31T13:00Z", Reading(fuels="ipcc-2014"))
    assert len(series) == 3
    assert parse_qs(urlsplit(server.asked[0][0]).query)[field] == [SECRET]


def test_neso_needs_no_key_and_knows_great_britain_alone(server: Server) -> None:
    assert live.fetch("neso", "GB", "2030-01-20T12:00Z", "2030-01-20T13:00Z").about.region == "GB"
    with pytest.raises(ReadError, match="knows the zone GB alone, not 'DE'"):
        live.fetch("neso", "DE", *SPAN)


def test_the_key_is_neither_stored_nor_printed(server: Server, tmp_path: Path) -> None:
    series = live.fetch("eia", "CISO", "2030-10-31T10:00Z", "2030-10-31T13:00Z", Reading(fuels="ipcc-2014"), tmp_path)
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert SECRET.encode() not in kept
    assert SECRET not in to_text(series)
    server.status, server.body = 403, f"the key {SECRET} is not valid".encode()
    with pytest.raises(ReadError) as caught:
        live.fetch("eia", "PJM", "2030-10-31T10:00Z", "2030-10-31T13:00Z")
    assert SECRET not in str(caught.value)
    assert "answered 403: the key ... is not valid" in str(caught.value)


def test_a_cached_answer_is_marked_by_its_time(server: Server, tmp_path: Path) -> None:
    first = live.fetch("neso", "GB", "2030-01-20T12:00Z", "2030-01-20T13:00Z", None, tmp_path)
    told = next(tmp_path.glob("*.json"))
    record = json.loads(told.read_text(encoding="utf-8"))
    record["retrieved"] = "2030-01-21T00:00:00Z"
    told.write_text(json.dumps(record), encoding="utf-8")
    again = live.fetch("neso", "GB", "2030-01-20T12:00Z", "2030-01-20T13:00Z", None, tmp_path)
    assert len(server.asked) == 1
    assert again.about.retrieved == "2030-01-21T00:00:00Z"
    assert '# retrieved = "2030-01-21T00:00:00Z"' in to_text(again)
    assert again.mean == first.mean
    next(tmp_path.glob("*.body")).write_bytes(b"{}")  # not what came: asked again
    live.fetch("neso", "GB", "2030-01-20T12:00Z", "2030-01-20T13:00Z", None, tmp_path)
    assert len(server.asked) == 2


def test_a_key_does_not_follow_to_another_address(server: Server) -> None:
    server.status, server.body = 302, b""
    with pytest.raises(ReadError, match="answered 302"):
        live.fetch("electricity-maps", "FR", *SPAN)
    assert len(server.asked) == 1


def test_what_is_missing_is_said(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EIA_API_KEY")
    with pytest.raises(ReadError, match="needs a key in the environment variable EIA_API_KEY"):
        live.fetch("eia", "CISO", *SPAN)
    with pytest.raises(ReadError, match=r"live source 'neson' is not known; did you mean 'neso'\?"):
        live.fetch("neson", "GB", *SPAN)
    with pytest.raises(ReadError, match="has no zone; write 2030-07-04T11:00Z for UTC"):
        live.fetch("neso", "GB", "2030-07-04T11:00", SPAN[1])
    with pytest.raises(ReadError, match="is not after --from"):
        live.fetch("neso", "GB", SPAN[1], SPAN[0])
    with pytest.raises(ReadError, match="answers 14 days at a time"):
        live.fetch("neso", "GB", "2030-01-01T00:00Z", "2030-02-01T00:00Z")
    monkeypatch.setenv("TCO_GRID_NESO_URL", "ftp://127.0.0.1")
    with pytest.raises(ReadError, match="is not an https address"):
        live.fetch("neso", "GB", *SPAN)
    monkeypatch.setenv("TCO_GRID_NESO_URL", "http://127.0.0.1:9")
    with pytest.raises(ReadError, match="cannot be reached"):
        live.fetch("neso", "GB", *SPAN)


def test_our_providers_are_those_of_the_project_file() -> None:
    import tomllib

    project = tomllib.loads((DATA.parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["entry-points"][live.GROUP] == dict(live.OWN)
    for name in live.OWN:
        assert live.provider(name).name == name
