# SPDX-License-Identifier: MIT
"""Checks pieces of a Chrome trace against the whole, by independent arithmetic.
Clipped slices must add up exactly to the whole's time for each name. Each part
must nest, and parts must follow each other.
"""

import json
from collections import Counter, defaultdict
from decimal import Decimal


class Failure(Exception):
    pass


def to_ns(number):
    ns = Decimal(number) * 1000
    if ns != ns.to_integral_value():
        raise Failure(f'{number} us is no whole number of ns')
    return int(ns)


def refuse(constant):
    raise Failure(f'{constant} is no JSON')


def load(path):
    with open(path, encoding='utf-8') as file:
        document = json.load(file, parse_float=Decimal,
                             parse_constant=refuse)
    events = [e for e in document['traceEvents'] if e['ph'] != 'M']
    return events, document


def slices(events):
    """(kind, name, start, end) of all ranges, after checking their nesting."""
    found = []
    stacks = defaultdict(list)
    asyncs = defaultdict(list)
    rows = defaultdict(list)
    # A log has its threads one after another.
    for e in sorted(events, key=lambda e: e['ts']):
        time = to_ns(e['ts'])
        row = e.get('pid'), e.get('tid')
        if e['ph'] == 'X':
            end = time + to_ns(e['dur'])
            found.append(('slice', e['name'], time, end))
            rows[row].append((time, end))
        elif e['ph'] == 'B':
            stacks[row].append((e['name'], time))
        elif e['ph'] == 'E':
            if not stacks[row]:
                raise Failure(f'an end without a begin at {time}')
            name, begin = stacks[row].pop()
            found.append(('slice', name, begin, time))
            rows[row].append((begin, time))
        elif e['ph'] == 'b':
            asyncs[e['name'], e['id']].append(time)
        elif e['ph'] == 'e':
            if asyncs[e['name'], e['id']]:
                begin = asyncs[e['name'], e['id']].pop()
                found.append(('async', e['name'], begin, time))
    if any(stacks.values()):
        raise Failure('begins without an end')
    check_nesting(rows)
    return found


def check_nesting(rows):
    for row, items in rows.items():
        open_ends = []
        for start, end in sorted(items, key=lambda i: (i[0], -i[1])):
            while open_ends and open_ends[-1] <= start:
                open_ends.pop()
            if open_ends and end > open_ends[-1]:
                raise Failure(f'row {row}: {start} - {end} does not nest')
            open_ends.append(end)


def totals(items, start=None, until=None):
    """Times by kind and name, within the window."""
    sums = Counter()
    for kind, name, begin, end in items:
        if start is not None:
            begin = max(begin, start)
        if until is not None:
            end = min(end, until)
        if end > begin:
            sums[kind, name] += end - begin
    return sums


def compare(whole, pieces, what):
    for key in sorted(whole.keys() | pieces.keys(), key=str):
        if whole[key] != pieces[key]:
            raise Failure(f'{what}: {key}: {whole[key]} ns in the whole, '
                          f'{pieces[key]} ns in the pieces')


def points(events):
    counts = Counter()
    for e in events:
        if e['ph'] in 'iC':
            counts[e['ph'], e['name']] += 1
    return counts


def check_split(whole, parts):
    whole, _ = load(whole)
    sums = Counter()
    counts = Counter()
    last = None
    for path in parts:
        events, _ = load(path)
        found = slices(events)
        for key, time in totals(found).items():
            sums[key] += time
        for key, count in points(events).items():
            counts[key] += count
        if not events:
            raise Failure(f'{path}: is empty')
        first = min(to_ns(e['ts']) for e in events)
        if last is not None and first < last:
            raise Failure(f'{path}: begins before the part before ends')
        last = max([to_ns(e['ts']) for e in events] +
                   [end for _, _, _, end in found])
    compare(totals(slices(whole)), sums, 'time')
    compare(points(whole), counts, 'events')


def check_window(whole, piece, start, until):
    whole, _ = load(whole)
    piece, _ = load(piece)
    first = min((to_ns(e['ts']) for e in whole), default=0)
    start += first
    until += first
    expected = totals(slices(whole), start, until)
    found = slices(piece)
    compare(expected, totals(found), 'time')
    for _, name, begin, end in found:
        if begin < start or end > until:
            raise Failure(f'{name} lies outside of the window')
    inside = [e for e in whole if start <= to_ns(e['ts']) < until]
    compare(points(inside), points(piece), 'events')

