# SPDX-License-Identifier: MIT
"""Every report as JSON or CSV matches doc/schemas, and is the same a second
time. If the schema or the report is changed, it no longer matches.

usage: schemas_check.py CTPROF PROGRAM SOURCE DIRECTORY
"""
import glob
import gzip
import json
import os
import re
import subprocess
import sys

from checks import fail, finish
from schemas_validate import (COLUMN, Refused, Schema, check_csv,
                              name_each)

CTPROF, PROGRAM, SOURCE, WORK = sys.argv[1:5]
TRACES = os.path.join(SOURCE, "tests", "traces")
SCHEMAS = os.path.join(SOURCE, "doc", "schemas")
# Members that cannot occur here: these have no captured parts of graphs, no
# file disappears while it is read, and all files are readable for some users.
UNSEEN = {"captured_device_ns", "vanished", "unreadable"}
# Each form: the schema's name, whether it has CSV, and the arguments.
FORMS = [
    ("stats", True, "stats", "log.ctp"),
    ("stats", True, "stats", "--callers", "--callees", "log.ctp"),
    ("stats", True, "stats", "--top", "1", "calls.folded"),
    ("stats", True, "stats", "--gpu", "--callers", "--callees", "sync"),
    ("stats", True, "stats", "--callers", "resnet"),
    ("stats", True, "stats", "device.ctp"),
    ("stats", True, "stats", "--group", "cat", "--callees", "ops.json"),
    ("stats", True, "stats", "--group", "shape", "--callees", "ops.json"),
    ("stats", True, "stats", "--group", "stack:2", "--callers", "ops.json"),
    ("threads", True, "stats", "--group", "thread", "log.ctp"),
    ("build", True, "stats", "--callers", "--callees", "build"),
    ("build", True, "stats", "--group", "header", "--top", "3", "build"),
    ("build", True, "stats", "--group", "name", "build"),
    ("findings", True, "findings", "resnet"),
    ("findings", True, "findings", "--sum", "sync", "resnet"),
    ("findings", True, "findings", "cut.json"),
    ("gaps", True, "gaps", "sync"),
    ("gaps", True, "gaps", "resnet"),
    ("optimize", True, "gaps", "--optimize", "2", "sync"),
    ("kernels", True, "kernels", "--top", "2", "resnet"),
    ("kernels", True, "kernels", "decode"),
    ("kernels_sum", True, "kernels", "--sum", "decode", "ops.json"),
    ("gaps_sum", True, "gaps", "--sum", "sync", "resnet"),
    ("kernels", True, "kernels", "ops.json"),
    ("compilations", True, "compilations", "graph_breaks", "inductor"),
    ("compilations", True, "compilations", "functions"),
    ("compilations", True, "compilations", "traced", "functions"),
    ("functions", True, "compilations", "--table=functions", "--callers",
     "traced"),
    ("compilations", True, "compilations", "cache_hits", "rustc", "nvcc",
     "build/main.cpp.json"),
    ("breaks", True, "compilations", "--table=breaks", "graph_breaks"),
    ("recompilations", True, "compilations", "--table=again",
     "graph_breaks"),
    ("phases", True, "phases", "build/main.cpp.json", "calls.folded"),
    ("phases", True, "phases", "--threads", "sync", "log.ctp"),
    ("ranks", True, "ranks", "sync", "rank0.json", "rank1.json",
     "build/main.cpp.json"),
    ("ranks", True, "ranks", "--by", "host", "node_1.2.pt.trace.json",
     "rank0.json"),
    ("diff", True, "diff", "before", "after"),
    ("diff", True, "diff", "--top", "1", "calls.folded", "slow.folded"),
    ("diff", True, "diff", "1.callgrind", "2.callgrind"),
    ("check", True, "check", "--all", "before", "after"),
    ("check", True, "check", "1.callgrind", "2.callgrind"),
    ("check", True, "check", "calls.folded", "slow.folded"),
    ("info", False, "info", "log.ctp"),
    ("info", False, "info", "sync"),
    ("info", False, "info", "cut.json"),
    ("info", False, "info", "modules.ctp", "device.ctp"),
    ("info_sum", False, "info", "--sum", "sync", "log.ctp"),
    ("formats", False, "formats"),
    ("repair", False, "repair"),
    ("repair", False, "repair", "cut.json", "-o", "mended.json", "--force"),
]

