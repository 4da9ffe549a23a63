/* SPDX-License-Identifier: MIT */
#include "roofline/attribution.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/saturate.h"
#include "names/name_parts.h"
#include "trace/correlation.h"

#define ATTRIBUTION_NONE UINT32_MAX

/* Number of waiting kernels of an operator at which those with equal tickets
 * are merged, so that a program that is a single operator does not keep them
 * all. */
#define ATTRIBUTION_MERGE 4096

/* The role of a kernel, from its name. */
enum attribution_role {
	ATTRIBUTION_MAIN, /* product, convolution, attention */
	ATTRIBUTION_OTHER,
	ATTRIBUTION_BESIDE, /* runs before or after these */
};

struct attribution_site {
	bool known;
	bool launches; /* API call that launches one kernel */
	enum attribution_role role;
};

/* An open range. */
struct attribution_range {
	uint32_t site;
	uint32_t nearest; /* depth of the innermost op up to here; 0: none */
	uint64_t op;      /* number of its attribution_op; 0: none */
	struct flops_work work;
	bool taken;  /* by attribution_next_op() */
	bool unread; /* its arguments have not been parsed yet */
	/* Sizes of the track's args and texts at its begin. */
	uint32_t first_arg;
	size_t text_at;
};

struct attribution_track {
	struct attribution_range *ranges;
	uint32_t depth;
	uint32_t room;
	/* Arguments of open operators, inner ones after outer ones. */
	struct event_arg *args;
	uint32_t arg_count;
	uint32_t arg_room;
	struct buffer texts;
};

/* Kernels with one ticket that wait for the others of their operator. */
struct attribution_kernel {
	uint64_t ticket;
	uint64_t dur_ns; /* sum over the kernels */
	enum attribution_role role;
	uint32_t next; /* ATTRIBUTION_NONE: last */
	struct flops_work own;
};

/* An operator with kernels that have not arrived yet. */
struct attribution_op {
	uint64_t number; /* 0: free */
	uint64_t last_id;
	struct flops_work work;
	uint32_t launched; /* number of launching calls */
	uint32_t came;     /* kernels that arrived */
	uint32_t waiting;  /* entries in `kernels` */
	uint32_t merge_at; /* entries at which to merge */
	bool ended;
	bool any_number; /* number of kernels unknown */
	uint32_t first;  /* list of arrived kernels, last one first */
	uint32_t name;   /* see attribution_op_name() */
	/* Number of the last operator in this slot that was divided before all
	 * its kernels arrived; kept when the slot is freed. 0: none. */
	uint64_t cut;
};

struct attribution {
	const struct trace *trace;
	struct flops *flops;
	struct strtab *names;     /* of operators; NULL: not kept */
	struct correlation *join; /* to operator numbers; NULL: none yet */
	struct attribution_site *sites;
	uint32_t site_count;
	struct attribution_track *tracks;
	uint32_t track_count;
	struct attribution_op *ops; /* ring, by number modulo op_room */
	uint32_t op_room;
	uint64_t op_last;   /* largest number */
	uint64_t op_oldest; /* no earlier one waits */
	uint64_t late;      /* kernels of operators divided before */
	struct attribution_kernel *kernels;
	uint32_t kernel_count;
	uint32_t kernel_room;
	uint32_t kernel_free; /* ATTRIBUTION_NONE: none */
	struct share *done;
	uint32_t done_count;
	uint32_t done_taken;
	uint32_t done_room;
};

#define FIRST_ROOM 64

struct attribution *attribution_new(const struct trace *trace)
{
	struct attribution *attribution =
		memory_new_zeroed(1, sizeof(*attribution));

	if (attribution == NULL)
		return NULL;
	attribution->trace = trace;
	attribution->kernel_free = ATTRIBUTION_NONE;
	attribution->op_oldest = 1;
	attribution->flops = flops_new(trace);
	if (attribution->flops != NULL)
		return attribution;
	attribution_free(attribution);
	return NULL;
}

