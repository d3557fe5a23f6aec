"""What all records share: frozen, no unknown keys, and errors that name the field and what would be right."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from tco.errors import RecordError, did_you_mean


class Record(BaseModel):
    """Base of all records."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True, defer_build=True)

    #: Old or outside names of a field, and the right one.
    also_known_as: ClassVar[Mapping[str, str]] = {}

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_keys(cls, data: Any) -> Any:
        if isinstance(data, Mapping):
            known = {field.alias or name for name, field in cls.model_fields.items()}
            for key in data:
                if key not in known and key not in cls.model_fields:
                    renamed = cls.also_known_as.get(str(key))
                    hint = f"; did you mean '{renamed}'?" if renamed else did_you_mean(str(key), known)
                    raise PydanticCustomError(
                        "unknown_key",
                        "'{key}' is not a field here{hint} (fields: {known})",
                        {"key": str(key), "hint": hint, "known": ", ".join(sorted(known))},
                    )
        return data

    def to_json(self) -> str:
        """The record as JSON text; absent fields are left out."""
        return json.dumps(self.model_dump(mode="json", exclude_none=True, by_alias=True), indent=2, ensure_ascii=False)


R = TypeVar("R", bound=Record)


def _place(location: tuple[int | str, ...]) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else (f".{part}" if text else str(part))
    return text


def validation_text(error: ValidationError, where: str) -> str:
    """A validation error as lines of ``where: field: what was found``."""
    lines = []
    for detail in error.errors(include_url=False):
        place = _place(detail["loc"])
        message = str(detail["msg"]).removeprefix("Value error, ")
        if detail["type"] == "missing":
            message = "is missing"
        elif detail["type"] not in ("value_error", "unknown_key") and not isinstance(detail["input"], Mapping | list):
            message = f"{detail['input']!r}: {message[0].lower()}{message[1:]}"
        lines.append(": ".join(part for part in (where, place, message) if part))
    return "\n".join(lines)


def validate(model: type[R], data: Any, where: str) -> R:
    """Build a record from plain data.

    Raises
    ------
    RecordError
        One line for each fault: ``where: field: what was found; what would be right``.
    """
    if not isinstance(data, Mapping):
        raise RecordError(f"{where}: a {model.__name__} record is a table of fields, not a {type(data).__name__}")
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise RecordError(validation_text(error, where)) from None


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise ValueError(f"the key '{key}' stands twice in one table")
        result[key] = value
    return result


def _no_nan(text: str) -> float:
    raise ValueError(f"{text} is not a number; leave the field out where nothing is known")


def read_data(path: Path) -> Any:
    """The plain content of a JSON or TOML file.

    Raises
    ------
    RecordError
        Naming file and line when it is not readable as JSON or TOML.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise RecordError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise RecordError(f"{path}: is a folder, not a file") from None
    except UnicodeDecodeError as error:
        raise RecordError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise RecordError(f"{path}: cannot be read: {error.strerror}") from None
    if path.suffix.lower() == ".toml":
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise RecordError(f"{path}: not valid TOML: {error}") from None
    try:
        return json.loads(text, object_pairs_hook=_no_duplicates, parse_constant=_no_nan)
    except json.JSONDecodeError as error:
        raise RecordError(f"{path}:{error.lineno}: not valid JSON: {error.msg}") from None
    except ValueError as error:
        raise RecordError(f"{path}: {error}") from None
    except RecursionError:
        raise RecordError(f"{path}: is nested too deeply to be a record") from None


def load(model: type[R], path: Path) -> R:
    """Read one record from a JSON or TOML file."""
    return validate(model, read_data(path), str(path))
