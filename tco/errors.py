"""Errors that a person reads: where, what was found, what would be right."""

from __future__ import annotations

from collections.abc import Iterable

#: How much less alike than the best a word may be to be named beside it.
_CLOSE = 0.1


class TcoError(ValueError):
    """Bad input. The message names the place, the value and what would be right; the command line exits with 2."""


class UnitError(TcoError):
    """A unit that is not known, or of the wrong dimension."""


class ReadError(TcoError):
    """A file that cannot be read as what it claims to be."""


class RecordError(TcoError):
    """A record with a missing, unknown or impossible field."""


class RegionError(TcoError):
    """A place that is not known, ambiguous, or without data."""


class EstimateError(TcoError):
    """An estimate that cannot be made from what is given."""


def did_you_mean(word: str, known: Iterable[str], *, count: int = 3) -> str:
    """A hint with the nearest known words, or an empty text.

    Returns
    -------
    str
        ``"; did you mean 'a' or 'b'?"`` or ``""``.
    """
    import difflib  # only when there is an error to explain

    fold, by_fold = word.casefold(), {name.casefold(): name for name in known}
    near = difflib.get_close_matches(fold, by_fold, n=count, cutoff=0.6)
    if not near:
        return ""
    likeness = [difflib.SequenceMatcher(None, name, fold).ratio() for name in near]
    best = [by_fold[name] for name, ratio in zip(near, likeness, strict=True) if ratio >= likeness[0] - _CLOSE]
    return "; did you mean " + " or ".join(f"'{name}'" for name in best) + "?"
