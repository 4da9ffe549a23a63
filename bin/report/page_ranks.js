// SPDX-License-Identifier: MIT
// The ranks of a job, and its hosts: a picture of all, and tables.

const RANK_CHART = {left: 64, behind: 30, gap: 8, height: 190, foot: 20,
	widest: 110};

// Rows of the table of ranks as objects; those of the chart are by rank.
function ranksOf(table) {
	return table.rows.map((cells) => ({cells, ...valuesOf(table, cells)}));
}

function rankTitle(row, isHost) {
	const name = isHost ? row.host || "unknown host"
		: (/^\d+$/.test(row.Rank) ? "Rank " : "") + row.Rank;

	return name + (row.device == null || isHost ? ""
		: " \u00b7 GPU " + row.device) +
		(row.host && !isHost ? " \u00b7 " + row.host : "");
}

function behindText(row, perStep) {
	return row.behind_ns > 0 ? timeText(row.behind_ns) +
		(perStep ? " a step" : "") + " behind the median" +
		(row.reason ? ": " + row.reason : "") : "not behind";
}

function slowestText(row, perStep, isHost) {
	return row.behind_ns > 0 ? rankTitle(row, isHost) +
		" is the slowest: " + behindText(row, perStep) + "."
		: "None is behind the median.";
}

// One row for each column, if there are more rows than columns: the one that is
// most behind among its neighbours.
function rankColumns(rows, most) {
	const each = Math.max(1, Math.ceil(rows.length / Math.max(1, most)));
	const columns = [];

	for (let i = 0; i < rows.length; i += each)
		columns.push(rows.slice(i, i + each).reduce((worst, row) =>
			row.behind_ns > worst.behind_ns ? row : worst));
	return columns;
}

