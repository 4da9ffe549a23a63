/* SPDX-License-Identifier: MIT */
/*
 * Whenever a range begins or ends, the time since the last event is added to
 * the thread's current phase. So no time is lost or counted twice, whatever the
 * ranges are.
 *
 * Asynchronous ranges need not nest: they are on the stack among others, and
 * are removed from its middle.
 */
#include "phases/phases.h"

#include <pthread.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/saturate.h"
#include "phases/phase_rules.h"
#include "trace/correlation.h"

struct phase_found;
struct phase_frame;
struct phase_level;

/* State of a thread. */
struct phase_state {
	bool used; /* it had a range */
	int64_t last_ns;
	struct phase_frame *frames; /* open ranges, oldest first */
	uint32_t depth;
	uint32_t room;
	uint32_t asyncs;            /* number of asynchronous frames */
	struct phase_level *levels; /* by phase; NULL: none was open yet */
	struct phase_times times;
};

struct phase_count {
	const struct trace *trace;
	const struct phase_rules *rules;
	uint32_t phase_count;
	/* By site: the phase that its ranges, and its asynchronous ranges,
	 * begin. */
	struct phase_found *found[2];
	uint32_t found_room[2];
	struct phase_state *states; /* by track */
	uint32_t state_count;
	struct correlation *asyncs; /* track by name and id; NULL: none yet */
	struct phase_times times;
	uint64_t stray_ends;
	uint64_t open_ranges;
	uint64_t backward_times;
	uint64_t left_out;
};

/* Bounds the search. More open at once on a thread cannot be a compiler's
 * headers. */
#define ASYNCS_MAX 512

struct phase_found {
	bool known; /* already looked up */
	struct phase_begin begin;
};

struct phase_frame {
	uint32_t begins; /* phase it begins; PHASE_NONE: that around it
			 * continues */
	uint32_t phase;  /* current phase of the thread */
	uint32_t site;
	bool async;
	uint64_t id;
};

/* The open ranges of a phase on a thread. */
struct phase_level {
	uint32_t open;
	int64_t since_ns; /* start of the outermost */
};

/* False if out of memory; call phase_count_clear() in any case. */
static bool phase_count_init(struct phase_count *count,
	const struct trace *trace, const struct phase_rules *rules)
{
	uint32_t phases = phase_rules_count(rules);

	*count = (struct phase_count){
		.trace = trace, .rules = rules, .phase_count = phases};
	count->times.phases =
		memory_new_zeroed(phases, sizeof(*count->times.phases));
	return count->times.phases != NULL;
}

static void phase_count_clear(struct phase_count *count)
{
	for (uint32_t i = 0; i < count->state_count; i++) {
		memory_free(count->states[i].frames);
		memory_free(count->states[i].levels);
		memory_free(count->states[i].times.phases);
	}
	memory_free(count->states);
	memory_free(count->found[0]);
	memory_free(count->found[1]);
	memory_free(count->times.phases);
	correlation_free(count->asyncs);
	*count = (struct phase_count){0};
}

/* Finds the phase that a range begins; false if out of memory. */
static bool find_phase(struct phase_count *count, uint32_t site, bool async,
	struct phase_begin *begin)
{
	struct phase_found *found;

	if (!array_ensure_index(&count->found[async], site,
		    &count->found_room[async], sizeof(*found)))
		return false;
	found = &count->found[async][site];
	if (!found->known) {
		const struct phase_subject subject =
			phase_rules_subject(count->trace, site, async);

		*found = (struct phase_found){
			true, phase_rules_find(count->rules, &subject)};
	}
	*begin = found->begin;
	return true;
}

static struct phase_state *find_state(struct phase_count *count, uint32_t track)
{
	return array_ensure_index(&count->states, track, &count->state_count,
		       sizeof(*count->states))
		       ? &count->states[track]
		       : NULL;
}

static void start(struct phase_state *state, int64_t ns)
{
	if (!state->used)
		state->last_ns = ns;
	state->used = true;
}

