// SPDX-License-Identifier: MIT
// What the page shows, in location.hash, so that a link opens the same place:
// "#SECTION?key=value&key=value". A section's keys begin with its id and a dot.

function viewOf(hash) {
	const at = hash.indexOf("?");

	return {section: hash.slice(1, at < 0 ? undefined : at),
		values: new URLSearchParams(at < 0 ? "" : hash.slice(at + 1))};
}

// The value of a key, or null.
function viewGet(key) {
	return viewOf(location.hash).values.get(key);
}

// Keeps a value in the address; "" and null remove it.
function viewSet(key, value) {
	const {section, values} = viewOf(location.hash);

	if (value == null || value === "")
		values.delete(key);
	else
		values.set(key, value);
	const text = String(values);

	history.replaceState(null, "", "#" + section +
		(text ? "?" + text : ""));
}

// The address of a link's place within this view: the link's values replace
// those of the view, "" removes one, and the others stay.
function viewLink(hash, link) {
	const {values} = viewOf(hash);
	const target = viewOf(link);

	target.values.forEach((value, key) => value === ""
		? values.delete(key) : values.set(key, value));
	const text = String(values);

	return "#" + target.section + (text ? "?" + text : "");
}

// Removes the values of sections, which are of one input.
function viewForget() {
	for (const key of [...viewOf(location.hash).values.keys()])
		if (!key.startsWith("page."))
			viewSet(key, null);
}

// The number of the section that a reader sees: the last one that begins above
// the line. At the end of the page it is the wanted one, if visible: the last
// sections may be too short to reach the line.
function viewCurrent(tops, line, height, isEnd, wanted) {
	if (isEnd && tops[wanted] >= 0 && tops[wanted] < height)
		return wanted;
	if (isEnd)
		return tops.length - 1;
	return Math.max(0, tops.filter((top) => top <= line).length - 1);
}
