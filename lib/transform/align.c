/* SPDX-License-Identifier: MIT */
#include "transform/align.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/search.h"
#include "base/stable_hash.h"
#include "base/strtab.h"

void align_marks_clear(struct align_marks *marks)
{
	memory_free(marks->marks);
	*marks = (struct align_marks){.marks = NULL};
}

static bool add_mark(struct align_marks *marks, uint64_t key, int64_t time_ns)
{
	if (!array_reserve32(&marks->marks, marks->count, &marks->room,
		    sizeof(*marks->marks)))
		return false;
	marks->marks[marks->count++] = (struct align_mark){key, time_ns};
	return true;
}

/* Whether something begins here that the recording's own clock measured. */
static bool begins(const struct trace *trace, const struct event *event)
{
	switch (event->kind) {
	case EVENT_BEGIN:
	case EVENT_COMPLETE:
	case EVENT_UNCLIPPED_CALL:
	case EVENT_ASYNC_BEGIN:
	case EVENT_INSTANT:
	case EVENT_ACTIVITY:
		return trace->tracks[event->track].kind != TRACE_TIMELINE;
	default:
		return false;
	}
}

enum ctp_status align_find(struct event_source *source, const char *name,
	struct align_marks *marks, struct ctp_error *err)
{
	const struct trace *trace = source->trace;
	struct align_mark first = {.key = 0};
	bool found = false;
	enum ctp_status status;
	struct event event;

	while ((status = source->next(source, &event, err)) == CTP_OK) {
		if (!begins(trace, &event) ||
			strcmp(trace_site_name(trace, event.site), name) != 0)
			continue;
		if (!found || event.time_ns < first.time_ns)
			first.time_ns = event.time_ns;
		found = true;
	}
	if (status != CTP_END)
		return status;
	return !found || add_mark(marks, first.key, first.time_ns)
		       ? CTP_OK
		       : ctp_no_memory(err);
}

static int compare_marks(const void *a, const void *b)
{
	const struct align_mark *left = a;
	const struct align_mark *right = b;

	if (left->key != right->key)
		return left->key < right->key ? -1 : 1;
	return left->time_ns < right->time_ns ? -1
					      : left->time_ns > right->time_ns;
}

static void sort_marks(struct align_marks *marks)
{
	if (marks->count > 1)
		qsort(marks->marks, marks->count, sizeof(*marks->marks),
			compare_marks);
}

/* Index of the first mark whose key is not less than this. */
static size_t find_key(const struct align_marks *marks, uint64_t key)
{
	size_t at;

	SEARCH_FIRST(at, marks->count, marks->marks[at].key < key);
	return at;
}

static uint64_t hash_text(const struct trace *trace, const struct event *event,
	const char *key, uint64_t before)
{
	const struct event_arg *arg = event_find_arg(trace, event, key);
	uint64_t parts[2] = {before, 0};

	if (arg != NULL && (arg->kind == ARG_TEXT || arg->kind == ARG_JSON))
		parts[1] = stable_hash(
			arg->value.text.bytes, arg->value.text.size);
	else if (arg != NULL && arg->kind == ARG_INT)
		parts[1] = (uint64_t)arg->value.integer;
	return stable_hash(parts, sizeof(parts));
}

static bool has_prefix(const struct event_arg *arg, const char *prefix)
{
	size_t size = strlen(prefix);

	return arg->value.text.size >= size &&
	       memcmp(arg->value.text.bytes, prefix, size) == 0;
}

/* Evidence of collectives, best first; only the best of a recording is used. An
 * annotation repeats the times of kernels. A kernel named SendRecv is an
 * all-to-all, but also a single send, which ends before its receive. */
enum evidence {
	EVIDENCE_KERNEL,
	EVIDENCE_ANNOTATION,
	EVIDENCE_SEND_RECV,
	EVIDENCE_COUNT, /* not a collective */
};

