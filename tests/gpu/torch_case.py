# SPDX-License-Identifier: MIT
"""torch_case.py WORK TOOL [FILE]: does WORK with PyTorch under a profiler.

WORK: train (steps of a small transformer), compiled (the same by
torch.compile), graph (replays of a CUDA graph) or tiny (many small operations,
whose cost per launch is printed). TOOL: none (also where ctprof records the
process), kineto, kineto+cpu, proton. Only the NVTX range "measured" is
compared; FILE is the profiler's own output.
"""

import contextlib
import sys
import time

import torch

STEPS = 20
TINY_BLOCKS = 20
TINY_LAUNCHES = 5000


def make_step():
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(
        256, 4, 512, dropout=0.0, batch_first=True, device="cuda"
    )
    model = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    inputs = torch.randn(8, 64, 256, device="cuda")

    def step(model=model):
        optimizer.zero_grad()
        loss = model(inputs).square().mean()
        loss.backward()
        optimizer.step()

    return model, step


def train():
    _, step = make_step()
    return [step] * STEPS


def compiled():
    model, step = make_step()
    fast = torch.compile(model)
    return [lambda: step(fast)] * STEPS


def graph():
    x = torch.randn(256, 256, device="cuda")
    stream = torch.cuda.Stream()
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.stream(stream):
        for _ in range(3):
            torch.relu(x @ x) + 1
    torch.cuda.synchronize()
    with torch.cuda.graph(captured):
        y = x
        for _ in range(10):
            y = torch.relu(y @ x) + 1
    return [captured.replay] * STEPS


def tiny():
    x = torch.zeros(1, device="cuda")

    def block():
        torch.cuda.synchronize()
        before = time.perf_counter_ns()
        for _ in range(TINY_LAUNCHES):
            x.add_(1)
        spent = time.perf_counter_ns() - before
        print(spent / TINY_LAUNCHES)

    return [block] * TINY_BLOCKS


@contextlib.contextmanager
def kineto(path, cpu):
    activity = torch.profiler.ProfilerActivity
    activities = [activity.CUDA] + ([activity.CPU] if cpu else [])
    with torch.profiler.profile(activities=activities) as profiler:
        yield
    if path is not None:
        profiler.export_chrome_trace(path)


@contextlib.contextmanager
def proton(path):
    from triton import profiler

    profiler.start(path or "proton", hook=None)
    yield
    profiler.finalize()


def main():
    work, tool = sys.argv[1:3]
    path = sys.argv[3] if len(sys.argv) > 3 else None
    tools = {
        "none": lambda: contextlib.nullcontext(),
        "kineto": lambda: kineto(path, False),
        "kineto+cpu": lambda: kineto(path, True),
        "proton": lambda: proton(path),
    }
    works = {
        "train": train,
        "compiled": compiled,
        "graph": graph,
        "tiny": tiny,
    }
    steps = works[work]()
    if work != "tiny":
        for step in steps[:3]:
            step()
    torch.cuda.synchronize()
    with tools[tool]():
        before = time.perf_counter_ns()
        torch.cuda.nvtx.range_push("measured")
        for step in steps:
            step()
        torch.cuda.synchronize()
        torch.cuda.nvtx.range_pop()
        spent = time.perf_counter_ns() - before
    print(f"wall {spent}", file=sys.stderr)


main()
