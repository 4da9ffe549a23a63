# SPDX-License-Identifier: MIT
"""Small and real traces, truncated and damaged everywhere. Python's own decoder
finds the complete events."""
import collections
import glob
import gzip
import json
import os
import random

from checks import strict_json

KINETO = '''{
  "schemaVersion": 1,
  "deviceProperties": [
    {
      "id": 0, "name": "Tesla V100", "totalGlobalMem": 16945512448
    },
    {
      "id": 1, "name": "B", "x": [1, 2]
    }
  ],
  "traceEvents": [
  {
    "ph": "X", "cat": "cpu_op", "name": "aten::add_(int, \\"x\\")", "pid": 7,
    "tid": 8, "ts": 1621401187223005.123, "dur": 22,
    "args": {
      "External id": 2, "Input Dims": [[2, 3], []],
      "s": "a\\\\b \\u00e9 \u00e9"
    }
  },
  {
    "ph": "X", "cat": "Kernel", "name": "void k<float>(T*)", "pid": 0,
    "tid": "stream 7", "ts": 1621401187223010, "dur": 2.5,
    "args": {"queued": 0, "grid": [1, 1, 36], "f": -1.5e-3, "b": true,
      "n": null, "o": {"p": {}}}
  },
  {
    "ph": "s", "id": 9, "pid": 7, "tid": 8, "ts": 1621401187223010,
    "cat": "ac2g", "name": "ac2g"
  },
  {
    "name": "process_name", "ph": "M", "ts": 1621401187223005, "pid": 7,
    "tid": 0, "args": {
      "name": "python"
    }
  },
  {
    "ph": "X", "name": "last", "pid": 7, "tid": 8,
    "ts": 1621401187223015, "dur": 1, "args": {}
  }
  ],
  "traceName": "a.json",
  "displayTimeUnit": "ms"
}
'''
LINES = '''[
{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":10},
{"ph":"B","name":"b \\"q\\"","pid":1,"tid":1,"ts":2,"args":{"x":[1,"y"]}},
{"ph":"E","pid":1,"tid":1,"ts":3},
{"ph":"X","name":"C:\\\\new\\\\t","pid":1,"tid":1,"ts":4.5,"dur":1e1}
]
'''
COMPACT = (
    '{"traceEvents":[{"pid":1,"tid":2,"ph":"X","ts":0,"dur":7,"name":"Source"'
    ',"args":{"detail":"/usr/include/a.h"}},{"pid":1,"tid":2,"ph":"X","ts":1,'
    '"dur":2,"name":"Parse \u4e2d","args":{"detail":"f<int, 3>"}},{"cat":"",'
    '"pid":1,"tid":2,"ts":0,"ph":"M","name":"process_name","args":{"name":'
    '"clang"}}],"beginningOfTime":1621401187223005}')
BASES = {"kineto": KINETO, "lines": LINES, "compact": COMPACT}

# Replacements and insertions for a byte.
STRANGE = b"\"{}],:\\x\0"
REAL_MOST = 40000
REAL_CUTS = 60


def events_of(document):
    if isinstance(document, list):
        return document
    return document.get("traceEvents", [])


# The bytes and the value of an event.
Span = collections.namedtuple("Span", "begin end event")


def spans_of(text):
    """One entry per event of a valid trace."""
    decoder = json.JSONDecoder()
    at = 0 if text.lstrip()[0] == "[" else text.index('"traceEvents"')
    at = text.index("[", at) + 1
    spans = []
    while True:
        while text[at] in " \r\n\t,":
            at += 1
        if text[at] == "]":
            return spans
        event, end = decoder.raw_decode(text, at)
        spans.append(Span(len(text[:at].encode()), len(text[:end].encode()),
                          event))
        at = end


def key(event):
    return json.dumps(event, sort_keys=True)


def check_cut(name, mend, data, spans, at, complain):
    status, _, _, out = mend(data[:at])
    if status != 0:
        if data[:at].strip():
            complain(f"{name}, cut at {at}: status {status}")
        return
    whole = [span.event for span in spans if span.end <= at]
    if events_of(strict_json(out)) != whole:
        complain(f"{name}, cut at {at}: {len(whole)} events are not kept")


def check_damaged(name, mend, data, kept, complain):
    """All events that were not damaged are kept."""
    status, _, _, out = mend(data)
    if status != 0:
        complain(f"{name}: status {status}")
        return 0
    document = strict_json(out)
    there = collections.Counter(
        key(event) for event in events_of(document))
    for event in kept:
        there[key(event)] -= 1
    if min(there.values(), default=0) < 0:
        complain(f"{name}: events are lost of {data!r}")
    return sum(there.values())


