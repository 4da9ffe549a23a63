// SPDX-License-Identifier: MIT
// Sortable, filterable and expandable tables.

const ROWS_SHOWN = 40;

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
		return a < b ? -1 : a > b ? 1 : 0;
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
		state.open = row;
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

// For rows with a name, a file and a line.
function nameOf(name) {
	return make("span", {title: name}, name);
}

function nameCell(row) {
	const line = row.line ? ":" + row.line : "";

	if (!row.file)
		return [nameOf(row.name)];
	return [nameOf(row.name), make("small", {title: row.file + line},
		shortPath(row.file) + line)];
}

function matchesRow(row, text) {
	return row.name.toLowerCase().includes(text) ||
		row.file.toLowerCase().includes(text);
}

const NAME = {title: "Function", name: true, value: (row) => row.name,
	cell: nameCell};
