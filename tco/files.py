"""Reading and writing whole files: hashes, and output that appears complete or not at all."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path


def sha256(path: Path) -> str:
    """SHA-256 of a file, read in blocks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file so that a reader sees the old content or the new one, never a part.

    Parameters
    ----------
    path
        Where to write; its folder must exist.
    content
        Text (written as UTF-8) or bytes.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(scratch).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        Path(scratch).replace(path)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
