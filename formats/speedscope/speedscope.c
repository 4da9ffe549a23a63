/* SPDX-License-Identifier: MIT */
/* speedscope's own file format. */
#include "format.h"
#include "speedscope/speedscope_read.h"
#include "speedscope/speedscope_write.h"

const struct format speedscope_format = {
	.name = "speedscope",
	.suffix = ".speedscope.json",
	.summary = "speedscope's own file, for https://www.speedscope.app",
	.probe = speedscope_probe,
	.open_events = speedscope_open,
	.new_timeline = speedscope_new,
};
