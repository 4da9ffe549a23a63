#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads an unpacked log from standard input with the msgpack package alone,
following lib/log/FORMAT.md, and prints its events as dump_events does:

    gzip -dc run.ctp | read_log.py
"""
import json
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
        if not self.pieces:
            return log
        piece = self.pieces[0]
        for other in self.pieces:
            if other[0] <= log:
                piece = other
        start, y, c = piece
        return y + (log - start) + (log - start) * c // 10**9


class DeviceClock:
    """The section "Devices" of the document."""

    def __init__(self, realtime):
        self.realtime = realtime
        self.runs = []  # lists of (log, device)

    def add(self, log, device):
        if self.runs:
            log0, device0 = self.runs[-1][-1]
            if log - log0 < 1_000_000:
                return
            off = abs(device - device0 - (log - log0))
            if off <= 20_000 + (log - log0) // 1000:
                self.runs[-1].append((log, device))
                return
        self.runs.append([(log, device)])

    @staticmethod
    def far(run, start, step):
        for at in range(start + step, len(run) if step > 0 else -1, step):
            if abs(run[at][0] - run[start][0]) >= 500_000_000:
                return at
        return start

    def last_rate(self, number):
        """The slope of a run; of an earlier one if it is too short."""
        for run in reversed(self.runs[max(0, number - 15):number + 1]):
            k = self.far(run, len(run) - 1, -1)
            if k != len(run) - 1:
                return run[k], run[-1]
        return None

    def place(self, number, device):
        run = self.runs[number]
        if device >= run[-1][1]:
            through, rate = run[-1], self.last_rate(number)
        elif device < run[0][1]:
            through, k = run[0], self.far(run, 0, 1)
            rate = (run[0], run[k]) if k else self.last_rate(number)
        else:
            i = max(n for n, pair in enumerate(run) if pair[1] <= device)
            through, rate = run[i], (run[i], run[i + 1])
        if rate is None:
            return through[0] + device - through[1]
        (log0, device0), (log1, device1) = rate
        return through[0] + (device - through[1]) * (log1 - log0) // \
            (device1 - device0)

    def run_of(self, device):
        newest = len(self.runs) - 1
        for number in range(newest, max(-1, newest - 16), -1):
            log = self.place(number, device)
            most = self.runs[number][-1] if number == newest \
                else self.runs[number + 1][0]
            if log <= most[0] and \
                    (number == 0 or log > self.runs[number - 1][-1][0]):
                return number
        return newest

    def log_times(self, begin, end):
        if not self.runs:
            return begin - self.realtime, end - self.realtime
        run = self.run_of(begin)
        return self.place(run, begin), self.place(run, end)


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
    if isinstance(value, msgpack.ExtType):
        json.loads(value.data)
        return value.data.decode()
    return python_hex_to_c(value.hex()) if isinstance(value, float) \
        else number(value)


def arguments(pairs):
    return [f"{text(key)}={argument(value)}" for key, value in pairs.items()]


def row_words(row, site):
    kind = row[0]
    if kind == 1:
        return f"arg {text(row[1])}={argument(row[2])}"
    if kind == 2:
        return f"instant {site(row[1])}"
    if kind == 3:
        key = text(row[3]) if len(row) > 3 else ""
        return f"counter {site(row[1])} {key}={argument(row[2])}"
    if kind in (4, 5):
        name = "async_begin" if kind == 4 else "async_end"
        return f"{name} {site(row[1])}" + (f" {row[2]}" if row[2] else "")
    if kind in (6, 7):
        return f"{'alloc' if kind == 6 else 'free'} " + \
            " ".join(map(str, row[1:4]))
    if kind == 9:
        return f"correlation {row[1]}"
    if kind in (10, 14):
        name = "complete" if kind == 10 else "unclipped_call"
        return f"{name} {site(row[1])} {row[2]}ns"
    if kind == 11:
        return f"flow {site(row[1])}" + (f" {row[2]}" if row[2] else "") + \
            " " + "stf"[row[3]]
    assert kind == 8
    return f"step {site(row[1])} {row[2]} advance={row[3]}"


def events(block, clock, sites, tracks):
    _, track, _, now, times, _, used, ids, extras = block[:9]
    kind, tid = tracks[track][:2]
    rows = iter(extras)
    lines = []

    def site(number):
        name, file, line = sites[number][:3]
        return f"{text(file)}:{text(name)}:{line}"

    assert len(ids) == len(times)
    for code, delta in zip(ids, times):
        now += delta
        at = now if kind == 1 else clock.correct(now)
        row = next(rows) if code == 1 else None
        if row and row[0] == 12:  # of the previous event
            lines[-1] += arguments(row[1])
            continue
        if row and row[0] == 13:  # likewise
            lines[-1].append(f"{row[1]}ns")
            continue
        what = "end" if code == 0 else row_words(row, site) \
            if code == 1 else f"begin {site(used[code - 2])}"
        lines.append(
            ["timeline" if kind == 1 else "thread", str(tid), str(at), what])
    for line in lines:
        print(*line)


def sums(column, base=0):
    for delta in column:
        base += delta
        yield base


def python_to_json(value):
    return "[" + ",".join(map(str, value)) + "]" \
        if isinstance(value, list) else argument(value)


def activities(block, clocks, tables):
    _, base, starts, durations, used, numbers, correlations, moved, nodes = \
        block[:9]
    clock, device_clock = clocks
    sites, tracks, descriptions = tables
    zeros = [0] * len(starts)
    own = (block[9] if len(block) > 9 else []) or [None] * len(starts)
    for start, took, track, number, correlation, bytes_moved, node, more \
            in zip(sums(starts, base), durations, used, numbers,
                   sums(correlations), moved or zeros, sums(nodes or zeros),
                   own, strict=True):
        kind, stream, _, device, context = tracks[track][:5]
        _, site, args = descriptions[number]
        name, file, line = sites[site][:3]
        begin, end = map(clock.correct,
                         device_clock.log_times(start, start + took))
        if end - begin - took == 1:
            end = begin + took
        words = [f"{text(file)}:{text(name)}:{line}"]
        if correlation:
            words.append(str(correlation))
        words += [f"{end - begin}ns", f"{bytes_moved}B", f"{device}/{context}"]
        words += [f"{text(key)}={python_to_json(value)}"
                  for key, value in args.items()]
        words += arguments(more or {})
        if node:
            words.append(f"graph node id={node}")
        print("stream" if kind == 2 else "calls", stream, begin, "activity",
              *words)


def main():
    clock, device_clock, sites, tracks, descriptions = \
        Clock(), None, {}, {}, {}
    for block in msgpack.Unpacker(sys.stdin.buffer, strict_map_key=False):
        kind = block[0]
        if kind == 0:
            assert block[1]["format"] == "ctprof log"
            assert block[1]["reader"] <= 1
            device_clock = DeviceClock(block[1]["realtime"])
        elif kind == 1:
            for i, site in enumerate(block[2]):
                sites[block[1] + i] = site
        elif kind == 2:
            tracks[block[1]] = block[2:]
        elif kind == 3:
            events(block, clock, sites, tracks)
        elif kind == 4:
            for log, raw, _ in block[1]:
                clock.add(log, raw)
        elif kind == 8:
            activities(block, (clock, device_clock),
                       (sites, tracks, descriptions))
        elif kind == 9:
            for i, description in enumerate(block[2]):
                descriptions[block[1] + i] = description
        elif kind == 11:
            for log, device in block[1]:
                device_clock.add(log, device)


main()
