# SPDX-License-Identifier: MIT
"""Compiles modules of the standard library step by step: source, tree, a pass
over the tree, code, listing. A workload for a profiler.

usage: compile_modules.py [COUNT]
"""
import ast
import dis
import os
import sys
import sysconfig


class FoldConstants(ast.NodeTransformer):
    """Folds sums of constants, as compilers do."""

    folded = 0

    def visit_BinOp(self, node):
        self.generic_visit(node)
        left, right = node.left, node.right
        if isinstance(node.op, ast.Add) and all(
                isinstance(side, ast.Constant) and isinstance(side.value, int)
                for side in (left, right)):
            self.folded += 1
            return ast.copy_location(
                ast.Constant(left.value + right.value), node)
        return node


def modules(count):
    directory = sysconfig.get_path("stdlib")
    names = sorted(name for name in os.listdir(directory)
                   if name.endswith(".py"))
    return [os.path.join(directory, name) for name in names[:count]]


def instructions(code):
    count = sum(1 for _ in dis.get_instructions(code))
    return count + sum(instructions(constant) for constant in code.co_consts
                       if hasattr(constant, "co_code"))


def compile_module(path):
    with open(path, "rb") as source:
        tree = ast.parse(source.read())
    passes = FoldConstants()
    tree = passes.visit(tree)
    # Written and read again: the result must be a module, too.
    code = compile(ast.unparse(tree), path, "exec")
    return passes.folded, instructions(code)


def main(count=8):
    results = [compile_module(path) for path in modules(int(count))]
    print("%d modules, %d sums folded, %d instructions" % (
        len(results), sum(folded for folded, _ in results),
        sum(number for _, number in results)))


if __name__ == "__main__":
    main(*sys.argv[1:])
