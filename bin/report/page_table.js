// SPDX-License-Identifier: MIT
// Sortable, filterable and expandable tables.

const ROWS_SHOWN = 40;
const collator = new Intl.Collator("en", {numeric: true});

// A column: title, sort value (value), shown text (text; default: the value),
// and the whole of a bar for shares. `hint` is its tooltip.
function classOf(column) {
	return column.isBrief ? "brief" : column.name ? "name" : "number";
}

function cellOf(column, row) {
	const value = column.value(row);
	const cell = make("td", {class: classOf(column)});

	if (column.cell)
		cell.append(...column.cell(row));
	else
		cell.append(column.text ? column.text(value, row) : value);
	if (column.whole > 0) {
		const share = Math.min(100, 100 * value / column.whole);

		cell.classList.add("bar");
		cell.style.setProperty("--share", share.toFixed(2) + "%");
	}
	return cell;
}

function compare(a, b) {
	if (typeof a === "string")
		return collator.compare(a, b);
	return a - b;
}

// The table of `rows`. `options`: label, columns, sort (a column's index; -1: the
// order of the rows),
// matches (row, text) for a filter, and the expanded contents of a row (more).
function tableOf(rows, options) {
	const columns = options.columns;
	const state = {sort: options.sort, down: true, text: "",
		shown: ROWS_SHOWN, open: null};
	const body = make("tbody");
	const pager = make("p", {class: "note pager", "aria-live": "polite"});
	const headers = columns.map((column, i) => make("th",
		{scope: "col", class: classOf(column)},
		make("button", {type: "button", title: column.hint,
			onclick: () => sortBy(i)}, column.title)));
	const table = make("table", {"aria-label": options.label},
		make("thead", {}, make("tr", {}, headers)), body);
	const element = make("div", {}, make("div", {class: "scroll"}, table),
		pager);

	function chosen() {
		const value = state.sort < 0 ? () => 0
			: columns[state.sort].value;
		const found = state.text === "" ? rows.slice()
			: rows.filter((row) =>
				options.matches(row, state.text));

		// Equal rows keep their order: most time first.
		found.sort((a, b) => (state.down ? -1 : 1) *
			compare(value(a), value(b)));
		return found;
	}

	function unfold(row) {
		state.open = state.open === row ? null : row;
		draw();
		const button = body.querySelector("button[aria-expanded=true]");

		if (button)
			button.focus();
	}

	function rowOf(row) {
		const cells = columns.map((column) => cellOf(column, row));
		const name = cells.find((cell) => cell.className === "name");

		if (options.more && name) {
			const button = make("button", {type: "button",
				"aria-expanded": String(state.open === row),
				onclick: () => unfold(row)}, name.firstChild);

			name.prepend(button);
		}
		return make("tr", {}, cells);
	}

	function draw() {
		const found = chosen();
		const drawn = found.slice(0, state.shown);

		headers.forEach((header, i) => {
			if (i === state.sort)
				header.setAttribute("aria-sort", state.down
					? "descending" : "ascending");
			else
				header.removeAttribute("aria-sort");
		});
		body.replaceChildren(...drawn.flatMap((row) =>
			row === state.open
				? [rowOf(row), make("tr", {class: "more"},
					make("td", {colspan: columns.length},
						options.more(row)))]
				: [rowOf(row)]));
		pager.hidden = drawn.length === rows.length;
		pager.replaceChildren(countText(drawn.length) + " of " +
			countText(found.length) + " shown ");
		if (drawn.length < found.length)
			pager.append(make("button", {type: "button",
				onclick: () => show(state.shown * 4)}, "More"),
			" ", make("button", {type: "button",
				onclick: () => show(Infinity)}, "All"));
	}

	function show(count) {
		state.shown = count;
		draw();
	}

	function sortBy(i) {
		state.down = state.sort === i ? !state.down : !columns[i].name;
		state.sort = i;
		draw();
	}

	element.filter = (text) => {
		state.text = text.toLowerCase();
		draw();
	};
	element.unfold = (row) => {
		element.input.value = "";
		state.text = "";
		state.open = options.more ? row : null;
		state.shown = Math.max(state.shown, chosen().indexOf(row) + 1);
		draw();
	};
	draw();
	return element;
}

function filterFor(table, label) {
	table.input = make("input", {type: "search", placeholder: label,
		"aria-label": label, spellcheck: "false",
		oninput: (event) => table.filter(event.target.value)});
	return table.input;
}

function nameOf(name) {
	return make("span", {title: name}, name);
}