void attribution_free(struct attribution *attribution)
{
	if (attribution == NULL)
		return;
	for (uint32_t i = 0; i < attribution->track_count; i++) {
		memory_free(attribution->tracks[i].ranges);
		memory_free(attribution->tracks[i].args);
		buffer_clear(&attribution->tracks[i].texts);
	}
	memory_free(attribution->tracks);
	memory_free(attribution->sites);
	memory_free(attribution->ops);
	memory_free(attribution->kernels);
	memory_free(attribution->done);
	correlation_free(attribution->join);
	strtab_free(attribution->names);
	flops_free(attribution->flops);
	memory_free(attribution);
}

bool attribution_keep_ops(struct attribution *attribution)
{
	attribution->names = strtab_new();
	return attribution->names != NULL;
}

const char *attribution_op_name(
	const struct attribution *attribution, uint32_t op)
{
	return strtab_text(attribution->names, op, NULL);
}

/* Queues a kernel's share. */
static bool attribution_finish(
	struct attribution *attribution, const struct share *share)
{
	if (attribution->done_taken == attribution->done_count) {
		attribution->done_taken = 0;
		attribution->done_count = 0;
	}
	if (!array_reserve32(&attribution->done, attribution->done_count,
		    &attribution->done_room, sizeof(*attribution->done)))
		return false;
	attribution->done[attribution->done_count++] = *share;
	return true;
}

/*
 * The arguments of open operators are copied and parsed only when needed: most
 * operators launch no kernel, and copying is faster than parsing.
 */

static bool is_text(const struct event_arg *arg)
{
	return arg->kind == ARG_TEXT || arg->kind == ARG_JSON;
}

/* Copies the arguments of an operator that begins. False if out of memory. */
static bool copy_args(struct attribution_track *track,
	struct attribution_range *range, const struct event *event)
{
	range->unread = true;
	for (uint32_t i = 0; i < event->arg_count; i++) {
		const struct event_arg *arg = &event->args[i];

		if (!array_reserve32(&track->args, track->arg_count,
			    &track->arg_room, sizeof(*track->args)))
			return false;
		track->args[track->arg_count++] = *arg;
		if (is_text(arg))
			buffer_add(&track->texts, arg->value.text.bytes,
				arg->value.text.size);
	}
	return !track->texts.failed;
}

/* Parses the arguments of an open operator. */
static void attribution_args_read(struct attribution *attribution,
	struct attribution_track *track, struct attribution_range *range)
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
	/* The buffer may have moved since they were copied. */
	for (uint32_t i = range->first_arg; i < end; i++) {
		struct event_arg *arg = &track->args[i];

		if (!is_text(arg) || arg->value.text.size == 0)
			continue;
		arg->value.text.bytes = (const char *)track->texts.bytes + at;
		at += arg->value.text.size;
	}
	flops_of_op(attribution->flops, range->site, &event, &range->work);
}

/* Appends the shapes as Python prints lists. */
static void add_shapes(struct buffer *text, const struct event_arg *arg)
{
	for (size_t i = 0; i < arg->value.text.size; i++) {
		char c = arg->value.text.bytes[i];

		/* JSON has no other control characters than blanks. */
		if ((unsigned char)c > ' ')
			buffer_add_byte(text, (uint8_t)c);
		if (c == ',')
			buffer_add_byte(text, ' ');
	}
}

/* Sets the name of an operator from an open range. False if out of memory. */
static bool name_op(struct attribution *attribution,
	const struct attribution_track *track,
	const struct attribution_range *range, uint32_t *name)
{
	struct buffer text = BUFFER_INIT;
	uint32_t end = range == &track->ranges[track->depth - 1]
			       ? track->arg_count
			       : range[1].first_arg;

	if (attribution->names == NULL)
		return true;
	buffer_add_text(
		&text, trace_site_name(attribution->trace, range->site));
	for (uint32_t i = range->first_arg; i < end; i++) {
		const struct event_arg *arg = &track->args[i];

		if (!is_text(arg) ||
			strcasecmp(strtab_text(attribution->trace->text,
					   arg->key, NULL),
				flops_args[0]) != 0)
			continue;
		buffer_add_byte(&text, '\n');
		add_shapes(&text, arg);
		break;
	}
	*name = text.failed ? STRTAB_NONE
			    : strtab_add(attribution->names,
				      (const char *)text.bytes, text.used);
	buffer_clear(&text);
	return *name != STRTAB_NONE;
}

