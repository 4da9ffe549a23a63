// SPDX-License-Identifier: MIT
// A function with its callers and callees, and the shares of its time both ways;
// and its call paths, joined: from the function, and towards it.
// Source: the sandwich view of speedscope: an occurrence inside another of the
// same function belongs to the outer one, so that time counts once.

// The outermost occurrences of a function.
function occurrencesOf(nodes, row) {
	const found = [];
	let depth = Infinity;

	for (const node of nodes) {
		if (node.depth > depth)
			continue;
		depth = Infinity;
		if (node.row !== row)
			continue;
		depth = node.depth;
		found.push(node);
	}
	return found;
}

function sumBy(items, valueOf) {
	return items.reduce((sum, item) => sum + valueOf(item), 0);
}

// Adds the frame of items of one function and those below it to `nodes`, in
// preorder: by time, but what is left of folded paths comes last. An item is a
// frame and the occurrence whose time it has.
function joinPaths(items, next, parent, nodes) {
	const {at, of} = items[0];
	const groups = new Map();
	const node = {row: at.row, name: at.name, label: at.label, hue: at.hue,
		system: at.system, isCaller: at !== of,
		depth: parent ? parent.depth + 1 : 0, parent, children: [],
		total: sumBy(items, (item) => item.of.total), self: 0,
		calls: sumBy(items, (item) => item.of.calls),
		start: parent ? parent.start + parent.used : 0,
		used: 0, hit: false};

	nodes.push(node);
	if (parent) {
		parent.used += node.total;
		parent.children.push(node);
	}
	for (const item of items.flatMap(next)) {
		const group = groups.get(item.at.row);

		if (group)
			group.push(item);
		else
			groups.set(item.at.row, [item]);
	}
	const total = (group) => sumBy(group, (item) => item.of.total);

	[...groups.values()].sort((a, b) => (a[0].at.row === null) -
		(b[0].at.row === null) || total(b) - total(a))
		.forEach((group) => joinPaths(group, next, node, nodes));
	node.self = node.total - node.used;
	return nodes;
}

// The paths from a function down: its occurrences are the root. [] if it does not
// occur.
function pathsFrom(nodes, row) {
	const items = occurrencesOf(nodes, row).map((at) => ({at, of: at}));

	return items.length === 0 ? [] : joinPaths(items, ({at}) =>
		at.children.map((child) => ({at: child, of: child})), null, []);
}

// The paths towards it: a frame below another is its caller, and as wide as the
// function's time in calls on this path.
function pathsTowards(nodes, row) {
	const items = occurrencesOf(nodes, row).map((at) => ({at, of: at}));

	if (items.length === 0)
		return [];
	const paths = joinPaths(items, ({at, of}) =>
		at.parent && at.parent.parent ? [{at: at.parent, of}] : [],
	null, []);

	paths[0].isCaller = true;
	return paths;
}

// Per cent; null if unknown. An edge's time is in that of both its ends, also
// with recursion, whose inner calls do not count again.
function shareOf(part_ns, whole_ns) {
	return whole_ns > 0 && part_ns != null ? 100 * part_ns / whole_ns : null;
}

// A column of shares: `part` and `whole` of a row, or null.
function shareColumn(title, hint, valueOf) {
	return {title, hint, whole: 100, isShare: true,
		value: (edge) => valueOf(edge) ?? -1,
		text: (share) => share < 0 ? "\u2013" : percent(share, 100)};
}

// A table of callers or callees.
function relativesTable(sandwich, {title, edges, between, relative}) {
	const {input, row, open} = sandwich;
	const time = (edge) => valueOf(input.edges, edge.cells, "cumtime_ns");
	const shared = sharedNames(edges.flatMap((edge) => edge.row || []));

	if (edges.length === 0)
		return make("div", {}, make("h3", {}, title),
			make("p", {class: "note"}, "None is shown here."));
	return make("div", {}, make("h3", {}, title), describedTable(title,
		input.edges, {rows: edges, cells: (edge) => edge.cells,
			sort: "cumtime_ns", most: RELATIVES_SHOWN,
			omits: ["pcalls", "tottime_ns"],
			classOf: (edge) => edge.row && edge.row.system
				? "system" : null,
			before: [{title: "Function", name: true,
				value: (edge) => edge.row ? edge.row.name
					: NO_CALLER,
				cell: (edge) => edge.row ? [make("button", {
					type: "button",
					onclick: () => open(edge.row),
				}, nameOf(edge.row.name)), shared.has(
					edge.row.name) && edge.row.file
					? make("small", {title: placeOf(edge.row)},
						shortPath(placeOf(edge.row))) : ""]
					: [make("i", {}, NO_CALLER)]}],
			after: [shareColumn("% of this", between,
				(edge) => shareOf(time(edge), row.time)),
			shareColumn(title === "Called by"
				? "% of caller" : "% of callee", relative, (edge) => edge.row
				? shareOf(time(edge), edge.row.time) : null)]}),
	hiddenCalls(sandwich, edges, title));
}

