/* SPDX-License-Identifier: MIT */
/* The table of stacks that samples and other events of a Chrome trace refer to:
 * frames by key, each with its parent's key. */
#ifndef CHROME_READ_FRAMES_H
#define CHROME_READ_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "json/json_scan.h"
#include "trace/trace.h"
#include "chrome_read/chrome_read_args.h"

/* Most frames shown of a stack. */
#define CHROME_READ_FRAMES_SHOWN 1024

struct chrome_read_frame {
	uint32_t name;   /* strtab numbers */
	uint32_t parent; /* a key; 0: none */
};

struct chrome_read_frames {
	struct trace *trace;
	struct chrome_read_args *args;
	struct chrome_read_frame *frames; /* by the key's strtab number */
	uint32_t room;
	struct buffer text;
};

void chrome_read_frames_init(struct chrome_read_frames *frames,
	struct trace *trace, struct chrome_read_args *args);
void chrome_read_frames_clear(struct chrome_read_frames *frames);

/* Reads the object that the last token began. Errors: those of
 * json_scan_next(), CTP_ERR_NOMEM. */
enum ctp_status chrome_read_frames_read(struct chrome_read_frames *frames,
	struct json_scan *scan, struct ctp_error *err);

/* Writes the stack to frames->text, "root;caller;callee"; false if out of
 * memory. */
bool chrome_read_frames_write(struct chrome_read_frames *frames, uint32_t key);

#endif
