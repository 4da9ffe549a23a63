// SPDX-License-Identifier: MIT
// GPU activity and idle times.

const CAUSE_HUES = [25, 280, 175, 330, 50]; // the last two causes are grey

// The cells of rows, in which the words that distinguish a kernel come before its
// name.
function kernelCells(described, rows) {
	const at = described.columns.findIndex((column) =>
		column.type === "name");
	const words = distinguish(rows.map((row) => row.name));

	return new Map(rows.map((row, i) => [row, row.cells.map((cell, j) =>
		j === at && words[i] ? [words[i] + " \u2014 " + cell[0],
			...cell.slice(1)] : cell)]));
}

function kernelsSection(input, rows) {
	const described = input.functions.device;
	const cells = kernelCells(described, rows);
	const table = describedTable("Kernels", described, {rows,
		cells: (row) => cells.get(row), finder: rowFinder,
		sort: "total_ns", wholes: {total_ns: sumOf(described,
			rows.map((row) => row.cells), "total_ns")}});
	const element = section("kernels", "GPU kernels and copies",
		filterFor(table, "Filter kernels"));

	element.append(table);
	if (rows.some((row) => row.cells.includes("no fit")))
		element.append(make("p", {class: "box"}, "no fit: the model " +
			"does not fit, since the work would exceed the peak."));
	if (input.late > 0)
		element.append(make("p", {class: "box"}, "Kernels too late " +
			"for a share of their operator's work, which " +
			"earlier ones have: " + countText(input.late) +
			"."));
	return element;
}

// Busy time and idle time by cause: words, time and colour.
function idleParts(device, causes) {
	return [["busy", device.busy_ns, "var(--busy)"],
		...Object.values(device.causes).map((time, i) => [causes[i], time,
			i < 5 ? "hsl(" + CAUSE_HUES[i] + " 55% 55%)"
				: "var(--other)"])];
}

const TIME_COLOURS = ["--busy", "--both", "--exposed", "--copies", "--other",
	"--bar"];

// Computing and communicating time: parts that add up to the span.
function timeParts(device) {
	const exposed = device.exposed_comm_ns;
	const hidden = device.comm_ns - exposed;
	const copies = device.busy_ns == null ? device.copy_ns
		: device.busy_ns - device.compute_ns - exposed;
	const other = device.span_ns - device.busy_ns - device.idle_ns;

	return [["compute", device.compute_ns - hidden],
		["compute with communication", hidden],
		["exposed communication", exposed], ["copies alone", copies],
		["idle", device.idle_ns], ["without a GPU", other]]
		.map(([words, time], i) => [words, Math.max(0, time || 0),
			TIME_COLOURS[i]]);
}

function coloured(parts) {
	return parts.map(([words, time, name]) =>
		[words, time, "var(" + name + ")"]);
}

// A bar of the parts that have time, and their legend.
function stackOf(all, span) {
	const parts = all.filter((part) => part[1] > 0);

	return [
		make("div", {class: "stack", "aria-hidden": "true"},
			parts.map(([words, time, colour]) => make("div", {
				title: words, style: "background:" + colour +
					";flex:" + time + " 0 0"}))),
		make("ul", {class: "legend"}, parts.map(
			([words, time, colour]) => make("li", {},
				make("i", {style: "background:" + colour}),
				words + ": " + timeText(time) + ", " +
					percent(time, span)))),
	];
}

// The parts that any row has.
function legendOf(rows) {
	return make("ul", {class: "legend"}, coloured(timeParts(rows[0]))
		.filter((_, i) => rows.some((row) => row.parts[i][1] > 0))
		.map(([words, , colour]) => make("li", {},
			make("i", {style: "background:" + colour}), words)));
}

// Communication, and the part that computing hides; nothing without any.
function overlapSection(gaps) {
	const devices = gaps.rows.rows.map((row) => valuesOf(gaps.rows, row))
		.filter((device) => device.comm_ns > 0);
	const element = section("overlap", "Computing and communication");

	for (const device of devices)
		element.append(make("h3", {}, "GPU " + device.GPU + ": " +
			percent(device.comm_ns - device.exposed_comm_ns,
				device.comm_ns) + " of " +
			timeText(device.comm_ns) + " of communication hidden"),
		...stackOf(coloured(timeParts(device)), device.span_ns));
	return devices.length > 0 ? element : null;
}

function gapsSection(gaps) {
	const element = section("gaps", "GPU idle time");

	for (const row of gaps.rows.rows) {
		const device = valuesOf(gaps.rows, row);

		element.append(make("h3", {}, "GPU " + device.GPU +
			": busy " + percent(device.busy_ns, device.span_ns) +
			" of " + timeText(device.span_ns)),
		...stackOf(idleParts(device, gaps.causes), device.span_ns));
	}
	element.append(make("h3", {}, "Each GPU"), describedTable("GPUs",
		gaps.rows, {wholes: {}, lead: "GPU"}));
	if (gaps.places.rows.length > 0)
		element.append(make("h3", {}, "What the host did meanwhile"),
			describedTable("Places", gaps.places));
	return element;
}
