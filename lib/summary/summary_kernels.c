/* SPDX-License-Identifier: MIT */
/* The section of kernels and that of the devices that ran them. */
#include "summary/summary.h"

#include "roofline/flops.h"
#include "roofline/kernels.h"
#include "summary/summary_section.h"

/* The sums, which are made if necessary; NULL if out of memory. */
static struct kernels *kernels_of(struct summary *summary)
{
	if (summary->kernels == NULL)
		summary->kernels = kernels_new_sum();
	return summary->kernels;
}

static void put_work(struct summary_out *out, const struct kernels_work *work)
{
	summary_out_number(out, work->amount);
	summary_out_number(out, work->time_ns);
}

static void get_work(struct summary_in *in, struct kernels_work *work)
{
	work->amount = summary_in_number(in);
	work->time_ns = summary_in_number(in);
}

/* ---- devices ---- */

static enum ctp_status write_devices(
	struct summary *summary, struct summary_out *out, struct ctp_error *err)
{
	uint32_t count;
	const struct kernels_device *devices;

	if (summary->kernels == NULL)
		return CTP_OK;
	if (kernels_finish(summary->kernels, err) != CTP_OK)
		return CTP_ERR_NOMEM;
	devices = kernels_devices(summary->kernels, &count);
	for (uint32_t i = 0; i < count; i++) {
		const struct kernels_device *device = &devices[i];
		const char *model =
			kernels_model(summary->kernels, device, NULL);

		summary_out_row(out);
		summary_out_text(out, model == NULL ? "" : model);
		summary_out_number(out, device->devices);
		summary_out_number(out, device->memory_bytes);
		summary_out_number(out, device->count);
		summary_out_number(out, device->total_ns);
		summary_out_number(out, device->helper_ns);
		put_work(out, &device->flops);
		put_work(out, &device->bytes);
		summary_out_end_row(out);
	}
	return CTP_OK;
}

static enum ctp_status read_device(
	struct summary *summary, struct summary_in *in, struct ctp_error *err)
{
	struct kernels *kernels = kernels_of(summary);
	struct kernels_device device = {0};
	const char *model = summary_in_text(in);
	uint32_t count;
	uint32_t index;

	if (kernels == NULL)
		return ctp_no_memory(err);
	device.devices = summary_in_number(in);
	device.memory_bytes = summary_in_number(in);
	device.count = summary_in_number(in);
	device.total_ns = summary_in_number(in);
	device.helper_ns = summary_in_number(in);
	get_work(in, &device.flops);
	get_work(in, &device.bytes);
	(void)kernels_devices(kernels, &count);
	index = kernels_add_device(kernels, &device, model);
	if (index == UINT32_MAX)
		return ctp_no_memory(err);
	/* Rows have its index. */
	return index == count
		       ? CTP_OK
		       : summary_in_fail(in, "a device is there twice", err);
}

static enum ctp_status add_kernels(
	struct summary *to, struct summary *from, struct ctp_error *err)
{
	if (from->kernels == NULL)
		return CTP_OK;
	return kernels_of(to) != NULL &&
			       kernels_add_all(to->kernels, from->kernels)
		       ? CTP_OK
		       : ctp_no_memory(err);
}

static void clear_kernels(struct summary *summary)
{
	kernels_free(summary->kernels);
}

const struct summary_section summary_kernel_devices_section = {
	.name = "kernel_devices",
	.write = write_devices,
	.read = read_device,
	.add = add_kernels,
	.clear = clear_kernels,
};

/* ---- kernels ---- */

static enum ctp_status write_kernels(
	struct summary *summary, struct summary_out *out, struct ctp_error *err)
{
	uint32_t count = 0;
	const struct kernels_row *rows =
		summary->kernels == NULL
			? NULL
			: kernels_rows(summary->kernels, &count);

	(void)err;
	for (uint32_t i = 0; i < count; i++) {
		const struct kernels_row *row = &rows[i];

		summary_out_row(out);
		summary_out_number(out, row->device);
		summary_out_text(out, kernels_name(summary->kernels, row));
		summary_out_number(out, row->count);
		summary_out_number(out, row->total_ns);
		summary_out_number(out, row->min_ns);
		summary_out_number(out, row->max_ns);
		summary_out_number(out, row->tolerance_ns);
		put_work(out, &row->bytes);
		for (int dtype = 0; dtype < DTYPES; dtype++)
			put_work(out, &row->flops[dtype]);
		summary_out_end_row(out);
	}
	return CTP_OK;
}

static enum ctp_status read_kernel(
	struct summary *summary, struct summary_in *in, struct ctp_error *err)
{
	struct kernels_row row = {0};
	const char *name;
	uint32_t count = 0;
	uint32_t added;

	if (summary->kernels != NULL)
		(void)kernels_devices(summary->kernels, &count);
	if (count == 0)
		return summary_in_fail(in, "a kernel without a device", err);
	row.device = summary_in_index(in, count - 1);
	name = summary_in_text(in);
	row.count = summary_in_number(in);
	row.total_ns = summary_in_number(in);
	row.min_ns = summary_in_number(in);
	row.max_ns = summary_in_number(in);
	row.tolerance_ns = summary_in_number(in);
	get_work(in, &row.bytes);
	for (int dtype = 0; dtype < DTYPES; dtype++)
		get_work(in, &row.flops[dtype]);
	if (row.count == 0 || row.min_ns > row.max_ns)
		return summary_in_fail(in, "a wrong kernel", err);
	(void)kernels_rows(summary->kernels, &count);
	if (!kernels_add_row(summary->kernels, &row, name))
		return ctp_no_memory(err);
	(void)kernels_rows(summary->kernels, &added);
	return added > count
		       ? CTP_OK
		       : summary_in_fail(in, "a kernel is there twice", err);
}

/* ---- from events ---- */

static void *begin(struct trace *trace)
{
	return kernels_new(trace);
}

static enum ctp_status add(
	void *state, const struct event *event, struct ctp_error *err)
{
	return kernels_add(state, event, err);
}

static enum ctp_status finish(void *state, struct summary *summary,
	const struct summary_finished *finished, struct ctp_error *err)
{
	enum ctp_status status = kernels_finish(state, err);

	(void)finished;
	if (status != CTP_OK)
		return status;
	return kernels_of(summary) != NULL &&
			       kernels_add_all(summary->kernels, state) &&
			       summary_add_count(summary, "", SUMMARY_LATE,
				       kernels_late(state))
		       ? CTP_OK
		       : ctp_no_memory(err);
}

static void free_kernels(void *state)
{
	kernels_free(state);
}

static const struct summary_collector collector = {
	.args = flops_args,
	.begin = begin,
	.add = add,
	.finish = finish,
	.free = free_kernels,
};

const struct summary_section summary_kernels_section = {
	.name = "kernels",
	.write = write_kernels,
	.read = read_kernel,
	.collector = &collector,
};
