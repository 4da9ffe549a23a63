# SPDX-License-Identifier: MIT
"""Compares ctprof phases with times counted by hand, and by a slow method.

usage: phases_check.py CTPROF DIRECTORY TRACES
"""
import decimal
import json
import os
import random
import subprocess
import sys
import types

import checks
from checks import equal, events_of, finish, read_json
from phases_oracle import IDLE, UNKNOWN, Range, Rules, count, write

CTPROF, WORK, TRACES = sys.argv[1:4]


def run(*arguments):
    return checks.run("phases", *arguments, text=True)


def path_of(name):
    return os.path.join(WORK, name)


def save(name, text):
    with open(path_of(name), "w", encoding="utf-8", newline="") as out:
        out.write(text)
    return path_of(name)


def report(*arguments):
    done = run("--json", "--threads", *arguments)
    equal(f"{arguments}: status", (done.returncode, done.stderr), (0, ""))
    return json.loads(done.stdout)


def rows_of(document):
    return {row["phase"]: (row["count"], row["self_ns"], row["total_ns"])
            for row in document["rows"]}


def compare(what, document, rules, ranges):
    """A report on one trace equals the oracle's; all of it adds up."""
    sums, by_thread = count(rules, ranges)
    equal(what, rows_of(document), sums)
    equal(f"{what}: order", [row["phase"] for row in document["rows"]],
          [phase for phase in rules.phases + [UNKNOWN, IDLE]
           if phase in sums])
    threads = {thread["tid"]: thread for thread in document["threads"]}
    equal(f"{what}: threads", sorted(threads), sorted(by_thread))
    for tid, thread in threads.items():
        own = [one for one in ranges if one.tid == tid and
               (not one.is_async or rules.find(one))]
        wall = max(one.end for one in own) - min(one.start for one in own)
        equal(f"{what}: {tid}: wall", thread["wall_ns"], wall)
        equal(f"{what}: {tid}: sum", sum(thread["phases"].values()), wall)
        equal(f"{what}: {tid}", thread["phases"],
              {phase: figures[1] for phase, figures in
               by_thread[tid].items()})
    equal(f"{what}: wall", document["sets"][0]["wall_ns"],
          sum(thread["wall_ns"] for thread in threads.values()))


# ---- counted by hand -------------------------------------------------------

RULES = r"""# of the test
phase outer
name a
phase  in ner
name	b*
name \*c
phase limited
file *.py
name d
category k*
name e
phase outer
async w
again ag*
"""

HAND = [
    Range(1, 0, 100, "a"), Range(1, 10, 40, "zz"), Range(1, 15, 20, "bx"),
    Range(1, 20, 30, "a"), Range(1, 50, 60, "*c"), Range(1, 60, 61, "xc"),
    Range(1, 150, 160, "zz"), Range(1, 155, 158, "d", "f.py",
                                    "python_function"),
    Range(1, 170, 171, "d"),
    Range(2, 1000, 2000, "e", "f.py", "python_function"),
    Range(2, 1100, 1200, "b"),
    # Ranges reported twice count once, but not in another phase.
    Range(4, 0, 50, "a"), Range(4, 1, 49, "again"), Range(4, 2, 30, "bx"),
    Range(4, 3, 20, "again"), Range(4, 50, 60, "again"),
    # Not nested: from 40 to 120; ranges that begin in it are in "bx".
    Range(3, 0, 90, "zz"), Range(3, 41, 120, "w", is_async=True),
    Range(3, 50, 70, "b"), Range(3, 60, 66, "q"),
    Range(3, 45, 125, "nobody asks", is_async=True),
]
WANTED = {
    1: {"outer": 85, "in ner": 15, "limited": 3, UNKNOWN: 8, IDLE: 60},
    2: {UNKNOWN: 900, "in ner": 100},
    3: {"outer": 59, "in ner": 20, UNKNOWN: 41},
    4: {"outer": 49, "in ner": 11},
}
HAND_ROWS = {
    "outer": (6, 193, 239), "in ner": (5, 146, 163), "limited": (1, 3, 3),
    UNKNOWN: (0, 949, 949), IDLE: (0, 60, 60),
}


