// SPDX-License-Identifier: MIT
// Builds the page from its embedded data.

// Characters to escape, as in utf8_add_printable(): control characters and
// those that change the direction of text.
const UNSAFE = new RegExp("[\\0-\\x08\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f" +
	"\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]", "g");

function safeText(text) {
	return text.replace(UNSAFE, (unsafe) => "\\u" +
		unsafe.charCodeAt(0).toString(16).padStart(4, "0"));
}

const data = JSON.parse(document.getElementById("data").textContent,
	(key, value) => typeof value === "string" ? safeText(value) : value);
const main = document.getElementById("main");

// A row: the kind, 0 for host functions; scopes of the name; and cells.
function functionOf([kind, scopes, ...cells], tables) {
	const table = kind === 0 ? tables.host : tables.device;
	const [name, file, line] = cells[table.columns.findIndex((column) =>
		column.type === "name")];

	return {name, file, line, kind, scopes, cells,
		callers: [], callees: []};
}

function readFunctions(input) {
	const functions = input.functions.rows.map((row) =>
		functionOf(row, input.functions));

	for (const [caller, callee, ...cells] of input.edges.rows) {
		const from = functions[caller];
		const to = functions[callee];

		from.callees.push({row: to, cells});
		to.callers.push({row: from, cells});
	}
	return functions;
}

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

function flameSection(input, functions) {
	const trees = {host: treeOf(input.host.nodes, functions),
		device: treeOf(input.device.nodes, functions)};
	const has = {host: trees.host[0].total > 0,
		device: trees.device[0].total > 0};
	const search = make("input", {type: "search", id: "search",
		placeholder: "Search (/)", spellcheck: "false",
		"aria-label": "Search the flame graph: text or regular " +
			"expression"});
	const found = make("span", {id: "found", "aria-live": "polite"});
	const reset = make("button", {type: "button", id: "reset"},
		"Reset zoom");
	const choices = ["host", "device"].map((side) => make("button",
		{type: "button", class: "choice", id: "show-" + side},
		side === "host" ? "Host" : "GPU"));
	const element = section("flame", "Flame graph",
		...(has.host && has.device ? choices : []), found, search,
		reset);

	if (!has.host && !has.device) {
		element.replaceChildren(element.firstChild, make("p", {},
			input.events || functions.length === 0
				? "No time was spent in any function."
				: "This kind of file has callers and callees " +
				"but no call paths."));
		element.firstChild.replaceChildren(
			element.firstChild.firstChild);
		element.draw = () => {};
		return element;
	}
	const host = make("div", {class: "graph"});
	const status = make("p", {class: "status", id: "flame-status",
		"aria-live": "polite"});
	const graph = flameOf(host, status, "Flame graph. Arrow keys select " +
		"a frame, Enter zooms to it, Escape zooms out, n goes to the " +
		"next that was found.", (text) => found.replaceChildren(text));

	function show(side) {
		choices.forEach((button) => button.setAttribute("aria-pressed",
			String(button.id === "show-" + side)));
		graph.show(trees[side]);
	}

	choices[0].addEventListener("click", () => show("host"));
	choices[1].addEventListener("click", () => show("device"));
	reset.addEventListener("click", graph.reset);
	search.addEventListener("input", () => graph.find(search.value));
	search.addEventListener("keydown", (event) => {
		if (event.key === "Enter")
			graph.nextMatch();
	});
	element.append(host, status, make("p", {class: "note"},
		"Callers are above their callees; the width is time, the " +
		"colour distinguishes files and modules. Keys: arrows select, " +
		"Enter zooms, Esc goes back, / searches, n finds the next."));
	element.draw = graph.draw;
	element.start = () => show(has.host ? "host" : "device");
	element.find = (text) => {
		search.value = text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
		graph.find(search.value);
		element.scrollIntoView({block: "nearest"});
	};
	element.escape = () => {
		if (search.value !== "") {
			search.value = "";
			graph.find("");
		} else if (graph.isZoomed()) {
			graph.reset();
		}
	};
	return element;
}

function relatives(title, edges, list, open) {
	const rows = list.filter((edge) => edge.row.kind === 0 ||
		sumOf(edges, [edge.cells], "cumtime_ns") > 0);

	if (rows.length === 0)
		return make("div", {}, make("h3", {}, title),
			make("p", {class: "note"}, "None is shown here."));
	return make("div", {}, make("h3", {}, title), describedTable(title,
		edges, {rows, cells: (edge) => edge.cells, sort: "cumtime_ns",
			before: [{title: "Function", name: true,
				value: (edge) => edge.row.name,
				cell: (edge) => [make("button", {
					type: "button",
					onclick: () => open(edge.row),
				}, make("span", {}, edge.row.name))]}]}));
}

