/* SPDX-License-Identifier: MIT */
/*
 * A lane is a parser with its own trace, of which only the texts are used:
 * categories and keys of arguments. Each block lists the new ones as they were
 * found, so that the caller's trace has them in the order of the file. Blocks
 * form a ring: the caller cuts them and takes them in order; lanes parse them in
 * order. The caller's lane parses when its next block is not ready.
 */
#include "chrome_read/chrome_read_ahead.h"

#include <pthread.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/thread.h"
#include "json/json_block.h"

/* Below, starting a thread takes longer than it saves. */
#define LEAST_POSITION (UINT64_C(2) << 20)

/* The first blocks are small, because the file may be. */
#define FIRST_BLOCK_BYTES 512
#define BLOCK_BYTES ((size_t)64 << 10)
#define BLOCK_ITEMS_MAX 8192

/* With more lanes, the caller would be the slowest. */
#define LANES_MAX 4
#define BLOCKS_PER_LANE 4
#define BLOCKS_MAX (LANES_MAX * BLOCKS_PER_LANE)

/* An event, with the state of its parser. */
struct item {
	struct chrome_read_json event;
	uint64_t words_end;  /* the scanner's */
	uint32_t text_count; /* the lane's texts */
	uint32_t arg_count;
	uint32_t args_size;    /* in block.args */
	uint32_t member_count; /* in block.members */
	uint32_t missed;
	uint32_t seen;
	int64_t known[CHROME_READ_KNOWN_COUNT];
	struct json_token file;
	bool is_empty;
};

struct block {
	struct json_block text;
	struct item *items;
	uint32_t count;
	uint32_t room;
	struct buffer args;
	struct buffer members;
	struct buffer texts; /* new ones of the lane: a size before each */
	uint64_t begin;
	uint64_t end;  /* of the last good event */
	bool is_whole; /* all events are good */
	uint32_t lane;
	bool is_parsed; /* under the lock */
};

struct lane {
	struct chrome_read_ahead *ahead;
	struct trace *trace;
	struct chrome_read_args args;
	struct chrome_read_labels labels;
	struct chrome_read_json_reader json;
	uint32_t text_count; /* texts that are in blocks */
	pthread_t thread;
	bool has_thread;
	/* The caller's: numbers in its trace. */
	uint32_t *numbers;
	uint32_t number_count;
	uint32_t number_room;
};

struct chrome_read_ahead {
	struct json_scan *scan;
	struct chrome_read_json_reader *caller;
	struct json_blocks text;
	size_t block_bytes;
	bool at_end;                  /* no more blocks can be cut */
	struct lane lanes[LANES_MAX]; /* the first is the caller's */
	uint32_t lane_count;
	struct block blocks[BLOCKS_MAX];
	uint32_t block_count;
	struct block *first; /* the oldest, if it is parsed; else NULL */
	/* In that block: */
	uint32_t item;
	size_t args_at;
	size_t members_at;
	size_t texts_at;

	pthread_mutex_t lock;
	pthread_cond_t cut_one;    /* for the threads */
	pthread_cond_t parsed_one; /* for the caller */
	/* Under the lock: */
	uint64_t cut; /* blocks so far */
	uint64_t claimed;
	uint64_t taken;
	bool stopped;
};

bool chrome_read_ahead_is_useful(const struct trace *trace, uint64_t position)
{
	unsigned jobs = trace->request.jobs;

	return jobs > 1 || (jobs == 0 && position >= LEAST_POSITION);
}

/* ---- lanes ---- */

/* Adds the state after an event to the block; false if out of memory. */
static bool add_item(struct lane *lane, struct block *block, struct item *item)
{
	const struct chrome_read_args *args = &lane->args;
	const struct chrome_read_members *members = &lane->json.members;

	item->words_end = block->text.scan.words_end;
	item->text_count = strtab_count(lane->trace->text);
	item->arg_count = args->count;
	item->args_size = (uint32_t)args->bytes.used;
	item->member_count = members->count;
	item->missed = members->missed;
	item->seen = args->seen;
	if (args->seen != 0)
		memcpy(item->known, args->known, sizeof(item->known));
	item->file = args->file;
	buffer_add(&block->args, args->bytes.bytes, args->bytes.used);
	buffer_add(&block->members, members->items,
		members->count * sizeof(members->items[0]));
	block->count++;
	return !args->bytes.failed && !block->args.failed &&
	       !block->members.failed;
}

