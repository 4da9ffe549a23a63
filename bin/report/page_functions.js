// SPDX-License-Identifier: MIT
// The functions: a table, and one of them with its callers and callees.

// Code of languages and systems, not of the program: C and C++ libraries, and
// Python's own files.
const SYSTEM_FILES = new RegExp("^(~$|<|/usr/(?!local/|src/)|/lib(32|64)?/|" +
	"built-in)|/lib/python[0-9.]+/(?!(site|dist)-packages/)|" +
	"/(ld-linux|libc|libm|libpthread|libstdc\\+\\+|libgcc_s)[-.0-9\\w]*\\.so");
const SYSTEM_NAMES = /^(std::|__gnu_cxx::|__libc_|_start$|_dl_|<built-in |<method )/;

function isSystem({kind, name, file}) {
	return kind === 0 && (SYSTEM_FILES.test(file) ||
		SYSTEM_NAMES.test(name));
}

function placeOf({file, line}) {
	return file + (line ? ":" + line : "");
}

// A row: the kind, 0 for host functions; scopes of the name; and cells.
function functionOf([kind, scopes, ...cells], tables) {
	const table = kind === 0 ? tables.host : tables.device;
	const [name, file, line] = cells[table.columns.findIndex((column) =>
		column.type === "name")];
	const row = {name, file, line, kind, scopes, cells,
		callers: [], callees: []};

	row.system = isSystem(row);
	row.time = valueOf(table, cells, kind === 0 ? "cumtime_ns"
		: "total_ns");
	return row;
}

function readFunctions(input) {
	const functions = input.functions.rows.map((row) =>
		functionOf(row, input.functions));

	// Calls without a caller have the caller -1.
	for (const [caller, callee, ...cells] of input.edges.rows) {
		const from = functions[caller] || null;
		const to = functions[callee];

		if (from)
			from.callees.push({row: to, cells});
		to.callers.push({row: from, cells});
	}
	return functions;
}

// The function in the address: its name, and its place if another has that name.
function keepFunction(functions, row) {
	const isShared = row && functions.some((other) => other !== row &&
		other.name === row.name);

	viewSet("functions.open", row && row.name);
	viewSet("functions.place", isShared ? placeOf(row) : null);
}

function keptFunction(functions) {
	const name = viewGet("functions.open");
	const place = viewGet("functions.place");

	return functions.find((row) => row.name === name &&
		(place === null || placeOf(row) === place)) || null;
}

function functionsTable(input, rows, open) {
	const {host, device} = input.functions;

	return describedTable("Functions", host, {
		rows, cells: (row) => row.cells, sort: "tottime_ns",
		wholes: {tottime_ns: input.total_ns,
			cumtime_ns: input.total_ns,
			device_ns: device ? sumBy(input.all.filter((row) =>
				row.kind !== 0), (row) => row.time) : 0},
		finder: rowFinder, open, omits: ["self %"],
		classOf: (row) => row.system ? "system" : null,
	});
}

// `nodesOf` has the frames of a function's graph, [] without one.
function functionsSection(input, functions, {find, nodesOf}) {
	let shown = null;
	const place = make("div", {"aria-live": "off"});
	const table = functionsTable({...input, all: functions},
		functions.filter((row) => row.kind === 0), open);
	const element = section("functions", "Functions",
		filterFor(table, "Filter functions (text or expression)"));

	function show(row) {
		shown = row ? sandwichOf({input, row, open, close, find,
			nodes: nodesOf(row), source: sourceOf(input.sources,
				functions.indexOf(row))}) : null;
		table.mark(row);
		place.replaceChildren(...shown ? [shown] : []);
		if (shown)
			shown.start();
	}

	function open(row) {
		keepFunction(functions, row);
		show(row);
		place.scrollIntoView({block: "nearest"});
		shown.focusTitle();
	}

	function close() {
		keepFunction(functions, null);
		show(null);
		table.focusMarked();
	}

	element.append(place, table);
	element.draw = () => shown && shown.draw();
	element.escape = () => shown && close();
	element.open = open;
	element.restore = () => {
		const filter = viewGet("functions.filter") || "";

		if (table.input.value !== filter) {
			table.input.value = filter;
			table.filter(filter);
		}
		show(keptFunction(functions));
	};
	table.input.addEventListener("change", () =>
		viewSet("functions.filter", table.input.value));
	return element;
}
