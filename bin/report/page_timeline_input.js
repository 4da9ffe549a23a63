// SPDX-License-Identifier: MIT
// The timeline's mouse and keys, after those of Perfetto; and the descriptions
// of slices and ranges.

const TIMELINE_NAMES = 20; // of the statistics of a range
const TIMELINE_LINKS = 12; // to launched slices

function sliceLines(model, slice) {
	const lane = model.lanes[model.lane[slice]];

	return [model.names[model.name[slice]],
		timeText(model.dur[slice]) + " from " +
			timeText(model.start[slice]),
		laneTitle(lane)];
}

function sliceLine(model, slice) {
	const [name, ...lines] = sliceLines(model, slice);

	return [make("b", {}, name), " \u2014 " + lines.join(" \u2014 ")];
}

function argText(value) {
	return typeof value === "string" ? value : JSON.stringify(value);
}

// A button that goes to a slice, and what it is.
function sliceButton(model, slice, select) {
	return make("button", {type: "button",
		onclick: () => select(slice, true)},
	clipped(model.names[model.name[slice]], 60) + ", " +
		timeText(model.dur[slice]));
}

// The table of a slice: place, arguments, launches both ways.
function sliceDetails(model, slice, select, pick) {
	const lane = model.lanes[model.lane[slice]];
	const list = make("dl", {class: "facts"});
	const launched = launchedBy(model, slice);
	const args = model.args[slice] >= 0
		? model.arguments[model.args[slice]] : {};

	function add(title, ...values) {
		list.append(make("dt", {}, title), make("dd", {}, ...values));
	}
	add("Name", model.names[model.name[slice]], pick ? " " : "", pick
		? make("button", {type: "button", onclick: () =>
			pick(model.names[model.name[slice]])},
		"Find in the flame graph") : null);
	add("Time", timeText(model.dur[slice]) + " (" +
		countText(model.dur[slice]) + " ns), from " +
		timeText(model.start[slice]) + " (" +
		countText(model.start[slice]) + " ns)");
	add("Lane", laneTitle(lane) + " of " + processTitle(lane));
	if (model.launchLane[slice] >= 0) {
		const from = model.lanes[model.launchLane[slice]];
		const at = sliceFrom(model, from, model.launchTime[slice]);

		add("Launched by", at >= 0 ? sliceButton(model, at, select)
			: "a call that is not kept", " on " + laneTitle(from) +
			", " + timeText(model.start[slice] -
				model.launchTime[slice]) + " earlier");
	}
	if (launched.length > 0)
		add("Launches", ...launched.slice(0, TIMELINE_LINKS)
			.map((other) => sliceButton(model, other, select)),
		launched.length > TIMELINE_LINKS ? " and " +
			countText(launched.length - TIMELINE_LINKS) + " more"
			: "");
	for (const [key, value] of Object.entries(args))
		add(key, argText(value));
	return list;
}

// The table of a range of time.
function rangeDetails(model, range) {
	const sums = rangeStatistics(model, model.lanes, range);
	const about = sums.some((sum) => sum.estimated);
	const approximate = (sum) => sum.estimated ? "\u2248 " : "";
	const rows = sums.slice(0, TIMELINE_NAMES).map((sum) => make("tr", {},
		make("td", {class: "name"}, model.names[sum.name]),
		make("td", {}, approximate(sum) + countText(
			Math.round(sum.count))),
		make("td", {}, approximate(sum) + timeText(sum.total)),
		make("td", {}, percent(sum.total, range.to - range.from)),
		make("td", {}, about ? "" : timeText(Math.max(0, sum.own)))));

	return make("div", {}, make("h3", {}, timeText(range.to - range.from) +
		" from " + timeText(range.from)),
	make("table", {id: "timeline-range"}, make("thead", {}, make("tr", {},
		...["Name", "Slices", "Total", "Share",
			about ? "" : "Own time"].map((title) =>
			make("th", {scope: "col"}, title)))),
	make("tbody", {}, ...rows)),
	make("p", {class: "note"}, (sums.length > TIMELINE_NAMES
		? countOf(sums.length - TIMELINE_NAMES, "name") +
			" with less time are not shown. " : "") +
		(about ? "Values with \u2248 are estimated from sums: those " +
			"of other names may be among them." : "All slices are " +
			"kept: the values are exact.")));
}