/* Division of an operator's work among its kernels. */

__extension__ typedef unsigned __int128 wide;

/*
 * Name parts of kernels that run before or after the one that does the work:
 * reductions, transforms and layout changes of cuBLAS and cuDNN, and ATen's
 * own. Names of these may also contain parts of `mains`, so they are checked
 * first.
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

static bool has_any(
	const struct name_parts *name, const char *const *parts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (name_parts_has(name, parts[i]))
			return true;
	return false;
}

static enum attribution_role attribution_role_of(const char *name)
{
	struct name_parts parts;

	name_parts_init(&parts, name);
	if (has_any(&parts, beside, sizeof(beside) / sizeof(beside[0])))
		return ATTRIBUTION_BESIDE;
	return has_any(&parts, mains, sizeof(mains) / sizeof(mains[0]))
		       ? ATTRIBUTION_MAIN
		       : ATTRIBUTION_OTHER;
}

/* Whether the roles of its kernels determine which of them do the work. */
static bool has_roles(const struct attribution_op *op)
{
	return op->work.family != FLOPS_NONE && op->work.has_flops;
}

/* The first role that one of its kernels has. */
static enum attribution_role role_that_works(
	const struct attribution *attribution, const struct attribution_op *op)
{
	enum attribution_role role = ATTRIBUTION_BESIDE;

	for (uint32_t i = op->first; i != ATTRIBUTION_NONE;
		i = attribution->kernels[i].next)
		if (attribution->kernels[i].role < role)
			role = attribution->kernels[i].role;
	return role;
}

static bool works(const struct attribution_op *op,
	const struct attribution_kernel *kernel, enum attribution_role role)
{
	return !has_roles(op) || kernel->role == role;
}

/* The kernel's own values are used if the operator has none. */
static void use_own(struct flops_work *work, const struct flops_work *own)
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

/* The part of the work in [from_ns, to_ns), computed so that the rounded parts
 * add up to the whole. */
static uint64_t between(
	uint64_t whole, uint64_t from_ns, uint64_t to_ns, uint64_t all_ns)
{
	return (uint64_t)((wide)whole * to_ns / all_ns) -
	       (uint64_t)((wide)whole * from_ns / all_ns);
}

/* Total time of the working kernels; 0 on overflow. */
static uint64_t time_of(const struct attribution *attribution,
	const struct attribution_op *op, enum attribution_role role)
{
	uint64_t all_ns = 0;

	for (uint32_t i = op->first; i != ATTRIBUTION_NONE;
		i = attribution->kernels[i].next)
		if (works(op, &attribution->kernels[i], role) &&
			__builtin_add_overflow(all_ns,
				attribution->kernels[i].dur_ns, &all_ns))
			return 0;
	return all_ns;
}

static void add_part(const struct attribution_op *op,
	const struct attribution_kernel *kernel, uint64_t from_ns,
	uint64_t all_ns, struct share *share)
{
	uint64_t to_ns = from_ns + kernel->dur_ns;

	share->kind = SHARE_WORK;
	share->work = op->work;
	/* If all durations are 0, the first kernel has everything. */
	if (all_ns > 0) {
		share->work.flops =
			between(op->work.flops, from_ns, to_ns, all_ns);
		share->work.bytes =
			between(op->work.bytes, from_ns, to_ns, all_ns);
	}
	use_own(&share->work, &kernel->own);
}

static void free_kernel(struct attribution *attribution, uint32_t place)
{
	attribution->kernels[place].next = attribution->kernel_free;
	attribution->kernel_free = place;
}

