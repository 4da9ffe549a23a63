// SPDX-License-Identifier: MIT
// The flame graph: callers above callees, each as wide as its time.

const ROW = 20; // pixels
const FRAME_LEAST = 0.4; // narrower ones are not drawn
const GRAPH_HEIGHT = 540;
const LETTER = 6.65; // width of a letter in the font below
const FONT = "11px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, " +
	"monospace";

// Names that more than one function has.
function sharedNames(functions) {
	const met = new Set();

	return new Set(functions.map((row) => row.name).filter((name) =>
		met.has(name) || !met.add(name)));
}

// Nodes in preorder: function number, depth, total, self, calls.
function treeOf(flat, functions) {
	const shared = sharedNames(functions);
	const path = [];
	const nodes = [];

	for (let at = 0; at < flat.length; at += 5) {
		const depth = flat[at + 1];
		const parent = depth > 0 ? path[depth - 1] : null;
		const node = {
			row: flat[at] >= 0 ? functions[flat[at]] : null,
			depth, parent, children: [],
			total: flat[at + 2], self: flat[at + 3],
			calls: flat[at + 4], start: 0, used: 0, hit: false,
		};

		if (parent) {
			node.start = parent.start + parent.used;
			parent.used += node.total;
			parent.children.push(node);
		}
		node.name = node.row ? node.row.name
			: parent ? "(other)" : "all";
		node.label = node.row && shared.has(node.name) && node.row.file
			? node.name + " (" + baseName(node.row.file) + ")"
			: node.name;
		node.hue = node.row ? hueOf(moduleOf(node.row)) : -1;
		node.system = node.row !== null && node.row.system === true;
		path[depth] = node;
		nodes.push(node);
	}
	return nodes;
}

// Makes the predicate of a search: a regular expression, if valid.
function matcherOf(text) {
	const plain = text.toLowerCase();

	if (text === "")
		return () => false;
	try {
		const expression = new RegExp(text, "i");

		return (name) => expression.test(name);
	} catch (error) {
		return (name) => name.toLowerCase().includes(plain);
	}
}

function describe(node, root) {
	const row = node.row;
	const lines = [node.name];

	if (node.change)
		lines.push(node.change);
	if (row && row.file)
		lines.push(row.file + (row.line ? ":" + row.line : ""));
	if (node.isCaller) {
		lines.push(timeText(node.total) + " of " + root.name +
			" on this path, " + percent(node.total, root.total) +
			"; " + countOf(node.calls, "call") + " of it");
		return lines;
	}
	lines.push(timeText(node.total) + " in all, " +
		percent(node.total, root.total) + "; itself " +
		timeText(node.self));
	lines[lines.length - 1] += row
		? "; " + countOf(node.calls, "call")
		: node.parent ? "; " + countOf(node.calls, "path") +
			" of calls, too short to be shown" : "";
	return lines;
}

