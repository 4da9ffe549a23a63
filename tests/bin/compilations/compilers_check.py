# SPDX-License-Identifier: MIT
"""Checks `ctprof compilations` of other compilers than torch.compile():
compilers_check.py TRACES WORK.

The oracle computes the parts of each compilation from the JSON by itself."""
import collections
import csv
import fnmatch
import gzip
import io
import json
import pathlib
import shutil
import subprocess
import sys

from checks import check, equal, finish, output, run

PARTS = ("front_end_ns", "optimizer_ns", "code_ns", "host_ns", "linker_ns",
         "waiting_ns")
MAX = 2 ** 64 - 1

CLANG = {"Frontend": "front_end_ns", "Backend": "code_ns",
         "Optimizer": "optimizer_ns", "PerModulePasses": "optimizer_ns",
         "PerFunctionPasses": "optimizer_ns", "CodeGenPasses": "code_ns"}
NVCC = {"gcc (preprocessing *)": "front_end_ns", "cudafe++": "front_end_ns",
        "CUDA C++ Front-End": "front_end_ns", "LibNVVM": "optimizer_ns",
        "NVVM Optimizer": "optimizer_ns", "NVVM CodeGen": "code_ns",
        "Total PTXAS Time": "code_ns", "ptxas": "code_ns",
        "gcc (compiling)": "host_ns", "fatbinary": "linker_ns",
        "nvlink": "linker_ns", "gcc (linking)": "linker_ns"}
RUSTC = {"codegen_crate": "code_ns", "codegen_module": "code_ns",
         "LLVM_module_codegen*": "code_ns",
         "codegen_module_optimize": "optimizer_ns",
         "codegen_module_perform_lto": "optimizer_ns",
         "LLVM_module_optimize": "optimizer_ns", "LLVM_lto_*": "optimizer_ns",
         "LLVM_passes": "idle", "LLVM_thinlto": "idle",
         "finish_ongoing_codegen": "waiting_ns",
         "join_worker_thread": "waiting_ns", "link*": "linker_ns"}
XLA = {"HLO passes *": "optimizer_ns", "CpuCompiler::RunBackend": "code_ns"}


def load(path):
    """The complete ranges of a trace, in nanoseconds."""
    text = gzip.open(path).read() if path.suffix == ".gz" else path.read_bytes()
    document = json.loads(text)
    events = (document if isinstance(document, list)
              else document["traceEvents"])
    return document, [
        {**event, "begin": round(event["ts"] * 1000),
         "end": round(event["ts"] * 1000) + round(event["dur"] * 1000)}
        for event in events
        if event.get("ph") == "X" and
        not event["name"].startswith("Total ") or
        event.get("name") == "Total PTXAS Time"]


def own_times(events, mapping, default=None):
    """The time of each part by the innermost range that has one."""
    sums = collections.Counter()
    threads = collections.defaultdict(list)
    for event in events:
        threads[event["pid"], event["tid"]].append(event)
    for ranges in threads.values():
        ranges.sort(key=lambda event: (event["begin"], -event["end"]))
        stack = []
        last = None

        def pop_until(time):
            nonlocal last
            while stack and stack[-1][0] <= time:
                end, part = stack.pop()
                sums[part] += end - last
                last = end
            if stack and last is not None:
                sums[stack[-1][1]] += time - last
            last = time
        for event in ranges:
            pop_until(event["begin"])
            part = stack[-1][1] if stack else default
            for glob, name in mapping.items():
                if fnmatch.fnmatchcase(event["name"], glob):
                    part = name
            end = min(event["end"], stack[-1][0]) if stack else event["end"]
            stack.append((end, part))
        pop_until(float("inf"))
    return sums


def span(events):
    return (max(event["end"] for event in events) -
            min(event["begin"] for event in events))


def report(*arguments):
    return json.loads(output("compilations", "--json", "-q", *arguments))


def check_sum(name, row):
    """The identity that the manual promises."""
    parts = sum(row.get(part) or 0 for part in (
        *PARTS, "dynamo_ns", "aot_autograd_ns", "inductor_ns", "other_ns"))
    equal(f"{name}: the parts add up", parts - (row.get("parallel_ns") or 0),
          row["total_ns"])


def check_parts(name, row, sums):
    for part in PARTS:
        if part in row and row[part] is not None:
            equal(f"{name}: {part}", row[part], sums[part])
    check_sum(name, row)


