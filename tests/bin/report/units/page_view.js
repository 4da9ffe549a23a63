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