// A column for each row, in stacked parts; above them the time that it is
// behind. `pick` is called with the clicked row.
function rankChart(say, pick) {
	const size = RANK_CHART;
	const canvas = make("canvas", {tabindex: "0", role: "application",
		"aria-label": "The times of all ranks: use the arrow keys"});
	const element = make("div", {class: "scroll"}, canvas);
	let all = [];
	let rows = [];
	let lines = () => [];
	let at = -1;
	let step = 1;
	let each = 1; // rows of a column; `at` is one of all rows

	function drawScale(context, most, foot) {
		const every = stepOf(most, 4);

		context.textAlign = "right";
		for (let time = 0; time <= most; time += every) {
			const y = foot - size.height * time / most;

			context.fillStyle = style("--line");
			context.fillRect(size.left, Math.round(y), step *
				rows.length, 1);
			context.fillStyle = style("--faint");
			context.fillText(timeText(time), size.left - 6, y);
		}
		context.fillText("behind", size.left - 6, size.behind / 2);
	}

	function drawNames(context, foot) {
		const names = rows.map((row) => clipped(row.name, 24));
		const room = Math.max(...names.map((name) =>
			context.measureText(name).width)) + 14;
		const every = Math.ceil(stepOf(room / step, 1));

		context.fillStyle = style("--faint");
		context.textAlign = "center";
		for (let i = 0; i < rows.length; i += every)
			context.fillText(names[i], Math.max(room / 2,
				size.left + (i + 0.5) * step),
			foot + size.foot / 2 + 2);
	}

	// The name of the row that is most behind, beside its mark.
	function drawSlowest(context) {
		const slowest = rows.reduce((worst, row) =>
			row.behind_ns > worst.behind_ns ? row : worst);
		const number = rows.indexOf(slowest);
		const isLeft = number > rows.length / 2;

		if (slowest.behind_ns <= 0)
			return;
		context.fillStyle = style("--text");
		context.textAlign = isLeft ? "right" : "left";
		context.fillText(clipped(slowest.name, 24) + ": " +
			timeText(slowest.behind_ns), size.left +
			(isLeft ? number * step - 4 : (number + 1) * step + 4),
		6);
	}

	function drawRow(context, row, i, scale) {
		const left = size.left + Math.floor(i * step);
		const wide = Math.max(1, size.left +
			Math.floor((i + 1) * step) - left - (step > 4 ? 1 : 0));
		let y = scale.foot;

		for (const [, time, colour] of row.parts) {
			const height = size.height * time / scale.most;

			context.fillStyle = scale.colours.get(colour);
			context.fillRect(left, y - height, wide, height);
			y -= height;
		}
		const height = (size.behind - 2) * row.behind_ns /
			scale.behind;

		context.fillStyle = scale.colours.get("--match");
		context.fillRect(left, size.behind - height, wide, height);
	}

	function draw() {
		const wide = element.clientWidth - size.left - 1;

		rows = rankColumns(all, wide);
		each = Math.ceil(all.length / rows.length);
		const foot = size.behind + size.gap + size.height;
		const colours = new Map([...TIME_COLOURS, "--match"].map(
			(name) => [name, style(name)]));
		const scale = {foot, colours,
			most: Math.max(1, ...rows.map((row) => row.span)),
			behind: Math.max(1, ...rows.map((row) =>
				row.behind_ns))};

		step = Math.max(1, Math.min(size.widest, wide / rows.length));
		const context = prepare(canvas, size.left +
			Math.ceil(step * rows.length) + 1, foot + size.foot);

		context.font = "12px " + getComputedStyle(element).fontFamily;
		context.textBaseline = "middle";
		drawScale(context, scale.most, foot);
		drawNames(context, foot);
		rows.forEach((row, i) => drawRow(context, row, i, scale));
		if (rows.length > 1)
			drawSlowest(context);
		if (at >= 0) {
			context.strokeStyle = style("--text");
			context.strokeRect(size.left +
				Math.floor(at / each) * step - 0.5, 0.5,
				Math.max(step, 3), foot - 1);
		}
	}

	function tell() {
		say(...lines(all[at]));
		draw();
	}

	canvas.addEventListener("mousemove", (event) => {
		const box = canvas.getBoundingClientRect();

		const number = Math.floor((event.clientX - box.left -
			size.left) / step);

		at = all.indexOf(rows[number]);
		if (at < 0) {
			hideTip();
			return draw();
		}
		showTip(event, ...lines(all[at]));
		return tell();
	});
	canvas.addEventListener("mouseleave", () => {
		at = -1;
		hideTip();
		draw();
	});
	canvas.addEventListener("click", () => at >= 0 && pick(all[at]));
	canvas.addEventListener("keydown", (event) => {
		const steps = {ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0,
			End: all.length - 1};

		if (event.key in steps) {
			at = Math.min(all.length - 1,
				Math.max(0, steps[event.key]));
			tell();
		} else if (event.key === "Enter" && at >= 0) {
			pick(all[at]);
		} else {
			return;
		}
		event.preventDefault();
	});
	return {element, draw, show(shown, linesOf) {
		all = shown;
		rows = shown;
		lines = linesOf;
		at = -1;
	}};
}

function rankTable(rows, table, causes, isHost) {
	const made = describedTable("Ranks", table, {rows,
		cells: (row) => row.cells, omitsZeros: true, lead: isHost ? "host" : "Rank",
		wholes: {behind_ns: Math.max(...rows.map((row) =>
			row.behind_ns))},
		matches: (row, text) => [row.Rank, row.host, row.reason]
			.some((words) => words &&
				String(words).toLowerCase().includes(text)),
		more: rows[0].causes && ((row) => make("div", {},
			stackOf(idleParts(row, causes), row.span_ns),
			unfolded(table.columns, row.cells)))});

	filterFor(made, "Filter");
	return made;
}

