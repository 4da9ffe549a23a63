# SPDX-License-Identifier: MIT
"""Writes small programs of ELF, for 32 and 64 bits and both byte orders, whole,
cut off and changed, into a directory: the seeds of fuzz_elf.

    elf_seeds.py DIRECTORY

The whole ones have these functions, with the build id 01 02 ... 14: local() at
0x1100, which is also called early and late; _Z5twicei, weak and of size 0, at
0x1180; and resolved, an IFUNC, at 0x11c0. Others are not functions of the file.
"""

import struct
import sys

FUNC, IFUNC, OBJECT = 2, 10, 1
LOCAL, GLOBAL, WEAK = 0, 1, 2
# Name, value, size, type, binding, section.
SYMBOLS = [
    ("", 0, 0, 0, LOCAL, 0),
    ("early", 0x1100, 16, FUNC, LOCAL, 1),
    ("local@@VERSION", 0x1100, 16, FUNC, GLOBAL, 1),
    ("late", 0x1100, 16, FUNC, WEAK, 1),
    ("_Z5twicei", 0x1180, 0, FUNC, WEAK, 1),
    ("resolved", 0x11c0, 8, IFUNC, GLOBAL, 1),
    ("data", 0x1200, 8, OBJECT, GLOBAL, 1),
    ("elsewhere", 0, 0, FUNC, GLOBAL, 0),
    ("stub", 0x1220, 0, FUNC, GLOBAL, 0),
    ("removed", 0, 4, FUNC, LOCAL, 1),
]


def program(wide, big):
    order = ">" if big else "<"

    def pack(shape, *values):
        return struct.pack(order + shape.replace("W", "Q" if wide else "I"),
                           *values)

    text = b""
    symbols = b""
    for name, value, size, kind, binding, section in SYMBOLS:
        fields = (binding << 4 | kind, 0, section)
        symbols += (pack("IBBHQQ", len(text), *fields, value, size) if wide
                    else pack("IIIBBH", len(text), value, size, *fields))
        text += name.encode() + b"\0"
    note = pack("III4s20s", 4, 20, 3, b"GNU", bytes(range(1, 21)))
    header = 64 if wide else 52
    at = header + 2 * (56 if wide else 32)
    parts = []
    for part in note, symbols, text:
        parts.append((at, len(part)))
        at += (len(part) + 7) // 8 * 8
    ident = b"\x7fELF" + bytes([2 if wide else 1, 2 if big else 1, 1] + [0] * 9)
    result = ident + pack("HHIWWWIHHHHHH", 3, 62, 1, 0x1100, header, at, 0,
                          header, 56 if wide else 32, 2, 64 if wide else 40,
                          3, 0)
    for kind, offset, address, size, align in (
            (1, 0, 0x1000, 0x300, 0x1000), (4, *parts[0][:1], 0, parts[0][1], 4)):
        result += (pack("IIQQQQQQ", kind, 5, offset, address, address, size,
                        size, align) if wide else
                   pack("IIIIIIII", kind, offset, address, address, size, size,
                        5, align))
    for part in note, symbols, text:
        result += part + bytes(-len(part) % 8)
    for kind, (offset, size), link, each in (
            (0, (0, 0), 0, 0), (2, parts[1], 2, 24 if wide else 16),
            (3, parts[2], 0, 0)):
        result += pack("IIWWWWIIWW", 0, kind, 0, 0, offset, size, link, 0, 8,
                       each)
    return result


def main():
    for name, wide, big in (("64-little", True, False), ("64-big", True, True),
                            ("32-little", False, False),
                            ("32-big", False, True)):
        whole = program(wide, big)
        cases = {"whole": whole, "header": whole[:60],
                 "half": whole[:len(whole) // 2], "cut": whole[:-9]}
        for at in 16, 32, 40, 46, 54, 60, 72, 96, 120, 200, len(whole) - 100:
            cases["changed-%d" % at] = (whole[:at] + b"\xff\xff\xff\xff" +
                                        whole[at + 4:])
        for case, content in cases.items():
            with open("%s/%s-%s" % (sys.argv[1], name, case), "wb") as out:
                out.write(content)


main()
