# SPDX-License-Identifier: MIT
"""ctprof reads the same from databases as SQL.

Usage: sqlite_read.py DIRECTORY FILES: works in DIRECTORY; FILES has real ones.
"""

import collections
import glob
import gzip
import json
import os
import random
import sqlite3
import struct
import sys

from checks import FAILED, equal, fail, run
import sqlite_schemas
from sqlite_schemas import add

NSYS = [v for v in sqlite_schemas.SCHEMAS if v.startswith("nsys")]


def number(text):
    """Microseconds with three decimals as nanoseconds, exactly."""
    whole, _, rest = text.partition(".")
    return int(whole + rest) if len(rest) == 3 else float(text)


def convert(path, *arguments, expected=(0,)):
    """The events of a file, with times in nanoseconds."""
    result = run("convert", "-t", "chrome", path, *arguments)
    if result.returncode not in expected:
        fail("%s: %d: %s" % (path, result.returncode, result.stderr.decode()))
        return {"traceEvents": [], "otherData": {"losses": {}}}
    return json.loads(result.stdout.decode(), parse_float=number)


def slices(trace, *categories):
    return [event for event in trace["traceEvents"] if event["ph"] == "X" and
            (not categories or event.get("cat") in categories)]


def global_id(pid, tid=0, machine=1):
    return machine << 48 | pid << 24 | tid


def make_strings(connection, table, key, texts):
    for number, text in enumerate(texts, 1):
        add(connection, table, **{key: number, "value": text})
    return {text: number for number, text in enumerate(texts, 1)}


def make_nsys(path, version):
    """Two processes with equal numbers, threads, ranges, a graph."""
    if os.path.exists(path):
        os.unlink(path)
    c = sqlite3.connect(path)
    sqlite_schemas.create(c, version)
    s = make_strings(c, "StringIds", "id", [
        "cudaLaunchKernel_v7000", "cudaGraphLaunch_v10000", "cuMemsetD8",
        "_Z4axpyPfS_f", "axpy(float*, float*, float)", "axpy", "registered",
        "worker", "domain \"x\"", "read"])
    for pid in (100, 200):
        g = global_id(pid, 7)
        add(c, "PROCESSES", globalPid=global_id(pid), pid=pid, name="p%d" % pid)
        add(c, "ThreadNames", globalTid=g, nameId=s["worker"])
        add(c, "NVTX_EVENTS", start=-5, eventType=75, textId=s['domain "x"'],
            globalTid=g, domainId=3)
        for i in range(40):
            t = 1000 * i + pid
            add(c, "NVTX_EVENTS", start=t, end=t + 900, eventType=59,
                text="outer %d" % (i % 3), globalTid=g, domainId=0)
            add(c, "NVTX_EVENTS", start=t + 100, end=t + 800, eventType=59,
                textId=s["registered"], globalTid=g, domainId=3, color=255)
            graph = i % 4 == 3
            add(c, "CUPTI_ACTIVITY_KIND_RUNTIME", start=t + 200, end=t + 300,
                eventClass=0, globalTid=g, correlationId=i + 1,
                nameId=s["cudaGraphLaunch_v10000" if graph else
                         "cudaLaunchKernel_v7000"], returnValue=i % 2)
            for node in range(3 if graph else 1):
                add(c, "CUPTI_ACTIVITY_KIND_KERNEL", start=t + 400 + 50 * node,
                    end=t + 440 + 50 * node, deviceId=0, contextId=1,
                    streamId=7, correlationId=i + 1, globalPid=global_id(pid),
                    demangledName=s["axpy(float*, float*, float)"],
                    shortName=s["axpy"], mangledName=s["_Z4axpyPfS_f"],
                    gridX=i + 1, gridY=2, gridZ=3, blockX=32, blockY=1,
                    blockZ=1, registersPerThread=16, staticSharedMemory=8,
                    dynamicSharedMemory=24, launchType=1,
                    graphNodeId=node + 1 if graph else None)
        add(c, "CUPTI_ACTIVITY_KIND_KERNEL", start=50000, end=50010, deviceId=0,
            contextId=1, streamId=8, correlationId=9999,
            globalPid=global_id(pid), demangledName=s["axpy"],
            shortName=s["axpy"])
    add(c, "CUPTI_ACTIVITY_KIND_RUNTIME", start=60000, end=60100, eventClass=1,
        globalTid=global_id(100, 7), correlationId=700, nameId=s["cuMemsetD8"],
        returnValue=0)
    common = {"deviceId": 0, "contextId": 1, "streamId": 7,
              "globalPid": global_id(100), "correlationId": 700}
    add(c, "CUPTI_ACTIVITY_KIND_MEMSET", start=60200, end=60250, value=0,
        bytes=512, memKind=2, **common)
    add(c, "CUPTI_ACTIVITY_KIND_MEMCPY", start=60300, end=60350, bytes=4096,
        copyKind=1, srcKind=0, dstKind=2, **common)
    add(c, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", start=60400, end=60450,
        syncType=3, eventId=0xffffffff, **common)
    add(c, "NVTX_EVENTS", start=61000, end=62000, eventType=60, text="async",
        globalTid=global_id(100, 7), endGlobalTid=global_id(100, 9), rangeId=5)
    add(c, "NVTX_EVENTS", start=61500, eventType=34, text="mark",
        globalTid=global_id(100, 7))
    add(c, "PROFILER_OVERHEAD", start=63000, end=63100, nameId=s["read"],
        globalTid=global_id(100, 7), overheadType=1)
    add(c, "SCHED_EVENTS", start=1, cpu=0, isSchedIn=1)
    add(c, "TARGET_INFO_GPU", id=0, cuDevice=0, name="Some GPU", smCount=80,
        clockRate=1500000000, threadsPerWarp=32, maxWarpsPerSm=64)
    add(c, "TARGET_INFO_SESSION_START_TIME", utcEpochNs=1700000000123456789)
    for table in ("META_DATA_EXPORT", "EXPORT_META_DATA"):
        add(c, table, name="EXPORT_PRODUCT_VERSION", value="1.2.3")
    c.commit()
    return c


