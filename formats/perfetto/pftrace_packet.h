/* SPDX-License-Identifier: MIT */
/*
 * The packets of a Perfetto trace, and their interned text: a name is written
 * once and has a number from then on. Source:
 * https://github.com/google/perfetto, protos/perfetto/trace.
 *
 * All packets belong to one sequence, so that they share the numbers. Their
 * times use the sequence's own clock, whose zero is the trace's; a snapshot
 * relates it to another clock. Earlier times, which the clock cannot express,
 * are given in the other one.
 *
 * Memory: bounded by the trace's tables; PFTRACE_VALUES_MAX bytes of argument
 * values have numbers, the others are written in full.
 */
#ifndef PFTRACE_PACKET_H
#define PFTRACE_PACKET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/strtab.h"
#include "trace/trace.h"

#define PFTRACE_VALUES_MAX ((size_t)1024 * 1024)

/* TrackEvent.type */
enum pftrace_type {
	PFTRACE_SLICE_BEGIN = 1,
	PFTRACE_SLICE_END = 2,
	PFTRACE_INSTANT = 3,
	PFTRACE_COUNTER = 4,
};

/* Fields of the message TrackEvent. */
enum {
	TRACK_EVENT_CATEGORY_IIDS = 3,
	TRACK_EVENT_DEBUG_ANNOTATIONS = 4,
	TRACK_EVENT_TYPE = 9,
	TRACK_EVENT_NAME_IID = 10,
	TRACK_EVENT_TRACK_UUID = 11,
	TRACK_EVENT_NAME = 23,
	TRACK_EVENT_COUNTER_VALUE = 30,
	TRACK_EVENT_SOURCE_LOCATION_IID = 34,
	TRACK_EVENT_DOUBLE_COUNTER_VALUE = 44,
	TRACK_EVENT_FLOW_IDS = 47,
	TRACK_EVENT_TERMINATING_FLOW_IDS = 48,
	TRACK_EVENT_CORRELATION_ID = 52,
};

/* Uses of the trace's text; each has its own numbers. */
enum pftrace_use { PFTRACE_NAME, PFTRACE_CATEGORY, PFTRACE_KEY, PFTRACE_USES };

struct pftrace_packets {
	FILE *out;
	struct trace *trace;
	struct buffer bytes;    /* complete packets, and the current one */
	struct buffer interned; /* text to define in the next packet */
	struct buffer valid;    /* scratch: text in UTF-8 */
	size_t packet;          /* start of the current one */
	size_t event;           /* likewise its TrackEvent */
	uint8_t *text_uses;     /* by strtab number: a bit for each use */
	uint32_t text_use_room;
	uint8_t *placed; /* by site: its location has been written */
	uint32_t placed_room;
	struct strtab *values;
	size_t value_bytes;
	int64_t origin_ns; /* zero of the trace's times, on `clock` */
	uint64_t clock;
};

/* False if out of memory; call pftrace_packets_clear() in either case. All are
 * borrowed. Later failures set `bytes.failed`. */
bool pftrace_packets_init(
	struct pftrace_packets *packets, FILE *out, struct trace *trace);
void pftrace_packets_clear(struct pftrace_packets *packets);

/* Begins the file, before the first packet; no event is earlier than this, or
 * the trace's start if known. */
void pftrace_packets_begin(struct pftrace_packets *packets, int64_t first_ns);

/* Writes everything to the stream. */
void pftrace_packets_flush(struct pftrace_packets *packets);

/* Begins a packet: add its fields to the returned buffer, which is borrowed
 * until the packet's end. */
struct buffer *pftrace_packet_begin(struct pftrace_packets *packets);
void pftrace_packet_end(struct pftrace_packets *packets);

/* Likewise for an event on this track: add fields of TrackEvent. */
struct buffer *pftrace_event_begin(struct pftrace_packets *packets,
	enum pftrace_type type, uint64_t uuid, int64_t time_ns);
void pftrace_event_end(struct pftrace_packets *packets);

/* The number of the trace's text in this use. */
uint64_t pftrace_text(
	struct pftrace_packets *packets, uint32_t text, enum pftrace_use use);

/* Adds a site: name, category, and file with line. */
void pftrace_add_site(
	struct pftrace_packets *packets, struct buffer *out, uint32_t site);

/* The number of an argument's value; 0 if it must be written in full. */
uint64_t pftrace_value(
	struct pftrace_packets *packets, const char *bytes, size_t size);

/* Adds a field with text of arbitrary bytes. */
void pftrace_add_text(struct pftrace_packets *packets, struct buffer *out,
	uint32_t field, const char *bytes, size_t size);

/* Adds the correlation number of a device API call and its activities; does
 * nothing for an "External id" that replaces it in other tools' traces. */
void pftrace_add_correlation(struct buffer *out, uint64_t id);

#endif