// The item and slice at a place of the canvas: {x, time, item, slice}.
function timelineAt(graph, event) {
	const {model, view, layout} = graph.scene;
	const box = graph.canvas.getBoundingClientRect();
	const x = event.clientX - box.left;
	const y = event.clientY - box.top - LANE_AXIS + view.top;
	const time = view.from + x * view.perPixel;
	const item = y >= view.top ? layout.items[itemAt(layout, y)] : null;
	let slice = -1;

	if (item && item.kind === "row" && y < item.y + item.height) {
		slice = sliceAt(model, item.row, time);
		if (slice < 0)
			slice = sliceAt(model, item.row,
				time + 2 * view.perPixel);
		if (slice >= 0 && model.start[slice] + model.dur[slice] <
			time - 2 * view.perPixel)
			slice = -1;
	}
	return {x, time, item: item && y < item.y + item.height ? item : null,
		slice};
}

// The lines of the tip of a bin or a value at a time; or null.
function sumLines(graph, item, time) {
	const {model} = graph.scene;

	if (!item)
		return null;
	if (item.kind === "series") {
		const at = firstAbove(item.series.start, 0,
			item.series.start.length, time) - 1;

		return at < 0 ? null : [seriesTitle(item.series),
			(item.series.memory ? bytesText(item.series.values[at])
				: String(item.series.values[at])) + " at " +
				timeText(item.series.start[at])];
	}
	if (item.kind !== "row")
		return null;
	for (const bins of item.row.bins) {
		const at = firstAbove(bins.start, 0, bins.count, time) - 1;

		if (at >= 0 && time < bins.start[at] + bins.length)
			return [countOf(bins.slices[at], "slice") + " in " +
				timeText(bins.length) + ", " +
				percent(bins.busy[at], bins.length) + " busy",
			"mostly " + model.names[bins.name[at]]];
	}
	return null;
}

function timelineMouse(graph, describe) {
	const {canvas, host, scene} = graph;
	let drag = null;

	canvas.addEventListener("pointerdown", (event) => {
		if (event.button !== 0)
			return;
		const at = timelineAt(graph, event);

		drag = {...at, clientX: event.clientX, clientY: event.clientY,
			from: scene.view.from, top: host.scrollTop,
			moved: false, range: event.shiftKey};
		canvas.setPointerCapture(event.pointerId);
	});
	canvas.addEventListener("pointermove", (event) => {
		const at = timelineAt(graph, event);

		graph.pointer = at.x;
		if (!drag) {
			point(event, at);
			return;
		}
		const dx = event.clientX - drag.clientX;

		drag.moved = drag.moved || Math.abs(dx) > 3 ||
			Math.abs(event.clientY - drag.clientY) > 3;
		if (!drag.moved)
			return;
		hideTip();
		if (drag.range) {
			graph.setRange({from: Math.min(drag.time, at.time),
				to: Math.max(drag.time, at.time)});
			return;
		}
		const from = drag.from - dx * scene.view.perPixel;

		if (event.pointerType === "mouse")
			host.scrollTop = drag.top - event.clientY + drag.clientY;
		graph.show(from, from + scene.view.width * scene.view.perPixel);
	});
	canvas.addEventListener("pointerup", (event) => {
		const at = timelineAt(graph, event);

		if (drag && !drag.moved)
			choose(at);
		drag = null;
	});
	canvas.addEventListener("pointercancel", () => drag = null);
	canvas.addEventListener("dblclick", () => graph.zoomToSelected());
	canvas.addEventListener("mouseleave", () => {
		scene.over = -1;
		graph.pointer = undefined;
		hideTip();
		graph.draw();
	});
	canvas.addEventListener("wheel", (event) => {
		if (event.ctrlKey || event.metaKey) {
			graph.zoom(Math.pow(1.0025, Math.max(-200,
				Math.min(200, event.deltaY))),
			timelineAt(graph, event).x);
		} else if (event.shiftKey || Math.abs(event.deltaX) >
			Math.abs(event.deltaY)) {
			graph.pan(event.deltaX || event.deltaY);
		} else {
			return;
		}
		event.preventDefault();
	}, {passive: false});

	function choose(at) {
		if (at.item && (at.item.kind === "lane" ||
			at.item.kind === "group"))
			graph.fold(at.item.key);
		else
			graph.select(at.slice);
	}

	function point(event, at) {
		const lines = at.slice >= 0 ? describe(at.slice)
			: sumLines(graph, at.item, at.time);

		if (lines)
			showTip(event, ...lines);
		else
			hideTip();
		canvas.style.cursor = at.slice >= 0 || (at.item &&
			(at.item.kind === "lane" || at.item.kind === "group"))
			? "pointer" : "default";
		if (scene.over !== at.slice) {
			scene.over = at.slice;
			graph.draw();
		}
	}
}

