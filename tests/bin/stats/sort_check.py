#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every key of ctprof stats --sort, for every table with rows: sorts by the
key's figure, or is refused with a message.

    sort_check.py CTPROF DIRECTORY CLANG
"""
import json
import os
import random
import subprocess
import sys

import checks
from checks import fail, finish

CTPROF, WORK, CLANG = sys.argv[1:4]
ON_TERMINAL = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                           "..", "..", "support", "on_terminal.py")
SUMS = ("cumtime", "tottime", "ncalls", "pcalls", "percall", "name")
DEVICES = ("device", "self-device", "device-percall")
AMOUNTS = ("memory", "self-memory", "device-memory", "self-device-memory",
           "flops", "memory:cuda:1", "self-memory:cuda:1")
OTHERS = {"cpu": "cumtime", "self-cpu": "tottime", "count": "ncalls",
          "self_device": "self-device"}
OPERATIONS = ("name", "site", "shape", "stack", "stack:2", "cat", "module")
COMPILERS = ("phase", "unit", "header", "template", "template-set",
             "function", "all")

def make(path):
    """Operations for which each figure gives another order."""
    chance = random.Random(8)
    events, at, launch = [], 0, 0
    for number in range(24):
        kind = ("cpu_op", "user_annotation", "cuda_profiler_range")[number % 3]
        dims = [[chance.randrange(8, 900), 64], [64, chance.randrange(8, 900)]]
        for _ in range(chance.randrange(1, 9)):
            length = chance.randrange(40, 4000)
            event = {"ph": "X", "pid": 1, "tid": 1, "ts": at, "dur": length}
            events.append({**event, "cat": "python_function",
                           "name": f"nn.Module: Layer{number % 7}_0",
                           "args": {"Python id": number}})
            events.append({**event, "cat": kind, "ts": at + 1,
                           "dur": length - 2,
                           "name": "aten::mm" if number % 2 else f"op{number}",
                           "args": {"Input Dims": dims}})
            if chance.random() < .5:
                events.append({**event, "cat": kind, "name": f"in{number}",
                               "ts": at + 3,
                               "dur": chance.randrange(1, length - 20)})
            for device in (0, 1):
                launch += 1
                events.append({**event, "cat": "cuda_runtime", "ts": at + 2,
                               "dur": 1, "name": "cudaLaunchKernel",
                               "args": {"correlation": launch}})
                events.append({"ph": "X", "cat": "kernel", "pid": device,
                               "tid": 7, "ts": at + 9,
                               "dur": chance.randrange(1, 30),
                               "name": f"kernel{chance.randrange(9)}",
                               "args": {"correlation": launch, "stream": 7,
                                        "device": device}})
            for kind_of, device in ((0, -1), (1, 0), (1, 1)):
                events.append({"ph": "i", "s": "t", "pid": 1, "tid": 1,
                               "name": "[memory]", "ts": at + 2,
                               "cat": "cpu_instant_event",
                               "args": {"Bytes": chance.randrange(-900, 9000),
                                        "Device Type": kind_of,
                                        "Device Id": device}})
            at += length + 1
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"traceEvents": events}, file)


def run(*arguments):
    return checks.run("stats", "-q", *arguments, text=True)


def of_device(row, name, field):
    return sum(part[field] for part in row.get("memory", [])
               if part["device"] == name)


def nearest(total, count):
    return (2 * total + count) // (2 * count) if count else 0


def figure(row, key):
    if key.startswith(("memory:", "self-memory:")):
        kind, name = key.split(":", 1)
        return of_device(row, name, "self_bytes" if kind != "memory"
                         else "bytes")
    names = {"cumtime": "cumtime_ns", "tottime": "tottime_ns",
             "device": "device_ns", "self-device": "self_device_ns",
             "memory": "host_bytes", "self-memory": "self_host_bytes",
             "device-memory": "device_bytes",
             "self-device-memory": "self_device_bytes"}
    # The means of operations are those of all calls.
    calls = row["ncalls" if "mean_ns" in row else "pcalls"]
    if key == "percall":
        return nearest(row["cumtime_ns"], calls)
    if key == "device-percall":
        return nearest(row["device_ns"], calls)
    return row[names.get(key, key)]


def check_order(what, rows, key):
    figures = [figure(row, key) for row in rows]
    if len(rows) < 2:
        fail(f"{what}: {len(rows)} rows")
    if figures != sorted(figures, reverse=key != "name"):
        fail(f"{what}: {figures}")
    return figures


def check_kernels(what, rows, key):
    """A kernel's only times are the device's."""
    field = {"name": "name", "ncalls": "count", "pcalls": "count",
             "percall": "mean_ns", "device-percall": "mean_ns"}
    figures = [row[field.get(key, "total_ns")] for row in rows]
    if len(rows) < 9 or figures != sorted(figures, reverse=key != "name"):
        fail(f"{what}, kernels: {figures}")


def check_sorted(what, arguments, word):
    """Returns the rows' names, which identify their order."""
    key = OTHERS.get(word, word)
    ran = run(*arguments, "--sort", word, "--json")
    if ran.returncode != 0 or ran.stderr:
        fail(f"{what}: {ran.returncode}, {ran.stderr}")
        return []
    report = json.loads(ran.stdout)
    if "kernels" in report:
        check_kernels(what, report["kernels"], key)
    groups = {}
    for row in report["rows"]:
        groups.setdefault(row.get("group"), []).append(row)
    for name, rows in groups.items():
        if len(rows) > 1:
            check_order(f"{what} {name or ''}", rows, key)
    if all(len(rows) < 2 for rows in groups.values()):
        fail(f"{what}: nothing to sort")
    return [json.dumps(row) for row in report["rows"]]


