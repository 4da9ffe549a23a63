// SPDX-License-Identifier: MIT
// Builds the page from its embedded data.

// Characters to escape, as in utf8_add_printable(): control characters and
// those that change the direction of text.
const UNSAFE = new RegExp("[\\0-\\x08\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f" +
	"\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]", "g");

function safeText(text) {
	return text.replace(UNSAFE, (unsafe) => "\\u" +
		unsafe.charCodeAt(0).toString(16).padStart(4, "0"));
}

const data = JSON.parse(document.getElementById("data").textContent,
	(key, value) => typeof value === "string" ? safeText(value) : value);
const main = document.getElementById("main");

let parts = [];
let shown = null; // the input

function redraw() {
	document.getElementById("theme").setAttribute("aria-pressed",
		String(isDark()));
	parts.forEach((part) => part.draw && part.draw());
}

function showInput(input) {
	shown = input;
	const functions = readFunctions(input);
	const kernels = functions.filter((row) => row.kind !== 0);
	const flame = input.files > 0 && !hasPaths(input) ? null
		: flameSection(input, functions);
	const find = (text) => flame && flame.find && flame.find(text);

	document.getElementById("title").textContent = baseName(input.name);
	document.getElementById("subtitle").textContent =
		(input.start ? "Recorded " + input.start : "Recorded at an " +
			"unknown time") + " \u00b7 format " + input.format +
		(baseName(input.name) !== input.name
			? " \u00b7 " + input.name : "");
	parts = [
		...data.diff ? changeSections(data.diff) : [],
		data.compile ? compileSection(data.compile) : null,
		summaryOf(input),
		input.timeline && input.timeline.lanes.length > 0
			? timelineOf(input, functions, find) : null,
		...ranksSections(input),
		flame,
		functions.length > kernels.length
			? functionsSection(input, functions, {
				find: flame && flame.find && find, nodesOf: (row) =>
					flame ? flame.nodesOf(row) : []}) : null,
		kernels.length > 0
			? kernelsSection(input, kernels) : null,
		operatorsSection(input),
		...input.gaps ? [overlapSection(input.gaps),
			gapsSection(input.gaps)] : [],
		memorySection(input),
	].filter((part) => part);
	parts.unshift(findingsSection(input, [...data.diff ? data.diff.findings : [],
		...data.findings || []], parts, functions));
	main.replaceChildren(...parts);
	document.getElementById("nav").replaceChildren(...parts.map((part) =>
		make("a", {href: "#" + part.id},
			part.querySelector("h2").textContent)));
	parts.forEach((part) => part.start && part.start());
	redraw();
	markSection();
	document.title = baseName(input.name) + " - ctprof";
}

// Marks the section on the screen in the navigation, and scrolls to its link.
function markSection() {
	const nav = document.getElementById("nav");
	const links = [...nav.children];
	const {section} = viewOf(location.hash);
	const link = links[viewCurrent(
		parts.map((part) => part.getBoundingClientRect().top),
		Math.max(nav.offsetHeight + 24,
			Math.min(innerHeight / 4, scrollY)), innerHeight,
		scrollY > 0 && scrollY + innerHeight >=
			document.documentElement.scrollHeight - 2,
		parts.findIndex((part) => part.id === section))];

	if (!link || link.hasAttribute("aria-current"))
		return;
	links.forEach((other) => other.removeAttribute("aria-current"));
	link.setAttribute("aria-current", "true");
	nav.scrollLeft = link.offsetLeft - nav.offsetLeft -
		(nav.clientWidth - link.offsetWidth) / 2;
}

// "light", "dark", or "" for the reader's preference.
function setTheme(theme) {
	if (theme)
		document.documentElement.dataset.theme = theme;
	else
		delete document.documentElement.dataset.theme;
	redraw();
}

function chooseTheme(theme) {
	viewSet("page.theme", theme);
	setTheme(theme);
}

function chooseInput(number) {
	viewForget();
	viewSet("page.input", number > 0 ? number : null);
	showInput(data.inputs[number]);
}

function isDark() {
	return document.documentElement.dataset.theme === "dark" ||
		(!document.documentElement.dataset.theme &&
			matchMedia("(prefers-color-scheme: dark)").matches);
}

function onKey(event) {
	const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
	const flame = document.getElementById("flame");
	const search = document.getElementById("search");

	if (event.key === "/" && !typing && search) {
		event.preventDefault();
		search.focus();
		search.select();
	} else if (event.key === "Escape" && flame && flame.escape &&
		(!typing || event.target === search)) {
		flame.escape();
	}
}

function scrollToView() {
	const {section} = viewOf(location.hash);
	const target = parts.find((part) => part.id === section);

	if (target)
		target.scrollIntoView();
	markSection();
}

// Shows the place of location.hash: a section's restore() reads its own values.
function goToView() {
	const number = Number(viewGet("page.input"));
	const input = data.inputs[number] || data.inputs[0];
	const theme = viewGet("page.theme");

	document.getElementById("input").value = data.inputs.indexOf(input);
	if (input !== shown)
		showInput(input);
	setTheme(theme === "light" || theme === "dark" ? theme : "");
	parts.forEach((part) => part.restore && part.restore());
	scrollToView();
}

// Follows a link to a place of this page. A link without values of its own
// leaves the sections as they are.
function onLink(event) {
	const link = event.target.closest && event.target.closest("a[href^='#']");

	if (!link || event.button !== 0 || event.ctrlKey || event.metaKey ||
		event.shiftKey || event.altKey)
		return;
	event.preventDefault();
	const hash = viewLink(location.hash, link.getAttribute("href"));

	if (hash !== location.hash)
		history.pushState(null, "", hash);
	if (link.getAttribute("href").includes("?"))
		goToView();
	else
		scrollToView();
}

function start() {
	const chooser = document.getElementById("input");

	data.inputs.forEach((input, i) => chooser.append(make("option",
		{value: i}, baseName(input.name))));
	chooser.addEventListener("change", () =>
		chooseInput(Number(chooser.value)));
	document.getElementById("input-label").hidden =
		data.inputs.length < 2;
	document.getElementById("footer").textContent = "Made by ctprof " +
		data.version + ".";
	document.getElementById("theme").addEventListener("click", () =>
		chooseTheme(isDark() ? "light" : "dark"));
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change",
		redraw);
	addEventListener("resize", redraw);
	addEventListener("keydown", onKey);
	addEventListener("scroll", markSection, {passive: true});
	addEventListener("click", onLink);
	let theme = "";

	// Paper is white.
	addEventListener("beforeprint", () => {
		theme = document.documentElement.dataset.theme || "";
		setTheme("light");
	});
	addEventListener("afterprint", () => setTheme(theme));
	addEventListener("hashchange", goToView);
	goToView();
}

start();
