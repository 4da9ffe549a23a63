// SPDX-License-Identifier: MIT
// Memory over time: a chart of each device, its peak with the ranges open there,
// and the ranges that allocated the memory alive at the peak.

const MEMORY_CHART = {left: 72, top: 22, height: 180, foot: 22, bins: 400};

// The lowest and highest level of each bin. Between events the last one holds;
// before the first it is the memory that was in use already.
function levelsOf(pool, count = MEMORY_CHART.bins) {
	const bins = [];
	let last = pool.totals ? null : pool.before_bytes;
	let reserved = 0;
	let at = 0;

	for (let number = 0; number < count; number++) {
		if (pool.bins[at] === number) {
			const [, least, most, end, more] =
				pool.bins.slice(at, at + 5);

			bins.push({
				least: last == null ? least : Math.min(least, last),
				most: last == null ? most : Math.max(most, last),
				reserved: Math.max(more, reserved)});
			last = end;
			reserved = more || reserved;
			at += 5;
		} else {
			bins.push({least: last, most: last, reserved});
		}
	}
	return bins;
}

// "GPU 0", with the process if there are several.
function poolTitle(pool, pools) {
	const number = pool.number < 0 ? "" : " " + pool.number;
	const name = pool.host ? "Host" : pool.type === "cuda" ||
		pool.type === "hip" ? "GPU" + number : pool.type + number;

	return pools.every((other) => other.pid === pool.pid) ? name
		: name + " \u00b7 " + (pool.process || "process") + " " +
			pool.pid;
}

// Devices before hosts, and the highest peak first.
function sortedPools(pools) {
	return pools.slice().sort((a, b) => a.host - b.host ||
		b.peak.bytes - a.peak.bytes);
}

// Sentences about the peak and about events that do not fit.
function memoryLines(pool) {
	const earlier = pool.peak.bytes - pool.known_bytes;

	return [
		pool.addresses && earlier > 0 && bytesText(earlier) +
			" of the peak were allocated before the recording.",
		!pool.addresses && "The events have no addresses, so that " +
			"the allocations alive at the peak are unknown.",
		pool.failed > 0 && countOf(pool.failed, "allocation") +
			" failed.",
		pool.doubles > 0 && countOf(pool.doubles, "address was",
			"addresses were") + " freed twice.",
		pool.repeats > 0 && countOf(pool.repeats, "address was",
			"addresses were") + " allocated again without a free " +
			"in between.",
	].filter((line) => line);
}

// The level as a step area. `say` gets the words of the bin under the pointer.
function memoryChart(pool, timeline, say) {
	const size = MEMORY_CHART;
	const bins = levelsOf(pool);
	const canvas = make("canvas", {tabindex: "0", role: "application",
		"aria-label": "Memory over time: use the arrow keys, and p " +
			"for the peak"});
	const element = make("div", {class: "scroll"}, canvas);
	const most = Math.max(1, pool.peak.bytes,
		...bins.map((bin) => bin.reserved));
	const peakAt = Math.min(size.bins - 1,
		Math.floor(pool.peak.at_ns / timeline.bin_ns));
	let at = -1;
	let step = 1;

	function lines(number) {
		const bin = bins[number];
		const from = number * timeline.bin_ns;

		return ["at " + timeText(from), bin.most == null
			? "unknown before the first event"
			: bin.least === bin.most ? bytesText(bin.most)
				: bytesText(bin.least) + " to " +
					bytesText(bin.most),
		...bin.reserved > 0 ? [bytesText(bin.reserved) +
			" reserved"] : [],
		...number === peakAt ? ["the peak is here"] : []];
	}

	function drawScale(context, wide, foot) {
		const every = stepOf(most, 4);
		const times = stepOf(timeline.bin_ns * size.bins,
			Math.max(2, wide / 110));

		context.textAlign = "right";
		for (let bytes = 0; bytes <= most; bytes += every) {
			const y = foot - size.height * bytes / most;

			context.fillStyle = style("--line");
			context.fillRect(size.left, Math.round(y), wide, 1);
			context.fillStyle = style("--faint");
			context.fillText(bytesText(bytes), size.left - 6, y);
		}
		context.textAlign = "left";
		for (let time = 0; time < timeline.bin_ns * size.bins * 0.94;
			time += times)
			context.fillText(timeText(time), size.left +
				step * time / timeline.bin_ns,
			foot + size.foot / 2 + 2);
	}

	function drawArea(context, foot, colour, of) {
		context.fillStyle = colour;
		bins.forEach((bin, i) => {
			const left = size.left + Math.floor(i * step);
			const right = size.left + Math.floor((i + 1) * step);
			const height = size.height * (of(bin) || 0) / most;

			context.fillRect(left, foot - height, right - left,
				height);
		});
	}

	function drawPeak(context, foot) {
		const x = size.left + Math.round((peakAt + 0.5) * step);
		const y = foot - size.height * pool.peak.bytes / most;
		const words = "peak " + bytesText(pool.peak.bytes);
		const isLeft = peakAt > size.bins / 2;

		context.fillStyle = style("--match");
		context.fillRect(x, y, 1, foot - y);
		context.beginPath();
		context.arc(x + 0.5, y, 4, 0, 7);
		context.fill();
		context.fillStyle = style("--text");
		context.textAlign = isLeft ? "right" : "left";
		context.fillText(words, x + (isLeft ? -8 : 8), y - 10);
	}

	function draw() {
		const wide = Math.max(60, element.clientWidth - size.left - 1);
		const foot = size.top + size.height;
		const context = prepare(canvas, size.left + wide,
			foot + size.foot);

		step = wide / size.bins;
		context.font = "12px " + getComputedStyle(element).fontFamily;
		context.textBaseline = "middle";
		drawScale(context, wide, foot);
		drawArea(context, foot, style("--other"), (bin) => bin.reserved);
		drawArea(context, foot, style("--bar"), (bin) => bin.most);
		drawArea(context, foot, style("--busy"), (bin) => bin.least);
		drawPeak(context, foot);
		if (at >= 0) {
			context.fillStyle = style("--text");
			context.fillRect(size.left + (at + 0.5) * step,
				size.top, 1, size.height);
		}
	}

	function go(number) {
		at = number;
		if (at >= 0)
			say(lines(at).join(" \u2014 "), at);
		draw();
	}

	canvas.addEventListener("mousemove", (event) => {
		const box = canvas.getBoundingClientRect();
		const number = Math.floor((event.clientX - box.left -
			size.left) / step);

		if (number < 0 || number >= size.bins)
			return hideTip();
		showTip(event, ...lines(number));
		return go(number);
	});
	canvas.addEventListener("mouseleave", hideTip);
	canvas.addEventListener("keydown", (event) => {
		const steps = {ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0,
			End: size.bins - 1, p: peakAt};

		if (!(event.key in steps) || event.ctrlKey || event.metaKey)
			return;
		go(Math.min(size.bins - 1, Math.max(0, steps[event.key])));
		event.preventDefault();
	});
	return {element, draw, go};
}

