/* SPDX-License-Identifier: MIT */
/*
 * folded: one line per stack, "root;caller;callee COUNT", for flamegraph.pl,
 * speedscope and gprof2dot -f collapse. Source:
 * https://github.com/brendangregg/FlameGraph, stackcollapse scripts; COUNT is a
 * number of samples there. We write the self time of the last function in
 * nanoseconds, because readers want whole numbers and a coarser unit would lose
 * short calls: flamegraph.pl --countname=ns labels it correctly.
 *
 * A stack deeper than FOLDED_DEPTH ends in "(deeper)": without a limit, the
 * lines of a recursion grow with the square of its depth.
 *
 * With another metric than the default (format.h), COUNT is that metric, as in
 * PyTorch's export_stacks(). A stack whose COUNT is 0 has no line. Where names
 * are equal, the frame includes the file (label.h), or the reader would merge
 * them.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "format.h"
#include "profiles/label.h"
#include "base/memory.h"
#include "json/json_value.h"
#include "io/lines.h"
#include "io/truncation.h"
#include "profiles/profile_source.h"
#include "profiles/stacks.h"

#define FOLDED_DEPTH 1024

/* The format has no escapes, so its separator must not appear. */
static void change_name(char *name)
{
	for (; (name = strchr(name, ';')) != NULL; name++)
		*name = ':';
}

/* The end of a node's stack in the line: nodes are in preorder, so that a
 * parent's stack is always a prefix of the previous line. */
struct stack {
	size_t end;
	uint32_t depth;
};

struct folded_writer {
	FILE *out;
	const struct profile *profile;
	struct labels labels;
	struct stack *stacks; /* by node */
	uint64_t *values;     /* likewise */
	bool below;           /* values include the nodes below */
	struct buffer line;
	/* The sum of the stacks deeper than the last one with a line. */
	uint64_t deeper;
	size_t deeper_end;
};

static bool is_device(const struct profile *profile, uint32_t node)
{
	return profile->functions[profile->nodes[node].function].device.kind !=
	       PROFILE_HOST;
}

/* Device time counts for the call that launched it. */
static void sum_device(struct folded_writer *lines)
{
	const struct profile *profile = lines->profile;

	for (uint32_t i = profile->node_count; i-- > 1;) {
		const struct profile_node *node = &profile->nodes[i];
		bool device = is_device(profile, i);

		if (device)
			lines->values[i] += node->self_ns;
		if (node->parent == 0 || (!device && !lines->below))
			continue;
		lines->values[node->parent] += lines->values[i];
		if (device)
			lines->values[i] = 0;
	}
}

static void sum_host(struct folded_writer *lines)
{
	const struct profile *profile = lines->profile;

	for (uint32_t i = profile->node_count; i-- > 1;) {
		const struct profile_node *node = &profile->nodes[i];

		if (!is_device(profile, i))
			lines->values[i] += node->self_ns;
		if (lines->below && node->parent != 0)
			lines->values[node->parent] += lines->values[i];
	}
}

/* Computes the value of each path. */
static void sum(struct folded_writer *lines, enum format_metric metric)
{
	const struct profile *profile = lines->profile;

	lines->below = metric == FORMAT_CPU || metric == FORMAT_DEVICE;
	if (metric == FORMAT_SELF_CPU || metric == FORMAT_CPU) {
		sum_host(lines);
	} else if (metric == FORMAT_SELF_DEVICE || metric == FORMAT_DEVICE) {
		sum_device(lines);
	} else {
		for (uint32_t i = 1; i < profile->node_count; i++)
			lines->values[i] = metric == FORMAT_COUNT
						   ? profile->nodes[i].ncalls
						   : profile->nodes[i].self_ns;
	}
}

static void write_line(struct folded_writer *lines, uint64_t value)
{
	if (value == 0 || lines->line.failed)
		return;
	(void)fwrite(lines->line.bytes, 1, lines->line.used, lines->out);
	(void)fprintf(lines->out, " %" PRIu64 "\n", value);
}

