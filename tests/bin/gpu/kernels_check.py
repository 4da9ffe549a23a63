# SPDX-License-Identifier: MIT
"""Compares `ctprof kernels` with expected figures: computed by hand for made-up
traces, and in a few independent lines for real ones.

Usage: kernels_check.py CTPROF WORK TRACE...
"""

import collections
import decimal
import json
import math
import subprocess
import sys

from checks import events_of, finish, output, read_json

CTPROF, WORK, *TRACES = sys.argv[1:]


def report(path, *options):
    """The report on a trace."""
    return json.loads(output("kernels", "-q", "--json", *options, path))


class Trace:
    """A made-up trace: one thread, streams of one device."""

    def __init__(self, device="NVIDIA A100-SXM4-40GB", **properties):
        self.events = []
        self.time = 1000
        self.number = 0
        self.devices = [dict(id=0, name=device, **properties)]

    def operator(self, name, dims, kernels, dtype="float", **args):
        """An operator that launches kernels: pairs of a name and us."""
        self.number += 1
        args = {"External id": self.number, "Input Dims": dims,
                "Input type": [dtype if dim else "Scalar" for dim in dims],
                **args}
        self.add("cpu_op", name, 10 * len(kernels) + 2, 1, args)
        for i, (kernel, dur) in enumerate(kernels):
            self.launch(kernel, dur, self.time + 1 + 10 * i)
        self.time += 10 * len(kernels) + 10

    def launch(self, kernel, dur, start, call="cudaLaunchKernel", **args):
        """A call, and the work that it launched."""
        correlation = 1000 + len(self.events)
        self.add("cuda_runtime", call, 5, 1, {"correlation": correlation},
                 start)
        self.add("kernel", kernel, dur, 7,
                 {"correlation": correlation, "device": 0, "stream": 7,
                  "External id": self.number, **args},
                 5000 + 1000 * len(self.events))

    def add(self, cat, name, dur, tid, args, start=None):
        """One event."""
        self.events.append({
            "ph": "X", "cat": cat, "name": name, "args": args,
            "pid": 0 if cat == "kernel" else 99, "tid": tid,
            "ts": self.time if start is None else start, "dur": dur})

    def report(self, *options):
        """The rows by name, and the device."""
        path = WORK + "/made.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"deviceProperties": self.devices,
                       "traceEvents": self.events}, file)
        read = report(path, *options)
        return {row["name"]: row for row in read["rows"]}, read["devices"]


def same(what, found, wanted):
    """They must be equal."""
    assert found == wanted, f"{what}: {found}, not {wanted}"


