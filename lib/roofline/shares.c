/* SPDX-License-Identifier: MIT */
#include "roofline/shares.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/saturate.h"
#include "trace/device_join.h"

#define SHARES_NONE UINT32_MAX

/* So many kernels of an operator wait before those that have one ticket become
 * one: a program that is one operator must not be kept whole. */
#define SHARES_MERGE 4096

/* What a kernel is by its name. */
enum shares_role {
	SHARES_MAIN, /* a product, a convolution, attention */
	SHARES_OTHER,
	SHARES_BESIDE, /* what is done before and after these */
};

struct shares_site {
	bool known;
	bool launches; /* a call that launches one kernel */
	enum shares_role role;
};

/* A range that is open. */
struct shares_range {
	uint32_t site;
	uint32_t nearest; /* the innermost op up to here, plus 1; 0: none */
	uint64_t op;      /* its number among those that launched; 0: none */
	struct flops_work work;
	bool taken;  /* by shares_take_op() */
	bool unread; /* the work is not known before its arguments are read */
	/* How much of what the track keeps is of those around it. */
	uint32_t first_arg;
	size_t text_at;
};

struct shares_track {
	struct shares_range *ranges;
	uint32_t depth;
	uint32_t room;
	/* Of operators that are open, each behind the one around it. */
	struct event_arg *args;
	uint32_t arg_count;
	uint32_t arg_room;
	struct buffer texts;
};

/* Kernels of one ticket that wait for the others of their operator. */
struct shares_kernel {
	uint64_t ticket;
	uint64_t dur_ns; /* of all of them */
	enum shares_role role;
	uint32_t next; /* SHARES_NONE: the last */
	struct flops_work own;
};

/* An operator that launched kernels which are still to come. */
struct shares_op {
	uint64_t number; /* 0: free */
	uint64_t last_id;
	struct flops_work work;
	uint32_t launched; /* calls */
	uint32_t came;     /* kernels */
	uint32_t waiting;  /* entries of these */
	uint32_t merge_at; /* this many are made fewer */
	bool ended;
	bool any_number; /* how many kernels there will be is not known */
	uint32_t first;  /* of the kernels that came, the last first */
	/* The last one in this place that was divided before all came; stays
	 * when the place is free again. 0: none. */
	uint64_t cut;
};

struct shares {
	const struct trace *trace;
	struct flops *flops;
	struct device_join *join; /* the operator's number; NULL: none yet */
	struct shares_site *sites;
	uint32_t site_count;
	struct shares_track *tracks;
	uint32_t track_count;
	struct shares_op *ops; /* by number, modulo the room */
	uint32_t op_room;
	uint64_t op_last;   /* the latest number */
	uint64_t op_oldest; /* none before it waits */
	uint64_t late;      /* kernels of operators that were cut */
	struct shares_kernel *kernels;
	uint32_t kernel_count;
	uint32_t kernel_room;
	uint32_t kernel_free; /* SHARES_NONE: none */
	struct share *done;
	uint32_t done_count;
	uint32_t done_taken;
	uint32_t done_room;
};

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

/* A kernel's share is known. */
static bool shares_finish(struct shares *shares, const struct share *share)
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

/*
 * What operators say about their inputs, as long as they are open: most of them
 * launch no kernel, and to copy a text takes less than to read it.
 */

static bool is_text(const struct event_arg *arg)
{
	return arg->kind == ARG_TEXT || arg->kind == ARG_JSON;
}

/* Keeps what an operator says that has just begun. False if out of memory. */
static bool shares_args_keep(struct shares_track *track,
	struct shares_range *range, const struct event *event)
{
	range->unread = true;
	for (uint32_t i = 0; i < event->arg_count; i++) {
		const struct event_arg *arg = &event->args[i];

		if (!memory_grow32(&track->args, track->arg_count,
			    &track->arg_room, sizeof(*track->args)))
			return false;
		track->args[track->arg_count++] = *arg;
		if (is_text(arg))
			buffer_add(&track->texts, arg->value.text.bytes,
				arg->value.text.size);
	}
	return !track->texts.failed;
}

/* Makes the work of an open operator known. */
static void shares_args_read(struct shares *shares, struct shares_track *track,
	struct shares_range *range)
{
	uint32_t end = range == &track->ranges[track->depth - 1]
			       ? track->arg_count
			       : range[1].first_arg;
	struct event event = {.arg_count = end - range->first_arg};
	size_t at = range->text_at;

