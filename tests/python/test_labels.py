# SPDX-License-Identifier: MIT
"""Labelled ranges: as blocks and as decorators, ended by a future or not."""

import unittest

import range_case
import support


class Labels(range_case.TestCase):
    def test_label_has_its_argument(self):
        self.record("""
with ctprof.record_function("label", "words"):
    pass
@ctprof.record_function("decorates")
def function(): return 4
print(function(), function())
""")
        events = [event for event in support.chrome(self.log)
                  if event["ph"] == "X"]
        self.assertEqual([event["name"] for event in events],
                         ["label", "decorates", "decorates"])
        self.assertEqual(events[0]["args"], {"args": "words"})

    def test_label_ends_with_a_future_on_another_thread(self):
        self.record("""
go = threading.Event()
with concurrent.futures.ThreadPoolExecutor(1) as pool:
    with ctprof.record_function("label", asynchronous=True) as label:
        future = label.end_with(pool.submit(go.wait))
    ctprof.instant("block is left")
    go.set()
    future.result()
""")
        events = [event for event in support.chrome(self.log)
                  if event["ph"] in "bei"]
        self.assertEqual(
            [(event["ph"], event["name"]) for event in
             sorted(events, key=lambda event: event["ts"])],
            [("b", "label"), ("i", "block is left"), ("e", "label")])
        begin, end = (event["tid"] for event in events if event["ph"] in "be")
        self.assertNotEqual(begin, end)

    def test_label_ends_with_a_future_of_asyncio(self):
        self.record("""
async def main():
    future = asyncio.get_running_loop().create_future()
    with ctprof.record_function("label", asynchronous=True) as label:
        label.end_with(future)
    with ctprof.range("meanwhile"):
        pass
    future.cancel()
    await asyncio.sleep(0)
asyncio.run(main())
""")
        self.assertEqual(self.spans(), [("b", "label"), ("e", "label")])

    def test_label_without_a_future_ends_with_its_block(self):
        self.record("""
with ctprof.record_function("label", asynchronous=True):
    pass
""")
        self.assertEqual(self.spans(), [("b", "label"), ("e", "label")])

    def test_asynchronous_label_of_a_function(self):
        said = self.record("""
@ctprof.record_function("label", asynchronous=True)
def function(n): return n + 1
print(function(1))
""")
        self.assertEqual(said, "2\n")
        self.assertEqual(self.spans(), [("b", "label"), ("e", "label")])

    def test_nested_label_with_a_future_is_two_ranges(self):
        self.record("""
future = concurrent.futures.Future()
with ctprof.record_function("label") as label:
    label.end_with(future)
with ctprof.range("after"):
    future.set_result(1)
""")
        self.assertEqual(self.names(), ["label", "after"])
        self.assertEqual(self.spans(), [("b", "label"), ("e", "label")])

    def test_second_future_is_an_error(self):
        said = self.record("""
def attempt(function, *arguments):
    try:
        function(*arguments)
    except RuntimeError as error:
        print(error)
label = ctprof.record_function("label", asynchronous=True)
attempt(label.end_with, concurrent.futures.Future())
with label:
    label.end_with(concurrent.futures.Future())
    attempt(label.end_with, concurrent.futures.Future())
attempt(label.__enter__)
""")
        self.assertEqual(said, "the range 'label' has not begun\n"
                         "the range 'label' already has a future\n"
                         "the range 'label' was already entered\n")


if __name__ == "__main__":
    unittest.main()