function nameCell([name, file, line]) {
	const place = file + (line ? ":" + line : "");

	return file ? [nameOf(name), make("small", {title: place},
		shortPath(place))] : [nameOf(name)];
}

// Tables whose columns are described in the data, as those of ctprof's reports
// are. A row is an array of cells, or what options.cells takes for one.

const BRIEF = 20; // characters of a text that needs no room of its own

function cellText(column, value) {
	if (value == null)
		return column.type === "text" ? "" : "\u2013";
	if (typeof value === "string")
		return value;
	switch (column.type) {
	case "time":
		return timeText(value);
	case "change":
		return (value > 0 ? "+" : value < 0 ? "\u2212" : "") +
			timeText(Math.abs(value));
	case "percent":
		return percent(value, 100);
	case "bytes":
		return bytesText(value);
	case "count":
		return countText(value);
	case "real":
		return digits(value);
	case "rate":
		return scaled(value, 1000, ["", "k", "M", "G", "T", "P"]) +
			column.title;
	case "name":
		return value[0];
	default:
		return String(value);
	}
}

// A text in place of a number sorts as the number that it begins with.
function sortValue(column, value) {
	if (column.type === "name" || column.type === "text")
		return cellText(column, value);
	return typeof value === "string" ? parseFloat(value) || -1
		: value == null ? -1 : value;
}

function describedColumn(column, valueOf, rows, {wholes, lead}) {
	const isName = column.type === "name";
	const isLead = isName || column.title === lead;
	const isText = isName || column.type === "text";
	const isBrief = !isLead && column.type === "text" && rows.every(
		(row) => valueOf(row) == null || valueOf(row).length <= BRIEF);
	const text = (row) => cellText(column, valueOf(row));

	return {title: column.title.charAt(0).toUpperCase() +
			column.title.slice(1),
		key: column.key, hint: column.help,
		name: isText && !isBrief, isBrief, isFirst: isLead,
		whole: wholes ? wholes[column.key]
			: column.type === "percent" ? 100 : 0,
		value: (row) => sortValue(column, valueOf(row)),
		text: (_, row) => text(row),
		cell: isName ? (row) => nameCell(valueOf(row))
			: isText ? (row) => [nameOf(text(row))] : null};
}

// A row unfolds to a list, a table or a text of each further column.
function unfoldedValue(column, value) {
	if (column.type === "list")
		return column.columns ? describedTable(column.title,
			{...column, rows: value}) : value.join(", ");
	const text = cellText(column, value);

	return text.includes("\n") ? make("pre", {}, text) : text;
}

function unfolded(columns, row) {
	const titles = new Set(columns.map((column) =>
		!column.more && column.title.toLowerCase()));

	return make("dl", {class: "facts"}, columns.flatMap((column, i) =>
		column.more && column.type !== "object" && row[i] != null &&
			row[i] !== "" && row[i].length !== 0 &&
			!titles.has(column.title)
			? [make("dt", {title: column.help},
				column.title.replace(/_ns$/, "")
					.replaceAll("_", " ")),
			make("dd", {}, unfoldedValue(column, row[i]))] : []));
}

// Columns without values, or if asked with zeros only, are omitted; names come
// first. `options` beside those of tableOf(): rows (default: the table's), cells
// of a row, columns before the table's, the title of the text that comes first
// (lead), and the key of the column to sort by. `wholes` has the whole of bars
// by key; by default percents have bars.
function describedTable(label, table, options = {}) {
	const {rows = table.rows, cells = (row) => row, before = []} = options;
	const shown = table.columns.map((column, i) =>
		!column.more && rows.some((row) => cells(row)[i] != null &&
			!(options.omitsZeros && cells(row)[i] === 0)) &&
			describedColumn(column, (row) => cells(row)[i], rows,
				options))
		.filter((column) => column)
		.sort((a, b) => b.isFirst - a.isFirst);
	const columns = [...before, ...shown];
	const more = table.columns.some((column) => column.more)
		? (row) => unfolded(table.columns, cells(row)) : null;

	return tableOf(rows, {more, ...options, label, columns,
		sort: options.sort ? columns.findIndex((column) =>
			column.key === options.sort) : -1});
}

// The row as an object.
function valuesOf(table, row) {
	return Object.fromEntries(table.columns.map((column, i) =>
		[column.key || column.title, row[i]]));
}

function sumOf(table, cells, key) {
	const at = table.columns.findIndex((column) => column.key === key);

	return cells.reduce((sum, row) => sum + row[at], 0);
}

function matchesRow(row, text) {
	return row.name.toLowerCase().includes(text) ||
		row.file.toLowerCase().includes(text);
}