def check_bytes(name, mend, text, complain):
    """Each byte among the events: removed, replaced, and one inserted."""
    data = text.encode()
    spans = spans_of(text)
    dropped = 0
    for at in range(spans[0].begin, spans[-1].end):
        others = [span.event for span in spans
                  if not span.begin <= at < span.end]
        gone = data[:at] + data[at + 1:]
        left = check_damaged(f"{name} without byte {at}", mend, gone, others,
                             complain)
        dropped += left < len(spans) - len(others)
        others = [span.event for span in spans
                  if not span.begin < at < span.end]
        for byte in STRANGE:
            byte = bytes([byte])
            check_damaged(f"{name}, {byte} before byte {at}", mend,
                          data[:at] + byte + data[at:],
                          others, complain)
    # Without one byte, an event is nearly always still an event.
    if dropped > 3:
        complain(f"{name}: {dropped} events dropped for one byte")


def check_random(mend, complain):
    """Any damage: the output is JSON."""
    chance = random.Random(7)
    for number in range(700):
        data = bytearray(chance.choice(list(BASES.values())).encode())
        for _ in range(chance.choice([1, 3, 10, 30])):
            at = chance.randrange(len(data))
            other = chance.randrange(len(data))
            kind = chance.randrange(4)
            if kind == 0 and len(data) > 200:
                del data[at:at + chance.choice([1, 2, 10, 100])]
            elif kind == 1:
                data[at:at] = bytes([chance.choice(STRANGE)])
            elif kind == 2:
                data[at:at] = data[other:other + chance.randrange(200)]
            else:
                data[at] = chance.randrange(256)
        status, _, _, out = mend(bytes(data))
        try:
            if status == 0:
                strict_json(out)
        except ValueError as error:
            complain(f"damage {number}: {error} in {bytes(data)!r}")


def check_window(mend, complain):
    """A read may end anywhere in a damaged event."""
    broken = ('{"ph":"X","name":"say "hi" \\q","ts":"5","dur":1,},,\n')
    mended = ('{"ph":"X","name":"say \\"hi\\" \\\\q","ts":5,"dur":1},\n')
    event = '{"ph":"X","name":"fill","ts":1,"dur":1},\n'
    fill = event * ((1 << 20) // len(event) - 3)
    for shift in range(0, 100, 9):
        pad = " " * ((1 << 20) - 50 - len(fill) + shift)
        _, _, events, out = mend(
            ("[" + fill + pad + broken + event * 3 + "]").encode())
        if out.decode() != \
                "[" + fill + pad + mended + (event * 3)[:-2] + "\n]":
            complain(f"at the end of what is read, shift {shift}")


def check_large(mend, complain):
    """An event larger than the window."""
    large = ('{"traceEvents":[{"ph":"i","ts":1,"args":{"l":['
             + "12345678," * (2 << 20) + '0],"m":1}},'
             '{"ph":"X","ts":1,"dur":1}],"x":{}}').encode()
    status, fixes, _, out = mend(large)
    if status != 0 or fixes != 0 or out != large:
        complain(f"a large event: {status}, {fixes} fixes")
    blanks = '[{"ph":"i","ts":1},' + " " * (20 << 20) + '{"ph":"i","ts":2}]'
    status, _, events, out = mend(blanks.encode())
    if status != 0 or events != 2:
        complain(f"more blanks than the window: {status}, {events} events")
    strict_json(out)


def check(mend, traces, complain):
    for name, text in BASES.items():
        data = text.encode()
        spans = spans_of(text)
        if mend(data) != (0, 0, len(spans), data):
            complain(f"{name}: is changed")
        for at in range(len(data)):
            check_cut(name, mend, data, spans, at, complain)
        check_bytes(name, mend, text, complain)
    for path in sorted(glob.glob(os.path.join(traces, "*.json.gz"))):
        name = os.path.basename(path)
        with gzip.open(path) as file:
            data = file.read()
        if mend(data)[3] != data:
            complain(f"{name}: is changed")
        if len(data) > REAL_MOST:
            continue
        spans = spans_of(data.decode())
        for number in range(REAL_CUTS):
            check_cut(name, mend, data, spans,
                      len(data) * number // REAL_CUTS + number % 7, complain)
    check_random(mend, complain)
    check_window(mend, complain)
    check_large(mend, complain)
