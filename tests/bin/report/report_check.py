# SPDX-License-Identifier: MIT
"""The page of `ctprof report` agrees with other reports. It fits its limits,
and omitted parts are counted.

usage: report_check.py CTPROF DIRECTORY INPUT...
"""
import base64
import hashlib
import itertools
import json
import os
import random
import re
import subprocess
import sys

LIMIT = 3_000_000
HOST_NODES = LIMIT // 100 // 48 * 18 + 8  # of a flame graph, at the most
DEVICE_NODES = LIMIT // 100 // 48 * 8 + 8
HOST, KERNEL = 0, 1
LONG_DEVICE = "NVIDIA A100 " + "N" * 50000


def run(ctprof, *words):
    return subprocess.run([ctprof, *words, "-q"], check=True,
                          stdout=subprocess.PIPE).stdout


def page_of(ctprof, *inputs):
    """The page's bytes, and the data in it."""
    page = run(ctprof, "report", *inputs)
    text = page.decode("utf-8")
    assert len(page) <= LIMIT, len(page)
    # Nothing ends the data's element before its end, or hides it.
    start = text.index('id="data">') + len('id="data">')
    found = text[start:text.index("</script", start)]
    assert "<!--" not in found
    assert not re.search(r'(src|href)="|@import|url\(|https?://',
                         text[:start] + text[start + len(found):])
    # The policy allows the page's script, and no other.
    script = text[text.index("<script>") + len("<script>"):
                  text.rindex("</script>")]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest())
    assert f"script-src 'sha256-{digest.decode()}';" in text[:start]
    data = json.loads(found)
    assert data["schema"] == "ctprof/page/1"
    return page, data["inputs"]


def clip(text):
    """In the page's form of long names."""
    raw = text.encode()
    if len(raw) <= 240:
        return text
    return (raw[:160].decode(errors="ignore") + "\u2026" +
            raw[-80:].decode(errors="ignore"))


def values(table, cells):
    """The cells by key; the name's are the function's and its place's."""
    found = {}
    assert len(cells) == len(table["columns"])
    for column, value in zip(table["columns"], cells):
        if column["type"] == "name":
            found["name"], found["file"], found["line"] = value
        else:
            found.setdefault(column.get("key", column["title"]), value)
    return found


def functions_of(data):
    functions = data["functions"]
    return [{"kind": kind, **values(functions["device" if kind else "host"],
                                    cells)}
            for kind, _, *cells in functions["rows"]]


def check_functions(data, stats):
    key = ("line", "ncalls", "pcalls", "tottime_ns", "cumtime_ns")
    wanted = sorted((clip(row["name"]), clip(row["file"]),
                     *(row[k] for k in key)) for row in stats["rows"])
    # Without recursion all calls are primitive.
    shown = sorted((row["name"], row["file"],
                    *({"pcalls": row["ncalls"], **row}[k] for k in key))
                   for row in functions_of(data) if row["kind"] == HOST)
    assert data["total_ns"] == stats["total_ns"]
    assert data["host_functions"] == len(stats["rows"])
    if data["functions_hidden"] == 0:
        assert shown == wanted
    else:
        assert set(shown) <= set(wanted)
    hidden = sum(row["tottime_ns"] for row in stats["rows"]) - \
        sum(row[5] for row in shown)
    assert len(data["functions"]["rows"]) + data["functions_hidden"] >= \
        len(wanted)
    return hidden


