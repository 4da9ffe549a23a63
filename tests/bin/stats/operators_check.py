#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares ctprof stats --group with an implementation of the documents' rules
by Python's dictionaries: on random programs, and on traces of PyTorch's
profiler.

    operators_check.py CTPROF DIRECTORY ROUNDS [TRACE...]
"""
import collections
import decimal
import json
import os
import random
import re
import sys

from checks import equal, events_of, finish, micro, output, read_json

CTPROF, WORK, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3])
WORK_CATEGORIES = {"kernel": "kernel", "gpu_memcpy": "gpu_memcpy",
                   "gpu_memset": "gpu_memset", "Kernel": "kernel",
                   "Memcpy": "gpu_memcpy", "Memset": "gpu_memset"}
API = ("cuda_runtime", "cuda_driver", "Runtime")
TODAY = {"Operator": "cpu_op", "Runtime": "cuda_runtime"}
NO_FUNCTION = ("cpu_op", "user_annotation", "cuda_runtime", "cuda_driver",
               "Operator", "Runtime")


def sums():
    return collections.Counter()


class Range:
    def __init__(self, event, start, end, order):
        self.name = event["name"]
        self.category = event.get("cat", "")
        self.args = event.get("args") or {}
        self.track = (event.get("pid"), event.get("tid"))
        self.start, self.end, self.order = start, end, order
        self.parent = None
        self.key = None     # of its row; None: it is in none
        self.children = 0   # the time of those directly in it, in a row
        self.outside = False

    @property
    def above(self):
        """This one, and those around it."""
        at = self
        while at is not None:
            yield at
            at = at.parent


def nanoseconds(value):
    return int((decimal.Decimal(str(value)) * 1000).to_integral_value())


def read(path):
    document = read_json(path, parse_float=decimal.Decimal)
    ranges, work, points = [], [], []
    for order, event in enumerate(events_of(document)):
        category = event.get("cat", "")
        if event.get("ph") == "i":
            points.append((nanoseconds(event["ts"]), event))
        if event.get("ph") != "X" or category in (
                "Trace", "gpu_user_annotation", "cuda_sync"):
            continue
        start = nanoseconds(event["ts"])
        found = Range(event, start, start + nanoseconds(event["dur"]), order)
        (work if category in WORK_CATEGORIES else ranges).append(found)
    nest(ranges)
    return ranges, work, points


def nest(ranges):
    """A range that begins in another and ends after it is outside of all."""
    stacks = collections.defaultdict(list)
    for found in sorted(ranges, key=lambda r: (r.start, r.start - r.end,
                                               r.order)):
        stack = stacks[found.track]
        while stack and stack[-1].end <= found.start:
            # An empty range may be in an empty one, and makes calls.
            if (stack[-1].start == found.end and
                    stack[-1].category not in API):
                break
            stack.pop()
        found.outside = bool(stack) and found.end > stack[-1].end
        if found.outside:
            continue
        found.parent = stack[-1] if stack else None
        stack.append(found)


def shapes(found):
    dims = found.args.get("Input Dims", found.args.get("Input dims", ""))
    return dims if isinstance(dims, str) else json.dumps(dims)


def functions(found, count):
    said = found.args.get("Call stack")
    if said:
        names = [name for name in said.split(";") if name]
    else:
        names = [r.name for r in found.above if r is not found and
                 r.category not in NO_FUNCTION]
    return "\n".join(names[:count])


def module(found):
    name = found.name
    if found.category == "python_function" and name.startswith("nn.Module: "):
        return name[len("nn.Module: "):]
    if found.category == "user_annotation" and re.match(
            r"Optimizer\.(step|zero_grad)#", name):
        return name
    return None


KEYS = {
    "name": lambda r: (r.name, ""),
    "shape": lambda r: (r.name, shapes(r)),
    "stack": lambda r: (r.name, functions(r, 5)),
    "stack:2": lambda r: (r.name, functions(r, 2)),
    "cat": lambda r: (TODAY.get(r.category, r.category) or "(none)", ""),
}


def name_modules(ranges):
    """Outside of modules, only the outermost ranges have a row."""
    for found in ranges:
        around = [r for r in found.above if r is not found and r.key]
        name = module(found)
        found.key = None
        if not found.outside and (name or not around):
            found.key = (name or "(no module)", "")


def expect(trace, group):
    """Rows by key: counts and times, in ctprof's form."""
    ranges, work, points = trace
    ranges = sorted(ranges, key=lambda r: (r.start, r.start - r.end, r.order))
    rows = collections.defaultdict(sums)
    for found in ranges:
        found.children = 0
        found.key = KEYS[group](found) if group in KEYS else None
    if group == "module":
        name_modules(ranges)
    for found in ranges:
        if found.key is None:
            continue
        above = [r for r in found.above if r is not found and r.key]
        if above:
            above[0].children += found.end - found.start
    for found in ranges:
        if found.key is None:
            continue
        row = rows[found.key]
        length = found.end - found.start
        first = not any(r.key == found.key for r in found.above
                        if r is not found)
        row["ncalls"] += 1
        row["pcalls"] += first
        row["tottime_ns"] += length - found.children
        row["cumtime_ns"] += length * first
    add_work(ranges, work, rows, group)
    add_memory(ranges, points, rows)
    return rows, add_flops(ranges, rows, group)