/* Divides the work of an operator among its kernels and removes it. */
static bool attribution_finalize(
	struct attribution *attribution, struct attribution_op *op)
{
	enum attribution_role role = role_that_works(attribution, op);
	uint64_t all_ns = time_of(attribution, op, role);
	uint64_t from_ns = 0;
	bool any = false;
	bool done = true;
	uint32_t next;

	for (uint32_t i = op->first; i != ATTRIBUTION_NONE; i = next) {
		struct attribution_kernel *kernel = &attribution->kernels[i];
		struct share share = {.ticket = kernel->ticket,
			.dur_ns = kernel->dur_ns,
			.kind = SHARE_HELPER,
			.op = op->name,
			.calls = i == op->first};

		if (works(op, kernel, role) && (all_ns > 0 || !any)) {
			add_part(op, kernel, from_ns, all_ns, &share);
			from_ns += kernel->dur_ns;
			any = true;
		}
		next = kernel->next;
		free_kernel(attribution, i);
		done = attribution_finish(attribution, &share) && done;
	}
	*op = (struct attribution_op){
		.first = ATTRIBUTION_NONE, .cut = op->cut};
	return done;
}

/* By ticket, then by which values the kernel has itself. A value of 0 differs
 * from others, since merging would count its time, too. */
static int compare(const struct attribution_kernel *one,
	const struct attribution_kernel *other)
{
	const bool left[] = {one->own.has_flops, one->own.has_bytes,
		one->own.flops != 0, one->own.bytes != 0};
	const bool right[] = {other->own.has_flops, other->own.has_bytes,
		other->own.flops != 0, other->own.bytes != 0};

	if (one->ticket != other->ticket)
		return one->ticket < other->ticket ? -1 : 1;
	return memcmp(left, right, sizeof(left));
}

/* The order of equal ones does not matter: they are merged. */
static int compare_places(const void *left, const void *right, void *user)
{
	const struct attribution *attribution = user;
	const uint32_t *one = left;
	const uint32_t *other = right;

	return compare(
		&attribution->kernels[*one], &attribution->kernels[*other]);
}

static void merge_into(struct attribution_kernel *kernel,
	const struct attribution_kernel *other)
{
	kernel->dur_ns = saturate_sum(kernel->dur_ns, other->dur_ns);
	kernel->own.flops = saturate_sum(kernel->own.flops, other->own.flops);
	kernel->own.bytes = saturate_sum(kernel->own.bytes, other->own.bytes);
}

/* Merges an operator's kernels that have equal tickets. False if out of
 * memory. */
static bool attribution_merge(
	struct attribution *attribution, struct attribution_op *op)
{
	uint32_t *places =
		memory_resize_array(NULL, op->waiting, sizeof(*places));
	uint32_t count = 0;
	uint32_t last = ATTRIBUTION_NONE;

	if (places == NULL)
		return false;
	for (uint32_t i = op->first; i != ATTRIBUTION_NONE;
		i = attribution->kernels[i].next)
		places[count++] = i;
	qsort_r(places, count, sizeof(*places), compare_places, attribution);
	for (uint32_t i = 0; i < count; i++) {
		struct attribution_kernel *kernel =
			&attribution->kernels[places[i]];

		if (last != ATTRIBUTION_NONE &&
			compare(&attribution->kernels[last], kernel) == 0) {
			merge_into(&attribution->kernels[last], kernel);
			free_kernel(attribution, places[i]);
			op->waiting--;
			continue;
		}
		kernel->next = last;
		last = places[i];
	}
	op->first = last;
	/* Does not retry soon if little was merged. */
	op->merge_at = 2 * op->waiting > ATTRIBUTION_MERGE ? 2 * op->waiting
							   : ATTRIBUTION_MERGE;
	memory_free(places);
	return true;
}

bool attribution_next(struct attribution *attribution, struct share *share)
{
	if (attribution->done_taken == attribution->done_count)
		return false;
	*share = attribution->done[attribution->done_taken++];
	return true;
}

