# SPDX-License-Identifier: MIT
"""Writes profiles of pprof in any valid form, in a few lines of Python."""
import random

NAMES = ["main", "f", "ns::g<int>(int)", "", "h i", "\u00e9t\u00e9", "main"]


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


def packed(field, values):
    return data(field, b"".join(map(varint, values)))


def unpacked(field, values):
    return b"".join(number(field, value) for value in values)


class Strings:
    """The table of strings, of which the first is empty."""

    def __init__(self):
        self.numbers = {"": 0}

    def __getitem__(self, text):
        return self.numbers.setdefault(text, len(self.numbers))

    def fields(self):
        return [data(6, text.encode()) for text in self.numbers]


def kind(strings, kind_of_value, unit):
    return number(1, strings[kind_of_value]) + number(2, strings[unit])


def simple(stacks, types=(("cpu", "nanoseconds"),), usual=None, extra=b""):
    """A profile of paths of names, the outermost first, with their values."""
    strings = Strings()
    fields = [data(1, kind(strings, *each)) for each in types]
    if usual is not None:
        fields.append(number(14, strings[usual]))
    ids = {}
    for path, values in stacks:
        for name in path:
            ids.setdefault(name, len(ids) + 1)
        fields.append(data(2, packed(1, [ids[name] for name in
                                         reversed(path)]) +
                           packed(2, values)))
    for name, place in ids.items():
        fields.append(data(4, number(1, place) + data(4, number(1, place))))
        fields.append(data(5, number(1, place) + number(2, strings[name])))
    return b"".join(fields + strings.fields()) + extra


def place(chance, strings, ids, functions):
    """A location with its functions, the outermost first: (message, names)."""
    address = chance.choice([0, chance.randrange(1, 1 << 64)])
    inlined = [chance.choice(list(functions))
               for _ in range(chance.choice([0, 1, 1, 1, 3]))]
    message = [number(1, ids), number(3, address), number(5, 1),
               number(2, chance.choice([0, 1, 99]))]
    names = [functions[each] for each in reversed(inlined)]
    if not inlined:
        names = [f"0x{address:x}" if address else f"(location {ids})"]
    for each in inlined:
        message.insert(chance.randrange(len(message)) if len(inlined) == 1
                       else len(message),
                       data(4, number(1, each) + number(2, 77)))
    return b"".join(message), names


def by_chance(seed):
    """A profile whose fields come in any order, and its stacks: the time of
    each path of names."""
    chance = random.Random(seed)
    strings = Strings()
    fields = [data(5, b"")] if chance.random() < .1 else []
    types = b"".join(data(1, kind(strings, *each)) for each in (
        ("samples", "count"), ("cpu", "microseconds"), ("bytes", "bytes")))
    fields += [types, number(9, 5), number(10, 7), number(12, 10),
               data(11, kind(strings, "cpu", "ms")), number(99, 1),
               data(98, b"\xff\xff"), number(13, strings["said"]),
               data(3, number(1, 1) + number(5, strings["lib.so"]))]
    functions = {}
    for each in range(1, 9):
        ids = each if seed % 2 else chance.randrange(1 << 64)
        name = chance.choice(NAMES)
        linked = chance.choice(["", "_Zx"]) if name == "" else "_Zy"
        functions[ids] = name or linked or f"(function {ids})"
        fields.append(data(5, number(4, 0) + number(2, strings[name]) +
                           number(3, strings[linked]) + number(1, ids)))
    functions[1 << 40] = f"(function {1 << 40})"
    places = {}
    for each in range(1, 13):
        ids = each if seed % 3 else chance.randrange(1 << 64)
        message, names = place(chance, strings, ids, functions)
        fields.append(data(4, message))
        places[ids] = names
    places[1 << 41] = [f"(location {1 << 41})"]
    stacks = {}
    for _ in range(30):
        path = chance.choices(list(places), k=chance.randrange(1, 20))
        values = [1, chance.randrange(1 << 20), 3]
        write = chance.choice([packed, unpacked])
        parts = [write(1, path), write(2, values),
                 data(3, number(1, 1) + number(2, 2))]
        chance.shuffle(parts)
        fields.append(data(2, b"".join(parts)))
        names = tuple(name for each in reversed(path)
                      for name in places[each])
        stacks[names] = stacks.get(names, 0) + values[1] * 1000
    texts = strings.fields()
    chance.shuffle(fields)
    # Strings are numbered in order of appearance.
    at = sorted(chance.randrange(len(fields) + 1) for _ in texts)
    for index, text in reversed(list(zip(at, texts))):
        fields.insert(index, text)
    return b"".join(fields), stacks
