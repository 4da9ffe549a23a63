/* SPDX-License-Identifier: MIT */
#include "roofline/kernels.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "profile/profile.h"
#include "roofline/attribution.h"
#include "trace/device.h"

#define NONE UINT32_MAX

struct kernels {
	const struct trace *trace; /* NULL: a sum of several */
	const struct strtab *text; /* of rows: the trace's, or that of */
	struct strtab *sum_text;   /* a sum */
	struct strtab *models;     /* names of devices; 0: unknown */
	struct attribution *attribution;
	struct strtab *keys; /* row keys: device and name */
	struct kernels_row *rows;
	enum dtype *dtypes; /* by row, from its name */
	uint32_t row_count;
	uint32_t row_room;
	struct strtab *op_keys; /* device and operator; NULL: not kept */
	struct kernels_row *ops;
	uint32_t op_count;
	uint32_t op_room;
	struct kernels_device *devices;
	/* Index + 1 by process and number; of a sum by model. */
	struct strtab *device_keys;
	uint32_t device_count;
	uint32_t device_room;
};

/* Allocates the tables of both kinds. */
static struct kernels *new_tables(void)
{
	struct kernels *kernels = memory_new_zeroed(1, sizeof(*kernels));

	if (kernels == NULL)
		return NULL;
	kernels->device_keys = strtab_new();
	kernels->keys = strtab_new();
	kernels->models = strtab_new();
	if (kernels->device_keys != NULL && kernels->keys != NULL &&
		kernels->models != NULL) {
		strtab_show_zeros(kernels->models);
		return kernels;
	}
	kernels_free(kernels);
	return NULL;
}

struct kernels *kernels_new(const struct trace *trace)
{
	struct kernels *kernels = new_tables();

	if (kernels == NULL)
		return NULL;
	kernels->trace = trace;
	kernels->text = trace->text;
	kernels->attribution = attribution_new(trace);
	if (kernels->attribution != NULL)
		return kernels;
	kernels_free(kernels);
	return NULL;
}

struct kernels *kernels_new_sum(void)
{
	struct kernels *kernels = new_tables();

	if (kernels == NULL)
		return NULL;
	kernels->sum_text = strtab_new();
	kernels->text = kernels->sum_text;
	if (kernels->sum_text != NULL)
		return kernels;
	kernels_free(kernels);
	return NULL;
}

void kernels_free(struct kernels *kernels)
{
	if (kernels == NULL)
		return;
	attribution_free(kernels->attribution);
	strtab_free(kernels->device_keys);
	strtab_free(kernels->keys);
	strtab_free(kernels->models);
	strtab_free(kernels->sum_text);
	memory_free(kernels->rows);
	memory_free(kernels->dtypes);
	strtab_free(kernels->op_keys);
	memory_free(kernels->ops);
	memory_free(kernels->devices);
	memory_free(kernels);
}

/* Steps of clocks: NVIDIA's GPUs count 32 ns, old traces are in whole us. */
static const uint32_t clock_steps_ns[] = {1000, 32, 1};

/* Returns the device of this key, which is added as `device` if it is new; NONE
 * if out of memory. */
static uint32_t device_of(struct kernels *kernels, const void *key, size_t size,
	const struct kernels_device *device)
{
	uint32_t known = strtab_add(kernels->device_keys, key, size);

	if (known == STRTAB_NONE)
		return NONE;
	if (known <= kernels->device_count)
		return known - 1;
	if (!array_reserve32(&kernels->devices, kernels->device_count,
		    &kernels->device_room, sizeof(*kernels->devices)))
		return NONE;
	kernels->devices[kernels->device_count] = *device;
	return kernels->device_count++;
}

/* Returns the device of a stream; NONE if out of memory. */
static uint32_t find_device(struct kernels *kernels, uint32_t track)
{
	const struct trace_track *stream = &kernels->trace->tracks[track];
	const int64_t key[2] = {stream->pid, stream->device};

	return device_of(kernels, key, sizeof(key),
		&(struct kernels_device){.pid = stream->pid,
			.number = stream->device,
			.devices = 1,
			.clock_ns = clock_steps_ns[0]});
}

static bool grow_rows(struct kernels *kernels)
{
	uint32_t room = kernels->row_room;

	return array_reserve32(&kernels->rows, kernels->row_count, &room,
		       sizeof(*kernels->rows)) &&
	       array_reserve32(&kernels->dtypes, kernels->row_count,
		       &kernels->row_room, sizeof(*kernels->dtypes));
}

