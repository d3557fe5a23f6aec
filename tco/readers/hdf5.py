"""HDF5 files, read with h5py in a process of its own (``pip install 'tco-carbon[hdf5]'``).

The HDF5 library may crash on a damaged file, or ask for all memory there is; a process of its own turns both into an
error. Nothing in a file is unpickled: what pandas stores as Python objects is refused.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tco.errors import ReadError

MAGIC = b"\x89HDF\r\n\x1a\n"
_WORKER = "tco.readers.hdf5_worker"
_PATIENCE_S = 300


def frame(path: Path, key: str) -> dict[str, NDArray[np.float64]]:
    """The columns of a table, or the values of a series, that pandas stored under a key in its fixed form.

    Returns
    -------
    dict
        For a table its columns; for a series one array of length 1 for each label.

    Raises
    ------
    ReadError
        If h5py is not installed, the file is damaged, or it holds something else.
    """
    with np.load(io.BytesIO(_asked("frame", path, key)), allow_pickle=False) as stored:
        names = json.loads(str(stored["names"]))
        return {name: stored[f"column{at}"] for at, name in enumerate(names)}


def tree(path: Path) -> dict[str, Any]:
    """The groups of a file, their attributes, and the numbers of their datasets.

    Returns
    -------
    dict
        For each group ``attrs`` and ``groups``, and ``datasets`` with ``attrs`` and ``values``.

    Raises
    ------
    ReadError
        If h5py is not installed, or the file is damaged.
    """
    found: dict[str, Any] = json.loads(_asked("tree", path))
    return found


def _asked(what: str, path: Path, key: str = "") -> bytes:
    command = [sys.executable, "-m", _WORKER, what, str(path.resolve()), key]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OPENBLAS_NUM_THREADS": "1"}
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=_PATIENCE_S, env=environment)
    except subprocess.TimeoutExpired:
        raise ReadError(f"{path}: could not be read in {_PATIENCE_S} s; it may be damaged") from None
    except (OSError, ValueError) as error:
        raise ReadError(f"{path}: the process that reads HDF5 files cannot be started: {error}") from None
    if done.returncode == 0:
        return done.stdout
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    if done.returncode == 2 and said:
        raise ReadError(f"{path}: {said[-1]}")
    raise ReadError(f"{path}: is damaged, or not the HDF5 file that it seems to be")
