// SPDX-License-Identifier: MIT
const pool = (more) => ({pid: 1, process: "p", host: false, type: "cuda",
	number: 0, totals: false, before_bytes: 5, peak: {bytes: 9}, ...more});
const levels = levelsOf(pool({bins: [1, 5, 9, 7, 20, 3, 2, 6, 6, 0]}), 5);

equal("before the first event", levels[0], {least: 5, most: 5, reserved: 0});
equal("a bin with events", levels[1], {least: 5, most: 9, reserved: 20});
equal("the last level holds", levels[2], {least: 7, most: 7, reserved: 20});
equal("a bin begins with the level before", levels[3],
	{least: 2, most: 7, reserved: 20});
equal("until the end", levels[4], {least: 6, most: 6, reserved: 20});
equal("unknown before the first total",
	levelsOf(pool({totals: true, bins: [1, 3, 4, 4, 0]}), 2)[0].most, null);
equal("no bins", levelsOf(pool({bins: []}), 1),
	[{least: 5, most: 5, reserved: 0}]);

const host = pool({host: true, number: -1, type: "cpu", peak: {bytes: 99}});
const other = pool({pid: 2, number: 1, peak: {bytes: 50}});

equal("devices come first", sortedPools([host, pool({}), other])
	.map((one) => one.peak.bytes), [50, 9, 99]);
equal("titles of one process", [pool({}), host].map((one) =>
	poolTitle(one, [pool({}), host])), ["GPU 0", "Host"]);
equal("titles of several", poolTitle(other, [host, other]),
	"GPU 1 \u00b7 p 2");
equal("memory of before", memoryLines(pool({addresses: true, known_bytes: 4}))
	.length, 1);
