# SPDX-License-Identifier: MIT
"""Makes one trace for each rule of `ctprof findings`, with shares that can be
computed by hand, and one below each limit: findings_make.py DIRECTORY"""
import json
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
H100 = {"id": 0, "name": "NVIDIA H100 80GB HBM3",
        "totalGlobalMem": 85029158912}


def host(name, begin, duration, cat="cpu_op", **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": 1,
            "ts": begin, "dur": duration, "args": args}


def launch(number, begin):
    return host("cudaLaunchKernel", begin, 1, "cuda_runtime",
                correlation=number, External_id=number)


def kernel(number, name, begin, duration, stream=7):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream,
            "ts": begin, "dur": duration,
            "args": {"device": 0, "stream": stream, "correlation": number}}


def save(name, events, rank=None):
    trace = {"schemaVersion": 1, "deviceProperties": [H100],
             "traceEvents": events}
    if rank is not None:
        trace["distributedInfo"] = {"backend": "nccl", "rank": rank,
                                    "world_size": 4}
    (folder / f"{name}.json").write_text(json.dumps(trace), encoding="utf-8")


def idle(name, busy):
    """A GPU that is busy twice in 1,000 us."""
    events = [host("load_batch", 0, 999), launch(1, 1), launch(2, 500),
              kernel(1, "first", 2, busy), kernel(2, "last", 1000 - busy, busy)]
    save(name, events)


def communication(name, exposed):
    """NCCL alone takes `exposed` of 1,000 us."""
    save(name, [host("step", 0, 1000), launch(1, 1), launch(2, 2),
                kernel(1, "gemm", 2, 998 - exposed),
                kernel(2, "ncclDevKernel_AllReduce", 500, 500, 8)])


def folded(name, lines):
    (folder / f"{name}.folded").write_text(
        "".join(f"{path} {value}\n" for path, value in lines))


def clang(folder_name, name, middle):
    """A unit of 1,000 ms, with `middle` in its frontend."""
    events = [("ExecuteCompiler", 0, 1000000, ""), ("Frontend", 0, 900000, ""),
              *middle, ("Backend", 900000, 100000, "")]
    (folder / folder_name).mkdir(exist_ok=True)
    (folder / folder_name / f"{name}.json").write_text(json.dumps(
        {"traceEvents": [
            {"ph": "M", "pid": 1, "tid": 1, "name": "process_name",
             "args": {"name": "clang"}}] + [
            {"ph": "X", "pid": 1, "tid": 1, "ts": at, "dur": duration,
             "name": title, "args": {"detail": detail} if detail else {}}
            for title, at, duration, detail in events]}))


def header(name, duration):
    """`duration` of the unit in one of its headers."""
    clang("build", name, [
        ("Source", 0, duration, "/usr/include/big.h"),
        ("Source", duration, 100, "/usr/include/small.h")])


def templates(folder_name, name, duration):
    """`duration` of the unit in instances of a template."""
    clang(folder_name, name, [
        ("InstantiateFunction", 1000, duration // 2, "ns::sort<int>"),
        ("InstantiateFunction", 500000, duration // 2, "ns::sort<char>")])


def operators(name, size):
    """A kernel of 300 us that multiplies matrices of this size, in 32-bit
    floats, and one of 200 us whose work is unknown."""
    events = []
    for number, (op, duration, args) in enumerate((
            ("aten::mm", 300, {"Input Dims": [[size, size], [size, size]],
                               "Input type": ["float", "float"]}),
            ("custom::op", 200, {})), 1):
        at = 1000 * number
        events += [host(op, at, 20, **args, **{"External id": number}),
                   launch(number, at + 5),
                   kernel(number, f"kernel of {op}", at + 30, duration)]
    save(name, events)


def cost(name, cost_ps):
    """2,000 ranges of 5 us, each of which costs `cost_ps` to record."""
    (folder / f"{name}.json").write_text(json.dumps({
        "otherData": {"range_ps": str(cost_ps)},
        "traceEvents": [host("f", 5 * i, 5) for i in range(2000)]}))


def memory(name, sizes, device=-1, reserved=None, kept=0):
    """Six steps, in each of which decode() allocates and frees these sizes, and
    allocates `kept` bytes that stay."""
    events = [allocation(1, 1, 10 << 20, device, reserved)]
    for step in range(6):
        at = 100 + 1000 * step
        events += [host(f"ProfilerStep#{step}", at, 1000, "user_annotation"),
                   host("decode", at + 10, 900)]
        for i, size in enumerate(sizes):
            events += [allocation(at + 20 + i, 100 + i, size, device, reserved),
                       allocation(at + 500 + i, 100 + i, -size, device,
                                  reserved)]
        if kept:
            events.append(allocation(at + 700, 1000 + step, kept, device,
                                     reserved))
    save(name, events)


def allocation(at, address, size, device, reserved):
    args = {"Bytes": size, "Addr": address, "Device Id": device,
            "Device Type": 0 if device < 0 else 1}
    if reserved:
        args["Total Reserved"] = reserved
    return {"ph": "i", "s": "t", "cat": "cpu_instant_event", "pid": 1,
            "tid": 1, "name": "[memory]", "ts": at, "args": args}


idle("idle", 100)       # 800 of 1,000 us
idle("busy", 450)       # 100 of 1,000 us
communication("exposed", 300)
communication("hidden", 50)
for rank in range(4):
    late = 400 if rank == 2 else 0
    (folder / "job").mkdir(exist_ok=True)
    events = []
    for step in range(5):
        at = step * 2000
        events += [host(f"ProfilerStep#{step}", at, 2000, "user_annotation"),
                   launch(2 * step + 1, at + 1), launch(2 * step + 2, at + 2),
                   kernel(2 * step + 1, "gemm", at + 10, 1000 + late),
                   kernel(2 * step + 2, "ncclDevKernel_AllReduce",
                          at + 1010 + late, 900 - late)]
    save(f"job/rank{rank}", events, rank)
folded("hot", [("main;a", 600), ("main;b", 100), ("main;c", 100),
               ("main;d", 100), ("main;e", 100)])
folded("even", [(f"main;f{i}", 100) for i in range(10)])
header("one", 300000)
header("two", 200000)
templates("instances", "one", 200000)
templates("instances", "two", 100000)
templates("few", "one", 20000)
operators("slow", 64)
operators("fast", 1024)
cost("costly", 1000000)
cost("cheap", 100000)
MB = 1 << 20
memory("again", [6 * MB, 4 * MB])      # beside 10 MB that stay
memory("small", [65536] * 200)
memory("pooled", [6 * MB, 4 * MB], 0, 64 * MB)
memory("less", [2 * MB])
memory("grows", [], 0, 64 * MB, 2 * MB)  # 8 MB of 22 MB
memory("steady", [MB], 0, 64 * MB)
