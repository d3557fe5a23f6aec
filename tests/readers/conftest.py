from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parent.parent / "data" / "readers"


@pytest.fixture
def data() -> Path:
    return DATA


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Writes a file of this name and content, and gives its path."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write