static void add_frame(struct folded_writer *lines, const char *name)
{
	if (lines->line.used > 0)
		buffer_add_byte(&lines->line, ';');
	buffer_add_text(&lines->line, name);
}

static void write_deeper(struct folded_writer *lines)
{
	if (lines->deeper == 0)
		return;
	lines->line.used = lines->deeper_end;
	add_frame(lines, "(deeper)");
	write_line(lines, lines->deeper);
	lines->deeper = 0;
}

static void write_nodes(struct folded_writer *lines)
{
	const struct profile *profile = lines->profile;

	lines->stacks[0] = (struct stack){0, 0};
	for (uint32_t i = 1; i < profile->node_count && !lines->line.failed;
		i++) {
		const struct profile_node *node = &profile->nodes[i];
		const struct stack *parent = &lines->stacks[node->parent];

		lines->stacks[i] =
			(struct stack){parent->end, parent->depth + 1};
		if (parent->depth >= FOLDED_DEPTH) {
			/* If values include the nodes below, the topmost
			 * suffices. */
			if (!lines->below || parent->depth == FOLDED_DEPTH)
				lines->deeper += lines->values[i];
			lines->deeper_end = parent->end;
			continue;
		}
		write_deeper(lines);
		lines->line.used = parent->end;
		add_frame(lines, labels_text(&lines->labels, node->function));
		lines->stacks[i].end = lines->line.used;
		write_line(lines, lines->values[i]);
	}
	write_deeper(lines);
}

static enum ctp_status write_profile(FILE *out, const struct profile *profile,
	const struct format_options *options, struct ctp_error *err)
{
	struct folded_writer lines = {
		.out = out, .profile = profile, .line = BUFFER_INIT};
	enum ctp_status status =
		labels_init(&lines.labels, profile, change_name, err);

	lines.stacks = memory_resize_array(
		NULL, (size_t)profile->node_count + 1, sizeof(*lines.stacks));
	lines.values = memory_new_zeroed(
		(size_t)profile->node_count + 1, sizeof(*lines.values));
	if (status == CTP_OK && lines.stacks != NULL && lines.values != NULL) {
		sum(&lines, options == NULL ? FORMAT_USUAL : options->metric);
		write_nodes(&lines);
	}
	if (status == CTP_OK && (lines.stacks == NULL || lines.values == NULL ||
					lines.line.failed))
		status = ctp_fail(err, CTP_ERR_NOMEM,
			"out of memory while writing folded stacks");
	memory_free(lines.stacks);
	memory_free(lines.values);
	labels_clear(&lines.labels);
	buffer_clear(&lines.line);
	return status;
}

/*
 * The reader takes our folded stacks and those of the stackcollapse scripts.
 * The number at a line's end is read as nanoseconds, as in our own files; where
 * it counts samples, a sample is 1 ns. A frame's whole text is the function's
 * name, so that a file is written again unchanged. Lines that do not end in a
 * whole number are left out and counted.
 *
 * Austin's files, recognized by the line "# austin: VERSION", have more such
 * lines, and microseconds, or bytes, which may be negative, or with "# mode:
 * full", "MICROSECONDS,IDLE,BYTES". Source:
 * https://github.com/P403n1x87/austin, README.md, "Normal Output".
 */

/* Most bits that the probe's lines add up to. */
#define BITS_MAX 24u

/* The first line of Austin's files. */
#define AUSTIN "# austin: "