static bool parse_item(struct lane *lane, struct block *block)
{
	struct json_scan *scan = &block->text.scan;
	struct json_token token;
	struct item *item;

	if (json_scan_next(scan, &token, NULL) != CTP_OK ||
		token.kind != JSON_OBJECT || block->count == BLOCK_ITEMS_MAX ||
		!array_reserve32(&block->items, block->count, &block->room,
			sizeof(*block->items)))
		return false;
	item = &block->items[block->count];
	if (chrome_read_json_read(&lane->json, &token, &item->event, NULL) !=
		CTP_OK)
		return false;
	item->is_empty = json_scan_position(scan) - token.at == 2;
	return add_item(lane, block, item);
}

/* Copies the lane's new texts; false if out of memory. */
static bool add_texts(struct lane *lane, struct block *block)
{
	uint32_t count = strtab_count(lane->trace->text);

	for (; lane->text_count < count; lane->text_count++) {
		size_t size;
		const char *text =
			strtab_text(lane->trace->text, lane->text_count, &size);

		buffer_add(&block->texts, &size, sizeof(size));
		buffer_add(&block->texts, text, size);
	}
	return !block->texts.failed;
}

static void parse_block(struct lane *lane, struct block *block)
{
	const struct json_scan *scan = &block->text.scan;
	bool is_good = true;

	lane->json.scan = &block->text.scan;
	block->lane = (uint32_t)(lane - lane->ahead->lanes);
	block->count = 0;
	block->args.used = 0;
	block->members.used = 0;
	block->texts.used = 0;
	block->end = block->begin;
	while (is_good && !json_block_is_done(&block->text)) {
		is_good = parse_item(lane, block);
		if (is_good)
			block->end = json_scan_position(scan);
	}
	if (!add_texts(lane, block)) {
		block->count = 0;
		block->end = block->begin;
		is_good = false;
	}
	block->is_whole = is_good;
}

/* Takes the next block to parse; NULL if all are taken. The lock is held. */
static struct block *claim(struct chrome_read_ahead *ahead)
{
	return ahead->claimed == ahead->cut
		       ? NULL
		       : &ahead->blocks[ahead->claimed++ % ahead->block_count];
}

/* Waits for a block; NULL if the thread must end. */
static struct block *wait_for_block(struct chrome_read_ahead *ahead)
{
	struct block *block = NULL;

	(void)pthread_mutex_lock(&ahead->lock);
	while (!ahead->stopped && (block = claim(ahead)) == NULL)
		(void)pthread_cond_wait(&ahead->cut_one, &ahead->lock);
	(void)pthread_mutex_unlock(&ahead->lock);
	return block;
}

static void publish(struct chrome_read_ahead *ahead, struct block *block)
{
	(void)pthread_mutex_lock(&ahead->lock);
	block->is_parsed = true;
	(void)pthread_cond_signal(&ahead->parsed_one);
	(void)pthread_mutex_unlock(&ahead->lock);
}

static void *run_lane(void *user)
{
	struct lane *lane = user;
	struct block *block;

	while ((block = wait_for_block(lane->ahead)) != NULL) {
		parse_block(lane, block);
		publish(lane->ahead, block);
	}
	return NULL;
}

/* Initializes the lane, so that it can be cleared; false if out of memory. */
static bool lane_init(struct lane *lane, struct chrome_read_ahead *ahead)
{
	const struct chrome_read_json_reader *like = ahead->caller;

	lane->ahead = ahead;
	lane->trace = trace_new(&like->args->trace->request);
	if (lane->trace == NULL ||
		!chrome_read_args_init(&lane->args, lane->trace, 0) ||
		!chrome_read_labels_init(
			&lane->labels, lane->trace, &lane->args))
		return false;
	lane->labels.is_own = like->labels->is_own;
	lane->json.labels = &lane->labels;
	lane->json.args = &lane->args;
	lane->json.skip_args = like->skip_args;
	lane->json.keeps_args = like->keeps_args;
	lane->json.details = like->details;
	lane->json.places = like->places;
	return true;
}

static void lane_clear(struct lane *lane)
{
	chrome_read_json_clear(&lane->json);
	chrome_read_labels_clear(&lane->labels);
	chrome_read_args_clear(&lane->args);
	trace_free(lane->trace);
	memory_free(lane->numbers);
}

/* ---- the caller's thread ---- */

/* Starts a thread for each lane but the caller's; false if none could start. */
static bool start_lanes(struct chrome_read_ahead *ahead)
{
	unsigned jobs = ahead->caller->args->trace->request.jobs;
	unsigned wanted = jobs == 0 ? thread_processors() : jobs;

	if (wanted < 2)
		return false;
	while (ahead->lane_count < wanted && ahead->lane_count < LANES_MAX) {
		struct lane *lane = &ahead->lanes[ahead->lane_count++];

		if (!lane_init(lane, ahead))
			return false;
		if (ahead->lane_count == 1)
			continue;
		lane->has_thread = thread_start(&lane->thread, run_lane, lane);
		if (!lane->has_thread)
			break;
	}
	ahead->block_count = ahead->lane_count * BLOCKS_PER_LANE;
	return ahead->lane_count > 1 && ahead->lanes[1].has_thread;
}

