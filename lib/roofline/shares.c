/* SPDX-License-Identifier: MIT */
#include "roofline/shares.h"

#include <string.h>

#include "base/memory.h"
#include "roofline/shares_private.h"

#define FIRST_ROOM 64

struct shares *shares_new(const struct trace *trace)
{
	struct shares *shares = memory_new_zeroed(1, sizeof(*shares));

	if (shares == NULL)
		return NULL;
	shares->trace = trace;
	shares->kernel_free = SHARES_NONE;
	shares->op_oldest = 1;
	shares->flops = flops_new(trace);
	if (shares->flops != NULL)
		return shares;
	shares_free(shares);
	return NULL;
}

void shares_free(struct shares *shares)
{
	if (shares == NULL)
		return;
	for (uint32_t i = 0; i < shares->track_count; i++) {
		memory_free(shares->tracks[i].ranges);
		memory_free(shares->tracks[i].args);
		buffer_clear(&shares->tracks[i].texts);
	}
	memory_free(shares->tracks);
	memory_free(shares->sites);
	memory_free(shares->ops);
	memory_free(shares->kernels);
	memory_free(shares->done);
	device_join_free(shares->join);
	flops_free(shares->flops);
	memory_free(shares);
}

bool shares_finish(struct shares *shares, const struct share *share)
{
	if (shares->done_taken == shares->done_count) {
		shares->done_taken = 0;
		shares->done_count = 0;
	}
	if (!memory_grow32(&shares->done, shares->done_count,
		    &shares->done_room, sizeof(*shares->done)))
		return false;
	shares->done[shares->done_count++] = *share;
	return true;
}

bool shares_take(struct shares *shares, struct share *share)
{
	if (shares->done_taken == shares->done_count)
		return false;
	*share = shares->done[shares->done_taken++];
	return true;
}

static struct shares_track *track_of(struct shares *shares, uint32_t track)
{
	return memory_reach(&shares->tracks, track, &shares->track_count,
		       sizeof(*shares->tracks))
		       ? &shares->tracks[track]
		       : NULL;
}

/* A call that launches a kernel, and not a graph of them. Source: the names of
 * the calls in CUDA's and HIP's runtime and driver API. */
static bool launches(const char *name)
{
	return strstr(name, "Launch") != NULL && strstr(name, "Kernel") != NULL;
}

static struct shares_site look_at(const struct trace *trace, uint32_t number)
{
	const char *name = trace_site_name(trace, number);

	return (struct shares_site){.known = true,
		.launches = launches(name),
		.role = shares_role_of(name)};
}

/* What is known of a site. Without memory it is found out each time. */
static struct shares_site site_of(struct shares *shares, uint32_t number)
{
	if (!memory_reach(&shares->sites, number, &shares->site_count,
		    sizeof(*shares->sites)))
		return look_at(shares->trace, number);
	if (!shares->sites[number].known)
		shares->sites[number] = look_at(shares->trace, number);
	return shares->sites[number];
}

/* The operator of this number; NULL if it waits no more. */
static struct shares_op *op_of(const struct shares *shares, uint64_t number)
{
	struct shares_op *op;

	if (number == 0 || shares->op_room == 0)
		return NULL;
	op = &shares->ops[number % shares->op_room];
	return op->number == number ? op : NULL;
}

static bool grow_ops(struct shares *shares)
{
	uint32_t room = shares->op_room == 0 ? FIRST_ROOM : shares->op_room * 2;
	struct shares_op *ops = memory_new_zeroed(room, sizeof(*ops));

	if (ops == NULL)
		return false;
	for (uint32_t i = 0; i < room; i++)
		ops[i].first = SHARES_NONE;
	for (uint32_t i = 0; i < shares->op_room; i++)
		if (shares->ops[i].number != 0)
			ops[shares->ops[i].number % room] = shares->ops[i];
	for (uint32_t i = 0; i < room; i++)
		ops[i].cut = 0;
	for (uint32_t i = 0; i < shares->op_room; i++)
		if (shares->ops[i].cut != 0)
			ops[shares->ops[i].cut % room].cut = shares->ops[i].cut;
	memory_free(shares->ops);
	shares->ops = ops;
	shares->op_room = room;
	return true;
}

/* Divides the work of an operator whose kernels may not all have come. */
static bool cut(struct shares *shares, struct shares_op *op)
{
	op->cut = op->number;
	return shares_settle(shares, op);
}

