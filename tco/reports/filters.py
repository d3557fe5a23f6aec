"""Filters of templates: anchors and charts for HTML, numbers and units for LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

#: Units as siunitx prints them where its own macros have none; the rest goes through as it is.
_UNIT_WORDS = (("CO2e", "CO_2e"), ("**2", "^2"), ("**3", "^3"), ("*", "."), ("%", r"\percent"))
_NUMBER = re.compile(r"[-+]?[\d,]*\.?\d+(?:e[-+]?\d+)?")


def filters_of(kind: str) -> dict[str, Callable[..., Any]]:
    """The filters of a kind of template."""
    if kind == "html":
        from tco.reports.svg import stacked_bar

        return {"anchor": anchor, "chart": stacked_bar, "yaml": yaml_text}
    if kind == "tex":
        return {"num": num, "unit": tex_unit, "yaml": yaml_text}
    return {"code": code, "yaml": yaml_text}


def anchor(name: str) -> str:
    """A dotted name as the id of an element."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name)


def num(text: str) -> Any:
    r"""A number as ``\num{}`` of siunitx; any other text escaped."""
    from tco.reports.tables import latex
    from tco.reports.templates import Raw

    plain = text.replace(",", "")
    return Raw(rf"\num{{{plain}}}" if _NUMBER.fullmatch(plain) else latex(text))


def tex_unit(text: str) -> Any:
    r"""A unit as ``\unit{}`` of siunitx, in its literal form."""
    from tco.reports.templates import Raw

    if text in ("", "1"):
        return Raw("")
    for word, written in _UNIT_WORDS:
        text = text.replace(word, written)
    kept = re.sub(r"[^A-Za-z0-9_^./()\\]", "", text)
    return Raw(rf"\unit{{{kept}}}")


def code(text: str) -> Any:
    """Text as a code span of Markdown, whatever it holds."""
    from tco.reports.markdown import escape
    from tco.reports.templates import Raw

    plain = " ".join(text.split())
    return Raw(f"`{plain}`") if "`" not in plain and "|" not in plain else Raw(escape(plain))


def yaml_text(text: str) -> Any:
    """Text as a quoted scalar of YAML."""
    import json

    from tco.reports.templates import Raw

    quoted = json.dumps(" ".join(str(text).split()), ensure_ascii=False)
    return Raw(quoted.replace("<", "\\u003c").replace(">", "\\u003e"))