/* Returns the row of a kernel on a device; NONE if out of memory. */
static uint32_t find_row(
	struct kernels *kernels, uint32_t device, uint32_t name)
{
	const uint32_t key[] = {device, name};
	uint32_t count = strtab_count(kernels->keys);
	uint32_t number =
		strtab_add(kernels->keys, (const char *)key, sizeof(key));

	if (number == STRTAB_NONE)
		return NONE;
	if (number < count)
		return number - 1;
	if (!grow_rows(kernels))
		return NONE;
	kernels->dtypes[kernels->row_count] =
		dtype_of_kernel(strtab_text(kernels->text, name, NULL));
	kernels->rows[kernels->row_count] = (struct kernels_row){
		.device = device, .name = name, .min_ns = UINT64_MAX};
	return kernels->row_count++;
}

static void add_work(
	struct kernels_work *work, uint64_t amount, uint64_t time_ns)
{
	work->amount = saturate_sum(work->amount, amount);
	work->time_ns = saturate_sum(work->time_ns, time_ns);
}

/* The type of the operator's tensors, except that tf32 is only visible in the
 * names of fp32 kernels. */
static enum dtype dtype_of(const struct share *share, enum dtype named)
{
	enum dtype dtype = share->work.dtype;

	if (dtype == DTYPE_UNKNOWN ||
		(dtype == DTYPE_FP32 && named == DTYPE_TF32))
		return named;
	return dtype;
}

bool kernels_keep_ops(struct kernels *kernels)
{
	kernels->op_keys = strtab_new();
	return kernels->op_keys != NULL &&
	       attribution_keep_ops(kernels->attribution);
}

/* Adds a share to the operator's row. False if out of memory. */
static bool add_op(struct kernels *kernels, const struct share *share,
	uint32_t device, enum dtype dtype)
{
	const uint32_t key[] = {device, share->op};
	uint32_t count;
	uint32_t number;
	struct kernels_row *row;

	if (kernels->op_keys == NULL || share->op == 0)
		return true;
	count = strtab_count(kernels->op_keys);
	number = strtab_add(kernels->op_keys, (const char *)key, sizeof(key));
	if (number == STRTAB_NONE)
		return false;
	if (number == count) {
		if (!array_reserve32(&kernels->ops, kernels->op_count,
			    &kernels->op_room, sizeof(*kernels->ops)))
			return false;
		kernels->ops[kernels->op_count++] = (struct kernels_row){
			.device = device, .name = share->op};
	}
	row = &kernels->ops[number - 1];
	row->count += share->calls;
	row->total_ns = saturate_sum(row->total_ns, share->dur_ns);
	if (share->work.has_flops && share->work.flops > 0)
		add_work(&row->flops[dtype], share->work.flops, share->dur_ns);
	if (share->work.has_bytes && share->work.bytes > 0)
		add_work(&row->bytes, share->work.bytes, share->dur_ns);
	return true;
}

/* Adds the shares known by now. False if out of memory. */
static bool add_shares(struct kernels *kernels)
{
	struct share share;

	while (attribution_next(kernels->attribution, &share)) {
		uint32_t number = (uint32_t)share.ticket;
		struct kernels_row *row = &kernels->rows[number];
		struct kernels_device *device = &kernels->devices[row->device];
		enum dtype dtype = dtype_of(&share, kernels->dtypes[number]);

		if (share.kind == SHARE_HELPER)
			device->helper_ns =
				saturate_sum(device->helper_ns, share.dur_ns);
		if (share.work.has_flops && share.work.flops > 0) {
			add_work(&row->flops[dtype], share.work.flops,
				share.dur_ns);
			add_work(
				&device->flops, share.work.flops, share.dur_ns);
		}
		if (share.work.has_bytes && share.work.bytes > 0) {
			add_work(&row->bytes, share.work.bytes, share.dur_ns);
			add_work(
				&device->bytes, share.work.bytes, share.dur_ns);
		}
		if (!add_op(kernels, &share, row->device, dtype))
			return false;
	}
	return true;
}

static void observe(struct kernels_device *device, uint64_t dur_ns)
{
	size_t step = 0;

	while (clock_steps_ns[step] != device->clock_ns)
		step++;
	while (dur_ns % clock_steps_ns[step] != 0)
		step++;
	device->clock_ns = clock_steps_ns[step];
	device->count++;
	device->total_ns = saturate_sum(device->total_ns, dur_ns);
}

