// SPDX-License-Identifier: MIT
// Compilations: the tables of `ctprof compilations`, whose columns
// are described in the data.

const BRIEF = 20; // characters of a text that needs no room of its own

const COMPILE_TABLES = [
	["compilations", "Each compilation"],
	["graph_breaks", "Graph breaks"],
	["recompilations", "Compiled again"],
	["functions", "Functions that were traced"],
	["take_out", "Most worth taking out of the compiled region"],
];
const COMPILE_TOTALS = [
	["compilation_count", "Compilations", countText],
	["recompilation_count", "Recompilations", countText],
	["total_ns", "Time", timeText],
	["dynamo_ns", "Dynamo", timeText],
	["aot_autograd_ns", "AOTAutograd", timeText],
	["inductor_ns", "Inductor", timeText],
	["front_end_ns", "Front ends", timeText],
	["optimizer_ns", "Optimizers", timeText],
	["code_ns", "Code generation", timeText],
	["host_ns", "Host compilers", timeText],
	["linker_ns", "Linking", timeText],
	["waiting_ns", "Waiting for compilers", timeText],
	["restarts_ns", "Lost in restarts", timeText],
	["cache_miss_ns", "Cost of cache misses", timeText],
	["cache_saved_ns", "Saved by cache hits", timeText],
	["function_count", "Functions traced", countText],
];

function cellText(type, value) {
	if (value == null)
		return "";
	switch (type) {
	case "time":
		return timeText(value);
	case "percent":
		return value.toFixed(1) + " %";
	case "bytes":
		return bytesText(value);
	case "count":
		return countText(value);
	case "name":
		return VISIBLE.test(value[0]) ? value[0] : "(no name)";
	default:
		return String(value);
	}
}

function describedColumn(column, i, rows) {
	const isText = ["name", "text"].includes(column.type);
	const isBrief = column.type === "text" && rows.every((row) =>
		row[i] == null || row[i].length <= BRIEF);
	const title = column.title.charAt(0).toUpperCase() +
		column.title.slice(1);

	return {title, hint: column.help, name: isText && !isBrief,
		isBrief, isFirst: column.type === "name",
		whole: column.type === "percent" ? 100 : 0,
		value: (row) => isText ? cellText(column.type, row[i])
			: row[i] == null ? -1 : row[i],
		text: (_, row) => cellText(column.type, row[i]),
		cell: column.type !== "name" ? isText
			? (row) => [nameOf(cellText("text", row[i]))] : null
			: (row) => nameCell({name: cellText("name", row[i]),
				file: row[i][1], line: row[i][2]})};
}

// A row unfolds to a list, a table or a text of each further column.
function unfoldedValue(column, value) {
	if (column.type === "list")
		return column.columns ? describedTable(column.title, column,
			value) : value.join(", ");
	const text = cellText(column.type, value);

	return text.includes("\n") ? make("pre", {}, text) : text;
}

function unfolded(columns, row) {
	return make("dl", {class: "facts"}, columns.flatMap((column, i) =>
		column.more && row[i] != null && row[i] !== "" &&
			row[i].length !== 0
			? [make("dt", {title: column.help},
				column.title.replace(/_ns$/, "")
					.replaceAll("_", " ")),
			make("dd", {}, unfoldedValue(column, row[i]))] : []));
}

// Columns without values are omitted; names come first.
function describedTable(label, table, rows) {
	const shown = table.columns.map((column, i) =>
		!column.more && rows.some((row) => row[i] != null) &&
			describedColumn(column, i, rows))
		.filter((column) => column)
		.sort((a, b) => b.isFirst - a.isFirst);

	return tableOf(rows, {label, columns: shown, sort: -1,
		more: table.columns.some((column) => column.more)
			? (row) => unfolded(table.columns, row) : null});
}

function compileSection(compile) {
	const element = section("compile", "Compilations");

	element.append(cards(COMPILE_TOTALS.map(([key, title, text]) =>
		compile[key] > 0 && [title, text(compile[key])])));
	for (const [key, title] of COMPILE_TABLES) {
		const table = compile[key];
		const hidden = compile[key + "_hidden"];

		if (!table || table.rows.length === 0)
			continue;
		element.append(make("h3", {title: table.help}, title),
			describedTable(title, table, table.rows));
		if (hidden)
			element.append(make("p", {class: "note"},
				countText(hidden) + " more are shown by " +
				"\u201cctprof compilations\u201d."));
	}
	return element;
}
