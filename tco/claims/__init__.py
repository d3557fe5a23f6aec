"""Published claims: recomputed from their own inputs, and explained where they contradict them.

>>> from tco.claims import check, published
>>> [checked] = check(published()["llama33-70b"])
>>> checked.verdict, round(checked.ratio or 0, 5)
('not consistent', 0.00636)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tco.claims.checking import Checked as Checked
    from tco.claims.checking import check as check
    from tco.claims.files import read_claims as read_claims
    from tco.claims.library import published as published
    from tco.claims.record import Claim as Claim
    from tco.claims.runs import check_run as check_run

_HOME = {
    "Checked": "checking",
    "Claim": "record",
    "check": "checking",
    "check_run": "runs",
    "published": "library",
    "read_claims": "files",
}
__all__ = sorted(_HOME)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value
