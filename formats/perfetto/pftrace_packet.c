/* SPDX-License-Identifier: MIT */
#include "perfetto/pftrace_packet.h"

#include <string.h>

#include "base/memory.h"
#include "protobuf/protobuf.h"
#include "base/utf8.h"

/* Size at which the buffer is written to the stream. */
#define PART_BYTES ((size_t)256 * 1024)

/* Longer values rarely repeat. */
#define VALUE_MAX 256

#define SEQUENCE 1

/* Clocks: 64 is the first number of a sequence's own clock. */
enum { CLOCK_OF_DAY = 1, CLOCK_BOOT = 6, CLOCK_OWN = 64 };

enum { TRACE_PACKET = 1 };

/* Fields of the message TracePacket. */
enum {
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TIMESTAMP_CLOCK_ID = 58,
	PACKET_DEFAULTS = 59,
};

/* Fields of the messages in it. */
enum { SNAPSHOT_CLOCKS = 1, SNAPSHOT_PRIMARY_TRACE_CLOCK = 2 };
enum { CLOCK_CLOCK_ID = 1, CLOCK_TIMESTAMP = 2 };
enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };
enum { INTERNED_SOURCE_LOCATIONS = 4, INTERNED_STRING_VALUES = 29 };
enum { NAME_IID = 1, NAME_TEXT = 2 };
enum { LOCATION_IID = 1, LOCATION_FILE_NAME = 2, LOCATION_LINE_NUMBER = 4 };

/* Fields of InternedData. */
static const uint32_t use_fields[PFTRACE_USES] = {
	[PFTRACE_CATEGORY] = 1,
	[PFTRACE_NAME] = 2,
	[PFTRACE_KEY] = 3,
};

bool pftrace_packets_init(
	struct pftrace_packets *packets, FILE *out, struct trace *trace)
{
	*packets = (struct pftrace_packets){
		.out = out, .trace = trace, .values = strtab_new()};
	return packets->values != NULL;
}

void pftrace_packets_clear(struct pftrace_packets *packets)
{
	buffer_clear(&packets->bytes);
	buffer_clear(&packets->interned);
	buffer_clear(&packets->valid);
	memory_free(packets->text_uses);
	memory_free(packets->placed);
	strtab_free(packets->values);
}

void pftrace_packets_flush(struct pftrace_packets *packets)
{
	if (!packets->bytes.failed)
		(void)fwrite(packets->bytes.bytes, 1, packets->bytes.used,
			packets->out);
	packets->bytes.used = 0;
}

static void add_clock(struct buffer *out, uint64_t clock, int64_t time_ns)
{
	size_t begun = protobuf_begin(out, SNAPSHOT_CLOCKS);

	protobuf_add_uint(out, CLOCK_CLOCK_ID, clock);
	protobuf_add_int(out, CLOCK_TIMESTAMP, time_ns);
	protobuf_end(out, begun);
}

void pftrace_packets_begin(struct pftrace_packets *packets, int64_t first_ns)
{
	struct buffer *bytes = &packets->bytes;
	size_t begun;

	if (first_ns > packets->trace->start_ns)
		first_ns = packets->trace->start_ns;
	packets->origin_ns = packets->trace->base_realtime_ns;
	packets->clock = CLOCK_OF_DAY;
	if (packets->origin_ns <= 0) {
		/* A clock must not be negative. */
		packets->clock = CLOCK_BOOT;
		packets->origin_ns = first_ns >= 0           ? 0
				     : first_ns == INT64_MIN ? INT64_MAX
							     : -first_ns;
	}
	packets->packet = protobuf_begin(bytes, TRACE_PACKET);
	protobuf_add_uint(bytes, PACKET_SEQUENCE_ID, SEQUENCE);
	protobuf_add_uint(bytes, PACKET_SEQUENCE_FLAGS, FLAG_CLEARED);
	begun = protobuf_begin(bytes, PACKET_DEFAULTS);
	protobuf_add_uint(bytes, PACKET_TIMESTAMP_CLOCK_ID, CLOCK_OWN);
	protobuf_end(bytes, begun);
	begun = protobuf_begin(bytes, PACKET_CLOCK_SNAPSHOT);
	add_clock(bytes, CLOCK_OWN, 0);
	add_clock(bytes, packets->clock, packets->origin_ns);
	protobuf_add_uint(bytes, SNAPSHOT_PRIMARY_TRACE_CLOCK, packets->clock);
	protobuf_end(bytes, begun);
	protobuf_end(bytes, packets->packet);
}

