# SPDX-License-Identifier: MIT
"""The names that ctprof diff compares: a second implementation of the rules,
with regular expressions where C has loops."""
import collections
import re

PARTS = re.compile(
    r"(?<=.)(\.(constprop|isra|part|cold|lto_priv|llvm)(\.[0-9]+)?)+$", re.S)
SIGNATURE = re.compile(r"(?<=.)_(?=[0-9]*[c-e])0[0-9c-e]{3,}$", re.S)
COUNTER = re.compile(r"^(triton_(?:.*_)?)[0-9]+$", re.S)
LINE = re.compile(r"((?:\.py|\.c|\.cc|\.cpp|\.cu|\.h|\.hpp|\.rs):)[0-9]+")
ADDRESS = re.compile(r"(?<![0-9A-Za-z])0x[0-9a-fA-F]{4,}")
WORD = re.compile(r"(?<![0-9A-Za-z])[0-9a-z]{8,}(?![0-9A-Za-z])")


def close(text, at):
    """The index after the bracket that opens at `at`; None if it is not
    closed."""
    pairs = {"<": ">", "(": ")", "{": "}"}
    stack = []
    while at < len(text):
        char = text[at]
        if char in "({" and (not stack or stack[-1] != ")" or char == "("):
            stack.append(pairs[char])
        elif char == "<" and (not stack or stack[-1] == ">"):
            stack.append(">")
        elif stack and char == stack[-1] and text[at - 1:at + 1] != "->":
            stack.pop()
            if not stack:
                return at + 1
        at += 1
    return None


def strip_templates(name):
    out, at, is_function = "", 0, False
    while at < len(name):
        begins = name[at] == "<" and re.search(
            r"[0-9A-Za-z_]$", name[:at]) and not name[:at].endswith("operator")
        behind = close(name, at) if begins else None
        if begins and behind is None:
            return out + name[at:]
        if not begins:
            out += name[at]
            at += 1
            continue
        at = behind
        if name[at:at + 1] == "(":
            behind = close(name, at)
            if behind is None:
                return out + name[at:]
            at, is_function = behind, True
    if is_function and out.startswith("void "):
        out = out[len("void "):]
    return out


def is_hash(word):
    digits = sum(char.isdigit() for char in word)
    if digits < 2 or len(word) - digits < 2:
        return False
    return len(word) >= 32 or all(char in "0123456789abcdef" for char in word)


def hide(text):
    text = ADDRESS.sub("0x#", text)
    text = WORD.sub(lambda m: "#" if is_hash(m[0]) else m[0], text)
    text = re.sub("#[0-9]+", "#", text)
    return LINE.sub(r"\1#", text)


def normal_name(name):
    name = strip_templates(name)
    clone = name.find(" [clone ")
    if clone > 0 and name.endswith("]"):
        name = name[:clone]
    name = PARTS.sub("", name)
    name = SIGNATURE.sub("", name)
    counter = COUNTER.match(name)
    if counter:
        name = counter[1][:-1]
    return hide(name)


def normal_file(file):
    head, slash, base = file.rpartition("/")
    stem = base.split(".")[0]
    if is_hash(stem) and re.fullmatch("[0-9a-z]{8,}", stem) and \
            head.endswith("/" + stem[1:3]):
        head = head[:-2] + "#"
        return hide(head[:-1]) + "#/" + hide(base)
    return hide(file)


def moved_files(base, new):
    """{file of the base side: its counterpart on the new side}"""
    here, there = sorted(base - new - {""}), sorted(new - base - {""})
    pairs, votes = {}, collections.Counter()
    for depth in range(32, 0, -1):
        ends = collections.defaultdict(lambda: ([], []))
        for side, files in enumerate((here, there)):
            for file in files:
                parts = file.split("/")
                if file not in pairs and file not in pairs.values() and \
                        len(parts) >= depth:
                    ends[tuple(parts[-depth:])][side].append(file)
        for one, other in ends.values():
            if len(one) == len(other) == 1:
                pairs[one[0]] = other[0]
                roots = tuple(tuple(file[0].split("/")[:-depth])
                              for file in (one, other))
                votes[roots] += 1
                pairs[one[0], "roots"] = roots
    return {file: pairs[file] for file in here if file in pairs and (
        votes[pairs[file, "roots"]] >= 2 or
        votes[pairs[file, "roots"]] > len(here) // 2)}
