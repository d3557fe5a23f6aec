"""Templates of reports: those of ``reports/templates``, and a user's own file.

Every text that a template prints is escaped for the kind of the template, which its name tells: ``.html``, ``.tex``
(with ``<< >>`` and ``<% %>`` in place of braces), ``.md``; any other kind is plain text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tco.errors import TcoError, did_you_mean
from tco.knowledge import folder

_SUFFIX = ".j2"
_TEX = {
    "block_start_string": "<%", "block_end_string": "%>", "variable_start_string": "<<", "variable_end_string": ">>",
    "comment_start_string": "<#", "comment_end_string": "#>",
}  # fmt: skip


class Raw(str):
    """Text that a template prints as it is: made by a filter that escapes by itself."""


def names() -> list[str]:
    """Templates that ship with the package, without the ending of their kind."""
    return sorted({entry.name.split(".")[0] for entry in folder("reports").joinpath("templates").iterdir()})


def _shipped(name: str) -> str:
    """File name of a shipped template."""
    for entry in folder("reports").joinpath("templates").iterdir():
        if entry.name.split(".")[0] == name:
            return entry.name
    hint = did_you_mean(name, names())
    raise TcoError(f"template '{name}' is not known{hint} (there are: {', '.join(names())}; or name a file)")


def kind_of(name: str) -> str:
    """``html``, ``tex``, ``md`` or ``txt``, by the name of a template."""
    suffix = Path(name.removesuffix(_SUFFIX)).suffix.lstrip(".").lower()
    return suffix if suffix in ("html", "tex", "md") else "txt"


def _escaper(kind: str) -> Callable[[Any], Any] | None:
    if kind == "tex":
        from tco.reports.tables import latex as escape
    elif kind == "md":
        from tco.reports.markdown import escape
    else:
        return None

    def finalize(value: Any) -> Any:
        if value is None:
            return ""
        return escape(value) if isinstance(value, str) and not isinstance(value, Raw) else value

    return finalize


def environment(kind: str) -> Any:
    """A Jinja environment that escapes for a kind of text; templates cannot reach the interpreter."""
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    from tco.reports import filters

    made = ImmutableSandboxedEnvironment(
        autoescape=kind == "html", undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True, finalize=_escaper(kind), **(_TEX if kind == "tex" else {}),
    )  # fmt: skip
    made.filters.update(filters.filters_of(kind))
    return made


def render(template: str | Path, values: Mapping[str, Any]) -> str:
    """A template filled in.

    Parameters
    ----------
    template
        Name of a shipped template, or a file.
    values
        See `tco.reports.context.context`.

    Raises
    ------
    TcoError
        If there is no such template, or it cannot be filled in: with its file and line.
    """
    from jinja2 import TemplateError, TemplateSyntaxError

    path = Path(template)
    if path.suffix or path.is_file():
        try:
            text, name = path.read_text(encoding="utf-8"), path.name
        except FileNotFoundError:
            raise TcoError(
                f"{path}: there is no such template file (shipped templates: {', '.join(names())})"
            ) from None
        except UnicodeDecodeError as error:
            raise TcoError(f"{path}: is not UTF-8 text (byte {error.start})") from None
        where = str(path)
    else:
        name = _shipped(str(template))
        text = folder("reports").joinpath("templates", name).read_text(encoding="utf-8")
        where = name
    try:
        result: str = environment(kind_of(name)).from_string(text).render(values)
    except TemplateSyntaxError as error:
        raise TcoError(f"{where}:{error.lineno}: {error.message}") from None
    except (TemplateError, TypeError, AttributeError, ArithmeticError, LookupError, ValueError) as error:
        raise TcoError(f"{where}: {error}") from None
    return result
