/* SPDX-License-Identifier: MIT */
/*
 * Repeatedly records the activities of a training step with made-up kernels: a
 * few dozen kinds on three streams, copies, graphs; on a device's clock that
 * drifts and once steps. Prints the processor time of an activity: for handing
 * it over, and until it is in the log.
 *
 * Usage: record_devices COUNT [MICROSECONDS that the device rests between two]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "recorder/device_link.h"
#include "recorder/instrument_abi.h"
#include "log/msgpack_out.h"

#define EPOCH INT64_C(1700000000123456789)
#define KERNELS 48
#define STREAMS 3
#define BATCH 1024
#define ROUND_NS UINT64_C(1000000000)

static uint64_t seed = 1;

/* xorshift64*; the upper bits are the good ones. */
static uint32_t random_below(uint32_t limit)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (uint32_t)((seed * UINT64_C(2685821657736338717) >> 33) % limit);
}

static uint64_t cpu_ns(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The device's clock: 87 ppm fast, and set back by 20 ms after 10 s. */
static int64_t device_ns(uint64_t ns)
{
	return EPOCH + (int64_t)(ns + ns / 1000000 * 87) -
	       (ns > 10 * ROUND_NS ? 20000000 : 0);
}

static uint32_t site_of(const char *name, const char *category)
{
	struct ctp_site_info info = CTP_SITE_INFO_INIT;

	info.name = name;
	info.category = category;
	return ctp_private_site_number(ctp_site_intern_info(&info));
}

static void add_list(msgpack_packer *out, const char *key, uint32_t first)
{
	msgpack_out_key(out, key);
	(void)msgpack_pack_array(out, 3);
	(void)msgpack_pack_uint32(out, first);
	(void)msgpack_pack_uint32(out, 1);
	(void)msgpack_pack_uint32(out, 1);
}

static void add_number(msgpack_packer *out, const char *key, uint32_t number)
{
	msgpack_out_key(out, key);
	(void)msgpack_pack_uint32(out, number);
}

/* Kernels, with a copy as the last. */
static bool describe(void)
{
	struct buffer bytes = BUFFER_INIT;
	msgpack_packer out = msgpack_out(&bytes);
	char name[64];
	bool good;

	(void)msgpack_pack_array(&out, 3);
	(void)msgpack_pack_int(&out, LOG_DESCRIPTIONS);
	(void)msgpack_pack_int(&out, 1);
	(void)msgpack_pack_array(&out, KERNELS + 1);
	for (uint32_t i = 0; i < KERNELS; i++) {
		(void)snprintf(name, sizeof(name), "sm90_gemm_f16_%" PRIu32, i);
		(void)msgpack_pack_array(&out, 3);
		(void)msgpack_pack_int(&out, LOG_KERNEL);
		(void)msgpack_pack_uint32(&out, site_of(name, "kernel"));
		(void)msgpack_pack_map(&out, 3);
		add_list(&out, "grid", 1 + i * i);
		add_list(&out, "block", 128);
		add_number(&out, "registers per thread", 32 + i);
	}
	(void)msgpack_pack_array(&out, 3);
	(void)msgpack_pack_int(&out, LOG_MEMCPY);
	(void)msgpack_pack_uint32(
		&out, site_of("Memcpy HtoD (Pinned -> Device)", "gpu_memcpy"));
	(void)msgpack_pack_map(&out, 2);
	msgpack_out_key(&out, "kind");
	msgpack_out_key(&out, "HtoD");
	add_number(&out, "async", 1);
	good = !bytes.failed &&
	       ctp_private_block(LOG_DESCRIPTIONS, bytes.bytes, bytes.used);
	buffer_clear(&bytes);
	return good;
}

static bool open_streams(uint32_t streams[STREAMS])
{
	for (uint32_t i = 0; i < STREAMS; i++) {
		const struct device_place place = {0, 1};

		streams[i] = ctp_private_stream(
			LOG_STREAM, 7 + (int64_t)i * 6, &place, "");
		if (streams[i] == 0)
			return false;
	}
	return true;
}

/* The next activity of a program that repeats them in the same order; `at` is
 * when the device is free. */
static struct device_activity next_activity(
	uint32_t i, const uint32_t streams[STREAMS], uint64_t *at)
{
	uint32_t kind = i * 7 % 300;
	struct device_activity activity = {
		.start_ns = device_ns(*at + 500 + random_below(1500)),
		.dur_ns = 2000 + kind * 37 + random_below(256) / 32 * 32,
		.track = streams[kind % 20 == 0 ? 1 + kind / 20 % 2 : 0],
		.description = 1 + kind % KERNELS,
		.correlation = 1000 + i * 3 + (kind % 20 == 0),
	};

	if (kind % 20 == 0) {
		activity.description = KERNELS + 1;
		activity.bytes = (uint64_t)(kind + 1) * 4096;
	}
	if (kind > 250) { /* a graph: one launch, and nodes that follow */
		activity.correlation = 1000 + i / 50 * 150;
		activity.node = 4294967296 + kind;
	}
	*at += activity.dur_ns + 700;
	return activity;
}

static bool hand_over(const struct device_activity *activities, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!ctp_private_activity(&activities[i]))
			return false;
	return true;
}

int main(int argc, char **argv)
{
	static struct device_activity batch[BATCH];
	uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
	uint64_t gap_ns = argc > 2 ? strtoull(argv[2], NULL, 10) * 1000 : 0;
	uint32_t streams[STREAMS];
	uint64_t ticks = ctp_private_ticks();
	uint64_t synced = 0;
	uint64_t at = 1000;
	uint64_t took = 0;

	ctp_private_mute();
	if (ctp_private_device_session() == 0 || !open_streams(streams) ||
		!describe() || !ctp_private_device_sync(ticks, device_ns(0)))
		return 1;
	for (uint32_t done = 0; done < count; done += BATCH) {
		uint64_t begin;
		uint32_t i = 0;

		for (; i < BATCH && done + i < count; i++) {
			batch[i] = next_activity(done + i, streams, &at);
			at += gap_ns;
		}
		for (; synced + ROUND_NS < at; synced += ROUND_NS)
			if (!ctp_private_device_sync(ticks + synced + ROUND_NS,
				    device_ns(synced + ROUND_NS)))
				return 1;
		begin = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
		if (!hand_over(batch, i))
			return 1;
		took += cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
	}
	if (ctp_stop() != CTP_OK)
		return 1;
	printf("%.1f ns handing over, %.1f ns in all\n", (double)took / count,
		(double)cpu_ns(CLOCK_PROCESS_CPUTIME_ID) / count);
	return 0;
}