# For each kernel its name, times and correlation, whether its launch exists,
# and the NVTX range around the launch.
KERNELS = """
SELECT k.start, k.end - k.start, n.value, k.correlationId,
       r.start IS NOT NULL,
       (SELECT COALESCE(x.text, s.value) FROM NVTX_EVENTS x
        LEFT JOIN StringIds s ON s.id = x.textId
        WHERE x.eventType = 59 AND x.globalTid = r.globalTid
          AND x.start <= r.start AND x.end >= r.end
        ORDER BY x.start DESC LIMIT 1)
FROM CUPTI_ACTIVITY_KIND_KERNEL k
JOIN StringIds n ON n.id = k.demangledName
LEFT JOIN CUPTI_ACTIVITY_KIND_RUNTIME r
  ON r.correlationId = k.correlationId
 AND r.globalTid >> 24 = k.globalPid >> 24
"""


def kernels_of(trace):
    ops = {event["args"]["External id"]: event["name"]
           for event in slices(trace, "cpu_op")
           if "External id" in event.get("args", {})}
    found = []
    for event in slices(trace, "kernel"):
        args = event["args"]
        known = "External id" in args
        found.append((event["ts"], event["dur"], event["name"],
                      args["correlation"], int(known),
                      ops.get(args["External id"]) if known else None))
    return sorted(found, key=repr)