// The section with the picture, and the table below it.
function ranksSection(ranks, causes) {
	const status = make("p", {class: "status", "aria-live": "polite"});
	const holder = make("div");
	const tools = make("span");
	const chart = rankChart((title, ...lines) => status.replaceChildren(
		make("b", {}, title), " \u2014 " + lines.join(" \u2014 ")),
	(row) => {
		holder.firstChild.unfold(row);
		holder.scrollIntoView({block: "nearest"});
	});
	const choices = ranks.hosts ? ["By rank", "By host"].map((title, i) =>
		make("button", {type: "button", class: "choice",
			onclick: () => {
				viewSet("ranks.by", i === 1 ? "host" : null);
				show(i === 1);
			}}, title)) : [];
	const order = make("button", {type: "button", class: "choice",
		"aria-pressed": "false", onclick: () => {
			const isSlow = viewGet("ranks.order") !== "slow";

			viewSet("ranks.order", isSlow ? "slow" : null);
			show(viewGet("ranks.by") === "host");
		}}, "Slowest first");
	const element = section("ranks", "Ranks", ...choices, order, tools);
	const legend = make("div");
	const slowest = make("p");

	function show(isHost) {
		const table = isHost ? ranks.hosts.rows : ranks.rows;
		const rows = ranksOf(table);

		for (const row of rows) {
			row.name = isHost ? row.host || "?" : row.Rank;
			row.parts = timeParts(row);
			row.span = row.parts.reduce((sum, part) =>
				sum + part[1], 0);
		}
		choices.forEach((button, i) => button.setAttribute(
			"aria-pressed", String((i === 1) === isHost)));
		const isSlow = viewGet("ranks.order") === "slow";

		order.setAttribute("aria-pressed", String(isSlow));
		chart.show(rows.slice().sort((a, b) => isSlow
			? b.behind_ns - a.behind_ns : isHost
			? compare(a.name, b.name)
			: compare(a.Rank, b.Rank) ||
				compare(a.device, b.device)),
		(row) => [rankTitle(row, isHost),
			behindText(row, ranks.per_step),
			...row.parts.filter((part) => part[1] > 0).map(
				([words, time]) => words + " " +
					timeText(time) + ", " +
					percent(time, row.span))]);
		const made = rankTable(rows, table, causes, isHost);

		holder.replaceChildren(made);
		tools.replaceChildren(made.input);
		legend.replaceChildren(legendOf(rows));
		legend.firstChild.append(make("li", {}, make("i",
			{style: "background:var(--match)"}),
		"behind the median"));
		slowest.replaceChildren(slowestText(rows[0], ranks.per_step,
			isHost));
		chart.draw();
	}

	element.append(slowest, ...ranks.slow_hosts.map((line) =>
		make("p", {}, line)), chart.element, legend, status, holder,
		...ranks.notes.map((line) => make("p", {class: "note"}, line)));
	status.append("Each column is a rank, or the slowest of some, with the time of its GPU; the " +
		"bar above it is its own time, without waiting for others, " +
		"as far as it is above the median. Click to find its row.");
	if (ranks.rows_hidden)
		element.append(make("p", {class: "note"},
			countOf(ranks.rows_hidden, "faster rank") +
			" are not shown."));
	show(false);
	element.draw = chart.draw;
	element.restore = () => {
		if (viewGet("ranks.by") === "host" || viewGet("ranks.order"))
			show(viewGet("ranks.by") === "host" &&
				Boolean(ranks.hosts));
	};
	return element;
}

// A section of one table; nothing without rows.
function tableSection(id, title, table, hidden) {
	if (!table || table.rows.length === 0)
		return null;
	const element = section(id, title);

	element.append(make("p", {class: "note lead"},
		table.help[0].toUpperCase() + table.help.slice(1) + "."),
		describedTable(title, table));
	if (hidden)
		element.append(make("p", {class: "note"}, countText(hidden) +
			" more are shown by \u201cctprof ranks\u201d."));
	return element;
}

function ranksSections(input) {
	const ranks = input.ranks;

	return ranks ? [
		ranksSection(ranks, input.gaps ? input.gaps.causes
			: Object.keys(ranksOf(ranks.rows)[0].causes || {})),
		tableSection("imbalance", "Imbalance of the ranks",
			ranks.imbalance, ranks.imbalance_hidden),
		tableSection("collectives", "Collectives", ranks.collectives,
			ranks.collectives_hidden),
	] : [];
}