def charge(found, rows, own, total, amount):
    """To the innermost range that has a row, and once to each row around."""
    above = [r.key for r in found.above if r.key]
    rows[above[0]][own] += amount
    for key in set(above):
        rows[key][total] += amount


def add_work(ranges, work, rows, group):
    calls = {}
    for found in ranges:
        if found.category in API and "correlation" in found.args:
            calls[found.args["correlation"]] = found
    for did in work:
        kind = WORK_CATEGORIES[did.category]
        length = did.end - did.start
        if group != "module":
            row = rows[(kind if group == "cat" else did.name,
                        f"<gpu:{did.args.get('device', did.track[0])}>")]
            row["kind"] = kind
            for field in ("tottime_ns", "cumtime_ns", "self_device_ns",
                          "device_ns"):
                row[field] += length
            row["ncalls"] += 1
            row["pcalls"] += 1
        call = calls.get(did.args.get("correlation"))
        if call is None or call.outside:
            continue
        launcher = next((r for r in call.above if r.category not in API), call)
        charge(launcher, rows, "self_device_ns", "device_ns", length)


def flops(found):
    dims = shapes(found)
    product = re.fullmatch(r"\[\[(\d+), (\d+)\], \[\2, (\d+)\]\]", dims)
    if found.name != "aten::mm" or not product:
        return 0
    return 2 * int(product[1]) * int(product[2]) * int(product[3])


def add_flops(ranges, rows, group):
    """For some counts, nested operations add only to the sum, and so if both
    are in one row."""
    total = 0
    for found in ranges:
        around = [r for r in found.above if r is not found and flops(r)]
        if found.outside or not flops(found):
            continue
        total += 0 if around else flops(found)
        key = next(r.key for r in found.above if r.key)
        if group == "module" and around or key in [r.key for r in around]:
            continue
        rows[key]["flops"] += flops(found)
    return total


DEVICE_TYPES = {1: "cuda", 6: "hip", 12: "xpu"}


def device_of(args):
    """The name of an instant's memory; only numbers of 64 bits count."""
    type_, number = args.get("Device Type", 0), args.get("Device Id", -1)
    if type_ == 0:
        return "host"
    if not all(isinstance(n, int) and abs(n) < 2**63
               for n in (type_, number)):
        return "other"
    name = DEVICE_TYPES.get(type_, f"type {type_}")
    return name if number == -1 else f"{name}:{number}"


def add_memory(ranges, points, rows):
    tracks = collections.defaultdict(list)
    for found in ranges:
        if not found.outside:
            tracks[found.track].append(found)
    for time, event in points:
        args = event.get("args") or {}
        inside = [r for r in tracks[(event["pid"], event["tid"])]
                  if r.start <= time < r.end and r.key]
        inside = max(inside, key=lambda r: len(list(r.above)), default=None)
        device = device_of(args)
        if event["name"] == "[OutOfMemory]":
            own = rows[("[OutOfMemory]", "")]
            own["ncalls"] += 1
            own["pcalls"] += 1
            add_amount(inside, own, rows, device, (0, 0, 1))
        if event["name"] != "[memory]" or "Bytes" not in args:
            continue
        if inside:
            own = rows[next(r.key for r in inside.above if r.key)]
        else:
            own = rows[("[memory]", "")]
            own["ncalls"] += 1
            own["pcalls"] += 1
        add_amount(inside, own, rows, device, (args["Bytes"],) * 2 + (0,))


