// SPDX-License-Identifier: MIT
// The summary of an input: its counts, losses, and omitted parts.

function cards(pairs) {
	return make("dl", {class: "cards"}, pairs.filter((pair) => pair)
		.map(([key, value]) => make("div", {}, make("dt", {}, key),
			make("dd", {}, value))));
}

function box(title, lines, bad) {
	return make("div", {class: bad ? "box bad" : "box"}, title,
		make("ul", {}, lines.map((line) => make("li", {}, line))));
}

function lossLines(losses) {
	return losses.map(([count, words]) => countText(count) + " " + words);
}

// Numbers of omitted items.
function prunedLines(input) {
	const folded = input.host.folded + input.device.folded;
	const gaps = input.gaps || {};

	return [
		input.functions_hidden && countOf(input.functions_hidden,
			...(input.activities > 0 ? ["function or kernel",
				"functions and kernels"] : ["function"])) +
			" with the least time (" +
			timeText(input.functions_hidden_ns) +
			" themselves, together)",
		input.edges_hidden && countOf(input.edges_hidden, "pair") +
			" of caller and callee",
		folded && countOf(folded, "path") + " of calls in the flame " +
			"graphs, which are part of \u201c(other)\u201d there",
		input.tracks_hidden && countOf(input.tracks_hidden, "track") +
			" of the timeline, those with the least time",
		gaps.rows_hidden && countOf(gaps.rows_hidden, "GPU"),
		gaps.places_hidden && countOf(gaps.places_hidden, "place") +
			" where GPUs were idle",
		input.clipped && "parts of " +
			countOf(input.clipped, "long text"),
	].filter((line) => line);
}

// A sum's inputs, and the parts of a page that it does not have.
function sumBoxes(input) {
	const lost = input.lost_inputs.map(([path, reason]) =>
		path + ": " + reason);
	const lacks = ["timeline", ...hasPaths(input) ? [] : ["call paths"],
		...data.compile ? [] : ["compilations", "graph breaks"]];

	if (input.lost_inputs_hidden > 0)
		lost.push(countText(input.lost_inputs_hidden) + " more");
	return [
		lost.length > 0 && box("Inputs that are not in the sum, or " +
			"only in part:", lost, true),
		input.skipped.length > 0 && box("Files left out:",
			lossLines(input.skipped)),
		make("p", {class: "box"}, "This is the sum of " +
			countOf(input.files, "input") + ". Only the page of " +
			"a single one has its " +
			lacks.join(", ").replace(/, (?!.*, )/, " and ") + "."),
	].filter((element) => element);
}

function hasPaths(input) {
	return [input.host, input.device].some((tree) =>
		tree.nodes.length > 5);
}

function summaryOf(input) {
	const element = section("summary", "Summary");
	const gaps = input.gaps;
	const busy = gaps && sumOf(gaps.rows, gaps.rows.rows, "busy_ns");
	const span = gaps && sumOf(gaps.rows, gaps.rows.rows, "span_ns");
	const pruned = prunedLines(input);

	element.append(cards([
		input.events && ["Duration", timeText(input.span_ns)],
		input.files > 0 && ["Inputs", countText(input.files)],
		input.longest_ns > 0 &&
			["Longest input", timeText(input.longest_ns)],
		["Time in functions", timeText(input.total_ns)],
		["Calls", countText(input.calls)],
		["Functions", countText(input.host_functions)],
		(input.events || input.threads > 0) &&
			["Threads", countText(input.threads)],
		input.processes > 1 &&
			["Processes", countText(input.processes)],
		input.activities > 0 && ["GPU activities",
			countText(input.activities)],
		input.files > 0 && gaps && ["GPUs", countText(sumOf(
			gaps.rows, gaps.rows.rows, "devices"))],
		gaps && ["GPU busy", percent(busy, span)],
		input.steps > 0 && ["Steps", countText(input.steps)],
		input.memory > 0 && ["Allocations and frees",
			countText(input.memory)],
		input.instants > 0 && ["Instants", countText(input.instants)],
		input.counters > 0 && ["Counter values",
			countText(input.counters)],
		input.async > 0 && ["Async ranges", countText(input.async)],
	]));
	if (input.lost.length > 0)
		element.append(box("Missing from the recording:",
			lossLines(input.lost), true));
	else
		element.append(make("p", {class: "box"},
			"Nothing is missing from the recording."));
	if (input.files > 0)
		element.append(...sumBoxes(input));
	if (input.cost.length > 0)
		element.append(box("The recording itself took time:",
			input.cost));
	if (input.notes.length > 0)
		element.append(box("Left out or changed without harm:",
			lossLines(input.notes)));
	if (pruned.length > 0)
		element.append(box("Left out of this page to limit its " +
			"size:", pruned));
	if (input.facts.length > 0)
		element.append(make("details", {}, make("summary", {},
			"Facts of the recording"),
		make("dl", {class: "facts"}, input.facts.flatMap(
			([key, value]) => [make("dt", {}, key),
				make("dd", {}, value)]))));
	return element;
}