struct chrome_read_ahead *chrome_read_ahead_new(
	struct json_scan *scan, struct chrome_read_json_reader *json)
{
	struct chrome_read_ahead *ahead = memory_new_zeroed(1, sizeof(*ahead));

	if (ahead == NULL)
		return NULL;
	(void)pthread_mutex_init(&ahead->lock, NULL);
	(void)pthread_cond_init(&ahead->cut_one, NULL);
	(void)pthread_cond_init(&ahead->parsed_one, NULL);
	ahead->scan = scan;
	ahead->caller = json;
	ahead->block_bytes = FIRST_BLOCK_BYTES;
	if (!json_blocks_begin(&ahead->text, scan)) {
		ahead->scan = NULL;
		chrome_read_ahead_free(ahead);
		return NULL;
	}
	if (!start_lanes(ahead)) {
		json_blocks_end(&ahead->text, ahead->text.next);
		chrome_read_ahead_free(ahead);
		return NULL;
	}
	return ahead;
}

/* Stops the threads; their blocks are incomplete. */
static void stop_lanes(struct chrome_read_ahead *ahead)
{
	(void)pthread_mutex_lock(&ahead->lock);
	ahead->stopped = true;
	(void)pthread_cond_broadcast(&ahead->cut_one);
	(void)pthread_mutex_unlock(&ahead->lock);
	for (uint32_t i = 0; i < ahead->lane_count; i++) {
		if (ahead->lanes[i].has_thread)
			(void)pthread_join(ahead->lanes[i].thread, NULL);
		ahead->lanes[i].has_thread = false;
	}
}

void chrome_read_ahead_free(struct chrome_read_ahead *ahead)
{
	if (ahead == NULL)
		return;
	stop_lanes(ahead);
	if (ahead->scan != NULL)
		ahead->caller->scan = ahead->scan;
	for (uint32_t i = 0; i < ahead->lane_count; i++)
		lane_clear(&ahead->lanes[i]);
	for (uint32_t i = 0; i < BLOCKS_MAX; i++) {
		struct block *block = &ahead->blocks[i];

		json_block_clear(&block->text);
		buffer_clear(&block->args);
		buffer_clear(&block->members);
		buffer_clear(&block->texts);
		memory_free(block->items);
	}
	(void)pthread_cond_destroy(&ahead->parsed_one);
	(void)pthread_cond_destroy(&ahead->cut_one);
	(void)pthread_mutex_destroy(&ahead->lock);
	memory_free(ahead);
}

/* Cuts a block. An event may be larger than the first ones. */
static bool cut_block(struct chrome_read_ahead *ahead, struct block *block)
{
	while (!json_blocks_cut(
		&ahead->text, &block->text, ahead->block_bytes)) {
		if (ahead->block_bytes == BLOCK_BYTES)
			return false;
		ahead->block_bytes *= 2;
	}
	return true;
}

/* Cuts blocks while the ring has room. Only this thread changes `cut` and
 * `taken`. */
static void cut_blocks(struct chrome_read_ahead *ahead)
{
	while (!ahead->at_end &&
		ahead->cut - ahead->taken < ahead->block_count) {
		struct block *block =
			&ahead->blocks[ahead->cut % ahead->block_count];

		block->begin = ahead->text.next;
		if (!cut_block(ahead, block)) {
			ahead->at_end = true;
			return;
		}
		if (ahead->block_bytes < BLOCK_BYTES)
			ahead->block_bytes *= 2;
		block->is_parsed = false;
		(void)pthread_mutex_lock(&ahead->lock);
		ahead->cut++;
		(void)pthread_cond_signal(&ahead->cut_one);
		(void)pthread_mutex_unlock(&ahead->lock);
	}
}

/* Waits for the oldest block, and parses others meanwhile; NULL: none is
 * left. */
static struct block *first_block(struct chrome_read_ahead *ahead)
{
	struct block *first = &ahead->blocks[ahead->taken % ahead->block_count];
	struct block *other;

