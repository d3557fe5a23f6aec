"""What a person may have to say about a file that does not say it itself."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tco.errors import ReadError, did_you_mean
from tco.grid_intensity.stamps import Labels


@dataclass(frozen=True)
class Reading:
    """How to read a series.

    Attributes
    ----------
    zone
        IANA time zone of stamps without an offset.
    labels
        Whether a stamp labels the start or the end of its step; sources whose rule is known need no word.
    column
        Column that holds the intensity, where there are several.
    basis, scope
        Of the factors, where the file does not say.
    forecast
        Whether forecasts may stand where the actual value is missing.
    fuels, stated_fuels, without
        For files of generation: set of fuel factors, factors stated by hand, fuels left out.
    """

    zone: str | None = None
    labels: Labels | None = None
    column: str | None = None
    basis: str | None = None
    scope: str | None = None
    forecast: bool = False
    fuels: str | None = None
    stated_fuels: dict[str, float] = field(default_factory=dict)
    without: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, known in (
            ("labels", ("start", "end")),
            ("basis", ("direct", "lifecycle")),
            ("scope", ("production", "consumption", "residual")),
        ):
            value = getattr(self, name)
            if value is not None and value not in known:
                raise ReadError(f"--{name} '{value}' is not known{did_you_mean(value, known)} ({' or '.join(known)})")

    def known_labels(self, labels: Labels, where: str) -> Labels:
        """The rule of the source; refuses another word of the user."""
        if self.labels is not None and self.labels != labels:
            raise ReadError(f"{where}: this source labels steps by their {labels}, not by their {self.labels}")
        return labels

    def with_zone(self, zone: str) -> Reading:
        """The same in a zone that the file states."""
        return replace(self, zone=zone)
