// SPDX-License-Identifier: MIT
// The timeline: lanes of slices to zoom into, with the mouse and with keys.

const TIMELINE_HEIGHT = 560; // pixels, at most
const LANES_OPEN = 40; // of more lanes, those with most time are open

// The hues of the names, as in the flame graph.
function huesOf(names, functions) {
	const known = new Map(functions.map((row) => [row.name, row]));

	return names.map((name) => hueOf(known.has(name)
		? moduleOf(known.get(name)) : name));
}

// The address of a range of time, for links: "#timeline?...".
function timelineLink(from, to) {
	return "#timeline?timeline.from=" + Math.round(from) +
		"&timeline.to=" + Math.round(to);
}

// The view that shows [from, to) in `width` pixels, inside of the model's span.
function viewOfTimes(span, width, from, to) {
	const most = Math.max(1, span * 1.02);
	const length = Math.min(most, Math.max(to - from, 10));
	const middle = (from + to) / 2;
	const start = Math.max(-0.01 * most,
		Math.min(middle - length / 2, most * 0.99 - length));

	return {from: start, perPixel: length / Math.max(1, width)};
}

// Makes the canvas in `host`, a scrolling element; `events` has functions for
// what is selected: select(slice), range(range), view(), and over(slice).
function timelineCanvas(host, model, hues, events) {
	const canvas = make("canvas", {tabindex: "0", role: "application",
		"aria-label": "Timeline. w and s zoom, a and d move, arrows " +
			"select slices, Enter zooms to the selected one, 0 " +
			"shows all, Escape ends a selection"});
	const spacer = make("div", {}, canvas);
	const paint = timelinePainter();
	const folded = new Set();
	const scene = {model, hues, selected: -1, over: -1, named: null,
		range: null, view: {from: 0, perPixel: 1, width: 1, top: 0,
			height: 1}};
	let pending = false;
	let frames = 0;

	[...model.lanes].sort((a, b) => b.time_ns - a.time_ns)
		.slice(LANES_OPEN).forEach((lane) => folded.add(lane.number));
	scene.layout = layoutOf(model, folded);
	host.replaceChildren(spacer);

	function drawNow() {
		const width = host.clientWidth;
		const {view} = scene;
		const all = scene.layout.height + LANE_AXIS + 16;

		pending = false;
		if (width === 0)
			return;
		if (view.width !== width) {
			view.perPixel *= view.width / width;
			view.width = width;
		}
		view.height = Math.min(all, TIMELINE_HEIGHT);
		view.top = host.scrollTop;
		spacer.style.height = all + "px";
		paint(scene, prepare(canvas, width, view.height));
		frames++;
	}

	function draw() {
		if (pending)
			return;
		pending = true;
		requestAnimationFrame(drawNow);
	}

	function show(from, to) {
		Object.assign(scene.view, viewOfTimes(model.span,
			scene.view.width, from, to));
		events.view(scene.view);
		draw();
	}

	function showAll() {
		show(-0.01 * model.span, model.span * 1.01);
	}

	// Zooms by a factor around the x of a pixel.
	function zoom(factor, x) {
		const {view} = scene;
		const at = view.from + x * view.perPixel;
		const span = view.width * view.perPixel * factor;

		show(at - span * x / view.width,
			at + span * (1 - x / view.width));
	}

	function pan(pixels) {
		const {view} = scene;
		const from = view.from + pixels * view.perPixel;

		show(from, from + view.width * view.perPixel);
	}

	function fold(key) {
		if (folded.has(key))
			folded.delete(key);
		else
			folded.add(key);
		scene.layout = layoutOf(model, folded);
		draw();
	}

	function itemOf(slice) {
		const lane = model.lanes[model.lane[slice]];
		const depth = rowOf(model, slice);

		return scene.layout.items.find((item) => item.kind === "row" &&
			item.lane === lane && item.depth === depth);
	}

	// Selects a slice, and moves the view to it if it is out of sight; with
	// `near`, so that it is a visible part of it.
	function select(slice, near) {
		const {view} = scene;

		scene.selected = slice;
		scene.head = undefined;
		if (slice >= 0) {
			reveal(slice);
			const start = model.start[slice];
			const end = start + model.dur[slice];
			const span = view.width * view.perPixel;

			if (near && model.dur[slice] < 6 * view.perPixel)
				show(start - 20 * model.dur[slice] - 5,
					end + 20 * model.dur[slice] + 5);
			else if (end < view.from || start > view.from + span)
				show((start + end - span) / 2,
					(start + end + span) / 2);
		}
		events.select(slice);
		draw();
	}

	// Unfolds and scrolls to a slice's row.
	function reveal(slice) {
		let item = itemOf(slice);

		if (!item) {
			folded.delete(model.lane[slice]);
			folded.delete(processTitle(model.lanes[
				model.lane[slice]]));
			scene.layout = layoutOf(model, folded);
			spacer.style.height = scene.layout.height + LANE_AXIS +
				16 + "px";
			item = itemOf(slice);
		}
		const room = host.clientHeight - LANE_AXIS - LANE_ROW;

		if (item && (item.y < host.scrollTop + LANE_HEAD ||
			item.y > host.scrollTop + room))
			host.scrollTop = item.y - room / 2;
	}

	function zoomToSelected() {
		const slice = scene.selected;

		if (slice >= 0)
			show(model.start[slice] - 0.1 * model.dur[slice] - 2,
				model.start[slice] + 1.1 * model.dur[slice] + 2);
	}

	function setRange(range) {
		scene.range = range && range.to > range.from ? range : null;
		events.range(scene.range);
		draw();
	}

	function setSearch(named) {
		scene.named = named;
		draw();
	}

	canvas.addEventListener("focus", draw);
	host.addEventListener("scroll", draw);
	spacer.style.height = scene.layout.height + LANE_AXIS + 16 + "px";
	return {canvas, host, scene, draw, drawNow, show, showAll, zoom, pan,
		fold, select, zoomToSelected, setRange, setSearch,
		frames: () => frames};
}

