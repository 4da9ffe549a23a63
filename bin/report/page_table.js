// SPDX-License-Identifier: MIT
// Sortable, filterable and expandable tables.

const ROWS_SHOWN = 40;
const collator = new Intl.Collator("en", {numeric: true});

// A column: title, sort value (value), shown text (text; default: the value), and
// the whole of a bar for shares, which has a cell of its own. The value of a column
// that isShare is already in per cent. `hint` is its tooltip.
function classOf(column) {
	return column.isBrief ? "brief" : column.name ? "name" : "number";
}

function shareCell(column, value) {
	const share = Math.min(100, Math.max(0, 100 * value / column.whole));
	const bar = make("i");

	bar.style.width = share.toFixed(2) + "%";
	return make("td", {class: "share"}, make("div", {}, column.isShare ? null
		: make("span", {}, value < 0 ? ""
			: percent(value, column.whole)),
	make("b", {"aria-hidden": "true"}, bar)));
}

function cellsOf(column, row) {
	const value = column.value(row);
	const cell = make("td", {class: classOf(column)});

	if (column.cell)
		cell.append(...column.cell(row));
	else
		cell.append(column.text ? column.text(value, row) : value);
	return column.whole > 0 ? [cell, shareCell(column, value)] : [cell];
}

function compare(a, b) {
	if (typeof a === "string")
		return collator.compare(a, b);
	return a - b;
}

// The table of `rows`. `options`: label, columns, sort (a column's index; -1: the
// order of the rows), and the number of rows shown at first (most).
// The filter is matches (row, text), or finder (text) that makes the predicate. A
// row has a class (classOf). A click on its name shows more (row) below it, or
// calls open (row).
function tableOf(rows, options) {
	const columns = options.columns;
	const state = {sort: options.sort, down: true, text: "",
		shown: options.most || ROWS_SHOWN, open: null, marked: null};
	const width = columns.length +
		columns.filter((column) => column.whole > 0).length;
	const body = make("tbody");
	const pager = make("p", {class: "note pager", "aria-live": "polite"});
	const headers = columns.map((column, i) => make("th",
		{scope: "col", class: classOf(column),
			colspan: column.whole > 0 ? 2 : null},
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
			: rows.filter(options.finder ? options.finder(state.text)
				: (row) => options.matches(row,
					state.text.toLowerCase()));

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
		const cells = columns.flatMap((column) => cellsOf(column, row));
		const name = cells.find((cell) => cell.className === "name");

		if ((options.more || options.open) && name) {
			const button = make("button", {type: "button",
				"aria-expanded": options.more
					? String(state.open === row) : null,
				onclick: () => options.open ? options.open(row)
					: unfold(row)}, name.firstChild);

			name.prepend(button);
		}
		return make("tr", {class: options.classOf && options.classOf(row),
			"aria-current": row === state.marked ? "true" : null},
		cells);
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
					make("td", {colspan: width},
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
		state.text = text;
		draw();
	};
	element.mark = (row) => {
		state.marked = row;
		draw();
	};
	element.focusMarked = () => {
		const button = body.querySelector("[aria-current] button") ||
			body.querySelector("button");

		if (button)
			button.focus();
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
		isShare: column.type === "percent",
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
// of a row, columns before and after the table's, and the key of the column to sort
// by. `lead` is the title of the text that comes first. `omits` has the columns to
// leave out, by key or title. `wholes` has the whole of bars
// by key; by default percents have bars.
function describedTable(label, table, options = {}) {
	const {rows = table.rows, cells = (row) => row, before = [],
		after = [], omits = []} = options;
	const shown = table.columns.map((column, i) =>
		!column.more && !omits.includes(column.key || column.title) &&
			rows.some((row) => cells(row)[i] != null &&
			!(options.omitsZeros && cells(row)[i] === 0)) &&
			describedColumn(column, (row) => cells(row)[i], rows,
				options))
		.filter((column) => column)
		.sort((a, b) => b.isFirst - a.isFirst);
	const columns = [...before, ...shown, ...after];
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

// The value of a cell; undefined without such a column.
function valueOf(table, cells, key) {
	return cells[table.columns.findIndex((column) => column.key === key)];
}

// The predicate of functions whose name or place matches a text or expression.
function rowFinder(text) {
	const matches = matcherOf(text);

	return (row) => matches(row.name) ||
		matches(row.file + (row.line ? ":" + row.line : ""));
}
