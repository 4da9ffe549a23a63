/* SPDX-License-Identifier: MIT */
/* Sections of ranks, of the spread over them, and of their collectives. */
#include "summary/summary_section.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "ranks/collective_kind.h"
#include "ranks/ranks.h"
#include "ranks/ranks_input.h"

#define BUCKETS_MAX 975 /* spread_bucket_of(UINT64_MAX) */

struct ranks *summary_ranks(struct summary *summary)
{
	if (summary->ranks == NULL)
		summary->ranks = ranks_new();
	return summary->ranks;
}

static const char *text_of(const struct ranks *ranks, uint32_t number)
{
	return strtab_text(ranks->text, number, NULL);
}

/* A rank in a file: 0 is an unknown one. */
static void write_rank(struct summary_out *out, int64_t rank)
{
	summary_out_number(
		out, rank == SPREAD_RANK_NONE ? 0 : (uint64_t)rank + 1);
}

static int64_t read_rank(struct summary_in *in)
{
	uint64_t number = summary_in_number(in);

	return number == 0 || number > INT64_MAX ? SPREAD_RANK_NONE
						 : (int64_t)(number - 1);
}

/* ---- collecting ---- */

struct state {
	struct trace *trace;
	struct ranks_input *input;
};

static void end(void *user)
{
	struct state *state = user;

	ranks_input_free(state->input);
	memory_free(state);
}

static void *begin(struct trace *trace)
{
	struct state *state = memory_new_zeroed(1, sizeof(*state));
	const struct phase_sets *sets = phase_sets_shipped();

	if (state == NULL)
		return NULL;
	state->trace = trace;
	if (sets != NULL)
		state->input = ranks_input_new(trace, sets);
	if (state->input != NULL)
		return state;
	end(state);
	return NULL;
}

static enum ctp_status add_event(
	void *user, const struct event *event, struct ctp_error *err)
{
	struct state *state = user;

	return ranks_input_add(state->input, event, err);
}

static enum ctp_status finish(void *user, struct summary *summary,
	const struct summary_finished *finished, struct ctp_error *err)
{
	struct state *state = user;
	struct ranks *ranks = summary_ranks(summary);
	struct ranks_place place;
	enum ctp_status status;

	if (ranks == NULL)
		return ctp_no_memory(err);
	ranks_place_find(&place, finished->input->path, finished->input->rank,
		state->trace);
	status = ranks_input_finish(state->input, &place,
		&(struct ranks_analyses){
			finished->gaps, finished->profile, finished->phases},
		ranks, err);
	return status == CTP_END ? CTP_OK : status;
}

static const struct summary_collector collector = {
	.needs_gaps = true,
	.needs_profile = true,
	.needs_phases = true,
	.args = collective_args,
	.begin = begin,
	.add = add_event,
	.finish = finish,
	.free = end,
};

/* ---- job ---- */

static enum ctp_status write_job(
	struct summary *summary, struct summary_out *out, struct ctp_error *err)
{
	const struct ranks *ranks = summary->ranks;

	if (ranks == NULL)
		return CTP_OK;
	if (!ranks_sort(summary->ranks))
		return ctp_no_memory(err);
	summary_out_row(out);
	summary_out_number(out, ranks->recordings);
	summary_out_number(out, ranks->world);
	summary_out_number(out, ranks->collectives.left_out);
	summary_out_end_row(out);
	return CTP_OK;
}

static enum ctp_status read_job(
	struct summary *summary, struct summary_in *in, struct ctp_error *err)
{
	struct ranks *ranks;

	/* It comes before the sections that belong to it. */
	if (summary->ranks != NULL)
		return summary_in_fail(in, "a second job", err);
	ranks = summary_ranks(summary);
	if (ranks == NULL)
		return ctp_no_memory(err);
	ranks->recordings = summary_in_number(in);
	ranks->world = summary_in_number(in);
	ranks->collectives.left_out = summary_in_number(in);
	return CTP_OK;
}

static enum ctp_status add_job(
	struct summary *to, struct summary *from, struct ctp_error *err)
{
	if (from->ranks == NULL)
		return CTP_OK;
	if (to->ranks == NULL) {
		to->ranks = from->ranks;
		from->ranks = NULL;
		return CTP_OK;
	}
	return ranks_add(to->ranks, from->ranks) ? CTP_OK : ctp_no_memory(err);
}

static void clear_job(struct summary *summary)
{
	ranks_free(summary->ranks);
	summary->ranks = NULL;
}

