# SPDX-License-Identifier: MIT
"""The operations of `ctprof kernels` equal those of torch.utils.flop_counter,
for PyTorch's own traces of operators on the CPU, each of which gets an added
kernel. Needs torch.

Usage: kernels_torch.py CTPROF WORK
"""

import json
import subprocess
import sys

import torch
from torch.nn import functional
from torch.profiler import profile
from torch.utils.flop_counter import FlopCounterMode

CTPROF, WORK = sys.argv[1:]

# The operators that it counts; their callees are not counted again.
COUNTED = ["mm", "addmm", "bmm", "baddbmm", "convolution",
           "convolution_backward",
           "_scaled_dot_product_flash_attention_for_cpu",
           "_scaled_dot_product_flash_attention_for_cpu_backward"]


def tensor(*shape, dtype=torch.float32):
    """A tensor that requires a gradient."""
    return torch.randn(*shape, dtype=dtype, requires_grad=True)


def products(dtype):
    """Products of matrices."""
    one = torch.mm(tensor(6, 5, dtype=dtype), tensor(5, 7, dtype=dtype))
    two = torch.addmm(tensor(7, dtype=dtype), one, tensor(7, 7, dtype=dtype))
    functional.linear(two, tensor(9, 7, dtype=dtype)).sum().backward()
    three = torch.bmm(tensor(3, 6, 5, dtype=dtype),
                      tensor(3, 5, 4, dtype=dtype))
    torch.baddbmm(three, tensor(3, 6, 2, dtype=dtype),
                  tensor(3, 2, 4, dtype=dtype)).sum().backward()


def convolutions(dtype):
    """In one, two and three dimensions, and transposed. Groups only forward:
    flop_counter forgets them backward."""
    functional.conv1d(tensor(2, 3, 20, dtype=dtype),
                      tensor(4, 3, 5, dtype=dtype), stride=2, padding=1,
                      dilation=2).sum().backward()
    functional.conv2d(tensor(2, 6, 8, 11, dtype=dtype),
                      tensor(4, 6, 3, 3, dtype=dtype), tensor(4, dtype=dtype),
                      stride=(2, 1), padding=(1, 0)).sum().backward()
    functional.conv3d(tensor(1, 2, 4, 5, 6, dtype=dtype),
                      tensor(3, 2, 2, 2, 2, dtype=dtype)).sum().backward()
    functional.conv_transpose2d(
        tensor(2, 6, 5, 4, dtype=dtype), tensor(6, 2, 3, 3, dtype=dtype),
        stride=2, padding=1, output_padding=1).sum().backward()
    with torch.no_grad():
        functional.conv2d(tensor(2, 6, 8, 11, dtype=dtype),
                          tensor(4, 3, 3, 3, dtype=dtype), groups=2)
        functional.conv_transpose1d(
            tensor(2, 6, 5, dtype=dtype), tensor(6, 2, 3, dtype=dtype),
            groups=3)


def attention(dtype):
    """With as many keys as queries, and with more."""
    functional.scaled_dot_product_attention(
        tensor(2, 3, 16, 8, dtype=dtype), tensor(2, 3, 16, 8, dtype=dtype),
        tensor(2, 3, 16, 8, dtype=dtype)).sum().backward()
    functional.scaled_dot_product_attention(
        tensor(2, 3, 5, 8, dtype=dtype), tensor(2, 3, 7, 8, dtype=dtype),
        tensor(2, 3, 7, 8, dtype=dtype)).sum().backward()


def with_kernels(path):
    """Gives each counted operator a call and a kernel of its name."""
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    added = []
    for event in data["traceEvents"]:
        name = event.get("name", "").removeprefix("aten::")
        if event.get("cat") != "cpu_op" or name not in COUNTED:
            continue
        # Before the operator's own callees.
        number = 1000000 + len(added)
        event["ts"] -= 0.002
        event["dur"] += 0.002
        added.append({**event, "cat": "cuda_runtime", "dur": 0.001,
                      "name": "cudaLaunchKernel", "ts": event["ts"] + 0.0005,
                      "args": {"correlation": number}})
        added.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0,
                      "tid": 7, "ts": event["ts"] + 1000000 + 10 * len(added),
                      "dur": 1, "args": {"correlation": number, "device": 0,
                                         "stream": 7}})
    data["traceEvents"] += added
    with open(path, "w", encoding="utf-8") as file:
        json.dump(data, file)


def check(function, dtype):
    """Both must have the same count for each operator."""
    path = WORK + "/torch.json"
    with FlopCounterMode(display=False) as counter:
        function(dtype)
    wanted = {str(operator).rsplit(".", maxsplit=1)[-1]: count for
              operator, count in counter.get_flop_counts()["Global"].items()}
    with profile(record_shapes=True) as profiler:
        function(dtype)
    profiler.export_chrome_trace(path)
    with_kernels(path)
    out = subprocess.run([CTPROF, "kernels", "-q", "--json", path],
                         check=True, stdout=subprocess.PIPE).stdout
    found = {row["name"]: row["flops"] for row in json.loads(out)["rows"]}
    assert found == wanted, f"{function.__name__}: {found}, not {wanted}"
    print(f"{function.__name__}, {dtype}: {found}")


for kind in (torch.float32, torch.bfloat16):
    for work in (products, convolutions, attention):
        check(work, kind)
