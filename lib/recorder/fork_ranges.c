/* SPDX-License-Identifier: MIT */
#include "recorder/fork_ranges.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>

#include "pack/chunk.h"
#include "recorder/writer_thread.h"
#include "recorder/session_state.h"
#include "recorder/thread.h"

/* The argument (1) of such ranges in the child's log, and its number of
 * words. */
#define KEY "inherited"
#define KEY_BYTES (sizeof(KEY) - 1)
#define KEY_WORDS ((KEY_BYTES + 7) / 8)

static struct {
	struct fork_ranges open;
	/* In the child; NULL: none. Atomic because any thread may end while
	 * another stops the recording. */
	struct thread *_Atomic thread;
	char name[16]; /* of the thread */
} saved;

static void begin(struct fork_ranges *inherit, uint32_t site)
{
	if (inherit->deep == 0 && inherit->count < LOG_OPEN_MAX)
		inherit->sites[inherit->count++] = site;
	else
		inherit->deep++;
}

static void end(struct fork_ranges *inherit)
{
	if (inherit->deep > 0)
		inherit->deep--;
	else if (inherit->count > 0)
		inherit->count--;
}

/* Reads the records of a thread's chunk that are not in the log yet. */
static void read_chunk(struct fork_ranges *inherit, const struct chunk *chunk)
{
	uint32_t at = chunk->consumed;
	uint32_t words;

	for (; (words = chunk_record_words(chunk, at)) != 0; at += words) {
		const uint64_t *record = &chunk->words[at];
		const uint64_t word = __atomic_load_n(record, __ATOMIC_ACQUIRE);
		uint32_t site = chunk_site(chunk, word);

		if (site == 0)
			end(inherit);
		else if (site != CHUNK_ID_LONG)
			begin(inherit, site);
		else if (words > 2 &&
			 chunk_head(chunk, word).kind == CHUNK_BEGIN)
			begin(inherit, (uint32_t)record[2]);
	}
}

static void read_log(
	struct fork_ranges *open, const struct packer *packer, uint32_t track)
{
	uint32_t depth;
	const uint32_t *sites = packer_open_ranges(packer, track, &depth);

	for (uint32_t i = 0; i < depth; i++)
		begin(open, i < LOG_OPEN_MAX ? sites[i] : 0);
}

/* In the log, in full chunks, in the live one. */
static void read_track(struct fork_ranges *open, const struct thread *thread)
{
	const struct spool *spool = session_spool();
	uint32_t track = atomic_load(&thread->track);
	const struct chunk *chunk;
	uint64_t seq = 0;

	if (writer_thread_packer() != NULL)
		read_log(open, writer_thread_packer(), track);
	for (; (chunk = spool_find_full(spool, track, &seq)) != NULL; seq++)
		read_chunk(open, chunk);
	chunk = atomic_load(&thread->live);
	if (chunk != NULL)
		read_chunk(open, chunk);
}

void fork_ranges_save(uint64_t session)
{
	const struct thread *thread = thread_self();
	struct fork_ranges *open = &saved.open;

	if (session == 0) {
		if (atomic_load(&saved.thread) != thread)
			open->count = open->deep = 0;
		return;
	}
	open->count = open->deep = 0;
	if (thread == NULL || atomic_load(&thread->session) != session)
		return;
	read_track(open, thread);
	for (uint32_t i = 0; i < thread->pending.end_count; i++)
		end(open);
	for (uint32_t i = 0; i < thread->pending.begin_count; i++)
		begin(open, thread->pending.begins[i].site);
	open->deep += thread->pending.deep;
}

void fork_ranges_adopt(void)
{
	atomic_store(&saved.thread, thread_self());
	(void)prctl(PR_GET_NAME, saved.name);
}

void fork_ranges_forget(const struct thread *thread)
{
	struct thread *heir = atomic_load(&saved.thread);

	if (thread == NULL || thread == heir)
		(void)atomic_compare_exchange_strong(
			&saved.thread, &heir, NULL);
}

/* Records a range with its argument; false without room. */
static bool record(struct thread *thread, uint32_t site, uint64_t ticks)
{
	static const struct chunk_head opening = {CHUNK_BEGIN, 2, 0};
	static const struct chunk_head argument = {
		CHUNK_ARG_INT, 2 + KEY_WORDS, KEY_BYTES - (KEY_WORDS - 1) * 8};
	uint64_t words[2 + KEY_WORDS] = {ticks, 1};
	uint64_t *at = thread_reserve(thread, 3 + 1 + argument.words);

	if (at == NULL)
		return false;
	memcpy(words + 2, KEY, KEY_BYTES);
	thread_store(thread, at, opening, (uint64_t[]){ticks, site});
	thread_store(thread, at + 3, argument, words);
	return true;
}

void fork_ranges_record(uint64_t session, uint64_t ticks)
{
	struct thread *thread = atomic_exchange(&saved.thread, NULL);
	const struct fork_ranges *open = &saved.open;
	uint32_t done = 0;

	if (thread == NULL || open->count + open->deep == 0)
		return;
	thread_join(thread, session, saved.name);
	while (done < open->count && record(thread, open->sites[done], ticks))
		done++;
	/* Their ends must not end other ranges. */
	thread->pending.deep = open->count - done + open->deep;
}
