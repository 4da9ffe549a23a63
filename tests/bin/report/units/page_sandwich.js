// SPDX-License-Identifier: MIT
// Random call paths of few functions, with much recursion, against sums made path
// by path.
let seed = 7;

function random(most) {
	seed = (seed * 1103515245 + 12345) % 2147483648;
	return Math.floor(seed / 65536) % most;
}

const rows = [..."abcd"].map((name) => ({kind: 0, scopes: [], name, file: "",
	line: 0}));
const tree = {function: -1, total: 0, children: new Map()};
const stacks = [];

for (let i = 0; i < 300; i++)
	stacks.push([Array.from({length: 1 + random(7)}, () => random(4)),
		1 + random(50)]);

function add(node, stack, time) {
	node.total += time;
	if (stack.length === 0)
		return;
	const [first, ...rest] = stack;

	if (!node.children.has(first))
		node.children.set(first, {function: first, total: 0,
			children: new Map()});
	add(node.children.get(first), rest, time);
}

function flatten(node, depth) {
	const below = [...node.children.values()];

	return [node.function, depth, node.total, node.total -
		below.reduce((sum, child) => sum + child.total, 0), 1,
	...below.flatMap((child) => flatten(child, depth + 1))];
}

// The sums of the oracle: each prefix of each stack from the first occurrence.
function wanted(name, isTowards) {
	const sums = {};

	for (const [stack, time] of stacks) {
		const names = stack.map((number) => rows[number].name);
		const at = names.indexOf(name);
		const path = isTowards ? names.slice(0, at + 1).reverse()
			: names.slice(at);

		for (let size = 1; at >= 0 && size <= path.length; size++) {
			const key = path.slice(0, size).join("");

			sums[key] = (sums[key] || 0) + time;
		}
	}
	return Object.entries(sums).sort();
}

function got(nodes) {
	const path = [];

	return nodes.map((node) => {
		path.length = node.depth;
		path.push(node.name);
		return [path.join(""), node.total];
	}).sort();
}

stacks.forEach(([stack, time]) => add(tree, stack, time));
const nodes = treeOf(flatten(tree, 0), rows);

for (const row of rows) {
	equal("from " + row.name, got(pathsFrom(nodes, row)),
		wanted(row.name, false));
	equal("towards " + row.name, got(pathsTowards(nodes, row)),
		wanted(row.name, true));
	equal("widths of " + row.name, [pathsFrom(nodes, row),
		pathsTowards(nodes, row)].every((paths) => paths.every((node) =>
		node.self >= 0 && node.used + node.self === node.total &&
		(!node.parent || (node.start >= node.parent.start &&
			node.start + node.total <= node.parent.start +
			node.parent.total)))), true);
}
equal("a function that does not occur", [pathsFrom(nodes, {}),
	pathsTowards(nodes, {})], [[], []]);
equal("shares", [shareOf(1, 4), shareOf(0, 4), shareOf(1, 0), shareOf(null, 4)],
	[25, 0, null, null]);
equal("costs of a line are added up", [...lineCosts([3, 1, 20, 30, 4, 0, 1, 1,
	3, 2, 5, 7])], [[3, [3, 25, 37]], [4, [0, 1, 1]]]);
equal("system frames", [["main", "/home/u/a.py"], ["f", "/usr/lib/x.so"],
	["<built-in method len>", "~"], ["f", "/opt/lib/python3.11/re.py"],
	["f", "/opt/lib/python3.11/site-packages/torch/x.py"],
	["std::sort", ""]].map(([name, file]) => isSystem({kind: 0, name, file})),
[false, true, true, true, false, true]);
