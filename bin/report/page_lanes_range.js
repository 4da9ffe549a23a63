// SPDX-License-Identifier: MIT
// Statistics of a range of the timeline, and its search.

// The part of [start, end) in [from, to).
function overlapOf(start, end, from, to) {
	return Math.max(0, Math.min(end, to) - Math.max(start, from));
}

// Adds the slices of a row, and the time of its callees to their callers.
function addRow(model, lane, depth, range, add) {
	const row = lane.rows[depth];
	const above = depth > 0 && lane.part === "ranges"
		? lane.rows[depth - 1] : null;
	const [first, end] = slicesIn(model, row, range.from, range.to);

	for (let i = first; i < end; i++) {
		const until = model.start[i] + model.dur[i];
		const time = overlapOf(model.start[i], until, range.from,
			range.to);

		if (until < range.from || (time === 0 && model.dur[i] > 0))
			continue;
		add(model.name[i], 1, time, time);
		const caller = above && time > 0
			? sliceAt(model, above, model.start[i]) : -1;

		if (caller >= 0)
			add(model.name[caller], 0, 0, -time);
	}
	for (const bins of row.bins) {
		const from = firstAbove(bins.start, 0, bins.count,
			range.from - bins.length);
		const to = firstAbove(bins.start, from, bins.count, range.to);

		for (let i = from; i < to; i++) {
			const share = overlapOf(bins.start[i], bins.start[i] +
				bins.length, range.from, range.to) / bins.length;

			add(bins.name[i], share * bins.slices[i],
				share * bins.busy[i], 0, true);
		}
	}
}

// The statistics of names in a range {from, to} of some lanes: an array of
// {name, count, total, own, estimated}, longest first. Times and counts from
// bins are estimated: those of their leading name.
function rangeStatistics(model, lanes, range) {
	const sums = new Map();

	function add(name, count, total, own, estimated) {
		let sum = sums.get(name);

		if (!sum) {
			sum = {name, count: 0, total: 0, own: 0,
				estimated: false};
			sums.set(name, sum);
		}
		sum.count += count;
		sum.total += total;
		sum.own += own;
		sum.estimated = sum.estimated || Boolean(estimated);
	}
	for (const lane of lanes)
		lane.rows.forEach((row, depth) =>
			addRow(model, lane, depth, range, add));
	return [...sums.values()].sort((a, b) => b.total - a.total ||
		b.count - a.count || a.name - b.name);
}

// The slices whose names match, in order of time; and the number of matches.
function findSlices(model, matches) {
	const named = model.names.map((name) => matches(name));
	const found = [];
	let total = 0;

	for (let i = 0; i < model.count; i++)
		if (named[model.name[i]]) {
			found.push(i);
			total += model.dur[i];
		}
	found.sort((a, b) => model.start[a] - model.start[b] || a - b);
	return {named, found, total};
}

// The match after a slice (-1: the first), or before it with step -1.
function nextFound(found, slice, step) {
	const at = found.indexOf(slice);

	if (found.length === 0)
		return -1;
	if (at < 0)
		return found[step > 0 ? 0 : found.length - 1];
	return found[(at + step + found.length) % found.length];
}
