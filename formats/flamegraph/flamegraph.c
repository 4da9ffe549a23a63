/* SPDX-License-Identifier: MIT */
/* flamegraph: an interactive picture; see flame_svg.h. */
#include "flamegraph/flame_svg.h"
#include "format.h"

static enum ctp_status write_profile(FILE *out, const struct profile *profile,
	const struct format_options *options, struct ctp_error *err)
{
	return flame_svg_write(
		out, profile, options == NULL ? NULL : options->title, err);
}

const struct format flamegraph_format = {
	.name = "flamegraph",
	.suffix = ".flame.svg",
	.summary = "interactive flame graph as SVG, for browsers",
	.needs_tree = true,
	.write_profile = write_profile,
};
