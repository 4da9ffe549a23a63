# SPDX-License-Identifier: MIT
"""
    sums_check.py kernels|gaps|info SUM.json INPUT.json...

The report on a sum equals the sums of the reports on each input, which are
made here from their JSON alone.
"""
import collections
import json
import sys

MOST = {"max_ns", "longest_ns", "queue_depth_max"}
CAUSES = "causes"


def add(sums, row, keys):
    """Adds the keys of a row to sums; some are maximums."""
    for key in keys:
        if key == "min_ns":
            sums[key] = min(sums.get(key, row[key]), row[key])
        elif key in MOST:
            sums[key] = max(sums.get(key, 0), row[key])
        else:
            sums[key] = sums.get(key, 0) + row[key]


def compare(what, got, wanted, keys):
    assert set(got) == set(wanted), (what, set(got) ^ set(wanted))
    for name, row in wanted.items():
        for key in keys:
            assert got[name][key] == row[key], (
                what, name, key, got[name][key], row[key])


def group(reports, array, names, keys):
    """Rows of all reports by the values of `names`."""
    sums = collections.defaultdict(dict)
    for report in reports:
        for row in report[array]:
            add(sums[tuple(row[name] for name in names)], row, keys)
    return sums


def by(report, array, names):
    rows = {tuple(row[name] for name in names): row for row in report[array]}
    assert len(rows) == len(report[array]), "a row is there twice"
    return rows


def check_order(rows, key, name):
    """Largest first, then by the bytes of the names."""
    assert rows == sorted(
        rows, key=lambda row: (row["device_name"] or "", -row[key],
                               row[name].encode()))


def kernels(report, inputs):
    names = "device_name", "name"
    keys = ["count", "total_ns", "min_ns", "max_ns"]
    compare("kernels", by(report, "rows", names),
            group(inputs, "rows", names, keys), keys)
    # Operations that exceed a peak are left out of a row: that is decided
    # for the sum.
    misfits = {(row["device_name"], row["name"]) for each in [report, *inputs]
               for row in each["rows"]
               if row["flops_misfit"] or row["bytes_misfit"]}
    keys = ["flops", "bytes"]
    wanted = group(inputs, "rows", names, keys)
    for name, row in by(report, "rows", names).items():
        for key in keys:
            assert name in misfits or row[key] == wanted[name][key], (name, key)
    keys = ["count", "total_ns", "helpers_ns"]
    devices = by(report, "devices", ["device_name"])
    compare("devices", devices,
            group(inputs, "devices", ["device_name"], keys), keys)
    assert sum(row["devices"] for row in devices.values()) == sum(
        len(each["devices"]) for each in inputs)
    assert report["late"] == sum(each["late"] for each in inputs)
    check_order(report["rows"], "total_ns", "name")


def gaps(report, inputs):
    for each in inputs:
        models = {(row["pid"], row["device"]): row["device_name"]
                  for row in each["rows"]}
        for place in each["places"]:
            place["device_name"] = models[place["pid"], place["device"]]
    names = "device_name", "cause", "name", "file", "line", "call"
    keys = ["idle_ns", "count", "longest_ns"]
    compare("places", by(report, "places", names),
            group(inputs, "places", names, keys), keys)
    times = [row["idle_ns"] for row in report["places"]]
    assert times == sorted(times, reverse=True)
    for each in [report, *inputs]:
        for row in each["rows"]:
            row.update({f"cause {key}": value
                        for key, value in row.pop(CAUSES).items()})
    keys = ["span_ns", "busy_ns", "kernel_ns", "compute_ns", "comm_ns",
            "exposed_comm_ns", "copy_ns", "idle_ns", "gaps", "longest_ns",
            "activities", "queue_depth_max"]
    keys += [key for key in (report["rows"] or [{}])[0] if key[:6] == "cause "]
    devices = by(report, "rows", ["device_name"])
    compare("devices", devices,
            group(inputs, "rows", ["device_name"], keys), keys)
    assert sum(row["devices"] for row in devices.values()) == sum(
        len(each["rows"]) for each in inputs)
    # The mean depth of a queue is rounded to thousandths.
    for (name,), row in devices.items():
        rows = [each for every in inputs for each in every["rows"]
                if each["device_name"] == name]
        mean = sum(each["queue_depth_mean"] * each["span_ns"]
                   for each in rows) / max(1, row["span_ns"])
        assert abs(mean - row["queue_depth_mean"]) < 0.002, (name, mean)


def info(report, inputs):
    assert report["files"] == len(inputs)
    for key in ["span_ns", "processes", "threads", "devices"]:
        assert report[key] == sum(each[key] for each in inputs), key
    for key, value in report["counts"].items():
        assert value == sum(each["counts"][key] for each in inputs), key
    starts = [each["start_ns"] for each in inputs
              if each["start_ns"] is not None]
    assert report["start_ns"] == min(starts, default=None)
    ends = [each["start_ns"] + each["span_ns"] for each in inputs
            if each["start_ns"] is not None]
    assert report["end_ns"] == max(ends, default=None)
    assert report["longest_ns"] == max(each["span_ns"] for each in inputs)
    skews = [each["clock_skew_ns"] for each in inputs
             if each["clock_skew_ns"] is not None]
    assert report["clock_skew_ns"] == max(skews, default=None)
    for array, names in (
            ("formats", [each["format"] for each in inputs]),
            ("hosts", [each["host"] for each in inputs]),
            ("tools", [each["producer"] for each in inputs]),
            ("device_names", [row["device_name"] or "" for each in inputs
                              for row in each["device_properties"]])):
        wanted = collections.Counter(name for name in names
                                     if name is not None)
        got = {row["name"]: row["count"] for row in report[array]}
        assert got == wanted, (array, got, wanted)


def main(check, *paths):
    reports = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            reports += [json.loads(line) for line in file]
    report, inputs = reports[0], reports[1:]
    assert report["schema"] == f"ctprof/{check}_sum/1", report["schema"]
    lost = collections.Counter()
    for each in inputs:
        lost.update(each["lost"])
    assert report["lost"] == lost, (report["lost"], lost)
    assert sorted(path for each in inputs for path in each["inputs"]) == \
        report["inputs"]
    globals()[check](report, inputs)


main(*sys.argv[1:])
