/* SPDX-License-Identifier: MIT */
/*
 * pprof: a gzip'd protocol buffers message, for pprof, speedscope, Grafana and
 * Perfetto. Source: https://github.com/google/pprof, proto/profile.proto.
 *
 * A sample is a call path, its leaf first, with two values: the calls, and the
 * self time of the leaf in nanoseconds. The line of a call is unknown, so a
 * function is one location.
 *
 * A path deeper than PPROF_DEPTH ends in "(deeper)", as in folded stacks: each
 * path names all its functions, so that the size of a recursion would grow with
 * the square of its depth.
 */
#include "pprof/pprof.h"

#include <string.h>

#include "base/buffer.h"
#include "format.h"
#include "io/gzip_file.h"
#include "base/memory.h"
#include "protobuf/protobuf.h"
#include "base/utf8.h"

#define PPROF_DEPTH 1024

/* Size at which the buffer is written. */
#define PART_BYTES ((size_t)256 * 1024)

struct pprof {
	FILE *out;
	const struct profile *profile;
	struct strtab *text;
	uint32_t *depths;    /* by node */
	struct buffer bytes; /* to be written */
	struct buffer valid; /* scratch: text in UTF-8 */
};

/* Write errors show on the stream. */
static bool flush(struct pprof *pprof)
{
	if (pprof->bytes.failed)
		return false;
	(void)fwrite(pprof->bytes.bytes, 1, pprof->bytes.used, pprof->out);
	pprof->bytes.used = 0;
	return true;
}

/* Completes a field of the profile. */
static bool end_field(struct pprof *pprof, size_t begun)
{
	protobuf_end(&pprof->bytes, begun);
	return pprof->bytes.used < PART_BYTES || flush(pprof);
}

static uint64_t add_text(struct pprof *pprof, const char *text)
{
	uint32_t number;

	pprof->valid.used = 0;
	(void)utf8_add_valid(&pprof->valid, text, strlen(text));
	number = strtab_add(
		pprof->text, (char *)pprof->valid.bytes, pprof->valid.used);
	if (pprof->valid.failed || number == STRTAB_NONE)
		pprof->bytes.failed = true;
	return number;
}

static bool write_type(struct pprof *pprof, const char *type, const char *unit)
{
	struct buffer *bytes = &pprof->bytes;
	size_t begun = protobuf_begin(bytes, PROFILE_SAMPLE_TYPE);

	protobuf_add_uint(bytes, VALUE_TYPE_TYPE, add_text(pprof, type));
	protobuf_add_uint(bytes, VALUE_TYPE_UNIT, add_text(pprof, unit));
	return end_field(pprof, begun);
}

/* A function and its location; ids begin with 1. */
static bool write_function(struct pprof *pprof, uint32_t id,
	const struct profile_function *function)
{
	struct buffer *bytes = &pprof->bytes;
	uint64_t name = add_text(pprof, function->name);
	size_t begun = protobuf_begin(bytes, PROFILE_FUNCTION);
	size_t line;

	protobuf_add_uint(bytes, FUNCTION_ID, id);
	protobuf_add_uint(bytes, FUNCTION_NAME, name);
	protobuf_add_uint(bytes, FUNCTION_SYSTEM_NAME, name);
	protobuf_add_uint(
		bytes, FUNCTION_FILENAME, add_text(pprof, function->file));
	protobuf_add_uint(bytes, FUNCTION_START_LINE, function->line);
	protobuf_end(bytes, begun);

	begun = protobuf_begin(bytes, PROFILE_LOCATION);
	protobuf_add_uint(bytes, LOCATION_ID, id);
	line = protobuf_begin(bytes, LOCATION_LINE);
	protobuf_add_uint(bytes, LINE_FUNCTION_ID, id);
	protobuf_add_uint(bytes, LINE_LINE, function->line);
	protobuf_end(bytes, line);
	return end_field(pprof, begun);
}

static bool write_functions(struct pprof *pprof)
{
	static const struct profile_function deeper = {
		.name = "(deeper)", .file = ""};
	const struct profile *profile = pprof->profile;
	uint32_t count = profile->function_count;
	bool done = true;

	for (uint32_t i = 0; i < count && done; i++)
		done = write_function(pprof, i + 1, &profile->functions[i]);
	return done && write_function(pprof, count + 1, &deeper);
}

