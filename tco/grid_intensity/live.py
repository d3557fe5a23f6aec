"""Live sources of grid intensity: plug-ins, used only when a user names one.

A provider makes an address and says how to read the answer. Keys come from the environment; they are never printed,
never part of an error, and never stored: an answer is cached under its address without the key, with the time it came.
"""

from __future__ import annotations

import hashlib
import json
import os
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from tco.errors import ReadError, did_you_mean
from tco.files import write_atomically
from tco.grid_intensity.formats.options import Reading
from tco.grid_intensity.formats.read import from_bytes
from tco.grid_intensity.series import Series

GROUP = "tco.grid"
#: Our own providers, as pyproject.toml declares them; listed here because looking for entry points takes 50 ms.
OWN: Mapping[str, str] = {
    "electricity-maps": "tco.grid_intensity.providers:ELECTRICITY_MAPS",
    "neso": "tco.grid_intensity.providers:NESO",
    "eia": "tco.grid_intensity.providers:EIA",
    "entsoe": "tco.grid_intensity.providers:ENTSOE",
}
_TIMEOUT_S = 60.0
_LARGEST = 64 << 20


class Request(NamedTuple):
    """What to ask, without the key.

    Attributes
    ----------
    url
        Address with its query; public, it names the answer in the cache.
    secret_header, secret_query
        Name of the header, or of the query field, that carries the key; one of them, or none.
    """

    url: str
    secret_header: str | None = None
    secret_query: str | None = None


class Provider(Protocol):
    """A live source.

    Attributes
    ----------
    name
        What a user writes: ``live:NAME``.
    key
        Environment variable that holds the key; None where none is needed.
    """

    name: str
    key: str | None

    def request(self, zone: str, begin: datetime, end: datetime) -> Request:
        """What to ask for a zone and a time; raises ReadError for what the source cannot answer in one request."""
        ...


def provider(name: str) -> Provider:
    """The provider of a name, our own or another package's.

    Raises
    ------
    ReadError
        If there is none of that name.
    """
    if name in OWN:
        module, _, attribute = OWN[name].partition(":")
        found: Provider = getattr(import_module(module), attribute)
        return found
    from importlib.metadata import entry_points

    points = {point.name: point for point in entry_points(group=GROUP)}
    if name in points:
        try:
            loaded: Provider = points[name].load()
        except Exception as error:  # a stranger's module may raise anything
            raise ReadError(f"the live source '{name}' ({points[name].value}) cannot be loaded: {error}") from None
        return loaded
    known = sorted({*OWN, *points})
    raise ReadError(f"live source '{name}' is not known{did_you_mean(name, known)} (sources: {', '.join(known)})")


def fetch(
    name: str,
    zone: str | None,
    begin: str | None,
    end: str | None,
    reading: Reading | None = None,
    cache: Path | None = None,
) -> Series:
    """Ask a live source, or take its answer from the cache; the series says when the answer came.

    Parameters
    ----------
    name
        Name of the provider.
    zone
        The place, in the words of the source; never left to the source to guess.
    begin, end
        Instants, with Z or an offset.
    cache
        Folder of answers; without it nothing is stored.

    Raises
    ------
    ReadError
        If something is missing, the key is not in the environment, or the source does not answer.
    """
    source = provider(name)
    if zone is None or begin is None or end is None:
        raise ReadError(f"live:{name} needs --zone, --from and --to: a place is never left to the source to guess")
    span = [_instant(text, option) for text, option in ((begin, "--from"), (end, "--to"))]
    if span[1] <= span[0]:
        raise ReadError(f"--to {end} is not after --from {begin}")
    asked = source.request(zone, *span)
    raw, retrieved = _answer(source, asked, cache)
    series = from_bytes(raw, f"live:{name}", reading or Reading())
    about = replace(series.about, retrieved=retrieved, region=series.about.region or zone)
    return Series(series.start_s, series.end_s, series.value, about)


def _instant(text: str, option: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ReadError(f"{option} '{text}' is not a time; write 2026-01-31T13:00Z") from None
    if moment.tzinfo is None:
        raise ReadError(f"{option} '{text}' has no zone; write {text}Z for UTC")
    return moment.astimezone(UTC)


def _answer(source: Provider, asked: Request, cache: Path | None) -> tuple[bytes, str]:
    """The answer and the time it came."""
    name = hashlib.sha256(f"{source.name} {asked.url}".encode()).hexdigest()[:24]
    if cache is not None and (cache / f"{name}.json").is_file() and (cache / f"{name}.body").is_file():
        told = json.loads((cache / f"{name}.json").read_text(encoding="utf-8"))
        raw = (cache / f"{name}.body").read_bytes()
        if hashlib.sha256(raw).hexdigest() == told.get("sha256"):
            return raw, str(told["retrieved"])
    raw = _ask(source, asked)
    retrieved = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    if cache is not None:
        cache.mkdir(parents=True, exist_ok=True)
        told = {
            "source": source.name,
            "url": asked.url,
            "retrieved": retrieved,
            "sha256": hashlib.sha256(raw).hexdigest(),
        }
        write_atomically(cache / f"{name}.body", raw)
        write_atomically(cache / f"{name}.json", json.dumps(told, indent=2) + "\n")
    return raw, retrieved


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A key must not follow to another address."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Refuse."""
        return


def _ask(source: Provider, asked: Request) -> bytes:
    url, headers = asked.url, {"User-Agent": "tco"}
    secret = None
    if source.key is not None:
        secret = os.environ.get(source.key)
        if not secret:
            raise ReadError(f"live:{source.name} needs a key in the environment variable {source.key}")
        if asked.secret_header is not None:
            headers[asked.secret_header] = secret
        elif asked.secret_query is not None:
            from urllib.parse import quote

            url += f"{'&' if '?' in url else '?'}{asked.secret_query}={quote(secret, safe='')}"
    if not url.startswith(("https://", "http://localhost", "http://127.0.0.1")):
        raise ReadError(f"live:{source.name}: {asked.url} is not an https address")
    try:
        opener = urllib.request.build_opener(_NoRedirect)
        with opener.open(urllib.request.Request(url, headers=headers), timeout=_TIMEOUT_S) as answer:
            raw: bytes = answer.read(_LARGEST + 1)
    except urllib.error.HTTPError as error:
        with error:
            said = _without(error.read(500).decode("utf-8", "replace"), secret)
        raise ReadError(
            f"live:{source.name}: {asked.url} answered {error.code}: {' '.join(said.split())[:200]}"
        ) from None
    except (urllib.error.URLError, OSError, ValueError) as error:
        reason = _without(str(getattr(error, "reason", error)), secret)
        raise ReadError(f"live:{source.name}: {asked.url} cannot be reached: {reason}") from None
    if len(raw) > _LARGEST:
        raise ReadError(f"live:{source.name}: the answer is larger than {_LARGEST >> 20} MiB; ask for a shorter time")
    return raw


def _without(text: str, secret: str | None) -> str:
    return text if not secret else text.replace(secret, "...")
