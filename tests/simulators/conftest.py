from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

WORKLOAD = """\
schema = "tco.workload/1"
name = "GPT-3 175B"
precision = "fp16"
global_batch = 64

[model]
layers = 96
hidden = 12288
heads = 96
vocabulary = 51200
sequence = 2048

[parallelism]
tensor = 8
pipeline = 8
micro_batch = 1
interleave = 3
recompute = "full"
"""


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    """GPT-3 175B as in Korthikanti et al. 2022, Table 5, full recomputation; 64 devices."""
    path = tmp_path / "workload.toml"
    path.write_text(WORKLOAD)
    return path


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Installs a package with simulators: entry points of the group, and the source of its module."""

    def install(source: str, **points: str) -> Path:
        folder = tmp_path / "site"
        folder.mkdir(exist_ok=True)
        (folder / "stranger.py").write_text(source)
        info = folder / "stranger-1.0.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n")
        lines = [f"{name} = {target}" for name, target in points.items()]
        (info / "entry_points.txt").write_text("[tco.simulators]\n" + "\n".join(lines) + "\n")
        monkeypatch.syspath_prepend(folder)
        return folder

    return install
