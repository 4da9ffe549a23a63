/* SPDX-License-Identifier: MIT */
/* The part of a JSON text that is in memory. For json_scan.c, and its header,
 * only. */
#ifndef JSON_WINDOW_H
#define JSON_WINDOW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

#define JSON_WINDOW_NOT_KEPT UINT64_MAX
#define JSON_WINDOW_BYTES_MAX ((size_t)64 << 20)

struct json_window {
	FILE *in;
	uint8_t *
		bytes; /* behind those that are used are JSON_BYTES_ROOM zeros */
	size_t room;
	size_t used;
	size_t at;     /* how far it has been read */
	uint64_t base; /* the input's offset of bytes[0] */
	uint64_t kept; /* text from this offset on stays, or NOT_KEPT */
	bool at_eof;
};

/* False if out of memory; call json_window_clear() in either case. */
bool json_window_init(struct json_window *window, FILE *in, const void *head,
	size_t head_size);
void json_window_clear(struct json_window *window);

/*
 * Reads on; what has been read and is not kept may go. CTP_END: there is no
 * more.
 *
 * Errors: CTP_ERR_IO, CTP_ERR_NOMEM; CTP_ERR_LIMIT if what has to stay is
 * JSON_WINDOW_BYTES_MAX.
 */
enum ctp_status json_window_fill(
	struct json_window *window, struct ctp_error *err);

#endif
