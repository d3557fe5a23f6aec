"""A simulator of a site, described by a small TOML file: which command to call, and which reader knows its output."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, model_validator

from tco.records.base import Record, load
from tco.records.fields import refusal

if TYPE_CHECKING:
    from tco.records.run import Run
    from tco.records.system import System
    from tco.records.workload import Workload
    from tco.simulators.base import Options

_FIELD = re.compile(r"\$\{([^}]*)\}")
_PLAIN_NAME = re.compile(r"[\w.-]+")
STDOUT = "stdout"


class Description(Record):
    """A simulator as a command (schema ``tco.simulator/1``).

    Attributes
    ----------
    name, title
        What a user calls it, and what it is.
    command
        Program and arguments; no shell reads them. ``${model.layers}`` and the like stand for fields of the workload,
        ``${devices}``, ``${folder}`` (where the description lies) and ``${set.NAME}`` (a setting) for the obvious.
    inputs
        Files to write before: name to text, with the same fields in it.
    output
        File that it writes, or ``stdout``.
    reader
        Name of the reader that knows the output.
    companion
        Input file that the reader needs beside the output.
    time_limit_s
        When it is stopped, where the command line says nothing.
    pairs
        Predictor of stored pairs (predicted, measured); none without it.
    settings
        What a user can set, with its default.
    """

    schema_: str = Field(default="tco.simulator/1", alias="schema", pattern=r"^tco\.simulator/1$")
    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$")
    title: str
    command: tuple[str, ...] = Field(min_length=1)
    inputs: Mapping[str, str] = Field(default_factory=dict)
    output: str = STDOUT
    reader: str
    companion: str | None = None
    time_limit_s: float | None = Field(default=None, gt=0)
    pairs: str | None = None
    settings: Mapping[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _files_are_names(self) -> Description:
        for name in (*self.inputs, self.output, *([self.companion] if self.companion else [])):
            if not _PLAIN_NAME.fullmatch(name):
                raise refusal(f"'{name}' must be the name of a file in the scratch folder, without a path")
        if self.companion is not None and self.companion not in self.inputs:
            raise refusal(f"companion '{self.companion}' is not among the inputs")
        return self


class Command:
    """Runs the command of a description."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.description = load(Description, path)
        self.name, self.title = self.description.name, self.description.title
        self.settings = self.description.settings

    def available(self, options: Options) -> str | None:
        """Whether the program is there, and the reader."""
        from shutil import which

        from tco.errors import ReadError
        from tco.readers import plugins

        program = self._program()
        if which(program) is None:
            return f"{self.path}: command: there is no program '{program}'"
        try:
            plugins.by_name(self.description.reader)
        except ReadError as error:
            return f"{self.path}: reader: {error}"
        return None

    def run(self, workload: Workload, system: System, options: Options) -> Run:
        """The run of one step, as the reader finds it in the output."""
        import tempfile

        from tco.errors import TcoError
        from tco.files import write_atomically
        from tco.readers import ReadOptions, plugins
        from tco.records.run import Prediction
        from tco.simulators.base import TIME_LIMIT_S, SimulatorError
        from tco.simulators.process import call

        about, fields = self.description, _fields(workload, system)
        fields["folder"] = str(self.path.resolve().parent)
        fields |= {f"set.{name}": value for name, value in {**about.settings, **options.settings}.items()}
        limit = options.time_limit_s
        if about.time_limit_s is not None and limit == TIME_LIMIT_S:
            limit = about.time_limit_s
        with tempfile.TemporaryDirectory(prefix="tco-") as scratch:
            folder = Path(scratch)
            for name, text in about.inputs.items():
                write_atomically(folder / name, self._filled(text, fields, f"inputs.{name}"))
            arguments = [self._filled(text, fields, f"command[{i}]") for i, text in enumerate(about.command)]
            done = call([self._program(), *arguments[1:]], folder=folder, time_limit_s=limit)
            output = folder / about.output
            if about.output == STDOUT:
                output = folder / "stdout.txt"
                write_atomically(output, done.stdout)
            elif not output.is_file():
                raise SimulatorError(f"wrote no file '{about.output}'")
            reading = ReadOptions(
                device_count=float(workload.devices or 1),
                companion=folder / about.companion if about.companion else None,
            )
            try:
                runs = plugins.by_name(about.reader).reader.read(output, reading)
            except TcoError as error:
                words = str(error).replace(f"{folder}/", "")
                raise SimulatorError(f"its output is not what the reader '{about.reader}' reads: {words}") from None
        if len(runs) != 1:
            raise SimulatorError(f"its output holds {len(runs)} runs; it must hold that of one step")
        run = runs[0]
        if run.duration is None:
            raise SimulatorError("its output holds no run time")
        found = run.prediction or Prediction(simulator=self.name, step_time=run.duration)
        found = found.model_copy(update={"simulator": self.name, "pairs": about.pairs or None})
        return run.model_copy(update={"prediction": found})

    def _program(self) -> str:
        """The program: by its name on the path, or by a path relative to the description."""
        program = self.description.command[0].replace("${folder}", str(self.path.resolve().parent))
        return str(self.path.resolve().parent / program) if "/" in program else program

    def _filled(self, text: str, fields: Mapping[str, str], place: str) -> str:
        from tco.errors import did_you_mean
        from tco.simulators.base import SimulatorError

        def _value(match: re.Match[str]) -> str:
            name = match[1]
            if name not in fields:
                raise SimulatorError(
                    f"{self.path}: {place}: '${{{name}}}' is not known{did_you_mean(name, fields)} (known: "
                    f"{', '.join(sorted(fields))})"
                )
            return fields[name]

        return _FIELD.sub(_value, text)


def _fields(workload: Workload, system: System) -> dict[str, str]:
    """Fields of the workload by dotted name, as text; what is not stated is left out."""

    def _flat(data: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
        found: dict[str, str] = {}
        for name, value in data.items():
            if isinstance(value, Mapping):
                found |= _flat(value, f"{prefix}{name}.")
            elif value is not None:
                found[f"{prefix}{name}"] = str(value).lower() if isinstance(value, bool) else f"{value}"
        return found

    fields = _flat(workload.model_dump(mode="json", exclude={"schema_"}, exclude_none=True))
    fields["model.feedforward"] = str(workload.model.inner)
    fields["model.kv_heads"] = str(workload.model.kv_heads or workload.model.heads)
    fields["micro_batches"] = str(workload.micro_batches)
    fields["system"] = system.name
    if system.accelerator:
        fields["accelerator"] = system.accelerator
    if system.devices_per_node:
        fields["devices_per_node"] = f"{system.devices_per_node:g}"
    return fields