/* A new one, in the place of the oldest if there are too many. */
static struct shares_op *add_op(
	struct shares *shares, const struct flops_work *work)
{
	uint64_t number = shares->op_last + 1;
	struct shares_op *op;

	while (shares->op_room < SHARES_LIMIT &&
		(shares->op_room == 0 ||
			shares->ops[number % shares->op_room].number != 0))
		if (!grow_ops(shares))
			return NULL;
	op = &shares->ops[number % shares->op_room];
	if (op->number != 0 && !cut(shares, op))
		return NULL;
	*op = (struct shares_op){.number = number,
		.work = *work,
		.merge_at = SHARES_MERGE,
		.first = SHARES_NONE,
		.cut = op->cut};
	shares->op_last = number;
	return op;
}

/* Divides its work if no more kernels are to come. */
static bool settle_if_whole(struct shares *shares, struct shares_op *op)
{
	if (!op->ended || op->any_number || op->came < op->launched)
		return true;
	return shares_settle(shares, op);
}

static bool push(struct shares *shares, const struct event *event)
{
	struct shares_track *track = track_of(shares, event->track);
	struct shares_range *range;
	const struct shares_range *outer;

	if (track == NULL || !memory_grow32(&track->ranges, track->depth,
				     &track->room, sizeof(*track->ranges)))
		return false;
	range = &track->ranges[track->depth++];
	*range = (struct shares_range){.site = event->site,
		.first_arg = track->arg_count,
		.text_at = track->texts.used};
	outer = track->depth > 1 ? range - 1 : NULL;
	range->nearest = outer == NULL ? 0 : outer->nearest;
	if (!flops_is_op(shares->flops, event->site))
		return true;
	outer = range->nearest == 0 ? NULL : &track->ranges[range->nearest - 1];
	range->nearest = track->depth;
	if (flops_family_of(shares->flops, event->site) != FLOPS_ATTENTION)
		return shares_args_keep(track, range, event);
	flops_of_op(shares->flops, event->site, event, &range->work);
	/* Some attention is done by an operator that has all sequences in one
	 * dimension, where the one that called it knows their lengths. */
	if (!range->work.has_flops && outer != NULL &&
		outer->work.family == FLOPS_ATTENTION)
		range->work = outer->work;
	return true;
}

static bool pop(struct shares *shares, const struct event *event)
{
	struct shares_track *track = track_of(shares, event->track);
	const struct shares_range *range;
	struct shares_op *op;

	if (track == NULL || track->depth == 0)
		return track != NULL;
	range = &track->ranges[--track->depth];
	track->arg_count = range->first_arg;
	track->texts.used = range->text_at;
	op = op_of(shares, range->op);
	if (op == NULL)
		return true;
	op->ended = true;
	return settle_if_whole(shares, op);
}

/* Arguments that came later than the operator began. */
static bool add_args(struct shares *shares, const struct event *event)
{
	struct shares_track *track = track_of(shares, event->track);
	struct shares_range *range;
	struct flops_work work;
	struct shares_op *op;

	if (track == NULL || track->depth == 0)
		return track != NULL;
	range = &track->ranges[track->depth - 1];
	if (range->nearest != track->depth)
		return true;
	flops_of_op(shares->flops, range->site, event, &work);
	if (!work.has_flops && !work.has_bytes)
		return true;
	range->work = work;
	range->unread = false;
	op = op_of(shares, range->op);
	if (op != NULL)
		op->work = work;
	return true;
}

/* What this call launches is the operator's. */
static bool join(
	struct shares *shares, const struct event *event, uint64_t number)
{
	if (shares->join == NULL)
		shares->join = device_join_new(DEVICE_JOIN_LIMIT);
	return shares->join != NULL &&
	       device_join_add(shares->join,
		       shares->trace->tracks[event->track].pid, event->id,
		       number);
}

/* The innermost range is a call of a device's API; or it is the operator, if
 * that is what activities are joined with. */