// The next row with slices above (-1) or below, and its slice at a time.
function neighbourRow(graph, slice, step) {
	const {model, layout} = graph.scene;
	const rows = layout.items.filter((item) => item.kind === "row");
	const lane = model.lanes[model.lane[slice]];
	const depth = rowOf(model, slice);
	let at = rows.findIndex((item) => item.lane === lane &&
		(item.depth === depth || item.folded));
	const start = model.start[slice];
	const end = start + model.dur[slice];

	for (at += step; at >= 0 && at < rows.length; at += step) {
		const row = rows[at].row;

		if (row.from === row.to)
			continue;
		const [first] = slicesIn(model, row, start, end);
		const next = step < 0 ? sliceAt(model, row, start) : first;

		return next >= 0 && next < row.to ? next : row.to - 1;
	}
	return slice;
}

// The slice that arrows begin with: the first in sight.
function firstInSight(graph) {
	const {model, view, layout} = graph.scene;
	const to = view.from + view.width * view.perPixel;

	for (const item of layout.items) {
		if (item.kind !== "row" || item.y < view.top)
			continue;
		const [first, end] = slicesIn(model, item.row, view.from, to);

		if (first < end)
			return first;
	}
	return -1;
}

function timelineKeys(graph, found) {
	const {scene} = graph;
	const {model} = scene;

	// Moves the selection: along the row, or between rows.
	function step(along, between) {
		const slice = scene.selected;

		if (slice < 0) {
			graph.select(firstInSight(graph));
			return;
		}
		const row = model.lanes[model.lane[slice]]
			.rows[rowOf(model, slice)];
		const next = between ? neighbourRow(graph, slice, between)
			: Math.min(row.to - 1, Math.max(row.from,
				slice + along));

		graph.select(next, true);
	}

	const middle = () => graph.pointer === undefined
		? scene.view.width / 2 : graph.pointer;
	const search = (direction) => {
		const next = nextFound(found(), scene.selected, direction);

		if (next >= 0)
			graph.select(next, true);
	};
	const keys = {
		w: () => graph.zoom(0.7, middle()),
		s: () => graph.zoom(1 / 0.7, middle()),
		"+": () => graph.zoom(0.5, middle()),
		"=": () => graph.zoom(0.5, middle()),
		"-": () => graph.zoom(2, middle()),
		a: () => graph.pan(-scene.view.width / 8),
		d: () => graph.pan(scene.view.width / 8),
		0: graph.showAll,
		Home: graph.showAll,
		f: graph.zoomToSelected,
		Enter: graph.zoomToSelected,
		n: () => search(1),
		N: () => search(-1),
		ArrowLeft: () => step(-1, 0),
		ArrowRight: () => step(1, 0),
		ArrowUp: () => step(0, -1),
		ArrowDown: () => step(0, 1),
		" ": () => scene.selected >= 0 &&
			graph.fold(model.lane[scene.selected]),
	};

	graph.canvas.addEventListener("keydown", (event) => {
		const use = keys[event.key];

		if (event.ctrlKey || event.altKey || event.metaKey)
			return;
		if (event.key === "Escape" && (scene.range ||
			scene.selected >= 0)) {
			if (scene.range)
				graph.setRange(null);
			else
				graph.select(-1);
			event.stopPropagation();
		} else if (use) {
			use();
		} else {
			return;
		}
		event.preventDefault();
	});
}