const struct summary_section summary_job_section = {
	.name = "job",
	.write = write_job,
	.read = read_job,
	.add = add_job,
	.collector = &collector,
	.clear = clear_job,
};

/* ---- ranks ---- */

#define TIMES (sizeof(struct rank_times) / sizeof(uint64_t))

static enum ctp_status write_ranks(
	struct summary *summary, struct summary_out *out, struct ctp_error *err)
{
	const struct ranks *ranks = summary->ranks;

	(void)err;
	for (uint32_t i = 0; ranks != NULL && i < ranks->row_count; i++) {
		const struct rank_row *row = &ranks->rows[i];
		const uint64_t *times = (const uint64_t *)&row->times;

		summary_out_row(out);
		write_rank(out, row->rank);
		summary_out_text(out, text_of(ranks, row->input));
		summary_out_signed(out, row->pid);
		summary_out_number(out, (uint64_t)(row->device + 1));
		summary_out_text(out, text_of(ranks, row->host));
		for (size_t time = 0; time < TIMES; time++)
			summary_out_number(out, times[time]);
		summary_out_end_row(out);
	}
	return CTP_OK;
}

static enum ctp_status read_row(
	struct summary *summary, struct summary_in *in, struct ctp_error *err)
{
	struct ranks *ranks = summary_ranks(summary);
	uint32_t count = ranks == NULL ? 0 : ranks->row_count;
	struct rank_row_key key;
	struct rank_row *row;
	const char *host;
	uint64_t *times;

	key.rank = read_rank(in);
	key.input = summary_in_text(in);
	key.pid = summary_in_signed(in);
	key.device = (int64_t)summary_in_index(in, UINT32_MAX) - 1;
	host = summary_in_text(in);
	row = ranks == NULL ? NULL : ranks_row(ranks, &key);
	if (row == NULL || !ranks_set_host(ranks, row, host))
		return ctp_no_memory(err);
	if (ranks->row_count == count)
		return summary_in_fail(in, "a rank is there twice", err);
	times = (uint64_t *)&row->times;
	for (size_t time = 0; time < TIMES; time++)
		times[time] = summary_in_number(in);
	if (row->times.kernel_ns < row->times.compute_ns)
		return summary_in_fail(in, "a rank has impossible times", err);
	return CTP_OK;
}

const struct summary_section summary_ranks_section = {
	.name = "ranks",
	.write = write_ranks,
	.read = read_row,
};

/* ---- runs ---- */

static enum ctp_status write_runs(
	struct summary *summary, struct summary_out *out, struct ctp_error *err)
{
	const struct ranks *ranks = summary->ranks;

	(void)err;
	for (uint32_t i = 0; ranks != NULL && i < ranks->row_count; i++)
		for (uint32_t j = 0; j < ranks->rows[i].run_count; j++) {
			const struct rank_run *run = &ranks->rows[i].runs[j];

			summary_out_row(out);
			summary_out_number(out, i);
			summary_out_number(out, run->series);
			summary_out_number(out, run->first);
			summary_out_number(out, run->last - run->first);
			summary_out_end_row(out);
		}
	return CTP_OK;
}

static enum ctp_status read_run(
	struct summary *summary, struct summary_in *in, struct ctp_error *err)
{
	struct ranks *ranks = summary_ranks(summary);
	uint64_t row = summary_in_number(in);
	struct rank_run run;

	run.series = summary_in_number(in);
	run.first = summary_in_number(in);
	run.last = summary_in_number(in);
	if (ranks == NULL)
		return ctp_no_memory(err);
	if (row >= ranks->row_count ||
		__builtin_add_overflow(run.first, run.last, &run.last) ||
		run.last == UINT64_MAX)
		return summary_in_fail(
			in, "a run of collectives is wrong", err);
	return rank_row_add_run(&ranks->rows[row], &run) ? CTP_OK
							 : ctp_no_memory(err);
}

const struct summary_section summary_runs_section = {
	.name = "runs",
	.write = write_runs,
	.read = read_run,
};

/* ---- spread ---- */

/* At the end of a row: buckets as their distance from the one before, with
 * counts. */
static void write_spread(struct summary_out *out, const struct spread *spread)
{
	uint32_t before = 0;

	summary_out_number(out, spread->count);
	summary_out_number(out, spread->sum_ns);
	summary_out_number(out, (uint64_t)(spread->squares >> 64));
	summary_out_number(out, (uint64_t)spread->squares);
	summary_out_number(out, spread->min_ns);
	write_rank(out, spread->min_rank);
	summary_out_number(out, spread->max_ns);
	write_rank(out, spread->max_rank);
	for (uint32_t i = 0; i < spread->bucket_count; i++) {
		summary_out_number(out, spread->buckets[i].number - before);
		summary_out_number(out, spread->buckets[i].count);
		before = spread->buckets[i].number;
	}
}

