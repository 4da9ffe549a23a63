// SPDX-License-Identifier: MIT
// A function's source lines with the costs of the page's "sources".

// By line: [calls, own time, time]; several costs of a line are added up.
function lineCosts(flat) {
	const costs = new Map();

	for (let at = 0; at < flat.length; at += 4) {
		const sum = costs.get(flat[at]) || [0, 0, 0];

		costs.set(flat[at], sum.map((value, i) =>
			value + flat[at + 1 + i]));
	}
	return costs;
}

// The lines of function `number`; null without them.
function sourceOf(sources, number) {
	const found = sources && sources.rows.find((row) => row[0] === number);

	if (!found)
		return null;
	const [, first, lines, flat] = found;
	const costs = lineCosts(flat);
	const heads = ["Line", "Calls", "Self", "Total", "Source"];

	return make("div", {}, make("h3", {}, "Source"), make("div",
		{class: "scroll"}, make("table", {class: "source",
			"aria-label": "Source"}, make("thead", {}, make("tr", {},
			heads.map((title) => make("th", {scope: "col"}, title)))),
		make("tbody", {}, lines.map((text, i) => {
			const cost = costs.get(first + i);
			const [calls, own, all] = cost || [0, 0, 0];

			return make("tr", {}, [first + i, calls > 0
				? countText(calls) : "", cost ? timeText(own) : "",
			cost ? timeText(all) : ""].map((value) => make("td",
				{class: "number"}, value)),
			make("td", {}, make("code", {}, text)));
		})))), make("p", {class: "note"}, sources.by_line
		? "Calls are those made by the line, and the total has their " +
			"time; recursive ones count again."
		: "The figures are those of functions that begin there."));
}