def check_edges(data, stats):
    """Each caller of a function, as in `stats --callers`."""
    key = ("ncalls", "tottime_ns", "cumtime_ns")
    wanted = []
    for row in stats["rows"]:
        for caller in row["callers"]:
            if caller["name"] is not None:
                wanted.append((clip(caller["name"]), clip(row["name"]),
                               *(caller[k] for k in key)))
    functions = functions_of(data)
    shown = []
    roots = {}
    for caller, callee, *cells in data["edges"]["rows"]:
        if caller < 0:
            roots[callee] = values(data["edges"], cells)["ncalls"]
        elif functions[callee]["kind"] == HOST:
            edge = values(data["edges"], cells)
            shown.append((functions[caller]["name"],
                          functions[callee]["name"],
                          *(edge[k] for k in key)))
    assert data["edges_hidden"] == 0
    assert sorted(shown) == sorted(wanted)
    # Each call has a caller, or none.
    for i, row in enumerate(functions):
        assert row["kind"] != HOST or row["ncalls"] == roots.get(i, 0) + sum(
            values(data["edges"], cells)["ncalls"]
            for caller, callee, *cells in data["edges"]["rows"]
            if callee == i and caller >= 0), row


def device_of(function):
    """The number in "kernel \u00b7 GPU 0 NAME"."""
    return int(function["file"].split(" GPU ")[1].split()[0])


def check_kernels(data, gpu):
    wanted = sorted((clip(row["name"]), row["count"], row["device"],
                     row["total_ns"], row["min_ns"], row["max_ns"],
                     row["bytes"] or None) for row in gpu["kernels"])
    shown = sorted((row["name"], row["count"], device_of(row),
                    row["total_ns"], row["min_ns"], row["max_ns"],
                    row["moved"])
                   for row in functions_of(data) if row["kind"] != HOST)
    assert shown == wanted, (shown[:2], wanted[:2])


def check_rates(data, kernels):
    """If one process has the device, the rates are its kernels'."""
    keys = ("flops_per_s", "flops_percent", "bytes_per_s",
            "bandwidth_percent")
    shown = sorted((row["name"], device_of(row), row["total_ns"],
                    *(str(row[key]) for key in keys))
                   for row in functions_of(data) if row["kind"] == KERNEL)
    for row in kernels["rows"]:
        for misfit, key in (("flops_misfit", "flops_percent"),
                            ("bytes_misfit", "bandwidth_percent")):
            if row[misfit]:
                row[key] = "no fit"
    wanted = sorted((clip(row["name"]), row["device"], row["total_ns"],
                     *(str(row[key]) for key in keys))
                    for row in kernels["rows"])
    assert shown == wanted, (shown[:2], wanted[:2])


def check_misfits(ctprof, directory):
    """Work that exceeds the peak is marked."""
    path = os.path.join(directory, "misfits.json")
    events = []
    for i, (name, dims) in enumerate((("aten::relu", [[10**9]]),
                                      ("aten::neg", [[10**5]]),
                                      ("aten::mm", [[4096, 4096]] * 2))):
        args = {"External id": i + 1, "correlation": i + 1, "device": 0,
                "stream": 7}
        events += [
            {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1,
             "ts": 100 * i, "dur": 50, "args": {
                 "External id": i + 1, "Input Dims": dims,
                 "Input type": ["float"] * len(dims)}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel",
             "pid": 1, "tid": 1, "ts": 100 * i + 1, "dur": 5,
             "args": {"correlation": i + 1}},
            {"ph": "X", "cat": "kernel", "name": f"gemm {name}", "pid": 0,
             "tid": 7, "ts": 100 * i + 10, "dur": 20, "args": args}]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"traceEvents": events, "deviceProperties": [
            {"id": 0, "name": "NVIDIA A100-SXM4-40GB"}]}, file)
    _, (data,) = page_of(ctprof, path)
    kernels = json.loads(run(ctprof, "kernels", "--json", path))
    misfits = {row["name"]: (row["flops_misfit"], row["bytes_misfit"])
               for row in kernels["rows"]}
    assert misfits == {"gemm aten::relu": (False, True),
                       "gemm aten::neg": (False, False),
                       "gemm aten::mm": (True, True)}, misfits
    check_rates(data, kernels)


