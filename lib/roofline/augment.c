/* SPDX-License-Identifier: MIT */
#include "roofline/augment.h"

#include <string.h>

#include "profile/profile.h"
#include "trace/event.h"
#include "base/memory.h"
#include "roofline/attribution.h"

#define BYTES_PER_GB 1e9

/* The two added arguments. */
enum { OPERATIONS, GIGABYTES, ADDED };

/* An event that waits for its share, or for an earlier event. */
struct waiting {
	struct event event; /* its arguments are owned */
	bool open;          /* its share is unknown */
};

struct augment {
	struct event_source source; /* first member: callers hold a pointer to
				     * it */
	struct attribution *attribution;
	uint32_t keys[ADDED];
	/* A ring: event number i is at i modulo AUGMENT_LIMIT; `first` is the
	 * oldest number. */
	struct waiting *waiting;
	uint32_t count;
	uint64_t first;
	struct event given; /* last one returned; its arguments are valid until
			     * the next */
	bool ended;
	uint64_t augmented;
};

static struct waiting *waiting_at(struct augment *augment, uint64_t number)
{
	return &augment->waiting[number % AUGMENT_LIMIT];
}

static bool is_zero(const struct event_arg *arg)
{
	return (arg->kind == ARG_INT && arg->value.integer == 0) ||
	       (arg->kind == ARG_FLOAT && arg->value.real == 0);
}

/* Makes the argument of this number; false if its value is unknown. */
static bool make_arg(const struct augment *augment, int number,
	const struct flops_work *work, struct event_arg *arg)
{
	*arg = (struct event_arg){.key = augment->keys[number]};
	if (number == OPERATIONS) {
		arg->kind = ARG_INT;
		arg->value.integer = (int64_t)work->flops;
		return work->has_flops && work->flops > 0 &&
		       work->flops <= INT64_MAX;
	}
	arg->kind = ARG_FLOAT;
	arg->value.real = (double)work->bytes / BYTES_PER_GB;
	return work->has_bytes && work->bytes > 0;
}

/* Returns which of the two the argument is; ADDED: neither. */
static int find_arg(const struct augment *augment, const struct event_arg *arg)
{
	int number = 0;

	while (number < ADDED && augment->keys[number] != arg->key)
		number++;
	return number;
}

/* Copies the event and adds the work if the event does not have it; a value of
 * 0 counts as missing and is removed. */
static bool copy_with(const struct augment *augment, const struct event *event,
	const struct flops_work *work, struct event *copy)
{
	size_t room = (size_t)event->arg_count + ADDED;
	struct event_arg *args = memory_resize_array(NULL, room, sizeof(*args));
	bool has[ADDED + 1] = {false};
	struct event with = *event;
	bool done;

	if (args == NULL)
		return false;
	with.args = args;
	with.arg_count = 0;
	for (uint32_t i = 0; i < event->arg_count; i++) {
		int number = find_arg(augment, &event->args[i]);

		if (number != ADDED && is_zero(&event->args[i]))
			continue;
		has[number] = true;
		args[with.arg_count++] = event->args[i];
	}
	for (int number = 0; number < ADDED; number++)
		if (!has[number] &&
			make_arg(augment, number, work, &args[with.arg_count]))
			with.arg_count++;
	done = event_copy(copy, &with);
	memory_free(args);
	return done;
}

/* Applies a kernel's share. */
static bool close_kernel(struct augment *augment, const struct share *share)
{
	struct waiting *waiting = waiting_at(augment, share->ticket);
	struct event copy;

	waiting->open = false;
	if (!share->work.has_flops && !share->work.has_bytes)
		return true;
	if (!copy_with(augment, &waiting->event, &share->work, &copy))
		return false;
	event_copy_clear(&waiting->event);
	waiting->event = copy;
	augment->augmented++;
	return true;
}

static bool close_kernels(struct augment *augment)
{
	struct share share;

	while (attribution_next(augment->attribution, &share))
		if (!close_kernel(augment, &share))
			return false;
	return true;
}

/* Appends the event, with `work` unless NULL, to the waiting ones. */
static bool add(struct augment *augment, const struct event *event,
	const struct flops_work *work)
{
	struct waiting *waiting =
		waiting_at(augment, augment->first + augment->count);
	bool done = work == NULL
			    ? event_copy(&waiting->event, event)
			    : copy_with(augment, event, work, &waiting->event);

	waiting->open = false;
	augment->count += done;
	return done;
}

/* After a launching call, or after its own id, an operator is innermost again:
 * adds its work once. */