def check_hand():
    rules = save("hand.rules", RULES)
    trace = path_of("hand.json")
    write(trace, HAND)
    document = report("--rules", rules, trace)
    equal("hand: rows", rows_of(document), HAND_ROWS)
    equal("hand", {thread["tid"]: thread["phases"]
                   for thread in document["threads"]}, WANTED)
    compare("hand, by the oracle", document, Rules(RULES), HAND)
    equal("hand: what it is", (
        document["schema"], document["inputs"], document["sets"]),
        ("ctprof/phases/1", [trace], [{
            "rules": rules, "inputs": 1, "flat": 0, "threads": 4,
            "wall_ns": 171 + 1000 + 120 + 60}]))
    text = run("--rules", rules, trace).stdout.splitlines()
    equal("hand: text", [line.split()[0] for line in text[2:]],
          ["0.193", "0.146", "0.003", "0.949", "0.060"])
    csv = run("--rules", rules, "--csv", trace).stdout.splitlines()
    equal("hand: csv", csv, ["rules,phase,count,self_ns,total_ns"] + [
        "%s,%s,%d,%d,%d" % (rules, phase, *figures)
        for phase, figures in HAND_ROWS.items()])
    csv = run("--rules", rules, "--csv", "--threads", trace).stdout
    equal("hand: csv of threads", sum(
        int(line.split(",")[7]) for line in csv.splitlines()[1:]), 1351)
    # The same for the log made from it.
    log = path_of("hand.ctp")
    subprocess.run([CTPROF, "convert", "-q", trace, "-o", log], check=True)
    equal("hand: as a log", rows_of(report("--rules", rules, log)), HAND_ROWS)


# ---- random ----------------------------------------------------------------

def nest(rng, tid, start, end, depth):
    """Ranges that nest between two moments, which are even."""
    at = start
    while at < end and rng.random() < 0.8:
        first = rng.randrange(at, end + 1, 2)
        last = rng.randrange(first, end + 1, 2)
        python = rng.random() < 0.3
        yield Range(tid, first, last, rng.choice(
            ("a", "ag", "b", "bb", "*c", "d", "e", "zz", "")),
            "g.py" if python else "",
            "python_function" if python else rng.choice(("x", "k", "k2")))
        if depth > 0:
            yield from nest(rng, tid, first, last, depth - 1)
        at = last


def check_random():
    rules = save("random.rules", RULES)
    for seed in range(12):
        rng = random.Random(seed)
        ranges = []
        for tid in range(1, 4):
            ranges += nest(rng, tid, 0, 4000, 4)
            # At odd moments, so that nothing begins or ends with them.
            for _ in range(rng.randrange(4)):
                start = rng.randrange(1, 4000, 2)
                ranges.append(Range(tid, start, rng.randrange(
                    start + 2, 4200, 2), rng.choice("wv"), is_async=True))
        trace = path_of("random.json")
        write(trace, ranges)
        compare(f"seed {seed}", report("--rules", rules, trace), Rules(RULES),
                ranges)


# ---- the supplied rules ---------------------------------------------------

def shipped(name):
    return Rules(run("--show-rules", name).stdout)