def check_tree(tree, functions, total_ns, most):
    """Widths add up, level by level."""
    nodes = [tree["nodes"][i:i + 5] for i in range(0, len(tree["nodes"]), 5)]
    assert len(nodes) <= most, (len(nodes), most)
    below = [0] * len(nodes)
    path = []
    for i, (function, depth, total, own, _) in enumerate(nodes):
        assert function < functions
        assert depth <= len(path) and (depth > 0) == (i > 0)
        del path[depth:]
        if path:
            below[path[-1]] += total
        path.append(i)
    for i, (_, _, total, own, _) in enumerate(nodes):
        assert total == own + below[i] or (below[i] == 0 and total > own)
    assert nodes[0][2] == total_ns, (nodes[0], total_ns)


def devices_of(data):
    table = data.get("gaps", {"rows": {"columns": [], "rows": []}})["rows"]
    return [values(table, row) for row in table["rows"]]


def check_gaps(data, gaps):
    devices = devices_of(data)
    for row, wanted in zip(devices, gaps["rows"]):
        for key, value in wanted.items():
            assert row[key] == value, key
    assert len(devices) == len(gaps["rows"])
    # The first four causes are the host's, which did something.
    if devices:
        places = data["gaps"]["places"]
        assert sum(values(places, row)["idle_ns"]
                   for row in places["rows"]) == \
            sum(sum(list(row["causes"].values())[:4]) for row in devices)


def check_timeline(data):
    """Slices and sums of bins add up to each lane's time and count."""
    timeline = data["timeline"]
    for lane in timeline["lanes"]:
        bins = [group[at:at + 4] for group in lane["bins"]
                for at in range(3, len(group), 4)]
        slices = len(lane["durs"])
        assert sum(lane["counts"]) == slices == len(lane["starts"]) == \
            len(lane["names"])
        assert sum(lane["durs"]) + sum(busy for _, busy, _, _ in bins) == \
            lane["time_ns"], "time is missing"
        assert slices + sum(count for _, _, count, _ in bins) == lane["count"]
        names = lane["names"] + [name for _, _, _, name in bins]
        assert all(0 <= name < len(timeline["names"]) for name in names)
        assert all(args < len(timeline["args"]) for args in lane["args"][1::2])
        assert all(0 <= place < len(timeline["lanes"])
                   for place in lane["launches"][1::3])


def check_input(ctprof, path):
    page, (data,) = page_of(ctprof, path)
    assert page == run(ctprof, "report", path), "not the same twice"
    stats = json.loads(run(ctprof, "stats", "--json", "--callers",
                           "--device=host", path))
    gpu = json.loads(run(ctprof, "stats", "--json", "--gpu", path))
    info = json.loads(run(ctprof, "info", "--json", path))
    check_functions(data, stats)
    check_edges(data, stats)
    check_kernels(data, gpu)
    assert data["activities"] == gpu["activities"]
    kernels = json.loads(run(ctprof, "kernels", "--json", path))
    check_rates(data, kernels)
    assert data["late"] == kernels["late"]
    check_tree(data["host"], len(data["functions"]["rows"]), stats["total_ns"],
               HOST_NODES)
    check_tree(data["device"], len(data["functions"]["rows"]), gpu["device_ns"],
               DEVICE_NODES)
    assert [count for count, _ in data["lost"]] == \
        list(stats["lost"].values())
    check_gaps(data, json.loads(run(ctprof, "gaps", "--json", path)))
    check_timeline(data)
    for key in ("processes", "threads"):
        assert data[key] == info[key], key
    counts = info["counts"]
    for key, other in (("activities", "device"), ("steps", "steps"),
                       ("instants", "instants")):
        assert data[key] == counts[other], key
    # clang's details of templates and files become ranges here.
    assert data["ranges"] + data["async"] == \
        counts["ranges"] + counts["async"]


