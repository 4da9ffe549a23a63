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
#include "flamegraph/folded.h"

#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "format.h"
#include "profiles/label.h"
#include "base/memory.h"

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

struct lines {
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
static void sum_device(struct lines *lines)
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

static void sum_host(struct lines *lines)
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
static void sum(struct lines *lines, enum format_metric metric)
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

static void put_line(struct lines *lines, uint64_t value)
{
	if (value == 0 || lines->line.failed)
		return;
	(void)fwrite(lines->line.bytes, 1, lines->line.used, lines->out);
	(void)fprintf(lines->out, " %" PRIu64 "\n", value);
}

static void add_frame(struct lines *lines, const char *name)
{
	if (lines->line.used > 0)
		buffer_add_byte(&lines->line, ';');
	buffer_add_text(&lines->line, name);
}

static void put_deeper(struct lines *lines)
{
	if (lines->deeper == 0)
		return;
	lines->line.used = lines->deeper_end;
	add_frame(lines, "(deeper)");
	put_line(lines, lines->deeper);
	lines->deeper = 0;
}

static void put_nodes(struct lines *lines)
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
		put_deeper(lines);
		lines->line.used = parent->end;
		add_frame(lines, labels_text(&lines->labels, node->function));
		lines->stacks[i].end = lines->line.used;
		put_line(lines, lines->values[i]);
	}
	put_deeper(lines);
}

static enum ctp_status write_profile(FILE *out, const struct profile *profile,
	const struct format_options *options, struct ctp_error *err)
{
	struct lines lines = {
		.out = out, .profile = profile, .line = BUFFER_INIT};
	enum ctp_status status =
		labels_init(&lines.labels, profile, change_name, err);

	lines.stacks = memory_resize_array(
		NULL, (size_t)profile->node_count + 1, sizeof(*lines.stacks));
	lines.values = memory_new_zeroed(
		(size_t)profile->node_count + 1, sizeof(*lines.values));
	if (status == CTP_OK && lines.stacks != NULL && lines.values != NULL) {
		sum(&lines, options == NULL ? FORMAT_USUAL : options->metric);
		put_nodes(&lines);
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

const struct format folded_format = {
	.name = "folded",
	.suffix = ".folded",
	.summary = "folded stacks, for flamegraph.pl and speedscope",
	.needs_tree = true,
	.has_metrics = true,
	.holds_profile = true,
	.probe = folded_probe,
	.open_events = folded_open,
	.write_profile = write_profile,
};