/* Adds the time up to `ns`; a time that goes back is counted and ignored. */
static void advance(
	struct phase_count *count, struct phase_state *state, int64_t ns)
{
	uint64_t spent_ns;
	uint32_t phase;

	if (ns < state->last_ns) {
		count->backward_times++;
		return;
	}
	spent_ns = (uint64_t)ns - (uint64_t)state->last_ns;
	state->last_ns = ns;
	state->times.wall_ns += spent_ns;
	if (state->depth == 0) {
		state->times.idle_ns += spent_ns;
		return;
	}
	phase = state->frames[state->depth - 1].phase;
	if (phase == PHASE_NONE)
		state->times.unknown_ns += spent_ns;
	else
		state->times.phases[phase].self_ns += spent_ns;
}

/* Allocates on first use, since most threads are never in a phase. */
static bool enter_phase(const struct phase_count *count,
	struct phase_state *state, uint32_t phase)
{
	struct phase_sum **sums = &state->times.phases;
	uint32_t phases = count->phase_count;

	if (*sums == NULL)
		*sums = memory_new_zeroed(phases, sizeof(**sums));
	if (state->levels == NULL)
		state->levels =
			memory_new_zeroed(phases, sizeof(*state->levels));
	if (*sums == NULL || state->levels == NULL)
		return false;
	(*sums)[phase].count++;
	if (state->levels[phase].open++ == 0)
		state->levels[phase].since_ns = state->last_ns;
	return true;
}

static bool push(const struct phase_count *count, struct phase_state *state,
	struct phase_begin begin, struct phase_frame frame)
{
	uint32_t around = state->depth > 0
				  ? state->frames[state->depth - 1].phase
				  : PHASE_NONE;

	if (!array_reserve32(&state->frames, state->depth, &state->room,
		    sizeof(*state->frames)))
		return false;
	frame.begins = phase_begin_in(begin, around);
	frame.phase = frame.begins == PHASE_NONE ? around : frame.begins;
	if (frame.begins != PHASE_NONE &&
		!enter_phase(count, state, frame.begins))
		return false;
	state->asyncs += frame.async;
	state->frames[state->depth++] = frame;
	return true;
}

static void leave_phase(struct phase_state *state, uint32_t phase)
{
	struct phase_level *level = &state->levels[phase];

	if (--level->open == 0)
		state->times.phases[phase].total_ns +=
			(uint64_t)state->last_ns - (uint64_t)level->since_ns;
}

static void remove_frame(struct phase_state *state, uint32_t index)
{
	struct phase_frame *frames = state->frames;
	uint32_t phase = index == 0 ? PHASE_NONE : frames[index - 1].phase;

	if (frames[index].begins != PHASE_NONE)
		leave_phase(state, frames[index].begins);
	state->asyncs -= frames[index].async;
	state->depth--;
	memmove(&frames[index], &frames[index + 1],
		(state->depth - index) * sizeof(*frames));
	/* Ranges that continued its phase now continue the one around. */
	for (; index < state->depth && frames[index].begins == PHASE_NONE;
		index++)
		frames[index].phase = phase;
}

static bool begin(struct phase_count *count, const struct event *event)
{
	struct phase_state *state = find_state(count, event->track);
	struct phase_begin begin;

	if (state == NULL || !find_phase(count, event->site, false, &begin))
		return false;
	start(state, event->time_ns);
	advance(count, state, event->time_ns);
	return push(
		count, state, begin, (struct phase_frame){.site = event->site});
}

static bool end(struct phase_count *count, const struct event *event)
{
	struct phase_state *state = find_state(count, event->track);
	uint32_t index;

	if (state == NULL)
		return false;
	if (state->depth == state->asyncs) {
		count->stray_ends++;
		return true;
	}
	advance(count, state, event->time_ns);
	for (index = state->depth - 1; state->frames[index].async; index--)
		continue;
	remove_frame(state, index);
	return true;
}

