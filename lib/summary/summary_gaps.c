/* SPDX-License-Identifier: MIT */
/* The section of idle devices, and that of the host's code meanwhile. */
#include "summary/summary.h"

#include "gaps/gaps.h"
#include "summary/summary_section.h"

/* The sums, which are made if necessary; NULL if out of memory. */
static struct gaps *gaps_of(struct summary *summary)
{
	if (summary->gaps == NULL)
		summary->gaps = gaps_new_sum();
	return summary->gaps;
}

/* ---- devices ---- */

/* Elements of a device after its model's name, in the order of the file. */
#define DEVICE_ELEMENTS(X) \
	X(devices) \
	X(span_ns) \
	X(busy_ns) \
	X(kernel_ns) \
	X(compute_ns) \
	X(communication_ns) \
	X(copy_ns) \
	X(idle_ns) \
	X(gaps) \
	X(longest_ns) \
	X(activities) \
	X(queue_max)

static void put_device(
	struct summary_out *out, const struct gaps_device *device)
{
#define PUT(member) summary_out_number(out, device->member);
	DEVICE_ELEMENTS(PUT)
#undef PUT
	for (int cause = 0; cause < GAP_CAUSES; cause++)
		summary_out_number(out, device->cause_ns[cause]);
	summary_out_number(out, (uint64_t)(device->queue_sum >> 64));
	summary_out_number(out, (uint64_t)device->queue_sum);
}

static void get_device(struct summary_in *in, struct gaps_device *device)
{
#define GET(member) device->member = summary_in_number(in);
	DEVICE_ELEMENTS(GET)
#undef GET
	for (int cause = 0; cause < GAP_CAUSES; cause++)
		device->cause_ns[cause] = summary_in_number(in);
	device->queue_sum = (gaps_area)summary_in_number(in) << 64;
	device->queue_sum |= summary_in_number(in);
}

static enum ctp_status write_devices(
	struct summary *summary, struct summary_out *out, struct ctp_error *err)
{
	uint32_t count;
	const struct gaps_device *devices;

	if (summary->gaps == NULL)
		return CTP_OK;
	if (gaps_finish(summary->gaps, err) != CTP_OK)
		return CTP_ERR_NOMEM;
	devices = gaps_devices(summary->gaps, &count);
	for (uint32_t i = 0; i < count; i++) {
		const char *model =
			gaps_model(summary->gaps, &devices[i], NULL);

		summary_out_row(out);
		summary_out_text(out, model == NULL ? "" : model);
		put_device(out, &devices[i]);
		summary_out_end_row(out);
	}
	return CTP_OK;
}

static enum ctp_status read_device(
	struct summary *summary, struct summary_in *in, struct ctp_error *err)
{
	struct gaps *gaps = gaps_of(summary);
	struct gaps_device device = {0};
	const char *model = summary_in_text(in);
	uint32_t count;
	uint32_t index;

	if (gaps == NULL)
		return ctp_no_memory(err);
	get_device(in, &device);
	if (device.compute_ns > device.kernel_ns ||
		gaps_device_exposed_ns(&device) > device.communication_ns)
		return summary_in_fail(in, "a wrong time", err);
	(void)gaps_devices(gaps, &count);
	index = gaps_add_device(gaps, &device, model);
	if (index == UINT32_MAX)
		return ctp_no_memory(err);
	/* Rows have its index. */
	return index == count
		       ? CTP_OK
		       : summary_in_fail(in, "a device is there twice", err);
}

static enum ctp_status add_gaps(
	struct summary *to, struct summary *from, struct ctp_error *err)
{
	if (from->gaps == NULL)
		return CTP_OK;
	return gaps_of(to) != NULL && gaps_add_all(to->gaps, from->gaps)
		       ? CTP_OK
		       : ctp_no_memory(err);
}

static void clear_gaps(struct summary *summary)
{
	gaps_free(summary->gaps);
}

const struct summary_section summary_idle_devices_section = {
	.name = "idle_devices",
	.write = write_devices,
	.read = read_device,
	.add = add_gaps,
	.clear = clear_gaps,
};

/* ---- places ---- */

static enum ctp_status write_places(
	struct summary *summary, struct summary_out *out, struct ctp_error *err)
{
	const struct gaps *gaps = summary->gaps;
	uint32_t count = 0;
	const struct gaps_place *places =
		gaps == NULL ? NULL : gaps_places(gaps, &count);

	(void)err;
	for (uint32_t i = 0; i < count; i++) {
		const struct gaps_place *place = &places[i];

		summary_out_row(out);
		summary_out_number(out, place->device);
		summary_out_number(out, (uint64_t)place->cause);
		summary_out_text(out, gaps_text(gaps, place->name));
		summary_out_text(out, gaps_text(gaps, place->file));
		summary_out_number(out, place->line);
		summary_out_text(out, gaps_text(gaps, place->call));
		summary_out_number(out, place->idle_ns);
		summary_out_number(out, place->count);
		summary_out_number(out, place->longest_ns);
		summary_out_end_row(out);
	}
	return CTP_OK;
}

static enum ctp_status read_place(
	struct summary *summary, struct summary_in *in, struct ctp_error *err)
{
	struct gaps_place place = {0};
	struct gaps_place_text text;
	uint32_t count = 0;
	uint32_t added;

	if (summary->gaps != NULL)
		(void)gaps_devices(summary->gaps, &count);
	if (count == 0)
		return summary_in_fail(in, "a place without a device", err);
	place.device = summary_in_index(in, count - 1);
	place.cause = summary_in_index(in, GAP_CAUSES - 1);
	text.name = summary_in_text(in);
	text.file = summary_in_text(in);
	place.line = summary_in_index(in, UINT32_MAX);
	text.call = summary_in_text(in);
	place.idle_ns = summary_in_number(in);
	place.count = summary_in_number(in);
	place.longest_ns = summary_in_number(in);
	(void)gaps_places(summary->gaps, &count);
	if (!gaps_add_place(summary->gaps, &place, &text))
		return ctp_no_memory(err);
	(void)gaps_places(summary->gaps, &added);
	return added > count
		       ? CTP_OK
		       : summary_in_fail(in, "a place is there twice", err);
}

/* ---- from events ---- */

static enum ctp_status finish(void *state, struct summary *summary,
	const struct summary_finished *finished, struct ctp_error *err)
{
	(void)state;
	return gaps_of(summary) != NULL &&
			       gaps_add_all(summary->gaps, finished->gaps)
		       ? CTP_OK
		       : ctp_no_memory(err);
}

static const struct summary_collector collector = {
	.needs_gaps = true,
	.finish = finish,
};

const struct summary_section summary_places_section = {
	.name = "places",
	.write = write_places,
	.read = read_place,
	.collector = &collector,
};
