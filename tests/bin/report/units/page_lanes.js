// SPDX-License-Identifier: MIT
const laneOf = (more) => ({name: "", process: "p", pid: 1, tid: 1,
	stream: false, device: 0, part: "ranges", rows: 2, count: 4,
	time_ns: 160, top_ns: 110, counts: [2, 2], starts: [0, 100, 10, 20],
	durs: [100, 10, 10, 40], names: [0, 1, 1, 2], args: [2, 0],
	launches: [], bins: [], ...more});
const made = lanesOf({span_ns: 120, names: ["main", "f", "g"], args: [{x: 1}],
	steps: [[5, 7, ""]], series: [], lanes: [laneOf({}),
		laneOf({stream: true, part: "whole", rows: 1, counts: [1],
			starts: [70], durs: [20], names: [2], args: [],
			launches: [0, 0, 40],
			bins: [[0, 4, -8, 0, 6, 3, 1, 2, 8, 1, 0]]})]});
const [host, stream] = made.lanes;

equal("starts are sums of differences in each row", [...made.start],
	[0, 100, 10, 30, 70]);
equal("the last end of a row never falls", [...made.last],
	[100, 110, 20, 70, 90]);
equal("sparse members", [[...made.args], [...made.launchLane],
	[...made.launchTime]],
[[-1, -1, 0, -1, -1], [-1, -1, -1, -1, 0], [0, 0, 0, 0, 30]]);
equal("steps", made.steps, [[5, "step 7"]]);
equal("bins begin where the first one does", [[...stream.rows[0].bins[0].start],
	stream.rows[0].bins[0].length, made.isWhole, host.isWhole],
[[-8, 24], 16, false, true]);

equal("the first above", [-1, 0, 5, 9, 10].map((value) =>
	firstAbove([0, 5, 5, 9], 0, 4, value)), [0, 1, 3, 4, 4]);
equal("the first above in nothing", firstAbove([], 0, 0, 1), 0);
equal("slices in a range", [[0, 1], [100, 101], [-5, 0], [111, 200]].map(
	([from, to]) => slicesIn(made, host.rows[0], from, to)),
[[0, 1], [1, 2], [0, 1], [2, 2]]);
equal("slices at a time", [0, 99, 105, 111, -1].map((time) =>
	sliceAt(made, host.rows[0], time)), [0, 0, 1, -1, -1]);
equal("a gap between callees", sliceAt(made, host.rows[1], 25), -1);
equal("a kernel's launch, and the launch's kernels",
	[sliceFrom(made, host, 30), launchedBy(made, 3), launchedBy(made, 0)],
	[3, [4], []]);

const pixels = {busy: new Float64Array(2), lead: new Float64Array(2),
	name: new Int32Array(2)};
const wides = [];

sumPixels(made, host.rows[1], {from: 0, perPixel: 50, width: 2}, pixels,
	(slice) => wides.push(slice), () => wides.push("bin"));
equal("slices below a pixel are summed; the longest name leads",
	[[...pixels.busy], [...pixels.name], wides], [[50, 0], [2, -1], []]);
sumPixels(made, stream.rows[0], {from: 0, perPixel: 4, width: 30}, {
	busy: new Float64Array(30), lead: new Float64Array(30),
	name: new Int32Array(30)}, (slice) => wides.push(slice),
(bins, i) => wides.push([bins.start[i], bins.busy[i]]));
equal("others are drawn one by one", wides, [[-8, 6], [24, 8], 4]);

equal("statistics of a range: time in it, own time without callees",
	rangeStatistics(made, [host], {from: 15, to: 100}).map((sum) =>
		[sum.name, sum.count, sum.total, sum.own, sum.estimated]),
	[[0, 1, 85, 40, false], [2, 1, 40, 40, false], [1, 1, 5, 5, false]]);
equal("a share of a bin is estimated", rangeStatistics(made, [stream],
	{from: 0, to: 32}).map((sum) => [sum.name, sum.count, sum.total,
	sum.estimated]), [[0, 0.5, 4, true], [1, 1.5, 3, true]]);
equal("found slices are in order of time", [findSlices(made, (name) =>
	name !== "main").found, findSlices(made, () => false).found],
[[2, 3, 4, 1], []]);
equal("the next one", [[-1, 1], [3, 1], [1, 1], [2, -1], [-1, -1]].map(
	([slice, step]) => nextFound([2, 3, 4, 1], slice, step)),
[2, 4, 2, 1, 1]);
equal("nothing is next", nextFound([], 3, 1), -1);

const whole = layoutOf(made, new Set());
const small = layoutOf(made, new Set([0]));

equal("lanes and their rows, from top to bottom", whole.items.map((item) =>
	item.kind), ["lane", "row", "row", "lane", "row"]);
equal("a folded lane is one row lower", whole.height - small.height, LANE_ROW);
equal("items are found by height", [0, LANE_HEAD - 1, LANE_HEAD, 1e9].map(
	(y) => itemAt(whole, y)), [0, 0, 1, 4]);
equal("views stay inside", [viewOfTimes(1000, 100, -500, -400).from,
	viewOfTimes(1000, 100, 0, 1e9).perPixel,
	viewOfTimes(1000, 100, 5, 5).perPixel].map((value) =>
	Math.round(100 * value)), [-1020, 1020, 10]);
equal("300 years", viewOfTimes(9.2e18, 1000, 0, 9.2e18).perPixel > 0, true);
equal("a link", timelineLink(1.4, 2000.5),
	"#timeline?timeline.from=1&timeline.to=2001");
