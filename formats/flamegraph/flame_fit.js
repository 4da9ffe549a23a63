// SPDX-License-Identifier: MIT
// fitName(name, scopes, columns): a function's name, shortened to columns of a
// fixed-width font, like function_name_add_fit(). `scopes` are the parts of its
// short name, ["a::", "b::", "f"], or empty for a name that is only truncated.
const MORE = "\u2026";

// Letters of other scripts may take two columns.
function columnsOf(text) {
	let columns = 0;
	for (const sign of text)
		columns += sign.codePointAt(0) < 0x590 ? 1 : 2;
	return columns;
}

function truncate(text, columns) {
	let kept = "";
	for (const sign of text) {
		columns -= columnsOf(sign);
		if (columns < 0)
			return kept.slice(0, -1) + MORE;
		kept += sign;
	}
	return kept;
}

function fitName(name, scopes, columns) {
	if (columnsOf(name) <= columns || scopes.length === 0)
		return truncate(name, columns);
	for (let i = 0; i < scopes.length; i++) {
		const front = i > 0 ? MORE : "";
		const text = scopes.slice(i).join("");
		if (columnsOf(text) + front.length <= columns)
			return front + text;
	}
	return truncate(scopes[scopes.length - 1], columns);
}
