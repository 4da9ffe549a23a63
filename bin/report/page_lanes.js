// SPDX-License-Identifier: MIT
// The model of the timeline: slices in typed arrays, of which each row of a lane
// is a part in order of time; and bins, the sums of slices that are not kept.

// Reads the pairs or triples that follow a distance to the slice before.
function eachSparse(flat, width, first, use) {
	let at = first;

	for (let i = 0; i < flat.length; i += width) {
		at += flat[i];
		use(at, flat[i + 1], flat[i + 2]);
	}
}

// Bins of a row and level: [row, level, start of the first, then for each the
// distance in bins, busy time, count and name].
function binsOf(flat) {
	const count = (flat.length - 3) / 4;
	const bins = {length: Math.pow(2, flat[1]), count,
		start: new Float64Array(count), busy: new Float64Array(count),
		slices: new Float64Array(count), name: new Int32Array(count)};
	let index = 0;

	for (let i = 0; i < count; i++) {
		index += flat[3 + 4 * i];
		bins.start[i] = flat[2] + index * bins.length;
		bins.busy[i] = flat[4 + 4 * i];
		bins.slices[i] = flat[5 + 4 * i];
		bins.name[i] = flat[6 + 4 * i];
	}
	return bins;
}

function readLane(model, lane, number, first) {
	const rows = [];
	let at = first;

	for (const count of lane.counts) {
		rows.push({from: at, to: at + count, bins: []});
		at += count;
	}
	while (rows.length < lane.rows)
		rows.push({from: at, to: at, bins: []});
	for (const row of rows) {
		let time = 0;
		let end = -Infinity;

		for (let i = row.from; i < row.to; i++) {
			time += lane.starts[i - first];
			model.start[i] = time;
			model.dur[i] = lane.durs[i - first];
			model.name[i] = lane.names[i - first];
			model.lane[i] = number;
			end = Math.max(end, time + model.dur[i]);
			model.last[i] = end;
		}
	}
	for (const flat of lane.bins)
		rows[flat[0]].bins.push(binsOf(flat));
	eachSparse(lane.args, 2, first, (i, args) => {
		model.args[i] = args;
	});
	eachSparse(lane.launches, 3, first, (i, from, before) => {
		model.launchLane[i] = from;
		model.launchTime[i] = model.start[i] - before;
	});
	return {...lane, number, rows, first, end: at,
		isWhole: lane.bins.length === 0};
}

function readSeries(series) {
	let time = 0;
	const least = Math.min(0, ...series.values);
	const values = Float64Array.from(series.values, (value) =>
		series.memory ? value - least : value);

	return {...series, start: Float64Array.from(series.times, (step) =>
		time += step), values, least: Math.min(0, ...values),
	most: Math.max(0, ...values)};
}

// Makes the model of a page's timeline.
function lanesOf(timeline) {
	const count = timeline.lanes.reduce((sum, lane) =>
		sum + lane.durs.length, 0);
	const model = {span: timeline.span_ns, names: timeline.names,
		arguments: timeline.args, count,
		start: new Float64Array(count), dur: new Float64Array(count),
		// The latest end of this slice and those before in its row.
		last: new Float64Array(count),
		name: new Int32Array(count), lane: new Int32Array(count),
		args: new Int32Array(count).fill(-1),
		launchLane: new Int32Array(count).fill(-1),
		launchTime: new Float64Array(count)};
	let first = 0;

	model.lanes = timeline.lanes.map((lane, number) => {
		const made = readLane(model, lane, number, first);

		first = made.end;
		return made;
	});
	model.series = timeline.series.map(readSeries);
	model.isWhole = model.lanes.every((lane) => lane.isWhole);
	model.steps = stepsOf(model, timeline.steps);
	return model;
}