static bool begin_async(struct phase_count *count, const struct event *event)
{
	struct phase_state *state;
	struct phase_frame frame = {
		.site = event->site, .async = true, .id = event->id};
	struct phase_begin begin;

	if (!find_phase(count, event->site, true, &begin))
		return false;
	if (begin.phase == PHASE_NONE)
		return true;
	state = find_state(count, event->track);
	if (state == NULL)
		return false;
	if (state->asyncs == ASYNCS_MAX) {
		count->left_out++;
		return true;
	}
	start(state, event->time_ns);
	advance(count, state, event->time_ns);
	if (count->asyncs == NULL)
		count->asyncs = correlation_new(CORRELATION_LIMIT);
	return count->asyncs != NULL &&
	       correlation_add(count->asyncs,
		       count->trace->sites[event->site].name, event->id,
		       event->track) &&
	       push(count, state, begin, frame);
}

/* Asynchronous ranges match by site name and id. */
static bool is_equal(const struct phase_count *count,
	const struct phase_frame *frame, const struct event *event)
{
	const struct trace_site *sites = count->trace->sites;

	return frame->async && frame->id == event->id &&
	       sites[frame->site].name == sites[event->site].name;
}

/* Ends the youngest matching range on this track; false if there is none. */
static bool end_async_on(struct phase_count *count, struct phase_state *state,
	const struct event *event)
{
	for (uint32_t i = state->depth; state->asyncs > 0 && i-- > 0;)
		if (is_equal(count, &state->frames[i], event)) {
			advance(count, state, event->time_ns);
			remove_frame(state, i);
			return true;
		}
	return false;
}

static bool end_async(struct phase_count *count, const struct event *event)
{
	struct phase_state *state;
	struct phase_begin begin;
	uint64_t track;

	if (!find_phase(count, event->site, true, &begin))
		return false;
	if (begin.phase == PHASE_NONE)
		return true;
	state = find_state(count, event->track);
	if (state == NULL)
		return false;
	if (end_async_on(count, state, event))
		return true;
	if (count->asyncs == NULL ||
		!correlation_find(count->asyncs,
			count->trace->sites[event->site].name, event->id,
			&track) ||
		!end_async_on(count, &count->states[track], event))
		count->stray_ends++;
	return true;
}

/* False if out of memory. */
static bool phase_count_add(
	struct phase_count *count, const struct event *event)
{
	bool is_thread =
		count->trace->tracks[event->track].kind == TRACE_THREAD;

	switch (event->kind) {
	case EVENT_BEGIN:
		if (is_thread)
			return begin(count, event);
		count->left_out++;
		return true;
	case EVENT_END:
		return !is_thread || end(count, event);
	case EVENT_COMPLETE:
		count->left_out++;
		return true;
	case EVENT_ASYNC_BEGIN:
		return !is_thread || begin_async(count, event);
	case EVENT_ASYNC_END:
		return !is_thread || end_async(count, event);
	default:
		return true;
	}
}

void phase_sum_add(struct phase_sum *to, const struct phase_sum *from)
{
	to->count = saturate_sum(to->count, from->count);
	to->self_ns = saturate_sum(to->self_ns, from->self_ns);
	to->total_ns = saturate_sum(to->total_ns, from->total_ns);
}

static void add_times(
	struct phase_count *count, const struct phase_times *times)
{
	struct phase_times *to = &count->times;

	for (uint32_t i = 0; i < count->phase_count && times->phases != NULL;
		i++)
		phase_sum_add(&to->phases[i], &times->phases[i]);
	to->wall_ns = saturate_sum(to->wall_ns, times->wall_ns);
	to->unknown_ns = saturate_sum(to->unknown_ns, times->unknown_ns);
	to->idle_ns = saturate_sum(to->idle_ns, times->idle_ns);
}