def add_amount(inside, own, rows, device, amount):
    """Self bytes to one row, the others once to each row around."""
    around = {id(rows[r.key]): rows[r.key]
              for r in (inside.above if inside else ()) if r.key}
    around[id(own)] = own
    for row in around.values():
        memory = row.setdefault("memory", {})
        had = memory.get(device, (0, 0, 0))
        memory[device] = (had[0] + amount[0] * (row is own),
                          had[1] + amount[1], had[2] + amount[2])
    where = "host" if device == "host" else "device"
    own[f"self_{where}_bytes"] += amount[0]
    for row in around.values():
        row[f"{where}_bytes"] += amount[1]


FIELDS = ("ncalls", "pcalls", "tottime_ns", "cumtime_ns", "self_device_ns",
          "device_ns", "self_host_bytes", "host_bytes", "self_device_bytes",
          "device_bytes", "flops")


def measure(path, group):
    report = json.loads(output("stats", "-q", "--json", "--join=correlation",
                               f"--group={group}", path))
    rows = {}
    for row in report["rows"]:
        details = row.get("shapes", "\n".join(row.get("stack", ())))
        if row["kind"] != "host":
            details = re.sub(" .*>", ">", row["file"])
        key = (row["name"], details)
        assert key not in rows, key
        rows[key] = row
    return report, rows


def compare(path, has_flops=False):
    """For FLOPs, only the formula of mm is implemented here."""
    trace = read(path)
    fields = FIELDS if has_flops else FIELDS[:-1]
    for group in (*KEYS, "module"):
        wanted, total = expect(trace, group)
        report, got = measure(path, group)
        what = f"{os.path.basename(path)} by {group}"
        equal(what, sorted(got), sorted(wanted))
        for key, row in got.items():
            equal(f"{what}: {key}",
                  {field: row.get(field, 0) for field in fields},
                  {field: wanted[key][field] for field in fields})
            equal(f"{what}: memory of {key}",
                  {part["device"]: (part["self_bytes"], part["bytes"],
                                    part["out_of_memory"])
                   for part in row.get("memory", ())},
                  wanted[key].get("memory", {}))
            equal(f"{what}: {key}", row["mean_ns"],
                  (2 * row["cumtime_ns"] + row["ncalls"]) //
                  max(1, 2 * row["ncalls"]))
            equal(f"{what}: {key}", row["kind"],
                  wanted[key].get("kind", "host"))
        if has_flops:
            equal(f"{what}: FLOPs", report.get("flops", 0), total)
        check_memory(what, trace[2], report)
        host = [row for row in got.values() if row["kind"] == "host"]
        equal(f"{what}: sum", report["self_cpu_ns"],
              sum(row["tottime_ns"] for row in host))
        equal(f"{what}: calls", report["operations"],
              sum(row["ncalls"] for row in host))


def order_of(device):
    name, _, number = device.partition(":")
    types = {name: type_ for type_, name in DEVICE_TYPES.items()}
    type_ = types.get(name) or int(name.removeprefix("type ") or 0) \
        if device not in ("host", "other") else 0
    return ({"host": 0, "other": 2}.get(device, 1), type_,
            int(number) if number else -1)


def check_memory(what, points, report):
    """The durations on each device, in their order."""
    wanted = collections.defaultdict(lambda: [0, 0, 0])
    for _, event in points:
        args = event.get("args") or {}
        if event["name"] == "[OutOfMemory]":
            wanted[device_of(args)][2] += 1
        if event["name"] == "[memory]" and "Bytes" in args:
            wanted[device_of(args)][0] += 1
            wanted[device_of(args)][1] += args["Bytes"]
    equal(f"{what}: memory",
          [(part["device"], [part[key] for key in (
              "records", "bytes", "out_of_memory")])
           for part in report.get("memory", ())],
          sorted(wanted.items(), key=lambda item: order_of(item[0])))
    equal(f"{what}: records", report["memory_records"],
          sum(records for records, _, _ in wanted.values()))