static bool add_op(struct augment *augment, const struct event *event)
{
	struct event facts = {.kind = EVENT_ARGS,
		.track = event->track,
		.site = TRACE_NONE,
		.time_ns = event->time_ns,
		.device = -1};
	struct flops_work work;

	if (!attribution_next_op(augment->attribution, event->track, &work))
		return true;
	work.has_flops = work.has_flops && !work.own_flops;
	work.has_bytes = work.has_bytes && !work.own_bytes;
	if (!work.has_flops && !work.has_bytes)
		return true;
	return add(augment, &facts, &work);
}

static bool add_kernel(struct augment *augment, const struct event *event)
{
	uint64_t number = augment->first + augment->count;

	if (!add(augment, event, NULL))
		return false;
	waiting_at(augment, number)->open = true;
	return attribution_add_kernel(augment->attribution, event, number);
}

static bool has_our_args(
	const struct augment *augment, const struct event *event)
{
	for (uint32_t i = 0; i < event->arg_count; i++)
		if (find_arg(augment, &event->args[i]) != ADDED)
			return true;
	return false;
}

/* Adds an event of the inner source, and applies the shares that it
 * completes. */
static bool add_event(struct augment *augment, const struct event *event)
{
	static const struct flops_work none = {.family = FLOPS_NONE};
	const struct trace *trace = augment->source.trace;
	bool done = attribution_add_event(augment->attribution, event);

	if (!done)
		return false;
	if (event->kind == EVENT_ACTIVITY &&
		profile_kind_of(trace, event->site) == PROFILE_KERNEL)
		done = add_kernel(augment, event);
	else
		done = add(augment, event,
			event->kind == EVENT_BEGIN &&
					has_our_args(augment, event)
				? &none
				: NULL);
	if (done &&
		(event->kind == EVENT_END || event->kind == EVENT_CORRELATION))
		done = add_op(augment, event);
	return done && close_kernels(augment);
}

/* Reads until the first waiting event can be returned. */
static enum ctp_status fill(struct augment *augment, struct ctp_error *err)
{
	enum ctp_status status;
	struct event event;

	while (augment->count == 0 ||
		waiting_at(augment, augment->first)->open) {
		/* One event may become two. */
		bool settle =
			augment->ended || augment->count + 2 > AUGMENT_LIMIT;

		if (settle && augment->count == 0)
			return CTP_END;
		if (settle) {
			if (!attribution_finalize_oldest(
				    augment->attribution) ||
				!close_kernels(augment))
				return ctp_no_memory(err);
			continue;
		}
		status = augment->source.inner->next(
			augment->source.inner, &event, err);
		augment->ended = status == CTP_END;
		if (status != CTP_OK && status != CTP_END)
			return status;
		if (status == CTP_OK && !add_event(augment, &event))
			return ctp_no_memory(err);
	}
	return CTP_OK;
}

static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	struct augment *augment = (struct augment *)source;
	enum ctp_status status;

	event_copy_clear(&augment->given);
	status = fill(augment, err);
	if (status != CTP_OK)
		return status;
	augment->given = waiting_at(augment, augment->first)->event;
	augment->first++;
	augment->count--;
	*event = augment->given;
	return CTP_OK;
}

static void clear(struct augment *augment)
{
	for (; augment->count > 0; augment->count--)
		event_copy_clear(&waiting_at(augment, augment->first++)->event);
	event_copy_clear(&augment->given);
	memory_free(augment->waiting);
	attribution_free(augment->attribution);
	memory_free(augment);
}

static void close_augment(struct event_source *source)
{
	struct augment *augment = (struct augment *)source;

	augment->source.inner->close(augment->source.inner);
	clear(augment);
}

enum ctp_status augment_open(
	struct event_source *inner, struct augment **out, struct ctp_error *err)
{
	static const char *const names[ADDED] = {
		"kernel_flop", "kernel_num_gb"};
	struct augment *augment = memory_new_zeroed(1, sizeof(*augment));
	bool done = augment != NULL;

	if (augment == NULL)
		return ctp_no_memory(err);
	augment->waiting =
		memory_new_zeroed(AUGMENT_LIMIT, sizeof(*augment->waiting));
	augment->attribution = attribution_new(inner->trace);
	for (int i = 0; i < ADDED; i++) {
		augment->keys[i] = strtab_add(
			inner->trace->text, names[i], strlen(names[i]));
		done = done && augment->keys[i] != STRTAB_NONE;
	}
	if (!done || augment->waiting == NULL || augment->attribution == NULL) {
		clear(augment);
		return ctp_no_memory(err);
	}
	event_source_wrap(&augment->source, inner, next, close_augment);
	*out = augment;
	return CTP_OK;
}

struct event_source *augment_source(struct augment *augment)
{
	return &augment->source;
}

uint64_t augment_count(const struct augment *augment)
{
	return augment->augmented;
}

uint64_t augment_late(const struct augment *augment)
{
	return attribution_late(augment->attribution);
}
