/* SPDX-License-Identifier: MIT */
/*
 * folded: one line per stack, "root;caller;callee COUNT", for flamegraph.pl,
 * speedscope and gprof2dot -f collapse.
 * Source: https://github.com/brendangregg/FlameGraph, stackcollapse scripts;
 * COUNT is a number of samples there. We write the time in the last function
 * itself in nanoseconds, since readers want whole numbers and a coarser unit
 * would lose short calls: flamegraph.pl --countname=ns shows it right.
 *
 * A stack without time of its own has no line. Where names are the same, the
 * frame says the file as well (label.h), or the reader would merge them.
 */
#include "format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "label.h"

/* The format has no escapes, so its separator must not appear. */
static void change_name(char *name)
{
	for (; (name = strchr(name, ';')) != NULL; name++)
		*name = ':';
}

/*
 * Writes the lines. Nodes are in preorder, so that a parent's stack is always
 * the beginning of the line before; ends[] is how long it is, by node.
 */
static void put_nodes(FILE *out, const struct profile *profile,
	const struct labels *labels, struct buffer *line, size_t *ends)
{
	ends[0] = 0;
	for (uint32_t i = 1; i < profile->node_count && !line->failed; i++) {
		const struct profile_node *node = &profile->nodes[i];

		line->used = ends[node->parent];
		if (line->used > 0)
			buffer_add_byte(line, ';');
		buffer_add_text(line, labels_text(labels, node->function));
		ends[i] = line->used;
		if (node->self_ns == 0 || line->failed)
			continue;
		(void)fwrite(line->bytes, 1, line->used, out);
		(void)fprintf(out, " %" PRIu64 "\n", node->self_ns);
	}
}

static enum ctp_status write_profile(FILE *out, const struct profile *profile,
	const struct format_options *options, struct ctp_error *err)
{
	struct buffer line = BUFFER_INIT;
	struct labels labels;
	enum ctp_status status =
		labels_init(&labels, profile, change_name, err);
	size_t *ends =
		malloc(((size_t)profile->node_count + 1) * sizeof(*ends));

	(void)options;
	if (status == CTP_OK && ends != NULL)
		put_nodes(out, profile, &labels, &line, ends);
	if (status == CTP_OK && (ends == NULL || line.failed))
		status = ctp_fail(err, CTP_ERR_NOMEM, ERROR_NO_OFFSET,
			"out of memory while writing folded stacks");
	free(ends);
	labels_clear(&labels);
	buffer_clear(&line);
	return status;
}

const struct format folded_format = {
	.name = "folded",
	.suffix = ".folded",
	.summary = "folded stacks, for flamegraph.pl and speedscope",
	.needs_tree = true,
	.write_profile = write_profile,
};