/* "nccl:all_reduce", but not "nccl:send 0->1". */
static enum evidence evidence_of_annotation(const char *operation)
{
	static const char *const others[] = {"send", "recv", "coalesced"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strncmp(operation, others[i], strlen(others[i])) == 0)
			return EVIDENCE_COUNT;
	return EVIDENCE_ANNOTATION;
}

static enum evidence evidence_of(
	const struct trace *trace, const struct event *event)
{
	const char *name = trace_site_name(trace, event->site);
	const struct event_arg *arg;

	if (event->kind != EVENT_ACTIVITY ||
		trace->tracks[event->track].kind != TRACE_STREAM ||
		strncmp(name, "nccl", 4) != 0)
		return EVIDENCE_COUNT;
	arg = event_find_arg(trace, event, "Collective name");
	if (arg != NULL && arg->kind == ARG_TEXT)
		return has_prefix(arg, "send") || has_prefix(arg, "recv")
			       ? EVIDENCE_COUNT
			       : EVIDENCE_KERNEL;
	if (name[4] == ':')
		return evidence_of_annotation(name + 5);
	return strstr(name, "SendRecv") == NULL ? EVIDENCE_KERNEL
						: EVIDENCE_SEND_RECV;
}

/* `unnumbered`: collectives without a sequence number, by name and group. */
struct collection {
	struct align_marks *marks;
	struct align_marks unnumbered[EVIDENCE_COUNT];
};

static bool add_collective(struct collection *collection,
	enum evidence evidence, const struct trace *trace,
	const struct event *event)
{
	const struct event_arg *number = event_find_arg(trace, event, "Seq");
	const char *name = trace_site_name(trace, event->site);
	struct align_marks *to = &collection->unnumbered[evidence];
	uint64_t key = hash_text(trace, event, "Process Group Name", 0);
	int64_t end_ns;

	if (collection->marks->count + to->count == ALIGN_MARKS_MAX)
		return true;
	if (__builtin_add_overflow(event->time_ns, event->dur_ns, &end_ns))
		return true;
	key = hash_text(trace, event, "Process Group Ranks", key);
	key = hash_text(trace, event, "Collective name", key);
	if (evidence == EVIDENCE_KERNEL && number != NULL &&
		number->kind == ARG_INT) {
		to = collection->marks;
		key = hash_text(trace, event, "Seq", key);
	} else {
		key ^= stable_hash(name, strlen(name));
	}
	return add_mark(to, key, end_ns);
}

/* Numbers equal keys by index and count, so that recordings match only if they
 * have equally many. */
static bool number_marks(struct collection *collection)
{
	struct align_marks *from = collection->unnumbered;
	uint32_t end;

	for (int i = 1; i < EVIDENCE_COUNT; i++)
		if (collection->marks->count + from->count == 0)
			from = &collection->unnumbered[i];
	sort_marks(from);
	for (uint32_t i = 0; i < from->count; i = end) {
		for (end = i; end < from->count &&
			      from->marks[end].key == from->marks[i].key;
			end++)
			;
		for (uint32_t j = i; j < end; j++) {
			uint64_t key[3] = {from->marks[i].key, end - i, j - i};

			if (!add_mark(collection->marks,
				    stable_hash(key, sizeof(key)),
				    from->marks[j].time_ns))
				return false;
		}
	}
	return true;
}

/* Keeps only the last of repeated keys, which are invalid. */
static void drop_repeated(struct align_marks *marks)
{
	uint32_t count = 0;

	sort_marks(marks);
	for (uint32_t i = 0; i < marks->count; i++)
		if (i + 1 == marks->count ||
			marks->marks[i].key != marks->marks[i + 1].key)
			marks->marks[count++] = marks->marks[i];
	marks->count = count;
}

enum ctp_status align_collect(struct event_source *source,
	struct align_marks *marks, struct ctp_error *err)
{
	struct collection collection = {.marks = marks};
	enum ctp_status status;
	struct event event;
	bool done = true;

