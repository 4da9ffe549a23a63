# SPDX-License-Identifier: MIT
"""gprof2dot's JSON is read like the same stacks in folded form."""
import json
import random

from checks import check, finish
from profile_readers_case import Profile, convert, data_directory, run
from profile_readers_dot import check_oracle

NAMES = ["a", "b c", "d\u00e9\"", "e;f", "g<h>"]


def sample_file(seed, unit=None):
    chance = random.Random(seed)
    members = {
        "version": 0, "costs": [{"description": "Time"}, {"unit": "x"}],
        "other": [{"events": [1, [2]]}],
        "functions": [{"name": name, "module": "m"} for name in NAMES],
        "events": [{"callchain": [chance.randrange(len(NAMES)) for _ in
                                  range(chance.randrange(1, 7))],
                    "cost": [chance.randrange(1000), 5]}
                   for _ in range(30)]}
    if unit:
        members["costs"][0]["unit"] = unit
        return json.dumps(members).encode()
    order = list(members.items())
    chance.shuffle(order)
    return json.dumps(dict(order)).encode()


def folded(data):
    file = json.loads(data)
    names = [function["name"].replace(";", ":")
             for function in file["functions"]]
    return "".join(
        ";".join(names[number] for number in reversed(event["callchain"])) +
        f" {event['cost'][0]}\n" for event in file["events"]).encode()


def check_samples(seed):
    data = sample_file(seed)
    found, wanted = Profile(data), Profile(folded(data), "--from=folded")
    found.functions = {key.replace(";", ":"): cost
                       for key, cost in found.functions.items()}
    check(found.functions == wanted.functions, f"random {seed}: functions")
    check(convert(data, "folded") ==
          convert(folded(data), "folded", "--from=folded"),
          f"random {seed}: stacks")


def check_cost():
    for cost, said in (({"description": "Memory", "unit": "bytes"},
                        "Memory (bytes)"), ({"description": "Time"}, "Time"),
                       ({"unit": 7}, None), ("?", None)):
        data = json.dumps({"costs": [cost, {"description": "no"}],
                           "functions": [{"name": "a"}],
                           "events": [{"callchain": [0], "cost": [1, 2]}]})
        status, out, _ = run("info", "--json", "-", data=data.encode())
        told = json.loads(out)["facts"].get("cost")
        check(status == 0 and told == said, f"the cost is said: {said}")


def check_bad():
    head = b'{"functions": [{"name": "a"}], "events": ['
    good = b'{"callchain": [0], "cost": [7]}'
    for event, what in ((b'{"callchain": [1], "cost": [1]}',
                         "a function that is not there"),
                        (b'{"callchain": [0], "cost": ["1"]}',
                         "a cost that is no number"),
                        (b'{"callchain": [], "cost": [1]}', "no stack"),
                        (b'{"callchain": [0]}', "no cost"), (b"3", "no event")):
        status, out, said = run("convert", "-t", "folded", "-", "-o", "-",
                                data=head + event + b", " + good + b"]}")
        check(status == 0 and out == b"a 7\n" and "invalid events" in said,
              f"{what} is counted")
    status, out, said = run("convert", "-t", "folded", "-", "-o", "-",
                            data=head + good + b', {"callch')
    check(status == 0 and out == b"a 7\n" and "cut off" in said,
          "what was cut off")


def main():
    for seed in range(8):
        check_samples(seed)
    check(sum(cost[2] for cost in Profile(
        sample_file(1, "ms")).functions.values()) == 10 ** 6 * sum(
            event["cost"][0] for event in json.loads(
                sample_file(1, "ms"))["events"]), "a unit that is a time")
    check(convert(sample_file(1), "folded", "--from=gprof2dot-json") ==
          convert(sample_file(1), "folded"), "its name")
    check(convert(b"\xef\xbb\xbf" + sample_file(1), "folded") ==
          convert(sample_file(1), "folded"), "a mark of UTF-8")
    check_cost()
    check_bad()
    data = data_directory()
    if data:
        check_oracle(data, "json", "gprof2dot/json")
    finish()


if __name__ == "__main__":
    main()
