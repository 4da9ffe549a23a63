/* SPDX-License-Identifier: MIT */
/* Rules about devices and the ranks of a job. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/saturate.h"
#include "cli/quantity.h"
#include "findings/finding_rules.h"
#include "ranks/stragglers.h"

#define IDLE_PERCENT 20
#define EXPOSED_PERCENT 10
#define SLOW_PERCENT 10      /* of the time of kernels */
#define SLOW_HUNDREDTHS 200u /* of a percent of the peak */
#define BEHIND_PERCENT 5
#define DEVICE_TEXT 128
#define CAUSE_TEXT 192

/* "GPU 0", or of a sum "8 GPUs". */
static const char *device_text(char text[DEVICE_TEXT], const struct gaps *gaps,
	const struct gaps_device *device)
{
	size_t size = 0;
	const char *model = gaps_model(gaps, device, &size);
	int used = gaps_is_sum(gaps)
			   ? snprintf(text, DEVICE_TEXT, "%" PRIu64 " GPU%s",
				     device->devices,
				     device->devices == 1 ? "" : "s")
			   : snprintf(text, DEVICE_TEXT, "GPU %" PRIu32,
				     device->number);

	if (model != NULL && size != 0 && size < DEVICE_TEXT / 2)
		(void)snprintf(text + used, DEVICE_TEXT - (size_t)used,
			" (%.*s)", (int)size, model);
	return text;
}

/* ---- idle time ---- */

/* The words of a cause, with a place for the name of the code; and without. */
struct cause_words {
	const char *with;
	const char *without;
	const char *cure;
};

static const struct cause_words cause_words[GAP_CAUSES] = {
	[GAP_HOST] = {"while %s ran on the host", "while the host was busy",
		"make the host's code faster, or launch in fewer, larger "
		"pieces: CUDA graphs, torch.compile, larger batches"},
	[GAP_SYNC] = {"after %s waited for it", "after the host waited for it",
		"wait less: no .item(), .cpu() or printing of tensors in the "
		"loop"},
	[GAP_COPY] = {"while %s copied", "while the host copied",
		"copy ahead from pinned memory (non_blocking=True)"},
	[GAP_DATA] = {"while %s loaded data", "while the host loaded data",
		"load data ahead: more workers, prefetching, pinned memory"},
	[GAP_QUEUED] = {NULL, "with work launched but not started",
		"look for dependencies between streams, and for launches of "
		"many tiny kernels"},
	[GAP_UNKNOWN] = {NULL, "for a reason that the recording lacks",
		"record the calls that launch, too"},
};

/* Code cannot avoid the cause GAP_NOTHING. */
static enum gap_cause first_cause(const struct gaps_device *device)
{
	enum gap_cause most = GAP_HOST;

	for (enum gap_cause cause = 0; cause < GAP_CAUSES; cause++)
		if (cause != GAP_NOTHING &&
			device->cause_ns[cause] > device->cause_ns[most])
			most = cause;
	return most;
}

/* The device that lost most time. Idle time at the end, with nothing to do, does
 * not count. NULL: no time was lost. */
static const struct gaps_device *most_idle(const struct gaps *gaps)
{
	const struct gaps_device *found = NULL;
	uint64_t most = 0;
	uint32_t count;
	const struct gaps_device *devices = gaps_devices(gaps, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint64_t idle_ns =
			devices[i].idle_ns - devices[i].cause_ns[GAP_NOTHING];

		if (idle_ns > most)
			found = &devices[i];
		most = idle_ns > most ? idle_ns : most;
	}
	return found;
}

/* The code that covers most idle time for this cause; NULL: not known. */
static const struct gaps_place *first_place(const struct gaps *gaps,
	const struct gaps_device *device, enum gap_cause cause)
{
	uint32_t count;
	const struct gaps_place *places = gaps_places(gaps, &count);
	const uint32_t number =
		(uint32_t)(device - gaps_devices(gaps, &(uint32_t){0}));

	for (uint32_t i = 0; i < count; i++)
		if (places[i].device == number && places[i].cause == cause &&
			gaps_place_has_code(&places[i]) && places[i].name != 0)
			return &places[i];
	return NULL;
}

