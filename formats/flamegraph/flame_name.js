// SPDX-License-Identifier: MIT
// fitName(name, room): the part of a function's name that is shown in `room` characters
// of a fixed-width font, by the same rules as in name_fit.c. Names of C++ lose
// their parameters and template arguments before they are cut, and then the
// scopes around them: the rest still distinguishes functions.
const fitName = (() => {
const MORE = "\u2026";
const CLOSE = {"(": ")", "[": "]", "{": "}", "<": ">"};
const OPERATOR = new RegExp("^operator(?:\\(\\)|\\[\\]|->\\*?|<=>|<<=?|>>=?|" +
	"[<>=!+\\-*/%^&|]=|&&|\\|\\||\\+\\+|--|[-+*/%^&|~!=<>,]| [^(]+)");
// The suffix of a name, " (a.rs:3)" or " #2", but not a declarator.
const PLACE = /^ (?:#|\((?!anonymous namespace\)|[^()<]*[*&]))/;
// The prefix of a function that replaces another.
const PREFIX = new RegExp("^(?:non-virtual |virtual |covariant return )thunk to |" +
	"^(?:non-)?transaction clone for |^TLS (?:init|wrapper) function for |^");
const briefs = new Map();

// Letters of other scripts may take two places.
function placesOf(text) {
	let places = 0;
	for (const sign of text)
		places += sign.codePointAt(0) < 0x590 ? 1 : 2;
	return places;
}

function cut(text, room) {
	let kept = "";
	for (const sign of text) {
		room -= placesOf(sign);
		if (room < 0)
			return kept.slice(0, -1) + MORE;
		kept += sign;
	}
	return kept;
}

// Behind the bracket that closes the one here.
function skip(text, at) {
	const open = text[at];
	let depth = 0;
	for (; at < text.length; at++)
		if (open === "<" && "({".includes(text[at]))
			at = skip(text, at) - 1;
		else if (text[at] === open)
			depth++;
		else if (text[at] === CLOSE[open] &&
			!(open === "<" && text[at - 1] === "-") && --depth === 0)
			return at + 1;
	return at;
}

function makeBrief(name) {
	const anonymous = "(anonymous namespace)";
	const before = PREFIX.exec(name)[0];
	let text = "";
	for (let at = before.length; at < name.length;) {
		const rest = name.slice(at);
		const operator = /[\w$]$/.test(text) ? null : OPERATOR.exec(rest);
		let to = at + 1;
		if (operator)
			to = at + operator[0].length;
		else if (rest.startsWith(anonymous))
			to = at + anonymous.length;
		else if ("<({".includes(name[at]))
			to = skip(name, at);
		const taken = name.slice(at, to);
		at = to;
		if (operator || taken === anonymous || taken[0] === "{" ||
			taken[0] === "<" && (text === "" ||
				/^<(?:impl |lambda)/.test(taken)))
			(text += taken, at += operator && name.startsWith(" <", at));
		else if (taken[0] === "<" && text.endsWith("::") && text !== "::")
			text = text.slice(0, -2);
		else if (taken[0] === "(" && text !== "") {
			const around = /^(?: const| volatile| ?&&?)*(?=::)/.exec(
				name.slice(at));
			if (!around)
				break;
			at += around[0].length;
		} else if (taken === " " && (/^ \[clone/.test(rest) || text !== "" &&
			!text.endsWith("decltype") && PLACE.test(rest)))
			break;
		else if (taken === " " && !text.endsWith(":"))
			text = "";
		else if (taken[0] !== "(" && taken[0] !== "<")
			text += taken;
	}
	return text ? before + text : name;
}

function briefOf(name) {
	if (!briefs.has(name))
		briefs.set(name, makeBrief(name));
	return briefs.get(name);
}

// Behind the first scope; 0 if there is none.
function behindScope(text) {
	for (let at = 0; at < text.length;)
		if ("({[".includes(text[at]) || at === 0 && text[at] === "<")
			at = skip(text, at);
		else if (text.startsWith("::", at))
			return at + 2;
		else if (text.startsWith("operator ", at) &&
			!/[\w$]/.test(text.charAt(at - 1)))
			return 0;
		else
			at++;
	return 0;
}

// Is it no phrase, nor something that is done with a function?
function hasScopes(name) {
	let outside = "";
	if (!name.includes("::") || /^[A-Z][A-Za-z]* /.test(name))
		return false;
	for (let at = 0; at < name.length;) {
		outside += name[at];
		at = "(<{[".includes(name[at]) ? skip(name, at) : at + 1;
	}
	return !/(?:^|[^:]) (?!#)/.test(outside) || outside.includes("(");
}

return (name, room) => {
	if (placesOf(name) <= room || !hasScopes(name))
		return cut(name, room);
	let text = briefOf(name);
	let front = "";
	while (placesOf(text) + front.length > room) {
		const inner = behindScope(text);
		if (inner === 0)
			return cut(text, room);
		text = text.slice(inner);
		front = MORE;
	}
	return front + text;
};
})();