def huge(path):
    """Many of everything, and long and difficult names."""
    rng = random.Random(9)
    hard = ["</script>", "<!--", "\"\\", "\u2028", "\x01", "\u20ac", "\x1b"]
    names = ["".join(rng.choices(hard, k=90)) + str(i) for i in range(6000)]
    events = []
    for i, name in enumerate(names):
        tid = i % 1500
        ts = i * 100 + rng.randrange(50)
        for depth in range(4):
            events.append({"ph": "X", "name": names[i - depth], "pid": 1,
                           "tid": tid, "ts": ts + depth,
                           "dur": 40 - 2 * depth, "cat": name})
    # Far deeper than the drawing's limit.
    events += [{"ph": "X", "name": f"deep {i % 9}", "pid": 2, "tid": 1,
                "ts": i, "dur": 4000 - 2 * i} for i in range(1500)]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"traceEvents": events}, file)


def check_huge(ctprof, directory):
    path = os.path.join(directory, "huge.json")
    huge(path)
    page, (data,) = page_of(ctprof, path)
    assert len(page) > LIMIT / 4, "more of it could have been shown"
    stats = json.loads(run(ctprof, "stats", "--json", path))
    assert data["functions_hidden"] > 0
    assert len(data["functions"]["rows"]) + data["functions_hidden"] == \
        len(stats["rows"])
    assert data["functions_hidden_ns"] == check_functions(data, stats)
    lanes = data["timeline"]["lanes"]
    assert data["tracks_hidden"] + len(lanes) == 1501
    check_timeline(data)
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    assert sum(lane["time_ns"] for lane in lanes) + data["tracks_hidden_ns"] \
        == 1000 * sum(event["dur"] for event in events)
    assert data["edges_hidden"] > 0 and data["clipped"] > 0
    assert data["host"]["folded"] > 0
    check_tree(data["host"], len(data["functions"]["rows"]), stats["total_ns"],
               HOST_NODES)
    # Many of them on one page are smaller each.
    _, inputs = page_of(ctprof, *[path] * 6)
    assert len(inputs) == 6 and inputs[0] == inputs[5]
    assert inputs[0]["functions_hidden"] > data["functions_hidden"]


def crowded(path):
    """A small page, but its names exceed the limit for a small part."""
    def name(what):
        return "\x01" * 230 + what
    events = []
    for depth in range(10):
        begin, end = depth * 100, 2000 - depth * 100
        events.append({"ph": "X", "cat": "cpu_op", "name": name(f"h{depth}"),
                       "pid": 1, "tid": 1, "ts": begin, "dur": end - begin})
    for i in range(20):
        at = 2000 - i // 2 * 100 - 40 + i % 2 * 10
        events.append({"ph": "X", "cat": "cuda_runtime",
                       "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
                       "ts": at, "dur": 3, "args": {"correlation": i + 1}})
        events.append({"ph": "X", "cat": "kernel", "name": name(f"k{i}"),
                       "pid": 0, "tid": 7, "ts": 5000 + i * 100, "dur": 40,
                       "args": {"device": 0, "stream": 7,
                                "correlation": i + 1}})
    events += [{"ph": "X", "name": name(f"t{i}"), "pid": 1, "tid": 1,
                "ts": 10000 + i * 10, "dur": 9} for i in range(500)]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schemaVersion": 1, "traceEvents": events,
                   "deviceProperties": [{"id": 0, "name": LONG_DEVICE}]},
                  file)


def check_crowded(ctprof, directory):
    path = os.path.join(directory, "crowded.json")
    crowded(path)
    _, (data,) = page_of(ctprof, path)
    assert clip("0 " + LONG_DEVICE) == devices_of(data)[0]["GPU"]
    # A name that begins like a known one is not it, if it is too long.
    assert b'"peak":null' in run(ctprof, "kernels", "--json", path)
    assert len(data["timeline"]["lanes"]) + data["tracks_hidden"] == 2
    _, inputs = page_of(ctprof, *[path] * 64)
    assert len(inputs) == 64
    assert all(data == inputs[0] for data in inputs)
    assert len(inputs[0]["timeline"]["lanes"]) > 0
    check_timeline(inputs[0])