/* "while 'next' loaded data", for a place with most of the cause's time; else
 * "while the host loaded data, most of it in 'next'". */
static void cause_text(char text[CAUSE_TEXT], const struct cause_words *words,
	const char *place, bool is_most)
{
	const char *hole =
		words->with == NULL ? NULL : strstr(words->with, "%s");
	char name[FINDING_NAME];

	if (place == NULL || hole == NULL)
		(void)snprintf(text, CAUSE_TEXT, "%s", words->without);
	else if (is_most)
		(void)snprintf(text, CAUSE_TEXT, "%.*s%s%s",
			(int)(hole - words->with), words->with,
			finding_name(name, place), hole + 2);
	else
		(void)snprintf(text, CAUSE_TEXT, "%s, first of all in %s",
			words->without, finding_name(name, place));
}

bool finding_gpu_idle(
	struct finding *finding, const struct findings_facts *facts)
{
	const struct gaps_device *device =
		facts->gaps == NULL ? NULL : most_idle(facts->gaps);
	const struct gaps_place *place;
	enum gap_cause cause;
	uint64_t part_ns;
	char name[DEVICE_TEXT];
	char cause_line[CAUSE_TEXT];
	bool is_most;
	char percents[2][FINDING_PERCENT];
	char span[QUANTITY_TEXT];

	if (device == NULL ||
		!finding_set_share(finding,
			device->idle_ns - device->cause_ns[GAP_NOTHING],
			device->span_ns, IDLE_PERCENT))
		return false;
	cause = first_cause(device);
	place = first_place(facts->gaps, device, cause);
	is_most =
		place != NULL && place->idle_ns >= device->cause_ns[cause] / 2;
	part_ns = is_most ? place->idle_ns : device->cause_ns[cause];
	finding->cure = cause_words[cause].cure;
	(void)finding_set_share(finding, part_ns, device->idle_ns, 0);
	(void)finding_percent(percents[1], finding->share_ppm);
	(void)finding_set_share(finding, device->idle_ns, device->span_ns, 0);
	cause_text(cause_line, &cause_words[cause],
		place == NULL ? NULL : gaps_text(facts->gaps, place->name),
		is_most);
	finding_set_text(finding, "%s %s idle %s of %s, %s of that %s.",
		device_text(name, facts->gaps, device),
		gaps_is_sum(facts->gaps) && device->devices != 1 ? "were"
								 : "was",
		finding_percent(percents[0], finding->share_ppm),
		quantity_time(span, device->span_ns), percents[1], cause_line);
	return true;
}

/* ---- communication ---- */

bool finding_exposed_communication(
	struct finding *finding, const struct findings_facts *facts)
{
	const struct gaps_device *worst = NULL;
	uint64_t most = 0;
	uint32_t count;
	const struct gaps_device *devices;
	char device[DEVICE_TEXT];
	char percent[FINDING_PERCENT];
	char span[QUANTITY_TEXT];

	if (facts->gaps == NULL)
		return false;
	devices = gaps_devices(facts->gaps, &count);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t exposed_ns = gaps_device_exposed_ns(&devices[i]);

		if (exposed_ns <= most)
			continue;
		most = exposed_ns;
		worst = &devices[i];
	}
	if (worst == NULL || !finding_set_share(finding, most, worst->span_ns,
				     EXPOSED_PERCENT))
		return false;
	finding_set_text(finding,
		"Communication that no computing hides takes %s of %s on %s.",
		finding_percent(percent, finding->share_ppm),
		quantity_time(span, worst->span_ns),
		device_text(device, facts->gaps, worst));
	return true;
}

