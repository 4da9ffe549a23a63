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


def clang(name, header):
    """A unit of 1,000 ms, `header` of them in one of its headers."""
    events = [("ExecuteCompiler", 0, 1000000, ""), ("Frontend", 0, 900000, ""),
              ("Source", 0, header, "/usr/include/big.h"),
              ("Source", header, 100, "/usr/include/small.h"),
              ("Backend", 900000, 100000, "")]
    (folder / "build").mkdir(exist_ok=True)
    (folder / f"build/{name}.json").write_text(json.dumps({"traceEvents": [
        {"ph": "M", "pid": 1, "tid": 1, "name": "process_name",
         "args": {"name": "clang"}}] + [
        {"ph": "X", "pid": 1, "tid": 1, "ts": at, "dur": duration,
         "name": title, "args": {"detail": detail} if detail else {}}
        for title, at, duration, detail in events]}))


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
clang("one", 300000)
clang("two", 200000)
