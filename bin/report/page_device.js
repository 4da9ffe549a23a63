// SPDX-License-Identifier: MIT
// GPU activity and idle times.

const KINDS = ["", "kernel", "copy", "memset"];
const CAUSE_HUES = [25, 280, 175, 330, 50]; // the last two causes are grey

const MISFIT = -2; // the work would exceed the device's peak

// A column whose values may be unknown; omitted if all are.
function knownColumn(rows, title, key, text, hint) {
	return rows.some((row) => row[key] != null) && {title, hint,
		value: (row) => row[key] == null ? -1 : row[key],
		text: (value) => value === MISFIT ? "model does not fit"
			: value < 0 ? "\u2013" : text(value)};
}

function ratesOf(rows) {
	const ofPeak = (hundredths) => percent(hundredths, 10000);
	const unit = (name) => (value) => scaled(value, 1000,
		["", "k", "M", "G", "T", "P"]) + name;

	return [
		knownColumn(rows, "FLOP/s", "flops", unit("FLOP/s"),
			"by the shapes of the operators' inputs"),
		knownColumn(rows, "of peak", "flopsShare", ofPeak,
			"of the device's peak"),
		knownColumn(rows, "Bytes/s", "rate", unit("B/s"),
			"by the shapes of the operators' inputs"),
		knownColumn(rows, "of peak", "rateShare", ofPeak,
			"of the peak of the device's memory"),
	];
}

function workCell(row) {
	return [nameOf(row.name), make("small", {}, KINDS[row.kind] +
		" \u00b7 " + row.file)];
}

function kernelsSection(rows, late) {
	const sum = rows.reduce((all, row) => all + row.self, 0);
	const columns = [
		{...NAME, title: "What the GPU did", cell: workCell},
		{title: "Count", value: (row) => row.calls, text: countText},
		{title: "Total", value: (row) => row.self, text: timeText,
			whole: sum},
		{title: "Share", value: (row) => row.self,
			text: (self) => percent(self, sum)},
		{title: "Mean", value: (row) => row.self / row.calls,
			text: timeText},
		{title: "Min", value: (row) => row.min, text: timeText},
		{title: "Max", value: (row) => row.max, text: timeText},
		...ratesOf(rows),
		rows.some((row) => row.bytes > 0) && {title: "Moved",
			value: (row) => row.bytes,
			text: (bytes) => bytes > 0 ? bytesText(bytes)
				: "\u2013"},
	].filter((column) => column);
	const table = tableOf(rows, {label: "Kernels", columns, sort: 2,
		matches: matchesRow});
	const element = section("kernels", "GPU kernels and copies",
		filterFor(table, "Filter kernels"));

	element.append(table);
	if (late > 0)
		element.append(make("p", {class: "box"}, "Kernels too late " +
			"for a share of their operator's work, which " +
			"earlier ones have: " + countText(late) +
			"."));
	return element;
}

function stackOf(device, causes) {
	const parts = [["busy", device.busy_ns, "var(--busy)"],
		...causes.map((words, i) => [words, device.causes[i],
			i < 5 ? "hsl(" + CAUSE_HUES[i] + " 55% 55%)"
				: "var(--other)"])]
		.filter((part) => part[1] > 0);

	return [
		make("div", {class: "stack", "aria-hidden": "true"},
			parts.map(([words, time, colour]) => make("div", {
				title: words, style: "background:" + colour +
					";flex:" + time + " 0 0"}))),
		make("ul", {class: "legend"}, parts.map(
			([words, time, colour]) => make("li", {},
				make("i", {style: "background:" + colour}),
				words + ": " + timeText(time) + ", " +
					percent(time, device.span_ns)))),
	];
}

function gapsSection(gaps) {
	const element = section("gaps", "GPU idle time");

	for (const device of gaps.devices)
		element.append(make("h3", {}, "GPU " + device.device +
			(device.name ? " \u00b7 " + device.name : "") +
			": busy " + percent(device.busy_ns, device.span_ns) +
			" of " + timeText(device.span_ns)),
		...stackOf(device, gaps.causes));
	if (gaps.places.rows.length > 0)
		element.append(make("h3", {}, "What the host did meanwhile"),
			describedTable("Places", gaps.places,
				gaps.places.rows));
	return element;
}