/* Whether the limits are in the first and in the last bucket. */
static bool has_its_limits(const struct spread *spread)
{
	const struct spread_bucket *buckets = spread->buckets;
	uint32_t count = spread->bucket_count;

	for (uint32_t i = 0; i < count; i++)
		if (buckets[i].count == 0)
			return false;
	return count > 0 && spread->min_ns <= spread->max_ns &&
	       spread_bucket_of(spread->min_ns) == buckets[0].number &&
	       spread_bucket_of(spread->max_ns) == buckets[count - 1].number;
}

static enum ctp_status read_spread(
	struct summary_in *in, struct spread *spread, struct ctp_error *err)
{
	uint64_t number = 0;
	uint64_t sum = 0;

	*spread = (struct spread){.count = summary_in_number(in)};
	spread->sum_ns = summary_in_number(in);
	spread->squares = (spread_wide)summary_in_number(in) << 64;
	spread->squares |= summary_in_number(in);
	spread->min_ns = summary_in_number(in);
	spread->min_rank = read_rank(in);
	spread->max_ns = summary_in_number(in);
	spread->max_rank = read_rank(in);
	while (summary_in_left(in) >= 2) {
		number += summary_in_index(in, BUCKETS_MAX);
		if (number > BUCKETS_MAX ||
			(spread->bucket_count > 0 &&
				number == spread->buckets[spread->bucket_count -
							  1]
						  .number))
			return summary_in_fail(in, "a histogram is wrong", err);
		if (!array_reserve32(&spread->buckets, spread->bucket_count,
			    &spread->bucket_room, sizeof(*spread->buckets)))
			return ctp_no_memory(err);
		spread->buckets[spread->bucket_count++] =
			(struct spread_bucket){
				(uint32_t)number, summary_in_number(in)};
		sum = saturate_sum(
			sum, spread->buckets[spread->bucket_count - 1].count);
	}
	return sum == spread->count && summary_in_left(in) == 0 &&
			       has_its_limits(spread)
		       ? CTP_OK
		       : summary_in_fail(in, "a histogram is wrong", err);
}

static void write_item(struct summary_out *out, const struct ranks *ranks,
	const struct rank_item *item, bool total)
{
	const struct spread *spread = total ? &item->total : &item->self;

	if (spread->count == 0)
		return;
	summary_out_row(out);
	summary_out_number(out, (uint64_t)item->kind);
	summary_out_text(out, text_of(ranks, item->name));
	summary_out_text(out, text_of(ranks, item->file));
	summary_out_number(out, item->line);
	summary_out_number(out, total);
	write_spread(out, spread);
	summary_out_end_row(out);
}

static enum ctp_status write_items(
	struct summary *summary, struct summary_out *out, struct ctp_error *err)
{
	const struct ranks *ranks = summary->ranks;

	(void)err;
	for (uint32_t i = 0; ranks != NULL && i < ranks->item_count; i++) {
		write_item(out, ranks, &ranks->items[i], false);
		write_item(out, ranks, &ranks->items[i], true);
	}
	return CTP_OK;
}

static enum ctp_status read_item(
	struct summary *summary, struct summary_in *in, struct ctp_error *err)
{
	struct ranks *ranks = summary_ranks(summary);
	struct rank_item_key key = {
		.kind = (enum rank_item_kind)summary_in_index(
			in, RANK_ITEM_KINDS - 1)};
	uint32_t total;
	struct rank_item *item;
	struct spread *spread;

	key.name = summary_in_text(in);
	key.file = summary_in_text(in);
	key.line = summary_in_index(in, UINT32_MAX);
	total = summary_in_index(in, 1);
	item = ranks == NULL ? NULL : ranks_item(ranks, &key);
	if (item == NULL)
		return ctp_no_memory(err);
	spread = total != 0 ? &item->total : &item->self;
	if (spread->count != 0)
		return summary_in_fail(in, "a spread is there twice", err);
	return read_spread(in, spread, err);
}

const struct summary_section summary_spread_section = {
	.name = "spread",
	.write = write_items,
	.read = read_item,
};

/* ---- collectives ---- */

static enum ctp_status write_collectives(
	struct summary *summary, struct summary_out *out, struct ctp_error *err)
{
	const struct ranks *ranks = summary->ranks;