def one(path, compiler):
    rows = report(path)["compilations"]
    equal(f"{path.name}: one compilation", [row["compiler"] for row in rows],
          [compiler])
    return rows[0]


def check_clang(path):
    row = one(path, "clang")
    document, events = load(path)
    root, = (event for event in events if event["name"] == "ExecuteCompiler")
    inside = [event for event in events if event["tid"] == root["tid"]]
    equal("clang: total", row["total_ns"], span([root]))
    check_parts("clang", row, own_times(inside, CLANG))
    equal("clang: headers", row["headers"], sum(
        event["name"] == "Source" and event["ph"] in "bX"
        for event in document["traceEvents"]))
    equal("clang: templates", row["templates"], sum(
        event["name"] in ("InstantiateClass", "InstantiateFunction")
        for event in events))
    equal("clang: the file", row["file"], next(
        event["args"]["detail"] for event in events
        if event["name"] == "OptModule"))
    check("dynamo_ns" not in row and "host_ns" not in row and
          "id" not in row, "clang has no facts of others", row)


def check_installed_clang(work):
    """All ranges of a small file, whichever version of clang is here."""
    source = work / "small.cpp"
    source.write_text("#include <vector>\ntemplate <class T> T twice(T x) "
                      "{ return x + x; }\nint main() { std::vector<int> v; "
                      "v.push_back(twice(2)); return v[0] + twice(1.5); }\n")
    done = shutil.which("clang++") and subprocess.run([
        "clang++", "-O1", "-ftime-trace", "-ftime-trace-granularity=0", "-c",
        source, "-o", work / "small.o"], check=False)
    if done and done.returncode == 0 and (work / "small.json").exists():
        check_clang(work / "small.json")
    else:
        print("skipped: clang++ cannot compile C++ here")


def check_nvcc(path):
    row = one(path, "nvcc")
    document, events = load(path)
    equal("nvcc: total", row["total_ns"], span(events))
    check_parts("nvcc", row, own_times(events, NVCC))
    equal("nvcc: headers", row["headers"], sum(
        event["name"] == "Processing Header File" for event in events))
    equal("nvcc: the file", row["file"],
          ", ".join(document["otherData"]["inputFiles"]))


def check_rustc(path):
    row = one(path, "rustc")
    events = load(path)[1]
    equal("rustc: total", row["total_ns"], span(events))
    check_parts("rustc", row, own_times(events, RUSTC, "front_end_ns"))
    equal("rustc: codegen units", row["codegen_units"], sum(
        event["name"] == "codegen_module" for event in events))
    equal("rustc: the crate", row["function"], "tiny")


def check_xla(path):
    """JAX waits while a thread of XLA compiles."""
    rows = report(path)["compilations"]
    events = load(path)[1]
    compiled = sorted((event for event in events
                       if event["name"] == "backend_compile_and_load"),
                      key=lambda event: event["begin"])
    lowered = [event for event in events
               if event["name"] == "lower_sharding_computation"]
    wanted = []
    for event in compiled:
        before = max((found for found in lowered
                      if found["end"] <= event["begin"]),
                     key=lambda found: found["end"])
        inside = [found for found in events if found is not event and
                  event["begin"] <= found["begin"] < event["end"] and
                  found["tid"] != event["tid"]]
        helper, = (found["tid"] for found in inside
                   if found["name"] == "PjRtCpuClient::Compile")
        sums = own_times([found for found in inside
                          if found["tid"] == helper], XLA)
        module, = (found["args"]["name"] for found in inside
                   if found["name"] == "CpuCompiler::RunBackend")
        caller = [found["name"] for found in events
                  if found["name"].startswith("PjitFunction(") and
                  found["begin"] <= event["begin"] < found["end"]]
        wanted.append((span([before]) + span([event]), span([before]),
                       sums["optimizer_ns"], sums["code_ns"], module,
                       "jit_" + caller[-1][13:-1]))
    equal("xla", [(row["total_ns"], row["front_end_ns"], row["optimizer_ns"],
                   row["code_ns"], row["id"], "jit_" + row["function"])
                  for row in rows], sorted(wanted, reverse=True))
    equal("xla: modules", [row["id"] for row in rows],
          ["jit_" + row["function"] for row in rows])
    for row in rows:
        check_sum("xla", row)