// The tools of the section, and the view kept in the address.
function timelineOf(input, functions, pick) {
	const model = lanesOf(input.timeline);
	const status = make("p", {class: "status", id: "timeline-status",
		"aria-live": "polite"});
	const host = make("div", {class: "lanes"});
	const details = make("div", {class: "details", hidden: true});
	const statistics = make("div", {class: "details", hidden: true});
	const found = make("span", {"aria-live": "polite",
		id: "timeline-found"});
	const search = make("input", {type: "search", spellcheck: "false",
		placeholder: "Search slices", "aria-label": "Search the " +
			"timeline: text or regular expression"});
	const button = (text, use, label) => make("button", {type: "button",
		"aria-label": label, title: label, onclick: use}, text);
	const keep = {};
	const graph = timelineCanvas(host, model, huesOf(model.names, functions), {
		select: (slice) => {
			showSlice(slice);
			viewSet("timeline.slice", slice < 0 ? ""
				: model.lane[slice] + ":" + model.start[slice] +
					":" + rowOf(model, slice));
		},
		range: (range) => {
			showRange(range);
			keepView();
		},
		view: () => keepView(),
	});
	const element = section("timeline", "Timeline", found, search,
		button("+", () => graph.zoom(0.5, graph.scene.view.width / 2),
			"Zoom in"),
		button("\u2212", () => graph.zoom(2, graph.scene.view.width / 2),
			"Zoom out"),
		button("Whole", graph.showAll, "Show the whole timeline"));

	markNamesakes(model.lanes);

	// The address changes at most a few times a second.
	function keepView() {
		clearTimeout(keep.timer);
		keep.timer = setTimeout(() => {
			const {view, range} = graph.scene;
			const isWhole = view.width * view.perPixel >=
				model.span * 1.01;

			viewSet("timeline.from", isWhole ? ""
				: Math.round(view.from));
			viewSet("timeline.to", isWhole ? "" : Math.round(
				view.from + view.width * view.perPixel));
			viewSet("timeline.range", range
				? Math.round(range.from) + "-" +
					Math.round(range.to) : "");
		}, 250);
	}

	function showSlice(slice) {
		details.hidden = slice < 0;
		if (slice < 0) {
			status.replaceChildren(help());
			return;
		}
		status.replaceChildren(...sliceLine(model, slice));
		details.replaceChildren(sliceDetails(model, slice, graph.select,
			pick));
	}

	function showRange(range) {
		statistics.hidden = !range;
		if (range)
			statistics.replaceChildren(rangeDetails(model, range));
	}

	function help() {
		return "Click a slice for its arguments and launches. Drag, " +
			"or a and d, moves; Ctrl and the wheel, or w and s, " +
			"zooms; Shift and drag selects a range for its " +
			"statistics; arrows go from slice to slice; 0 shows all.";
	}

	let matches = {found: []};

	search.addEventListener("input", () => {
		matches = search.value === "" ? {found: []}
			: findSlices(model, matcherOf(search.value));
		graph.setSearch(matches.named || null);
		found.replaceChildren(search.value === "" ? ""
			: (model.isWhole ? "" : "at least ") +
			countOf(matches.found.length, "slice") + ", " +
			timeText(matches.total));
	});
	search.addEventListener("keydown", (event) => {
		const next = nextFound(matches.found, graph.scene.selected,
			event.shiftKey ? -1 : 1);

		if (event.key === "Escape" && search.value !== "") {
			search.value = "";
			search.dispatchEvent(new Event("input"));
		}
		if (event.key === "Enter" && next >= 0)
			graph.select(next, true);
	});
	timelineMouse(graph, (slice) => sliceLines(model, slice));
	timelineKeys(graph, () => matches.found);
	element.append(host, status, statistics, details);
	if (!model.isWhole)
		element.append(make("p", {class: "note"}, "The longest " +
			countOf(model.count, "slice") + " are kept one by " +
			"one; the others are sums over time, drawn as low bars."));
	if (input.tracks_hidden)
		element.append(make("p", {class: "note"},
			countOf(input.tracks_hidden, "lane") +
			" with less time are not shown, " +
			timeText(input.tracks_hidden_ns) + " in all."));
	status.append(help());
	element.graph = graph;
	element.draw = graph.drawNow;
	element.start = () => {
		graph.drawNow();
		graph.showAll();
		element.restore();
	};
	element.restore = () => restoreTimeline(graph, model);
	return element;
}

// Goes to the range and slice of the address.
function restoreTimeline(graph, model) {
	const from = Number(viewGet("timeline.from") || NaN);
	const to = Number(viewGet("timeline.to") || NaN);
	const [lane, start, row] = (viewGet("timeline.slice") || "").split(":")
		.map(Number);
	const [first, last] = (viewGet("timeline.range") || "").split("-")
		.map(Number);

	if (from < to)
		graph.show(from, to);
	if (first < last)
		graph.setRange({from: first, to: last});
	if (model.lanes[lane] && model.lanes[lane].rows[row]) {
		const rows = model.lanes[lane].rows[row];
		const at = firstAbove(model.start, rows.from, rows.to,
			start) - 1;

		if (at >= rows.from && model.start[at] === start)
			graph.select(at);
	}
}
