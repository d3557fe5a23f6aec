"""The fast tokenizer against the careful path, and what both refuse."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tco.errors import ReadError
from tco.readers import blocks, values
from tco.readers.columns import Block
from tco.readers.digits import BACK, FRONT

Write = Callable[[str, str | bytes], Path]
NAMES = ("t", "value [W]", "key")


def block_of(text: str, names: tuple[str, ...] = NAMES, first_line: int = 2) -> Block:
    raw = text.encode()
    buffer = bytearray(FRONT) + raw + b"7,7\n" * (BACK // 4)
    return Block("f.csv", names, buffer, FRONT, FRONT + len(raw), first_line)


def digits(most: int) -> st.SearchStrategy[str]:
    return st.text("0123456789", min_size=1, max_size=most)


numbers = st.one_of(
    st.floats(0, 1000).map(lambda x: f"{x:.2f}"),
    st.floats(0, 1000, allow_subnormal=False).map(repr),
    st.floats(1.6e9, 1.9e9).map(repr),
    st.integers(0, 10**20).map(str),
    st.builds("{}.{}".format, digits(17), digits(12)),
    digits(20).map("{}.".format),
    digits(20).map(".{}".format),
    st.builds("{}{}".format, st.sampled_from("+-"), digits(9)),
    st.builds("{}.{}e{}".format, digits(3), digits(3), st.integers(-30, 30)),
)
missing = st.sampled_from(
    ["", "[N/A]", "N/A", "[Not Supported]", "[Unknown Error]", "nan", "NaN", "[GPU is lost]", "-"]
)
dressed = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", " ", "  "]),
    st.one_of(numbers, missing),
    st.sampled_from(["", " W", "W", " "]),
    st.sampled_from(["", " "]),
)
garbage = st.text("0123456789.,-eW /:\u00e9\u0661", max_size=14).filter(lambda text: "," not in text)
quoted = st.one_of(dressed, st.just("300,5")).map(lambda text: f'"{text}"')
fields = st.one_of(dressed, dressed, dressed, garbage, quoted)


def careful(texts: list[str]) -> list[float] | str:
    """What the careful path makes of the fields of a column: numbers, or its first message."""
    found = []
    for row, text in enumerate(texts):
        try:
            found.append(values.number(text.strip('"'), "W", values.Place("f.csv", row + 2, "value [W]")))
        except ReadError as error:
            return str(error)
    return found


def same(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other))


@given(st.lists(st.one_of(dressed, dressed, quoted.filter(lambda text: "300,5" not in text)), min_size=1, max_size=40))
def test_the_fast_path_reads_what_the_careful_path_reads(texts: list[str]) -> None:
    expected = careful(texts)
    rows = "".join(f"{row},{text},k{row % 3}\n" for row, text in enumerate(texts))
    if isinstance(expected, str):  # a unit behind a word, for instance
        with pytest.raises(ReadError):
            block_of(rows).numbers(1, "W")
        return
    found = block_of(rows).numbers(1, "W").tolist()
    assert all(same(a, b) for a, b in zip(found, expected, strict=True))


@given(st.lists(fields, min_size=1, max_size=12))
def test_the_fast_path_refuses_what_the_careful_path_refuses(texts: list[str]) -> None:
    expected = careful(texts)
    rows = "".join(f"{row},{text},k\n" for row, text in enumerate(texts))
    try:
        found: list[float] | str = block_of(rows).numbers(1, "W").tolist()
    except ReadError as error:
        found = str(error)
    assert isinstance(found, str) == isinstance(expected, str)
    if isinstance(found, str) and '"' not in rows:  # rows with quotes are looked at first
        assert found == expected


@given(st.lists(st.one_of(st.floats(1e-6, 1e17), st.floats(1e8, 2e9)), min_size=1, max_size=200))
def test_any_double_comes_back_as_it_was(written: list[float]) -> None:
    texts = [np.format_float_positional(x) for x in written]
    found = block_of("".join(f"0,{text},k\n" for text in texts)).numbers(1)
    assert found.tolist() == written


def test_many_rows_of_a_few_forms() -> None:
    random = np.random.default_rng(7)
    watts = (random.integers(0, 700_000, 20_000) * 0.001).tolist()
    texts = [repr(x) if i % 3 else f" {x:.2f} W" for i, x in enumerate(watts)]
    texts[17::50] = ["[N/A]"] * len(texts[17::50])
    texts[100] = "1.5e2"
    found = block_of("".join(f"{i},{text},k\n" for i, text in enumerate(texts))).numbers(1, "W")
    assert np.array_equal(found, careful(texts), equal_nan=True)
    assert found[100] == 150
    assert np.isnan(found[17])


stamps = st.datetimes(datetime(1999, 12, 30), datetime(2030, 1, 2)).map(
    lambda x: x.replace(microsecond=x.microsecond // 1000 * 1000)
)


@given(st.lists(st.tuples(stamps, st.integers(0, 4)), min_size=1, max_size=20), st.booleans())
def test_stamps_are_read_as_the_careful_path_reads_them(drawn: Any, aware: bool) -> None:
    forms = ("%Y/%m/%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", " %Y-%m-%d %H:%M:%S")
    texts = []
    for when, form in drawn:
        text = when.strftime(forms[form % 3]) + (f".{when.microsecond // 1000:03d}" if form else "")
        texts.append(text + (("Z", "+01:00", "-0530")[form % 3] if aware else ""))
    day = date(2020, 2, 29).toordinal()
    found = block_of("".join(f"{text},1,k\n" for text in texts)).stamps(0, day, aware=aware)
    for text, seconds in zip(texts, found.tolist(), strict=True):
        instant = datetime.fromisoformat(text.strip().replace("/", "-").replace("-0530", "-05:30"))
        midnight = datetime(2020, 2, 29, tzinfo=instant.tzinfo and __import__("datetime").UTC)
        assert seconds == pytest.approx((instant - midnight).total_seconds(), abs=1e-6)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("2026/13/01 00:00:00.000", "'2026/13/01 00:00:00.000' is not a date: month must be in 1..12"),
        ("2026/02/30 00:00:00.000", "'2026/02/30 00:00:00.000' is not a date: day is out of range for month"),
        ("2026/01/01 24:00:00.000", "'2026/01/01 24:00:00.000' is not a time of day"),
        ("2026/01/01 00:60:00.000", "'2026/01/01 00:60:00.000' is not a time of day"),
        ("2026/01/01 00:00:0x.000", "'2026/01/01 00:00:0x.000' is not a time stamp; write '2026/01/31 13:00:00.000'"),
        ("01/02/2026 00:00:00.000", "'01/02/2026 00:00:00.000' is not a time stamp; write"),
        ("2026/01/01 00:00:00.000Z", "states an offset from UTC, those before it do not; write all stamps alike"),
        ("[N/A]", "'[N/A]' is not a time stamp; write"),
    ],
)
def test_a_wrong_stamp_among_right_ones_is_refused(text: str, fault: str) -> None:
    rows = "2026/01/01 00:00:00.000,1,k\n" * 3 + f"{text},1,k\n" + "2026/01/01 00:00:01.000,1,k\n"
    with pytest.raises(ReadError, match=rf"^f\.csv:5: column 't': .*{re.escape(fault)}"):
        block_of(rows).stamps(0, date(2026, 1, 1).toordinal(), aware=False)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("abc", "'abc' is not a number; write '300.00 W', or '[N/A]' for a missing value"),
        ('"300,5"', "'300,5' has a comma in its number; write '1287.5', with a decimal point"),
        ('"300,5 W"', "'300,5 W' has a comma in its number"),
        ("300 mW", "'300 mW' has the unit 'mW', the column is in W"),
        ("1.2.3", "'1.2.3' is not a number"),
        ("1 2", "'1 2' is not a number"),
        ("inf", "'inf' is not a number"),
        ("0x10", "'0x10' is not a number"),
        ("\u0661\u0662", "'\u0661\u0662' is not a number"),
    ],
)
def test_a_wrong_number_among_right_ones_is_refused(text: str, fault: str) -> None:
    rows = "0,300.00 W,k\n1,[N/A],k\n" * 20 + f"40,{text},k\n41,300.00 W,k\n"
    with pytest.raises(ReadError, match=rf"^f\.csv:42: column 'value \[W\]': {re.escape(fault)}"):
        block_of(rows).numbers(1, "W")


def test_a_missing_time_is_refused() -> None:
    with pytest.raises(ReadError, match=r"^f\.csv:3: column 't': 'N/A' is not a number; each row needs one here$"):
        block_of("0,1,k\nN/A,1,k\n").numbers(0, required=True)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("1,2", "has 2 fields, 3 expected; the line was cut off or written by another run"),
        ("1", "has 1 field, 3 expected; the line was cut off"),
        ("1,300,5,k", "has 4 fields, 3 expected; write numbers with a decimal point"),
        ('1,"300,k', "is not CSV: unexpected end of data; a quoted field ends on the line where it begins"),
        ("1,2,3\0", "holds a zero byte; the file is damaged or is not text"),
    ],
)
def test_a_line_that_is_no_row_is_refused(line: str, fault: str) -> None:
    with pytest.raises(ReadError, match=rf"^f\.csv:4: {re.escape(fault)}"):
        block_of(f"0,1,k\n0,1,k\n{line}\n0,1,k\n")


def test_two_ragged_lines_that_make_up_for_each_other_are_refused() -> None:
    with pytest.raises(ReadError, match=r"^f\.csv:3: has 2 fields, 3 expected"):
        block_of("0,1,k\n1,2\n2,3,k,4\n")


def test_quotes_blank_lines_and_carriage_returns() -> None:
    block = block_of('0,1.5,"a, b"\r\n\r\n"3"," 2.5 W",c\r\n\n4,3.5,c\r\n')
    assert block.numbers(0, required=True).tolist() == [0, 3, 4]
    assert block.numbers(1, "W").tolist() == [1.5, 2.5, 3.5]
    codes, labels, rows = block.codes(2)
    assert [labels[code] for code in codes] == ["a, b", "c", "c"]
    assert [block.text(row, 2).strip() for row in rows] == labels
    assert [block.line(row) for row in range(3)] == [2, 4, 6]


@given(st.lists(st.text("abG-0\u00e9 ", max_size=70), min_size=1, max_size=80))
def test_words_are_told_apart_to_the_last_letter(words: list[str]) -> None:
    codes, labels, _ = block_of("".join(f"0,1,{word}\n" for word in words)).codes(2)
    assert [labels[code] for code in codes] == [word.strip() for word in words]
    assert len(set(labels)) == len(labels)


def test_text_that_is_not_utf_8_is_refused(file: Write) -> None:
    header = blocks.read_header(file("x.csv", b"t,v\n1,2\n2,\xff\n"))
    with pytest.raises(ReadError, match=r"x\.csv:3: is not UTF-8 text$"):
        list(blocks.each_block(header, lambda block: block.numbers(1)))


@pytest.mark.parametrize("threads", [0, 1, 3])
@pytest.mark.parametrize("size", [20, 64, 1000, 1 << 20])
def test_blocks_come_in_the_order_of_the_file(
    file: Write, monkeypatch: pytest.MonkeyPatch, threads: int, size: int
) -> None:
    path = file("x.csv", "t,v\n" + "".join(f"{i},{i * i}\n" for i in range(500)))
    monkeypatch.setattr(blocks, "BLOCK_SIZE", size)
    found = list(
        blocks.each_block(blocks.read_header(path), lambda b: (b.numbers(0), b.numbers(1), b.line(0)), threads=threads)
    )
    times = np.concatenate([t for t, _, _ in found])
    assert times.tolist() == list(range(500))
    assert np.array_equal(np.concatenate([v for _, v, _ in found]), times**2)
    assert all(line == t[0] + 2 for t, _, line in found)


def test_an_error_in_a_thread_names_its_line(file: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = file("x.csv", "t,v\n" + "".join(f"{i},{i if i != 400 else 'x'}\n" for i in range(500)))
    monkeypatch.setattr(blocks, "BLOCK_SIZE", 100)
    with pytest.raises(ReadError, match=r"x\.csv:402: column 'v': 'x' is not a number"):
        list(blocks.each_block(blocks.read_header(path), lambda block: block.numbers(1), threads=2))


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", ": is empty$"),
        (b"  \n\n", ": is empty$"),
        (b"t,v\n", ":1: has no rows; a line of column names and rows under it are expected$"),
        (b"t,v", ":1: has no rows; "),
        (b"t;v\n1;2\n", ":1: fields are separated by semicolons; write them separated by commas, and numbers with a"),
        (b"t\tv\n1\t2\n", ":1: fields are separated by tabs; write"),
        ("t,v\n1,2\n".encode("utf-16"), ": is UTF-16 text, as PowerShell writes it with '>'; save it as UTF-8$"),
        (b"t,\xff\n1,2\n", ":1: is not UTF-8 text$"),
        (b"t" * 200_000, ":1: has no line ends near its beginning; a CSV file is expected$"),
    ],
)
def test_a_file_that_is_no_csv_file_is_refused(file: Write, content: bytes, fault: str) -> None:
    with pytest.raises(ReadError, match=r"x\.csv" + fault):
        blocks.read_header(file("x.csv", content))


def test_a_line_without_end_is_refused(file: Write) -> None:
    header = blocks.read_header(file("x.csv", b"t,v\n1,2\n" + b"3" * 4_000_000))
    with pytest.raises(ReadError, match=r"x\.csv: has a line of more than 65,536 bytes; it is not a CSV file$"):
        list(blocks.each_block(header, lambda block: block.rows))


def test_a_byte_order_mark_and_comments_stand_before_the_names(file: Write) -> None:
    header = blocks.read_header(file("x.csv", b"\xef\xbb\xbf# a, b\n\nt , v\n\n1,2\n"), comments=True)
    assert (header.names, header.line, header.first_row) == (("t", "v"), 3, ("1", "2"))


def test_columns_are_found_by_their_one_name(file: Write) -> None:
    header = blocks.read_header(file("x.csv", "time,watts,watts\n1,2,3\n"))
    assert header.column("time") == 0
    with pytest.raises(ReadError, match=r"x\.csv:1: there is no column 'tme'; did you mean 'time'\?"):
        header.column("tme")
    with pytest.raises(ReadError, match=r"x\.csv:1: the column 'watts' stands 2 times; each needs a name of its own"):
        header.column("watts")