static void phase_count_finish(struct phase_count *count)
{
	for (uint32_t i = 0; i < count->state_count; i++) {
		struct phase_state *state = &count->states[i];
		int64_t end_ns;

		if (!state->used)
			continue;
		end_ns = state->depth == 0 ? state->last_ns
					   : trace_track_end(count->trace, i);
		if (end_ns > state->last_ns)
			advance(count, state, end_ns);
		count->open_ranges += state->depth;
		while (state->depth > 0)
			remove_frame(state, state->depth - 1);
		add_times(count, &state->times);
	}
}

/* Time in a phase. */
static uint64_t phase_count_known_ns(const struct phase_count *count)
{
	uint64_t known_ns = 0;

	for (uint32_t i = 0; i < count->phase_count; i++)
		known_ns =
			saturate_sum(known_ns, count->times.phases[i].self_ns);
	return known_ns;
}

/*
 * Profiles have no ranges: assign phases along the calling-context tree, or per
 * function if there is no tree.
 */

static struct phase_begin function_phase(const struct phase_count *count,
	const struct profile_function *function)
{
	const struct phase_subject subject = {
		.name = function->name,
		.name_size = strlen(function->name),
		.file = function->file,
		.file_size = strlen(function->file),
		.category = "",
	};

	return phase_rules_find(count->rules, &subject);
}

/* Adds time to a phase, or to the unknown time. */
static void charge(struct phase_times *times, uint32_t phase, uint64_t self_ns)
{
	uint64_t *to = phase == PHASE_NONE ? &times->unknown_ns
					   : &times->phases[phase].self_ns;

	*to = saturate_sum(*to, self_ns);
	times->wall_ns = saturate_sum(times->wall_ns, self_ns);
}

static void add_functions(struct phase_count *count,
	const struct profile *profile, const struct phase_begin *begins)
{
	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];
		uint32_t phase = begins[i].phase;
		struct phase_sum *sum;

		if (function->device.kind != PROFILE_HOST)
			continue;
		charge(&count->times, phase, function->cost.tottime_ns);
		if (phase == PHASE_NONE)
			continue;
		sum = &count->times.phases[phase];
		sum->count = saturate_sum(sum->count, function->cost.ncalls);
		sum->total_ns = sum->self_ns;
	}
}

#define MASK_WORDS ((PHASE_RULES_PHASES_MAX + 63) / 64)

struct context {
	uint32_t begins;
	uint32_t phase;
	uint64_t total_ns;
	uint64_t around[MASK_WORDS]; /* phases begun by enclosing contexts */
};

/* Derives a context from its parent. */
static struct context make_context(const struct context *parent,
	struct phase_begin begin, uint64_t self_ns)
{
	uint32_t begins = phase_begin_in(begin, parent->phase);
	struct context context = *parent;

	if (parent->begins != PHASE_NONE)
		context.around[parent->begins / 64] |= UINT64_C(1)
						       << parent->begins % 64;
	context.begins = begins;
	if (begins != PHASE_NONE)
		context.phase = begins;
	context.total_ns = self_ns;
	return context;
}

static bool is_outermost(const struct context *context)
{
	return (context->around[context->begins / 64] &
		       UINT64_C(1) << context->begins % 64) == 0;
}

static void add_contexts(struct phase_count *count,
	const struct profile *profile, const struct phase_begin *begins,
	struct context *contexts)
{
	const struct profile_node *nodes = profile->nodes;

	contexts[0] =
		(struct context){.begins = PHASE_NONE, .phase = PHASE_NONE};
	for (uint32_t i = 1; i < profile->node_count; i++) {
		contexts[i] = make_context(&contexts[nodes[i].parent],
			begins[nodes[i].function], nodes[i].self_ns);
		charge(&count->times, contexts[i].phase, nodes[i].self_ns);
	}
	for (uint32_t i = profile->node_count; i-- > 1;) {
		const struct context *context = &contexts[i];
		struct phase_sum *sum;

		contexts[nodes[i].parent].total_ns = saturate_sum(
			contexts[nodes[i].parent].total_ns, context->total_ns);
		if (context->begins == PHASE_NONE)
			continue;
		sum = &count->times.phases[context->begins];
		sum->count = saturate_sum(sum->count, nodes[i].ncalls);
		if (is_outermost(context))
			sum->total_ns =
				saturate_sum(sum->total_ns, context->total_ns);
	}
}