# The calls of torch.compile(), with the phase of each.
DYNAMO = ("dynamo", "Dynamo", [("entire_frame_compile", "Dynamo", [
    ("bytecode_tracing (dynamo_timed)", "Dynamo", []),
    ("OutputGraph.call_user_compiler", "Dynamo", [
        ("_recursive_pre_grad_passes", "Inductor passes", []),
        ("create_aot_dispatcher_function", "AOTAutograd", [
            ("aot_collect_metadata", "AOTAutograd", []),
            ("AOTAutogradCache.lookup", "caches", []),
            ("aten::mm", "AOTAutograd", []),
            ("compile_fx.<locals>.fw_compiler_base", "Inductor", [
                ("compile_fx_inner", "Inductor", [
                    ("inductor_codecache_torch_key", "caches", [
                        ("FxGraphCache.load", "caches", [])]),
                    ("GraphLowering.run", "Inductor lowering", []),
                    ("code_gen",
                     "Inductor code generation", [
                         ("Scheduler.__init__", "Inductor scheduling", []),
                         ("Scheduler.codegen", "Inductor code generation",
                          []),
                         ("async_compile.wait", "waiting for compilers", [
                             ("triton_compile", "Triton", []),
                             ("ptxas", "ptxas", [])]),
                     ])])])])]),
    ("build_guards (dynamo_timed)", "Dynamo", []),
    ("CachingAutotuner.benchmark_all_configs (dynamo_timed)", "autotuning",
     []),
])])


def lay_out(tree, at, wanted):
    """Each has 10 ns before, between and after its callees."""
    name, phase, children = tree
    ranges = []
    start = at
    at += 10
    for child in children:
        more, at = lay_out(child, at, wanted)
        ranges += more
        at += 10
    wanted[phase] = wanted.get(phase, 0) + 10 * (len(children) + 1)
    return [Range(1, start, at, name, "", "dynamo_timed")] + ranges, at


def check_dynamo():
    wanted = {UNKNOWN: 25, IDLE: 30}
    ranges, end = lay_out(DYNAMO, 1000, wanted)
    # Another frame, recorded by `ctprof record --compile`.
    for name, phase, start, more in (
            ("f", "Dynamo", 60, 40), ("g", "Dynamo", 65, 10),
            ("back end inductor", "back end", 80, 15)):
        ranges.append(Range(1, end + start, end + start + more, name, "",
                            "traced"))
    wanted["Dynamo"] += 25
    wanted["back end"] = 15
    wanted[IDLE] += 5
    # A function of the program may have such a name, too.
    ranges.append(Range(1, end + 30, end + 55, "Torch-Compiled Region: 0/0"))
    ranges.append(Range(1, end + 30, end + 45, "dynamo"))
    trace = path_of("dynamo.json")
    write(trace, ranges)
    document = report(trace)
    equal("dynamo: chosen", document["sets"][0]["rules"], "dynamo")
    equal("dynamo", document["threads"][0]["phases"], wanted)
    compare("dynamo, by the oracle", document, shipped("dynamo"), ranges)


def recorded_import(directory):
    """Python's calls to import a module twice: from source, and from the file
    that it writes then. Each call and return takes 10 ns.
    """
    ranges, stack = [], []
    clock = [0]

    def hook(frame, what, function):
        clock[0] += 10
        if what in ("call", "c_call"):
            code = frame.f_code
            stack.append((clock[0], what, code.co_name, code.co_filename)
                         if what == "call" else
                         (clock[0], what, "<built-in method %s.%s>" % (
                             function.__module__, function.__name__), ""))
            ranges.append(None)
            stack[-1] += (len(ranges) - 1,)
        elif stack:
            start, _, name, file, index = stack.pop()
            ranges[index] = Range(
                1, start, clock[0], name, file,
                "python_function" if file else "c")

    # Neither an import nor below one: it is not in a phase.
    def not_imported():
        return sum(range(3))

    sys.path.insert(0, directory)
    sys.dont_write_bytecode = False
    sys.setprofile(hook)
    not_imported()
    import phases_module as first
    del sys.modules["phases_module"]
    import phases_module as second
    sys.setprofile(None)
    sys.path.remove(directory)
    assert isinstance(first, types.ModuleType) and first is not second
    return [one for one in ranges if one is not None]


