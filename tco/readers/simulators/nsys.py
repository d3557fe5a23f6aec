"""Kernel times of Nsight Systems: ``nsys stats --report cuda_gpu_kern_sum --format csv``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.records.run import Run

UNSTATED = (
    "elapsed time (only the sum over kernels, which overlap on several streams)",
    "power and energy",
    "number of devices",
    "work done",
    "memory",
    "utilisation",
)
_TOTAL, _COUNT, _NAME = "Total Time (ns)", "Instances", "Name"
_COMMUNICATION = re.compile(r"nccl|rccl", re.IGNORECASE)


def _header(text: str) -> int:
    """Line of the header, from 0; -1 where there is none. What nsys says of its progress comes before it."""
    for index, line in enumerate(text.splitlines()):
        if line.lstrip().startswith(("Time (%),", '"Time (%)",')) and _TOTAL in line and _NAME in line:
            return index
    return -1


class Nsys:
    """Reads the CSV of a kernel summary of nsys."""

    name = "nsys"
    title = "kernel summary of Nsight Systems (nsys stats --format csv)"
    boundary = "none: times only"

    def sniff(self, path: Path) -> float:
        """Whether there is a header of a kernel summary, or its plain-text form."""
        from tco.readers.simulators.shared import head_of

        head = head_of(path)
        if _header(head) >= 0 and _COUNT in head:
            return 0.95
        return 0.6 if "Time (%)" in head and "Total Time (ns)" in head and _COUNT in head else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run without a duration: the kernel time and the share of communication in it."""
        import csv

        from tco.errors import ReadError
        from tco.readers.simulators import shared
        from tco.records.run import Result, Tool

        text = shared.text_of(path)
        start = _header(text)
        if start < 0:
            raise ReadError(
                f"{path}: has no header 'Time (%),{_TOTAL},{_COUNT},...'; the plain-text form is not read: write "
                "nsys stats --report cuda_gpu_kern_sum --format csv"
            )
        rows = csv.DictReader(text.splitlines()[start:], strict=True)
        for name in (_TOTAL, _COUNT, _NAME):
            if name not in (rows.fieldnames or ()):
                raise ReadError(f"{path}:{start + 1}: there is no column '{name}'")
        total = talking = kernels = 0.0
        try:
            for row in rows:
                where = f"{path}:{start + rows.line_num}"
                if not any((value or "").strip() for value in row.values() if isinstance(value, str)):
                    break  # an empty line ends the table; other reports may follow
                if None in row or row[_NAME] is None:
                    raise ReadError(f"{where}: does not have the cells of the header; was the file cut off?")
                time = shared.checked_number(row[_TOTAL], f"{where}: column '{_TOTAL}'")
                total, kernels = total + time, kernels + shared.checked_number(row[_COUNT], f"{where}: '{_COUNT}'")
                talking += time if _COMMUNICATION.search(row[_NAME]) else 0.0
        except csv.Error as error:
            raise ReadError(f"{path}:{start + rows.line_num}: not readable as CSV: {error}") from None
        if not total:
            raise ReadError(f"{path}: has no kernel below its header")
        count = shared.count_of(None, options, str(path))
        return [
            shared.run_of(
                str(path),
                unstated=[what for what in UNSTATED if count is None or "devices" not in what],
                name=path.stem,
                tool=Tool(name="Nsight Systems"),
                devices=shared.devices(count),
                results=[
                    Result(name="kernel time", value=total, unit="ns", note="sum over all kernels and streams"),
                    Result(name="kernels", value=kernels, unit="1"),
                    Result(name="communication share", value=talking / total, unit="1", note="of the kernel time"),
                ],
                warnings=shared.unfinished(text, str(path)),
                provenance=shared.files(path, None),
            )
        ]


READER = Nsys()
