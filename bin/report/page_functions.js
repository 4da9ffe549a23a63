// SPDX-License-Identifier: MIT
// The functions, with their callers and callees.

// A row: the kind, 0 for host functions; scopes of the name; and cells.
function functionOf([kind, scopes, ...cells], tables) {
	const table = kind === 0 ? tables.host : tables.device;
	const [name, file, line] = cells[table.columns.findIndex((column) =>
		column.type === "name")];

	return {name, file, line, kind, scopes, cells,
		callers: [], callees: []};
}

function readFunctions(input) {
	const functions = input.functions.rows.map((row) =>
		functionOf(row, input.functions));

	for (const [caller, callee, ...cells] of input.edges.rows) {
		const from = functions[caller];
		const to = functions[callee];

		from.callees.push({row: to, cells});
		to.callers.push({row: from, cells});
	}
	return functions;
}

function relatives(title, edges, list, open) {
	const rows = list.filter((edge) => edge.row.kind === 0 ||
		sumOf(edges, [edge.cells], "cumtime_ns") > 0);

	if (rows.length === 0)
		return make("div", {}, make("h3", {}, title),
			make("p", {class: "note"}, "None is shown here."));
	return make("div", {}, make("h3", {}, title), describedTable(title,
		edges, {rows, cells: (edge) => edge.cells, sort: "cumtime_ns",
			before: [{title: "Function", name: true,
				value: (edge) => edge.row.name,
				cell: (edge) => [make("button", {
					type: "button",
					onclick: () => open(edge.row),
				}, make("span", {}, edge.row.name))]}]}));
}

function functionsSection(input, functions, find) {
	const {host, device} = input.functions;
	const device_ns = device ? sumOf(device, functions.filter((row) =>
		row.kind !== 0).map((row) => row.cells), "total_ns") : 0;
	const table = describedTable("Functions", host, {
		rows: functions.filter((row) => row.kind === 0),
		cells: (row) => row.cells, sort: "cumtime_ns",
		wholes: {tottime_ns: input.total_ns,
			cumtime_ns: input.total_ns, device_ns},
		matches: matchesRow,
		more: (row) => make("div", {}, find && make("p", {},
			make("button", {type: "button",
				onclick: () => find(row.name)},
			"Find in the flame graph")), make("div",
			{class: "pair"},
			relatives("Called by", input.edges, row.callers,
				table_open),
			relatives("Calls", input.edges, row.callees,
				table_open))),
	});

	function table_open(row) {
		if (row.kind === 0)
			table.unfold(row);
	}

	const element = section("functions", "Functions",
		filterFor(table, "Filter functions"));

	element.append(table);
	return element;
}
