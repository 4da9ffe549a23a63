/* SPDX-License-Identifier: MIT */
#include "json_repair/repair.h"

#include "base/memory.h"
#include "json_repair/repair_private.h"

static enum repair_step step(struct repair *repair)
{
	if (repair->is_searching)
		return repair_search(repair);
	return repair->depth == 0 ? repair_document(repair)
				  : repair_unit(repair);
}

/* In the half of an event that is left, brackets may be lost, so that others
 * lie within. */
static bool search_half(struct repair *repair)
{
	if (!repair->is_half || repair->was_half ||
		!repair_level(repair)->is_events)
		return false;
	repair_count(repair, REPAIR_TRUNCATED, repair->half);
	repair_leave_out(repair, repair->half + 1);
	repair->is_half = false;
	repair->was_half = true;
	repair->is_searching = true;
	return true;
}

/* Was a trace cut off before its events? There may be nothing of it at all. */
static bool lacks_events(const struct repair *repair)
{
	if (!repair->has_document)
		return repair_fix_total(&repair->result->fixes) == 0;
	return repair->depth > 0 && !repair->has_events &&
	       !repair->levels[0].hidden &&
	       (repair->has_header || !repair->levels[0].has_item);
}

/* The input is at its end: what is open is closed. */
static enum ctp_status finish(struct repair *repair, struct ctp_error *err)
{
	size_t end = repair->window.used;
	bool lacking = lacks_events(repair);

	if (!repair->has_document && !lacking)
		return ctp_fail(err, CTP_ERR_FORMAT, ERROR_NO_OFFSET,
			"holds neither an object nor an array of JSON");
	if (repair->is_half) {
		repair_count(repair, REPAIR_TRUNCATED, repair->half);
		repair_leave_out(repair, end);
	}
	/* White space that is left. */
	for (size_t at = repair->at; at < end; at++)
		if (!repair_strict_is_blank(repair_byte(repair, at)))
			repair_leave_out(repair, end);
	repair->at = end;
	if (lacking && !repair->is_half)
		repair_count(repair, REPAIR_TRUNCATED, end);
	if (lacking)
		repair_enter_events(repair);
	repair_close_levels(repair, 0);
	repair_flush(repair, end);
	repair_out_finish(&repair->out);
	return CTP_OK;
}

static enum ctp_status run(struct repair *repair, const struct repair_job *job,
	struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	while (status == CTP_OK) {
		if (step(repair) == REPAIR_AGAIN) {
			repair->is_full = false;
			continue;
		}
		if (repair->made.failed || repair->out.tail.failed)
			return ctp_fail(err, CTP_ERR_NOMEM, ERROR_NO_OFFSET,
				"out of memory");
		if (ferror(job->out))
			return ctp_fail(err, CTP_ERR_IO, ERROR_NO_OFFSET,
				"cannot write");
		if (repair->window.at_eof && search_half(repair))
			continue;
		if (repair->window.at_eof)
			return finish(repair, err);
		repair_flush(repair, repair->at);
		status = repair_window_fill(&repair->window, repair->at, err);
		repair->at = 0;
		repair->copied = 0;
		if (job->progress != NULL)
			job->progress(job->user, repair->window.base);
		if (status == CTP_END) {
			repair->is_full = !repair->window.at_eof;
			status = CTP_OK;
		}
	}
	return status;
}

enum ctp_status repair_run(const struct repair_job *job,
	struct repair_result *result, struct ctp_error *err)
{
	struct repair *repair = memory_new_zeroed(1, sizeof(*repair));
	enum ctp_status status;

	*result = (struct repair_result){0};
	if (repair == NULL)
		return ctp_fail(
			err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
	repair->result = result;
	repair->out.file = job->out;
	if (repair_window_init(
		    &repair->window, job->in, job->head, job->head_size))
		status = run(repair, job, err);
	else
		status = ctp_fail(
			err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
	result->in_bytes = repair->window.base + repair->window.used;
	result->out_bytes = repair->out.written;
	repair_window_clear(&repair->window);
	buffer_clear(&repair->made);
	buffer_clear(&repair->out.tail);
	memory_free(repair);
	return status;
}
