// SPDX-License-Identifier: MIT
// Compilations: the tables of `ctprof compilations`.

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
			describedTable(title, table));
		if (hidden)
			element.append(make("p", {class: "note"},
				countText(hidden) + " more are shown by " +
				"\u201cctprof compilations\u201d."));
	}
	return element;
}
