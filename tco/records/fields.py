"""Types of record fields that hold quantities: text with a unit or ``{value, unit}`` in, one unit inside."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import PydanticCustomError, core_schema

from tco.errors import UnitError
from tco.units import Quantity, read_quantity


class In:
    """Marks a quantity field with its unit and its bounds.

    Parameters
    ----------
    unit
        Unit inside the package; ``money`` in it stands for any currency.
    at_least, above, at_most
        Bounds in that unit.
    example
        What a person might write.
    """

    def __init__(
        self,
        unit: str,
        *,
        at_least: float | None = None,
        above: float | None = None,
        at_most: float | None = None,
        example: str | None = None,
    ) -> None:
        self.unit, self.at_least, self.above, self.at_most = unit, at_least, above, at_most
        self.example = example or (f"5 {unit}" if unit != "1" else "1.2")

    def check(self, number: float) -> None:
        """Refuse a number (in this unit) that is out of bounds, and say what would be right."""
        unit = "" if self.unit == "1" else f" {self.unit}"
        fault = None
        if self.at_least is not None and number < self.at_least:
            fault = f"must be at least {self.at_least:g}{unit}"
        elif self.above is not None and number <= self.above:
            fault = f"must be more than {self.above:g}{unit}"
        elif self.at_most is not None and number > self.at_most:
            fault = f"must be at most {self.at_most:g}{unit}"
            if self.at_most == 1 and self.unit == "1" and number <= 100:
                fault += f"; did you mean {number / 100:g}?"
        if fault:
            raise refusal(f"{number:g}{unit} {fault}")

    def read(self, value: object) -> Quantity:
        """The value as a quantity in this unit, within bounds."""
        try:
            quantity = read_quantity(value, self.unit)
        except UnitError as error:
            raise refusal(str(error)) from None
        self.check(float(quantity.magnitude))
        return quantity

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.read, serialization=core_schema.plain_serializer_function_ser_schema(_dump)
        )

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        pair = {
            "type": "object",
            "properties": {"value": {"type": "number"}, "unit": {"type": "string"}, "currency": {"type": "string"}},
            "required": ["value", "unit"],
            "additionalProperties": False,
        }
        forms: list[dict[str, Any]] = [{"type": "string", "examples": [self.example]}, pair]
        if self.unit == "1":
            forms.append({"type": "number"})
        return {"anyOf": forms, "description": f"Quantity, kept in '{self.unit}'."}


class FigureIn(In):
    """Marks a `Figure` field with the unit it must be convertible to, and with bounds in that unit."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        def check(figure: Any) -> Any:
            try:
                number = float(figure.quantity(self.unit).magnitude)
            except UnitError as error:
                raise refusal(str(error)) from None
            self.check(number)
            return figure

        return core_schema.no_info_after_validator_function(check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        forms: list[Any] = [{"type": "string", "examples": [self.example]}, handler(schema)]
        if self.unit == "1":
            forms.append({"type": "number"})
        return {"anyOf": forms}


def refusal(text: str) -> PydanticCustomError:
    """A validation error with a message of our own wording."""
    return PydanticCustomError("value_error", "{text}", {"text": text})


def _dump(quantity: Quantity) -> Any:
    unit = f"{quantity.units:~C}"
    value = float(quantity.magnitude)
    return {"value": value, "unit": unit} if unit else value


Power = Annotated[Quantity, In("W", at_least=0)]
Memory = Annotated[Quantity, In("GB", at_least=0, example="79.6 GiB")]
Time = Annotated[Quantity, In("s", at_least=0, example="24 h")]
Pue = Annotated[Quantity, In("1", at_least=1)]
Rate = Annotated[Quantity, In("1/s", at_least=0)]