def test_nsys(work, version):
    path = os.path.join(work, "made.sqlite")
    c = make_nsys(path, version)
    trace = convert(path)
    equal(version + ": kernels", kernels_of(trace),
          sorted(c.execute(KERNELS).fetchall(), key=repr))
    kernel = slices(trace, "kernel")[0]["args"]
    equal(version + ": arguments", [kernel[key] for key in (
        "grid", "block", "registers per thread", "shared memory", "device",
        "context", "stream")], [[1, 2, 3], [32, 1, 1], 16, 32, 0, 1, 7])
    equal(version + ": base", trace["baseTimeNanoseconds"],
          1700000000123456789)
    calls = collections.Counter(
        (e["name"], e["cat"]) for e in slices(trace, "cuda_runtime",
                                              "cuda_driver"))
    equal(version + ": calls", calls, {
        ("cudaLaunchKernel", "cuda_runtime"): 60,
        ("cudaGraphLaunch", "cuda_runtime"): 20,
        ("cuMemsetD8", "cuda_driver"): 1})
    count = c.execute("SELECT count(*) FROM NVTX_EVENTS WHERE eventType = 59")
    domain = [e for e in slices(trace) if e["name"] == "registered"]
    equal(version + ": ranges", len([e for e in slices(trace) if e[
        "name"].startswith("outer ")]) + len(domain), count.fetchone()[0])
    equal(version + ": domains", {e["args"].get("category", e["cat"])
                                  for e in domain}, {'domain "x"'})
    equal(version + ": asynchronous", [
        (e["ph"], e["ts"], e["name"]) for e in trace["traceEvents"]
        if e["ph"] in "be"], [("b", 61000, "async"), ("e", 62000, "async")])
    equal(version + ": marks", [
        (e["ts"], e["name"]) for e in trace["traceEvents"]
        if e["ph"] == "i"], [(61500, "mark")])
    moved = [e for e in slices(trace, "gpu_memcpy")]
    has = {row[0] for row in c.execute("SELECT name FROM sqlite_master")}
    equal(version + ": copies", [(e["name"], e["args"]["bytes"], e["args"][
        "kind"]) for e in moved],
        [("Memcpy HtoD (Pageable -> Device)", 4096, "HtoD")])
    if "CUPTI_ACTIVITY_KIND_MEMSET" in has:
        equal(version + ": memsets", [
            (e["name"], e["args"]["bytes"])
            for e in slices(trace, "gpu_memset")], [("Memset (Device)", 512)])
    equal(version + ": waits", [e["name"] for e in slices(
        trace, "cuda_sync")], ["Stream Sync"])
    losses = dict(trace["otherData"]["losses"])
    equal(version + ": losses", losses, dict(
        {"unmatched": 2},
        **({"left_out": 1} if "SCHED_EVENTS" in has else {})))
    test_streams(path, version)
    test_parts(work, c, version)
    c.close()


def test_streams(path, version):
    """Through a pipe, and packed, it is the same."""
    plain = run("convert", "-t", "chrome", path).stdout
    with open(path, "rb") as file:
        content = file.read()
    for name, given in (("pipe", content), ("gzip", gzip.compress(content))):
        piped = run("convert", "-t", "chrome", "-", data=given).stdout
        equal("%s: %s" % (version, name),
              piped.split(b'"otherData"')[0] == plain.split(b'"otherData"')[0],
              True)