bool finding_straggler(
	struct finding *finding, const struct findings_facts *facts)
{
	static const char *const cures[STRAGGLER_REASONS] = {
		[STRAGGLER_COMPUTE] = "compare its kernels with another "
				      "rank's: clocks, temperature, or an "
				      "uneven share of the work",
		[STRAGGLER_LAUNCH] = "look at its host: other processes, the "
				     "placement of its threads",
		[STRAGGLER_INPUT] = "look at its storage and its data loaders",
		[STRAGGLER_COMMUNICATION] = "look at its links and at the "
					    "placement of its neighbours",
		[STRAGGLER_COPIES] = "copy less, or from pinned memory",
	};
	struct stragglers stragglers = {0};
	char percent[FINDING_PERCENT];
	char time[QUANTITY_TEXT];
	bool found = false;

	if (facts->ranks != NULL && facts->ranks->row_count > 1 &&
		stragglers_find(
			&stragglers, facts->ranks, (struct stragglers_by){0}) &&
		stragglers.count > 1) {
		const struct straggler *first = &stragglers.items[0];

		found = first->behind_ns != 0 &&
			first->reason != STRAGGLER_NONE &&
			first->row->rank != SPREAD_RANK_NONE &&
			finding_set_share(finding, first->behind_ns,
				first->own_ns, BEHIND_PERCENT);
		if (found) {
			finding->cure = cures[first->reason];
			finding_set_text(finding,
				"Rank %" PRId64
				" takes %s longer per %s than the median "
				"rank, %s of its own time: %s.",
				first->row->rank,
				quantity_time(time, first->behind_ns),
				stragglers.per_step ? "step" : "recording",
				finding_percent(percent, finding->share_ppm),
				straggler_reason_name(first->reason));
		}
	}
	stragglers_clear(&stragglers);
	return found;
}

/* ---- kernels ---- */

/* Whether both rates of the kernel are known and far below the peak: one with an
 * unknown rate may be limited by it. */
static bool is_slow(const struct kernels_row *row, const struct peak *peak)
{
	uint64_t flops = 0;
	uint64_t bytes = 0;
	bool has_flops = kernels_flops_share(row, peak, DTYPE_UNKNOWN, &flops);
	bool has_bytes = kernels_bytes_share(row, peak, &bytes);

	return has_flops && has_bytes && flops < SLOW_HUNDREDTHS &&
	       bytes < SLOW_HUNDREDTHS;
}

static const struct peak *peak_of(
	const struct kernels *kernels, const struct kernels_device *device)
{
	size_t size;
	const char *model = kernels_model(kernels, device, &size);

	return model == NULL ? NULL
			     : peak_find(peaks_known, peaks_known_count, model,
				       device->memory_bytes);
}

bool finding_slow_kernels(
	struct finding *finding, const struct findings_facts *facts)
{
	const struct kernels_row *first = NULL;
	uint64_t slow_ns = 0;
	uint64_t all_ns = 0;
	uint32_t slow = 0;
	uint32_t row_count;
	uint32_t device_count;
	const struct kernels_row *rows;
	const struct kernels_device *devices;
	char percent[FINDING_PERCENT];
	char name[FINDING_NAME];

	if (facts->kernels == NULL)
		return false;
	rows = kernels_rows(facts->kernels, &row_count);
	devices = kernels_devices(facts->kernels, &device_count);
	for (uint32_t i = 0; i < row_count; i++) {
		const struct peak *peak =
			peak_of(facts->kernels, &devices[rows[i].device]);

		all_ns = saturate_sum(all_ns, rows[i].total_ns);
		if (peak == NULL || !is_slow(&rows[i], peak))
			continue;
		slow++;
		slow_ns = saturate_sum(slow_ns, rows[i].total_ns);
		if (first == NULL || rows[i].total_ns > first->total_ns)
			first = &rows[i];
	}
	if (!finding_set_share(finding, slow_ns, all_ns, SLOW_PERCENT))
		return false;
	finding_set_text(finding,
		"%" PRIu32 " kernel%s below 2 %% of the GPU's peak take%s %s "
		"of the time of kernels%s%s.",
		slow, slow == 1 ? "" : "s", slow == 1 ? "s" : "",
		finding_percent(percent, finding->share_ppm),
		slow == 1 ? ": " : ", most of it ",
		finding_name(name, kernels_name(facts->kernels, first)));
	return true;
}
