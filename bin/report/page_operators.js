// SPDX-License-Identifier: MIT
// Operators by shape, and the parts of kernels' names that tell them apart.

// Nothing without operators that launched kernels.
function operatorsSection(input) {
	const table = input.operators;

	if (!table || table.rows.length === 0)
		return null;
	const at = table.columns.findIndex((column) => column.type === "name");
	const made = describedTable("Operators", table, {sort: "total_ns",
		wholes: {total_ns: sumOf(table, table.rows, "total_ns")},
		matches: (row, text) => row[at].some((words) =>
			String(words).toLowerCase().includes(text))});
	const element = section("operators", "Operators on GPUs",
		filterFor(made, "Filter operators"));

	element.append(made);
	if (input.operators_hidden)
		element.append(make("p", {class: "note"}, countText(
			input.operators_hidden) + " more are not shown."));
	return element;
}

// The words of a kernel's name: those between signs of C++ and "_".
function nameWords(name) {
	return name.match(/[A-Za-z0-9]+/g) || [];
}

const COMMON_SHARE = 0.3;   // of the names: words in more are not shown first
const LEADING_WORDS = 6;
const LONG_NAME = 48;       // characters

// The distinguishing words of each name: those that few names have, in their order.
// Short names do without.
function distinguish(names) {
	const counts = new Map();

	for (const name of names)
		for (const word of new Set(nameWords(name)))
			counts.set(word, (counts.get(word) || 0) + 1);
	const most = Math.max(1, names.length * COMMON_SHARE);

	return names.map((name) => {
		if (name.length <= LONG_NAME)
			return "";
		const rare = [...new Set(nameWords(name))].filter((word) =>
			counts.get(word) <= most && !/^\d$/.test(word));

		// The rarest ones, but in the order of the name.
		const chosen = new Set(rare.slice().sort((a, b) =>
			counts.get(a) - counts.get(b) || b.length - a.length)
			.slice(0, LEADING_WORDS));

		return rare.filter((word) => chosen.has(word)).join(" ");
	});
}