struct folded_in {
	struct profile_source *from;
	struct stacks stacks;
	int64_t unit_ns; /* nanoseconds per unit of the numbers */
	bool full;       /* the number is the first of several */
	uint64_t line_number;
	struct ctp_error first_bad; /* of a line before the first stack */
	bool has_bad;
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

/* A line that is not a stack is left out. The first is named; without a stack
 * in the file, it is the file's error. */
static enum ctp_status skip_line(struct folded_in *in, const struct line *line,
	const char *why, struct ctp_error *err)
{
	struct trace *trace = in->from->source.trace;
	char text[96];

	trace_lose(trace, line->ended ? LOSS_BAD_EVENTS : LOSS_TRUNCATED, 1);
	if (in->has_bad)
		return CTP_OK;
	in->has_bad = true;
	(void)ctp_fail_at(&in->first_bad, CTP_ERR_FORMAT, line->at,
		"is not a folded stack: a line does not end in a whole number");
	(void)snprintf(text, sizeof(text), "line %" PRIu64 " %s: left out",
		in->line_number, why);
	return trace_set_fact(trace, "damage", text) ? CTP_OK
						     : ctp_no_memory(err);
}

/* Blank lines and remarks are skipped; all others must be stacks. */
static enum ctp_status add_line(
	struct folded_in *in, struct line *line, struct ctp_error *err)
{
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
	return skip_line(in, line,
		end == NULL ? "does not end in a whole number"
			    : "has a number that is too large",
		err);
}

/* `ended`: the last line has a line end. */
static enum ctp_status finish(
	const struct folded_in *in, bool ended, struct ctp_error *err)
{
	if (in->stacks.count == 0 && in->has_bad) {
		if (err != NULL)
			*err = in->first_bad;
		return CTP_ERR_FORMAT;
	}
	return ended || truncation_suspect(in->from->source.trace,

				"its last line has no line end")
		       ? CTP_OK
		       : ctp_no_memory(err);
}

static enum ctp_status read_folded(
	struct profile_source *from, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;
	struct folded_in in = {.from = from, .unit_ns = 1};
	struct lines lines;
	struct line line;
	bool ended = true;

	stacks_init(&in.stacks, from->profile);
	if (!lines_init(&lines, from->in, from->head.bytes, from->head.used))
		status = ctp_no_memory(err);
	while (status == CTP_OK) {
		status = lines_next(&lines, &line, err);
		in.line_number++;
		if (status == CTP_OK) {
			ended = line.ended;
			status = add_line(&in, &line, err);
		}
		from->position = lines_position(&lines);
	}
	if (status == CTP_END)
		status = finish(&in, ended, err);
	lines_clear(&lines);
	stacks_clear(&in.stacks);
	return status;
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

/* At least two of three complete lines must be stacks, apart from remarks. A
 * line that is longer than the probe's bytes only needs separators. */
static unsigned folded_probe(const void *bytes, size_t size)
{
	const char *at = bytes;
	const char *end = size == 0 ? NULL : memchr(at, '\n', size);
	bool several = false;
	unsigned bits = 0;
	unsigned good = 0;
	unsigned bad = 0;

	if (size > strlen(AUSTIN) && memcmp(at, AUSTIN, strlen(AUSTIN)) == 0)
		return BITS_MAX;
	while (end != NULL) {
		size_t length = (size_t)(end - at);

		if (length > 1 && !is_remark(at, length)) {
			if (looks_folded(at, length, &several))
				good++;
			else
				bad++;
		}
		size -= length + 1;
		at = end + 1;
		end = size == 0 ? NULL : memchr(at, '\n', size);
	}
	if (bad > 0 && (good < 2 * bad || !several))
		return 0;
	bits = good - bad < BITS_MAX ? good - bad : BITS_MAX;
	if (bits == 0 && size > 0 && looks_folded(at, size, &several))
		bits = 1;
	return several ? bits + 8 : bits;
}

const struct format folded_format = {
	.name = "folded",
	.suffix = ".folded",
	.summary = "folded stacks, for flamegraph.pl and speedscope",
	.needs_tree = true,
	.has_metrics = true,
	.probe = folded_probe,
	.read_profile = read_folded,
	.write_profile = write_profile,
};