def check_refused(what, arguments, key, word):
    ran = run(*arguments, "--sort", key)
    if ran.returncode != 2 or ran.stdout or word not in ran.stderr:
        fail(f"{what}: {ran.returncode}, {ran.stderr}")


def check_lacking(what, arguments, key, word):
    """Sorted by cumtime, with a message, if the requested figure is unknown."""
    ran = run(*arguments, "--sort", key, "--csv")
    if ran.returncode != 0 or word not in ran.stderr or \
            "sorting by cumtime" not in ran.stderr:
        fail(f"{what}: {ran.returncode}, {ran.stderr}")
    if ran.stdout != run(*arguments, "--sort", "cumtime", "--csv").stdout:
        fail(f"{what}: not by cumtime")


def check_plain(path):
    for arguments in [path], ["--gpu", path]:
        seen = set()
        for key in SUMS + DEVICES + tuple(OTHERS):
            seen.add(str(check_sorted(f"{arguments} {key}", arguments, key)))
        if len(seen) < 7:
            fail(f"{arguments}: only {len(seen)} orders")
        for key in AMOUNTS:
            check_refused(f"{arguments} {key}", arguments, key, "--group")


def check_operations(path):
    for group in OPERATIONS:
        arguments = ["--group", group, path]
        seen = set()
        for key in SUMS + DEVICES + AMOUNTS + tuple(OTHERS):
            seen.add(str(check_sorted(f"{group} {key}", arguments, key)))
        if group != "cat" and len(seen) < (9 if group == "module" else 11):
            fail(f"{group}: only {len(seen)} orders")


def check_compilers():
    for group in COMPILERS:
        arguments = ["--group", group, CLANG]
        for key in DEVICES:
            check_refused(f"{group} {key}", arguments, key, "no device")
        for key in AMOUNTS:
            check_refused(f"{group} {key}", arguments, key, "--group")
        if group in ("all", "phase", "header"):
            for key in SUMS:
                check_sorted(f"{group} {key}", arguments, key)
    for key in DEVICES:
        check_lacking(f"a compiler's {key}", [CLANG], key, "no device activity")


def check_none(path):
    with open(path, "w", encoding="utf-8") as file:
        json.dump([{"ph": "X", "cat": "cpu_op", "name": name, "pid": 1,
                    "tid": 1, "ts": 100 * length, "dur": length}
                   for length, name in enumerate("cab", 3)], file)
    for key in DEVICES:
        check_lacking(f"no {key}", [path], key, "no device activity")
        check_lacking(f"no {key}, by name", ["--group=name", path], key,
                      "no device activity")
    for key, word in zip(AMOUNTS, ("of the host", "of the host", "of devices",
                                   "of devices", "no FLOP counts",
                                   "of cuda:1", "of cuda:1")):
        check_lacking(f"no {key}", ["--group=name", path], key, word)


def shown_names(*arguments):
    """The last word of each row of text."""
    text = run("--top=0", *arguments).stdout.split("\n\n", maxsplit=1)[0]
    return [line.split()[-1] for line in text.splitlines()[1:]
            if not line.startswith("(") and " Total" not in line]


