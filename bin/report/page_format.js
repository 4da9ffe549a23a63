// SPDX-License-Identifier: MIT
// Numbers, colors and elements, for all parts of the page.

const grouped = new Intl.NumberFormat("en-US");

function countText(count) {
	return grouped.format(count);
}

function countOf(count, one, many) {
	return countText(count) + " " + (count === 1 ? one : many || one + "s");
}

// Three significant digits, even after rounding.
function digits(value) {
	return value >= 99.95 ? value.toFixed(0)
		: value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

function scaled(value, step, units) {
	let unit = 0;

	while (unit < units.length - 1 && value >= step * 0.9995) {
		value /= step;
		unit++;
	}
	return (Number.isInteger(value) && unit === 0 ? countText(value)
		: digits(value)) + " " + units[unit];
}

function timeText(ns) {
	if (Math.abs(ns) < 999.5e6)
		return scaled(ns, 1000, ["ns", "\u00b5s", "ms"]);
	return ns < 100e9 ? digits(ns / 1e9) + " s"
		: countText(Math.round(ns / 1e9)) + " s";
}

function bytesText(bytes) {
	return scaled(bytes, 1000, ["B", "kB", "MB", "GB", "TB", "PB"]);
}

function percent(part, whole) {
	const share = whole > 0 ? 100 * part / whole : 0;

	return share > 0 && share < 0.05 ? "<0.1 %" : share.toFixed(1) + " %";
}

function clipped(text, most) {
	return text.length <= most ? text : text.slice(0, most - 1) + "\u2026";
}

// The last part of a path, and the last three.
function baseName(path) {
	return path.slice(path.lastIndexOf("/") + 1) || path;
}

function shortPath(path) {
	const parts = path.split("/");

	return parts.length <= 4 ? path
		: "\u2026/" + parts.slice(-3).join("/");
}

// Makes an element: attributes, including "class" and "on...", then children;
// strings become text.
function make(tag, attributes, ...children) {
	const element = document.createElement(tag);

	for (const [name, value] of Object.entries(attributes || {}))
		if (name.startsWith("on"))
			element.addEventListener(name.slice(2), value);
		else if (value === true)
			element.setAttribute(name, "");
		else if (value !== false && value != null)
			element.setAttribute(name, value);
	element.append(...children.flat().filter((child) => child != null));
	return element;
}

function section(id, title, ...tools) {
	return make("section", {id, "aria-labelledby": id + "-title"},
		make("div", {class: "head"},
			make("h2", {id: id + "-title"}, title), ...tools));
}

function style(name) {
	return getComputedStyle(document.documentElement)
		.getPropertyValue(name).trim();
}

// A text has the same color on every page: one of 12 hues. FNV-1a.
function hueOf(text) {
	let hash = 0x811c9dc5;

	for (let i = 0; i < text.length; i++)
		hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
	return (hash >>> 8) % 12 * 30;
}

function colours() {
	const colour = style("--frame-colour");
	const light = style("--frame-light");

	return (hue) => "hsl(" + hue + " " + colour + " " + light + ")";
}

// The origin of a function: its file, or the prefix of its name. All device
// functions have one.
function moduleOf(row) {
	if (row.kind !== 0)
		return row.name;
	return row.file || row.name.split(/::|[.(<\s]/, 1)[0];
}

const tip = document.getElementById("tip");

function showTip(event, ...lines) {
	tip.replaceChildren(...lines.map((line) => make("div", {}, line)));
	tip.hidden = false;
	const box = tip.getBoundingClientRect();
	const left = Math.min(event.clientX + 14, innerWidth - box.width - 6);
	const below = event.clientY + 18;

	tip.style.left = Math.max(4, left) + "px";
	tip.style.top = (below + box.height > innerHeight
		? event.clientY - box.height - 10 : below) + "px";
}

function hideTip() {
	tip.hidden = true;
}

// A canvas of its element's size in device pixels.
function prepare(canvas, width, height) {
	const ratio = window.devicePixelRatio || 1;
	const context = canvas.getContext("2d");

	canvas.width = Math.max(1, Math.round(width * ratio));
	canvas.height = Math.max(1, Math.round(height * ratio));
	canvas.style.width = width + "px";
	canvas.style.height = height + "px";
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	return context;
}
