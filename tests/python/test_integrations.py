# SPDX-License-Identifier: MIT
"""Events that the tracer records on request, or for packages that are imported:
garbage collections, imports, tasks, modules of torch, greenlets."""
import asyncio
import gc
import sys
import types
import unittest

import support
from test_tracer import Traced, leaf


try:
    import greenlet
except ImportError:
    greenlet = None


@unittest.skipIf(greenlet is None, "needs the package greenlet")
class Greenlets(Traced):
    def turns(self):
        def first():
            leaf()
            two.switch()
            leaf()

        def second():
            one.switch()
            leaf()

        one = greenlet.greenlet(first)
        two = greenlet.greenlet(second)
        one.switch()
        two.switch()
        leaf()

    def test_each_has_its_own_calls(self):
        for hook in support.HOOKS:
            with self.subTest(hook=hook):
                self.trace(self.turns, hook=hook)
                self.check_balance()
                self.assertEqual(len(self.named("leaf")), 4)
                # It waits once: two stretches.
                self.assertEqual(len(self.named("first")), 2)
                callers = support.stats(self.log)
                leaves, = [row for key, row in callers.items()
                           if key[2] == "leaf"]
                counts = {key[2]: edge.ncalls
                          for key, edge in leaves.callers.items()}
                self.assertEqual(
                    counts, {"first": 2, "second": 1, "turns": 1})

    def test_end_of_a_state_calls_no_other_function(self):
        def one():
            child = greenlet.greenlet(leaf)
            child.switch()
            del child
            leaf()

        for hook in support.HOOKS:
            with self.subTest(hook=hook):
                self.trace(one, hook=hook)
                self.assertEqual(self.named("remove"), [])

    def test_the_programs_own_function_is_called_too(self):
        seen = []
        before = greenlet.settrace(lambda *told: seen.append(told[0]))
        self.addCleanup(greenlet.settrace, before)
        self.trace(self.turns)
        self.assertEqual(len(self.named("leaf")), 4)


class Extras(Traced):
    def test_imports_are_ranges(self):
        name = "ctprof_test_module"
        (self.work / f"{name}.py").write_text("def f(): pass\nf()\n")
        sys.path.insert(0, str(self.work))
        self.addCleanup(sys.path.remove, str(self.work))

        def caller():
            __import__(name)

        self.addCleanup(sys.modules.pop, name, None)
        for hook in support.HOOKS:
            with self.subTest(hook=hook):
                sys.modules.pop(name, None)
                self.trace(caller, imports=True, hook=hook)
                row, = self.named(f"import {name}")
                self.assertEqual(row["cat"], "import")
                self.assertEqual(len(self.named("f")), 1)
                self.check_balance()

    def test_collections_are_ranges(self):
        before = list(gc.callbacks)
        self.trace(lambda: gc.collect(1), gc=True)
        row, = self.named("garbage collection")
        self.assertEqual(row["cat"], "gc")
        self.assertEqual(row["args"]["generation"], 1)
        self.assertIn("collected", row["args"])
        self.assertEqual(gc.callbacks, before)
        self.check_balance()

    def test_tasks_are_asynchronous_ranges(self):
        async def part(n):
            await asyncio.sleep(0)
            return n

        async def whole():
            named = asyncio.create_task(part(3), name="third")
            await asyncio.gather(part(1), part(2))
            await named

        for hook in support.HOOKS:
            with self.subTest(hook=hook):
                self.trace(lambda: asyncio.run(whole()), tasks=True,
                           hook=hook)
                rows = [(e["ph"], e["name"]) for e in self.events
                        if e["ph"] in "be"]
                for name, count in ((part.__qualname__, 2), ("third", 1),
                                    (whole.__qualname__, 1)):
                    for phase in "be":
                        self.assertEqual(rows.count((phase, name)), count)
                self.check_balance()

    def torch(self):
        """Functions with the names and files of torch's."""
        module = compile(
            "class Module:\n"
            "    def _call_impl(self, *args):\n"
            "        return self.forward(*args)\n"
            "    def _wrapped_call_impl(self, *args):\n"
            "        return self._call_impl(*args)\n"
            "    __call__ = _wrapped_call_impl\n",
            "/somewhere/torch/nn/modules/module.py", "exec")
        optimizer = compile(
            "class Optimizer:\n"
            "    @staticmethod\n"
            "    def profile_hook_step(func):\n"
            "        def wrapper(*args):\n"
            "            return func(*args)\n"
            "        return wrapper\n",
            "/somewhere/torch/optim/optimizer.py", "exec")
        found = types.SimpleNamespace()
        exec(module, found.__dict__)
        exec(optimizer, found.__dict__)
        return found

    def linear(self, torch):
        class Parameter:
            shape = (3, 4)
            dtype = "torch.float32"
            device = "cpu"
            requires_grad = True
            grad = None

        Parameter.__module__ = "torch.nn.parameter"

        class Linear(torch.Module):
            def __init__(self):
                self._parameters = {"weight": Parameter(), "bias": None}

            def forward(self, x):
                return x

        return Linear

    def test_modules_are_numbered_within_their_class(self):
        for hook in support.HOOKS:
            with self.subTest(hook=hook):
                linear = self.linear(self.torch())
                one, two = linear(), linear()

                def caller():
                    one(1)
                    two(1)
                    one(1)

                self.trace(caller, hook=hook)
                rows = [e for e in self.events
                        if e["ph"] == "X" and e["cat"] == "module"]
                names = [e["name"] for e in sorted(
                    rows, key=lambda e: e["ts"])]
                self.assertEqual(len(names), 3)
                self.assertEqual(len(set(names)), 2)
                self.assertEqual(names[0], names[2])
                for name in names:
                    self.assertRegex(name, r"^Linear_\d+$")
                self.assertNotIn("weight", rows[0].get("args", {}))
                self.check_balance()

    def test_parameters_are_arguments_of_the_first_call(self):
        one = self.linear(self.torch())()

        def caller():
            one(1)
            one(1)

        self.trace(caller, parameters=True)
        rows = sorted((e for e in self.events if e["ph"] == "X"
                       and e["cat"] == "module"), key=lambda e: e["ts"])
        self.assertEqual(rows[0]["args"], {
            "weight": "(3, 4) torch.float32 cpu requires_grad=True "
                      "grad=False"})
        self.assertEqual(rows[1].get("args", {}), {})

    def test_optimizers_show_their_groups(self):
        torch = self.torch()
        weight = self.linear(torch)()._parameters["weight"]

        class SGD(torch.Optimizer):
            def __init__(self):
                self.param_groups = [{"params": [weight], "lr": 1}]
                self.state = {weight: {"step": 1, "momentum": 2}}

            @torch.Optimizer.profile_hook_step
            def step(self):
                pass

        one = SGD()
        self.trace(one.step, parameters=True)
        row, = [e for e in self.events
                if e["ph"] == "X" and e["cat"] == "optimizer"]
        self.assertRegex(row["name"], r"^SGD_\d+$")
        self.assertRegex(row["args"]["group0.param0"], r"^\(3, 4\) ")
        self.assertEqual(row["args"]["group0.param0.state"],
                         "['momentum', 'step']")

    def test_modules_are_not_kept_alive(self):
        import weakref
        one = self.linear(self.torch())()
        alive = weakref.ref(one)
        self.trace(one, 1)
        del one
        gc.collect()
        self.assertIsNone(alive())


if __name__ == "__main__":
    unittest.main()