class Program:
    """Nested ranges, with launches, memory and Kineto's arguments."""

    NAMES = [("aten::mm", "cpu_op"), ("aten::add", "cpu_op"),
             ("Optimizer.step#SGD.step", "user_annotation"),
             ("nn.Module: Linear_0", "python_function"),
             ("nn.Module: Net_0", "python_function"),
             ("net.py(12): forward", "python_function"),
             ("net.py(40): <lambda>", "python_function"),
             ("cudaLaunchKernel", "cuda_runtime"), ("plain", "")]
    # Mostly two devices and the host; and invalid ones.
    DEVICES = [f',"Device Type":{device}' for device in (
        *['0,"Device Id":-1', '1,"Device Id":0', '1,"Device Id":1'] * 4,
        0, 1, '6,"Device Id":0', '77,"Device Id":-7', '-3,"Device Id":2',
        f'12,"Device Id":{2**63 - 1}', f'1,"Device Id":{2**63}',
        f'1,"Device Id":{1 - 2**63}', '1,"Device Id":1.5', '"x","Device Id":1',
        '1,"Device Id":null')] + [""]
    DIMS = ["[[2, 3], [3, 4]]", "[ [2,3],[3,4] ]", "[[8], []]", '""', None]

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.time = 0
        self.number = 0

    def step(self):
        self.time += self.random.randint(1, 900)
        return self.time

    def add(self, phase, category, name, pid, tid, start, more, args):
        self.lines.append(
            '{"ph":"%s","cat":"%s","name":"%s","pid":%s,"tid":%s,"ts":%s,%s'
            '"args":{%s}}' % (phase, category, name, pid, tid, micro(start),
                              more, args))

    def range(self, tid, depth):
        name, category = self.random.choice(self.NAMES)
        start = self.step()
        self.fill(tid, depth)
        args = ""
        dims = self.random.choice(self.DIMS)
        if category == "cpu_op" and dims:
            args = f'"Input Dims": {dims}'
        if category == "cuda_runtime":
            self.number += 1
            args = f'"correlation": {self.number}'
            if self.random.random() < 0.8:
                self.launch()
        if category == "cpu_op" and self.random.random() < 0.1:
            args += ', ' * bool(args) + '"Call stack": "a.py(1): f;b.py(2): g"'
        dur = f'"dur":{micro(self.step() - start)},'
        self.add("X", category, name, 7, tid, start, dur, args)

    def launch(self):
        kind = self.random.choice(["kernel", "kernel", "gpu_memcpy"])
        stream = self.random.randint(1, 2)
        start = self.time + self.random.randint(0, 5000)
        dur = self.random.randint(0, 3000)
        self.add("X", kind, f"{kind} {dur % 3}", 0, stream, start,
                 f'"dur":{micro(dur)},',
                 f'"device":0,"stream":{stream},"correlation":{self.number}')

    def point(self, tid):
        name = "[OutOfMemory]" if self.random.random() < 0.1 else "[memory]"
        args = '"Bytes":%d%s' % (self.random.randint(-5000, 5000),
                                 self.random.choice(self.DEVICES))
        self.add("i", "cpu_instant_event", name, 7, tid, self.step(),
                 '"s":"t",', args)

    def fill(self, tid, depth):
        for _ in range(self.random.randint(0, 3)):
            if self.random.random() < 0.3:
                self.point(tid)
            elif depth < 5:
                self.range(tid, depth + 1)

    def write(self, path):
        for _ in range(12):
            self.range(self.random.randint(1, 2), 0)
            self.point(1)
        self.random.shuffle(self.lines)
        with open(path, "w", encoding="ascii") as out:
            out.write('{"schemaVersion":1,"traceEvents":[')
            out.write(",\n".join(self.lines))
            out.write("]}\n")


def main():
    path = os.path.join(WORK, "random.json")
    for seed in range(ROUNDS):
        Program(seed).write(path)
        compare(path, True)
    for trace in sys.argv[4:]:
        compare(trace)
    finish()


main()
