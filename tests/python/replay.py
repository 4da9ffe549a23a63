# SPDX-License-Identifier: MIT
"""A second oracle: the call events of sys.setprofile(), and cProfile's
arithmetic over them, with a clock that ticks once per event."""

import sys
import types

import support

DESCRIPTORS = (types.MethodDescriptorType, types.ClassMethodDescriptorType)


class Recorder:
    """Collects begins (a key) and ends (None) of the calls of one thread."""

    def __init__(self):
        self.events = []
        self.depth = 0
        # The label of each method: taken from the first object it is seen on.
        self.labels = {}

    def native(self, function):
        """The label of a C function, by cProfile's rules."""
        owner, name = function.__self__, function.__name__
        # A static method does not show its type, though it is not the type's
        # method.
        if owner is not None and not isinstance(owner, types.ModuleType):
            kinds = [vars(kind).get(name) for kind in type(owner).__mro__]
            found = [each for each in kinds if each is not None]
            same = [each for each in found if isinstance(each, DESCRIPTORS)]
            if found:
                return self.labels.setdefault(id((same or found)[0]),
                                              repr(found[0]))
        module = function.__module__
        if isinstance(module, str):
            name = f"{module}.{name}"
        return f"<built-in method {name}>"

    def __call__(self, frame, event, argument):
        if event == "call":
            code = frame.f_code
            self.begin((code.co_filename, code.co_firstlineno,
                        support.plain(code.co_name)))
        elif event == "c_call":
            self.begin(("~", 0, support.plain(self.native(argument))))
        elif self.depth > 0:
            self.depth -= 1
            self.events.append(None)

    def begin(self, key):
        self.depth += 1
        self.events.append(key)

    def run(self, function):
        """Calls it; returns the events, without those of ending the
        recording."""
        sys.setprofile(self)
        try:
            function()
        finally:
            sys.setprofile(None)
        while self.events and self.depth > 0:
            # The call of setprofile() has a begin and no end.
            self.events.pop()
            self.depth -= 1
        return self.events


class Replay:
    """cProfile's counts and times for such events: {key: Function}. The clock
    ticks at events of functions for which counted(key) is true."""

    def __init__(self, events, counted=lambda key: True):
        # For each key, and each (caller, key): calls, primitive calls, own
        # time, cumulative time, and the number of open calls.
        self.costs = {}
        # For each open call: both keys, its begin, and the time of its callees.
        self.stack = []
        now = 0
        for key in events:
            if key is None:
                ended = self.stack[-1][0][0]
                self.end(now)
                now += counted(ended)
            else:
                self.begin(key, now)
                now += counted(key)

    def begin(self, key, now):
        both = key, (self.stack[-1][0][0] if self.stack else None, key)
        for what in both:
            self.costs.setdefault(what, [0, 0, 0, 0, 0])[4] += 1
        self.stack.append([both, now, 0])

    def end(self, now):
        both, begin, inner = self.stack.pop()
        whole = now - begin
        for what in both:
            cost = self.costs[what]
            cost[0] += 1
            cost[2] += whole - inner
            cost[4] -= 1
            if cost[4] == 0:
                cost[1] += 1
                cost[3] += whole
        if self.stack:
            self.stack[-1][2] += whole

    @property
    def functions(self):
        functions = {key: support.Function(*cost[:4], {})
                     for key, cost in self.costs.items() if len(key) == 3}
        for edge, cost in self.costs.items():
            if len(edge) == 2 and edge[0] is not None:
                functions[edge[1]].callers[edge[0]] = support.Cost(*cost[:4])
        return functions


def ranges(events):
    """The calls as [(begin, end, name)], by begin."""
    rows, stack = [], []
    for now, key in enumerate(events):
        if key is None:
            begin, name = stack.pop()
            rows.append((begin, now, name))
        else:
            stack.append((now, key[2]))
    return sorted(rows)
