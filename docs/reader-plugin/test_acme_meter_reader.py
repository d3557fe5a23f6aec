"""The test of a reader: the public kit, on a file that is whole and on one without values."""

from __future__ import annotations

from pathlib import Path

from acme_meter_reader import READER

from tco.testing import check_reader

HERE = Path(__file__).parent


def test_it_does_what_every_reader_has_to_do() -> None:
    """A reader of another package passes the same checks as ours."""
    check_reader(READER, HERE / "sample.log", absent=HERE / "absent.log")
