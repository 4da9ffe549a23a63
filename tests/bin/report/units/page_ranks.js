// SPDX-License-Identifier: MIT
const ranks = [0, 3, 1, 0, 9, 2, 0].map((behind_ns, i) =>
	({name: String(i), behind_ns}));
const shown = (most) => rankColumns(ranks, most).map((row) => row.name).join("");

equal("a column for each rank", shown(7), "0123456");
equal("two ranks a column", shown(4), "1246");
equal("one column has the slowest", shown(1), "4");
equal("no room", shown(0), "4");
equal("no ranks", rankColumns([], 5), []);