def check_mixed(traces, work):
    """One table; each row has its own facts only."""
    paths = [traces / name for name in (
        "self-win-clang-19.1_main.json.gz", "nvcc_13.0.json.gz",
        "rustc_1.95.json.gz", "jax_0.10_compile.json.gz",
        "torch_trace_cache_hits.log.gz")]
    mixed = report(*paths)
    rows = mixed["compilations"]
    equal("compilers", collections.Counter(row["compiler"] for row in rows),
          {"clang": 1, "nvcc": 1, "rustc": 1, "xla": 7, "pytorch": 4})
    for key in ("total_ns", *PARTS, "other_ns", "parallel_ns"):
        equal(f"the sum of {key}", mixed[key],
              sum(row.get(key) or 0 for row in rows))
    for row in rows:
        if row["compiler"] in ("clang", "rustc"):
            check(row["id"] is None and row["direction"] is None and
                  row.get("dynamo_ns") is None, "no facts of PyTorch", row)
    lines = list(csv.DictReader(io.StringIO(
        output("compilations", "--csv", "-q", *paths).decode())))
    equal("CSV", [line["compiler"] for line in lines],
          [row["compiler"] for row in rows])
    text = output("compilations", paths[0]).decode().split("\n")[1]
    check("compiler" in text and "headers" in text and "Dynamo" not in text and
          "host" not in text and "outcome" not in text,
          "the text has only columns with facts", text)
    logs = work / "round.ctp"
    output("convert", "-q", paths[0], "-o", logs)
    converted = report(logs)["compilations"][0]
    for key in ("total_ns", *PARTS[:3], "headers", "file"):
        equal(f"converted: {key}", converted[key],
              report(paths[0])["compilations"][0][key])


def check_page(traces, work):
    """The page's ranges have details in their names."""
    for name in ("self-win-clang-19.1_main", "nvcc_13.0", "rustc_1.95",
                 "jax_0.10_compile"):
        path = traces / f"{name}.json.gz"
        page = work / f"{name}.html"
        output("report", "-q", path, "-o", page)
        text = page.read_text()
        at = text.index('"compile":') + len('"compile":')
        table = json.JSONDecoder().raw_decode(text[at:])[0]["compilations"]
        row = report(path)["compilations"][0]
        for key in ("total_ns", "front_end_ns", "headers", "templates", "file",
                    "function"):
            title = key.removesuffix("_ns").replace("_", " ")
            titles = [column["title"] for column in table["columns"]]
            if title in titles:
                equal(f"{name}: {key} on the page",
                      table["rows"][0][titles.index(title)], row[key])


def check_directory(traces, work):
    """A tree of builds has other files, too."""
    tree = work / "build"
    (tree / "src").mkdir(parents=True)
    for name in "ab":
        (tree / "src" / f"{name}.json").write_bytes(gzip.open(
            traces / "self-win-clang-19.1_main.json.gz").read())
    shutil.copy(traces / "old.json.gz", tree)
    (tree / "compile_commands.json").write_text('[{"file": "a.cpp"}]')
    (tree / "empty.json").write_text("")
    (tree / "cut.json").write_text('{"traceEvents": [{"ph": 3')
    done = run("compilations", "--json", tree)
    rows = json.loads(done.stdout)["compilations"]
    equal("a tree of builds", (
        done.returncode, [pathlib.Path(row["input"]).name for row in rows]),
        (0, ["a.json", "b.json"]))
    check(b"left out" in done.stderr and done.stderr.count(b"\n") == 1,
          "files without compilations are counted", done.stderr)
    done = run("compilations", "--json", work / "nothing.json")
    equal("a missing file", done.returncode, 3)


def complete(name, begin, duration, **members):
    return {"ph": "X", "pid": 1, "tid": 1, "name": name, "ts": begin,
            "dur": duration, **members}


def compilations(work, events, **members):
    path = work / "case.json"
    path.write_text(json.dumps({"traceEvents": events, **members}))
    return report(path)


