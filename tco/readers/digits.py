"""Decimal text to numbers, eight characters at a time, on whole columns.

Eight bytes of a file are taken as one 64-bit word, and the word arithmetic works on its eight characters at once.
All functions take ``words``, the view in which element *i* is the word that begins at byte *i* of the buffer.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Bytes: TypeAlias = NDArray[np.uint8]
Words: TypeAlias = NDArray[np.uint64]
Floats: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

#: Bytes that a buffer needs before its first field and after its last one.
FRONT, BACK = 24, 64
#: Longest number that is read here, in characters.
LONGEST = 24

_ZEROS = np.uint64(0x3030303030303030)  # "00000000"
_HIGH = np.uint64(0x8080808080808080)
_LOW7 = np.uint64(0x7F7F7F7F7F7F7F7F)
_OVER_9 = np.uint64(0x7676767676767676)  # adding it sets the high bit of a byte above 9
_DOT = np.uint64(0x1E1E1E1E1E1E1E1E)  # "........" ^ "00000000"
_PAIRS = np.uint64(0x00FF00FF00FF00FF)
_QUADS = np.uint64(0x0000FFFF0000FFFF)
_EXACT = np.uint64(2**53)
_TENS: Words = np.array([10**k for k in range(9)], np.uint64)
_POWERS: Floats = np.array([10.0**k for k in range(LONGEST)])  # exact up to 1e22


def words_of(buffer: bytearray) -> Words:
    """The word that begins at each byte of a buffer; a view, not a copy."""
    return np.ndarray((len(buffer) - 7,), "<u8", buffer, strides=(1,))


def word(text: bytes) -> np.uint64:
    """Up to eight characters as a word, the first one lowest."""
    return np.uint64(int.from_bytes(text[:8], "little"))


def eight_digits(digits: Words) -> Words:
    """The number that each word of eight digit values 0..9 spells."""
    number = (digits * np.uint64(2561)) >> np.uint64(8)
    number &= _PAIRS
    number *= np.uint64(6553601)
    number >>= np.uint64(16)
    number &= _QUADS
    number *= np.uint64(42949672960001)
    number >>= np.uint64(32)
    return number


def all_digits(values: Words) -> Flags:
    """Whether each byte of each word is a digit value 0..9."""
    over = values + _OVER_9
    over |= values
    over &= _HIGH
    return over == 0


def last_characters(words: Words, end: Places, length: Places) -> Words:
    """Digit values of the last ``length`` (at most 8) characters before ``end``, zeros before them."""
    shift = ((8 - length) << 3).view(np.uint64)
    values = words[end - 8]
    values ^= _ZEROS
    values >>= shift
    values <<= shift
    return values


def decimals(words: Words, begin: Places, end: Places) -> tuple[Floats, Flags]:
    """Read plain decimal numbers: digits with at most one point among them.

    Parameters
    ----------
    words
        Words of the buffer.
    begin, end
        First byte of each field and the one after its last, shape (n,).

    Returns
    -------
    values, ok
        The nearest double of each number, as ``float`` gives it, where ``ok``; anything elsewhere. Not ok are
        fields with other characters, longer than 24 characters or of more than 19 digits.
    """
    length = end - begin
    is_long = length > 8
    count = int(np.count_nonzero(is_long))
    if count == 0:
        return _short(words, end, length)
    if 2 * count > length.size:
        return _over_eight(words, begin, end, length)
    values, ok = _short(words, end, length)
    rows = np.flatnonzero(is_long)
    values[rows], ok[rows] = _over_eight(words, begin[rows], end[rows], length[rows])
    return values, ok


def _over_eight(words: Words, begin: Places, end: Places, length: Places) -> tuple[Floats, Flags]:
    """Numbers of more than eight characters: first those with the point among the first eight, then the others."""
    values, ok = _pointed(words, begin, end, length)
    rows = np.flatnonzero(~ok)
    if rows.size:
        values[rows], ok[rows] = _long(words, end[rows], length[rows])
    return values, ok


def stamps(words: Words, begin: Places, end: Places, point: int) -> tuple[Floats, Flags]:
    """Read numbers of one shape: 9 to 15 digits, a point, 1 to 8 digits, such as seconds since 1970.

    Parameters
    ----------
    words, begin, end
        As for `decimals`.
    point
        Digits before the point, the same in all fields.

    Notes
    -----
    The sum of whole and fraction is the nearest double: with at most 8 decimals and a whole of at least 1e8, no
    such number lies closer than 7e-17 to the middle between two doubles without being that middle, and the
    fraction is off by 6e-17 at most.
    """
    head = words[begin]
    head ^= _ZEROS
    head <<= np.uint64(8 * (15 - point))
    tail = words[begin + (point - 7)]
    ok = (tail >> np.uint64(56)) == ord(".")
    tail ^= _ZEROS
    tail <<= np.uint64(8)
    places = end - begin
    places -= point + 1
    fraction = last_characters(words, end, places)
    ok &= places >= 1
    ok &= places <= 8
    ok &= all_digits(head)
    ok &= all_digits(tail)
    ok &= all_digits(fraction)
    whole = eight_digits(head) * np.uint64(10**7)
    whole += eight_digits(tail)
    ok &= whole >= 10**8
    places *= ok
    return whole + eight_digits(fraction) / _POWERS[places], ok


def _dots(values: Words) -> Words:
    """The high bit of each byte that is a decimal point."""
    marks = values ^ _DOT
    rest = marks & _LOW7
    rest += _LOW7
    marks |= rest
    np.invert(marks, out=marks)
    marks &= _HIGH
    return marks


def _short(words: Words, end: Places, length: Places) -> tuple[Floats, Flags]:
    """Numbers of at most eight characters."""
    values = last_characters(words, end, length)
    dot = _dots(values)
    has_dot = dot != 0
    dot >>= np.uint64(7)
    before = dot - has_dot
    ok = (before & dot) == 0  # one point at most
    dot *= np.uint64(255)
    dot |= before
    after = np.invert(dot, out=dot)
    before &= values
    before <<= np.uint64(8)
    values &= after
    values |= before
    ok &= all_digits(values)
    ok &= length > has_dot  # a digit at least
    ok &= length <= 8
    decimals_after = np.bitwise_count(after) >> 3
    decimals_after *= has_dot
    return eight_digits(values) / _POWERS[decimals_after], ok


def _pointed(words: Words, begin: Places, end: Places, length: Places) -> tuple[Floats, Flags]:
    """Numbers of 9 to 20 characters with the point among the first eight of them, such as 393.81600000000003."""
    head = words[begin]
    head ^= _ZEROS
    dot = _dots(head)
    ok = dot != 0
    dot >>= np.uint64(7)
    before = dot - ok
    ok &= (before & dot) == 0  # one point
    dot *= np.uint64(255)
    dot |= before
    after = np.invert(dot, out=dot)
    before &= head
    before <<= np.uint64(8)
    head &= after
    head |= before
    scale = (np.bitwise_count(after) >> 3) + (length - 8)
    middle = length - 16
    np.clip(middle, 0, 8, out=middle)
    last = np.clip(length - 8, 0, 8)
    parts = last_characters(words, end - 8, middle), last_characters(words, end, last)
    for digits in (head, *parts):
        ok &= all_digits(digits)
    ok &= length > 8
    ok &= length <= 20  # 19 digits, which 64 bits hold
    mantissa = eight_digits(head)
    for digits, count in zip(parts, (middle, last), strict=True):
        mantissa *= _TENS[count]
        mantissa += eight_digits(digits)
    scale *= ok
    return _scaled(mantissa, scale), ok


def _long(words: Words, end: Places, length: Places) -> tuple[Floats, Flags]:
    """Numbers of up to 24 characters: two or three words, the last one first."""
    count = 2 if int(length.max()) <= 16 else 3
    parts: list[Any] = [
        last_characters(words, end - 8 * part, np.clip(length - 8 * part, 0, 8)) for part in range(count)
    ]
    parts.append(np.zeros_like(parts[0]))
    later = np.zeros(length.size, np.bool_)  # the point stands in a later word
    scale = np.zeros(length.size, np.int64)
    points = np.zeros(length.size, np.int64)
    ok = length <= LONGEST
    mantissa = np.zeros(length.size, np.uint64)
    for part in range(count):
        values = parts[part]
        dot = _dots(values)
        points += np.bitwise_count(dot)
        has_dot = dot != 0
        dot >>= np.uint64(7)
        before = dot - has_dot
        before |= np.uint64(0) - later
        dot *= np.uint64(255)
        dot |= before
        after = np.invert(dot, out=dot)
        scale += has_dot * ((np.bitwise_count(after) >> 3) + 8 * part)
        later |= has_dot
        carried = parts[part + 1] >> np.uint64(56)
        carried &= np.uint64(0) - later
        before &= values
        before <<= np.uint64(8)
        digits = (values & after) | before
        digits |= carried
        ok &= all_digits(digits)
        number = eight_digits(digits)
        if part == 2:
            ok &= number < 1844  # 19 digits and some of 20: what 64 bits hold
        mantissa += number * np.uint64(10 ** (8 * part))
    ok &= points <= 1
    ok &= length > points
    scale *= ok
    return _scaled(mantissa, scale), ok


def _scaled(mantissa: Words, scale: Places) -> Floats:
    """``mantissa / 10**scale``, rounded once."""
    rounded = mantissa.astype(np.float64)
    result = rounded / _POWERS[scale]
    rows = np.flatnonzero(mantissa >= _EXACT)
    if rows.size:
        result[rows] = _corrected(mantissa[rows], rounded[rows], result[rows], _POWERS[scale[rows]])
    return result


def _corrected(mantissa: Words, rounded: Floats, quotient: Floats, power: Floats) -> Floats:
    """One step of division in twice the precision, for mantissas that a double does not hold.

    References
    ----------
    Dekker, A floating-point technique for extending the available precision (1971), the exact product.
    """
    with np.errstate(invalid="ignore"):  # 2**64, which only what is no number of 19 digits can round to
        lost = (mantissa - rounded.astype(np.uint64)).view(np.int64).astype(np.float64)
    product = quotient * power
    a, b = _halves(quotient), _halves(power)
    error = ((a[0] * b[0] - product) + a[0] * b[1] + a[1] * b[0]) + a[1] * b[1]
    remainder = ((rounded - product) - error) + lost
    return quotient + remainder / power


def _halves(value: Floats) -> tuple[Floats, Floats]:
    big = value * 134217729.0  # 2**27 + 1
    high = big - (big - value)
    return high, value - high