static bool phase_count_add_profile(
	struct phase_count *count, const struct profile *profile)
{
	size_t room = (size_t)profile->function_count + 1;
	struct phase_begin *begins = memory_new_zeroed(room, sizeof(*begins));
	struct context *contexts = NULL;
	bool done = begins != NULL;

	for (uint32_t i = 0; done && i < profile->function_count; i++)
		begins[i] = function_phase(count, &profile->functions[i]);
	if (done && profile->node_count > 0) {
		contexts = memory_new_zeroed(
			profile->node_count, sizeof(*contexts));
		done = contexts != NULL;
	}
	count->times.flat = contexts == NULL;
	if (done && contexts != NULL)
		add_contexts(count, profile, begins, contexts);
	else if (done)
		add_functions(count, profile, begins);
	memory_free(contexts);
	memory_free(begins);
	return done;
}

/* The built-in sets of rules, and the choice among them. */

static const struct {
	const char *name;
	const char *const *lines;
} shipped[] = {
	{"clang", clang_rules},
	{"dynamo", dynamo_rules},
	{"import", import_rules},
	{"nvcc", nvcc_rules},
};

#define SHIPPED_COUNT (sizeof(shipped) / sizeof(shipped[0]))

const char *const *phase_rules_shipped(const char *name)
{
	for (size_t i = 0; i < SHIPPED_COUNT; i++)
		if (strcmp(name, shipped[i].name) == 0)
			return shipped[i].lines;
	return NULL;
}

static enum ctp_status add(struct phase_sets *sets, const char *name,
	const char *const *lines, struct ctp_error *err)
{
	struct buffer text = BUFFER_INIT;
	enum ctp_status status;

	for (; *lines != NULL; lines++)
		buffer_add_text(&text, *lines);
	if (text.failed)
		status = ctp_no_memory(err);
	else
		status = phase_rules_parse(name, (const char *)text.bytes,
			text.used, &sets->rules[sets->count], err);
	if (status == CTP_OK)
		sets->count++;
	buffer_clear(&text);
	return status;
}

enum ctp_status phase_sets_ship(struct phase_sets *sets, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	*sets = (struct phase_sets){0};
	for (size_t i = 0; i < SHIPPED_COUNT && status == CTP_OK; i++)
		status = add(sets, shipped[i].name, shipped[i].lines, err);
	if (status != CTP_OK)
		phase_sets_clear(sets);
	return status;
}

const struct phase_sets *phase_sets_shipped(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct phase_sets sets;
	struct ctp_error err;
	bool done;

	(void)pthread_mutex_lock(&lock);
	done = sets.count > 0 || phase_sets_ship(&sets, &err) == CTP_OK;
	(void)pthread_mutex_unlock(&lock);
	return done ? &sets : NULL;
}

enum ctp_status phase_sets_open(
	struct phase_sets *sets, const char *name, struct ctp_error *err)
{
	const char *const *lines = phase_rules_shipped(name);
	enum ctp_status status;

	*sets = (struct phase_sets){0};
	if (lines != NULL)
		return add(sets, name, lines, err);
	status = phase_rules_read(name, &sets->rules[0], err);
	if (status == CTP_OK)
		sets->count = 1;
	return status;
}

void phase_sets_clear(struct phase_sets *sets)
{
	for (size_t i = 0; i < sets->count; i++)
		phase_rules_free(sets->rules[i]);
	*sets = (struct phase_sets){0};
}