def check_default(path):
    """Text is sorted by own time or the columns; JSON and CSV by cumtime."""
    for arguments in [], ["--group=name"]:
        if run(*arguments, path).stdout != \
                run(*arguments, "-s", "tottime", path).stdout:
            fail(f"{arguments}: text is not sorted by tottime")
        for form in "--json", "--csv":
            if run(*arguments, form, path).stdout != \
                    run(*arguments, form, "-s", "cumtime", path).stdout:
                fail(f"{arguments} {form}: not sorted by cumtime")
    for columns, key in (("device", "self-device"), ("flops", "flops"),
                         ("memory", "self-device-memory"), ("all", "tottime"),
                         ("cpu,memory", "tottime")):
        names = shown_names("--group=name", "--columns", columns, path)
        if len(names) < 9 or names != shown_names(
                "--group=name", "--columns", columns, "-s", key, path):
            fail(f"--columns={columns}: not sorted by {key}: {names}")
    if run("--gpu", path).stdout != run("--gpu", "-s", "device", path).stdout:
        fail("--gpu is not sorted by device")


def check_shares(path):
    """Shares of own time are those of the rows' sum."""
    rows = json.loads(run("--json", "-s", "tottime", path).stdout)["rows"]
    total = sum(row["tottime_ns"] for row in rows)
    lines = run("--top=0", path).stdout.splitlines()
    title = lines[0].split("  ").index("self %")
    for line, row in zip(lines[1:], rows):
        share = nearest(10000 * row["tottime_ns"], total)
        if float(line.split()[title]) != share / 100:
            fail(f"{share / 100} % expected: {line}")


def check_narrow(path, long_name):
    """No row is longer than the terminal, and the first column stays."""
    with open(long_name, "w", encoding="utf-8") as file:
        json.dump([{"ph": "X", "cat": kind, "pid": 1, "tid": 1, "ts": at,
                    "dur": 5, "args": {"device": 0, "stream": 7},
                    "name": "void at::native::" + "Op<float, " * 90 + f"{at}"}
                   for at, kind in ((0, "cpu_op"), (9, "kernel"))], file)
    for width in "60", "80":
        for source in path, long_name:
            for extra in [], ["--gpu"], ["--group=name"], ["--callers"], \
                    ["--group=shape"], ["--group=name", "--columns=memory"]:
                seen = subprocess.run(
                    [sys.executable, ON_TERMINAL, "24", width, CTPROF, "stats",
                     "--color=never", *extra, source],
                    stdout=subprocess.PIPE, check=False).stdout.decode()
                for line in seen.split("\r\n\r\n", maxsplit=1)[0] \
                        .splitlines():
                    if len(line) > int(width):
                        fail(f"{extra}: {len(line)} of {width}: {line}")


def titles_on_terminal(*arguments):
    """The titles of a table on a terminal of 80 characters."""
    seen = subprocess.run(
        [sys.executable, ON_TERMINAL, "24", "80", CTPROF, *arguments],
        stdout=subprocess.PIPE, check=False).stdout
    lines = [line for line in seen.decode().splitlines() if "count" in line]
    return lines[0] + " " if lines else ""


def check_seen(path):
    """The sort key is a column, also in a narrow terminal's text."""
    for arguments, title in (
            (("stats", "--group=shape", "--sort=device"), "dev total"),
            (("stats", "--group=name", "--sort=percall"), "mean ms"),
            (("stats", "--group=name", "--sort=device-percall"), "dev mean"),
            (("stats", "--group=name", "--sort=memory:cuda:1"), "mem cuda:1"),
            (("kernels", "--sort=min"), "min us"),
            (("kernels", "--sort=max"), "max us")):
        titles = titles_on_terminal(*arguments, "--color=never", path)
        if f" {title} " not in titles:
            fail(f"{arguments}: no column on a terminal: {titles}")
    for key, title in (("percall", "mean"), ("device", "device"),
                       ("self-device", "self device"),
                       ("device-percall", "device mean")):
        if f" {title} " not in run("--sort", key, path).stdout.split("\n")[0]:
            fail(f"{key}: no column")
    for key, title in (("pcalls", "pcalls"), ("flops", "GFLOP"),
                       ("self-memory:cuda:1", "self mem cuda:1"),
                       ("device-memory", "dev mem")):
        text = run("--group=name", "--sort", key, path).stdout
        if f" {title} " not in text.split("\n")[0]:
            fail(f"{key}: no column")


made = os.path.join(WORK, "sort.json")
make(made)
check_plain(made)
check_operations(made)
check_compilers()
check_none(os.path.join(WORK, "sort-none.json"))
check_seen(made)
check_default(made)
check_shares(made)
check_narrow(made, os.path.join(WORK, "sort-long.json"))
finish()
