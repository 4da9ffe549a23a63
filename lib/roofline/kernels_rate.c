/* SPDX-License-Identifier: MIT */
/* How fast kernels did what they did. A GFLOP in a second is one FLOP in a
 * nanosecond; so it is with bytes. */
#include "roofline/kernels.h"
#include "base/saturate.h"

#define NS_PER_S 1000000000
#define WHOLE 10000

__extension__ typedef unsigned __int128 wide;

static void add(struct kernels_work *to, const struct kernels_work *from)
{
	to->amount = saturate_sum(to->amount, from->amount);
	to->time_ns = saturate_sum(to->time_ns, from->time_ns);
}

struct kernels_work kernels_flops(const struct kernels_row *row)
{
	struct kernels_work sum = {0, 0};

	for (int dtype = 0; dtype < DTYPES; dtype++)
		add(&sum, &row->flops[dtype]);
	return sum;
}

bool kernels_rate(const struct kernels_work *work, uint64_t *per_s)
{
	wide rate;

	if (work->time_ns == 0 || work->amount == 0 ||
		work->amount == UINT64_MAX)
		return false;
	rate = (wide)work->amount * NS_PER_S / work->time_ns;
	*per_s = (uint64_t)rate;
	return rate < UINT64_MAX;
}

/* The share of `time_ns`, which is not 0; rounded to the nearest. */
static uint64_t share_of(wide least, uint64_t time_ns)
{
	wide share = (least + time_ns / 2) / time_ns;

	return share < UINT64_MAX ? (uint64_t)share : UINT64_MAX;
}

bool kernels_flops_share(const struct kernels_row *row, const struct peak *peak,
	enum dtype usual, uint64_t *share)
{
	wide least = 0; /* time that it would take, in parts of 1 / WHOLE ns */
	uint64_t time_ns = 0;

	for (int i = 0; i < DTYPES; i++) {
		enum dtype dtype = i == DTYPE_UNKNOWN ? usual : (enum dtype)i;

		if (row->flops[i].time_ns == 0 || peak->gflops[dtype] == 0 ||
			row->flops[i].amount == UINT64_MAX)
			continue;
		least += (wide)row->flops[i].amount * WHOLE /
			 peak->gflops[dtype];
		time_ns = saturate_sum(time_ns, row->flops[i].time_ns);
	}
	if (time_ns == 0)
		return false;
	*share = share_of(least, time_ns);
	return true;
}

bool kernels_bytes_share(
	const struct kernels_row *row, const struct peak *peak, uint64_t *share)
{
	if (row->bytes.time_ns == 0 || row->bytes.amount == UINT64_MAX ||
		peak->gb_per_s == 0)
		return false;
	*share = share_of((wide)row->bytes.amount * WHOLE / peak->gb_per_s,
		row->bytes.time_ns);
	return true;
}