struct buffer *pftrace_packet_begin(struct pftrace_packets *packets)
{
	packets->packet = protobuf_begin(&packets->bytes, TRACE_PACKET);
	protobuf_add_uint(&packets->bytes, PACKET_SEQUENCE_ID, SEQUENCE);
	protobuf_add_uint(
		&packets->bytes, PACKET_SEQUENCE_FLAGS, FLAG_NEEDS_STATE);
	return &packets->bytes;
}

void pftrace_packet_end(struct pftrace_packets *packets)
{
	if (packets->interned.failed || packets->valid.failed)
		packets->bytes.failed = true;
	if (packets->interned.used > 0)
		protobuf_add_bytes(&packets->bytes, PACKET_INTERNED_DATA,
			packets->interned.bytes, packets->interned.used);
	packets->interned.used = 0;
	protobuf_end(&packets->bytes, packets->packet);
	if (packets->bytes.used >= PART_BYTES)
		pftrace_packets_flush(packets);
}

static void add_time(struct pftrace_packets *packets, int64_t time_ns)
{
	struct buffer *bytes = &packets->bytes;

	if (time_ns > INT64_MAX - packets->origin_ns) {
		time_ns = INT64_MAX - packets->origin_ns;
		packets->trace->losses[LOSS_BACKWARD_TIMES]++;
	}
	if (time_ns < -packets->origin_ns) {
		time_ns = -packets->origin_ns;
		packets->trace->losses[LOSS_BACKWARD_TIMES]++;
	}
	if (time_ns >= 0) {
		protobuf_add_int(bytes, PACKET_TIMESTAMP, time_ns);
		return;
	}
	protobuf_add_int(bytes, PACKET_TIMESTAMP, packets->origin_ns + time_ns);
	protobuf_add_uint(bytes, PACKET_TIMESTAMP_CLOCK_ID, packets->clock);
}

struct buffer *pftrace_event_begin(struct pftrace_packets *packets,
	enum pftrace_type type, uint64_t uuid, int64_t time_ns)
{
	struct buffer *bytes = pftrace_packet_begin(packets);

	add_time(packets, time_ns);
	packets->event = protobuf_begin(bytes, PACKET_TRACK_EVENT);
	protobuf_add_uint(bytes, TRACK_EVENT_TYPE, type);
	protobuf_add_uint(bytes, TRACK_EVENT_TRACK_UUID, uuid);
	return bytes;
}

void pftrace_event_end(struct pftrace_packets *packets)
{
	protobuf_end(&packets->bytes, packets->event);
	pftrace_packet_end(packets);
}

void pftrace_add_text(struct pftrace_packets *packets, struct buffer *out,
	uint32_t field, const char *bytes, size_t size)
{
	packets->valid.used = 0;
	trace_lose(packets->trace, LOSS_BAD_TEXT,
		utf8_add_valid(&packets->valid, bytes, size));
	protobuf_add_bytes(
		out, field, packets->valid.bytes, packets->valid.used);
}

/* Grows a zero-filled array to include `index`. */
static bool ensure_index(struct pftrace_packets *packets, uint8_t **items,
	uint32_t *room, uint32_t index)
{
	uint64_t more = ((uint64_t)index + 1) * 2;
	uint8_t *bigger;

	if (index < *room)
		return true;
	if (more > UINT32_MAX)
		more = UINT32_MAX;
	bigger = memory_resize(*items, (size_t)more);
	if (bigger == NULL) {
		packets->bytes.failed = true;
		return false;
	}
	memset(bigger + *room, 0, (size_t)more - *room);
	*items = bigger;
	*room = (uint32_t)more;
	return true;
}

