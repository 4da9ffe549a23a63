/* SPDX-License-Identifier: MIT */
/* The table of stacks that samples and other events of a Chrome trace refer to:
 * frames by key, each with its parent's key. */
#ifndef TRACE_FRAMES_H
#define TRACE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "json/json_scan.h"
#include "trace/trace.h"
#include "chrome_read/trace_args.h"

/* Frames that are shown of a stack. */
#define TRACE_FRAMES_SHOWN 1024

struct trace_frame {
	uint32_t name;   /* strtab numbers */
	uint32_t parent; /* a key; 0: it has none */
};

struct trace_frames {
	struct trace *trace;
	struct trace_args *args;
	struct trace_frame *frames; /* by the key's strtab number */
	uint32_t room;
	struct buffer text;
};

void trace_frames_init(struct trace_frames *frames, struct trace *trace,
	struct trace_args *args);
void trace_frames_clear(struct trace_frames *frames);

/* Reads the object whose beginning was the last token. Errors: those of
 * json_scan_next(), CTP_ERR_NOMEM. */
enum ctp_status trace_frames_read(struct trace_frames *frames,
	struct json_scan *scan, struct ctp_error *err);

/* Writes the stack to frames->text, "root;caller;callee"; false if out of
 * memory. */
bool trace_frames_write(struct trace_frames *frames, uint32_t key);

#endif
