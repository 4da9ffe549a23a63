// SPDX-License-Identifier: MIT
// The timeline: the busy share of each track and its leading name.

const TRACK_HEIGHT = 26;

// Runs of equal bins: [count, busy, number of a name, its share].
function binsOf(track) {
	const bins = [];

	for (let at = 0; at < track.bins.length; at += 4)
		for (let i = 0; i < track.bins[at]; i++)
			bins.push({busy: track.bins[at + 1],
				lead: track.bins[at + 2],
				share: track.bins[at + 3]});
	return bins;
}

// A step that is 1, 2 or 5 times a power of ten, for about `count` of them.
function stepOf(span, count) {
	const rough = span / count;
	const power = Math.pow(10, Math.floor(Math.log10(rough)));

	return power * ([1, 2, 5].find((n) => n * power >= rough) || 10);
}

// As many time labels as fit.
function drawAxis(axis, timeline) {
	const whole = timeline.bins * timeline.bin_ns;
	const room = Math.max(2, axis.clientWidth / 110);
	const step = stepOf(timeline.span_ns || 1, room);

	axis.replaceChildren();
	for (let at = 0; at <= timeline.span_ns; at += step) {
		const left = 100 * (at - timeline.offset_ns) / whole;

		if (left > 93)
			break;
		axis.append(make("span", {style: "left:" + left.toFixed(3) +
			"%"}, timeText(at)));
	}
}

function trackTitle(track) {
	const number = (track.stream ? "stream " : "thread ") + track.tid;
	const name = !track.name ? number
		: track.namesake ? track.name + " \u00b7 " + number
			: track.name;

	return track.stream ? "GPU " + track.device + " \u00b7 " + name : name;
}

// Unnamed threads have their program's name.
function markNamesakes(tracks) {
	const met = new Map();

	for (const track of tracks) {
		const key = JSON.stringify([track.pid, track.stream,
			track.device, track.name]);
		const first = met.get(key);

		if (first)
			first.namesake = track.namesake = true;
		else
			met.set(key, track);
	}
}

// The hues of the names, as in the flame graph.
function huesOf(names, functions) {
	const known = new Map(functions.map((row) => [row.name, row]));

	return names.map((name) => hueOf(known.has(name)
		? moduleOf(known.get(name)) : name));
}

// One track's canvas. `pick` is called with the clicked name.
function trackCanvas(timeline, track, hues, say, pick) {
	const bins = binsOf(track);
	const canvas = make("canvas", {tabindex: "0", role: "application",
		"aria-label": trackTitle(track) + ": use the arrow keys"});
	let at = -1;

	function linesOf(number) {
		const bin = bins[number];
		const from = Math.max(0, timeline.offset_ns +
			number * timeline.bin_ns);
		const lines = ["at " + timeText(from) + ", " +
			timeText(timeline.bin_ns) + " long: " + bin.busy +
			" % busy"];

		if (bin.lead >= 0)
			lines.push(timeline.names[bin.lead] + " for at least " +
				Math.max(1, bin.share) + " %");
		return lines;
	}

	function draw() {
		const width = canvas.parentElement
			? canvas.parentElement.clientWidth : 0;
		const context = prepare(canvas, width, TRACK_HEIGHT);
		const paint = colours();
		const step = width / bins.length;

		context.fillStyle = style("--soft");
		context.fillRect(0, 0, width, TRACK_HEIGHT);
		bins.forEach((bin, i) => {
			const height = TRACK_HEIGHT * bin.busy / 100;

			if (bin.busy === 0 && bin.lead < 0)
				return;
			context.fillStyle = bin.lead < 0 ? style("--busy")
				: paint(hues[bin.lead]);
			// Whole pixels, to avoid stripes between bins.
			const left = Math.floor(i * step);

			context.fillRect(left,
				TRACK_HEIGHT - Math.max(2, height),
				Math.max(Math.floor((i + 1) * step) - left, 1),
				Math.max(2, height));
		});
		if (at >= 0) {
			context.strokeStyle = style("--text");
			context.strokeRect(at * step + 0.5, 0.5,
				Math.max(step - 1, 2), TRACK_HEIGHT - 1);
		}
	}

	function tell() {
		say(trackTitle(track), linesOf(at));
		draw();
	}

	function choose() {
		if (at >= 0 && bins[at].lead >= 0)
			pick(timeline.names[bins[at].lead]);
	}

	function binAt(event) {
		const box = canvas.getBoundingClientRect();
		const number = Math.floor((event.clientX - box.left) /
			box.width * bins.length);

		return Math.min(bins.length - 1, Math.max(0, number));
	}

	canvas.addEventListener("mousemove", (event) => {
		at = binAt(event);
		showTip(event, trackTitle(track), ...linesOf(at));
		tell();
	});
	canvas.addEventListener("mouseleave", () => {
		at = -1;
		hideTip();
		draw();
	});
	canvas.addEventListener("click", choose);
	canvas.addEventListener("keydown", (event) => {
		const steps = {ArrowLeft: -1, ArrowRight: 1};

		if (event.key in steps) {
			at = Math.min(bins.length - 1,
				Math.max(0, at + steps[event.key]));
			tell();
		} else if (event.key === "Enter") {
			choose();
		} else {
			return;
		}
		event.preventDefault();
	});
	return {canvas, draw};
}

function processTitle(track) {
	return (track.process || "process") + " " + track.pid;
}

// Makes the section; `pick` as above.
function timelineOf(input, functions, pick) {
	const timeline = input.timeline;
	const hues = huesOf(timeline.names, functions);
	const status = make("p", {class: "status", "aria-live": "polite"});
	const axis = make("div", {class: "axis", "aria-hidden": "true"});
	const grid = make("div", {class: "tracks"}, make("div"), axis);
	const several = new Set(timeline.tracks.map(processTitle)).size > 1;
	const rows = [];
	let process = "";

	markNamesakes(timeline.tracks);

	function say(title, lines) {
		status.replaceChildren(make("b", {}, title), " \u2014 " +
			lines.join(" \u2014 "));
	}

	for (const track of timeline.tracks) {
		const row = trackCanvas(timeline, track, hues, say, pick);
		const share = percent(track.busy_ns, timeline.span_ns);

		if (several && processTitle(track) !== process) {
			process = processTitle(track);
			grid.append(make("div", {class: "group"}, process));
		}
		grid.append(make("div", {class: "label",
			title: trackTitle(track)},
		make("span", {}, trackTitle(track)),
		make("small", {}, share)), make("div", {}, row.canvas));
		rows.push(row);
	}
	const element = section("timeline", "Timeline");

	element.append(grid, status);
	status.append("How busy each thread and stream was over time; the " +
		"colour is that of its main function. Click to find it " +
		"in the flame graph.");
	if (input.tracks_hidden)
		element.append(make("p", {class: "note"},
			countOf(input.tracks_hidden, "track") +
			" with less time are not shown."));
	element.draw = () => {
		drawAxis(axis, timeline);
		rows.forEach((row) => row.draw());
	};
	return element;
}