/* Perfetto's numbers begin at 1, the trace's at 0. */
uint64_t pftrace_text(
	struct pftrace_packets *packets, uint32_t text, enum pftrace_use use)
{
	uint64_t iid = (uint64_t)text + 1;
	const char *bytes;
	size_t begun;
	size_t size;

	if (!ensure_index(packets, &packets->text_uses, &packets->text_use_room,
		    text) ||
		(packets->text_uses[text] >> use & 1) != 0)
		return iid;
	packets->text_uses[text] |= (uint8_t)(1u << use);
	bytes = strtab_text(packets->trace->text, text, &size);
	begun = protobuf_begin(&packets->interned, use_fields[use]);
	protobuf_add_uint(&packets->interned, NAME_IID, iid);
	pftrace_add_text(packets, &packets->interned, NAME_TEXT, bytes, size);
	protobuf_end(&packets->interned, begun);
	return iid;
}

static uint64_t intern_place(struct pftrace_packets *packets, uint32_t site)
{
	const struct trace_site *from = &packets->trace->sites[site];
	struct buffer *interned = &packets->interned;
	uint64_t iid = (uint64_t)site + 1;
	const char *bytes;
	size_t begun;
	size_t size;

	if (!ensure_index(
		    packets, &packets->placed, &packets->placed_room, site) ||
		packets->placed[site] != 0)
		return iid;
	packets->placed[site] = 1;
	bytes = strtab_text(packets->trace->text, from->file, &size);
	begun = protobuf_begin(interned, INTERNED_SOURCE_LOCATIONS);
	protobuf_add_uint(interned, LOCATION_IID, iid);
	pftrace_add_text(packets, interned, LOCATION_FILE_NAME, bytes, size);
	protobuf_add_uint(interned, LOCATION_LINE_NUMBER, from->line);
	protobuf_end(interned, begun);
	return iid;
}

void pftrace_add_site(
	struct pftrace_packets *packets, struct buffer *out, uint32_t site)
{
	const struct trace_site *from = &packets->trace->sites[site];

	protobuf_add_uint(out, TRACK_EVENT_NAME_IID,
		pftrace_text(packets, from->name, PFTRACE_NAME));
	if (from->category != 0)
		protobuf_add_uint(out, TRACK_EVENT_CATEGORY_IIDS,
			pftrace_text(
				packets, from->category, PFTRACE_CATEGORY));
	if (from->file != 0 || from->line != 0)
		protobuf_add_uint(out, TRACK_EVENT_SOURCE_LOCATION_IID,
			intern_place(packets, site));
}

uint64_t pftrace_value(
	struct pftrace_packets *packets, const char *bytes, size_t size)
{
	uint32_t count = strtab_count(packets->values);
	uint32_t number;
	size_t begun;

	if (size == 0 || size > VALUE_MAX ||
		packets->value_bytes >= PFTRACE_VALUES_MAX)
		return 0;
	number = strtab_add(packets->values, bytes, size);
	if (number == STRTAB_NONE) {
		packets->bytes.failed = true;
		return 0;
	}
	if (number < count)
		return number;
	packets->value_bytes += size;
	begun = protobuf_begin(&packets->interned, INTERNED_STRING_VALUES);
	protobuf_add_uint(&packets->interned, NAME_IID, number);
	pftrace_add_text(packets, &packets->interned, NAME_TEXT, bytes, size);
	protobuf_end(&packets->interned, begun);
	return number;
}

void pftrace_add_correlation(struct buffer *out, uint64_t id)
{
	if ((id & TRACE_EXTERNAL_ID_BIT) == 0)
		protobuf_add_uint(out, TRACK_EVENT_CORRELATION_ID, id);
}
