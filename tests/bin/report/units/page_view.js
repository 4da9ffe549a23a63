// SPDX-License-Identifier: MIT
equal("no view", viewOf(""), {section: "", values: {}});
equal("a section", viewOf("#flame").section, "flame");
equal("values", [...viewOf("#a?x=1&y=%26%3D").values],
	[["x", "1"], ["y", "&="]]);
viewSet("flame.zoom", "a::b<c> & d?#");
equal("a value with all signs", viewGet("flame.zoom"), "a::b<c> & d?#");
viewSet("other", "2");
equal("another value stays", viewGet("flame.zoom"), "a::b<c> & d?#");
viewSet("flame.zoom", null);
equal("removed", [viewGet("flame.zoom"), viewGet("other")], [null, "2"]);
equal("a hash that is not an address", viewOf("#%zz?%").section, "%zz");
equal("a link keeps the values", viewLink("#a?a.x=1&b.y=2", "#b"),
	"#b?a.x=1&b.y=2");
equal("a link's values win", viewLink("#a?b.y=2", "#b?b.y=%26&c=3"),
	"#b?b.y=%26&c=3");
equal("an empty value of a link removes", viewLink("#a?x=1&y=2", "#b?x="),
	"#b?y=2");
equal("a link from a page without values", viewLink("", "#b"), "#b");
history.replaceState(null, "", "#a?page.theme=dark&flame.at=3&x=1");
viewForget();
equal("only the page's values stay", location.hash, "#a?page.theme=dark");
equal("the first section", viewCurrent([100, 300], 50, 900, false, -1), 0);
equal("the last above the line",
	viewCurrent([-300, 40, 60], 50, 900, false, 0), 1);
equal("the end of the page", viewCurrent([-300, 400, 600], 50, 900, true, -1), 2);
equal("the wanted one at the end",
	viewCurrent([-300, 400, 600], 50, 900, true, 1), 1);
equal("a wanted one above the screen",
	viewCurrent([-300, 400, 600], 50, 900, true, 0), 2);
