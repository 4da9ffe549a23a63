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

function findingOf([share_ppm, text, cure, section], parts) {
	const part = parts.find(({id}) => id === section);

	return make("li", {class: share_ppm === null ? "bad" : ""},
		make("span", {class: "share"}, share_ppm === null ? "!"
			: percent(share_ppm, 1e6)),
		make("div", {}, make("p", {}, text),
			make("p", {class: "note"}, "Cure: " + cure + ". ",
				part ? make("a", {href: "#" + section}, "See " +
					part.querySelector("h2").textContent)
					: "")));
}

function findingsSection(input, others, parts) {
	const element = section("findings", "Findings");
	const rows = [...input.findings, ...others].sort(compareFindings)
		.slice(0, FINDINGS_MAX);

	element.append(rows.length > 0
		? make("ol", {class: "findings"},
			rows.map((row) => findingOf(row, parts)))
		: make("p", {class: "box"}, "No findings."));
	return element;
}
