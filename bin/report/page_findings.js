// SPDX-License-Identifier: MIT
// The findings, which open the page: sentences with a share, a cure, and a link
// to the section that has the details.

const FINDINGS_MAX = 7;

// Findings without a share come first, then the largest.
function compareFindings([left], [right]) {
	return left === null || right === null
		? (left === null ? 0 : 1) - (right === null ? 0 : 1)
		: right - left;
}

// The function that a finding names in quotes, if the page has it; the longest,
// because a name may have quotes.
function findingFunction(text, functions) {
	return functions.filter(({kind, name}) => kind === 0 && name !== "" &&
		text.includes("'" + name + "'")).sort((left, right) =>
		right.name.length - left.name.length)[0] || null;
}

function findingLinks(text, section, parts, functions) {
	const part = parts.find(({id}) => id === section);
	const row = parts.some(({id}) => id === "functions")
		? findingFunction(text, functions) : null;

	return [
		part && make("a", {href: "#" + section},
			"See " + part.querySelector("h2").textContent),
		part && row && " \u00b7 ",
		row && make("a", {href: "#functions?" + new URLSearchParams(
			{"functions.open": row.name, "functions.place": ""})},
		"See " + clipped(row.name, 60)),
	].filter((link) => link);
}

function findingOf([share_ppm, text, cure, section], parts, functions) {
	return make("li", {class: share_ppm === null ? "bad" : ""},
		make("span", {class: "share"}, share_ppm === null ? "!"
			: percent(share_ppm, 1e6)),
		make("div", {}, make("p", {}, text),
			make("p", {class: "note"}, "Cure: " + cure + ". ",
				findingLinks(text, section, parts, functions))));
}

function findingsSection(input, others, parts, functions) {
	const element = section("findings", "Findings");
	const rows = [...input.findings, ...others].sort(compareFindings)
		.slice(0, FINDINGS_MAX);

	element.append(rows.length > 0
		? make("ol", {class: "findings"},
			rows.map((row) => findingOf(row, parts, functions)))
		: make("p", {class: "box"}, "No findings."));
	return element;
}
