# SPDX-License-Identifier: MIT
"""The cost of recording a program, beside that of other tools."""

import os
import pathlib
import statistics

from bench import TIME_UP, reason

HERE = pathlib.Path(__file__).resolve().parent
ROUNDS = 3


def is_ours(name):
    return name.startswith("ctprof")


def run_once(bench, name, tool, log):
    """The median of the times that the program prints, and None; or None and
    the reason."""
    done = bench.run(*tool)
    if done.returncode != 0:
        return None, reason(done)
    try:
        spent = statistics.median(float(word) for word in done.stdout.split())
    except ValueError as error:
        return None, f"its times: {error}"
    # The cost while nothing is recorded is small.
    why = bench.why_empty(log) if is_ours(name) else None
    return (spent, None) if why is None else (None, why)


def measure(bench, title, tools, log):
    """Each tool's median over rounds, in which all take turns; by name, for
    tools that work. Ours record into `log`."""
    found = {name: [] for name in tools}
    for number in range(ROUNDS):
        for name, tool in tools.items():
            if found[name] is None:
                continue
            if bench.is_over():
                what = f"{title}: {name}, round {number + 1}"
                bench.not_measured(what, TIME_UP)
                continue
            spent, why = run_once(bench, name, tool, log)
            if why is None:
                found[name].append(spent)
                continue
            # A peer may be missing; our own tools must work.
            if name == "none" or is_ours(name):
                bench.row(f"{title}: {name}", why, False)
            else:
                bench.not_measured(f"{title}: {name}", why)
            found[name] = None
    return {n: statistics.median(v) for n, v in found.items() if v}


def show_costs(bench, title, costs, ratios):
    """`ratios`: (tool, peer, goal) for each, of the costs beyond no tool at
    all."""
    none = costs.get("none")
    if none is None:
        return
    bench.row(f"{title}: no tool", f"{none:.0f} ns")
    for name, ns in costs.items():
        if name != "none":
            bench.row(f"{title}: {name}", f"{ns - none:+.0f} ns")
    for tool, peer, goal in ratios:
        if tool in costs and peer in costs and costs[peer] > none:
            ratio = (costs[tool] - none) / (costs[peer] - none)
            bench.row(
                f"{title}: {tool} / {peer}", f"{ratio:.2f} (goal {goal:.2f})"
            )


def floor_env(bench, callback):
    """With libfloor, and the libcupti that ctprof found."""
    library = bench.build / "tests" / "gpu" / ".libs" / "libfloor.so"
    env = bench.environment(
        CUDA_INJECTION64_PATH=str(library),
        FLOOR_CALLBACK="1" if callback else "0",
    )
    cupti = bench.facts_of(bench.directory / "probe.ctp").get("gpu.cupti")
    env.update({"CTPROF_CUPTI_LIB": cupti} if cupti else {})
    return env


def measure_launches(bench, title, graph):
    program = [bench.program("launches")] + (["graph"] if graph else [])
    log = bench.directory / "launches.ctp"
    env = bench.environment()
    costs = measure(
        bench,
        title,
        {
            "none": (program, env),
            "CUPTI alone": (program, floor_env(bench, False)),
            "CUPTI, empty callback": (program, floor_env(bench, True)),
            "ctprof light": (bench.record(log, program, "--gpu"), env),
            "ctprof full": (bench.record(log, program, "--gpu=full"), env),
        },
        log,
    )
    goal = 1.05 if graph else 1.10
    show_costs(
        bench,
        title,
        costs,
        [("ctprof light", "CUPTI, empty callback", goal)],
    )


def measure_all_launches(bench):
    for graph in (False, True):
        title = "graph launch" if graph else "launch"
        bench.attempt(title, measure_launches, title, graph)


def measure_torch(bench):
    program = [bench.python, str(HERE / "torch_case.py"), "tiny"]
    log = bench.directory / "tiny.ctp"
    title = "torch operation"
    none = program + ["none"]
    costs = measure(
        bench,
        title,
        {
            "none": (none, None),
            "Kineto": (program + ["kineto"], None),
            "Kineto with CPU": (program + ["kineto+cpu"], None),
            "Proton": (
                program + ["proton", str(bench.directory / "proton")],
                None,
            ),
            "ctprof light": (bench.record(log, none, "--gpu"), None),
            "ctprof full": (bench.record(log, none, "--gpu=full"), None),
        },
        log,
    )
    show_costs(
        bench,
        title,
        costs,
        [
            ("ctprof light", "Kineto", 0.5),
            ("ctprof light", "Proton", 1.0),
            ("ctprof full", "Kineto with CPU", 0.6),
        ],
    )