static bool add_kernel(struct kernels *kernels, const struct event *event)
{
	uint32_t device = find_device(kernels, event->track);
	uint32_t number =
		device == NONE
			? NONE
			: find_row(kernels, device,
				  kernels->trace->sites[event->site].name);
	struct kernels_row *row;

	if (number == NONE)
		return false;
	row = &kernels->rows[number];
	row->count++;
	row->total_ns = saturate_sum(row->total_ns, event->dur_ns);
	row->min_ns = event->dur_ns < row->min_ns ? event->dur_ns : row->min_ns;
	row->max_ns = event->dur_ns > row->max_ns ? event->dur_ns : row->max_ns;
	observe(&kernels->devices[device], event->dur_ns);
	return attribution_add_kernel(kernels->attribution, event, number);
}

enum ctp_status kernels_add(
	void *user, const struct event *event, struct ctp_error *err)
{
	struct kernels *kernels = user;

	if (!attribution_add_event(kernels->attribution, event))
		return ctp_no_memory(err);
	if (event->kind == EVENT_ACTIVITY &&
		profile_kind_of(kernels->trace, event->site) ==
			PROFILE_KERNEL &&
		!add_kernel(kernels, event))
		return ctp_no_memory(err);
	return add_shares(kernels) ? CTP_OK : ctp_no_memory(err);
}

static int compare_devices(const void *left, const void *right, void *user)
{
	const struct kernels *kernels = user;
	const struct kernels_device *one =
		&kernels->devices[*(const uint32_t *)left];
	const struct kernels_device *other =
		&kernels->devices[*(const uint32_t *)right];

	if (one->pid != other->pid)
		return one->pid < other->pid ? -1 : 1;
	if (one->number != other->number)
		return one->number < other->number ? -1 : 1;
	return strtab_compare(kernels->models, one->model, other->model);
}

/* Sorts devices independently of the order of input. */
static bool sort_devices(struct kernels *kernels)
{
	uint32_t count = kernels->device_count;
	struct kernels_device *sorted =
		memory_new_zeroed(count + 1, sizeof(*sorted));
	uint32_t *order = memory_new_zeroed(2 * (count + 1), sizeof(*order));
	bool done = sorted != NULL && order != NULL;

	for (uint32_t i = 0; done && i < count; i++)
		order[i] = i;
	if (done)
		qsort_r(order, count, sizeof(*order), compare_devices, kernels);
	for (uint32_t i = 0; done && i < count; i++) {
		sorted[i] = kernels->devices[order[i]];
		order[count + 1 + order[i]] = i;
	}
	for (uint32_t i = 0; done && i < kernels->row_count; i++)
		kernels->rows[i].device =
			order[count + 1 + kernels->rows[i].device];
	for (uint32_t i = 0; done && i < kernels->op_count; i++)
		kernels->ops[i].device =
			order[count + 1 + kernels->ops[i].device];
	memory_free(done ? kernels->devices : sorted);
	if (done)
		kernels->devices = sorted;
	memory_free(order);
	return done;
}

static uint64_t total_of(const struct kernels_row *row, const void *user)
{
	(void)user;
	return row->total_ns;
}

/* Sets the names of devices; false if out of memory. */
static bool name_devices(struct kernels *kernels)
{
	const struct trace *trace = kernels->trace;

	for (uint32_t i = 0; i < kernels->device_count; i++) {
		struct kernels_device *device = &kernels->devices[i];
		size_t size = 0;
		const char *name = trace_device_name(
			trace, device->pid, device->number, &size);

		device->memory_bytes =
			trace_device_memory(trace, device->pid, device->number);
		device->model = strtab_add(kernels->models, name, size);
		if (device->model == STRTAB_NONE)
			return false;
	}
	return true;
}

static int compare_ops(const void *left, const void *right)
{
	const struct kernels_row *one = left;
	const struct kernels_row *other = right;

	if (one->total_ns != other->total_ns)
		return one->total_ns > other->total_ns ? -1 : 1;
	if (one->name != other->name)
		return one->name < other->name ? -1 : 1;
	return (one->device > other->device) - (one->device < other->device);
}

const struct kernels_row *kernels_ops(
	const struct kernels *kernels, uint32_t *count)
{
	*count = kernels->op_count;
	return kernels->ops;
}

const char *kernels_op_name(
	const struct kernels *kernels, const struct kernels_row *row)
{
	return attribution_op_name(kernels->attribution, row->name);
}

