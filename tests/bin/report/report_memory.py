# SPDX-License-Identifier: MIT
"""Memory over time on the page of `ctprof report`, compared with a few lines of
Python: levels in bins, the exact peak, the ranges open there, and the bytes
alive by range. Random traces have several processes, threads and devices,
frees of unknown addresses, addresses freed twice or allocated twice, and
totals, or none.

usage: report_memory.py CTPROF DIRECTORY
"""
import collections
import json
import os
import random
import subprocess
import sys

BINS, NEAR, PATH = 400, 5, 16
HOST, CUDA = 0, 1


def page_of(ctprof, path):
    page = subprocess.run([ctprof, "report", "-q", path], check=True,
                          stdout=subprocess.PIPE).stdout.decode()
    start = page.index('id="data">') + len('id="data">')
    return json.loads(page[start:page.index("</script", start)])["inputs"][0]


class Made:
    """A random trace, and all that the page should show of it."""

    def __init__(self, seed, totals, addresses):
        self.random = random.Random(seed)
        self.totals, self.addresses = totals, addresses
        self.events = []
        self.changes = []  # time, pid, type, number, address, bytes, stack
        for pid in (1, 2):
            for tid in (1, 2):
                self.thread(pid, tid)
        self.changes.sort(key=lambda change: change[0])
        if totals:
            self.add_totals()

    def thread(self, pid, tid):
        """Nested ranges with memory events at times that no other has."""
        stack, at = [], (pid * 2 + tid) * 10
        self.range(pid, tid, "main", at, 1000000)
        stack.append(("main", at + 1000000))
        for i in range(self.random.randrange(60, 120)):
            at += 100 * self.random.randrange(1, 30)
            while stack[-1][1] <= at:
                stack.pop()
            if len(stack) < 24 and self.random.random() < 0.6:
                end = min(stack[-1][1],
                          at + 100 * self.random.randrange(2, 60))
                name = f"f{self.random.randrange(4)}"
                self.range(pid, tid, name, at, end - at)
                stack.append((name, end))
            kind = self.random.choice((HOST, CUDA, CUDA))
            number = -1 if kind == HOST else self.random.randrange(2)
            size = self.random.choice((1, 512, 4096, 1 << 20, 1 << 40))
            if self.random.random() < 0.45:
                size = -size
            address = 16 * self.random.randrange(1, 12)
            self.changes.append((at + 50, pid, kind, number, address, size,
                                 [name for name, _ in stack][::-1], tid))

    def range(self, pid, tid, name, at, duration):
        self.events.append({"ph": "X", "cat": "cpu_op", "pid": pid, "tid": tid,
                            "name": name, "ts": at, "dur": duration})

    def add_totals(self):
        held = collections.Counter()
        for at, pid, kind, number, *rest in self.changes:
            key = pid, kind, number
            held[key] = max(0, held[key] + rest[1])
            self.instant(at, pid, kind, number, *rest,
                         more={"Total Allocated": held[key] + 7,
                               "Total Reserved": held[key] + 1000})

    def instant(self, at, pid, kind, number, address, size, _, tid, more):
        args = {"Bytes": size, "Device Type": kind, "Device Id": number, **more}
        if self.addresses:
            args["Addr"] = address
        self.events.append({"ph": "i", "s": "t", "cat": "cpu_instant_event",
                            "name": "[memory]", "pid": pid, "tid": tid,
                            "ts": at, "args": args})

    def save(self, path):
        if not self.totals:
            for change in self.changes:
                self.instant(*change, more={})
        self.random.shuffle(self.events)
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": self.events}, file)


