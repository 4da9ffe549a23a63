/* SPDX-License-Identifier: MIT */
/*
 * Arguments of a Chrome trace's event: read from the file, kept as bytes while
 * events are sorted, and returned later. The few that describe a device
 * activity and its call are interpreted on the way.
 */
#ifndef CHROME_READ_ARGS_H
#define CHROME_READ_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"
#include "json/json_scan.h"
#include "json/json_key_cache.h"
#include "trace/trace.h"

/* Arguments that the reader itself interprets. */
enum chrome_read_known {
	CHROME_READ_CORRELATION,
	CHROME_READ_EXTERNAL_ID,
	CHROME_READ_DEVICE,
	CHROME_READ_CONTEXT,
	CHROME_READ_STREAM_ID,
	CHROME_READ_BYTES,
	CHROME_READ_AVERAGE, /* only its presence: clang's sums have one */
	CHROME_READ_FILE, /* if they are locations; see chrome_read_args.file */
	CHROME_READ_LINE, /* likewise; 0: unknown */
	CHROME_READ_KNOWN_COUNT
};

/* The wanted arguments, as bits; CHROME_READ_WANT_ALL keeps all. */
#define CHROME_READ_WANT(known) (1U << (known))
#define CHROME_READ_WANT_KNOWN (CHROME_READ_WANT(CHROME_READ_KNOWN_COUNT) - 1)
#define CHROME_READ_WANT_PLACE \
	(CHROME_READ_WANT(CHROME_READ_FILE) | \
		CHROME_READ_WANT(CHROME_READ_LINE))
/* Keeps the request's kept_args and, with its detailed_names, their
 * argument. */
#define CHROME_READ_WANT_KEPT (1U << 30)
#define CHROME_READ_WANT_ALL UINT32_MAX

struct chrome_read_args {
	struct trace *trace;
	struct json_key_cache key_cache;
	struct json_members_read read;
	struct chrome_read_key *keys; /* by step */
	size_t before;                /* bytes reserved for the caller before
				       * them */
	struct buffer bytes; /* kept arguments; see chrome_read_args_next() */
	struct buffer text;
	uint32_t count;
	uint32_t seen; /* bits of the known ones found */
	int64_t known[CHROME_READ_KNOWN_COUNT];
	/* "file" and "line", if they come first, are the function's location,
	 * not arguments. */
	bool are_places;
	uint32_t items;         /* arguments read */
	struct json_token file; /* if it was the first */
	bool has_file;
};

/* With room for `before` bytes. False if out of memory, as for all below; call
 * chrome_read_args_clear() in either case. The trace is borrowed. */
bool chrome_read_args_init(
	struct chrome_read_args *args, struct trace *trace, size_t before);
void chrome_read_args_clear(struct chrome_read_args *args);

/* Forgets the arguments. */
bool chrome_read_args_reset(struct chrome_read_args *args);

/*
 * Reads the object that the last token of `scan` began.
 *
 * Errors: those of json_scan_next(); CTP_ERR_NOMEM.
 */
enum ctp_status chrome_read_args_read(struct chrome_read_args *args,
	struct json_scan *scan, uint32_t want, struct ctp_error *err);

/* Adds an argument of our own; for JSON, give the key's strtab number. */
bool chrome_read_args_add_text(struct chrome_read_args *args, const char *key,
	const char *text, size_t size);
bool chrome_read_args_add_json(struct chrome_read_args *args, uint32_t key,
	const char *text, size_t size);

/* Converts texts that are numbers to numbers. */
bool chrome_read_args_make_numbers(struct chrome_read_args *args);

/* Takes `count` kept arguments of another trace, whose numbers of keys are
 * `numbers` in this one. */
bool chrome_read_args_copy(struct chrome_read_args *args, const uint8_t *bytes,
	size_t size, uint32_t count, const uint32_t *numbers);

/* Adds an argument whose key has this strtab number. Its value is the token's,
 * or an object or array with all of the token's text. */
bool chrome_read_args_add_token(struct chrome_read_args *args, uint32_t key,
	const struct json_scan *scan, const struct json_token *token);
bool chrome_read_args_add_nested(struct chrome_read_args *args, uint32_t key,
	const struct json_scan *scan, const struct json_token *all);

/*
 * The first word of a kept argument: its kind in the lowest bits, its key, and
 * in the upper half its value, or the size of the text that follows. A value
 * that does not fit is in a second word, before the text.
 */
#define CHROME_READ_ARGS_KIND UINT64_C(3)
#define CHROME_READ_ARGS_LONG UINT64_C(4)
#define CHROME_READ_ARGS_KEY 3
#define CHROME_READ_ARGS_VALUE 32

/* Returns the kept argument at `*at` and moves `*at` past it; text is borrowed
 * from the kept bytes. */
static inline struct event_arg chrome_read_args_next(const uint8_t **at)
{
	struct event_arg arg = {0};
	const uint8_t *from = *at;
	uint64_t head;
	uint64_t value;

	memcpy(&head, from, sizeof(head));
	from += sizeof(head);
	arg.kind = (enum event_arg_kind)(head & CHROME_READ_ARGS_KIND);
	arg.key = (uint32_t)head >> CHROME_READ_ARGS_KEY;
	value = head >> CHROME_READ_ARGS_VALUE;
	if ((head & CHROME_READ_ARGS_LONG) != 0) {
		arg.key = (uint32_t)(head >> CHROME_READ_ARGS_KEY);
		memcpy(&value, from, sizeof(value));
		from += sizeof(value);
	}
	if (arg.kind == ARG_INT) {
		arg.value.integer = (int64_t)value;
	} else if (arg.kind == ARG_FLOAT) {
		memcpy(&arg.value.real, &value, sizeof(value));
	} else {
		arg.value.text.bytes = (const char *)from;
		arg.value.text.size = (size_t)value;
		from += value;
	}
	*at = from;
	return arg;
}

/* A string's bytes, unescaped; borrowed until the next call. False if out of
 * memory. */
bool chrome_read_args_plain(struct chrome_read_args *args,
	const struct json_scan *scan, const struct json_token *token,
	const char **text, size_t *size);

#endif