	while ((status = source->next(source, &event, err)) == CTP_OK && done) {
		enum evidence evidence = evidence_of(source->trace, &event);

		if (evidence != EVIDENCE_COUNT)
			done = add_collective(
				&collection, evidence, source->trace, &event);
	}
	if (status == CTP_END && done)
		done = number_marks(&collection);
	for (int i = 0; i < EVIDENCE_COUNT; i++)
		align_marks_clear(&collection.unnumbered[i]);
	if (!done)
		return ctp_no_memory(err);
	drop_repeated(marks);
	return status == CTP_END ? CTP_OK : status;
}

static int compare_times(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a;
	int64_t right = *(const int64_t *)b;

	return left < right ? -1 : left > right;
}

static int compare_counts(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a;
	uint64_t right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/* The median of the differences, and the largest distance from it of nine in
 * ten. */
static void measure(
	int64_t *differences, uint32_t count, struct align_shift *shift)
{
	uint64_t *distances = (uint64_t *)differences;
	int64_t middle_ns;

	qsort(differences, count, sizeof(*differences), compare_times);
	middle_ns = differences[count / 2];
	for (uint32_t i = 0; i < count; i++)
		distances[i] =
			differences[i] < middle_ns
				? (uint64_t)middle_ns - (uint64_t)differences[i]
				: (uint64_t)differences[i] -
					  (uint64_t)middle_ns;
	qsort(distances, count, sizeof(*distances), compare_counts);
	*shift = (struct align_shift){.known = true,
		.shift_ns = middle_ns,
		.matched = count,
		.spread_ns = distances[(count - 1) - (count - 1) / 10]};
}

/* Compares with the known marks; false if out of memory. */
static bool compare(const struct align_marks *known,
	const struct align_marks *marks, struct align_shift *shift)
{
	int64_t *differences = memory_resize_array(
		NULL, (size_t)marks->count + 1, sizeof(*differences));
	uint32_t count = 0;

	if (differences == NULL)
		return false;
	for (uint32_t i = 0; i < marks->count; i++) {
		const struct align_mark *mark = &marks->marks[i];
		size_t at = find_key(known, mark->key);

		if (at < known->count && known->marks[at].key == mark->key &&
			!__builtin_sub_overflow(known->marks[at].time_ns,
				mark->time_ns, &differences[count]))
			count++;
	}
	if (count > 0)
		measure(differences, count, shift);
	memory_free(differences);
	return true;
}

/* Adds the marks whose keys are new. */
static bool join(struct align_marks *known, const struct align_marks *marks,
	int64_t shift_ns)
{
	uint32_t count = known->count;

	for (uint32_t i = 0; i < marks->count; i++) {
		struct align_marks sorted = {known->marks, count, count};
		struct align_mark mark = marks->marks[i];
		size_t at = find_key(&sorted, mark.key);

		if (at < count && known->marks[at].key == mark.key)
			continue;
		if (!__builtin_add_overflow(
			    mark.time_ns, shift_ns, &mark.time_ns) &&
			!add_mark(known, mark.key, mark.time_ns))
			return false;
	}
	if (known->count > count)
		sort_marks(known);
	return true;
}

bool align_solve(const struct align_marks *marks, uint32_t count,
	struct align_shift *shifts)
{
	struct align_marks known = {.marks = NULL};
	bool done = count == 0 || join(&known, &marks[0], 0);
	bool goes_on = true;

	for (uint32_t i = 0; i < count; i++)
		shifts[i] = (struct align_shift){.known = i == 0};
	while (goes_on && done) {
		goes_on = false;
		for (uint32_t i = 0; i < count && done; i++) {
			if (shifts[i].known)
				continue;
			done = compare(&known, &marks[i], &shifts[i]);
			if (!done || !shifts[i].known)
				continue;
			goes_on = true;
			done = join(&known, &marks[i], shifts[i].shift_ns);
		}
	}
	align_marks_clear(&known);
	return done;
}
