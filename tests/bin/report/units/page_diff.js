// SPDX-License-Identifier: MIT
equal("levels of change", [[0, 0], [100, 100], [1000, 1009], [1000, 1011],
	[100, 200], [200, 100], [0, 5], [5, 0]].map(([base, now]) =>
	changeLevel(base, now)), [0, 0, 0, 1, 5, -5, 5, -5]);
equal("words of change", [[1000, 1500], [1500, 1000], [0, 5], [7, 7]].map(
	([base, now]) => changeText(base, now)),
["+500 ns, +50.0 %", "\u2212500 ns, \u221233.3 %", "+5 ns", "0 ns, 0.0 %"]);
equal("a tree", changeTree({nodes: [-1, 0, 30, 0, 0, 0, 1, 30, 30, 2],
	base: [10, 10]}, [{kind: 0, scopes: [], name: "f", file: "", line: 0}])
	.map((node) => [node.name, node.total, node.base, node.level]),
[["all", 30, 10, 5], ["f", 30, 10, 5]]);
