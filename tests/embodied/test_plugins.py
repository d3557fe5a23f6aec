"""Methods of other packages: used like our own, reported where they cannot be."""

from __future__ import annotations

from importlib import metadata
from typing import Any

import pytest
from embodied_bills import node

from tco.embodied import Assessment, EmbodiedError, Item, Piece, Workbench, assess, compare, method, methods
from tco.embodied.plugins import GROUP, OWN
from tco.records.system import System
from tco.units import Q


class PerKilogram:
    """A stranger's method: 10 kg for everything."""

    name = "flat"
    version = "1"
    title = "Flat"
    source = "nobody"
    counts = "whatever"
    never_counts = ("use",)

    def assess(self, system: System, bench: Workbench) -> Assessment:
        flat = bench.graph.input("flat.each", Q(10, "kgCO2e"), "kgCO2e", "One part")
        return Assessment(tuple(Piece(part.name, part.count, (Item("flat", flat),), "module") for part in system.parts))


class Point:
    def __init__(self, name: str, value: str, loaded: Any) -> None:
        self.name, self.value, self._loaded = name, value, loaded

    def load(self) -> Any:
        if isinstance(self._loaded, Exception):
            raise self._loaded
        return self._loaded


@pytest.fixture
def strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    class Impostor(PerKilogram):
        name = "act"

    points = [
        Point("act", OWN["act"], None),
        Point("flat", "flat:METHOD", PerKilogram()),
        Point("broken", "broken:METHOD", ImportError("no module named 'broken'")),
        Point("empty", "empty:METHOD", object()),
        Point("impostor", "impostor:METHOD", Impostor()),
    ]
    monkeypatch.setattr(metadata, "entry_points", lambda group: points if group == GROUP else [])


def test_a_strangers_method_is_used_like_ours(strangers: None) -> None:
    bill = node({"name": "ram", "count": 4, "component": {"kind": "ram", "capacity": "32 GB"}})
    assert assess(bill, "flat").value == 40
    assert assess(bill, PerKilogram()).value == 40
    assert "flat" in [result.method for result in compare(bill).results]


def test_plugins_that_cannot_be_used_are_reported(strangers: None) -> None:
    found, faults = methods()
    assert list(found) == [*OWN, "flat"]
    assert faults == (
        "the method 'broken' (broken:METHOD) cannot be loaded: no module named 'broken'",
        "the method 'empty' (empty:METHOD) is no method: it has no name, version, title, source, counts, never_counts, "
        "assess",
        "the method 'impostor' (impostor:METHOD) calls itself 'act', which is taken",
    )
    with pytest.raises(EmbodiedError, match=r"'flatt' is not known; did you mean 'flat'\?.*'broken'.*cannot be loaded"):
        method("flatt")
    bill = node({"name": "ram", "component": {"kind": "ram", "capacity": "32 GB"}})
    assert [name for name, _ in compare(bill).impossible].count("plug-in") == 3


def test_our_own_are_those_that_the_package_declares() -> None:
    import tomllib
    from pathlib import Path

    project = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["entry-points"][GROUP] == OWN
    for name in OWN:
        ours = method(name)
        assert ours.name == name
        assert ours.version
        assert ours.title
        assert ours.source
        assert ours.counts
        assert "use" in " ".join(ours.never_counts)