def check_shares():
    """Work counts once, for the kernels that do it."""
    trace = Trace()
    flops = 2 * 64 * 32 * 16
    shapes = [[64, 32], [32, 16]]
    trace.operator("aten::mm", shapes, [("sgemm_one", 10)])
    trace.operator("aten::mm", shapes, [("sgemm_split", 30),
                                        ("splitKreduce_kernel", 10)])
    trace.operator("aten::convolution_backward",
                   [[2, 4, 3, 5], [2, 6, 8, 11], [4, 6, 3, 3]] + 8 * [[]],
                   [("nchwToNhwcKernel", 7), ("dgrad_x", 10),
                    ("wgrad_y", 30)],
                   **{"Concrete Inputs": [
                       "", "", "", "[4]", "[2, 2]", "[1, 1]", "[2, 2]",
                       "False", "[0, 0]", "1", "[True, True, False]"]})
    trace.operator("aten::add", [[10, 10], [10, 10]], [("add_kernel", 4)])
    trace.operator("aten::nothing", [], [("nothing_kernel", 5)])
    rows, devices = trace.report()
    same("one", rows["sgemm_one"]["flops"], flops)
    same("split", rows["sgemm_split"]["flops"], flops)
    same("split", rows["sgemm_split"]["flops_per_s"],
         flops * 10**9 // 30000)
    same("reduce", rows["splitKreduce_kernel"]["flops"], 0)
    same("reduce", rows["splitKreduce_kernel"]["flops_per_s"], None)
    both = 2 * 2 * 2 * 15 * (4 * 6 * 9)
    same("gradients", rows["dgrad_x"]["flops"] + rows["wgrad_y"]["flops"],
         both)
    # The last to arrive is divided first.
    same("gradients", rows["wgrad_y"]["flops"], both * 30 // 40)
    same("layout", rows["nchwToNhwcKernel"]["bytes"], 0)
    same("add", rows["add_kernel"]["bytes"], 800)
    same("add", rows["add_kernel"]["flops_per_s"], None)
    same("nothing", rows["nothing_kernel"]["bytes_per_s"], None)
    device = devices[0]
    same("total", device["total_ns"], 106000)
    same("known", device["flops_known_ns"], 80000)
    same("helpers", device["helpers_ns"], 17000)
    same("known bytes", device["bytes_known_ns"], 84000)
    same("flops", device["flops"], 2 * flops + both)


def check_many():
    """However many kernels an operator has, the first do not get more."""
    trace = Trace()
    trace.operator("aten::mm", [[2000, 3000], [3000, 4000]],
                   [("sgemm_first", 1)] * 3000 + [("sgemm_then", 3)] * 3000)
    rows, devices = trace.report()
    same("many: first", rows["sgemm_first"]["flops"], 12 * 10**9)
    same("many: then", rows["sgemm_then"]["flops"], 36 * 10**9)
    same("many: known", devices[0]["flops_known_ns"], 12 * 10**6)
    subprocess.run([CTPROF, "kernels", "-q", "--augment", "--force", "-o",
                    WORK + "/many.json", WORK + "/made.json"], check=True)
    with open(WORK + "/many.json", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    sums = collections.Counter()
    for event in events:
        if event.get("cat") == "kernel":
            sums[event["name"]] += event["args"]["kernel_flop"]
    same("many: augmented", sums, {"sgemm_first": 12 * 10**9,
                                   "sgemm_then": 36 * 10**9})


def check_late():
    """A kernel that comes when its operator has waited too long gets no share,
    which is reported; until then it gets its share."""
    for between, late in (65000, 0), (66000, 1):
        trace = Trace()
        trace.operator("aten::mm", [[20, 30], [30, 40]],
                       [("gemm_first", 10), ("gemm_last", 30)])
        trace.events[-1]["ts"] = 9 * 10**6
        for number in range(between // 2):
            trace.add("user_annotation", "x", 1, 1, {}, 10**6 + 2 * number)
        rows, _ = trace.report()
        flops = 2 * 20 * 30 * 40
        same("late: report", rows["gemm_first"]["flops"], flops // 4)
        ran = subprocess.run(
            [CTPROF, "kernels", "-q", "--augment", "-t", "chrome",
             WORK + "/made.json"], check=True, capture_output=True, text=True)
        found = {event["name"]: event["args"].get("kernel_flop", 0)
                 for event in json.loads(ran.stdout)["traceEvents"]
                 if event.get("cat") == "kernel"}
        same("late", found, {"gemm_first": flops // (1 if late else 4),
                             "gemm_last": 0 if late else flops * 3 // 4})
        said = f"first kernel: {late},"
        assert said in ran.stderr if late else not ran.stderr, ran.stderr


def check_percent():
    """Achieved is by the type of the operator, and the name for TF32."""
    trace = Trace()
    shapes = [[1024, 1024], [1024, 1024]]
    flops = 2 * 1024**3
    trace.operator("aten::mm", shapes, [("sgemm_plain", 1000)])
    trace.operator("aten::mm", shapes, [("gemm_tf32f32", 1000)])
    trace.operator("aten::mm", shapes, [("gemm_bf", 1000)],
                   dtype="c10::BFloat16")
    trace.operator("aten::mm", shapes, [("gemm_any", 1000)], dtype="?")
    rows, devices = trace.report()
    for name, peak in (("sgemm_plain", 19.5), ("gemm_tf32f32", 156),
                       ("gemm_bf", 312)):
        same(name, rows[name]["flops_percent"],
             round(flops / 1e-3 / (peak * 1e12) * 100, 2))
    same("bandwidth", rows["gemm_bf"]["bandwidth_percent"],
         round(3 * 2 * 1024**2 / 1e-3 / 1555e9 * 100, 2))
    same("type", rows["gemm_any"]["flops_percent"], None)
    same("source", devices[0]["peak"]["gb_per_s"], 1555)
    rows, _ = trace.report("--dtype", "fp16")
    same("fallback", rows["gemm_any"]["flops_percent"],
         rows["gemm_bf"]["flops_percent"])
    same("no fallback", rows["sgemm_plain"]["flops_percent"],
         round(flops / 1e-3 / 19.5e12 * 100, 2))
    # Unknown values have no percentage, and not 0.
    trace.devices[0]["name"] = "Some GPU"
    rows, devices = trace.report()
    same("unknown", rows["gemm_bf"]["flops_percent"], None)
    same("unknown", rows["gemm_bf"]["bandwidth_percent"], None)
    same("unknown", devices[0]["peak"], None)
    assert rows["gemm_bf"]["flops_per_s"] > 0
    with open(WORK + "/peaks.json", "w", encoding="utf-8") as file:
        json.dump({"some gpu": {"tflops": {"bf16": 10.5}}}, file)
    rows, _ = trace.report("--peaks", WORK + "/peaks.json")
    same("own", rows["gemm_bf"]["flops_percent"],
         round(flops / 1e-3 / 10.5e12 * 100, 2))
    same("own", rows["gemm_bf"]["bandwidth_percent"], None)


def check_misfits():
    """Work that would exceed the peak is marked, and left out of the sums. The
    clock's step, here 1 us, and 10 % are tolerated."""
    trace = Trace()
    bandwidth, tf32 = 1555e9, 156e12
    shapes = [[1024, 1024], [1024, 1024]]

    def add_bytes(name, percent, microseconds):
        elements = int(percent / 100 * bandwidth * microseconds / 1e6 / 4)
        trace.operator("aten::relu", [[elements]], [(name, microseconds)])
        return 4 * elements

    fits = add_bytes("fits_109", 109, 100)
    add_bytes("over_112", 112, 100)
    # 5 us may have been 6 us.
    fits += add_bytes("fits_step", 131, 5)
    add_bytes("over_step", 133, 5)
    trace.operator("aten::mm", shapes, [("gemm_tf32_over", 12)])
    trace.operator("aten::mm", shapes, [("gemm_any_fits", 7)], dtype="?")
    trace.operator("aten::mm", shapes, [("gemm_any_over", 2)], dtype="?")
    rows, (device,) = trace.report()
    flops = 2 * 1024**3
    assert flops / 13e-6 > 1.05 * tf32
    for name, row in rows.items():
        over = "over" in name
        same(name, row["flops_misfit"], over and "gemm_any" in name)
        same(name, row["bytes_misfit"], over and "gemm" not in name)
        if over and "gemm" not in name:
            same(name, (row["bytes"], row["bytes_per_s"],
                        row["bandwidth_percent"]), (0, None, None))
    same("no fit", rows["gemm_any_over"]["flops"], 0)
    same("no fit", device["flops"], 2 * flops)
    same("no fit", device["flops_known_ns"], 19000)
    same("no fit", device["flops_misfit_ns"], 2000)
    same("no fit", device["bytes_misfit_ns"], 105000)
    same("no fit", device["bytes"], fits + rows["gemm_tf32_over"]["bytes"])
    text = output("kernels", "-q", WORK + "/made.json").decode()
    same("no fit", text.count(" no fit "), 3)
    assert "no fit: the model does not fit" in text, text
    assert "operations of 0.87 % of the time" in text, text


def check_devices():
    """A name that is nearly our device's is another device's."""
    for name, memory, wanted in (
            ("Tesla V100-SXM2-16GB", 16e9, 900), ("NVIDIA H200", 0, 4800),
            ("Tesla V100-FHHL-16GB", 16e9, None), ("NVIDIA L4", 0, 300),
            ("NVIDIA H100 80GB HBM3", 80e9, 3350), ("NVIDIA L40S", 0, 864),
            ("NVIDIA H100 80GB HBM3 MIG 1g.10gb", 80e9, None),
            ("NVIDIA H100 PCIe", 80e9, 2000), ("NVIDIA H100 NVL", 0, 3900),
            ("NVIDIA B200", 192e9, 7700), ("NVIDIA GB200", 200e9, 8000),
            ("NVIDIA A100-PG509-200", 42e9, 1555),
            ("NVIDIA A100-PG509-200", 85e9, 2039),
            ("NVIDIA A100 80GB PCIe", 85e9, 1935),
            ("Tesla P100-PCIE-16GB", 17e9, 732),
            ("Tesla P100-PCIE-12GB", 12e9, 549),
            ("NVIDIA H800", 85e9, 3350), ("NVIDIA H800 PCIe", 85e9, None),
            ("NVIDIA H20", 100e9, 4000), ("NVIDIA H20", 150e9, 4800),
            ("NVIDIA GeForce RTX 3080", 10.7e9, 760),
            ("NVIDIA GeForce RTX 3080", 12.8e9, 912),
            ("NVIDIA GeForce RTX 2080 Ti", 11e9, 616),
            ("NVIDIA GeForce RTX 3090", 24e9, 936),
            ("NVIDIA GeForce RTX 4090 Laptop GPU", 16e9, None),
            ("NVIDIA RTX 6000 Ada Generation", 48e9, 960),
            ("AMD Instinct MI210", 64e9, 1638),
            ("AMD Instinct MI300X", 206e9, 5300), ("", 0, None)):
        trace = Trace(name, totalGlobalMem=int(memory))
        trace.operator("aten::mm", [[2, 2], [2, 2]], [("gemm", 1)])
        _, devices = trace.report()
        peak = devices[0]["peak"]
        same(name, None if peak is None else peak["gb_per_s"], wanted)


def check_own():
    """Values in the trace win, the operator's before the kernel's."""
    trace = Trace()
    trace.operator("aten::mm", [[2, 2], [2, 2]], [("gemm", 1)],
                   kernel_flop=77, kernel_num_gb=1e-6)
    trace.launch("triton_poi", 2, trace.time, "cuLaunchKernel",
                 kernel_flop=5e3, kernel_num_gb=0)
    rows, _ = trace.report()
    same("operator", rows["gemm"]["flops"], 77)
    same("operator", rows["gemm"]["bytes"], 1000)
    same("kernel", rows["triton_poi"]["flops"], 5000)
    same("kernel", rows["triton_poi"]["bytes_per_s"], None)


def check_options():
    """Orders, and numbers of rows."""
    trace = Trace()
    trace.operator("aten::mm", [[2, 2], [2, 2]], [("gemm_b", 1)])
    trace.operator("aten::add", [[9], [9]], [("add_a", 9)])
    for key, first in (("total", "add_a"), ("name", "add_a"),
                       ("flops", "gemm_b"), ("bytes", "gemm_b")):
        rows, _ = trace.report("--sort", key, "--top", "1")
        same(key, list(rows), [first])
    assert report(WORK + "/made.json", "--top", "1")["truncated"]
    assert not report(WORK + "/made.json")["truncated"]


def read(path):
    """Events of a real trace, with unchanged numbers."""
    return events_of(read_json(path, parse_float=decimal.Decimal))


def check_counts(path, events):
    """Counts and times of each kernel."""
    wanted = collections.defaultdict(list)
    for event in events:
        if event.get("cat") in ("kernel", "Kernel") and event["ph"] == "X":
            wanted[event["name"]].append(
                int((decimal.Decimal(event["dur"]) * 1000).to_integral_value(
                    decimal.ROUND_HALF_UP)))
    found = collections.defaultdict(lambda: [0, 0, [], []])
    for row in report(path)["rows"]:
        sums = found[row["name"]]
        sums[0] += row["count"]
        sums[1] += row["total_ns"]
        sums[2].append(row["min_ns"])
        sums[3].append(row["max_ns"])
        mean = row["total_ns"] / row["count"]
        assert abs(row["mean_ns"] - mean) <= 0.5, row
    same(path, {name: (count, total, min(least), max(most))
                for name, (count, total, least, most) in found.items()},
         {name: (len(times), sum(times), min(times), max(times))
          for name, times in wanted.items()})


def numbers(text):
    """The numbers of a text like "[1, 2]"."""
    return [int(part) for part in text.strip("[]").split(",")]


def flops_of(name, dims, concrete):
    """The work of the operators in the real traces; None: unknown."""
    if name in ("aten::mm", "aten::bmm"):
        return 2 * math.prod(dims[0]) * dims[1][-1]
    if name in ("aten::addmm", "aten::baddbmm"):
        return 2 * math.prod(dims[1]) * dims[2][-1]
    if name == "aten::_flash_attention_forward":
        batch, rows, heads, depth = dims[0]
        return 4 * batch * heads * rows * dims[1][1] * depth
    if name in ("aten::cudnn_convolution", "aten::miopen_convolution"):
        at = 2 if name == "aten::cudnn_convolution" else 3
        padding, stride, dilation = map(numbers, concrete[at:at + 3])
        out = [(size + 2 * pad - gap * (weight - 1) - 1) // step + 1
               for size, weight, pad, step, gap in zip(
                   dims[0][2:], dims[1][2:], padding, stride, dilation)]
        return 2 * dims[0][0] * math.prod(out) * math.prod(dims[1])
    return None


def check_flops(path, events):
    """Each operator that ran a kernel counts once, and nothing is lost."""
    operators = {}
    ran = set()
    for event in events:
        args = event.get("args") or {}
        number = args.get("External id")
        if event.get("cat") == "cpu_op" and "Input Dims" in args:
            operators[number] = event
        elif event.get("cat") == "kernel":
            ran.add(number)
    total = 0
    for number in ran & set(operators):
        event = operators[number]
        total += flops_of(event["name"], event["args"]["Input Dims"],
                          event["args"].get("Concrete Inputs")) or 0
    found = report(path)
    same(path, sum(device["flops"] for device in found["devices"]), total)
    same(path, sum(row["flops"] for row in found["rows"]), total)
    return total


ADDED = ("kernel_flop", "kernel_num_gb")


def written(*command):
    """The events of a trace that ctprof writes."""
    out = subprocess.run([CTPROF, *command], check=True,
                         stdout=subprocess.PIPE).stdout
    return json.loads(out)["traceEvents"]


def check_augment(path, flops):
    """Only the two arguments are added; an operator's kernels together have its
    work."""
    events = written("kernels", "-q", "--augment", "-t", "chrome", path)
    operators = {}
    kernels = collections.Counter()
    for event in events:
        args = event.get("args", {})
        if "kernel_flop" not in args:
            continue
        if event["cat"] == "kernel":
            kernels[args["External id"]] += args["kernel_flop"]
        else:
            operators[args["External id"]] = args["kernel_flop"]
    same(path, dict(kernels), operators)
    same(path, sum(operators.values()), flops)
    for event in events:
        for key in ADDED:
            if event.get("args", {}).pop(key, None) is not None:
                assert event["cat"] in ("kernel", "cpu_op"), event
        if event.get("args") == {}:
            del event["args"]
    same(path, events, written("convert", "-q", "-t", "chrome", path))


def check_augment_own():
    """Existing values above 0 stay, those of 0 do not."""
    trace = Trace()
    trace.operator("aten::mm", [[2, 3], [3, 4]], [("gemm", 1)],
                   kernel_flop=0, kernel_num_gb=7.5)
    trace.operator("aten::mm", [[2, 3], [3, 4]], [("gemm", 1)])
    trace.events[-1]["args"].update(kernel_flop=5, kernel_num_gb=0)
    trace.report()
    found = [tuple(event["args"].get(key) for key in ADDED)
             for event in written("kernels", "--augment", "-t", "chrome",
                                  WORK + "/made.json")
             if event.get("cat") in ("kernel", "cpu_op")]
    flops, gigabytes = 2 * 2 * 3 * 4, 4 * (6 + 12 + 8) / 1e9
    same("own", sorted(found), sorted([
        (flops, 7.5), (flops, 7.5), (flops, gigabytes), (5, gigabytes)]))


def main():
    """All of it."""
    check_shares()
    check_many()
    check_late()
    check_percent()
    check_misfits()
    check_devices()
    check_own()
    check_options()
    check_augment_own()
    known = 0
    for path in TRACES:
        events = read(path)
        check_counts(path, events)
        flops = check_flops(path, events)
        check_augment(path, flops)
        known += flops > 0
    print(f"{len(TRACES)} real traces, {known} of them with operations")
    assert known > 0
    finish()


main()