static struct attribution_track *track_of(
	struct attribution *attribution, uint32_t track)
{
	return array_ensure_index(&attribution->tracks, track,
		       &attribution->track_count, sizeof(*attribution->tracks))
		       ? &attribution->tracks[track]
		       : NULL;
}

/* Whether a call launches a kernel, not a graph. Source: the names of the calls
 * in CUDA's and HIP's runtime and driver API. */
static bool launches(const char *name)
{
	return strstr(name, "Launch") != NULL && strstr(name, "Kernel") != NULL;
}

static struct attribution_site classify(
	const struct trace *trace, uint32_t number)
{
	const char *name = trace_site_name(trace, number);

	return (struct attribution_site){.known = true,
		.launches = launches(name),
		.role = attribution_role_of(name)};
}

/* Returns the facts of a site, cached if memory allows. */
static struct attribution_site site_of(
	struct attribution *attribution, uint32_t number)
{
	if (!array_ensure_index(&attribution->sites, number,
		    &attribution->site_count, sizeof(*attribution->sites)))
		return classify(attribution->trace, number);
	if (!attribution->sites[number].known)
		attribution->sites[number] =
			classify(attribution->trace, number);
	return attribution->sites[number];
}

/* Finds the operator of this number; NULL if it no longer waits. */
static struct attribution_op *op_of(
	const struct attribution *attribution, uint64_t number)
{
	struct attribution_op *op;

	if (number == 0 || attribution->op_room == 0)
		return NULL;
	op = &attribution->ops[number % attribution->op_room];
	return op->number == number ? op : NULL;
}

static bool grow_ops(struct attribution *attribution)
{
	uint32_t room = attribution->op_room == 0 ? FIRST_ROOM
						  : attribution->op_room * 2;
	struct attribution_op *ops = memory_new_zeroed(room, sizeof(*ops));

	if (ops == NULL)
		return false;
	for (uint32_t i = 0; i < room; i++)
		ops[i].first = ATTRIBUTION_NONE;
	for (uint32_t i = 0; i < attribution->op_room; i++)
		if (attribution->ops[i].number != 0)
			ops[attribution->ops[i].number % room] =
				attribution->ops[i];
	for (uint32_t i = 0; i < room; i++)
		ops[i].cut = 0;
	for (uint32_t i = 0; i < attribution->op_room; i++)
		if (attribution->ops[i].cut != 0)
			ops[attribution->ops[i].cut % room].cut =
				attribution->ops[i].cut;
	memory_free(attribution->ops);
	attribution->ops = ops;
	attribution->op_room = room;
	return true;
}

/* Divides the work of an operator before all its kernels have arrived. */
static bool cut(struct attribution *attribution, struct attribution_op *op)
{
	op->cut = op->number;
	return attribution_finalize(attribution, op);
}

/* Adds an operator, replacing the oldest if there are too many. */
static struct attribution_op *add_op(
	struct attribution *attribution, const struct flops_work *work)
{
	uint64_t number = attribution->op_last + 1;
	struct attribution_op *op;

	while (attribution->op_room < ATTRIBUTION_LIMIT &&
		(attribution->op_room == 0 ||
			attribution->ops[number % attribution->op_room]
					.number != 0))
		if (!grow_ops(attribution))
			return NULL;
	op = &attribution->ops[number % attribution->op_room];
	if (op->number != 0 && !cut(attribution, op))
		return NULL;
	*op = (struct attribution_op){.number = number,
		.work = *work,
		.merge_at = ATTRIBUTION_MERGE,
		.first = ATTRIBUTION_NONE,
		.cut = op->cut};
	attribution->op_last = number;
	return op;
}

/* Divides its work if all kernels have arrived. */
static bool finalize_if_whole(
	struct attribution *attribution, struct attribution_op *op)
{
	if (!op->ended || op->any_number || op->came < op->launched)
		return true;
	return attribution_finalize(attribution, op);
}

