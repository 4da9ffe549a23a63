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
