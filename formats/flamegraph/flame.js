// SPDX-License-Identifier: MIT
// Makes the picture around it interactive: click or Enter zooms, typing searches,
// arrows move, pointing shows details. The picture has each frame as
// <g data-t="TIME" data-f="FUNCTION"><title/><rect/><text/></g>, parents before
// their children, which are side by side from their parent's left edge.
(() => {
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const HTML = "http://www.w3.org/1999/xhtml";
const EDGE = 10, ROW = 17, LEAST = 0.3;

const svg = document.currentScript.ownerSVGElement;
const head = svg.querySelector(".head");
const words = head.querySelector(".words");
const hits = head.querySelector(".hits");
// Each function's location, its total in the graph, and the scopes of its name.
const functions = JSON.parse(svg.querySelector(".functions").textContent);
const alone = svg === document.documentElement;
const hint = "Click or Enter: zoom. Esc: back. Ctrl-F or /: search. Arrows: move.";
let width = svg.viewBox.baseVal.width - 2 * EDGE;
const height = svg.viewBox.baseVal.height;
let letter = 6.7;
let flipped = false;

// The picture's graphs: frames, each with its interval of time.
const graphs = [...svg.querySelectorAll(".graph")].map(element => {
	const path = [];
	const frames = [...element.querySelectorAll(":scope > g")].map(g => {
		const rect = g.querySelector("rect");
		const depth = +g.dataset.d;
		const parent = path[depth - 1];
		const call = functions[g.dataset.f];
		const frame = {
			g, rect, depth, parent, children: [],
			text: g.querySelector("text"),
			name: g.querySelector("title").textContent.split("\n")[0],
			file: call ? call[0] : "",
			scopes: call ? call.slice(2) : [],
			everywhere: call ? "\n" + call[1] : "",
			time: +g.dataset.t,
			start: parent ? parent.end : 0,
		};
		frame.end = frame.start;
		if (parent) {
			parent.end += frame.time;
			parent.children.push(frame);
		}
		path[depth] = frame;
		path.length = depth + 1;
		return frame;
	});
	const top = +element.dataset.y;
	const rows = Math.max(...frames.map(frame => frame.depth)) + 1;
	return {element, frames, top, rows, name: element.dataset.name,
		root: frames[0], zoom: frames[0], current: frames[0]};
});
const frames = graphs.flatMap(graph => graph.frames);
const graphOf = frame => graphs.find(graph => graph.element === frame.g.parentNode);
const byElement = new Map(frames.map(frame => [frame.g, frame]));

function fit(frame) {
	const columns = Math.floor((frame.width - 6) / letter);
	return columns < 3 ? "" : fitName(frame.name, frame.scopes, columns);
}

function isWithin(frame, other) {
	while (frame && frame.depth > other.depth)
		frame = frame.parent;
	return frame === other;
}

function place(frame, graph) {
	const zoom = graph.zoom;
	const above = frame.depth < zoom.depth;
	const shown = above ? isWithin(zoom, frame) : isWithin(frame, zoom);
	const whole = above || frame === zoom;
	const scale = width / zoom.time;
	frame.x = EDGE + (whole ? 0 : (frame.start - zoom.start) * scale);
	frame.width = whole ? width : frame.time * scale;
	frame.shown = shown && frame.width >= LEAST;
	frame.g.style.display = frame.shown ? "" : "none";
	if (!frame.shown)
		return;
	const row = flipped ? graph.rows - 1 - frame.depth : frame.depth;
	const y = graph.top + row * ROW;
	frame.rect.setAttribute("x", frame.x);
	frame.rect.setAttribute("y", y);
	frame.rect.setAttribute("width", frame.width);
	frame.g.classList.toggle("up", above);
	const text = fit(frame);
	if (text !== "" && !frame.text) {
		frame.text = document.createElementNS(SVG, "text");
		frame.g.append(frame.text);
	}
	if (!frame.text)
		return;
	frame.text.textContent = text;
	frame.text.setAttribute("x", frame.x + 3);
	frame.text.setAttribute("y", y + 12);
}

function draw() {
	for (const graph of graphs)
		for (const frame of graph.frames)
			place(frame, graph);
	reset.hidden = graphs.every(graph => graph.zoom === graph.root);
}

function zoom(frame) {
	graphOf(frame).zoom = frame;
	draw();
	move(frame);
}

function zoomOut() {
	for (const graph of graphs)
		graph.zoom = graph.root;
	draw();
}

// The text on a frame: its title, and the total of its function.
function told(frame) {
	const title = frame.g.querySelector("title");
	title.textContent += frame.everywhere;
	frame.everywhere = "";
	return title.textContent.split("\n").join("  \u00b7  ");
}

function tell(frame) {
	const text = frame ? told(frame) : hint;
	words.textContent = text;
	const taken = hits.textContent === "" ? 0 : hits.getComputedTextLength() + 20;
	const part = (width - taken) / words.getComputedTextLength();
	if (part < 1)
		words.textContent = text.slice(0, Math.max(0, Math.floor(
			text.length * part) - 1)) + "\u2026";
}

// Tab goes from graph to graph, arrows within one.
function move(frame) {
	const graph = graphOf(frame);
	graph.current.g.setAttribute("tabindex", -1);
	graph.current = frame;
	frame.g.setAttribute("tabindex", 0);
	frame.g.focus();
	tell(frame);
}

// The shown frame that an arrow leads to.
function next(frame, key) {
	const into = flipped ? "ArrowUp" : "ArrowDown";
	const out = flipped ? "ArrowDown" : "ArrowUp";
	if (key === into)
		return frame.children.find(child => child.shown);
	if (key === out)
		return frame.parent;
	const row = graphOf(frame).frames.filter(
		other => other.shown && other.depth === frame.depth);
	return row[row.indexOf(frame) + (key === "ArrowRight" ? 1 : -1)];
}

// Frames of functions whose name or file matches, and their share of the time; a match inside
// another match counts once.
function search(pattern) {
	let found = 0;
	const shares = [];
	for (const graph of graphs) {
		let time = 0;
		for (const frame of graph.frames) {
			const hit = pattern !== null && frame.depth > 0 &&
				(pattern.test(frame.name) || pattern.test(frame.file));
			frame.g.classList.toggle("hit", hit);
			frame.inHit = hit || Boolean(frame.parent && frame.parent.inHit);
			if (!hit)
				continue;
			found++;
			if (!frame.parent.inHit)
				time += frame.time;
		}
		const share = graph.root.time > 0 ? 100 * time / graph.root.time : 0;
		shares.push(share.toFixed(2) + " % of " + graph.name);
	}
	hits.textContent = pattern === null ? "" :
		"Matched: " + shares.join(", ") + " in " + found + " frames";
	tell(null);
}

// An expression without capitals ignores case.
function searchFor(text) {
	let pattern = null;
	field.classList.remove("bad");
	try {
		if (text !== "")
			pattern = new RegExp(text, /[A-Z]/.test(text) ? "" : "i");
	} catch (error) {
		field.classList.add("bad");
		hits.textContent = "not a regular expression";
		return;
	}
	search(pattern);
}

function tool(parent, kind, properties) {
	const made = document.createElementNS(HTML, kind);
	Object.assign(made, properties);
	parent.append(made);
	return made;
}

const box = document.createElementNS(SVG, "foreignObject");
box.setAttribute("y", 8);
box.setAttribute("height", 30);
const tools = tool(box, "div", {className: "tools"});
const reset = tool(tools, "button", {textContent: "Reset zoom", hidden: true});
const flip = tool(tools, "button", {textContent: "Flip"});
const field = tool(tools, "input", {type: "search",
	placeholder: "Search (regular expression)"});
field.setAttribute("aria-label", "Search");
head.append(box);

// Alone in a window, it is as wide as the window; within a page, the page decides.
function resize() {
	if (alone) {
		// For the root, this is the window's width without a scroll bar.
		width = Math.max(600, svg.clientWidth || window.innerWidth) -
			2 * EDGE;
		svg.setAttribute("width", width + 2 * EDGE);
		svg.setAttribute("height", Math.max(height, window.innerHeight));
		svg.querySelector(".bg").setAttribute("height", "100%");
		svg.removeAttribute("viewBox");
	}
	for (const rect of svg.querySelectorAll(".bg"))
		rect.setAttribute("width", width + 2 * EDGE);
	hits.setAttribute("x", width + EDGE);
	box.setAttribute("x", width + EDGE - 420);
	box.setAttribute("width", 420);
	draw();
}

// Width of a letter in the font that the browser chose.
function measure() {
	const probe = document.createElementNS(SVG, "text");
	probe.textContent = "m".repeat(100);
	graphs[0].root.g.append(probe);
	letter = Math.max(letter, probe.getComputedTextLength() / 100);
	probe.remove();
}

svg.addEventListener("click", event => {
	const frame = byElement.get(event.target.closest(".graph > g"));
	if (frame)
		zoom(frame);
});
svg.addEventListener("mouseover", event => {
	const frame = byElement.get(event.target.closest(".graph > g"));
	if (frame)
		tell(frame);
});
svg.addEventListener("mouseleave", () => tell(null));
reset.addEventListener("click", zoomOut);
flip.addEventListener("click", () => {
	flipped = !flipped;
	draw();
});
field.addEventListener("input", () => searchFor(field.value));

function goBack() {
	if (field.value === "")
		return zoomOut();
	field.value = "";
	searchFor("");
}

function takeKey(event, frame) {
	if (event.key === "Enter" || event.key === " ")
		zoom(frame);
	else if (event.key.startsWith("Arrow"))
		move(next(frame, event.key) || frame);
	else
		return false;
	return true;
}

document.addEventListener("keydown", event => {
	const frame = byElement.get(document.activeElement);
	const typing = document.activeElement === field;
	let done = true;
	// Within a page most keys are the page's.
	if (!alone && !svg.contains(document.activeElement))
		return;
	if (event.key === "Escape")
		goBack();
	else if (!typing && (event.key === "/" ||
		(event.ctrlKey || event.metaKey) && event.key === "f"))
		(field.focus(), field.select());
	else
		done = Boolean(frame) && takeKey(event, frame);
	if (done)
		event.preventDefault();
});

for (const graph of graphs)
	graph.root.g.setAttribute("tabindex", 0);
measure();
resize();
tell(null);
window.addEventListener("resize", resize);
if (alone)
	window.addEventListener("scroll", () => head.setAttribute(
		"transform", "translate(0," + window.scrollY + ")"));
})();
