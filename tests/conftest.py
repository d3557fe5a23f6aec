from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of published facts and real files, where it lies beside the checkout."""
    folder = ROOT.parent / "shared"
    if not (folder / "facts").is_dir():
        pytest.skip(f"the folder with published facts and real files is not there: {folder}")
    return folder


@pytest.fixture(scope="session")
def examples() -> Path:
    return ROOT / "examples"
