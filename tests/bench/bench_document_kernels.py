# SPDX-License-Identifier: MIT
"""Work of kernels, and the operations and bytes of the operators that launched
them, for tests/bench/bench_document.py."""
import collections
import math

from bench_document_nest import find_operators

SIZES = {"double": 8, "float": 4, "c10::Half": 2, "c10::BFloat16": 2,
         "long int": 8, "long": 8, "int": 4, "signed char": 1,
         "unsigned char": 1, "bool": 1, "Scalar": 0, "ScalarList": 0, "": 0}
# These read a part of an input that the trace does not specify.
PARTLY_READ = ("index", "_index_put", "embedding", "_embedding_bag", "gather",
               "scatter", "take")
# Positions of padding, stride and dilation.
CONVOLUTIONS = {"convolution": (4, 3, 5), "cudnn_convolution": (2, 3, 4),
                "miopen_convolution": (3, 4, 5)}


def kernels(threads, work, top):
    """Count and times; operations and bytes, and their rates over the kernels
    that have some. An operator's kernels share its work by time."""
    operators = find_operators(threads)
    ran = [(event, event["args"].get("External id")) for event in work
           if event["cat"] == "kernel"]
    times = collections.defaultdict(float)
    for event, number in ran:
        times[number] += event["dur"]
    done = {number: look_at(operators[number])
            for number in times if number in operators}
    rows = {}
    for event, number in ran:
        key = event["args"]["device"], event["name"]
        row = rows.get(key)
        if row is None:
            row = rows[key] = [0, 0.0, math.inf, 0.0, [0.0, 0.0], [0.0, 0.0]]
        length = event["dur"]
        row[0] += 1
        row[1] += length
        row[2] = min(row[2], length)
        row[3] = max(row[3], length)
        for amount, sums in zip(done.get(number, ()), row[4:]):
            if amount and length:
                sums[0] += amount * length / times[number]
                sums[1] += length
    return [{"device": key[0], "name": key[1], "count": row[0],
             "total": row[1], "mean": row[1] / row[0], "min": row[2],
             "max": row[3], "flops": row[4][0], "flops_per_s": rate(row[4]),
             "bytes": row[5][0], "bytes_per_s": rate(row[5])}
            for key, row in sorted(rows.items(),
                                   key=lambda item: -item[1][1])[:top]]


def rate(sums):
    return sums[0] / sums[1] * 1e6 if sums[1] else 0.0


def look_at(event):
    """Operations and bytes of an operator by the shapes of its inputs; 0 if
    unknown."""
    args = event["args"]
    dims, name = args.get("Input Dims"), event["name"].removeprefix("aten::")
    if dims is None:
        return 0, 0
    types = args.get("Input type", ())
    if name in ("mm", "bmm"):
        return multiply(dims[:2], dims[:2], types)
    if name in ("addmm", "baddbmm"):
        return multiply(dims[1:3], dims[:3], types)
    if name in CONVOLUTIONS:
        return convolve(name, dims, args.get("Concrete Inputs"), types)
    if name in ("_flash_attention_forward", "_efficient_attention_forward"):
        return attend(dims[:3], types)
    if name.startswith(PARTLY_READ):
        return 0, 0
    return 0, sum_bytes(dims, types)


def sum_bytes(dims, types):
    total = 0
    for shape, element in zip(dims, types):
        size = SIZES.get(element)
        if size is None:
            return 0
        if size:
            total += size * math.prod(shape)
    return total


def written(count, dims, types):
    """Bytes of the inputs, and of the output in the type of the last."""
    read = sum_bytes(dims, types)
    return read and read + count * SIZES[types[len(dims) - 1]]


def multiply(matrices, dims, types):
    if len(matrices) < 2 or len(matrices[0]) < 2 or (
            len(matrices[0]) != len(matrices[1]) or
            matrices[0][-1] != matrices[1][-2]):
        return 0, 0
    out = math.prod(matrices[0][:-1]) * matrices[1][-1]
    return 2 * out * matrices[0][-1], written(out, dims, types)


def convolve(name, dims, concrete, types):
    if not concrete or len(dims[0]) < 3 or len(dims[1]) != len(dims[0]):
        return 0, 0
    padding, stride, dilation = (
        [int(part) for part in concrete[at].strip("[]").split(",")]
        for at in CONVOLUTIONS[name])
    out = math.prod((size + 2 * pad - gap * (weight - 1) - 1) // step + 1
                    for size, weight, pad, step, gap in zip(
                        dims[0][2:], dims[1][2:], padding, stride, dilation))
    return (2 * dims[0][0] * out * math.prod(dims[1]),
            written(dims[0][0] * out * dims[1][0], dims[:2], types))


def attend(dims, types):
    """The batch, row, head and depth of query, key and value."""
    if len(dims) < 3 or any(len(one) != 4 for one in dims):
        return 0, 0
    query, key, value = dims
    if key[:3] != value[:3] or query[3] != key[3] or query[0] != key[0]:
        return 0, 0
    out = math.prod(query[:3]) * value[3]
    return (2 * math.prod(query[:3]) * key[1] * (query[3] + value[3]),
            written(out, dims, types))
