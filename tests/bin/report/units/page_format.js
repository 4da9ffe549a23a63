// SPDX-License-Identifier: MIT
equal("nanoseconds", [0, 1, 999, 1000].map(timeText),
	["0 ns", "1 ns", "999 ns", "1.00 \u00b5s"]);
equal("three digits after rounding", [9994, 9996, 99940, 99960, 999400, 999600]
	.map(timeText), ["9.99 \u00b5s", "10.0 \u00b5s", "99.9 \u00b5s",
	"100 \u00b5s", "999 \u00b5s", "1.00 ms"]);
equal("300 years", timeText(9.4608e18), "9,460,800,000 s");
equal("bytes", [0, 999, 1000, 1.5e6, 2e15, 7e18].map(bytesText),
	["0 B", "999 B", "1.00 kB", "1.50 MB", "2.00 PB", "7000 PB"]);
equal("one and many", [countOf(1, "call"), countOf(2, "call"),
	countOf(1200, "copy", "copies")],
["1 call", "2 calls", "1,200 copies"]);
equal("shares", [[0, 10], [1, 3], [1, 10000], [5, 0], [10, 10]].map(
	([part, whole]) => percent(part, whole)),
["0.0 %", "33.3 %", "<0.1 %", "0.0 %", "100.0 %"]);
equal("clipped texts", [clipped("abc", 3), clipped("abcd", 3), clipped("", 1)],
	["abc", "ab\u2026", ""]);
equal("the last part of a path", ["/a/b.c", "b.c", "", "/a/"].map(baseName),
	["b.c", "b.c", "", "/a/"]);
equal("short paths", ["/a/b/c", "/a/b/c/d", "a"].map(shortPath),
	["/a/b/c", "\u2026/b/c/d", "a"]);
equal("hues are in the circle and do not change", [hueOf(""), hueOf("a"),
	hueOf("a") === hueOf("a")].map((hue) => hue === true ||
	(hue >= 0 && hue < 360 && hue % 30 === 0)), [true, true, true]);
