"""Records by the words in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tco.catalog.library import Library

#: Characters around a word that are shown.
_AROUND = 60
#: Fields whose hits come first.
_FIRST = ("name", "title")


class Hit(NamedTuple):
    """A record with all words, and where the first of them stands."""

    name: str
    title: str
    field: str
    text: str


def _texts(library: Library) -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
    for entry in library.entries.values():
        rows = [(f"error {row.id}", f"{row}; {row.workload}; {row.hardware}") for row in library.rows_of(entry.name)]
        yield entry.name, entry.title, [*entry.words(), *rows]
    for pairs in library.pair_sets.values():
        about = "; ".join((pairs.prediction.predictor, pairs.file.data, pairs.file.measured, pairs.file.source))
        yield pairs.id, f"pairs of {pairs.prediction.predictor}", [("name", pairs.id), ("pairs", about)]
    for system in library.unlisted.values():
        about = "; ".join((system.kind or "", system.named_in, system.note or ""))
        texts = [("name", system.name), ("title", system.title), ("no record", system.why), ("named", about)]
        yield system.name, system.title, texts


def search(library: Library, words: Sequence[str]) -> tuple[Hit, ...]:
    """Records in which all words stand, wherever; case does not matter, names come first."""
    wanted = [word.casefold() for text in words for word in text.split()]
    found: list[tuple[int, Hit]] = []
    for name, title, texts in _texts(library):
        everything = " ".join(text for _, text in texts).casefold()
        if not wanted or not all(word in everything for word in wanted):
            continue
        field, text = next((f, t) for f, t in texts if wanted[0] in t.casefold())
        at = text.casefold().index(wanted[0])
        start, end = max(0, at - _AROUND), at + len(wanted[0]) + _AROUND
        shown = ("..." if start else "") + text[start:end] + ("..." if end < len(text) else "")
        found.append((0 if field in _FIRST else 1, Hit(name, title, field, shown)))
    return tuple(hit for _, hit in sorted(found, key=lambda item: (item[0], item[1].title.casefold())))