static bool push(struct attribution *attribution, const struct event *event)
{
	struct attribution_track *track = track_of(attribution, event->track);
	struct attribution_range *range;
	const struct attribution_range *outer;

	if (track == NULL || !array_reserve32(&track->ranges, track->depth,
				     &track->room, sizeof(*track->ranges)))
		return false;
	range = &track->ranges[track->depth++];
	*range = (struct attribution_range){.site = event->site,
		.first_arg = track->arg_count,
		.text_at = track->texts.used};
	outer = track->depth > 1 ? range - 1 : NULL;
	range->nearest = outer == NULL ? 0 : outer->nearest;
	if (!flops_is_op(attribution->flops, event->site))
		return true;
	outer = range->nearest == 0 ? NULL : &track->ranges[range->nearest - 1];
	range->nearest = track->depth;
	if (flops_family_of(attribution->flops, event->site) != FLOPS_ATTENTION)
		return copy_args(track, range, event);
	flops_of_op(attribution->flops, event->site, event, &range->work);
	/* Some attention operators have all sequences in one dimension, but
	 * their caller knows the lengths. */
	if (!range->work.has_flops && outer != NULL &&
		outer->work.family == FLOPS_ATTENTION)
		range->work = outer->work;
	return true;
}

static bool pop(struct attribution *attribution, const struct event *event)
{
	struct attribution_track *track = track_of(attribution, event->track);
	const struct attribution_range *range;
	struct attribution_op *op;

	if (track == NULL || track->depth == 0)
		return track != NULL;
	range = &track->ranges[--track->depth];
	track->arg_count = range->first_arg;
	track->texts.used = range->text_at;
	op = op_of(attribution, range->op);
	if (op == NULL)
		return true;
	op->ended = true;
	return finalize_if_whole(attribution, op);
}

/* Handles arguments that follow the operator's begin. */
static bool add_args(struct attribution *attribution, const struct event *event)
{
	struct attribution_track *track = track_of(attribution, event->track);
	struct attribution_range *range;
	struct flops_work work;
	struct attribution_op *op;

	if (track == NULL || track->depth == 0)
		return track != NULL;
	range = &track->ranges[track->depth - 1];
	if (range->nearest != track->depth)
		return true;
	flops_of_op(attribution->flops, range->site, event, &work);
	if (!work.has_flops && !work.has_bytes)
		return true;
	range->work = work;
	range->unread = false;
	op = op_of(attribution, range->op);
	if (op != NULL)
		op->work = work;
	return true;
}

/* Records that the call's launches belong to the operator. */
static bool join(struct attribution *attribution, const struct event *event,
	uint64_t number)
{
	if (attribution->join == NULL)
		attribution->join = correlation_new(CORRELATION_LIMIT);
	return attribution->join != NULL &&
	       correlation_add(attribution->join,
		       attribution->trace->tracks[event->track].pid, event->id,
		       number);
}

/* The innermost range is a device API call, or the operator itself if
 * activities are joined with operators. */
static bool add_call(struct attribution *attribution, const struct event *event)
{
	struct attribution_track *track = track_of(attribution, event->track);
	struct attribution_range *top;
	struct attribution_range *range;
	struct attribution_op *op;

	if (track == NULL || track->depth == 0)
		return track != NULL;
	top = &track->ranges[track->depth - 1];
	if (top->nearest == 0)
		return true;
	range = &track->ranges[top->nearest - 1];
	if (top != range && !site_of(attribution, top->site).launches)
		return true;
	op = op_of(attribution, range->op);
	if (op == NULL && range->op != 0)
		return join(attribution, event, range->op); /* late */
	if (op == NULL) {
		attribution_args_read(attribution, track, range);
		op = add_op(attribution, &range->work);
		if (op == NULL ||
			!name_op(attribution, track, range, &op->name))
			return false;
		range->op = op->number;
	}
	op->any_number = op->any_number || top == range;
	/* A runtime call makes a driver call with the same id. */
	if (op->last_id != event->id)
		op->launched++;
	op->last_id = event->id;
	return join(attribution, event, op->number);
}