def check_import():
    directory = path_of("modules")
    os.mkdir(directory)
    with open(os.path.join(directory, "phases_module.py"), "w",
              encoding="ascii") as out:
        out.write("def body(n):\n    return n and body(n - 1)\n\n\nbody(40)\n")
    ranges = recorded_import(directory)
    trace = path_of("import.json")
    write(trace, ranges)
    document = report(trace)
    rules = shipped("import")
    equal("import: chosen", document["sets"][0]["rules"], "import")
    compare("import, by the oracle", document, rules, ranges)
    rows = rows_of(document)
    equal("import: phases", sorted(rows), sorted(
        ["compile source", "find module", "import", "read file",
         "run module", "unmarshal code", UNKNOWN, IDLE]))
    bodies = sum(one.end - one.start for one in ranges
                 if one.name == "<module>")
    if rows["run module"][2] < bodies or bodies < 2 * 40 * 20:
        equal("import: modules", rows["run module"], bodies)
    equal("import: not imported", rows[UNKNOWN][1], sum(
        one.end - one.start for one in ranges if one.name == "not_imported"))


def check_clang():
    trace = os.path.join(TRACES, "self-win-clang-19.1_main.json.gz")
    done = run("--json", trace)
    rows = rows_of(json.loads(done.stdout))
    equal("clang", sum(figures[1] for figures in rows.values()),
          rows["compiler"][2])
    events = events_of(read_json(trace))
    ranges, begun = [], {}
    for one in events:
        if one["ph"] == "X" and not one["name"].startswith("Total "):
            ranges.append(Range(1, one["ts"] * 1000, (
                one["ts"] + one["dur"]) * 1000, one["name"]))
        elif one["ph"] == "b":
            begun = one
        elif one["ph"] == "e":
            ranges.append(Range(1, begun["ts"] * 1000, one["ts"] * 1000,
                                "Source", is_async=True))
    equal("clang, by the oracle", rows, count(shipped("clang"), ranges)[0])


def check_nvcc():
    """Each program that nvcc runs is a process with one thread."""
    trace = os.path.join(TRACES, "nvcc_13.0.json.gz")
    document = report(trace)
    events = [one for one in events_of(read_json(trace))
              if one.get("ph") == "X"]
    events.sort(key=lambda one: (one["ts"], -one["dur"]))
    ranges = [Range(one["pid"], one["ts"] * 1000,
                    (one["ts"] + one["dur"]) * 1000, one["name"])
              for one in events]
    equal("nvcc: chosen", document["sets"][0]["rules"], "nvcc")
    rows = rows_of(document)
    equal("nvcc, by the oracle", rows, count(shipped("nvcc"), ranges)[0])
    equal("nvcc: all is known", UNKNOWN in rows, False)


def read_ranges(trace):
    """The ranges of a thread in PyTorch's trace, except operators."""
    events = events_of(read_json(trace, parse_float=decimal.Decimal))
    return [Range(one["tid"], int(one["ts"] * 1000),
                  int(one["ts"] * 1000) + int(one["dur"] * 1000),
                  one["name"], "", one["cat"]) for one in events
            if one["ph"] == "X" and one["cat"] != "Trace"]


def check_torch():
    """PyTorch's own: ranges reported three times count once."""
    trace = os.path.join(TRACES, "pytorch_2.15_compile.json.gz")
    ranges = read_ranges(trace)
    document = report(trace)
    compare("torch, by the oracle", document, shipped("dynamo"), ranges)
    rows = rows_of(document)
    for phase, names in (
            ("C++ compiler", ["compile_file"]),
            ("waiting for compilers", ["async_compile.wait"]),
            ("Inductor lowering", ["GraphLowering.run"]),
            ("AOTAutograd", ["create_aot_dispatcher_function",
                             "entire_backward_compile"])):
        outer = [one.end - one.start for one in ranges if one.name in names]
        equal(f"torch: {phase}", rows[phase][2], sum(outer))
        if phase != "AOTAutograd":
            equal(f"torch: {phase}: count", rows[phase][0], len(outer))