/* The values of one path, or of all paths below it. */
struct path_cost {
	uint64_t ncalls;
	uint64_t self_ns;
};

/* The path to `node`; with `deeper`, to the nodes below it. */
static bool write_sample(
	struct pprof *pprof, uint32_t node, bool deeper, struct path_cost sums)
{
	const struct profile *profile = pprof->profile;
	struct buffer *bytes = &pprof->bytes;
	size_t begun = protobuf_begin(bytes, PROFILE_SAMPLE);
	size_t packed = protobuf_begin(bytes, SAMPLE_LOCATION_ID);

	if (deeper)
		protobuf_add_varint(bytes, profile->function_count + 1);
	for (; node != 0; node = profile->nodes[node].parent)
		protobuf_add_varint(bytes, profile->nodes[node].function + 1);
	protobuf_end(bytes, packed);
	packed = protobuf_begin(bytes, SAMPLE_VALUE);
	protobuf_add_varint(bytes, sums.ncalls);
	protobuf_add_varint(bytes, sums.self_ns);
	protobuf_end(bytes, packed);
	return end_field(pprof, begun);
}

/* Nodes are in preorder: a node's descendants follow it. */
static bool write_samples(struct pprof *pprof)
{
	const struct profile *profile = pprof->profile;
	bool done = true;
	uint32_t i = 1;

	while (i < profile->node_count && done) {
		const struct profile_node *node = &profile->nodes[i];
		struct path_cost below = {0, 0};
		uint32_t at = i;

		pprof->depths[i] = pprof->depths[node->parent] + 1;
		done = write_sample(pprof, i++, false,
			(struct path_cost){node->ncalls, node->self_ns});
		if (pprof->depths[at] < PPROF_DEPTH)
			continue;
		for (; i < profile->node_count &&
			profile->nodes[i].parent >= at;
			i++) {
			below.ncalls += profile->nodes[i].ncalls;
			below.self_ns += profile->nodes[i].self_ns;
		}
		if (done && below.ncalls > 0)
			done = write_sample(pprof, at, true, below);
	}
	return done;
}

static bool write_texts(struct pprof *pprof)
{
	bool done = true;

	for (uint32_t i = 0; i < strtab_count(pprof->text) && done; i++) {
		size_t size;
		const char *text = strtab_text(pprof->text, i, &size);

		protobuf_add_bytes(
			&pprof->bytes, PROFILE_STRING_TABLE, text, size);
		done = pprof->bytes.used < PART_BYTES || flush(pprof);
	}
	return done;
}

static bool write_message(struct pprof *pprof)
{
	if (!write_type(pprof, PPROF_CALLS, PPROF_COUNT) ||
		!write_type(pprof, "time", "nanoseconds"))
		return false;
	protobuf_add_uint(&pprof->bytes, PROFILE_DEFAULT_SAMPLE_TYPE,
		add_text(pprof, "time"));
	return write_functions(pprof) && write_samples(pprof) &&
	       write_texts(pprof) && flush(pprof);
}

static bool init(struct pprof *pprof)
{
	pprof->text = strtab_new();
	pprof->depths = memory_new_zeroed(
		(size_t)pprof->profile->node_count + 1, sizeof(uint32_t));
	return pprof->out != NULL && pprof->text != NULL &&
	       pprof->depths != NULL;
}

static enum ctp_status write_profile(FILE *out, const struct profile *profile,
	const struct format_options *options, struct ctp_error *err)
{
	struct pprof pprof = {.out = gzip_file_open(out),
		.profile = profile,
		.bytes = BUFFER_INIT,
		.valid = BUFFER_INIT};
	bool done = init(&pprof) && write_message(&pprof);

	(void)options;
	if (pprof.out != NULL)
		(void)fclose(pprof.out);
	buffer_clear(&pprof.valid);
	buffer_clear(&pprof.bytes);
	memory_free(pprof.depths);
	strtab_free(pprof.text);
	if (!done)
		return ctp_fail(err, CTP_ERR_NOMEM,
			"out of memory while writing a profile for pprof");
	return CTP_OK;
}

const struct format pprof_format = {
	.name = "pprof",
	.suffix = ".pb.gz",
	.summary = "pprof's profile of call paths, for pprof and speedscope",
	.binary = true,
	.packed = true,
	.needs_tree = true,
	.probe = pprof_probe,
	.read_profile = pprof_read,
	.write_profile = write_profile,
};