/*
 * All sets count in parallel: the one that covers most of the time is known
 * only at the end, and events can be read only once. Sets that no range has
 * matched so far would count the same: a single count without rules does it for
 * them, and most sets never match.
 */

struct phases {
	struct phase_count counts[PHASE_SETS_MAX];
	size_t count;
	bool begun[PHASE_SETS_MAX]; /* the set counts by itself */
	/* The sets that do. */
	uint8_t begun_sets[PHASE_SETS_MAX];
	size_t begun_count;
	struct phase_count shared; /* the count of the others */
	size_t best;
	struct phase_thread *threads;
	uint32_t thread_count;
};

struct phases *phases_new(
	const struct trace *trace, const struct phase_sets *sets)
{
	struct phases *phases = memory_new_zeroed(1, sizeof(*phases));

	if (phases == NULL)
		return NULL;
	phases->shared.trace = trace;
	for (; phases->count < sets->count; phases->count++)
		if (!phase_count_init(&phases->counts[phases->count], trace,
			    sets->rules[phases->count])) {
			phases_free(phases);
			return NULL;
		}
	return phases;
}

void phases_free(struct phases *phases)
{
	if (phases == NULL)
		return;
	for (size_t i = 0; i < phases->count; i++)
		phase_count_clear(&phases->counts[i]);
	phase_count_clear(&phases->shared);
	memory_free(phases->threads);
	memory_free(phases);
}

/* Copies a thread that was never in a phase. */
static bool copy_state(struct phase_state *to, const struct phase_state *from)
{
	*to = (struct phase_state){.used = from->used,
		.last_ns = from->last_ns,
		.depth = from->depth,
		.room = from->depth,
		.times = from->times};
	if (from->depth == 0)
		return true;
	to->frames = memory_new_zeroed(from->depth, sizeof(*to->frames));
	if (to->frames == NULL)
		return false;
	memcpy(to->frames, from->frames, from->depth * sizeof(*to->frames));
	return true;
}

/* Lets a set count by itself, from the shared count on. False if out of
 * memory. */
static bool begin_set(struct phases *phases, size_t set)
{
	const struct phase_count *shared = &phases->shared;
	struct phase_count *count = &phases->counts[set];
	bool done = true;

	phases->begun[set] = true;
	phases->begun_sets[phases->begun_count++] = (uint8_t)set;
	count->stray_ends = shared->stray_ends;
	count->backward_times = shared->backward_times;
	count->left_out = shared->left_out;
	if (shared->state_count == 0)
		return true;
	count->states =
		memory_new_zeroed(shared->state_count, sizeof(*count->states));
	if (count->states == NULL)
		return false;
	count->state_count = shared->state_count;
	for (uint32_t i = 0; i < shared->state_count && done; i++)
		done = copy_state(&count->states[i], &shared->states[i]);
	return done;
}

/* Begins the sets that the range matches, unless they have begun. Async ranges
 * match by other rules. */
static bool begin_matching(
	struct phases *phases, const struct event *event, bool async)
{
	struct phase_count *shared = &phases->shared;
	struct phase_found *found;
	struct phase_subject subject;
	bool done = true;

	if (!array_ensure_index(&shared->found[async], event->site,
		    &shared->found_room[async], sizeof(*found)))
		return false;
	found = &shared->found[async][event->site];
	if (found->known)
		return true;
	*found = (struct phase_found){true, {PHASE_NONE, false}};
	subject = phase_rules_subject(shared->trace, event->site, async);
	for (size_t i = 0; i < phases->count && done; i++)
		if (!phases->begun[i] &&
			phase_rules_find(phases->counts[i].rules, &subject)
					.phase != PHASE_NONE)
			done = begin_set(phases, i);
	return done;
}

static bool add_shared(struct phases *phases, const struct event *event)
{
	bool done = true;

	switch (event->kind) {
	case EVENT_BEGIN:
		done = begin_matching(phases, event, false);
		break;
	case EVENT_ASYNC_BEGIN:
	case EVENT_ASYNC_END:
		done = begin_matching(phases, event, true);
		break;
	default:
		break;
	}
	return done;
}