def test_parts(work, c, version):
    """Any one table may be missing, and each may be alone."""
    path = os.path.join(work, "part.sqlite")
    tables = [row[0] for row in c.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table'")]
    for table in tables:
        if os.path.exists(path):
            os.unlink(path)
        c.execute("VACUUM INTO ?", (path,))
        part = sqlite3.connect(path)
        part.execute('DROP TABLE "%s"' % table)
        part.commit()
        part.close()
        result = run("stats", path)
        equal("%s without %s" % (version, table), result.returncode, 0)


def object_id(pid, tid):
    return struct.pack("<III", pid, tid, 0)


def make_nvprof(path, base, version):
    if os.path.exists(path):
        os.unlink(path)
    c = sqlite3.connect(path)
    sqlite_schemas.create(c, "nvprof 11")
    add(c, "Version", version=version)
    s = make_strings(c, "StringTable", "_id_", [
        "_Z4axpyPfS_f", "forward", "backward", "torch", "Some GPU", "mark",
        "main"])
    thread = object_id(10, 4000000000)
    add(c, "CUPTI_ACTIVITY_KIND_NAME", objectKind=1, name=s["main"],
        objectId=object_id(10, 0))
    for i in range(30):
        t = base + 1000 * i
        name = s["backward" if i % 2 else "forward"]
        add(c, "CUPTI_ACTIVITY_KIND_MARKER", flags=2, timestamp=t, id=i + 1,
            objectKind=2, objectId=thread, name=name, domain=s["torch"])
        add(c, "CUPTI_ACTIVITY_KIND_MARKER", flags=4, timestamp=t + 900,
            id=i + 1, objectKind=2, objectId=thread, name=0, domain=0)
        add(c, "CUPTI_ACTIVITY_KIND_RUNTIME", start=t + 100, end=t + 200,
            cbid=13 if i % 3 else 211, processId=10,
            threadId=4000000000 - (1 << 32), correlationId=i + 1,
            returnValue=0)
        add(c, "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", start=t + 300,
            end=t + 450, deviceId=0, contextId=1, streamId=7,
            correlationId=i + 1, name=s["_Z4axpyPfS_f"], gridX=1, gridY=1,
            gridZ=1, blockX=1, blockY=1, blockZ=1, registersPerThread=8,
            staticSharedMemory=0, dynamicSharedMemory=0)
    add(c, "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", start=0, end=0, deviceId=0,
        contextId=1, streamId=7, correlationId=77, name=s["_Z4axpyPfS_f"])
    for i in range(2):
        add(c, "CUPTI_ACTIVITY_KIND_MARKER", flags=2, timestamp=base + 40000,
            id=99, objectKind=2, objectId=thread, name=s["mark"], domain=0)
    add(c, "CUPTI_ACTIVITY_KIND_MARKER", flags=1, timestamp=base + 50000,
        id=100, objectKind=2, objectId=thread, name=s["mark"], domain=0)
    add(c, "CUPTI_ACTIVITY_KIND_MARKER_DATA", id=1, color=7, category=0)
    add(c, "CUPTI_ACTIVITY_KIND_MEMCPY", copyKind=2, srcKind=3, dstKind=1,
        bytes=64, start=base + 60000, end=base + 60010, deviceId=0,
        contextId=1, streamId=7, correlationId=30, runtimeCorrelationId=0)
    add(c, "CUPTI_ACTIVITY_KIND_DEVICE", id=0, name=s["Some GPU"],
        numMultiprocessors=56, globalMemoryBandwidth=732160000,
        uuid=bytes(range(16)))
    add(c, "CUPTI_ACTIVITY_KIND_ENVIRONMENT", timestamp=base)
    c.commit()
    return c


# PyTorch's own queries of such a file, without times: each kernel's range.
MARKED = """
SELECT k.start, k.end - k.start, k.correlationId, n.value
FROM CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL k
JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId
JOIN CUPTI_ACTIVITY_KIND_MARKER b
  ON b.name != 0 AND b.timestamp < r.start
JOIN CUPTI_ACTIVITY_KIND_MARKER e
  ON e.id = b.id AND e.name = 0 AND r.end < e.timestamp
JOIN StringTable n ON n._id_ = b.name
"""


def test_nvprof(work, base, version):
    name = "nvprof %d" % version
    path = os.path.join(work, "made.nvprof")
    c = make_nvprof(path, base, version)
    trace = convert(path)
    shift = trace.get("baseTimeNanoseconds", 0)
    ops = {e["args"]["External id"]: e["name"]
           for e in slices(trace, "cpu_op")}
    found = [(e["ts"] + shift, e["dur"], e["args"]["correlation"],
              ops[e["args"]["External id"]])
             for e in slices(trace, "kernel")]
    equal(name + ": kernels", sorted(found),
          sorted(c.execute(MARKED).fetchall()))
    equal(name + ": names", {e["name"] for e in slices(trace, "kernel")},
          {"axpy(float*, float*, float)"})
    equal(name + ": calls", collections.Counter(
        e["name"] for e in slices(trace, "cuda_runtime")),
        {"cudaLaunch": 20, "cudaLaunchKernel": 10})
    equal(name + ": losses", trace["otherData"]["losses"],
          {"bad_events": 1, "device_times": 1, "left_out": 1})
    equal(name + ": marks", [e["name"] for e in trace["traceEvents"]
                             if e["ph"] == "i"], ["mark"])
    equal(name + ": copies", [e["name"] for e in slices(trace, "gpu_memcpy")],
          ["Memcpy DtoH (Device -> Pageable)"])
    device = trace["deviceProperties"][0]
    equal(name + ": device", (device["name"], device["numSms"], device["uuid"],
                              device["memoryBandwidth"]),
          ("Some GPU", 56, "00010203-0405-0607-0809-0a0b0c0d0e0f",
           732160000000))
    c.close()


def rows(c, sql):
    try:
        return c.execute(sql).fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def test_real(work, packed):
    """Counts of real files are SQL's."""
    name = os.path.basename(packed)
    path = os.path.join(work, "real")
    with gzip.open(packed) as source, open(path, "wb") as file:
        file.write(source.read())
    c = sqlite3.connect(path)
    trace = convert(packed)
    counts = [len(slices(trace, category)) for category in (
        "kernel", "gpu_memcpy", "gpu_memset", "cuda_sync")]
    tables = ("CUPTI_ACTIVITY_KIND_%s" % kind for kind in (
        "KERNEL", "MEMCPY", "MEMSET", "SYNCHRONIZATION"))
    equal(name + ": activities", counts, [
        rows(c, "SELECT count(*) FROM " + table) for table in tables])
    others = len(slices(trace)) - sum(counts)
    equal(name + ": ranges", others, sum(rows(c, sql) for sql in (
        "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME",
        "SELECT count(*) FROM NVTX_EVENTS WHERE eventType = 59",
        "SELECT count(*) FROM PROFILER_OVERHEAD",
        "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_OVERHEAD",
        "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_MARKER WHERE name <> 0")))
    equal(name + ": time of kernels",
          sum(e["dur"] for e in slices(trace, "kernel")),
          rows(c, "SELECT ifnull(sum(end - start), 0) "
                  "FROM CUPTI_ACTIVITY_KIND_KERNEL"))
    c.close()


def test_damage(work):
    """Truncated, or with changed bytes: a result, and a matching exit
    status."""
    chance = random.Random(6)
    path = os.path.join(work, "damaged")
    with open(os.path.join(work, "made.sqlite"), "rb") as file:
        whole = file.read()
    for i in range(24):
        content = bytearray(whole)
        if i < 8:
            del content[chance.randrange(100, len(content)):]
        else:
            for _ in range(1 + i):
                content[chance.randrange(100, len(content))] = \
                    chance.randrange(256)
        with open(path, "wb") as file:
            file.write(content)
        result = run("stats", "--strict", path)
        equal("damage %d" % i, result.returncode in (0, 3, 4), True)


def test_refused(work):
    path = os.path.join(work, "refused")
    other = sqlite3.connect(os.path.join(work, "other.db"))
    other.execute("CREATE TABLE people (name TEXT)")
    other.commit()
    other.close()
    with open(os.path.join(work, "other.db"), "rb") as file:
        database = file.read()
    for content, words in (
            (b'<?xml version="1.0"?>\n<session version="2">\n',
             "nvprof --export-profile"),
            (b"NVIDIA Tegra Profiler Report 2026@4@1\n\x0b",
             "nsys export --type sqlite"),
            (database, "not of nvprof or Nsight")):
        with open(path, "wb") as file:
            file.write(content)
        result = run("stats", path)
        equal("refusal: " + words, (result.returncode, result.stderr.decode(
        ).count("\n"), words in result.stderr.decode()), (3, 1, True))


def test_odd(work):
    """Values of every type in a table whose columns have no types."""
    path = os.path.join(work, "odd.sqlite")
    c = sqlite3.connect(path)
    c.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
    c.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, "
              "globalTid, correlationId, nameId)")
    odd = [None, "x", b"\0", 1.5, -1, 1 << 62, -(1 << 63), (1 << 63) - 1]
    chance = random.Random(7)
    for _ in range(500):
        c.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES "
                  "(?, ?, ?, ?, ?)", [chance.choice(odd) for _ in range(5)])
    c.commit()
    c.close()
    equal("odd values", run("stats", path).returncode, 0)