def save(name, content):
    with open(os.path.join(WORK, name), "wb") as out:
        out.write(content)


def link(name, *path):
    os.symlink(os.path.join(SOURCE, "tests", *path), os.path.join(WORK, name))


def make_collectives(rank):
    """A step of a rank that waits for the next one in an all-reduce, and a
    broadcast that the profiler does not describe."""
    described = {"Collective name": "allreduce", "In msg nelems": 1000,
                 "Out msg nelems": 1000, "Group size": 2, "dtype": "Float",
                 "Process Group Name": "0", "Seq": 7,
                 "Process Group Ranks": "[0, 1]"}
    kernels = ("gemm", 10, {}), ("ncclDevKernel_Broadcast_RING_LL", 3, {}), (
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 9 - 4 * rank, described)
    events = [{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1",
               "pid": 9, "tid": 9, "ts": 100, "dur": 60 - rank * 20}]
    for number, (name, dur, args) in enumerate(kernels, 1):
        events += [
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel",
             "pid": 9, "tid": 9, "ts": 100 + number, "dur": .5,
             "args": {"correlation": number}},
            {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7,
             "ts": 100 + 10 * number, "dur": dur,
             "args": {"device": 0, "stream": 7, "correlation": number,
                      **args}}]
    return {"distributedInfo": {"rank": rank, "world_size": 2},
            "traceEvents": events}


# All the members of PyTorch's operations, and of their launches.
def make_ops():
    def event(name, start, time, category, tid=1, pid=1, **args):
        return {"ph": "X", "pid": pid, "tid": tid, "name": name, "ts": start,
                "dur": time, "cat": category, "args": args}

    def memory(start, change, kind, name="[memory]"):
        return {"ph": "i", "s": "t", "pid": 1, "tid": 1, "name": name,
                "ts": start, "cat": "cpu_instant_event", "args": {
                    "Bytes": change, "Device Type": kind, "Device Id": 0,
                    "Total Allocated": 512, "Total Reserved": 1024,
                    "Addr": start}}

    def kernel(start, **args):
        return event("sgemm_128x64", start, 5, "kernel", tid=7, pid=0,
                     device=0, stream=7, **args)
    gemm = {"Input Dims": [[64, 32], [32, 16]], "External id": 5,
            "Input type": ["float", "float"],
            "Call stack": "inner.py(3): g;outer.py(8): f"}
    return {
        "schemaVersion": 1, "deviceProperties": [
            {"id": 0, "name": "NVIDIA H100 PCIe", "numSms": 114}],
        "traceEvents": [
            event("outer.py(8): f", 0, 100, "python_function"),
            event("inner.py(3): g", 5, 80, "python_function"),
            event("aten::mm", 10, 50, "cpu_op", **gemm),
            event("aten::empty", 12, 5, "cpu_op"),
            memory(13, 512, 0), memory(14, 256, 1),
            memory(15, 1024, 1, "[OutOfMemory]"),
            memory(16, 2048, 0, "[OutOfMemory]"),
            event("cudaLaunchKernel", 20, 5, "cuda_runtime", correlation=9,
                  **{"External id": 5}),
            kernel(30, correlation=9, **{"External id": 5}),
            kernel(50, correlation=10, **{"External id": 6}),
        ]}


