/* SPDX-License-Identifier: MIT */
/*
 * Order of the sources: the filter first, which needs whole ranges; then
 * sorting by time; then the window or parts; then redaction of what is left.
 */
#include "timeline/cut_pipeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "transform/range_locator.h"
#include "timeline/sorted_source.h"
#include "cli/progress.h"
#include "cli/quantity.h"
#include "transform/redact.h"
#include "cli/diag.h"

static int fail(const struct input *input, const struct ctp_error *err)
{
	return input_diag_error(input, input->name, err);
}

static bool has_filter(const struct event_filter_options *options)
{
	return options->pids.given || options->tids.given ||
	       options->devices.given || options->ranks.given ||
	       options->categories != NULL || options->min_ns > 0;
}

static int apply_filter(
	const struct cut_pipeline *pipeline, struct input *input)
{
	struct ctp_error err = {0};

	if (has_filter(&pipeline->filter) &&
		event_filter_open(input->file.source, &pipeline->filter,
			&input->file.source, &err) != CTP_OK)
		return fail(input, &err);
	return EXIT_DONE;
}

static bool add_to_locator(void *user, const struct event *event)
{
	return range_locator_add(user, event);
}

static int not_found(
	const struct cut_pipeline *pipeline, const struct input *input)
{
	if (pipeline->range_name != NULL)
		diag("%s: has no range named '%s'", input->name,
			pipeline->range_name);
	else
		diag("%s: has no step %" PRIu64, input->name, pipeline->step);
	return EXIT_NO;
}

/* Reads the whole input, with progress. */
static enum ctp_status read_all(const struct cut_pipeline *pipeline,
	struct input *input, struct sorted_source *order,
	const struct sorted_source_watch *watch, struct ctp_error *err)
{
	enum ctp_status status;

	input_start_progress(input, pipeline->progress);
	status = sorted_source_read(order, watch, err);
	progress_hide(&input->progress);
	return status;
}

/* Finds the window of a range. */
static int set_range_window(const struct cut_pipeline *pipeline,
	struct input *input, struct sorted_source *order, struct cut *cut)
{
	struct range_locator locator = {
		.trace = sorted_source_events(order)->trace,
		.name = pipeline->range_name,
		.step = pipeline->step,
	};
	const struct sorted_source_watch watch = {add_to_locator, &locator};
	struct ctp_error err = {0};
	enum ctp_status status = read_all(pipeline, input, order, &watch, &err);

	if (status == CTP_OK)
		range_locator_finish(&locator);
	range_locator_clear(&locator);
	if (status != CTP_OK)
		return fail(input, &err);
	if (!locator.found)
		return not_found(pipeline, input);
	/* A range without duration still has a window. */
	if (locator.until_ns <= locator.from_ns && locator.from_ns < INT64_MAX)
		locator.until_ns = locator.from_ns + 1;
	cut_set_window(cut, locator.from_ns, locator.until_ns);
	return EXIT_DONE;
}

static int64_t add_time(int64_t start_ns, uint64_t time_ns)
{
	int64_t sum;

	return __builtin_add_overflow(start_ns, time_ns, &sum) ? INT64_MAX
							       : sum;
}

static int set_time_window(const struct cut_pipeline *pipeline,
	struct input *input, struct sorted_source *order, struct cut *cut)
{
	struct ctp_error err = {0};
	int64_t start_ns;

	if (read_all(pipeline, input, order, NULL, &err) != CTP_OK)
		return fail(input, &err);
	if (sorted_source_start(order, &start_ns))
		cut_set_window(cut, add_time(start_ns, pipeline->from_ns),
			add_time(start_ns, pipeline->until_ns));
	return EXIT_DONE;
}

static int cut_input(const struct cut_pipeline *pipeline, struct input *input,
	struct cut **cut)
{
	struct ctp_error err = {0};
	struct sorted_source *order;

