"""Commands as child processes: without a shell, with a time limit, and with what they print kept at bay."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tco.simulators.base import SimulatorError

#: A simulator that prints more than this is in a loop.
MOST_OUTPUT = 256 << 20
_POLL_S = 0.02
_TAIL = 400


class Finished(NamedTuple):
    """A command that ended by itself with exit code 0."""

    stdout: str
    stderr: str
    seconds: float


def call(
    command: Sequence[str],
    *,
    folder: Path,
    time_limit_s: float,
    environment: Mapping[str, str] | None = None,
) -> Finished:
    """Run a command in a folder and wait for it.

    Parameters
    ----------
    command
        Program and arguments; no shell reads them.
    folder
        Where it runs.
    time_limit_s
        When it, and what it started, is stopped.
    environment
        Variables beside those of this process.

    Raises
    ------
    SimulatorError
        If the program is missing, does not end in time, prints without end, or ends with another code than 0.
    """
    started = time.monotonic()
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        try:
            process = subprocess.Popen(
                list(command),
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                env={**os.environ, **(environment or {})},
                start_new_session=True,
            )
        except FileNotFoundError:
            raise SimulatorError(f"there is no program '{command[0]}'") from None
        except OSError as error:
            raise SimulatorError(f"'{command[0]}' cannot be started: {error.strerror}") from None
        try:
            while process.poll() is None:
                if time.monotonic() - started > time_limit_s:
                    raise SimulatorError(f"did not answer within {time_limit_s:g} s and was stopped")
                if os.fstat(stdout.fileno()).st_size + os.fstat(stderr.fileno()).st_size > MOST_OUTPUT:
                    raise SimulatorError(f"printed more than {MOST_OUTPUT >> 20} MiB and was stopped")
                time.sleep(_POLL_S)
        finally:
            _stop(process)
        texts = []
        for file in (stdout, stderr):
            file.seek(0)
            texts.append(file.read().decode("utf-8", errors="replace"))
    if process.returncode:
        how = f"signal {-process.returncode}" if process.returncode < 0 else f"exit code {process.returncode}"
        raise SimulatorError(f"ended with {how}{last_words(texts[1] or texts[0])}")
    return Finished(texts[0], texts[1], time.monotonic() - started)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Stop a process with all that it started; nothing where it has ended and left nobody behind."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def last_words(text: str) -> str:
    """The end of what a program printed, in one line, for a message; empty where it printed nothing."""
    words = " ".join(text.split())
    if not words:
        return ""
    return f": {'... ' if len(words) > _TAIL else ''}{words[-_TAIL:]}"
