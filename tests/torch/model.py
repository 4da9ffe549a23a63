# SPDX-License-Identifier: MIT
"""A function with inlined calls, compiled for an int, with its backward graph,
and then for another: model.py BACKEND FILE writes
torch._dynamo.utils.compile_times() to FILE."""

import json
import sys

import torch
from torch._dynamo import utils


def leaf(x):
    return x + 1


def block(x, n):
    return leaf(leaf(x)) * n


def forward(x, n):
    return leaf(block(x, n))


def main():
    backend, output = sys.argv[1:]
    compiled = torch.compile(forward, backend=backend, dynamic=False)
    compiled(torch.ones(4, requires_grad=True), 2).sum().backward()
    compiled(torch.ones(4), 3)
    names, times = utils.compile_times(repr="csv", aggregate=True)
    with open(output, "w", encoding="utf-8") as file:
        json.dump(dict(zip(names, map(float, times))), file)


if __name__ == "__main__":
    main()