function functionsSection(input, functions, find) {
	const {host, device} = input.functions;
	const device_ns = device ? sumOf(device, functions.filter((row) =>
		row.kind !== 0).map((row) => row.cells), "total_ns") : 0;
	const table = describedTable("Functions", host, {
		rows: functions.filter((row) => row.kind === 0),
		cells: (row) => row.cells, sort: "cumtime_ns",
		wholes: {tottime_ns: input.total_ns,
			cumtime_ns: input.total_ns, device_ns},
		matches: matchesRow,
		more: (row) => make("div", {}, find && make("p", {},
			make("button", {type: "button",
				onclick: () => find(row.name)},
			"Find in the flame graph")), make("div",
			{class: "pair"},
			relatives("Called by", input.edges, row.callers,
				table_open),
			relatives("Calls", input.edges, row.callees,
				table_open))),
	});

	function table_open(row) {
		if (row.kind === 0)
			table.unfold(row);
	}

	const element = section("functions", "Functions",
		filterFor(table, "Filter functions"));

	element.append(table);
	return element;
}

let parts = [];

function redraw() {
	document.getElementById("theme").setAttribute("aria-pressed",
		String(isDark()));
	parts.forEach((part) => part.draw && part.draw());
}

function showInput(input) {
	const functions = readFunctions(input);
	const kernels = functions.filter((row) => row.kind !== 0);
	const flame = input.files > 0 && !hasPaths(input) ? null
		: flameSection(input, functions);
	const find = (text) => flame && flame.find && flame.find(text);

	document.getElementById("title").textContent = baseName(input.name);
	document.getElementById("subtitle").textContent =
		(input.start ? "Recorded " + input.start : "Recorded at an " +
			"unknown time") + " \u00b7 format " + input.format +
		(baseName(input.name) !== input.name
			? " \u00b7 " + input.name : "");
	parts = [
		data.compile ? compileSection(data.compile) : null,
		summaryOf(input),
		input.timeline && input.timeline.tracks.length > 0
			? timelineOf(input, functions, find) : null,
		...ranksSections(input),
		flame,
		functions.length > kernels.length
			? functionsSection(input, functions,
				flame && find) : null,
		kernels.length > 0
			? kernelsSection(input, kernels) : null,
		...input.gaps ? [overlapSection(input.gaps),
			gapsSection(input.gaps)] : [],
	].filter((part) => part);
	parts.unshift(findingsSection(input, data.findings || [], parts));
	main.replaceChildren(...parts);
	document.getElementById("nav").replaceChildren(...parts.map((part) =>
		make("a", {href: "#" + part.id},
			part.querySelector("h2").textContent)));
	if (flame && flame.start)
		flame.start();
	redraw();
	document.title = baseName(input.name) + " - ctprof";
}

function chooseTheme(theme) {
	document.documentElement.dataset.theme = theme;
	redraw();
}

function isDark() {
	return document.documentElement.dataset.theme === "dark" ||
		(!document.documentElement.dataset.theme &&
			matchMedia("(prefers-color-scheme: dark)").matches);
}

function onKey(event) {
	const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
	const flame = document.getElementById("flame");
	const search = document.getElementById("search");

	if (event.key === "/" && !typing && search) {
		event.preventDefault();
		search.focus();
		search.select();
	} else if (event.key === "Escape" && flame && flame.escape &&
		(!typing || event.target === search)) {
		flame.escape();
	}
}

function start() {
	const chooser = document.getElementById("input");

	data.inputs.forEach((input, i) => chooser.append(make("option",
		{value: i}, baseName(input.name))));
	chooser.addEventListener("change", () =>
		showInput(data.inputs[chooser.value]));
	document.getElementById("input-label").hidden =
		data.inputs.length < 2;
	document.getElementById("footer").textContent = "Made by ctprof " +
		data.version + ".";
	document.getElementById("theme").addEventListener("click", () =>
		chooseTheme(isDark() ? "light" : "dark"));
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change",
		redraw);
	addEventListener("resize", redraw);
	addEventListener("keydown", onKey);
	let theme = "";

	// Paper is white.
	addEventListener("beforeprint", () => {
		theme = document.documentElement.dataset.theme;
		chooseTheme("light");
	});
	addEventListener("afterprint", () => {
		if (theme)
			chooseTheme(theme);
		else
			delete document.documentElement.dataset.theme;
		redraw();
	});
	showInput(data.inputs[0]);
	// The section did not exist when the browser looked for it.
	const target = document.getElementById(location.hash.slice(1));

	if (target && parts.includes(target))
		target.scrollIntoView();
}

start();
