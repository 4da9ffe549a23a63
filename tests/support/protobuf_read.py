# SPDX-License-Identifier: MIT
"""The parts of protocol buffers that the tests' readers need."""


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value & (1 << 64) - 1, at


def signed(value):
    """The value of a field of type int64."""
    return value - (1 << 64) if value >> 63 else value


def items(data):
    """The fields of a message in their order: (number, value)."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value = data[at:at + 8]
            at += 8
        elif key & 7 == 2:
            size, at = varint(data, at)
            value = data[at:at + size]
            at += size
        else:
            raise ValueError(f"wire type {key & 7} at {at}")
        if at > len(data):
            raise ValueError("a field is longer than its message")
        yield key >> 3, value


def fields(data):
    """The same as lists, by number."""
    found = {}
    for number, value in items(data):
        found.setdefault(number, []).append(value)
    return found


def packed(data):
    """A sequence of varints."""
    found = []
    at = 0
    while at < len(data):
        value, at = varint(data, at)
        found.append(value)
    return found
