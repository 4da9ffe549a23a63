/* SPDX-License-Identifier: MIT */
#include "json_repair/repair.h"

#include <string.h>

#include "base/memory.h"
#include "json_repair/repair_record.h"

/* Can an array or an object begin like this, rather than a log line? */
static bool is_document(struct repair_view *view)
{
	size_t next = repair_lookahead_skip(view, view->at + 1);
	uint8_t byte = repair_lookahead_at(view, next);

	if (byte == 0)
		return next >= view->end;
	if (view->bytes[view->at] == '[')
		return strchr("{]\"[", byte) != NULL &&
		       (byte != '{' ||
			       !repair_lookahead_is_document_key(view,
				       repair_lookahead_skip(view, next + 1)));
	return byte == '}' || byte == '"' || byte == '\'' ||
	       (uint8_t)((byte | 0x20) - 'a') < 26;
}

/* Drops stray bytes up to the next bracket. */
static void leave_out_garbage(struct repair *repair)
{
	size_t at = repair->at;

	do
		at++;
	while (at < repair->window.used && repair_byte(repair, at) != '{' &&
		repair_byte(repair, at) != '[');
	repair_count(repair, REPAIR_GARBAGE, repair->at);
	repair_leave_out(repair, at);
}

/* A further document: its events are added to the first one's. */
static void join_document(struct repair *repair, bool array)
{
	repair_count(repair, REPAIR_DOCUMENTS, repair->at);
	if (array)
		repair_enter_events(repair);
	else
		repair_push(repair,
			(struct repair_level){.hidden = true, .muted = true});
	repair_leave_out(repair, repair->at + 1);
}

/* Text outside all brackets: before, after and between documents. */
static enum repair_step read_document(struct repair *repair)
{
	struct repair_view view;
	bool array;

	while (repair->at < repair->window.used &&
		repair_validate_is_blank(repair_byte(repair, repair->at)))
		repair->at++;
	if (repair->at == repair->window.used)
		return REPAIR_NEED;
	view = repair_view_from(repair, repair->at);
	array = repair_byte(repair, repair->at) == '[';
	if (repair_begins_event(&view)) {
		if (repair_is_unsure(repair, &view))
			return REPAIR_NEED;
		repair_enter_events(repair);
	} else if ((array || repair_byte(repair, repair->at) == '{') &&
		   is_document(&view)) {
		if (repair_is_unsure(repair, &view))
			return REPAIR_NEED;
		if (repair->has_document) {
			join_document(repair, array);
			return REPAIR_AGAIN;
		}
		repair->has_document = true;
		repair_push(repair, (struct repair_level){.array = array,
					    .is_events = array});
		repair->at++;
	} else if (repair_is_unsure(repair, &view)) {
		return REPAIR_NEED;
	} else {
		leave_out_garbage(repair);
	}
	return REPAIR_AGAIN;
}

/* Does a usable event begin at `at`? Sets `*step` to REPAIR_NEED if more input
 * is needed to decide. */
static bool is_whole(struct repair *repair, size_t at, enum repair_step *step)
{
	struct repair_view view = repair_rewrite_view(repair, at);
	struct repair_value value = {.outer = REPAIR_IN_EVENTS};
	size_t end = at;
	enum repair_outcome outcome =
		repair_validate_value(view.bytes, &end, view.end, &value.event);
	bool is_last = view.end == repair->window.used;

	if (outcome == REPAIR_DONE)
		return value.event.phase != 0;
	if (outcome == REPAIR_MORE && is_last && !repair->window.at_eof &&
		!repair->is_full) {
		*step = REPAIR_NEED;
		return false;
	}
	/* An event truncated at the end of the file. */
	if (outcome == REPAIR_MORE && is_last && repair->window.at_eof)
		return !repair->was_half;
	repair->spent += end - at;
	repair->made.used = 0;
	value.event = (struct repair_event){0};
	outcome = repair_rewrite(repair, &view, &value, false);
	if (outcome == REPAIR_DONE && repair_is_unsure(repair, &view))
		*step = REPAIR_NEED;
	return outcome == REPAIR_DONE && *step != REPAIR_NEED &&
	       value.event.phase != 0;
}

static void resume_at_event(struct repair *repair)
{
	repair->is_searching = false;
	repair->was_searching = true;
	if (!repair_level(repair)->is_events)
		repair_enter_events(repair);
}

/* Finds the next complete event or document member in damaged text. */
static enum repair_step search(struct repair *repair)
{
	struct repair_view view = repair_view_from(repair, repair->at);
	enum repair_step step = REPAIR_AGAIN;

	for (size_t at = repair->at; at < repair->window.used; at++) {
		uint8_t byte = repair_byte(repair, at);
		bool is_event;
		bool is_key;

		if (byte != '{' && byte != '"')
			continue;
		view.hit_end = false;
		is_event = byte == '{' && repair_lookahead_is_event(&view, at);
		is_key = byte == '"' && !repair->levels[0].array &&
			 repair_lookahead_is_document_key(&view, at);
		if (repair_is_unsure(repair, &view)) {
			repair_leave_out(repair, at);
			return REPAIR_NEED;
		}
		if (is_key) {
			repair_leave_out(repair, at);
			repair_close_levels(repair, 1);
			repair->is_searching = false;
			repair->was_searching = true;
			return REPAIR_AGAIN;
		}
		if (is_event && is_whole(repair, at, &step)) {
			repair_leave_out(repair, at);
			resume_at_event(repair);
			return REPAIR_AGAIN;
		}
		if (step == REPAIR_NEED) {
			repair_leave_out(repair, at);
			return step;
		}
	}
	repair_leave_out(repair, repair->window.used);
	return REPAIR_NEED;
}

static enum repair_step step(struct repair *repair)
{
	if (repair->is_searching)
		return search(repair);
	return repair->depth == 0 ? read_document(repair)
				  : repair_record(repair);
}

/* A half event at the end may have lost brackets and so contain others:
 * searches it for events. */
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

/* Was a trace truncated before its events? It may be empty. */
static bool lacks_events(const struct repair *repair)
{
	if (!repair->has_document)
		return repair_fix_total(&repair->result->fixes) == 0;
	return repair->depth > 0 && !repair->has_events &&
	       !repair->levels[0].hidden &&
	       (repair->has_header || !repair->levels[0].has_item);
}

/* At the end of the input: closes open brackets. */
static enum ctp_status finish(struct repair *repair, struct ctp_error *err)
{
	size_t end = repair->window.used;
	bool lacking = lacks_events(repair);

	if (!repair->has_document && !lacking)
		return ctp_fail(err, CTP_ERR_FORMAT,
			"contains neither a JSON object nor a JSON array");
	if (repair->is_half) {
		repair_count(repair, REPAIR_TRUNCATED, repair->half);
		repair_leave_out(repair, end);
	}
	/* Remaining white space. */
	for (size_t at = repair->at; at < end; at++)
		if (!repair_validate_is_blank(repair_byte(repair, at)))
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
			return ctp_no_memory(err);
		if (ferror(job->out))
			return ctp_fail(err, CTP_ERR_IO, "cannot write");
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
		return ctp_no_memory(err);
	repair->result = result;
	repair->out.file = job->out;
	if (repair_window_init(
		    &repair->window, job->in, job->head, job->head_size))
		status = run(repair, job, err);
	else
		status = ctp_no_memory(err);
	result->in_bytes = repair->window.base + repair->window.used;
	result->out_bytes = repair->out.written;
	repair_window_clear(&repair->window);
	buffer_clear(&repair->made);
	buffer_clear(&repair->out.tail);
	memory_free(repair);
	return status;
}
