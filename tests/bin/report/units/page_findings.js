// SPDX-License-Identifier: MIT
const named = (name, kind = 0) => ({kind, name});
const found = (text, ...rows) => (findingFunction(text, rows) ||
	{name: null}).name;

equal("a finding without a name", found("GPU 0 was idle", named("GPU")), null);
equal("a name in quotes", found("'leaf' takes 9 %", named("main"),
	named("leaf")), "leaf");
equal("the longest", found("'a' and 'b' ran", named("a"), named("a' and 'b")),
	"a' and 'b");
equal("a kernel has no place", found("'k' is slow", named("k", 1)), null);
const all = [named("leaf <&>#=")];
const flame = section("flame", "Flame");
const place = section("functions", "Functions");
const hrefs = (parts) => findingLinks("'leaf <&>#=' takes 9 %", "flame", parts,
	all).filter((link) => link.getAttribute).map((link) =>
	link.getAttribute("href"));

equal("links", hrefs([flame, place]), ["#flame",
	"#functions?functions.open=leaf+%3C%26%3E%23%3D&functions.place="]);
equal("a section that is missing", hrefs([]), []);