# Names as emit_nvtx() makes them, and the operators with their calls.
OPS = ["aten::to, seq = %d, op_id = %d" % (i, i + 1) for i in range(5)] + [
    "aten::mm, op_id = 9, sizes = [[2, 3], [3, 4]], input_op_ids = [(1,0)]",
    "AddBackward0, stashed seq=3", "step"]
OP_CALLS = {"aten::to": 5, "aten::mm": 1, "AddBackward0": 1, "step": 1}


def make_ops_nsys(path, ops):
    c = sqlite3.connect(path)
    sqlite_schemas.create(c, NSYS[-1])
    for i, op in enumerate(ops):
        add(c, "NVTX_EVENTS", start=100 * i, end=100 * i + 90, eventType=59,
            text=op, globalTid=global_id(1, 7), domainId=0)
    c.commit()


def make_ops_nvprof(path, ops):
    c = sqlite3.connect(path)
    sqlite_schemas.create(c, "nvprof 11")
    add(c, "Version", version=11)
    s = make_strings(c, "StringTable", "_id_", ops)
    for i, op in enumerate(ops, 1):
        for flags, name in ((2, s[op]), (4, 0)):
            add(c, "CUPTI_ACTIVITY_KIND_MARKER", flags=flags, id=i,
                timestamp=10**9 + 100 * i + 20 * flags, objectKind=2,
                objectId=object_id(1, 7), name=name, domain=0)
    c.commit()


