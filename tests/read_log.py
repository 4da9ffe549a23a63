#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads an unpacked log from standard input with the msgpack package alone,
following lib/LOG-FORMAT.md, and prints its events as dump_events does:

    gzip -dc run.ctp | read_log.py
"""
import sys

import msgpack


class Clock:
    """The section "Time" of the document."""

    def __init__(self):
        self.pieces = []  # (log, y, c)

    def add(self, log, raw):
        if not self.pieces:
            self.log0, self.raw0 = log, raw
            self.pieces.append((log, 0, 0))
        elif log - self.pieces[-1][0] >= 500_000_000:
            truth = raw - self.raw0
            drift = truth - (log - self.log0)
            drift = max(-10**9, min(10**9, drift))
            y = self.correct(log)
            ahead = truth + drift * 10**9 // (log - self.log0) - y
            self.pieces.append((log, y, max(-500_000, min(500_000, ahead))))

    def correct(self, log):
        piece = self.pieces[0]
        for other in self.pieces:
            if other[0] <= log:
                piece = other
        start, y, c = piece
        return y + (log - start) + (log - start) * c // 10**9


def text(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) \
        else value


def number(value):
    return value.hex() if isinstance(value, float) else str(text(value))


def python_hex_to_c(value):
    """float.hex() pads its digits with zeros, C's %a does not."""
    mantissa, _, exponent = value.partition("p")
    return mantissa.rstrip("0").rstrip(".") + "p" + exponent


def argument(value):
    return python_hex_to_c(value.hex()) if isinstance(value, float) \
        else number(value)


def row_words(row, site):
    kind = row[0]
    if kind == 1:
        return f"arg {text(row[1])}={argument(row[2])}"
    if kind == 2:
        return f"instant {site(row[1])}"
    if kind == 3:
        return f"counter {site(row[1])} ={argument(row[2])}"
    if kind in (4, 5):
        name = "async_begin" if kind == 4 else "async_end"
        return f"{name} {site(row[1])}" + (f" {row[2]}" if row[2] else "")
    if kind in (6, 7):
        return f"{'alloc' if kind == 6 else 'free'} " + \
            " ".join(map(str, row[1:4]))
    assert kind == 8
    return f"step {site(row[1])} {row[2]} advance={row[3]}"


def events(block, clock, sites, tracks):
    _, track, _, now, times, _, used, ids, extras = block[:9]
    kind, tid = tracks[track]
    rows = iter(extras)

    def site(number):
        name, file, line = sites[number][:3]
        return f"{text(file)}:{text(name)}:{line}"

    assert len(ids) == len(times)
    for code, delta in zip(ids, times):
        now += delta
        at = now if kind == 1 else clock.correct(now)
        what = "end" if code == 0 else row_words(next(rows), site) \
            if code == 1 else f"begin {site(used[code - 2])}"
        print("timeline" if kind == 1 else "thread", tid, at, what)


def main():
    clock, sites, tracks = Clock(), {}, {}
    for block in msgpack.Unpacker(sys.stdin.buffer, strict_map_key=False):
        kind = block[0]
        if kind == 0:
            assert block[1]["format"] == "ctprof log"
            assert block[1]["reader"] <= 1
        elif kind == 1:
            for i, site in enumerate(block[2]):
                sites[block[1] + i] = site
        elif kind == 2:
            tracks[block[1]] = (block[2], block[3])
        elif kind == 3:
            events(block, clock, sites, tracks)
        elif kind == 4:
            for log, raw, _ in block[1]:
                clock.add(log, raw)


main()