	if (!range->unread)
		return;
	range->unread = false;
	if (event.arg_count > 0)
		event.args = &track->args[range->first_arg];
	/* The texts may have moved since they were kept. */
	for (uint32_t i = range->first_arg; i < end; i++) {
		struct event_arg *arg = &track->args[i];

		if (!is_text(arg) || arg->value.text.size == 0)
			continue;
		arg->value.text.bytes = (const char *)track->texts.bytes + at;
		at += arg->value.text.size;
	}
	flops_of_op(shares->flops, range->site, &event, &range->work);
}

/* Which kernels of an operator did its work, and how much of it. */

__extension__ typedef unsigned __int128 wide;

/*
 * Parts of names of kernels that run before or behind the one that does the
 * work: what cuBLAS and cuDNN add up, transform and lay out anew, and ATen's
 * own. A name of one of the others may have these as well, so they come first.
 * Source: names in traces of V100, A100, H100 and MI300X.
 */
static const char *const beside[] = {"splitkreduce", "reducesplitk",
	"reduce_kernel", "reduce_1block", "splitkv_combine", "nchwtonhwc",
	"nhwctonchw", "transpose", "computeoffsets", "computeboffsets",
	"computewgrad", "generatewinograd", "winograd_nonfused",
	"winogradforward", "fft2d_", "fft1d", "elementwise", "dot_do_o",
	"convert", "im2col", "col2im", "im2d2col", "memset", "fillfunctor",
	"postgsu", "genericreorder", "kern_precompute", "scalepackedtensor",
	"catarray"};

static const char *const mains[] = {"gemm", "gemv", "cijk_", "cutlass", "xmma",
	"fprop", "dgrad", "wgrad", "conv", "winograd", "scudnn", "flash",
	"fmha", "attention", "attn", "sdpa", "triton_tem", "dot_kernel",
	"matmul"};

static bool has_any(const char *name, const char *const *parts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcasestr(name, parts[i]) != NULL)
			return true;
	return false;
}

static enum shares_role shares_role_of(const char *name)
{
	if (has_any(name, beside, sizeof(beside) / sizeof(beside[0])))
		return SHARES_BESIDE;
	return has_any(name, mains, sizeof(mains) / sizeof(mains[0]))
		       ? SHARES_MAIN
		       : SHARES_OTHER;
}

/* Do the names of its kernels say which of them do the work? */
static bool has_roles(const struct shares_op *op)
{
	return op->work.family != FLOPS_NONE && op->work.has_flops;
}

/* The kernels whose role comes first. */
static enum shares_role role_that_works(
	const struct shares *shares, const struct shares_op *op)
{
	enum shares_role role = SHARES_BESIDE;

	for (uint32_t i = op->first; i != SHARES_NONE;
		i = shares->kernels[i].next)
		if (shares->kernels[i].role < role)
			role = shares->kernels[i].role;
	return role;
}

static bool works(const struct shares_op *op,
	const struct shares_kernel *kernel, enum shares_role role)
{
	return !has_roles(op) || kernel->role == role;
}

/* What the kernel says of itself counts where the operator says nothing. */
static void take_own(struct flops_work *work, const struct flops_work *own)
{
	if (!work->has_flops && own->has_flops) {
		work->has_flops = true;
		work->own_flops = true;
		work->flops = own->flops;
	}
	if (!work->has_bytes && own->has_bytes) {
		work->has_bytes = true;
		work->own_bytes = true;
		work->bytes = own->bytes;
	}
}

/* What was done in the time from one to the other, so that the parts add up to
 * the whole whatever the rounding. */
static uint64_t between(
	uint64_t whole, uint64_t from_ns, uint64_t to_ns, uint64_t all_ns)
{
	return (uint64_t)((wide)whole * to_ns / all_ns) -
	       (uint64_t)((wide)whole * from_ns / all_ns);
}

/* The time of those that work; 0 where that cannot be divided by. */
static uint64_t time_of(const struct shares *shares, const struct shares_op *op,
	enum shares_role role)
{
	uint64_t all_ns = 0;

	for (uint32_t i = op->first; i != SHARES_NONE;
		i = shares->kernels[i].next)
		if (works(op, &shares->kernels[i], role) &&
			__builtin_add_overflow(
				all_ns, shares->kernels[i].dur_ns, &all_ns))
			return 0;
	return all_ns;
}