def replay(made, key):
    """The levels after each change, and the groups alive after it, by the rules
    alone."""
    alive, freed, levels = {}, set(), []
    level = earlier = lowest = 0
    counts = collections.Counter()
    groups = collections.defaultdict(lambda: [0, 0])
    held = 0
    for at, *change in made.changes:
        if tuple(change[:3]) != key:
            continue
        address, size, stack, tid = change[3:]
        if size > 0:
            counts["allocs"] += 1
            group = tuple(stack[:NEAR])
            groups[group][0] += size
            groups[group][1] += 1
            if made.addresses and address in alive:
                counts["repeats"] += 1
                level -= alive.pop(address)[0]
            level += size
            if made.addresses:
                alive[address] = size, group
        else:
            counts["frees"] += 1
            if not made.addresses:
                level += size
            elif address in alive:
                level -= alive.pop(address)[0]
                freed.add(address)
            elif address in freed:
                counts["doubles"] += 1
            else:
                counts["strays"] += 1
                level += size
                earlier -= size
        if made.totals and key[1] != HOST:
            held = max(0, held + size)
            level = held + 7
        lowest = min(lowest, level)
        levels.append((at, level, tid, stack,
                       collections.Counter(alive.values())))
    before = 0 if made.totals and key[1] != HOST else max(earlier, -lowest)
    return ([(at, level + before, *rest) for at, level, *rest in levels],
            before, counts, groups)


def bins_of(levels, first, bin_ns, reserved):
    found = []
    for at, level, *_ in levels:
        number = min(BINS - 1, (at * 1000 - first) // bin_ns)
        if not found or found[-1][0] != number:
            found.append([number, level, level, level, 0])
        last = found[-1]
        last[1], last[2] = min(last[1], level), max(last[2], level)
        last[3] = level
        if reserved:
            last[4] = max(last[4], level - 7 + 1000)
    return [value for last in found for value in last]


def compare(name, got, expected):
    assert got == expected, f"{name}: {got}, not {expected}"


def check_pool(made, pool, page):
    kind = HOST if pool["host"] else CUDA
    key = pool["pid"], kind, pool["number"]
    levels, before, counts, groups = replay(made, key)
    first = min(event["ts"] for event in made.events) * 1000
    has_totals = made.totals and kind != HOST
    for count in ("allocs", "frees", "strays", "doubles", "repeats"):
        compare(f"{key} {count}", pool[count], counts[count])
    compare(f"{key} before", pool["before_bytes"], before)
    compare(f"{key} end", pool["end_bytes"], levels[-1][1])
    compare(f"{key} bins", pool["bins"],
            bins_of(levels, first, page["bin_ns"], has_totals))
    peak = max(levels, key=lambda level: level[1])  # the first of equal ones
    at, level, tid, stack, alive = peak
    compare(f"{key} peak", pool["peak"], {
        "bytes": level, "at_ns": at * 1000 - first,
        "thread": pool["peak"]["thread"], "tid": tid, "depth": len(stack),
        "ranges": stack[:PATH]})
    bytes_alive = collections.Counter()
    for (size, group), count in alive.items():
        bytes_alive[group] += size * count
    table = pool["groups"]
    titles = [column["title"] for column in table["columns"]]
    shown = {}
    for row in table["rows"]:
        row = dict(zip(titles, row))
        callers = row["called by"].split(" \u2039 ") if row["called by"] else []
        shown[(row["range"], *callers)] = row
    compare(f"{key} groups", len(shown) + pool.get("groups_hidden", 0),
            len(groups))
    for group, row in shown.items():
        compare(f"{key} {group}", (row["at the peak"], row["allocated"],
                                   row["allocations"]),
                (bytes_alive[group], *groups[group]))
    compare(f"{key} known", pool["known_bytes"], bytes_alive.total()
            if hasattr(bytes_alive, "total") else sum(bytes_alive.values()))


def main():
    ctprof, work = sys.argv[1:]
    path = os.path.join(work, "memory.json")
    for seed in range(int(os.environ.get("CHANCE_SEEDS", "4"))):
        made = Made(seed, totals=seed % 2 == 1, addresses=seed % 4 != 2)
        made.save(path)
        page = page_of(ctprof, path)["allocations"]
        pools = page["pools"]
        compare("pools", sorted((pool["pid"], pool["number"])
                                for pool in pools),
                sorted({(change[1], change[3]) for change in made.changes}))
        for pool in pools:
            check_pool(made, pool, page)


main()
