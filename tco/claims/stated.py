"""Numbers as they were printed: what their last digit says of how exact they are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import Field, model_validator

from tco.errors import UnitError
from tco.records.base import Record
from tco.records.fields import refusal
from tco.units import Q, Quantity, convert_given, parse_unit, split_number

_DIGITS = re.compile(r"\s*[+-]?(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?")
#: Of a whole number that ends in zeros so many digits are taken as printed: ``6400000`` is 6.4 million.
_LEAST_DIGITS = 2
#: What double precision and printed tables of results leave open.
_RELATIVE = 1e-9


def half_unit(number: str) -> float:
    """Half a unit of the last digit of a number as printed: of ``12.9`` it is 0.05, of ``1.3e6`` 50,000."""
    match = _DIGITS.match(number)
    assert match is not None
    return 0.5 * 10.0 ** (int(match.group(3) or 0) - len(match.group(2) or ""))


class Stated(Record):
    """A number with its unit, as a source prints it.

    In a file it is text (``"12.9 t"``), a bare number where it has no unit, or a table; a table without a value names
    a result for which the source prints none. Write large numbers with the digits that the source has: ``"1.3e6 h"``.

    Attributes
    ----------
    number
        As printed; None where no number is.
    unit
        As printed; converted when used.
    exact
        Whether it is no rounded figure: a count, a convention, a price.
    tolerance
        How far off it may be, relative, where the source says "about" or its digits do not tell.
    factor
        What it was multiplied by in an explanation; 1 as printed.
    ends
        Low and high end in `unit`, instead of half a unit of the last digit on either side.
    note
        What a reader should know of it.
    """

    number: str | None = None
    unit: str = "1"
    exact: bool = False
    tolerance: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    factor: float = 1.0
    ends: tuple[float, float] | None = None
    note: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _short_forms(cls, data: Any) -> Any:
        if isinstance(data, bool):
            raise refusal(f"{data} is not a number")
        if isinstance(data, int | float):
            return {"number": repr(data)}
        if isinstance(data, str):
            data = {"number": data}
        if isinstance(data, Mapping) and "value" in data:
            data = {("number" if key == "value" else key): item for key, item in data.items()}
        if isinstance(data, Mapping) and isinstance(data.get("number"), int | float):
            data = {**data, "number": repr(data["number"])}
        if isinstance(data, Mapping) and isinstance(data.get("number"), str) and "unit" not in data:
            try:
                _, unit = split_number(data["number"], "kWh")
            except UnitError as error:
                raise refusal(str(error)) from None
            text = data["number"].strip()
            return {**data, "number": text.removesuffix(unit).strip(), "unit": unit or "1"}
        return data

    @model_validator(mode="after")
    def _is_a_number(self) -> Stated:
        try:
            parse_unit(self.unit)
            if self.number is not None:
                _, rest = split_number(self.number, self.unit)
                if rest:
                    raise refusal(f"'{self.number}': give the unit either in the text or as 'unit', not twice")
        except UnitError as error:
            raise refusal(str(error)) from None
        return self

    @property
    def value(self) -> float:
        """The number; `number` must not be None."""
        assert self.number is not None
        return float(self.number) * self.factor

    @property
    def text(self) -> str:
        """As printed: ``12.9 t``."""
        number = "?" if self.number is None else self.number
        return number if self.unit == "1" else f"{number} {self.unit}"

    def half(self, *, result: bool = False) -> float:
        """Half a unit of the last printed digit, in `unit`; 0 of an exact number.

        Parameters
        ----------
        result
            Whether it is a result: zeros at the end of a whole number are then not taken as printed digits, as nobody
            can tell. Of an input they are: write 1.3e6 where that was printed.
        """
        assert self.number is not None
        if self.exact:
            return 0.0
        number = self.number.strip()
        half = half_unit(number)
        whole = number.lstrip("+-")
        if result and whole.isdigit():
            zeros = len(whole) - len(whole.rstrip("0"))
            half *= 10.0 ** max(0, min(zeros, len(whole) - _LEAST_DIGITS))
        return half * abs(self.factor)

    def interval(self) -> tuple[float, float]:
        """Between which values, in `unit`, a result lies that was rounded to the number."""
        if self.ends is not None:
            return self.ends
        half = self.half(result=True) + _RELATIVE * abs(self.value)
        return self.value - half, self.value + half

    def quantity(self, unit: str) -> Quantity:
        """The number in another unit; mass given for emissions is mass of CO2e."""
        return convert_given(Q(self.value, self.unit), unit)

    def scaled(self, factor: float) -> Stated:
        """The number times a factor, its rounding with it."""
        return self.model_copy(update={"factor": self.factor * factor})