	if (sorted_source_open(input->file.source, &order, &err) != CTP_OK)
		return fail(input, &err);
	input->file.source = sorted_source_events(order);
	if (cut_open(sorted_source_events(order), cut, &err) != CTP_OK)
		return fail(input, &err);
	input->file.source = cut_source(*cut);
	if (pipeline->range_name != NULL || pipeline->has_step)
		return set_range_window(pipeline, input, order, *cut);
	if (pipeline->has_time)
		return set_time_window(pipeline, input, order, *cut);
	return EXIT_DONE;
}

int cut_pipeline_apply(const struct cut_pipeline *pipeline, struct input *input,
	struct cut **cut)
{
	struct ctp_error err = {0};
	int status;

	if (input->file.source->read_profile != NULL) {
		diag("%s: is a profile (no timestamps) and cannot be cut",
			input->name);
		return EXIT_INPUT;
	}
	status = apply_filter(pipeline, input);
	if (status == EXIT_DONE &&
		(pipeline->has_time || pipeline->range_name != NULL ||
			pipeline->has_step || pipeline->parts))
		status = cut_input(pipeline, input, cut);
	if (status == EXIT_DONE && pipeline->redact &&
		redact_open(input->file.source,
			pipeline->salt == NULL ? "" : pipeline->salt,
			&input->file.source, &err) != CTP_OK)
		status = fail(input, &err);
	return status;
}

/* Reads a number and sets its end; false if there is none. */
static bool read_number(const char *text, const char **end, int64_t *number)
{
	char *behind;

	errno = 0;
	*number = strtoll(text, &behind, 10);
	*end = behind;
	return behind != text && errno == 0 && strchr(" \t+", *text) == NULL;
}

static bool add_range(
	struct event_filter_list *list, struct event_filter_range range)
{
	struct event_filter_range *ranges =
		reallocarray(list->ranges, list->count + 1, sizeof(*ranges));

	if (ranges == NULL)
		return false;
	ranges[list->count++] = range;
	list->ranges = ranges;
	return true;
}

static bool read_list(const char *text, struct event_filter_list *list)
{
	list->given = true;
	if (strcmp(text, "none") == 0)
		return true;
	for (;; text++) {
		struct event_filter_range range;

		if (!read_number(text, &text, &range.first))
			return false;
		range.last = range.first;
		if (*text == '-' && !read_number(text + 1, &text, &range.last))
			return false;
		if (range.last < range.first || !add_range(list, range))
			return false;
		if (*text != ',')
			return *text == '\0';
	}
}

static bool read_time(const char *text, struct cut_pipeline *pipeline)
{
	const char *dots = strstr(text, "..");
	char from[QUANTITY_TEXT];
	size_t size = dots == NULL ? 0 : (size_t)(dots - text);

	if (dots == NULL || size >= sizeof(from))
		return false;
	memcpy(from, text, size);
	from[size] = '\0';
	pipeline->has_time = true;
	pipeline->from_ns = 0;
	pipeline->until_ns = UINT64_MAX;
	return (size == 0 || quantity_read_time(from, &pipeline->from_ns)) &&
	       (dots[2] == '\0' ||
		       quantity_read_time(dots + 2, &pipeline->until_ns)) &&
	       pipeline->from_ns < pipeline->until_ns;
}

void cut_pipeline_argument_list(const struct argument_value *value)
{
	if (!read_list(value->text, value->member))
		argument_error(value,
			"'%s' is not a list of numbers (0,3,8-11; none)",
			value->text);
}

void cut_pipeline_argument_time(const struct argument_value *value)
{
	if (!read_time(value->text, value->member))
		argument_error(value,
			"'%s' is not a time window (1.5s..2s, 1.5s.., ..2s)",
			value->text);
}

void cut_pipeline_argument_step(const struct argument_value *value)
{
	struct cut_pipeline *pipeline = value->member;
	char *end;

	pipeline->has_step = true;
	pipeline->step = strtoull(value->text, &end, 10);
	if (*value->text < '0' || *value->text > '9' || *end != '\0')
		argument_error(value, "'%s' is not a number", value->text);
}
