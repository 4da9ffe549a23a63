// SPDX-License-Identifier: MIT
// Draws the timeline: what is narrower than a pixel is summed per pixel, and
// shaded by its busy share with the colour of its leading name.

const LANE_HEAD = 18; // pixels
const LANE_ROW = 17;
const LANE_GROUP = 22;
const LANE_SERIES = 40;
const LANE_AXIS = 22;
const LANE_ARROWS = 200; // drawn without a selection, at most

// A step that is 1, 2 or 5 times a power of ten, for about `count` of them.
function stepOf(span, count) {
	const rough = span / count;
	const power = Math.pow(10, Math.floor(Math.log10(rough)));

	return power * ([1, 2, 5].find((n) => n * power >= rough) || 10);
}

function laneTitle(lane) {
	const number = (lane.stream ? "stream " : "thread ") + lane.tid;
	const name = !lane.name ? number
		: lane.namesake ? lane.name + " \u00b7 " + number
			: lane.name;

	return (lane.stream ? "GPU " + lane.device + " \u00b7 " + name : name) +
		(lane.part === "async" ? " \u00b7 asynchronous"
			: lane.apart ? " \u00b7 whole" : "");
}

function processTitle(lane) {
	return (lane.process || "process") + " " + lane.pid;
}

function seriesTitle(series) {
	if (!series.memory)
		return series.name + (series.key ? " " + series.key : "");
	return "memory of " + (series.device < 0 ? "the host"
		: "GPU " + series.device) + " since the start";
}

// Unnamed threads have their program's name; and a track may have two lanes.
function markNamesakes(lanes) {
	const met = new Map();
	const ranges = new Set(lanes.filter((lane) => lane.part === "ranges")
		.map((lane) => lane.pid + " " + lane.tid + " " + lane.stream));

	for (const lane of lanes) {
		const key = JSON.stringify([lane.pid, lane.stream,
			lane.device, lane.name, lane.part]);
		const first = met.get(key);

		if (first)
			first.namesake = lane.namesake = true;
		else
			met.set(key, lane);
		lane.apart = lane.part === "whole" && ranges.has(lane.pid +
			" " + lane.tid + " " + lane.stream);
	}
}

// The places of lanes from top to bottom: items with y and height. `folded` has
// the keys of items whose content is hidden.
function layoutOf(model, folded) {
	const several = new Set(model.lanes.map(processTitle)).size > 1;
	const items = [];
	let y = 0;
	let process = null;
	let hidden = false;

	function put(kind, height, more) {
		items.push({kind, y, height, ...more});
		y += height;
	}
	function putSeries(pid) {
		for (const series of model.series)
			if (series.pid === pid && !series.placed) {
				series.placed = true;
				put("series", LANE_SERIES, {series});
			}
	}
	model.series.forEach((series) => series.placed = false);
	model.lanes.forEach((lane, i) => {
		const title = processTitle(lane);

		if (several && title !== process) {
			process = title;
			hidden = folded.has(title);
			put("group", LANE_GROUP, {key: title, folded: hidden,
				title});
		}
		if (!hidden) {
			const isFolded = folded.has(i);

			put("lane", LANE_HEAD, {key: i, lane, folded: isFolded});
			(isFolded ? lane.rows.slice(0, 1) : lane.rows)
				.forEach((row, depth) => put("row", LANE_ROW,
					{lane, row, depth, folded: isFolded}));
		}
		const next = model.lanes[i + 1];

		if ((!next || next.pid !== lane.pid) && !hidden)
			putSeries(lane.pid);
	});
	for (const series of model.series)
		if (!several || !model.lanes.some((lane) =>
			lane.pid === series.pid))
			putSeries(series.pid);
	return {items, height: y};
}

// The index of the item at a height, or the last above it.
function itemAt(layout, y) {
	let low = 0;
	let high = layout.items.length;

	while (low < high) {
		const middle = (low + high) >>> 1;

		if (layout.items[middle].y <= y)
			low = middle + 1;
		else
			high = middle;
	}
	return Math.max(0, low - 1);
}

