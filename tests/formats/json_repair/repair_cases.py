# SPDX-License-Identifier: MIT
"""Damaged JSON with the expected result and report.

usage: repair_cases.py DIRECTORY writes each, as seeds for the fuzzer
"""
import collections
import os
import sys

# `fixes`: name in the report -> count. `text`: the exact output.
Case = collections.namedtuple("Case", "name damaged text fixes")


def case(name, damaged, text, **fixes):
    if isinstance(damaged, str):
        damaged = damaged.encode("utf-8", "surrogatepass")
    return Case(name, damaged, text, fixes)


def x(name, start=1, dur=2, more=""):
    return ('{"ph":"X","name":"%s","pid":1,"tid":1,"ts":%s,"dur":%s%s}'
            % (name, start, dur, more))


def array(*events):
    return "[" + ",\n".join(events) + "]"


def in_args(text):
    return array(x("a", more=',"args":{"v":%s}' % text), x("b"))


A, B, C = x("a"), x("b"), x("c")

ENDS = [
    case("an event cut off", "[" + A + ",\n" + B[:30], "[" + A + "]",
         truncated=1, brackets=1),
    case("cut off behind a comma", "[" + A + ",\n", "[" + A + "]",
         brackets=1),
    case("cut off in a number that could go on",
         '{"traceEvents":[' + A + '],"baseTimeNanoseconds":123',
         '{"traceEvents":[' + A + ']}', truncated=1, brackets=1),
    case("cut off before the events", '{"schemaVersion":1,"trace',
         '{"schemaVersion":1,"traceEvents":[]}', truncated=1, brackets=3),
    case("cut off in a list of devices",
         '{"deviceProperties":[{"id":0},{"id":',
         '{"deviceProperties":[{"id":0}],"traceEvents":[]}', truncated=1,
         brackets=4),
    case("cut off behind the first bracket", '{', '{"traceEvents":[]}',
         truncated=1, brackets=3),
    case("cut off in the first key", '{"sche', '{"traceEvents":[]}',
         truncated=1, brackets=3),
    case("cut off behind a member of a trace",
         '{"displayTimeUnit":"ms"', '{"displayTimeUnit":"ms","traceEvents":[]}',
         truncated=1, brackets=3),
    case("cut off, and no trace", '{"name":"package","vers',
         '{"name":"package"}', truncated=1, brackets=1),
    case("nothing but blanks", " \n", " \n[]", truncated=1, brackets=2),
    case("the end is zeros", "[" + A + "," + B[:40] + "\0" * 5000,
         "[" + A + "]", dropped=1, brackets=1),
    case("a hole in the middle",
         "[" + A + "," + B[:24] + "\0" * 5000 + C[60:] + ",\n" + A + "]",
         "[" + A + "" + "," + A + "]", dropped=1),
    case("one begins within another", array(A, B[:20] + A, C),
         "[" + A + "," + A + ",\n" + C + "]", dropped=1),
    case("one lies within half of another",
         array(A, '{"ph":"X","args":{"name":' + B, C),
         "[" + A + "," + B + ",\n" + C + "]", dropped=1),
    case("the start is missing", B[20:] + ",\n" + array(A, C)[1:],
         array(A, C), garbage=1, brackets=1),
    case("no brackets around them", A + "\n" + B + "\n",
         "[" + A + ",\n" + B + "\n]", brackets=2, commas=1),
]

MARKS = [
    case("a comma too many", array(A, B)[:-1] + ",]", array(A, B), commas=1),
    case("two commas", array(A, "", B), "[" + A + ",\n\n" + B + "]",
         commas=1),
    case("no comma", "[" + A + B + "]", "[" + A + "," + B + "]", commas=1),
    case("commas in a member", in_args('[1,,2,],'), in_args("[1,2]"),
         commas=3),
    case("no comma between members", in_args('"x" "w":1'),
         in_args('"x" ,"w":1'), commas=1),
    case("no colon", array(A.replace('"pid":', '"pid" ')),
         array(A.replace('"pid":', '"pid" :')), members=1),
    case("no value", in_args(""), in_args("null"), members=1),
    case("a bracket too few", "[" + A[:-1] + ",\n" + B + "]", array(A, B),
         brackets=1),
    case("two too few", in_args('{"w":1')[:-len(B) - 5] + ",\n" + B + "]",
         in_args('{"w":1}'), brackets=3),
    case("a bracket too many", "[" + A + "},\n" + B + "]]", array(A, B),
         brackets=1, garbage=1),
    case("an event that goes on", '[{"ph":"X"},"name":"a","ts":1,"dur":2}]',
         '[{"ph":"X","name":"a","ts":1,"dur":2}]', brackets=1),
    case("an event within another object", '{"traceEvents":[' + A
         + '],"x":{' + B + '}}', '{"traceEvents":[' + A + "," + B
         + '],"x":{}}', brackets=4),
    case("nested too deep", in_args("[" * 600 + "1" + "]" * 600),
         in_args("[" * 510 + "null" + "]" * 510), depth=1),
    case("bytes before it", "\ufeff" + array(A), array(A), garbage=1),
    case("a log before and behind it",
         "[INFO] writing\n" + array(A) + "\nbye", array(A) + "\n",
         garbage=2),
    case("a list of numbers, and not a log line", " [1, 2]\n", " [1, 2]\n"),
    case("two documents", array(A) + "\n" + array(B, C),
         "[" + A + "," + B + ",\n" + C + "]\n", documents=1),
    case("two documents that are objects",
         '{"traceEvents":[' + A + '],"x":1}{"traceEvents":[' + B
         + '],"y":2}', '{"traceEvents":[' + A + "," + B + '],"x":1}',
         documents=1),
]

