// SPDX-License-Identifier: MIT
// The changes since a base: sums, functions, and a flame graph whose colours are
// the change of each call path.

// Least change of each level, as a share of the longer time.
const CHANGE_LEVELS = [0.01, 0.03, 0.1, 0.25, 0.5];

// From -5, much faster, to 5, much slower.
function changeLevel(base, now) {
	const share = Math.abs(now - base) / (Math.max(base, now) || 1);
	const level = CHANGE_LEVELS.filter((least) => share >= least).length;

	return now > base ? level : -level;
}

function changeColour(level) {
	return level === 0 ? style("--other")
		: style((level > 0 ? "--slower-" : "--faster-") +
			Math.abs(level));
}

function changeText(base, now) {
	const sign = now > base ? "+" : now < base ? "\u2212" : "";

	return sign + timeText(Math.abs(now - base)) + (base > 0
		? ", " + sign + percent(Math.abs(now - base), base) : "");
}

// The nodes of the flame graph, with their times in the base.
function changeTree({nodes, base}, functions) {
	return treeOf(nodes, functions).map((node, i) => Object.assign(node, {
		base: base[i],
		level: node.row || !node.parent
			? changeLevel(base[i], node.total) : 0,
		change: "before " + timeText(base[i]) + ": " +
			changeText(base[i], node.total),
	}));
}

function changeLegend() {
	const levels = [-5, -3, -1, 0, 1, 3, 5];
	const words = {"-5": "half the time or less", 0: "equal",
		5: "twice the time or more"};

	return make("ul", {class: "legend"}, levels.map((level) => {
		const swatch = make("i");

		swatch.style.background = changeColour(level);
		return make("li", {}, swatch, words[level] || "");
	}));
}

function changeFlame(diff) {
	const functions = diff.functions.map(([kind, scopes, name, file,
		line]) => ({kind, scopes, name, file, line}));
	const trees = diff.trees.map((tree) => changeTree(tree, functions));
	const names = ["Host", "GPU"];
	const shown = trees.map((tree) => tree[0].total > 0);
	const host = make("div", {class: "graph"});
	const status = make("p", {class: "status", "aria-live": "polite"});
	const note = make("p", {class: "note"});
	const graph = flameOf(host, status, "Flame graph of changes. Arrow " +
		"keys select a frame, Enter zooms to it.", {colour: (node) =>
		node.level === undefined ? null : changeColour(node.level)});
	const choices = names.map((name, side) => make("button",
		{type: "button", class: "choice",
			onclick: () => show(side)}, name));
	const element = section("changes-flame", "Flame graph of changes",
		...shown.every((is) => is) ? choices : [],
		make("button", {type: "button", onclick: graph.reset},
			"Reset zoom"));
	const legend = make("div");

	function show(side) {
		const {gone, gone_ns} = diff.trees[side];

		choices.forEach((button, i) => button.setAttribute(
			"aria-pressed", String(i === side)));
		note.textContent = "The width is the new time. " + (gone > 0
			? countOf(gone, "call path") + " of the base, with " +
				timeText(gone_ns) + ", are gone." : "");
		graph.show(trees[side]);
	}
	element.append(legend, host, status, note);
	element.draw = () => {
		legend.replaceChildren(changeLegend());
		graph.draw();
	};
	element.start = () => show(shown[0] ? 0 : 1);
	return shown.some((is) => is) ? element : null;
}

function changeCard(title, [base, now]) {
	return base + now > 0 && [title, [timeText(now),
		make("small", {}, "was " + timeText(base) + " (" +
			changeText(base, now) + ")")]];
}

function changesSection(diff) {
	const table = describedTable("Changed functions", diff.rows, {wholes: {},
		matches: (row, text) => String(row[0]).toLowerCase()
			.includes(text)});
	const element = section("changes", "Changes",
		filterFor(table, "Filter changed functions"));

	element.append(make("p", {class: "note lead"}, "Compared with " +
		diff.base + "."), cards([
		changeCard("Time in functions", diff.host_ns),
		changeCard("Time of GPUs", diff.device_ns),
		["In both", countText(diff.common)],
		["Added", countText(diff.added)],
		["Removed", countText(diff.removed)],
	]), diff.rows.rows.length > 0 ? table
		: make("p", {class: "box"}, "No function changed."));
	if (diff.rows_hidden > 0)
		element.append(make("p", {class: "note"},
			countText(diff.rows_hidden) + " more changed less; " +
			"\u201cctprof diff\u201d shows them."));
	return element;
}

// The sections of a comparison.
function changeSections(diff) {
	return [changesSection(diff), diff.trees ? changeFlame(diff) : null];
}