static bool add_call(struct shares *shares, const struct event *event)
{
	struct shares_track *track = track_of(shares, event->track);
	struct shares_range *top;
	struct shares_range *range;
	struct shares_op *op;

	if (track == NULL || track->depth == 0)
		return track != NULL;
	top = &track->ranges[track->depth - 1];
	if (top->nearest == 0)
		return true;
	range = &track->ranges[top->nearest - 1];
	if (top != range && !site_of(shares, top->site).launches)
		return true;
	op = op_of(shares, range->op);
	if (op == NULL && range->op != 0)
		return join(shares, event, range->op); /* late */
	if (op == NULL) {
		shares_args_read(shares, track, range);
		op = add_op(shares, &range->work);
		if (op == NULL)
			return false;
		range->op = op->number;
	}
	op->any_number = op->any_number || top == range;
	/* A call of the runtime makes one of the driver, with the same id. */
	if (op->last_id != event->id)
		op->launched++;
	op->last_id = event->id;
	return join(shares, event, op->number);
}

bool shares_see(struct shares *shares, const struct event *event)
{
	switch (event->kind) {
	case EVENT_BEGIN:
		return push(shares, event);
	case EVENT_END:
		return pop(shares, event);
	case EVENT_ARGS:
		return add_args(shares, event);
	case EVENT_CORRELATION:
		return add_call(shares, event);
	default:
		return true;
	}
}

/* The operator that the kernel ran for; NULL if there is none, or no more. */
static struct shares_op *find_op(
	struct shares *shares, const struct event *kernel)
{
	int64_t pid = shares->trace->tracks[kernel->track].pid;
	struct shares_op *op;
	uint64_t number;

	if (shares->join == NULL || kernel->id == 0 ||
		!device_join_find(shares->join, pid, kernel->id, &number))
		return NULL;
	op = op_of(shares, number);
	if (op == NULL && shares->ops[number % shares->op_room].cut == number)
		shares->late++;
	return op;
}

static uint32_t take_kernel(struct shares *shares)
{
	uint32_t place = shares->kernel_free;

	if (place != SHARES_NONE) {
		shares->kernel_free = shares->kernels[place].next;
		return place;
	}
	return memory_grow32(&shares->kernels, shares->kernel_count,
		       &shares->kernel_room, sizeof(*shares->kernels))
		       ? shares->kernel_count++
		       : SHARES_NONE;
}

/* Nobody knows more than the kernel itself. */
static bool finish_alone(struct shares *shares, const struct event *event,
	const struct flops_work *own, uint64_t ticket)
{
	struct share share = {.ticket = ticket,
		.dur_ns = event->dur_ns,
		.kind = own->has_flops || own->has_bytes ? SHARE_WORK
							 : SHARE_UNKNOWN,
		.work = *own};

	return shares_finish(shares, &share);
}

bool shares_add(
	struct shares *shares, const struct event *event, uint64_t ticket)
{
	struct shares_op *op = find_op(shares, event);
	struct flops_work own = {.family = FLOPS_NONE};
	uint32_t place;

	flops_of_kernel(shares->flops, event, &own);
	if (op == NULL)
		return finish_alone(shares, event, &own, ticket);
	place = take_kernel(shares);
	if (place == SHARES_NONE)
		return false;
	shares->kernels[place] = (struct shares_kernel){.ticket = ticket,
		.dur_ns = event->dur_ns,
		.role = site_of(shares, event->site).role,
		.next = op->first,
		.own = own};
	op->first = place;
	op->came++;
	if (++op->waiting >= op->merge_at && !shares_merge(shares, op))
		return false;
	return settle_if_whole(shares, op);
}

bool shares_settle_oldest(struct shares *shares)
{
	for (; shares->op_oldest <= shares->op_last; shares->op_oldest++) {
		struct shares_op *op = op_of(shares, shares->op_oldest);

		if (op != NULL)
			return cut(shares, op);
	}
	return true;
}

bool shares_settle_all(struct shares *shares)
{
	while (shares->op_oldest <= shares->op_last)
		if (!shares_settle_oldest(shares))
			return false;
	return true;
}

uint64_t shares_late(const struct shares *shares)
{
	return shares->late;
}

bool shares_take_op(
	struct shares *shares, uint32_t track, struct flops_work *work)
{
	const struct shares_track *open;
	struct shares_range *range;

	if (track >= shares->track_count || shares->tracks[track].depth == 0)
		return false;
	open = &shares->tracks[track];
	range = &open->ranges[open->depth - 1];
	if (range->op == 0 || range->taken)
		return false;
	range->taken = true;
	*work = range->work;
	return true;
}
