/* SPDX-License-Identifier: MIT */
#include "input/rank_totals.h"

#include <ctype.h>
#include <jansson.h>
#include <string.h>
#include <strings.h>

#include "convert.h"
#include "input/ranks.h"

/* The file of PyTorch's handler for TensorBoard is
 * "HOST_PID.TIME.pt.trace.json". Source: torch/profiler/profiler.py. */
#define TORCH_SUFFIX ".pt.trace.json"

/* Kineto: {"backend": "nccl", "rank": 3, "world_size": 8, ...} */
static uint64_t recorded_world(const struct trace *trace)
{
	const char *text = trace_find_fact(trace, TRACE_DISTRIBUTED);
	json_t *root = text == NULL ? NULL : json_loads(text, 0, NULL);
	const json_t *number = json_object_get(root, "world_size");
	json_int_t found =
		json_is_integer(number) ? json_integer_value(number) : 0;

	json_decref(root);
	return found > 0 ? (uint64_t)found : 0;
}

/* Skips digits; NULL if there are none. */
static const char *skip_number(const char *at)
{
	size_t digits = strspn(at, "0123456789");

	return digits == 0 ? NULL : at + digits;
}

/* Copies the host in the name of a file of PyTorch, if it has one. */
static void host_in_name(const char *path, char host[RANK_HOST])
{
	const char *slash = strrchr(path, '/');
	const char *base = slash == NULL ? path : slash + 1;
	const char *end = strstr(base, TORCH_SUFFIX);
	const char *at;

	/* "worker0_step_12.1694128201545.pt.trace.json" has no host. */
	if (strncasecmp(base, "rank", 4) == 0 ||
		strncasecmp(base, "worker", 6) == 0)
		return;
	for (at = base; end != NULL && at < end; at++) {
		const char *rest = *at == '_' ? skip_number(at + 1) : NULL;

		if (rest != NULL && *rest == '.' &&
			skip_number(rest + 1) == end)
			break;
	}
	if (end == NULL || at >= end || at - base >= RANK_HOST)
		return;
	memcpy(host, base, (size_t)(at - base));
	host[at - base] = '\0';
}

struct ranks_place rank_totals_place(
	const char *path, const struct trace *trace, char host[RANK_HOST])
{
	const char *recorded = trace_find_fact(trace, "host");
	struct ranks_place place = {.rank = ranks_find(path, trace),
		.world = recorded_world(trace),
		.input = path,
		.host = host};

	host[0] = '\0';
	if (recorded != NULL)
		place.host = recorded;
	else
		host_in_name(path, host);
	return place;
}

static enum ctp_status add_event(
	void *to, const struct event *event, struct ctp_error *err)
{
	return ranks_input_add(to, event, err);
}

enum ctp_status rank_totals_read(struct ranks *ranks, struct input *input,
	const struct phase_sets *phases, struct ctp_error *err)
{
	struct event_source *source = input->file.source;
	struct convert_job job = {
		.progress = input_update_progress, .user = input};
	struct ranks_input *reader;
	char host[RANK_HOST];
	enum ctp_status status;

	if (source->read_profile != NULL)
		return ctp_fail(err, CTP_ERR_UNSUPPORTED,
			"is a profile of functions and has no ranks");
	reader = ranks_input_new(source->trace, phases);
	if (reader == NULL)
		return ctp_no_memory(err);
	status = convert_read_events(source, &job, add_event, reader, err);
	if (status == CTP_END) {
		const struct ranks_place place =
			rank_totals_place(input->name, source->trace, host);

		status = ranks_input_finish(reader, &place, ranks, err);
	}
	ranks_input_free(reader);
	return status;
}