/* Completes the work of a trace; false if out of memory. */
static bool finish_trace(struct kernels *kernels)
{
	if (!attribution_finalize_all(kernels->attribution))
		return false;
	if (!add_shares(kernels))
		return false;
	for (uint32_t i = 0; i < kernels->row_count; i++) {
		struct kernels_row *row = &kernels->rows[i];

		row->tolerance_ns = saturate_product(
			row->count, kernels->devices[row->device].clock_ns);
	}
	return name_devices(kernels);
}

enum ctp_status kernels_finish(void *user, struct ctp_error *err)
{
	struct kernels *kernels = user;

	if ((kernels->trace != NULL && !finish_trace(kernels)) ||
		!sort_devices(kernels))
		return ctp_no_memory(err);
	kernels_sort(kernels, total_of, NULL);
	if (kernels->op_count > 1)
		qsort(kernels->ops, kernels->op_count, sizeof(*kernels->ops),
			compare_ops);
	return CTP_OK;
}

uint64_t kernels_late(const struct kernels *kernels)
{
	return attribution_late(kernels->attribution);
}

struct order {
	const struct strtab *text;
	kernels_value_fn *value;
	const void *user;
};

static int compare_rows(const void *left, const void *right, void *user)
{
	const struct order *order = user;
	const struct kernels_row *one = left;
	const struct kernels_row *other = right;
	uint64_t values[2] = {order->value(one, order->user),
		order->value(other, order->user)};

	if (one->device != other->device)
		return one->device < other->device ? -1 : 1;
	if (values[0] != values[1])
		return values[0] > values[1] ? -1 : 1;
	return strtab_compare(order->text, one->name, other->name);
}

void kernels_sort(
	struct kernels *kernels, kernels_value_fn *value, const void *user)
{
	struct order order = {kernels->text, value, user};

	if (kernels->row_count > 1)
		qsort_r(kernels->rows, kernels->row_count,
			sizeof(*kernels->rows), compare_rows, &order);
}

const char *kernels_name(
	const struct kernels *kernels, const struct kernels_row *row)
{
	return strtab_text(kernels->text, row->name, NULL);
}

const char *kernels_model(const struct kernels *kernels,
	const struct kernels_device *device, size_t *size)
{
	if (size != NULL)
		*size = 0;
	return device->model == 0
		       ? NULL
		       : strtab_text(kernels->models, device->model, size);
}

bool kernels_is_sum(const struct kernels *kernels)
{
	return kernels->trace == NULL;
}

const struct kernels_device *kernels_devices(
	const struct kernels *kernels, uint32_t *count)
{
	*count = kernels->device_count;
	return kernels->devices;
}

const struct kernels_row *kernels_rows(
	const struct kernels *kernels, uint32_t *count)
{
	*count = kernels->row_count;
	return kernels->rows;
}

/* Rates of kernels. One GFLOP/s is one FLOP per nanosecond; likewise for
 * bytes. */

#define NS_PER_S 1000000000
#define WHOLE 10000

__extension__ typedef unsigned __int128 wide;

struct kernels_work kernels_flops(const struct kernels_row *row)
{
	struct kernels_work sum = {0, 0};

