/* SPDX-License-Identifier: MIT */
/*
 * Reads folded stacks, ours and those of the stackcollapse scripts; see
 * folded.c. The number at a line's end is read as nanoseconds, as in our own
 * files; where it counts samples, a sample is 1 ns. A frame's whole text is the
 * function's name, so that a file is written again unchanged. Lines that do not
 * end in a whole number are skipped and counted.
 *
 * Austin's files, recognized by the line "# austin: VERSION", have more such
 * lines, and microseconds, or bytes, which may be negative, or with "# mode:
 * full", "MICROSECONDS,IDLE,BYTES". Source:
 * https://github.com/P403n1x87/austin, README.md, "Normal Output".
 */
#include "flamegraph/folded.h"

#include <ctype.h>
#include <string.h>

#include "json/json_value.h"
#include "io/lines.h"
#include "profiles/profile_source.h"
#include "profiles/stacks.h"

/* Most bits that the probe's lines add up to. */
#define BITS_MAX 24u

/* The first line of Austin's files. */
#define AUSTIN "# austin: "

struct folded_in {
	struct profile_source *from;
	struct stacks stacks;
	int64_t unit_ns; /* nanoseconds per unit of the numbers */
	bool full;       /* the number is the first of several */
};

/* Reads the number after the last space and returns that space, which ends the
 * stack; NULL without a number, or with nothing before it. */
static char *find_count(
	const struct folded_in *in, char *text, size_t size, int64_t *count)
{
	char *space = memrchr(text, ' ', size);
	size_t digits;

	if (space == NULL || space == text)
		return NULL;
	digits = strspn(space + 1, "0123456789");
	if (digits == 0 || space[1 + digits] != (in->full ? ',' : '\0') ||
		!json_value_scaled(space + 1, digits, 0, count))
		return NULL;
	return space;
}

/* Is it "# WORD: …" rather than a stack? */
static bool is_remark(const char *text, size_t size)
{
	size_t at = 2;

	if (size < 2 || text[0] != '#' || text[1] != ' ')
		return false;
	while (at < size && islower((unsigned char)text[at]))
		at++;
	return at > 2 && size - at > 1 && text[at] == ':' &&
	       text[at + 1] == ' ' && memchr(text, ';', size) == NULL;
}

/* A remark that sets the unit of the numbers. False if out of memory. */
static bool read_remark(struct folded_in *in, const char *text)
{
	if (strncmp(text, AUSTIN, strlen(AUSTIN)) == 0)
		in->unit_ns = 1000;
	in->full = in->full || strcmp(text, "# mode: full") == 0;
	if (strcmp(text, "# mode: memory") != 0)
		return true;
	in->unit_ns = 1;
	return trace_set_fact(in->from->source.trace, "cost", "memory (bytes)");
}

/* The functions of a stack; `text` is modified. llvm-xray and heaptrack write a
 * semicolon after the last frame too; like flamegraph.pl, we do not take that
 * for a frame without a name. */
static bool push_frames(struct stacks *stacks, char *text, char *end)
{
	end[end[-1] == ';' ? -1 : 0] = '\0';
	while (text != NULL) {
		char *name = strsep(&text, ";");
		uint32_t function =
			profile_add_function(stacks->profile, name, NULL, 0);

		if (function == PROFILE_NONE || !stacks_push(stacks, function))
			return false;
	}
	return true;
}

/* Blank lines and remarks are skipped; all others must be stacks. */
static enum ctp_status add_line(
	struct folded_in *in, struct line *line, struct ctp_error *err)
{
	struct profile_source *from = in->from;
	struct stacks *stacks = &in->stacks;
	char *text = lines_trim(line->text);
	int64_t count;
	char *end = find_count(in, text, strlen(text), &count);

	if (*text == '\0')
		return CTP_OK;
	if (is_remark(text, strlen(text)))
		return read_remark(in, text) ? CTP_OK : ctp_no_memory(err);
	if (end != NULL &&
		!__builtin_mul_overflow(count, in->unit_ns, &count) &&
		stacks_has_room(stacks, (uint64_t)count)) {
		if (!push_frames(stacks, text, end) ||
			!stacks_end(stacks, (uint64_t)count))
			return ctp_no_memory(err);
		return CTP_OK;
	}
	if (stacks->count == 0)
		return ctp_fail_at(err, CTP_ERR_FORMAT, line->at,
			"is no folded stack: a line ends in no whole number");
	trace_lose(from->source.trace,
		line->ended ? LOSS_BAD_EVENTS : LOSS_TRUNCATED, 1);
	return CTP_OK;
}

static enum ctp_status read_folded(
	struct profile_source *from, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;
	struct folded_in in = {.from = from, .unit_ns = 1};
	struct lines lines;
	struct line line;

	stacks_init(&in.stacks, from->profile);
	if (!lines_init(&lines, from->in, from->head.bytes, from->head.used))
		status = ctp_no_memory(err);
	while (status == CTP_OK) {
		status = lines_next(&lines, &line, err);
		if (status == CTP_OK)
			status = add_line(&in, &line, err);
		from->position = lines_position(&lines);
	}
	lines_clear(&lines);
	stacks_clear(&in.stacks);
	return status == CTP_END ? CTP_OK : status;
}

enum ctp_status folded_open(FILE *in, const void *head, size_t head_size,
	const struct read_request *request, struct event_source **out,
	struct ctp_error *err)
{
	return profile_source_open(
		(struct profile_source_input){in, head, head_size, request},
		read_folded, out, err);
}

/* Is this a stack, and one of several functions? */
static bool looks_folded(const char *text, size_t size, bool *several)
{
	size_t end = size;

	while (end > 0 && isspace((unsigned char)text[end - 1]))
		end--;
	size = end;
	while (end > 0 && isdigit((unsigned char)text[end - 1]))
		end--;
	if (end == size || end < 2 || text[end - 1] != ' ')
		return false;
	for (size_t i = 0; i < end; i++)
		if ((unsigned char)text[i] < ' ' && text[i] != '\t')
			return false;
	*several = *several || memchr(text, ';', end) != NULL;
	return true;
}

/* All complete lines must be stacks or remarks. A line that is longer than the
 * probe's bytes only needs separators. */
unsigned folded_probe(const void *bytes, size_t size)
{
	const char *at = bytes;
	const char *end = size == 0 ? NULL : memchr(at, '\n', size);
	bool several = false;
	unsigned bits = 0;

	if (size > strlen(AUSTIN) && memcmp(at, AUSTIN, strlen(AUSTIN)) == 0)
		return BITS_MAX;
	while (end != NULL) {
		size_t length = (size_t)(end - at);
		bool wanted = length > 1 && !is_remark(at, length);

		if (wanted && !looks_folded(at, length, &several))
			return 0;
		bits += wanted && bits < BITS_MAX;
		size -= length + 1;
		at = end + 1;
		end = size == 0 ? NULL : memchr(at, '\n', size);
	}
	if (bits == 0 && size > 0 && looks_folded(at, size, &several))
		bits = 1;
	return several ? bits + 8 : bits;
}