static void take_part(const struct shares_op *op,
	const struct shares_kernel *kernel, uint64_t from_ns, uint64_t all_ns,
	struct share *share)
{
	uint64_t to_ns = from_ns + kernel->dur_ns;

	share->kind = SHARE_WORK;
	share->work = op->work;
	/* Of those without any time the first has all. */
	if (all_ns > 0) {
		share->work.flops =
			between(op->work.flops, from_ns, to_ns, all_ns);
		share->work.bytes =
			between(op->work.bytes, from_ns, to_ns, all_ns);
	}
	take_own(&share->work, &kernel->own);
}

static void free_kernel(struct shares *shares, uint32_t place)
{
	shares->kernels[place].next = shares->kernel_free;
	shares->kernel_free = place;
}

/* Divides the work of an operator among its kernels, and forgets it. */
static bool shares_settle(struct shares *shares, struct shares_op *op)
{
	enum shares_role role = role_that_works(shares, op);
	uint64_t all_ns = time_of(shares, op, role);
	uint64_t from_ns = 0;
	bool any = false;
	bool done = true;
	uint32_t next;

	for (uint32_t i = op->first; i != SHARES_NONE; i = next) {
		struct shares_kernel *kernel = &shares->kernels[i];
		struct share share = {.ticket = kernel->ticket,
			.dur_ns = kernel->dur_ns,
			.kind = SHARE_HELPER};

		if (works(op, kernel, role) && (all_ns > 0 || !any)) {
			take_part(op, kernel, from_ns, all_ns, &share);
			from_ns += kernel->dur_ns;
			any = true;
		}
		next = kernel->next;
		free_kernel(shares, i);
		done = shares_finish(shares, &share) && done;
	}
	*op = (struct shares_op){.first = SHARES_NONE, .cut = op->cut};
	return done;
}

/* By ticket; of one, what says the same of itself is together. What says that
 * it did nothing is not what says something: its time would count, too. */
static int compare(
	const struct shares_kernel *one, const struct shares_kernel *other)
{
	const bool left[] = {one->own.has_flops, one->own.has_bytes,
		one->own.flops != 0, one->own.bytes != 0};
	const bool right[] = {other->own.has_flops, other->own.has_bytes,
		other->own.flops != 0, other->own.bytes != 0};

	if (one->ticket != other->ticket)
		return one->ticket < other->ticket ? -1 : 1;
	return memcmp(left, right, sizeof(left));
}

/* Which of those that are equal comes first is all one: they become one. */
static int compare_places(const void *left, const void *right, void *user)
{
	const struct shares *shares = user;
	const uint32_t *one = left;
	const uint32_t *other = right;

	return compare(&shares->kernels[*one], &shares->kernels[*other]);
}

static void merge_into(
	struct shares_kernel *kernel, const struct shares_kernel *other)
{
	kernel->dur_ns = saturate_sum(kernel->dur_ns, other->dur_ns);
	kernel->own.flops = saturate_sum(kernel->own.flops, other->own.flops);
	kernel->own.bytes = saturate_sum(kernel->own.bytes, other->own.bytes);
}

/* Makes one of those of an operator's kernels that have one ticket. False if
 * out of memory. */
static bool shares_merge(struct shares *shares, struct shares_op *op)
{
	uint32_t *places =
		memory_resize_array(NULL, op->waiting, sizeof(*places));
	uint32_t count = 0;
	uint32_t last = SHARES_NONE;

	if (places == NULL)
		return false;
	for (uint32_t i = op->first; i != SHARES_NONE;
		i = shares->kernels[i].next)
		places[count++] = i;
	qsort_r(places, count, sizeof(*places), compare_places, shares);
	for (uint32_t i = 0; i < count; i++) {
		struct shares_kernel *kernel = &shares->kernels[places[i]];

		if (last != SHARES_NONE &&
			compare(&shares->kernels[last], kernel) == 0) {
			merge_into(&shares->kernels[last], kernel);
			free_kernel(shares, places[i]);
			op->waiting--;
			continue;
		}
		kernel->next = last;
		last = places[i];
	}
	op->first = last;
	/* Where nothing became fewer it is not tried again at once. */
	op->merge_at =
		2 * op->waiting > SHARES_MERGE ? 2 * op->waiting : SHARES_MERGE;
	memory_free(places);
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