	if (ahead->cut == ahead->taken)
		return NULL;
	(void)pthread_mutex_lock(&ahead->lock);
	while (!first->is_parsed) {
		other = claim(ahead);
		if (other == NULL) {
			(void)pthread_cond_wait(
				&ahead->parsed_one, &ahead->lock);
			continue;
		}
		(void)pthread_mutex_unlock(&ahead->lock);
		parse_block(&ahead->lanes[0], other);
		(void)pthread_mutex_lock(&ahead->lock);
		other->is_parsed = true;
	}
	(void)pthread_mutex_unlock(&ahead->lock);
	return first;
}

/* Begins with the oldest block, or ends after it; NULL at the end. */
static struct block *begin_block(struct chrome_read_ahead *ahead)
{
	struct block *block;

	cut_blocks(ahead);
	block = first_block(ahead);
	ahead->first = block;
	ahead->item = 0;
	ahead->args_at = 0;
	ahead->members_at = 0;
	ahead->texts_at = 0;
	if (block == NULL)
		json_blocks_end(&ahead->text, ahead->text.next);
	return block;
}

/* The block with the next event; NULL at the end. */
static struct block *next_block(struct chrome_read_ahead *ahead)
{
	struct block *block = ahead->first;

	while (block == NULL || ahead->item == block->count) {
		if (block != NULL && !block->is_whole) {
			json_blocks_end(&ahead->text, block->end);
			return NULL;
		}
		if (block != NULL) {
			(void)pthread_mutex_lock(&ahead->lock);
			ahead->taken++;
			(void)pthread_mutex_unlock(&ahead->lock);
			json_blocks_release(&ahead->text, block->end);
		}
		block = begin_block(ahead);
		if (block == NULL)
			return NULL;
	}
	return block;
}

/* Adds the texts that were new in the event; false if out of memory. */
static bool add_numbers(struct chrome_read_ahead *ahead,
	const struct block *block, const struct item *item)
{
	struct lane *lane = &ahead->lanes[block->lane];
	struct strtab *texts = ahead->caller->args->trace->text;

	while (lane->number_count < item->text_count) {
		const uint8_t *from = block->texts.bytes + ahead->texts_at;
		uint32_t number;
		size_t size;

		if (!array_reserve32(&lane->numbers, lane->number_count,
			    &lane->number_room, sizeof(*lane->numbers)))
			return false;
		memcpy(&size, from, sizeof(size));
		number = strtab_add(
			texts, (const char *)from + sizeof(size), size);
		ahead->texts_at += sizeof(size) + size;
		if (number == STRTAB_NONE)
			return false;
		lane->numbers[lane->number_count++] = number;
	}
	return true;
}

static void set_members(struct chrome_read_ahead *ahead,
	const struct block *block, const struct item *item)
{
	struct chrome_read_members *members = &ahead->caller->members;
	size_t size = item->member_count * sizeof(members->items[0]);

	members->count = item->member_count;
	members->missed = item->missed;
	if (size > 0)
		memcpy(members->items, block->members.bytes + ahead->members_at,
			size);
	ahead->members_at += size;
}

/* Gives the caller's parser its state after the event; false if out of
 * memory. */
static bool set_state(struct chrome_read_ahead *ahead, struct block *block,
	const struct item *item)
{
	struct chrome_read_json_reader *caller = ahead->caller;
	struct chrome_read_args *args = caller->args;
	size_t at = ahead->args_at;

	block->text.scan.words_end = item->words_end;
	caller->scan = &block->text.scan;
	set_members(ahead, block, item);
	if (!add_numbers(ahead, block, item) || !chrome_read_args_reset(args))
		return false;
	args->seen = item->seen;
	args->file = item->file;
	if (item->seen != 0)
		memcpy(args->known, item->known, sizeof(args->known));
	ahead->args_at += item->args_size;
	return item->arg_count == 0 ||
	       chrome_read_args_copy(args, block->args.bytes + at,
		       item->args_size, item->arg_count,
		       ahead->lanes[block->lane].numbers);
}

enum ctp_status chrome_read_ahead_next(struct chrome_read_ahead *ahead,
	struct chrome_read_json **out, bool *is_empty, struct ctp_error *err)
{
	struct chrome_read_json_reader *caller = ahead->caller;
	struct block *block = next_block(ahead);
	struct chrome_read_json *event;
	struct item *item;

	if (block == NULL)
		return CTP_END;
	item = &block->items[ahead->item++];
	event = &item->event;
	if (!set_state(ahead, block, item))
		return ctp_no_memory(err);
	*out = event;
	*is_empty = item->is_empty;
	/* Categories have other numbers in the lane. */
	if (event->category.kind != CHROME_READ_JSON_NONE &&
		!chrome_read_labels_category(caller->labels, caller->scan,
			&event->category, &event->kind))
		return ctp_no_memory(err);
	return CTP_OK;
}
