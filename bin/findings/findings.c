/* SPDX-License-Identifier: MIT */
#include "findings/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "findings/finding_rules.h"

#define NAME_BYTES ((size_t)72)

/* ---- the rules ---- */

struct finding_rule {
	const char *name;
	const char *section;
	const char *command;
	const char *cure;
	finding_rule_fn *find;
};

static const struct finding_rule rules[] = {
	{"losses", "summary", "ctprof info",
		"record with larger buffers (--buffer-max) or --policy=block, "
		"and complete logs with 'ctprof repair'",
		finding_losses},
	{"gpu_idle", "gaps", "ctprof gaps", NULL, finding_gpu_idle},
	{"exposed_communication", "overlap", "ctprof gaps",
		"let it overlap with computing: smaller buckets, prefetching, "
		"or another way to divide the model",
		finding_exposed_communication},
	{"straggler", "ranks", "ctprof ranks", NULL, finding_straggler},
	{"slow_kernels", "kernels", "ctprof kernels",
		"fuse them, or give them larger and aligned shapes",
		finding_slow_kernels},
	{"memory_growth", "memory", "ctprof report",
		"look for results, tensors with their graph, or caches that "
		"are kept from step to step",
		finding_memory_growth},
	{"allocated_again", "memory", "ctprof report",
		"allocate the buffer once and use it again in each step",
		finding_allocated_again},
	{"recompilations", "compile", "ctprof compilations",
		"mark sizes that change as dynamic (mark_dynamic), and keep "
		"values that change out of the compiled function",
		finding_recompilations},
	{"graph_breaks", "compile", "ctprof compilations",
		"take the code at the place out of the compiled function, or "
		"write it in a way that torch.compile() supports",
		finding_graph_breaks},
	{"headers", "functions", "ctprof stats --group=header",
		"include less, declare types ahead, or precompile the header",
		finding_headers},
	{"templates", "functions", "ctprof stats --group=template-set",
		"instantiate it once (extern template), or with fewer types",
		finding_templates},
	{"recording_cost", "functions", "ctprof stats --sort ncalls",
		"record less: --exclude, --min-ns, or the flags of 'ctprof "
		"cflags'",
		finding_recording_cost},
	{"many_calls", "functions", "ctprof stats --sort ncalls",
		"call it less often, or let it be inlined; profilers make it "
		"look slower than it is",
		finding_many_calls},
	{"slower", "changes", "ctprof diff",
		"begin with the function that grew most; repeat both runs, as "
		"one run of each does not show the noise",
		finding_slower},
	{"gpu_slower", "changes", "ctprof diff --kernels",
		"begin with the kernel that grew most", finding_gpu_slower},
	{"grown", "changes", "ctprof diff --sort self",
		"look at what changed in it, or in its callers if it is called "
		"more often",
		finding_grown},
	{"added", "changes", "ctprof diff --sort self",
		"find out whether it must run, and as often", finding_added},
	{"hot_function", "functions", "ctprof stats --callers",
		"make it faster, or find out from its callers whether it must "
		"run as often",
		finding_hot_function},
};

#define RULES (sizeof(rules) / sizeof(rules[0]))

static int compare(const void *a, const void *b)
{
	const struct finding *one = a;
	const struct finding *other = b;

	if (one->has_share != other->has_share)
		return one->has_share ? 1 : -1;
	if (one->share_ppm != other->share_ppm)
		return one->share_ppm < other->share_ppm ? 1 : -1;
	return strcmp(one->rule, other->rule);
}

void findings_find(
	struct findings *findings, const struct findings_facts *facts)
{
	struct finding found[RULES];
	size_t count = 0;

	for (size_t i = 0; i < RULES; i++) {
		const struct finding_rule *rule = &rules[i];

		found[count] = (struct finding){.rule = rule->name,
			.section = rule->section,
			.command = rule->command,
			.cure = rule->cure};
		count += rule->find(&found[count], facts);
	}
	if (count != 0)
		qsort(found, count, sizeof(*found), compare);
	findings->count = count < FINDINGS_MAX ? count : FINDINGS_MAX;
	memcpy(findings->items, found, findings->count * sizeof(*found));
}

/* ---- words ---- */

bool finding_set_share(struct finding *finding, uint64_t part, uint64_t whole,
	unsigned least_percent)
{
	double share = whole == 0 ? 0 : (double)part / (double)whole;

	finding->has_share = true;
	finding->share_ppm = (uint32_t)((share < 1 ? share : 1) * MILLION);
	return part != 0 && share * 100 >= least_percent;
}

void finding_set_text(struct finding *finding, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(finding->text, sizeof(finding->text), format, args);
	va_end(args);
}

const char *finding_percent(char text[FINDING_PERCENT], uint32_t ppm)
{
	unsigned percent = (ppm + MILLION / 200) / (MILLION / 100);

	(void)snprintf(text, FINDING_PERCENT, "%u %%", percent);
	return text;
}

const char *finding_name(char text[FINDING_NAME], const char *name)
{
	struct buffer line = BUFFER_INIT;
	size_t size;

	utf8_add_printable(&line, name, strlen(name));
	size = line.failed ? 0 : line.used;
	if (size > NAME_BYTES)
		size = utf8_valid_prefix((const char *)line.bytes, NAME_BYTES);
	(void)snprintf(text, FINDING_NAME, "'%.*s%s'", (int)size,
		size == 0 ? "" : (const char *)line.bytes,
		size < line.used ? "\xe2\x80\xa6" : "");
	buffer_clear(&line);
	return text;
}
