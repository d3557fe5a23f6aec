"""Damaged files for every reader: nothing but a clear error may come out.

    python benchmarks/fuzz_readers.py [--inputs 20000] [--readers jpwr,rapl] [--seed 1]

Takes each file that a reader knows (fixtures of the tests, examples, and real samples where they lie beside the
checkout), damages it at random (bits, digits, separators, lines taken out, doubled, swapped or cut, words of other
formats put in), and reads it with that reader. Prints how many inputs each reader had, and how many it refused; stops
with exit code 1 at the first input on which it raises anything but a `TcoError`, or takes longer than `--seconds`, and
keeps that input.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path

from tco.errors import TcoError
from tco.readers import ReadOptions, plugins
from tco.readers.base import Reader

ROOT = Path(__file__).resolve().parent.parent
#: Files from which damaged ones are made; the samples need not be there.
PLACES = (
    ROOT / "tests" / "data",
    ROOT / "examples",
    ROOT.parent / "shared" / "samples",
    ROOT.parent / "shared" / "facts",
)
LARGEST = 20_000
#: One a line: what other formats and other tools write in their place.
WORDS = (
    *rb"""
nan inf -1 1e308 1e-320 1e400 4294967295 9223372036854775794 18446744073709551614 140737488355328 [N/A] N/A null true
{} [] " ' , ; # = : 0 00 + - . .. 1.2.3 1,5 2026-02-30 0000-00-00 0001-01-01T00:00:00Z 9999-12-31T23:59:59 +99:99
2026-03-29T02:30:00 2025-10-26T02:30:00 < > &amp; 0x1f 1_000 Watts kW J // ../.. -0.0 <!ENTITY <not_counted> (null) 1e5
""".split(),
    *(b"\t", b" ", b"\r\n", b"\0", b"\xff\xfe", b"\xc3", b"\xef\xbb\xbf", b"\xe2\x82\xac", b"\xd9\xa3"),
    *(b"9" * 30, b"1" * 400, b'{"a":' * 50, b"[" * 2000, b"9999-12-31 23:59:59", b"2026-03-29 02:30:00"),
)
#: How a user might ask for it; mostly he asks for nothing.
OPTIONS = (
    ReadOptions(),
    ReadOptions(time_zone="Europe/Berlin"),
    ReadOptions(interval_s=1.0, boundary="node_ac"),
    ReadOptions(rule="right_rectangle", devices=("0",)),
)
OF_COLUMNS = {
    "plain.csv": ReadOptions(columns=("time=t", "device=name", "model=model", "power=Leistung [kW]")),
    "table.wrap.csv": ReadOptions(columns=("time=t_s", "energy:a[uJ]=package0_energy_uj"), boundary="rack_pdu"),
    "smi.two-gpus.csv": ReadOptions(columns=("time=timestamp", "power[W]=power*"), time_zone="Europe/Berlin"),
}


def seeds(reader: Reader, most: int = 40) -> list[Path]:
    """Files that the reader knows, small ones first."""
    files = [path for place in PLACES if place.is_dir() for path in place.rglob("*") if path.is_file()]
    known = []
    for path in sorted(files, key=lambda path: (path.stat().st_size, path.name)):
        if 0 < path.stat().st_size <= 4_000_000 and (reader.sniff(path) >= 0.5 or _is_of(reader, path)):
            known.append(path)
    return known[:most]


def _is_of(reader: Reader, path: Path) -> bool:
    """The reader of described columns knows no file by itself: it is tried on those that `OF_COLUMNS` describe."""
    return reader.name == "csv" and path.name in OF_COLUMNS


def whole_lines(content: bytes) -> bytes:
    """The content, or as many of its first lines as are not too much: rows go on being rows."""
    if len(content) <= LARGEST:
        return content
    return content[: content.rfind(b"\n", 0, LARGEST) + 1] or content[:LARGEST]


def damaged(content: bytes, random_: random.Random) -> bytes:
    """The content with a few faults in it, mostly one."""
    data = bytearray(content)
    for _ in range(random_.choice((0, 1, 1, 1, 1, 1, 2, 2, 3, 4))):
        if not data:
            return bytes(data)
        at = random_.randrange(len(data))
        kind = random_.randrange(14)
        if kind == 0:
            data[at] ^= 1 << random_.randrange(8)
        elif kind == 1:
            data[at : at + random_.randint(1, 8)] = random_.choice(WORDS)
        elif kind == 2:
            data[at:at] = random_.choice(WORDS)
        elif kind == 3:
            del data[at : at + random_.randint(1, 40)]
        elif kind == 4:
            del data[at:]
        elif kind == 5:
            data[at : at + 1] = bytes([random_.randrange(256)])
        elif kind == 6:
            lines = bytes(data).split(b"\n")
            one, other = random_.randrange(len(lines)), random_.randrange(len(lines))
            lines[one], lines[other] = lines[other], lines[one]
            data = bytearray(b"\n".join(lines))
        elif kind == 7:
            lines = bytes(data).split(b"\n")
            lines.insert(random_.randrange(len(lines)), random_.choice(lines))
            data = bytearray(b"\n".join(lines))
        elif kind == 8:
            lines = bytes(data).split(b"\n")
            row = random_.randrange(len(lines))
            fields = lines[row].split(b",")
            fields[random_.randrange(len(fields))] = random_.choice(WORDS)
            lines[row] = b",".join(fields)
            data = bytearray(b"\n".join(lines))
        else:
            digits = [place for place, byte in enumerate(data[at : at + 200], start=at) if 48 <= byte <= 57]
            for place in random_.sample(digits, min(len(digits), 3)):
                data[place] = random_.choice(b"0123456789.-eE ")
    return bytes(data)


def inputs(reader: Reader, count: int, seed: int) -> Iterator[tuple[str, bytes, ReadOptions]]:
    """Name, content and options of each input."""
    random_ = random.Random(f"{seed} {reader.name}")
    files = [(path.name, whole_lines(path.read_bytes())) for path in seeds(reader)]
    files = files or [("made.csv", b"a,b\n1,2\n"), ("made.json", b'{"a": [1, 2]}')]
    for _ in range(count):
        name, content = random_.choice(files)
        asked = random_.choice(OPTIONS) if random_.random() < 0.4 else OPTIONS[0]
        yield name, damaged(content, random_), OF_COLUMNS.get(name, asked) if reader.name == "csv" else asked


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--readers", default="")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args()
    wanted = [name for name in options.readers.split(",") if name]
    readers = [reader for reader in plugins.own() if not wanted or reader.name in wanted]
    failed = 0
    warnings.simplefilter("error")
    for reader in readers:
        begin, refused = time.perf_counter(), 0
        with tempfile.TemporaryDirectory() as folder:
            for number, (name, content, asked) in enumerate(inputs(reader, options.inputs, options.seed)):
                path = Path(folder) / name
                path.write_bytes(content)
                started = time.perf_counter()
                try:
                    reader.sniff(path)
                    for run in reader.read(path, asked):
                        run.to_json()
                except TcoError as error:
                    refused += 1
                    fault = "" if str(error).strip() else "an error without a word"
                except Exception:
                    fault = traceback.format_exc()
                else:
                    fault = ""
                if not fault and time.perf_counter() - started > options.seconds:
                    fault = f"{time.perf_counter() - started:.1f} s"
                if fault:
                    kept = Path(tempfile.gettempdir()) / f"fuzz-{reader.name}-{number}-{name}"
                    shutil.copy(path, kept)
                    print(f"{reader.name}: input {number}, {asked}: {fault}\n  kept: {kept}", file=sys.stderr)
                    failed += 1
                    break
        seconds = time.perf_counter() - begin
        print(f"{reader.name}: {options.inputs} inputs, {refused} refused, {seconds:.1f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
