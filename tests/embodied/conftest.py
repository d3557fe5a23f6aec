from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))  # for embodied_bills, which the tests here share

Rows = list[dict[str, str]]


@pytest.fixture(scope="session")
def facts(shared: Path) -> Callable[[str], Rows]:
    """Rows of a published table by its path."""

    def rows(name: str) -> Rows:
        with (shared / "facts" / name).open(encoding="utf-8", newline="") as file:
            return [row for row in csv.DictReader(file, strict=True) if row.get("from_memory") != "true"]

    return rows