// Draws into the context of a canvas; `scene` has the model, layout, view {from,
// perPixel, width, top, height}, hues, selection and search.
function timelinePainter() {
	const strip = document.createElement("canvas");
	const probe = document.createElement("canvas");
	let rgb = new Map();
	let theme = "";

	// The colour of a name as red, green and blue.
	function rgbOf(css) {
		if (!rgb.has(css)) {
			const context = probe.getContext("2d",
				{willReadFrequently: true});

			probe.width = probe.height = 1;
			context.fillStyle = css;
			context.fillRect(0, 0, 1, 1);
			rgb.set(css, context.getImageData(0, 0, 1, 1).data);
		}
		return rgb.get(css);
	}

	function paintsOf() {
		const hue = colours();
		const other = style("--other");
		const names = ["text", "card", "line", "soft", "faint", "match",
			"accent", "frame-text", "busy"];
		const paint = {name: (number, hues) => number < 0 ? other
			: hue(hues[number])};

		names.forEach((name) => paint[name] = style("--" + name));
		if (paint.card + paint.text !== theme) {
			theme = paint.card + paint.text;
			rgb = new Map();
		}
		return paint;
	}

	function drawSlice(scene, context, paint, slice, y, isFolded) {
		const {model, view} = scene;
		const left = Math.max(0, (model.start[slice] - view.from) /
			view.perPixel);
		const right = Math.min(view.width, (model.start[slice] +
			model.dur[slice] - view.from) / view.perPixel);
		const name = model.name[slice];
		const hit = scene.named && scene.named[name];

		if (right < 0 || left > view.width)
			return;
		context.globalAlpha = scene.named && !hit ? 0.35 : 1;
		context.fillStyle = hit ? paint.match
			: paint.name(name, scene.hues);
		context.fillRect(left, y + 1, Math.max(right - left -
			(right - left > 3 ? 0.75 : 0), 0.75), LANE_ROW - 2);
		context.globalAlpha = 1;
		if (slice === scene.selected || slice === scene.over) {
			context.strokeStyle = paint.text;
			context.lineWidth = slice === scene.selected ? 2 : 1;
			context.strokeRect(left + 1, y + 2,
				Math.max(right - left - 2, 1), LANE_ROW - 4);
		}
		const room = Math.floor((right - left - 8) / LETTER);

		if (room < 3 || isFolded)
			return;
		const text = model.names[name];

		context.fillStyle = hit ? paint.card : paint["frame-text"];
		context.fillText(text.length <= room ? text
			: clipped(text, room), left + 4, y + LANE_ROW / 2 + 0.5,
		right - left - 6);
	}

	// Writes the pixels of a row's sums as one line of the strip.
	function putSums(scene, paint, sums, image, line) {
		const perPixel = scene.view.perPixel;

		for (let x = 0; x < sums.busy.length; x++) {
			const name = sums.name[x];

			if (name < -0.5)
				continue;
			const hit = scene.named && scene.named[name];
			const colour = rgbOf(hit ? paint.match
				: paint.name(name, scene.hues));
			const at = 4 * (line * sums.busy.length + x);
			const share = Math.min(1, sums.busy[x] / perPixel);

			image.data[at] = colour[0];
			image.data[at + 1] = colour[1];
			image.data[at + 2] = colour[2];
			image.data[at + 3] = (scene.named && !hit ? 0.35 : 1) *
				(60 + 195 * share);
		}
	}

	// The rows in sight: sums as pixels of one image, and the rest above them.
	function drawRows(scene, context, paint, rows) {
		const {model, view} = scene;
		const width = Math.max(1, Math.floor(view.width));
		const image = new ImageData(width, Math.max(1, rows.length));
		const sums = {busy: new Float64Array(width),
			lead: new Float64Array(width),
			name: new Int32Array(width)};
		const wides = [];

		rows.forEach((item, line) => {
			const y = item.y - view.top + LANE_AXIS;

			sumPixels(model, item.row, {...view, width}, sums,
				(slice) => wides.push([slice, y, item.folded]),
				(bins, i) => drawBin(scene, context, paint, bins,
					i, y));
			putSums(scene, paint, sums, image, line);
		});
		strip.width = width;
		strip.height = image.height;
		strip.getContext("2d").putImageData(image, 0, 0);
		context.imageSmoothingEnabled = false;
		rows.forEach((item, line) => context.drawImage(strip, 0, line,
			width, 1, 0, item.y - view.top + LANE_AXIS + 1, width,
			LANE_ROW - 2));
		for (const [slice, y, isFolded] of wides)
			drawSlice(scene, context, paint, slice, y, isFolded);
		return wides;
	}

	// Sums that are wider than a pixel are low, so that they do not look like
	// slices.
	function drawBin(scene, context, paint, bins, i, y) {
		const {view} = scene;
		const share = Math.min(1, bins.busy[i] / bins.length);
		const height = Math.max(2, share * (LANE_ROW - 2));
		const left = (bins.start[i] - view.from) / view.perPixel;

		context.globalAlpha = scene.named && !scene.named[bins.name[i]]
			? 0.2 : 0.45;
		context.fillStyle = scene.named && scene.named[bins.name[i]]
			? paint.match : paint.name(bins.name[i], scene.hues);
		context.fillRect(left, y + LANE_ROW - 1 - height,
			bins.length / view.perPixel, height);
		context.globalAlpha = 1;
	}

	function drawHead(scene, context, paint, item) {
		const y = item.y - scene.view.top + LANE_AXIS;
		const title = (item.folded ? "\u25b8 " : "\u25be ") +
			(item.title || laneTitle(item.lane));

		context.fillStyle = item.kind === "group" ? paint.soft
			: paint.card;
		context.fillRect(0, y, scene.view.width, item.height);
		if (item.key === scene.head) {
			context.strokeStyle = paint.accent;
			context.lineWidth = 2;
			context.strokeRect(1, y + 1, scene.view.width - 2,
				item.height - 2);
		}
		context.fillStyle = paint.text;
		context.font = (item.kind === "group" ? "600 " : "") +
			"12px system-ui, 'DejaVu Sans', sans-serif";
		context.fillText(title, 4, y + item.height / 2 + 0.5);
		if (item.lane) {
			const at = 10 + context.measureText(title).width;

			context.fillStyle = paint.faint;
			context.fillText(countOf(item.lane.count, "slice") +
				" \u00b7 " + percent(item.lane.top_ns,
				scene.model.span), at, y + item.height / 2 + 0.5);
		}
		context.font = FONT;
	}

	function drawSeries(scene, context, paint, item) {
		const {series} = item;
		const {view} = scene;
		const y = item.y - view.top + LANE_AXIS;
		const height = item.height - 6;
		const scale = (series.most - series.least) || 1;
		const base = y + 4 + height * series.most / scale;
		const first = Math.max(0, firstAbove(series.start, 0,
			series.start.length, view.from) - 1);

		context.fillStyle = paint.busy;
		context.globalAlpha = 0.6;
		for (let i = first; i < series.start.length; i++) {
			const left = (series.start[i] - view.from) /
				view.perPixel;
			const right = i + 1 < series.start.length
				? (series.start[i + 1] - view.from) / view.perPixel
				: (scene.model.span - view.from) / view.perPixel;
			const top = y + 4 + height * (series.most -
				series.values[i]) / scale;

			if (left > view.width)
				break;
			context.fillRect(left, Math.min(top, base),
				Math.max(right - left, 0.5),
				Math.max(Math.abs(base - top), 0.5));
		}
		context.globalAlpha = 1;
		context.fillStyle = paint.text;
		context.fillText(seriesTitle(series) + ", at most " +
			(series.memory ? bytesText(series.most)
				: String(series.most)), 4, y + 9);
	}

	function drawAxis(scene, context, paint) {
		const {view, model} = scene;
		const span = view.width * view.perPixel;
		const step = stepOf(span || 1, Math.max(2, view.width / 110));
		const isFine = step < timeStep(view.from + span);
		const left = (0 - view.from) / view.perPixel;

		context.fillStyle = paint.card;
		context.fillRect(0, 0, view.width, LANE_AXIS);
		context.font = "11px system-ui, 'DejaVu Sans', sans-serif";
		context.fillStyle = paint.faint;
		for (let at = Math.ceil(view.from / step) * step + 0;
			at <= view.from + span; at += step) {
			const x = (at - view.from) / view.perPixel;

			context.fillRect(x, 8, 1, LANE_AXIS - 8);
			context.fillText(isFine ? "+" + timeText(at -
				Math.floor(view.from / step) * step)
				: timeText(at), x + 3, 14);
		}
		if (isFine)
			context.fillText("from " + timeText(view.from), 3, 14);
		// The part in sight.
		context.fillStyle = paint.line;
		context.fillRect(0, 0, view.width, 4);
		context.fillStyle = paint.accent;
		context.fillRect(Math.max(0, view.width * view.from /
			(model.span || 1)), 0, Math.max(3, view.width * span /
			(model.span || 1)), 4);
		context.font = FONT;
		return left;
	}

	// Times of this size differ by this much in their texts.
	function timeStep(time) {
		return Math.pow(10, Math.floor(Math.log10(Math.max(1, time))) - 2);
	}

	function drawSteps(scene, context, paint) {
		const {view, model} = scene;
		let free = -Infinity;

		for (const [time, label] of model.steps) {
			const x = (time - view.from) / view.perPixel;

			if (x < 0 || x > view.width)
				continue;
			context.fillStyle = paint.accent;
			context.globalAlpha = 0.5;
			context.fillRect(x, LANE_AXIS, 1, view.height);
			context.globalAlpha = 1;
			if (x > free) {
				const width = context.measureText(label).width;

				context.fillStyle = paint.card;
				context.fillRect(x + 1, view.height - 14,
					width + 6, 14);
				context.fillStyle = paint.accent;
				context.fillText(label, x + 4, view.height - 6);
				free = x + width + 12;
			}
		}
	}

	// The height of the middle of a slice's or a lane's row, possibly out of
	// sight.
	function heightOf(scene, laneNumber, depth) {
		const lane = scene.model.lanes[laneNumber];
		const items = scene.layout.items;
		const item = items.find((each) => each.kind === "row" &&
			each.lane === lane && (each.depth === depth ||
			each.folded)) || items.find((each) =>
			each.kind === "group" &&
				each.key === processTitle(lane));

		return item ? item.y + item.height / 2 - scene.view.top +
			LANE_AXIS : LANE_AXIS;
	}

	function drawArrow(scene, context, slice) {
		const {model, view} = scene;
		const from = sliceFrom(model, model.lanes[model.launchLane[slice]],
			model.launchTime[slice]);
		const x1 = (model.launchTime[slice] - view.from) / view.perPixel;
		const x2 = (model.start[slice] - view.from) / view.perPixel;
		const y1 = heightOf(scene, model.launchLane[slice],
			from < 0 ? 0 : rowOf(model, from));
		const y2 = heightOf(scene, model.lane[slice],
			rowOf(model, slice));
		const bend = Math.max(12, Math.abs(x2 - x1) / 2);

		if (Math.max(x1, x2) < 0 || Math.min(x1, x2) > view.width)
			return;
		context.beginPath();
		context.moveTo(x1, y1);
		context.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
		context.stroke();
		context.beginPath();
		context.moveTo(x2, y2);
		context.lineTo(x2 - 6, y2 - 3);
		context.lineTo(x2 - 6, y2 + 3);
		context.fill();
	}

	function drawArrows(scene, context, paint, wides) {
		const {model, selected} = scene;
		const launched = wides.map(([slice]) => slice).filter((slice) =>
			model.launchLane[slice] >= 0);

		context.strokeStyle = context.fillStyle = paint.text;
		context.lineWidth = 1;
		context.globalAlpha = 0.3;
		if (launched.length <= LANE_ARROWS)
			launched.forEach((slice) => drawArrow(scene, context,
				slice));
		context.globalAlpha = 1;
		context.lineWidth = 1.5;
		if (selected < 0)
			return;
		if (model.launchLane[selected] >= 0)
			drawArrow(scene, context, selected);
		launchedBy(model, selected).slice(0, LANE_ARROWS)
			.forEach((slice) => drawArrow(scene, context, slice));
	}

	function drawRange(scene, context, paint) {
		const {view, range} = scene;

		if (!range)
			return;
		const left = (range.from - view.from) / view.perPixel;
		const right = (range.to - view.from) / view.perPixel;

		context.fillStyle = paint.accent;
		context.globalAlpha = 0.14;
		context.fillRect(left, LANE_AXIS, right - left, view.height);
		context.globalAlpha = 1;
		context.fillRect(left, 4, 1, view.height);
		context.fillRect(right, 4, 1, view.height);
	}

	return (scene, context) => {
		const {view, layout} = scene;
		const paint = paintsOf();
		const seen = [];

		context.fillStyle = paint.card;
		context.fillRect(0, 0, view.width, view.height);
		context.font = FONT;
		context.textBaseline = "middle";
		for (let i = itemAt(layout, view.top); i < layout.items.length &&
			layout.items[i].y < view.top + view.height; i++)
			seen.push(layout.items[i]);
		const wides = drawRows(scene, context, paint,
			seen.filter((item) => item.kind === "row"));

		for (const item of seen)
			if (item.kind === "series")
				drawSeries(scene, context, paint, item);
			else if (item.kind !== "row")
				drawHead(scene, context, paint, item);
		drawArrows(scene, context, paint, wides);
		drawRange(scene, context, paint);
		drawSteps(scene, context, paint);
		drawAxis(scene, context, paint);
	};
}