function memoryLegend(pool) {
	return make("ul", {class: "legend"}, [["--busy", "in use all the time"],
		["--bar", "in use at times, within a bin"],
		pool.reserved_bytes > 0 && ["--other", "reserved by the allocator"],
		["--match", "the peak"]].filter((part) => part)
		.map(([colour, words]) => make("li", {}, make("i",
			{style: "background:var(" + colour + ")"}), words)));
}

const RANGES_NEAR = 5;

// The ranges open at the peak, innermost first.
function peakRanges(pool) {
	const {ranges, depth} = pool.peak;
	const thread = pool.peak.thread || "thread " + pool.peak.tid;
	const list = (names) => make("ol", {class: "ranges"},
		names.map((name) => make("li", {}, nameOf(name))));
	const others = ranges.slice(RANGES_NEAR);

	if (ranges.length === 0)
		return [make("p", {}, "None on " + thread + ".")];
	return [make("p", {class: "note"}, "Innermost first, on " + thread +
		"."), list(ranges.slice(0, RANGES_NEAR)),
	others.length > 0 ? make("details", {}, make("summary", {},
		countOf(depth - RANGES_NEAR, "range") + " outside of these"),
	list(others), depth > ranges.length
		? make("p", {class: "note"}, "and " + countText(depth -
			ranges.length) + " more") : null) : null]
		.filter((element) => element);
}

function poolView(pool, timeline, status) {
	const chart = memoryChart(pool, timeline, (words, at) => {
		status.textContent = words;
		viewSet("memory.at", at);
	});
	const groups = pool.groups;
	const element = make("div", {},
		chart.element, memoryLegend(pool),
		make("dl", {class: "cards"}, [
			["Peak", bytesText(pool.peak.bytes)],
			["Time of the peak", timeText(pool.peak.at_ns)],
			pool.reserved_bytes > 0 && ["Reserved, at most",
				bytesText(pool.reserved_bytes)],
			["At the end", bytesText(pool.end_bytes)],
			["Allocations", countText(pool.allocs)],
			["Frees", countText(pool.frees)],
		].filter((pair) => pair).map(([key, value]) => make("div", {},
			make("dt", {}, key), make("dd", {}, value)))),
		...memoryLines(pool).map((line) =>
			make("p", {class: "note"}, line)),
		make("h3", {}, "Ranges open at the peak"), ...peakRanges(pool));

	if (groups.rows.length > 0)
		element.append(make("h3", {}, "Allocated by"),
			describedTable("Allocations", groups, {lead: "range",
				sort: pool.addresses ? "peak_bytes" : undefined,
				omitsZeros: true}));
	if (pool.groups_hidden)
		element.append(make("p", {class: "note"}, countText(
			pool.groups_hidden) + " more ranges are not shown."));
	return {element, chart};
}

// Nothing without events of memory.
function memorySection(input) {
	if (!input.allocations || input.allocations.pools.length === 0)
		return null;
	const timeline = input.allocations;
	const pools = sortedPools(timeline.pools);
	const status = make("p", {class: "status", "aria-live": "polite"},
		"Point at the chart, or use the arrow keys.");
	const holder = make("div");
	const chooser = pools.length > 1 && make("select",
		{"aria-label": "Memory of", onchange: (event) => {
			viewSet("memory.pool", event.target.value);
			viewSet("memory.at", null);
			show(Number(event.target.value));
		}}, pools.map((pool, i) => make("option", {value: i},
			poolTitle(pool, pools))));
	const element = section("memory", "Memory over time",
		...chooser ? [chooser] : []);
	let view = null;

	function show(number) {
		view = poolView(pools[number], timeline, status);
		if (chooser)
			chooser.value = String(number);
		holder.replaceChildren(make("h3", {}, poolTitle(
			pools[number], pools)), view.element);
		view.chart.draw();
	}

	element.append(status, holder);
	if (timeline.pools_hidden > 0)
		element.append(make("p", {class: "note"}, countOf(
			timeline.pools_hidden, "device") + " not shown."));
	show(0);
	element.draw = () => view.chart.draw();
	element.restore = () => {
		const number = Number(viewGet("memory.pool"));
		const at = viewGet("memory.at");

		if (number > 0 && number < pools.length)
			show(number);
		if (at != null && at >= 0 && at < MEMORY_CHART.bins)
			view.chart.go(Math.floor(at));
	};
	return element;
}