def make_inputs():
    main = os.path.join(TRACES, "self-win-clang-19.1_main.json.gz")
    os.mkdir(os.path.join(WORK, "build"))
    with gzip.open(main) as trace:
        save("build/main.cpp.json", trace.read())
    save("build/empty.json", b"")
    save("build/not.json", b'{"version":3}')
    save("build/begun.json", b'{"traceEvents":[{"pid":1,')
    save("build/other.json", json.dumps(make_ops()).encode())
    os.symlink("main.cpp.json", os.path.join(WORK, "build", "link.json"))
    save("ops.json", json.dumps(make_ops()).encode())
    for rank, name in enumerate(("rank0.json", "rank1.json",
                                 "node_1.2.pt.trace.json")):
        save(name, json.dumps(make_collectives(rank)).encode())
    save("cut.json", json.dumps(make_ops()).encode()[:-30])
    save("calls.folded", b"main;b;a 7000\nmain;a 9000\nmain 3000\ngone 1\n")
    save("slow.folded", b"main;b;a 7000\nmain;a 20000\nmain 3000\nnew 1\n")
    for version in b"1", b"2":
        save(version.decode() + ".callgrind", b"events: ns\nfl=/v/" + version +
             b"/a.c\nfn=f\n1 1000\n")
    link("sync", "traces", "a100_simple_add_cuda_sync.json.gz")
    link("resnet", "traces", "v100_resnet50_2020_piece.json.gz")
    link("decode", "traces", "mi300_vllm_graph_decode.json.gz")
    link("graph_breaks", "traces", "torch_trace_graph_breaks.log.gz")
    link("functions", "traces", "torch_trace_functions.log.gz")
    link("traced", "traces", "compile/functions.json.gz")
    link("inductor", "traces", "torch_trace_inductor.log.gz")
    link("cache_hits", "traces", "torch_trace_cache_hits.log.gz")
    link("rustc", "traces", "rustc_1.95.json.gz")
    link("nvcc", "traces", "nvcc_13.0.json.gz")
    link("before", "bin", "compare", "diff", "compare_base.json.gz")
    link("after", "bin", "compare", "diff", "compare_test.json.gz")
    record("log.ctp")
    record("killed.ctp", "kill", "9")


def record(log, *arguments):
    subprocess.run([PROGRAM, *arguments], check=False, cwd=WORK,
                   env={**os.environ, "CTPROF_OUT": log})


def run(style, arguments):
    """The output, which is the same twice."""
    command = arguments[0]
    whole = [CTPROF, command, style, *arguments[1:]]
    if command != "formats":
        whole.append("-q")
    once, again = (subprocess.run(whole, cwd=WORK, check=False,
                                  capture_output=True) for _ in range(2))
    if once.stdout != again.stdout:
        fail(f"{whole[1:]}: is not the same a second time")
    # A gate that finds a slowdown exits with 1.
    if once.returncode != 0 and (command, once.returncode) != ("check", 1):
        fail(f"{whole[1:]}: status {once.returncode}: {once.stderr}")
    return once.stdout.decode()


def load(name):
    with open(os.path.join(SCHEMAS, name), encoding="utf-8") as file:
        return json.load(file)


def is_refused(schema, value):
    try:
        schema.validate(value)
    except Refused:
        return True
    return False


def check_refusals(schema, what, value):
    """A report without a member that all reports have, with one more, or with
    a member of another type, is refused."""
    fixed = {"schema", "inputs", "lost", "notes", "truncated", "rows"}
    for key in fixed & value.keys():
        rest = {other: value[other] for other in value if other != key}
        if not is_refused(schema, rest):
            fail(f"{what}: does without {key}")
    for key in value:
        if not is_refused(schema, {**value, key: 1.5}):
            fail(f"{what}: {key} may be 1.5")
    if not is_refused(schema, {**value, "more": 1}):
        fail(f"{what}: may have more")


def objects_of(part):
    """The descriptions of objects in a schema."""
    if isinstance(part, dict):
        if isinstance(part.get("properties"), dict) and "type" in part:
            yield part
        for member in part.values():
            yield from objects_of(member)
    elif isinstance(part, list):
        for member in part:
            yield from objects_of(member)


