# SPDX-License-Identifier: MIT
"""The cost of `--compile`, by back end: processor time of compiling a model
with and without the hooks, and that of the hooks alone.

    bench.py [ROUNDS]

Both compile alternately in one process, and the least time of each counts.
Inductor has no cache of graphs, but finds its C++ files compiled: the C++
compiler is not in the times, so that the share of the hooks is the largest."""

import os
import pathlib
import sys
import tempfile
import time
import timeit
import types
import warnings

WORK = tempfile.TemporaryDirectory()
os.environ.update(TORCHINDUCTOR_CACHE_DIR=WORK.name,
                  TORCHINDUCTOR_FORCE_DISABLE_CACHES="1",
                  TORCHINDUCTOR_COMPILE_THREADS="1", OMP_NUM_THREADS="1")
warnings.filterwarnings("ignore")

import torch
from torch._dynamo import output_graph, symbolic_convert
from torch._guards import CompileContext

from ctprof import _compile, _session, dynamo

LAYERS = 12
HOOKED = ((symbolic_convert.InliningInstructionTranslator, "inline_call"),
          (symbolic_convert.InstructionTranslator, "run"),
          (output_graph.OutputGraph, "call_user_compiler"))
MISSING = object()


def leaf(x):
    return x + 1


def layer(x, n):
    return torch.relu(leaf(leaf(x))) * n


def forward(x):
    for n in range(LAYERS):
        x = layer(x, n)
    return x


# Layers with two leaves each.
INLINED = 3 * LAYERS


def methods():
    return [vars(owner).get(name, MISSING) for owner, name in HOOKED]


def use(found):
    for (owner, name), method in zip(HOOKED, found):
        if method is not MISSING:
            setattr(owner, name, method)
        elif name in vars(owner):
            delattr(owner, name)


def compile_s(backend):
    """Processor time of a compilation."""
    torch._dynamo.reset()
    compiled = torch.compile(forward, backend=backend)
    start = time.process_time()
    compiled(torch.ones(4))
    return time.process_time() - start


def nothing(*_):
    """In place of the method that a hook calls."""


def call_us(function, *arguments):
    timer = timeit.Timer(lambda: function(*arguments),
                         timer=time.process_time)
    return min(timer.repeat(50, 500)) / 500 * 1e6


def hooks_us():
    """Processor time of all calls of the hooks in a compilation."""
    function = types.SimpleNamespace(get_code=lambda: leaf.__code__)
    frame = types.SimpleNamespace(inline_depth=0, f_code=forward.__code__,
                                  compiler_fn=forward)
    inline = _compile._around_inline(nothing).__func__
    run = _compile._around_run(nothing, CompileContext.current_compile_id)
    back_end = _compile._around_back_end(nothing)
    one = call_us(inline, None, frame, function)
    return one, INLINED * one + call_us(run, frame) + call_us(back_end, frame)


def compare(backend, rounds, usual, hooked):
    """The least times in ms without and with the hooks, and the noise: how much
    longer the second least time without is."""
    times = {"usual": [], "hooked": []}
    for _ in range(rounds + 1):
        for name, found in ("usual", usual), ("hooked", hooked):
            use(found)
            times[name].append(compile_s(backend) * 1e3)
    # The first ones import modules and compile C++.
    without = sorted(times["usual"][1:])
    return without[0], min(times["hooked"][1:]), without[1] / without[0] - 1


def main():
    rounds = int((sys.argv[1:] or ["15"])[0])
    usual = methods()
    dynamo.install()
    hooked = methods()
    _session.begin(pathlib.Path(WORK.name) / "run.ctp")
    one_us, all_us = hooks_us()
    print(f"PyTorch {torch.__version__}, {rounds} rounds; {INLINED + 2} ranges: "
          f"{all_us:.0f} us, {one_us:.2f} us for each inlined function")
    print(f"{'back end':<10} {'without ms':>10} {'with ms':>8} {'ratio':>6} "
          f"{'noise %':>8} {'hooks %':>8}")
    for backend in "eager", "aot_eager", "inductor":
        without, with_it, noise = compare(backend, rounds, usual, hooked)
        print(f"{backend:<10} {without:>10.1f} {with_it:>8.1f} "
              f"{with_it / without:>6.3f} {100 * noise:>8.1f} "
              f"{all_us / without / 10:>8.3f}", flush=True)
    _session.end()


if __name__ == "__main__":
    main()