TEXTS = [
    case("control characters", array(x("\1\n\t\x1f")),
         array(x("\\u0001\\n\\t\\u001f")), controls=4),
    case("bytes that are no UTF-8",
         array(x("Z")).encode().replace(b"Z", b"\xff\xe4\xb8\xed\xa0\x80"),
         array(x("\ufffd" * 5)), utf8=5),
    case("halves of surrogates",
         array(x("\\ud83d.\\ude00\\ud83d\\ude00\\uD83D\\n")),
         array(x("\\ufffd.\\ufffd\\ud83d\\ude00\\ufffd\\n")), surrogates=3),
    case("quotes in a name", array(x('say "hi", "ho"'), B),
         array(x('say \\"hi\\", \\"ho\\"'), B), quotes=4),
    case("a quote at the end of a name", array(x('say "hi"'), B),
         array(x('say \\"hi\\"'), B), quotes=2),
    case("a path of Windows", array(x("C:\\new\\Python\\bin"), B),
         array(x("C:\\\\new\\\\Python\\\\bin"), B), backslashes=3),
    case("a path that ends", array(x("C:\\new\\"), B),
         array(x("C:\\\\new\\\\"), B), backslashes=2),
    case("other backslashes", array(x("\\d+\\n\\u12g4")),
         array(x("\\\\d+\\n\\\\u12g4")), backslashes=2),
    case("the last quote is missing",
         array('{"ph":"X","name":"a,"pid":1,"ts":1,"dur":2}', B),
         array('{"ph":"X","name":"a","pid":1,"ts":1,"dur":2}', B), quotes=1),
    case("the first quote is missing", array(A.replace('"a', "a"), B),
         array(A, B), quotes=1),
    case("a key without quotes", array(A.replace('"ts"', "ts"), B),
         array(A, B), quotes=1),
    case("keys of any letters beside what is mended",
         in_args('{"a":"x","m: [0], \u00e9 \\"q\\"":"y","%s":NaN}' % ("k" * 80)),
         in_args('{"a":"x","m: [0], \u00e9 \\"q\\"":"y","%s":"NaN"}' % ("k" * 80)),
         nan=1),
]

VALUES = [
    case("no numbers", in_args("[NaN,-Infinity,Infinity,nan,-inf]"),
         in_args('["NaN","-Infinity","Infinity","NaN","-Infinity"]'), nan=5),
    case("C has no numbers either",
         in_args("[+inf,-INF,-nan(ind),1.#INF00,-1.#INF,-1.#IND00,1.#J]"),
         in_args('["Infinity","-Infinity","NaN","Infinity","-Infinity","NaN",'
                 '"NaN"]'), nan=7),
    case("no numbers beside the events",
         '{"l":[NaN,[-Infinity],True],"traceEvents":[' + A +
         '],"m":[ 1 , None ,07]}',
         '{"l":["NaN",["-Infinity"],true],"traceEvents":[' + A +
         '],"m":[ 1 , null ,7]}', nan=2, words=2, numbers=1),
    case("texts beside the events",
         '{"l":["a\\qb","C:\\new\\q","ok"],"traceEvents":[' + A +
         '],"m":["\t",\'x\',"a"b"],"o":{"l":["\\z"]}}',
         '{"l":["a\\\\qb","C:\\\\new\\\\q","ok"],"traceEvents":[' + A +
         '],"m":["\\t","x","a\\"b"],"o":{"l":["\\\\z"]}}',
         backslashes=4, controls=1, words=1, quotes=1),
    case("numbers of other languages",
         in_args("[+1,.5,1.,-.5e1,007,0x1F,-0x10,1e5]"),
         in_args("[1,0.5,1.0,-0.5e1,7,31,-16,1e5]"), numbers=7),
    case("numbers that no double holds",
         in_args("[1e999,1.7976931348623157e+308,2e308,123456789012345678"
                 "9012345678901234567890]"),
         in_args('["1e999",1.7976931348623157e+308,"2e308",123456789012345'
                 '6789012345678901234567890]'), quotes=2),
    case("Python's words and quotes",
         "[{'ph': 'X', 'name': 'it\\'s \"x\"', 'ts': 1, 'dur': 2, 'args': "
         "{'t': True, 'n': None}}]",
         '[{"ph": "X", "name": "it\'s \\"x\\"", "ts": 1, "dur": 2, "args": '
         '{"t": true, "n": null}}]', words=11),
    case("times that are text",
         array(x("a", '"1712345678901234.567"', '" 2 "')),
         array(x("a", "1712345678901234.567", "2")), text_times=2),
    case("times that are no times", array(x("a", '"now"')),
         array(x("a", '"now"'))),
    case("events without a time",
         array(x("a", "1621401187223005.5"), x("k", "0.000", "0.000"),
               '{"ph":"f","id":1,"ts":0}', x("s", "0", 5)),
         array(x("a", "1621401187223005.5"),
               x("k", "1621401187223005.5", "0.000"),
               '{"ph":"f","id":1,"ts":1621401187223005.5}', x("s", "0", 5)),
         zero_times=2),
    case("times that are zero", array(x("a", 5), x("k", 0, 0)),
         array(x("a", 5), x("k", 0, 0))),
    case("keys that come twice", array('{"ph":"i","ts":1,"ts":2}', A),
         array('{"ph":"i","ts":1,"ts":2}', A)),
]

CASES = ENDS + MARKS + TEXTS + VALUES


def main():
    for number, each in enumerate(CASES):
        path = os.path.join(sys.argv[1], f"damaged-{number}")
        with open(path, "wb") as out:
            out.write(each.damaged)


if __name__ == "__main__":
    main()
