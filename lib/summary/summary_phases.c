/* SPDX-License-Identifier: MIT */
/* The section of sets of rules for phases, and that of their phases. */
#include "summary/summary.h"

#include <string.h>

#include "summary/summary_section.h"

/* Limits of a file: a summary of ctprof has fewer. */
#define SETS_MAX 64
#define ROWS_MAX 1000

bool summary_add_phases(struct summary *summary, const struct phases *phases)
{
	uint64_t losses[LOSS_KINDS] = {0};
	bool done = phase_totals_add(&summary->phases, phases);

	phases_count_losses(phases, losses);
	for (enum trace_loss loss = 0; loss < LOSS_KINDS && done; loss++)
		done = summary_add_count(summary, SUMMARY_PHASES,
			trace_loss_name(loss), losses[loss]);
	return done;
}

/* ---- sets ---- */

static enum ctp_status write_sets(
	struct summary *summary, struct summary_out *out, struct ctp_error *err)
{
	(void)err;
	for (uint32_t i = 0; i < summary->phases.count; i++) {
		const struct phase_total *total = &summary->phases.items[i];

		summary_out_row(out);
		summary_out_text(out, total->rules);
		summary_out_number(out, total->file_count);
		summary_out_number(out, total->flat_count);
		summary_out_number(out, total->thread_count);
		summary_out_number(out, total->unknown_ns);
		summary_out_number(out, total->idle_ns);
		summary_out_end_row(out);
	}
	return CTP_OK;
}

static enum ctp_status read_set(
	struct summary *summary, struct summary_in *in, struct ctp_error *err)
{
	struct phase_totals *totals = &summary->phases;
	uint32_t count = totals->count;
	struct phase_total *total;

	if (count == SETS_MAX)
		return summary_in_fail(in, "too many rows", err);
	total = phase_totals_find(totals, summary_in_text(in));
	if (total == NULL)
		return ctp_no_memory(err);
	if (totals->count == count)
		return summary_in_fail(
			in, "a set of rules is there twice", err);
	total->file_count = summary_in_number(in);
	total->flat_count = summary_in_number(in);
	total->thread_count = summary_in_number(in);
	total->unknown_ns = summary_in_number(in);
	total->idle_ns = summary_in_number(in);
	return total->flat_count <= total->file_count
		       ? CTP_OK
		       : summary_in_fail(in, "a wrong number of inputs", err);
}

static enum ctp_status add_phases(
	struct summary *to, struct summary *from, struct ctp_error *err)
{
	return phase_totals_add_all(&to->phases, &from->phases)
		       ? CTP_OK
		       : ctp_no_memory(err);
}

static void clear_phases(struct summary *summary)
{
	phase_totals_clear(&summary->phases);
}

const struct summary_section summary_phase_sets_section = {
	.name = "phase_sets",
	.write = write_sets,
	.read = read_set,
	.add = add_phases,
	.clear = clear_phases,
};

/* ---- phases ---- */

static enum ctp_status write_phases(
	struct summary *summary, struct summary_out *out, struct ctp_error *err)
{
	(void)err;
	for (uint32_t i = 0; i < summary->phases.count; i++) {
		const struct phase_total *total = &summary->phases.items[i];

		for (uint32_t j = 0; j < total->row_count; j++) {
			const struct phase_row *row = &total->rows[j];

			summary_out_row(out);
			summary_out_text(out, total->rules);
			summary_out_number(out, row->number);
			summary_out_text(out, row->name);
			summary_out_number(out, row->sum.count);
			summary_out_number(out, row->sum.self_ns);
			summary_out_number(out, row->sum.total_ns);
			summary_out_end_row(out);
		}
	}
	return CTP_OK;
}

/* Time without a phase is not a phase; rules have the same limits. */
static bool is_phase(const char *name)
{
	return name[0] != '\0' && name[0] != '(';
}

static enum ctp_status read_phase(
	struct summary *summary, struct summary_in *in, struct ctp_error *err)
{
	struct phase_totals *totals = &summary->phases;
	const char *rules = summary_in_text(in);
	uint32_t number = summary_in_index(in, PHASE_RULES_PHASES_MAX - 1);
	const char *name = summary_in_text(in);
	uint32_t sets = totals->count;
	struct phase_total *total;
	struct phase_row *row;
	uint32_t rows;

	total = rules[0] == '\0' ? NULL : phase_totals_find(totals, rules);
	if (total == NULL || totals->count != sets)
		return summary_in_fail(in, "a phase without its rules", err);
	rows = total->row_count;
	if (rows == ROWS_MAX)
		return summary_in_fail(in, "too many rows", err);
	if (!is_phase(name))
		return summary_in_fail(in, "a wrong name", err);
	row = phase_totals_row(totals, total, number, name);
	if (row == NULL)
		return ctp_no_memory(err);
	if (total->row_count == rows)
		return summary_in_fail(in, "a phase is there twice", err);
	row->sum.count = summary_in_number(in);
	row->sum.self_ns = summary_in_number(in);
	row->sum.total_ns = summary_in_number(in);
	return CTP_OK;
}

/* ---- from events ---- */

static enum ctp_status finish(void *state, struct summary *summary,
	const struct summary_finished *finished, struct ctp_error *err)
{
	(void)state;
	return summary_add_phases(summary, finished->phases)
		       ? CTP_OK
		       : ctp_no_memory(err);
}

static const struct summary_collector collector = {
	.needs_phases = true,
	.finish = finish,
};

const struct summary_section summary_phases_section = {
	.name = SUMMARY_PHASES_SECTION,
	.write = write_phases,
	.read = read_phase,
	.collector = &collector,
};