// Draws frames in `host`, an element of the class "graph". `status` shows the
// frame pointed at or selected. Options: onfind(text) receives the result of a
// search, onzoom(node) a zoom; colour(node) may give the colour of a frame;
// isInverted has the root at the bottom; the height, in pixels.
function flameOf(host, status, label, {onfind = () => {}, onzoom = () => {},
	colour = () => null, isInverted = false, height = GRAPH_HEIGHT} = {}) {
	const canvas = make("canvas", {tabindex: "0", role: "application",
		"aria-label": label});
	const spacer = make("div", {}, canvas);
	const state = {nodes: [], zoom: null, selected: null, over: null,
		text: "", width: 0, height: 0, rows: 1};

	host.style.maxHeight = height + 4 + "px";
	host.replaceChildren(spacer);

	// Left and right end of a frame in pixels; may be out of sight.
	function span(node) {
		const scale = state.width / state.zoom.total;
		const left = (node.start - state.zoom.start) * scale;

		return [left, left + node.total * scale];
	}

	function isSeen(node) {
		const [left, right] = span(node);

		return right > 0 && left < state.width &&
			right - left >= FRAME_LEAST;
	}

	// The row of a frame of this depth, and the other way round.
	function turned(depth) {
		return isInverted ? state.rows - 1 - depth : depth;
	}

	function drawFrame(context, node, paint) {
		const [from, until] = span(node);
		const left = Math.max(0, from);
		const width = Math.min(state.width, until) - left;
		const top = turned(node.depth) * ROW - host.scrollTop;
		const dim = state.text !== "" && !node.hit;

		context.globalAlpha = dim ? 0.35
			: node.depth < state.zoom.depth ? 0.6
				: node.system ? 0.5 : 1;
		context.fillStyle = node.hit ? paint.match : colour(node) ||
			(node.hue < 0 ? paint.other : paint.hue(node.hue));
		context.fillRect(left, top, Math.max(width - 0.5, 0.4),
			ROW - 1);
		context.globalAlpha = dim ? 0.6 : 1;
		if (node === state.over || (node === state.selected &&
			document.activeElement === canvas)) {
			context.strokeStyle = paint.text;
			context.lineWidth = node === state.selected ? 2 : 1;
			context.strokeRect(left + 1, top + 1,
				Math.max(width - 2.5, 1), ROW - 3);
		}
		const room = Math.floor((width - 7) / LETTER);

		if (room < 3)
			return;
		context.fillStyle = node.hit ? paint.card : paint.frame;
		context.fillText(node.label.length <= room ? node.label
			: fitName(node.name, node.row ? node.row.scopes : [], room),
		left + 4, top + ROW / 2, width - 6);
	}

	function draw() {
		state.width = host.clientWidth;
		const seen = state.nodes.filter(isSeen);
		const rows = 1 + Math.max(0, ...seen.map((node) => node.depth));
		const all = rows * ROW;

		state.rows = rows;
		state.height = Math.min(all, height);
		spacer.style.height = all + "px";
		const context = prepare(canvas, state.width, state.height);
		const paint = {hue: colours(), match: style("--match"),
			other: style("--other"), text: style("--text"),
			card: style("--card"), frame: style("--frame-text")};
		const first = Math.floor(host.scrollTop / ROW);
		const last = first + state.height / ROW + 1;

		context.font = FONT;
		context.textBaseline = "middle";
		for (const node of seen)
			if (turned(node.depth) >= first &&
				turned(node.depth) <= last)
				drawFrame(context, node, paint);
	}

	function tell() {
		const node = state.over || state.selected || state.zoom;
		const [name, ...lines] = describe(node, state.nodes[0]);

		status.replaceChildren(make("b", {}, name),
			" \u2014 " + lines.join(" \u2014 "));
	}

	function reveal(node) {
		const top = turned(node.depth) * ROW;

		if (top < host.scrollTop)
			host.scrollTop = top;
		else if (top + ROW > host.scrollTop + host.clientHeight)
			host.scrollTop = top + ROW - host.clientHeight;
	}

	function zoomTo(node) {
		state.zoom = node;
		state.selected = node;
		canvas.dataset.zoom = node.name;
		draw();
		reveal(node);
		draw();
		tell();
		onzoom(node);
	}

	function select(node) {
		if (!node)
			return;
		state.selected = node;
		state.over = null;
		reveal(node);
		draw();
		tell();
	}

	// The frame under the mouse, or null.
	function nodeAt(event) {
		const box = canvas.getBoundingClientRect();
		const x = event.clientX - box.left;
		const depth = turned(Math.floor((event.clientY - box.top +
			host.scrollTop) / ROW));

		return state.nodes.find((node) => node.depth === depth &&
			isSeen(node) && span(node)[0] <= x &&
			x < span(node)[1]) || null;
	}

	function sibling(step) {
		const node = state.selected;
		const all = node.parent ? node.parent.children : [node];

		return all[all.indexOf(node) + step];
	}

	function find(text) {
		const matches = matcherOf(text);
		let covered = 0;
		let end = 0;
		let count = 0;

		state.text = text;
		for (const node of state.nodes) {
			// The root has a name but is not a function.
			node.hit = node.parent !== null &&
				(matches(node.name) || (node.row !== null &&
					matches(node.row.file)));
			count += node.hit;
			// A match inside another counts once.
			if (node.hit && node.start >= end) {
				covered += node.total;
				end = node.start + node.total;
			}
		}
		canvas.dataset.matches = count;
		onfind(text === "" ? "" : countOf(count, "frame") + ", " +
			percent(covered, state.nodes[0].total));
		draw();
	}

	function nextMatch() {
		const from = state.nodes.indexOf(state.selected);
		const hits = state.nodes.filter((node) => node.hit);

		if (hits.length === 0)
			return;
		const next = hits.find((node) =>
			state.nodes.indexOf(node) > from) || hits[0];

		if (!isSeen(next))
			state.zoom = next.parent || next;
		select(next);
	}

	const moves = {
		ArrowLeft: () => select(sibling(-1)),
		ArrowRight: () => select(sibling(1)),
		[isInverted ? "ArrowDown" : "ArrowUp"]: () =>
			select(state.selected.parent),
		[isInverted ? "ArrowUp" : "ArrowDown"]: () =>
			select(state.selected.children[0]),
		Enter: () => zoomTo(state.selected),
		" ": () => zoomTo(state.selected),
		Home: () => zoomTo(state.nodes[0]),
		n: nextMatch,
	};

	canvas.addEventListener("keydown", (event) => {
		const move = moves[event.key];

		if (!move || event.ctrlKey || event.altKey || event.metaKey)
			return;
		event.preventDefault();
		move();
	});
	canvas.addEventListener("click", (event) => {
		const node = nodeAt(event);

		if (node)
			zoomTo(node);
	});
	canvas.addEventListener("mousemove", (event) => {
		const node = nodeAt(event);

		if (node)
			showTip(event, ...describe(node, state.nodes[0]));
		else
			hideTip();
		if (node === state.over)
			return;
		state.over = node;
		draw();
		tell();
	});
	canvas.addEventListener("mouseleave", () => {
		state.over = null;
		hideTip();
		draw();
	});
	canvas.addEventListener("focus", draw);
	canvas.addEventListener("blur", draw);
	host.addEventListener("scroll", draw);
	return {
		show(nodes) {
			state.nodes = nodes;
			state.over = null;
			state.zoom = nodes[0];
			find(state.text);
			zoomTo(nodes[0]);
		},
		draw, find, nextMatch, zoomTo,
		reset: () => zoomTo(state.nodes[0]),
		isZoomed: () => state.zoom !== state.nodes[0],
		focus: () => canvas.focus(),
	};
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
		element.nodesOf = () => [];
		return element;
	}
	const host = make("div", {class: "graph"});
	const status = make("p", {class: "status", id: "flame-status",
		"aria-live": "polite"});
	const graph = flameOf(host, status, "Flame graph. Arrow keys select " +
		"a frame, Enter zooms to it, Escape zooms out, n goes to the " +
		"next that was found.", {onfind: (text) =>
		found.replaceChildren(text), onzoom: keep});
	let side = has.host ? "host" : "device";
	let isRestored = false;

	// The frame in the address is a number, which the page does not change.
	function keep(node) {
		if (!isRestored)
			return;
		viewSet("flame.side", side === "device" && has.host ? side : "");
		viewSet("flame.at", trees[side].indexOf(node) || "");
	}

	function show(shown) {
		side = shown;
		choices.forEach((button) => button.setAttribute("aria-pressed",
			String(button.id === "show-" + side)));
		graph.show(trees[side]);
	}

	choices[0].addEventListener("click", () => show("host"));
	choices[1].addEventListener("click", () => show("device"));
	reset.addEventListener("click", graph.reset);
	search.addEventListener("input", () => graph.find(search.value));
	search.addEventListener("change", () =>
		viewSet("flame.search", search.value));
	search.addEventListener("keydown", (event) => {
		if (event.key === "Enter")
			graph.nextMatch();
	});
	element.append(host, status, make("p", {class: "note"},
		"Callers are above their callees; the width is time, the " +
		"colour distinguishes files and modules. Faint frames are of " +
		"languages and systems, grey ones stand for several. Keys: " +
		"arrows select, " +
		"Enter zooms, Esc goes back, / searches, n finds the next."));
	element.draw = graph.draw;
	element.start = () => show(side);
	element.nodesOf = (row) => trees[row.kind === 0 ? "host" : "device"];
	element.restore = () => {
		const wanted = viewGet("flame.side") ||
			(has.host ? "host" : "device");

		isRestored = false;
		if (has[wanted] && wanted !== side)
			show(wanted);
		graph.zoomTo(trees[side][Number(viewGet("flame.at"))] ||
			trees[side][0]);
		search.value = viewGet("flame.search") || "";
		graph.find(search.value);
		isRestored = true;
	};
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
