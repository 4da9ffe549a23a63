/* SPDX-License-Identifier: MIT */
/*
 * Arguments of an event of a Chrome trace: read from the file, kept as bytes
 * while events are sorted, and handed out again. The few that tell what a
 * device did, and by which call, are looked at on the way.
 */
#ifndef TRACE_ARGS_H
#define TRACE_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"
#include "json/json_scan.h"
#include "json/json_key_cache.h"
#include "trace/trace.h"

/* Arguments that the reader itself looks at. */
enum trace_known {
	TRACE_CORRELATION,
	TRACE_EXTERNAL_ID,
	TRACE_DEVICE,
	TRACE_CONTEXT,
	TRACE_STREAM_ID,
	TRACE_BYTES,
	TRACE_AVERAGE, /* only that it is there: clang's sums have one */
	TRACE_FILE,    /* where they are places; see trace_args.file */
	TRACE_LINE,    /* likewise; 0: not known */
	TRACE_KNOWN_COUNT
};

/* The only ones that are wanted, as bits; all are kept with TRACE_WANT_ALL. */
#define TRACE_WANT(known) (1U << (known))
#define TRACE_WANT_KNOWN (TRACE_WANT(TRACE_KNOWN_COUNT) - 1)
#define TRACE_WANT_PLACE (TRACE_WANT(TRACE_FILE) | TRACE_WANT(TRACE_LINE))
/* trace->asked_args, and with trace->details what says these; they are kept. */
#define TRACE_WANT_ASKED (1U << 30)
#define TRACE_WANT_ALL UINT32_MAX

struct trace_args {
	struct trace *trace;
	struct json_key_cache shape;
	struct json_members_read read;
	struct trace_key *keys; /* that steps are */
	size_t before;          /* bytes of the user's own before them */
	struct buffer bytes;    /* what is kept; see trace_args_next() */
	struct buffer text;
	uint32_t count;
	uint32_t seen; /* bits of the known ones */
	int64_t known[TRACE_KNOWN_COUNT];
	/* "file" and "line", if these come first, say where the event's
	 * function is, and are no arguments. */
	bool are_places;
	uint32_t items;         /* that were met */
	struct json_token file; /* if that was the first */
	bool has_file;
};

/* With room for `before` bytes. False if out of memory, like all below; call
 * trace_args_clear() in either case. The trace is borrowed. */
bool trace_args_init(
	struct trace_args *args, struct trace *trace, size_t before);
void trace_args_clear(struct trace_args *args);

/* Forgets the arguments. */
bool trace_args_reset(struct trace_args *args);

/*
 * Reads the object whose beginning was the last token of `scan`.
 *
 * Errors: those of json_scan_next(); CTP_ERR_NOMEM.
 */
enum ctp_status trace_args_read(struct trace_args *args, struct json_scan *scan,
	uint32_t want, struct ctp_error *err);

/* Adds one of our own making. JSON goes by the key's strtab number. */
bool trace_args_add_text(struct trace_args *args, const char *key,
	const char *text, size_t size);
bool trace_args_add_json(
	struct trace_args *args, uint32_t key, const char *text, size_t size);

/* Texts that are numbers become these. */
bool trace_args_make_numbers(struct trace_args *args);

/* Adds one whose key is this strtab number: the value that a token is; or the
 * object or array whose text, all of it, is the token's. */
bool trace_args_add_token(struct trace_args *args, uint32_t key,
	const struct json_scan *scan, const struct json_token *token);
bool trace_args_add_nested(struct trace_args *args, uint32_t key,
	const struct json_scan *scan, const struct json_token *all);

/*
 * What an argument that is kept begins with: its kind, in the lowest bits, its
 * key, and in the upper half its value, or the size of its text, which is next.
 * Where that is not room enough the value is in another word, before the text.
 */
#define TRACE_ARGS_KIND UINT64_C(3)
#define TRACE_ARGS_LONG UINT64_C(4)
#define TRACE_ARGS_KEY 3
#define TRACE_ARGS_VALUE 32

/* The argument at `*at`, which moves behind it, of bytes that were kept; text
 * is borrowed from these. */
static inline struct event_arg trace_args_next(const uint8_t **at)
{
	struct event_arg arg;
	const uint8_t *from = *at;
	uint64_t head;
	uint64_t value;

	memcpy(&head, from, sizeof(head));
	from += sizeof(head);
	arg.kind = (enum event_arg_kind)(head & TRACE_ARGS_KIND);
	arg.key = (uint32_t)head >> TRACE_ARGS_KEY;
	value = head >> TRACE_ARGS_VALUE;
	if ((head & TRACE_ARGS_LONG) != 0) {
		arg.key = (uint32_t)(head >> TRACE_ARGS_KEY);
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

/* Bytes of a string, without its escapes; borrowed until the next call. False
 * if out of memory. */
bool trace_args_plain(struct trace_args *args, const struct json_scan *scan,
	const struct json_token *token, const char **text, size_t *size);

#endif