def check_forms(work):
    """Ranges in any combination, and those of other programs."""
    rows = compilations(work, [
        complete("ExecuteCompiler", 0, 100), complete("Frontend", 10, 20),
        complete("ExecuteCompiler", 40, 10),
        complete("ExecuteCompiler", 200, 50), complete("Backend", 200, 50),
        complete("ExecuteLinker", 300, 7)])["compilations"]
    equal("compilations in one trace", [
        (row["compiler"], row["total_ns"], row.get("front_end_ns"),
         row.get("code_ns"), row.get("linker_ns"), row["other_ns"])
        for row in rows], [
            ("clang", 100000, 20000, 0, None, 80000),
            ("clang", 50000, 0, 50000, None, 0),
            ("lld", 7000, None, None, 7000, 0)])
    equal("ranges of other programs", compilations(work, [
        complete("fatbinary", 0, 5), complete("link", 5, 5),
        complete("Query", 10, 5, cat="Query"),
        complete("backend_compile", 15, 5, cat="mine"),
        complete("Source", 20, 5), complete("OptModule", 25, 5,
                                            args={"detail": "x"})])[
            "compilation_count"], 0)
    rows = compilations(work, [
        complete("TSL:XlaCompile:#module=jit_f,program_id=1#", 0, 100),
        complete("TSL:XlaCompileBackend:#module=jit_f,program_id=1#", 30, 50)
    ])["compilations"]
    equal("XLA for GPUs", [(row["compiler"], row["id"], row["optimizer_ns"],
                            row["code_ns"]) for row in rows],
          [("xla", "jit_f", 50000, 50000)])
    rows = compilations(work, [
        complete("cudafe++", 0, 5)], otherData={
            "inputFiles": ["a\"\\\u00e9.cu", "b.cu"]})["compilations"]
    equal("nvcc's files", rows[0]["file"], "a\"\\\u00e9.cu, b.cu")
    rows = compilations(work, [
        complete(name, begin, 5, cat="GenericActivity", pid=pid)
        for pid, begin in ((1, 0), (2, 3), (1, 30))
        for name in ("parse_crate", "link")])["compilations"]
    equal("a crate for each process", [
        (row["total_ns"], row["function"], row["front_end_ns"],
         row["linker_ns"]) for row in rows],
        [(35000, None, 0, 10000), (5000, None, 0, 5000)])


def check_hostile(work):
    """Times of any size; ranges that end never, twice, or before they begin."""
    huge = 9223372036854775
    path = [work / f"huge{number}.json" for number in range(3)]
    for file in path:
        file.write_text(json.dumps({"traceEvents": [
            complete("ExecuteCompiler", 0, huge), complete("Frontend", 0, huge),
            complete("Backend", huge - 1, 2 ** 62)]}))
    rows = report(*path)
    check(all(row["total_ns"] > 2 ** 62 for row in rows["compilations"]),
          "long compilations", rows["compilations"])
    equal("sums saturate", (rows["total_ns"], rows["front_end_ns"]),
          (MAX, MAX))
    output("compilations", *path)
    for ranges in (
            [{"ph": "B", "name": "ExecuteCompiler"}] * 3,
            [{"ph": "E", "name": "ExecuteCompiler"}] * 3,
            [complete("ExecuteCompiler", -2 ** 62, 2 ** 63 / 1000)],
            [complete("ExecuteCompiler", 5, -5)],
            [complete("cudafe++", 2 ** 52, 1), complete("cudafe++", -2 ** 52,
                                                        1)],
            [{"ph": "b", "cat": "Source", "name": "Source", "id": 1}] * 2,
            [{"ph": "B", "name": name, "cat": "Query"} for name in
             ("lower_sharding_computation", "A::RunBackend", "X" * 9999)]):
        events = [{"pid": 1, "tid": 1, "ts": 7, **event} for event in ranges]
        run_one = work / "hostile.json"
        run_one.write_text(json.dumps({"traceEvents": events}))
        done = run("compilations", "--json", run_one)
        check(done.returncode == 0 and json.loads(done.stdout),
              f"hostile ranges: {str(ranges)[:60]}", done)
    (work / "hostile.json").write_text(json.dumps({
        "traceEvents": [complete("cudafe++", 0, 1)],
        "otherData": {"inputFiles": "\\"}}))
    output("compilations", work / "hostile.json")


def main():
    traces, work = map(pathlib.Path, sys.argv[1:])
    check_clang(traces / "self-win-clang-19.1_main.json.gz")
    check_installed_clang(work)
    check_nvcc(traces / "nvcc_13.0.json.gz")
    check_rustc(traces / "rustc_1.95.json.gz")
    check_xla(traces / "jax_0.10_compile.json.gz")
    check_mixed(traces, work)
    check_page(traces, work)
    check_directory(traces, work)
    check_forms(work)
    check_hostile(work)
    finish()


main()
