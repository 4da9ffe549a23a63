/* SPDX-License-Identifier: MIT */
/*
 * Reads speedscope's own files. They are first converted to a compact form in
 * memory, because the frames may be defined at the end.
 */
#ifndef SPEEDSCOPE_READ_H
#define SPEEDSCOPE_READ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "trace/event.h"

/* See struct format. */
unsigned speedscope_probe(const void *bytes, size_t size);
enum ctp_status speedscope_open(FILE *in, const void *head, size_t head_size,
	const struct read_request *request, struct event_source **out,
	struct ctp_error *err);

/* A decimal number: value / 10^power. Its unit may follow later. */
struct speedscope_number {
	int64_t value;
	int power;
};

/* Opens or closes a frame, at a time or with a sample. */
struct speedscope_point {
	int64_t value; /* a number's value, or the index of the sample */
	uint32_t frame;
	uint8_t power;
	bool close;
};

struct speedscope_frame {
	uint32_t name; /* strtab numbers */
	uint32_t file;
	uint32_t line;
};

/* A run of points and weights, up to the next profile's. */
struct speedscope_profile {
	uint32_t name; /* strtab number */
	uint32_t unit; /* likewise */
	bool sampled;
	bool has_end;
	struct speedscope_number start;
	struct speedscope_number end;
	size_t first_point;
	size_t first_weight;
	int64_t sample_count;
};

struct speedscope_data {
	struct speedscope_frame *frames;
	struct speedscope_profile *profiles;
	struct speedscope_point *points;
	struct speedscope_number *weights;
	size_t frame_count, profile_count, point_count, weight_count;
	size_t frame_room, profile_room, point_room, weight_room;
	uint64_t position; /* input position of the reader */
};

/* The arguments of struct format's open_events(). */
struct speedscope_input {
	FILE *in;
	const void *head;
	size_t head_size;
};

/*
 * Reads a whole input; its text goes into the trace, and invalid items are
 * counted there. A truncated input is used up to its end.
 *
 * Errors: CTP_ERR_NOMEM, CTP_ERR_IO, CTP_ERR_LIMIT; CTP_ERR_FORMAT if there is
 * no profile in it. Call speedscope_data_clear() in any case.
 */
enum ctp_status speedscope_data_read(struct speedscope_data *data,
	struct speedscope_input input, struct trace *trace,
	struct ctp_error *err);
void speedscope_data_clear(struct speedscope_data *data);

#endif
