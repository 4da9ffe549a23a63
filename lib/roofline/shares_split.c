/* SPDX-License-Identifier: MIT */
/* Which kernels of an operator did its work, and how much of it. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "roofline/shares_private.h"

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

enum shares_role shares_role_of(const char *name)
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

bool shares_settle(struct shares *shares, struct shares_op *op)
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

bool shares_merge(struct shares *shares, struct shares_op *op)
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
