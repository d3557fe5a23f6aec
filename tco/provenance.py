"""Where a number comes from: sources, data sets, published figures."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Basis = Literal["measured", "published", "estimated", "assumed"]


class Source(BaseModel):
    """A place that can be looked up.

    Attributes
    ----------
    title, author, year, where
        What it is called, who wrote it, when, and the section, table or key in it.
    url, licence
        Address, and the terms under which the number may be passed on.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    title: str
    author: str | None = None
    year: int | None = None
    where: str | None = None
    url: str | None = None
    licence: str | None = None

    def __str__(self) -> str:
        author = None if self.author and self.author.casefold() in self.title.casefold() else self.author
        head = ", ".join(part for part in (author, self.title) if part)
        if self.year is not None:
            head += f" ({self.year})"
        return f"{head}, {self.where}" if self.where else head


class DataSet(BaseModel):
    """A data set that an estimate used, in the release it used."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: str
    release: str
    sha256: str
    title: str
    licence: str = Field(description="Terms of use of the data.")