/* Makes a range of a track for asynchronous ones asynchronous again. */
static const struct event *move_back(const struct phases *phases,
	const struct event *event, struct event *async)
{
	uint32_t thread = phases->shared.trace->tracks[event->track].async_of;

	if (thread == 0 ||
		(event->kind != EVENT_BEGIN && event->kind != EVENT_END))
		return event;
	*async = *event;
	async->track = thread - 1;
	async->kind = event->kind == EVENT_BEGIN ? EVENT_ASYNC_BEGIN
						 : EVENT_ASYNC_END;
	return async;
}

enum ctp_status phases_add(
	struct phases *phases, const struct event *given, struct ctp_error *err)
{
	struct event async;
	const struct event *event = move_back(phases, given, &async);
	bool done = true;

	if (phases->begun_count < phases->count)
		done = add_shared(phases, event);
	if (done && phases->begun_count < phases->count)
		done = phase_count_add(&phases->shared, event);
	for (size_t i = 0; i < phases->begun_count && done; i++)
		done = phase_count_add(
			&phases->counts[phases->begun_sets[i]], event);
	return done ? CTP_OK : ctp_no_memory(err);
}

enum ctp_status phases_add_profile(struct phases *phases,
	const struct profile *profile, struct ctp_error *err)
{
	for (size_t i = 0; i < phases->count; i++)
		if ((!phases->begun[i] && !begin_set(phases, i)) ||
			!phase_count_add_profile(&phases->counts[i], profile))
			return ctp_no_memory(err);
	return CTP_OK;
}

static bool list_threads(struct phases *phases)
{
	const struct phase_count *count = &phases->counts[phases->best];

	phases->threads = memory_new_zeroed(
		(size_t)count->state_count + 1, sizeof(*phases->threads));
	if (phases->threads == NULL)
		return false;
	for (uint32_t i = 0; i < count->state_count; i++)
		if (count->states[i].used)
			phases->threads[phases->thread_count++] =
				(struct phase_thread){
					i, count->states[i].times};
	return true;
}

enum ctp_status phases_finish(struct phases *phases, struct ctp_error *err)
{
	/* The first set is the result if none matches. */
	if (!phases->begun[0] && !begin_set(phases, 0))
		return ctp_no_memory(err);
	for (size_t i = 0; i < phases->count; i++) {
		if (!phases->begun[i])
			continue;
		phase_count_finish(&phases->counts[i]);
		if (phase_count_known_ns(&phases->counts[i]) >
			phase_count_known_ns(&phases->counts[phases->best]))
			phases->best = i;
	}
	return list_threads(phases) ? CTP_OK : ctp_no_memory(err);
}

uint32_t phases_set(const struct phases *phases)
{
	if (phases->count > 1 &&
		phase_count_known_ns(&phases->counts[phases->best]) == 0)
		return PHASE_NONE;
	return (uint32_t)phases->best;
}

const struct phase_rules *phases_rules(const struct phases *phases)
{
	uint32_t set = phases_set(phases);

	return set == PHASE_NONE ? NULL : phases->counts[set].rules;
}

const struct phase_times *phases_times(const struct phases *phases)
{
	return &phases->counts[phases->best].times;
}

const struct phase_thread *phases_threads(
	const struct phases *phases, uint32_t *count)
{
	*count = phases->thread_count;
	return phases->threads;
}

void phases_count_losses(
	const struct phases *phases, uint64_t losses[LOSS_KINDS])
{
	const struct phase_count *count = &phases->counts[phases->best];

	losses[LOSS_STRAY_ENDS] += count->stray_ends;
	losses[LOSS_OPEN_RANGES] += count->open_ranges;
	losses[LOSS_BACKWARD_TIMES] += count->backward_times;
	losses[LOSS_NOT_SHOWN] += count->left_out;
}