# The sums of torch._dynamo.utils.compile_times() in seconds, by the phase that
# begins and ends with them; from the runs recorded in these files.
COMPILE_TIMES = {
    "compile/pytorch_2.4.json.gz": {
        "Dynamo": 30.292, "Inductor code generation": 34.974,
        "C++ compiler": 20.004},
    "compile/pytorch_2.7.json.gz": {
        "Dynamo": 27.413, "Inductor passes": 1.052,
        "Inductor scheduling": 0.799, "Inductor code generation": 30.667,
        "C++ compiler": 23.658},
    "compile/pytorch_2.15.json.gz": {
        "Dynamo": 17.332, "Inductor passes": 1.934, "Inductor lowering": 0.093,
        "Inductor scheduling": 0.290, "Inductor code generation": 14.352,
        "C++ compiler": 12.423},
    "torch_trace_2.7_cold.log.gz": {
        "Dynamo": 27.413, "AOTAutograd": 25.713 + 6.641,
        "Inductor passes": 1.052, "Inductor lowering": 0.067,
        "Inductor scheduling": 0.799, "Inductor code generation": 30.667,
        "caches": 0.832, "C++ compiler": 23.658},
    "torch_trace_2.15_cold.log.gz": {
        "Dynamo": 17.332, "AOTAutograd": 15.127 + 2.072,
        "Inductor passes": 1.934, "Inductor lowering": 0.093,
        "Inductor scheduling": 0.290, "Inductor code generation": 14.352,
        "caches": 0.657 + 0.740, "C++ compiler": 12.423},
}
# A phase is that much longer or shorter: the recordings lack ranges below 50 ms,
# and Dynamo's phase begins before compile_inner and also has the garbage
# collection after it.
TIMES_DELTA_S = 0.1


def check_compile_times():
    """Recordings of Inductor: nearly all time is in phases, and the phases have
    the times that PyTorch measured itself."""
    for name, times in COMPILE_TIMES.items():
        document = report(os.path.join(TRACES, name))
        equal(f"{name}: chosen", document["sets"][0]["rules"], "dynamo")
        rows = rows_of(document)
        wall = document["sets"][0]["wall_ns"]
        unknown = rows.get(UNKNOWN, (0, 0, 0))[1]
        equal(f"{name}: unknown", unknown <= wall / 50, True)
        for phase, seconds in times.items():
            total = rows[phase][2] / 1e9
            if abs(total - seconds) > TIMES_DELTA_S:
                equal(f"{name}: {phase}", total, seconds)


def check_cold_and_warm():
    """With a cache on disk, phases of Inductor are gone; `diff` shows it."""
    cold, warm = (os.path.join(TRACES, f"torch_trace_2.15_{cache}.log.gz")
                  for cache in ("cold", "warm"))
    rows = {trace: rows_of(report(trace)) for trace in (cold, warm)}
    equal("cold, not warm", set(rows[cold]) - set(rows[warm]),
          {"AOTAutograd", "Inductor", "Inductor passes", "Inductor lowering",
           "Inductor scheduling"})
    done = checks.run("diff", "-q", "--json", cold, warm, text=True)
    changes = {row["name"]: row for row in json.loads(done.stdout)["rows"]}
    gone = changes["inductor_compile"]
    equal("diff: inductor_compile", (gone["base"]["count"], gone["new"]),
          (3, None))
    compiler = changes["compile_file"]
    equal("diff: compile_file", tuple(compiler[side]["total_ns"]
                                      for side in ("base", "new")),
          tuple(rows[trace]["C++ compiler"][2] for trace in (cold, warm)))


def main():
    check_hand()
    check_random()
    check_dynamo()
    check_import()
    check_clang()
    check_nvcc()
    check_torch()
    check_compile_times()
    check_cold_and_warm()
    finish()


main()