	(void)err;
	for (uint32_t i = 0; ranks != NULL && i < ranks->collectives.kind_count;
		i++) {
		const struct collective_stats *stats =
			&ranks->collectives.kinds[i];
		const struct collective_kind *kind = &stats->kind;

		summary_out_row(out);
		summary_out_text(out, collective_op_name(kind->op));
		summary_out_text(out, kind->dtype);
		summary_out_text(out, kind->group);
		summary_out_number(out, kind->ranks);
		/* 0 is unknown. */
		summary_out_number(out, kind->bytes + 1);
		write_spread(out, &stats->durations);
		summary_out_end_row(out);
	}
	return CTP_OK;
}

static enum collective_op find_op(const char *name)
{
	int op = 0;

	while (op < COLLECTIVE_OPS &&
		strcmp(collective_op_name((enum collective_op)op), name) != 0)
		op++;
	return op < COLLECTIVE_OPS ? (enum collective_op)op : COLLECTIVE_OTHER;
}

static enum ctp_status read_collective(
	struct summary *summary, struct summary_in *in, struct ctp_error *err)
{
	struct ranks *ranks = summary_ranks(summary);
	struct collective_kind kind = {.op = find_op(summary_in_text(in))};
	const char *dtype = summary_in_text(in);
	const char *group = summary_in_text(in);
	uint32_t count;
	uint32_t found;

	kind.ranks = summary_in_index(in, UINT32_MAX);
	kind.bytes = summary_in_number(in) - 1;
	if (strlen(dtype) >= sizeof(kind.dtype) ||
		strlen(group) >= sizeof(kind.group))
		return summary_in_fail(in, "a name is too long", err);
	memcpy(kind.dtype, dtype, strlen(dtype) + 1);
	memcpy(kind.group, group, strlen(group) + 1);
	if (ranks == NULL)
		return ctp_no_memory(err);
	count = ranks->collectives.kind_count;
	found = collectives_kind(&ranks->collectives, &kind);
	if (found == INDEX_NONE)
		return ctp_no_memory(err);
	if (found != count)
		return summary_in_fail(in, "a collective is there twice", err);
	return read_spread(in, &ranks->collectives.kinds[found].durations, err);
}

const struct summary_section summary_collectives_section = {
	.name = "collectives",
	.write = write_collectives,
	.read = read_collective,
};

/* ---- instances ---- */

static enum ctp_status write_instances(
	struct summary *summary, struct summary_out *out, struct ctp_error *err)
{
	const struct ranks *ranks = summary->ranks;
	uint32_t count = ranks == NULL ? 0 : ranks->collectives.instance_count;

	(void)err;
	for (uint32_t i = 0; i < count; i++) {
		const struct collective_instance *instance =
			&ranks->collectives.instances[i];

		summary_out_row(out);
		summary_out_number(out, instance->series);
		summary_out_number(out, instance->number);
		summary_out_number(out, instance->kind);
		summary_out_number(out, instance->count);
		summary_out_number(out, instance->sum_ns);
		summary_out_number(out, instance->min_ns);
		summary_out_number(out, instance->max_ns);
		write_rank(out, instance->min_rank);
		summary_out_end_row(out);
	}
	return CTP_OK;
}

static enum ctp_status read_instance(
	struct summary *summary, struct summary_in *in, struct ctp_error *err)
{
	struct ranks *ranks = summary_ranks(summary);
	struct collective_instance instance;
	uint32_t count;

	instance.series = summary_in_number(in);
	instance.number = summary_in_number(in);
	instance.kind = summary_in_index(in, UINT32_MAX);
	instance.count = summary_in_number(in);
	instance.sum_ns = summary_in_number(in);
	instance.min_ns = summary_in_number(in);
	instance.max_ns = summary_in_number(in);
	instance.min_rank = read_rank(in);
	if (ranks == NULL)
		return ctp_no_memory(err);
	if (instance.kind >= ranks->collectives.kind_count ||
		instance.count == 0 || instance.min_ns > instance.max_ns ||
		instance.sum_ns < instance.max_ns)
		return summary_in_fail(
			in, "an instance of a collective is wrong", err);
	count = ranks->collectives.instance_count;
	if (!collectives_add_instance(&ranks->collectives, &instance))
		return ctp_no_memory(err);
	return ranks->collectives.instance_count > count
		       ? CTP_OK
		       : summary_in_fail(in, "an instance is there twice", err);
}

const struct summary_section summary_instances_section = {
	.name = "instances",
	.write = write_instances,
	.read = read_instance,
};
