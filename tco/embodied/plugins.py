"""The methods that there are: our own, and those that other packages add as entry points."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module

from tco.embodied.model import EmbodiedError, Method
from tco.errors import did_you_mean

GROUP = "tco.embodied"
#: Our own methods, as pyproject.toml declares them; listed here because looking for entry points takes 50 ms.
OWN = {
    "declared": "tco.embodied.built_in.declared:METHOD",
    "act": "tco.embodied.built_in.act:METHOD",
    "edge-aware": "tco.embodied.built_in.edge_aware:METHOD",
    "component": "tco.embodied.built_in.component:METHOD",
    "regression": "tco.embodied.built_in.regression:METHOD",
}
_ASKED = ("name", "version", "title", "source", "counts", "never_counts", "assess")


@lru_cache(maxsize=1)
def _own() -> dict[str, Method]:
    found: dict[str, Method] = {}
    for name, target in OWN.items():
        module, _, attribute = target.partition(":")
        found[name] = getattr(import_module(module), attribute)
    return found


def _others() -> tuple[dict[str, Method], list[str]]:
    from importlib.metadata import entry_points

    found: dict[str, Method] = {}
    faults: list[str] = []
    for point in entry_points(group=GROUP):
        if OWN.get(point.name) == point.value:
            continue
        what = f"the method '{point.name}' ({point.value})"
        try:
            loaded = point.load()
        except Exception as error:  # a stranger's module may raise anything
            faults.append(f"{what} cannot be loaded: {error}")
            continue
        missing = [attribute for attribute in _ASKED if not hasattr(loaded, attribute)]
        if missing:
            faults.append(f"{what} is no method: it has no {', '.join(missing)}")
        elif loaded.name in OWN or loaded.name in found:
            faults.append(f"{what} calls itself '{loaded.name}', which is taken")
        else:
            found[loaded.name] = loaded
    return found, faults


def methods() -> tuple[dict[str, Method], tuple[str, ...]]:
    """All methods by name, our own first, and a sentence for each plug-in that cannot be used."""
    others, faults = _others()
    return _own() | others, tuple(faults)


def method(name: str) -> Method:
    """The method of this name.

    Raises
    ------
    EmbodiedError
        If there is none; the message lists those there are, and the plug-ins that cannot be used.
    """
    if name in OWN:
        return _own()[name]
    found, faults = methods()
    if name in found:
        return found[name]
    text = f"the method '{name}' is not known{did_you_mean(name, found)} (methods: {', '.join(found)})"
    raise EmbodiedError("; ".join((text, *faults)))