	for (int dtype = 0; dtype < DTYPES; dtype++)
		add_work(&sum, row->flops[dtype].amount,
			row->flops[dtype].time_ns);
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

/* `least` as a share of `time_ns`, which is not 0; rounded to nearest. */
static uint64_t share_of(wide least, uint64_t time_ns)
{
	wide share = (least + time_ns / 2) / time_ns;

	return share < UINT64_MAX ? (uint64_t)share : UINT64_MAX;
}

bool kernels_flops_share(const struct kernels_row *row, const struct peak *peak,
	enum dtype usual, uint64_t *share)
{
	wide least = 0; /* minimum time, in units of 1 / WHOLE ns */
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

/* ---- rows that exceed the peak ---- */

static uint32_t highest_of(const struct peak *peak)
{
	uint32_t highest = 0;

	for (int dtype = 0; dtype < DTYPES; dtype++)
		if (peak->gflops[dtype] > highest)
			highest = peak->gflops[dtype];
	return highest;
}

/* Whether this work in this time is possible at `peak` per nanosecond; 0:
 * unknown. */
static bool fits(
	const struct kernels_work *work, uint64_t tolerance_ns, uint32_t peak)
{
	return peak == 0 || work->amount == UINT64_MAX ||
	       (wide)work->amount * 100 <=
		       (wide)saturate_sum(work->time_ns, tolerance_ns) * peak *
			       (100 + KERNELS_BOOST);
}

static void remove_work(
	struct kernels_work *work, bool *misfit, uint64_t *misfit_ns)
{
	*misfit = true;
	*misfit_ns = saturate_sum(*misfit_ns, work->time_ns);
	*work = (struct kernels_work){0, 0};
}

static void check_row(struct kernels_row *row, struct kernels_device *device,
	const struct peak *peak, enum dtype usual)
{
	for (int i = 0; i < DTYPES; i++) {
		enum dtype dtype = i == DTYPE_UNKNOWN ? usual : (enum dtype)i;
		uint32_t most = peak->gflops[dtype] != 0 ? peak->gflops[dtype]
							 : highest_of(peak);

		if (!fits(&row->flops[i], row->tolerance_ns, most))
			remove_work(&row->flops[i], &row->flops_misfit,
				&device->flops_misfit_ns);
		add_work(&device->flops, row->flops[i].amount,
			row->flops[i].time_ns);
	}
	if (!fits(&row->bytes, row->tolerance_ns, peak->gb_per_s))
		remove_work(&row->bytes, &row->bytes_misfit,
			&device->bytes_misfit_ns);
	add_work(&device->bytes, row->bytes.amount, row->bytes.time_ns);
}

void kernels_apply_peak(struct kernels *kernels, uint32_t device,
	const struct peak *peak, enum dtype usual)
{
	struct kernels_device *found = &kernels->devices[device];

	found->flops = (struct kernels_work){0, 0};
	found->bytes = (struct kernels_work){0, 0};
	for (uint32_t i = 0; i < kernels->row_count; i++)
		if (kernels->rows[i].device == device)
			check_row(&kernels->rows[i], found, peak, usual);
}

/* ---- sums of several traces ---- */

static void sum_work(struct kernels_work *to, const struct kernels_work *from)
{
	add_work(to, from->amount, from->time_ns);
}

uint32_t kernels_add_device(struct kernels *sum,
	const struct kernels_device *device, const char *model)
{
	uint32_t number = strtab_add(sum->models, model, strlen(model));
	uint32_t index = NONE;
	struct kernels_device *to;

	if (number != STRTAB_NONE)
		index = device_of(sum, &number, sizeof(number),
			&(struct kernels_device){.model = number});
	if (index == NONE)
		return NONE;
	to = &sum->devices[index];
	to->devices = saturate_sum(to->devices, device->devices);
	if (device->memory_bytes > to->memory_bytes)
		to->memory_bytes = device->memory_bytes;
	to->count = saturate_sum(to->count, device->count);
	to->total_ns = saturate_sum(to->total_ns, device->total_ns);
	to->helper_ns = saturate_sum(to->helper_ns, device->helper_ns);
	sum_work(&to->flops, &device->flops);
	sum_work(&to->bytes, &device->bytes);
	return index;
}

bool kernels_add_row(
	struct kernels *sum, const struct kernels_row *row, const char *name)
{
	uint32_t number = strtab_add(sum->sum_text, name, strlen(name));
	uint32_t index = number == STRTAB_NONE
				 ? NONE
				 : find_row(sum, row->device, number);
	struct kernels_row *to;

	if (index == NONE)
		return false;
	to = &sum->rows[index];
	to->count = saturate_sum(to->count, row->count);
	to->total_ns = saturate_sum(to->total_ns, row->total_ns);
	to->min_ns = row->min_ns < to->min_ns ? row->min_ns : to->min_ns;
	to->max_ns = row->max_ns > to->max_ns ? row->max_ns : to->max_ns;
	for (int dtype = 0; dtype < DTYPES; dtype++)
		sum_work(&to->flops[dtype], &row->flops[dtype]);
	sum_work(&to->bytes, &row->bytes);
	to->tolerance_ns = saturate_sum(to->tolerance_ns, row->tolerance_ns);
	return true;
}

bool kernels_add_all(struct kernels *sum, const struct kernels *from)
{
	uint32_t *places = memory_new_zeroed(
		(size_t)from->device_count + 1, sizeof(*places));
	bool done = places != NULL;

	for (uint32_t i = 0; i < from->device_count && done; i++) {
		const struct kernels_device *device = &from->devices[i];
		const char *model = kernels_model(from, device, NULL);

		places[i] = kernels_add_device(
			sum, device, model == NULL ? "" : model);
		done = places[i] != NONE;
	}
	for (uint32_t i = 0; i < from->row_count && done; i++) {
		struct kernels_row row = from->rows[i];

		row.device = places[row.device];
		done = kernels_add_row(sum, &row, kernels_name(from, &row));
	}
	memory_free(places);
	return done;
}