def check_bushy(ctprof, directory):
    """Folded paths keep the kind of their functions."""
    path = os.path.join(directory, "bushy.folded")
    with open(path, "w", encoding="utf-8") as file:
        for stack in itertools.product("abcd", repeat=7):
            file.write(f"{';'.join(stack)} {len(set(stack)) * 1000}\n")
    _, (data,) = page_of(ctprof, path)
    stats = json.loads(run(ctprof, "stats", "--json", path))
    assert data["host"]["folded"] > 0
    assert len(data["host"]["nodes"]) / 5 > HOST_NODES / 2
    check_tree(data["host"], 4, stats["total_ns"], HOST_NODES)


def compile_rows(table):
    """The rows of a described table as objects."""
    for row in table["rows"]:
        found = {}
        assert len(row) == len(table["columns"])
        for column, value in zip(table["columns"], row):
            key = column.get("key", column["title"])
            if column["type"] == "list" and "columns" in column:
                value = list(compile_rows({**column, "rows": value}))
            if column["type"] == "name":
                if value[1] != "":
                    found["file"], found["line"] = value[1:]
                value = value[0]
            found[key] = value
        yield found


COMPILE_TABLES = ("compilations", "graph_breaks", "recompilations",
                  "functions", "take_out")


def check_tables(ctprof, *inputs):
    _, data = compile_of(ctprof, *inputs)
    report = json.loads(run(ctprof, "compilations", "--json", *inputs))
    for key, value in report.items():
        if isinstance(value, int) and key != "truncated":
            assert data[key] == value, (inputs, key)
    for table in COMPILE_TABLES:
        shown = list(compile_rows(data.get(table, {"rows": []})))
        assert len(shown) == len(report[table]), (inputs, table)
        for row, wanted in zip(shown, report[table]):
            for key, value in wanted.items():
                if key in row and row[key] is not None:
                    assert same(row[key], value), (table, key, row, wanted)
            assert len(set(row) & set(wanted)) > 3, (row, wanted)
    return report


def check_compilations(ctprof, directory, traces):
    """The tables are those of `ctprof compilations`, joined, also of a
    directory; with many inputs some rows and texts are omitted."""
    both = [os.path.join(traces, name) for name in (
        "torch_trace_functions.log.gz", "compile/functions.json.gz")]
    report = check_tables(ctprof, *both)
    assert all(report[table] for table in COMPILE_TABLES)
    for name in ("self-win-clang-19.1_main", "nvcc_13.0", "rustc_1.95",
                 "jax_0.10_compile"):
        check_tables(ctprof, os.path.join(traces, name + ".json.gz"))
    log = os.path.join(directory, "trace")
    os.mkdir(log)
    with open(both[0], "rb") as file, open(os.path.join(
            log, "dedicated_log_torch_trace_x.log.gz"), "wb") as copy:
        copy.write(file.read())
    _, data = compile_of(ctprof, log)
    assert data["restarts_ns"] == report["restarts_ns"]
    assert data["function_count"] == 0 and "functions" not in data
    inputs, data = compile_of(ctprof, *both * 32)
    assert len(inputs) == 64 and data["compilation_count"] > 4


def same(shown, wanted):
    if isinstance(wanted, list) and wanted and isinstance(wanted[0], dict):
        return len(shown) == len(wanted) and all(
            one[key] == value for one, other in zip(shown, wanted)
            for key, value in other.items() if key in one)
    return shown == wanted


def compile_of(ctprof, *inputs):
    page = run(ctprof, "report", *inputs)
    assert len(page) <= LIMIT
    data = json.loads(page.decode().split('id="data">\n')[1]
                      .split("\n</script>")[0])
    return data["inputs"], data["compile"]


def main(ctprof, directory, traces, *inputs):
    check_compilations(ctprof, directory, traces)
    print("ok, compilations")
    for path in inputs:
        check_input(ctprof, path)
        print("ok", os.path.basename(path))
    check_huge(ctprof, directory)
    check_crowded(ctprof, directory)
    check_misfits(ctprof, directory)
    check_bushy(ctprof, directory)
    print("ok, and at most 3 MB of more than that")


main(*sys.argv[1:])