def check_words(name, document):
    """It has the name of its report, and describes each member."""
    if document["$id"] != f"ctprof/{name}/1":
        fail(f"{name}: $id is {document['$id']}")
    for part in objects_of(document):
        for key, member in part["properties"].items():
            if "$ref" in member:
                word = member["$ref"].rpartition("/")[2]
                member = document["$defs"][word]
            if "description" not in member:
                fail(f"{name}: nothing is said of {key}")
            elif key.endswith("_ns") and \
                    "nanoseconds" not in member["description"]:
                fail(f"{name}: {key} has no unit")


def check_members(name, schema, reports):
    """Each member was in a report, which a schema without it refuses."""
    for part in objects_of(schema.document):
        for key, member in list(part["properties"].items()):
            if id(member) in schema.seen:
                del part["properties"][key]
                if not any(is_refused(schema, report) for report in reports):
                    fail(f"{name}: {key} is not missed")
                part["properties"][key] = member
            elif key not in UNSEEN:
                fail(f"{name}: {key} was in no report")


def check_json(name, schema, what, text):
    """Returns the reports, one a line."""
    reports = [json.loads(line) for line in text.splitlines()]
    for report in reports:
        try:
            schema.validate(report)
            check_refusals(schema, what, report)
        except Refused as why:
            fail(f"{what}: {why}")
        if report["schema"] != f"ctprof/{name}/1":
            fail(f"{what}: is no {name}")
    if not reports:
        fail(f"{what}: is empty")
    return reports


def check_columns(name, columns, what, text):
    """Returns the columns found. Without one, or with a word in place of a
    number, the CSV is refused."""
    def refuses(wanted, text):
        try:
            check_csv(wanted, text)
        except Refused as why:
            return why
        return None
    why = refuses(columns, text)
    if why is not None:
        fail(f"{what}: {why}")
        return set()
    header = text.splitlines()[0].split(",")
    columns = name_each(columns, header)
    for gone in header:
        if not refuses([column for column in columns
                        if column["name"] != gone], text):
            fail(f"{what}: {name} does without {gone}")
    if not refuses(columns, text + ",".join("x" for _ in header) + "\n"):
        fail(f"{what}: numbers may be words")
    return {column.get("like", column["name"])
            for column in columns if column["name"] in header}


def check_documents():
    """Every schema in the sources has its document, and vice versa."""
    found = set()
    for path in glob.glob(os.path.join(SOURCE, "bin", "**", "*.c"),
                          recursive=True):
        with open(path, encoding="utf-8") as file:
            found.update(re.findall(r'"ctprof/([a-z_]+)/1"', file.read()))
    documents = {os.path.basename(path).removesuffix("-1.json")
                 for path in glob.glob(os.path.join(SCHEMAS, "*-1.json"))}
    if found != documents or found != {form[0] for form in FORMS}:
        fail(f"in the sources {found}, documents {documents}")
    tables = {os.path.basename(path).removesuffix("-1.csv.json")
              for path in glob.glob(os.path.join(SCHEMAS, "*.csv.json"))}
    if tables != {form[0] for form in FORMS if form[1]}:
        fail(f"documents of CSV: {tables}")


def check_form(name):
    schema = Schema(load(f"{name}-1.json"))
    forms = [form for form in FORMS if form[0] == name]
    check_words(name, schema.document)
    reports = []
    for _, _, *arguments in forms:
        text = run("--json", arguments)
        reports += check_json(name, schema, arguments, text)
    check_members(name, schema, reports)
    if not forms[0][1]:
        return
    table = load(f"{name}-1.csv.json")
    if table["$id"] != f"ctprof/{name}/1.csv":
        fail(f"{name}: $id is {table['$id']}")
    there = set()
    for _, _, *arguments in forms:
        text = run("--csv", arguments)
        there |= check_columns(name, table["columns"], arguments, text)
    for column in table["columns"]:
        if set(column) - COLUMN or not column["description"] or \
                column["name"].endswith("_ns") != (column.get("unit") == "ns"):
            fail(f"{name}: {column}")
        if column["name"] not in there | UNSEEN:
            fail(f"{name}: the column {column['name']} is in no table")


make_inputs()
check_documents()
for form in dict.fromkeys(form[0] for form in FORMS):
    check_form(form)
finish()