// Marks of steps: [time, label], in order of time.
function stepsOf(model, steps) {
	const marks = steps.map(([time, number, name]) =>
		[time, (name || "step") + " " + number]);
	const named = model.names.map((name) => name.startsWith("ProfilerStep#"));

	for (let i = 0; i < model.count; i++)
		if (named[model.name[i]] && !model.lanes[model.lane[i]].stream)
			marks.push([model.start[i],
				model.names[model.name[i]].slice(8)]);
	return marks.sort((a, b) => a[0] - b[0]);
}

// The first index in [from, to) whose value exceeds `value`; else `to`.
function firstAbove(array, from, to, value) {
	while (from < to) {
		const middle = (from + to) >>> 1;

		if (array[middle] > value)
			to = middle;
		else
			from = middle + 1;
	}
	return from;
}

// The slices of a row that may touch [from, to): [first, end). Earlier
// ones are skipped, except between longer ones.
function slicesIn(model, row, from, to) {
	const first = firstAbove(model.last, row.from, row.to, from);
	const end = firstAbove(model.start, first, row.to, to);

	return [first, end];
}

// The slice of a row at a time, or -1.
function sliceAt(model, row, time) {
	let i = firstAbove(model.start, row.from, row.to, time) - 1;

	for (; i >= row.from && model.last[i] >= time; i--)
		if (model.start[i] + model.dur[i] >= time)
			return i;
	return -1;
}

// The row of a slice.
function rowOf(model, slice) {
	const rows = model.lanes[model.lane[slice]].rows;

	return rows.findIndex((row) => row.from <= slice && slice < row.to);
}

// The slice of a lane that begins exactly at a time: the deepest; or -1.
function sliceFrom(model, lane, time) {
	for (let i = lane.rows.length - 1; i >= 0; i--) {
		const row = lane.rows[i];
		const at = firstAbove(model.start, row.from, row.to, time) - 1;

		if (at >= row.from && model.start[at] === time)
			return at;
	}
	return -1;
}

// The slices that a slice launched: those whose launch is its start, on its
// lane, unless a deeper slice starts there.
function launchedBy(model, slice) {
	if (!model.launches) {
		model.launches = new Map();
		for (let i = 0; i < model.count; i++) {
			if (model.launchLane[i] < 0)
				continue;
			const lane = model.lanes[model.launchLane[i]];
			const from = sliceFrom(model, lane,
				model.launchTime[i]);

			if (from < 0)
				continue;
			if (!model.launches.has(from))
				model.launches.set(from, []);
			model.launches.get(from).push(i);
		}
	}
	return model.launches.get(slice) || [];
}

// Sums what is narrower than a pixel in a row: busy time, and the name with the
// longest share of each pixel, as `busy`, `name` and `lead` of `sums`. `view` has
// the time of the left end and of a pixel, and the width. Calls wide(slice) and
// wideBin(bins, i) for what is not.
function sumPixels(model, row, view, sums, wide, wideBin) {
	const until = view.from + view.width * view.perPixel;

	sums.busy.fill(0);
	sums.lead.fill(0);
	sums.name.fill(-1);
	// Rows of one name in a pixel add up, as they are neighbours.
	function add(start, busy, name) {
		const at = Math.min(view.width - 1, Math.max(0,
			Math.floor((start - view.from) / view.perPixel)));

		sums.busy[at] += busy;
		if (sums.name[at] === name) {
			sums.lead[at] += busy;
		} else if (busy >= sums.lead[at]) {
			sums.lead[at] = busy;
			sums.name[at] = name;
		}
	}
	for (const bins of row.bins) {
		const first = firstAbove(bins.start, 0, bins.count,
			view.from - bins.length);
		const end = firstAbove(bins.start, first, bins.count, until);

		for (let i = first; i < end; i++)
			if (bins.length > view.perPixel)
				wideBin(bins, i);
			else
				add(bins.start[i], bins.busy[i], bins.name[i]);
	}
	const [first, end] = slicesIn(model, row, view.from, until);

	for (let i = first; i < end; i++)
		if (model.dur[i] >= view.perPixel)
			wide(i);
		else if (model.start[i] + model.dur[i] >= view.from)
			add(model.start[i], model.dur[i], model.name[i]);
	return sums;
}