const RELATIVES_SHOWN = 12;
const NO_CALLER = "(no caller)";

// The calls of callers that are not on the page.
function hiddenCalls({input, row}, edges, title) {
	const calls = (table, cells) => valueOf(table, cells, "ncalls");

	if (title !== "Called by" || row.kind !== 0)
		return null;
	const hidden = calls(input.functions.host, row.cells) -
		sumBy(edges, (edge) => calls(input.edges, edge.cells));

	return hidden > 0 ? make("p", {class: "note"}, countOf(hidden, "call") +
		" came from callers that are not on this page.") : null;
}

// Says what the graphs lack, if paths were folded or are unknown.
function missingShare(row, nodes) {
	const missing = row.time - (nodes.length > 0 ? nodes[0].total : 0);
	const share = shareOf(missing, row.time);

	return share == null || share < 0.05 ? null : make("p",
		{class: "note missing"}, percent(missing, row.time) + " of its " +
		"time is missing here: its paths were too short for this page.");
}

const SANDWICH_HEIGHT = 300; // pixels of a graph

// The two graphs; null without call paths. `element.draw` draws them.
function sandwichGraphs(row, nodes) {
	const from = pathsFrom(nodes, row);

	if (nodes.length < 2)
		return null;
	if (from.length === 0 || from[0].total === 0)
		return make("div", {}, missingShare(row, []));
	const graphs = [["Towards it: callers above", pathsTowards(nodes, row),
		true], ["From it: callees below", from, false]];
	const draws = [];
	const element = make("div", {class: "graphs"}, graphs.flatMap(
		([title, paths, isInverted]) => {
			const host = make("div", {class: "graph"});
			const status = make("p", {class: "status",
				"aria-live": "polite"});
			const graph = flameOf(host, status, title, {isInverted,
				height: SANDWICH_HEIGHT});

			draws.push((first) => first ? graph.show(paths)
				: graph.draw());
			return [make("h3", {}, title), host, status];
		}), missingShare(row, from));

	element.draw = (first) => draws.forEach((draw) => draw(first));
	return element;
}

// The time of a function, and its own, in words.
function sandwichWords({input, row}) {
	const table = row.kind === 0 ? input.functions.host
		: input.functions.device;
	const own = valueOf(table, row.cells, "tottime_ns");
	const calls = valueOf(table, row.cells, "ncalls");

	return (calls == null ? "" : countOf(calls, "call") + ", ") +
		timeText(row.time) + " in all" + (input.total_ns > 0 &&
			row.kind === 0 ? ", " + percent(row.time,
				input.total_ns) + " of the whole" : "") +
		(own == null ? "" : "; itself " + timeText(own) + ", " +
			percent(own, row.time) + " of its time");
}

// The view of a function: `input`, `row`, `nodes` of its graph, open(row),
// close(), and find(text) or null.
function sandwichOf(sandwich) {
	const {row, nodes, close, find, source} = sandwich;
	const graphs = sandwichGraphs(row, nodes);
	const title = make("h3", {tabindex: "-1"}, nameOf(row.name));
	const element = make("div", {class: "sandwich", role: "region",
		"aria-label": "Function " + row.name, onkeydown: (event) => {
			if (event.key !== "Escape")
				return;
			event.stopPropagation();
			close();
		}},
	make("div", {class: "head"}, title, find && make("button",
		{type: "button", onclick: () => find(row.name)},
		"Find in the flame graph"), make("button", {type: "button",
		class: "close", onclick: close}, "Close")),
	make("p", {class: "note lead"}, row.file ? placeOf(row) + " \u2014 "
		: "", sandwichWords(sandwich)),
	make("div", {class: "pair"},
		relativesTable(sandwich, {title: "Called by",
			edges: row.callers,
			between: "share of this function's time that is spent " +
				"in calls by this caller",
			relative: "share of the caller's time that this " +
				"function takes"}),
		relativesTable(sandwich, {title: "Calls", edges: row.callees,
			between: "share of this function's time that this " +
				"callee takes",
			relative: "share of the callee's time that is spent " +
				"in calls by this function"})), source, graphs);

	element.start = () => graphs && graphs.draw && graphs.draw(true);
	element.draw = () => graphs && graphs.draw && graphs.draw(false);
	element.focusTitle = () => title.focus();
	return element;
}