def make_ops_log(path, ops):
    source = path + ".json"
    with open(source, "w") as file:
        json.dump([{"ph": "X", "name": op, "pid": 1, "tid": 1, "ts": 10 * i,
                    "dur": 9} for i, op in enumerate(ops)], file)
    run("convert", "-t", "log", "-o", path, source)


def test_ops(work):
    """Arguments in names of operators do not make each call a function."""
    for kind, make in (("nsys", make_ops_nsys), ("nvprof", make_ops_nvprof),
                       ("log", make_ops_log)):
        one = os.path.join(work, "ops-1." + kind)
        two = os.path.join(work, "ops-2." + kind)
        make(one, OPS)
        make(two, [op.replace("seq = ", "seq = 1") for op in OPS])
        for options in ((), ("--group=name",)):
            rows = json.loads(run("stats", "--json", *options, one).stdout)
            equal("%s: operators %s" % (kind, options), {
                row["name"]: row["ncalls"] for row in rows["rows"]}, OP_CALLS)
        found = run("diff", one, two).stdout.decode()
        for op in OP_CALLS:
            if op + ", " in found:
                fail("%s: diff has arguments of %s" % (kind, op))
        args = [event["args"] for event in slices(convert(one))
                if event["name"] == "aten::mm"]
        equal("%s: arguments" % kind, [
            {key: args[0].get(key) for key in ("op_id", "sizes",
                                               "input_op_ids")}],
            [{"op_id": 9, "sizes": "[[2, 3], [3, 4]]",
              "input_op_ids": "[(1,0)]"}])


def main(work, files):
    for version in NSYS:
        test_nsys(work, version)
    for base, version in ((1500000000000000000, 11), (73797031377977, 9)):
        test_nvprof(work, base, version)
    for packed in sorted(glob.glob(os.path.join(files, "*.gz"))):
        test_real(work, packed)
    test_ops(work)
    test_damage(work)
    test_refused(work)
    test_odd(work)
    return bool(FAILED)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