bool attribution_add_event(
	struct attribution *attribution, const struct event *event)
{
	switch (event->kind) {
	case EVENT_BEGIN:
		return push(attribution, event);
	case EVENT_END:
		return pop(attribution, event);
	case EVENT_ARGS:
		return add_args(attribution, event);
	case EVENT_CORRELATION:
		return add_call(attribution, event);
	default:
		return true;
	}
}

/* The operator of the kernel; NULL if there is none or it no longer waits. */
static struct attribution_op *find_op(
	struct attribution *attribution, const struct event *kernel)
{
	int64_t pid = attribution->trace->tracks[kernel->track].pid;
	struct attribution_op *op;
	uint64_t number;

	if (attribution->join == NULL || kernel->id == 0 ||
		!correlation_find(attribution->join, pid, kernel->id, &number))
		return NULL;
	op = op_of(attribution, number);
	if (op == NULL &&
		attribution->ops[number % attribution->op_room].cut == number)
		attribution->late++;
	return op;
}

static uint32_t new_kernel(struct attribution *attribution)
{
	uint32_t place = attribution->kernel_free;

	if (place != ATTRIBUTION_NONE) {
		attribution->kernel_free = attribution->kernels[place].next;
		return place;
	}
	return array_reserve32(&attribution->kernels, attribution->kernel_count,
		       &attribution->kernel_room, sizeof(*attribution->kernels))
		       ? attribution->kernel_count++
		       : ATTRIBUTION_NONE;
}

/* Finishes a kernel without an operator, from its own values. */
static bool finish_alone(struct attribution *attribution,
	const struct event *event, const struct flops_work *own,
	uint64_t ticket)
{
	struct share share = {.ticket = ticket,
		.dur_ns = event->dur_ns,
		.kind = own->has_flops || own->has_bytes ? SHARE_WORK
							 : SHARE_UNKNOWN,
		.work = *own};

	return attribution_finish(attribution, &share);
}

bool attribution_add_kernel(struct attribution *attribution,
	const struct event *event, uint64_t ticket)
{
	struct attribution_op *op = find_op(attribution, event);
	struct flops_work own = {.family = FLOPS_NONE};
	uint32_t place;

	flops_of_kernel(attribution->flops, event, &own);
	if (op == NULL)
		return finish_alone(attribution, event, &own, ticket);
	place = new_kernel(attribution);
	if (place == ATTRIBUTION_NONE)
		return false;
	attribution->kernels[place] =
		(struct attribution_kernel){.ticket = ticket,
			.dur_ns = event->dur_ns,
			.role = site_of(attribution, event->site).role,
			.next = op->first,
			.own = own};
	op->first = place;
	op->came++;
	if (++op->waiting >= op->merge_at &&
		!attribution_merge(attribution, op))
		return false;
	return finalize_if_whole(attribution, op);
}

bool attribution_finalize_oldest(struct attribution *attribution)
{
	for (; attribution->op_oldest <= attribution->op_last;
		attribution->op_oldest++) {
		struct attribution_op *op =
			op_of(attribution, attribution->op_oldest);

		if (op != NULL)
			return cut(attribution, op);
	}
	return true;
}

bool attribution_finalize_all(struct attribution *attribution)
{
	while (attribution->op_oldest <= attribution->op_last)
		if (!attribution_finalize_oldest(attribution))
			return false;
	return true;
}

uint64_t attribution_late(const struct attribution *attribution)
{
	return attribution->late;
}

bool attribution_next_op(struct attribution *attribution, uint32_t track,
	struct flops_work *work)
{
	const struct attribution_track *open;
	struct attribution_range *range;

	if (track >= attribution->track_count ||
		attribution->tracks[track].depth == 0)
		return false;
	open = &attribution->tracks[track];
	range = &open->ranges[open->depth - 1];
	if (range->op == 0 || range->taken)
		return false;
	range->taken = true;
	*work = range->work;
	return true;
}
