/* SPDX-License-Identifier: MIT */
/*
 * Chrome traces: one JSON object, for Perfetto, chrome://tracing and readers of
 * PyTorch's profiles. Source: "Trace Event Format" (the Catapult project's
 * document); libkineto/src/output_json.cpp for names that PyTorch's tools look
 * for.
 */
#ifndef CHROME_H
#define CHROME_H

#include "format.h"

/* As new_timeline of `struct format`. */
enum ctp_status chrome_new(FILE *out, struct trace *trace,
	const struct format_options *options, struct timeline_writer **writer,
	struct ctp_error *err);

#endif
