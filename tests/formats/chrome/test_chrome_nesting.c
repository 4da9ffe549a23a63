/* SPDX-License-Identifier: MIT */
/*
 * Nested ranges in formats/chrome/chrome.c: viewers see the recorded tree, even
 * if many ranges start and end at the same time.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chrome_check.h"
#include "chrome/chrome_stack.h"
#include "support/run_suite.h"

#define TID 7

/* The recorded events, and their tree. */
struct story {
	struct trace *trace;
	struct event *events;
	size_t event_count;
	size_t room;
	struct shown *tree; /* in order of the ranges' begins */
	size_t tree_count;
	size_t *open; /* into tree */
	size_t depth;
	int64_t now_ns;
};

static void story_init(struct story *story, size_t room)
{
	*story = (struct story){.trace = trace_new(NULL), .room = room};
	ck_assert_ptr_nonnull(story->trace);
	story->events = calloc(room, sizeof(*story->events));
	story->tree = calloc(room, sizeof(*story->tree));
	story->open = calloc(room, sizeof(*story->open));
	ck_assert(story->events != NULL && story->tree != NULL &&
		  story->open != NULL);
	ck_assert_uint_eq(trace_add_track(story->trace,
				  (struct trace_track){.pid = 1, .tid = TID}),
		0);
}

static void story_clear(struct story *story)
{
	trace_free(story->trace);
	free(story->events);
	free(story->tree);
	free(story->open);
}

static void begin(struct story *story)
{
	struct shown *node = &story->tree[story->tree_count];
	struct event *event = &story->events[story->event_count++];

	ck_assert_uint_le(story->event_count, story->room);
	(void)snprintf(
		node->name, sizeof(node->name), "r%zu", story->tree_count);
	node->depth = story->depth;
	node->start_ns = story->now_ns;
	event->kind = EVENT_BEGIN;
	event->time_ns = story->now_ns;
	event->site = trace_add_site(
		story->trace, node->name, strlen(node->name), "", 0, 0);
	story->open[story->depth++] = story->tree_count++;
}

static void end(struct story *story)
{
	struct shown *node = &story->tree[story->open[--story->depth]];
	struct event *event = &story->events[story->event_count++];

	ck_assert_uint_le(story->event_count, story->room);
	node->dur_ns = story->now_ns - node->start_ns;
	event->kind = EVENT_END;
	event->site = TRACE_NONE;
	event->time_ns = story->now_ns;
	story->trace->end_ns = story->now_ns;
}

static void compare(struct story *story, json_t *json, bool stacking)
{
	size_t count;
	struct shown *seen = check_rebuild(json, TID, stacking, &count);

	ck_assert_uint_eq(count, story->tree_count);
	for (size_t i = 0; i < count; i++) {
		ck_assert_str_eq(seen[i].name, story->tree[i].name);
		ck_assert_uint_eq(seen[i].depth, story->tree[i].depth);
		ck_assert_int_eq(seen[i].start_ns, story->tree[i].start_ns);
		ck_assert_int_eq(seen[i].dur_ns, story->tree[i].dur_ns);
	}
	free(seen);
}

/* Closes open ranges, writes the trace, and checks it as both kinds of viewers
 * see it. Returns the number of "X" events. */
static size_t check_story(struct story *story)
{
	json_t *json;
	json_t *event;
	size_t slices = 0;
	size_t i;

	while (story->depth > 0)
		end(story);
	json = check_write(
		story->trace, story->events, story->event_count, NULL);
	compare(story, json, true);
	compare(story, json, false);
	json_array_foreach(json_object_get(json, "traceEvents"), i, event)
		slices +=
		strcmp(json_string_value(json_object_get(event, "ph")), "X") ==
		0;
	json_decref(json);
	return slices;
}

START_TEST(ranges_at_different_times_are_slices)
{
	struct story story;

	story_init(&story, 100);
	for (int i = 0; i < 10; i++) {
		begin(&story);
		story.now_ns++;
	}
	for (int i = 0; i < 5; i++) {
		story.now_ns++;
		end(&story);
	}
	begin(&story);
	story.now_ns++;
	ck_assert_uint_eq(check_story(&story), 11);
	story_clear(&story);
}
END_TEST

START_TEST(ranges_that_start_together_are_slices)
{
	struct story story;

	story_init(&story, 100);
	for (int i = 0; i < 10; i++)
		begin(&story);
	for (int i = 0; i < 10; i++) {
		story.now_ns++;
		end(&story);
	}
	ck_assert_uint_eq(check_story(&story), 10);
	story_clear(&story);
}
END_TEST

START_TEST(ranges_that_start_and_end_together_are_slices)
{
	struct story story;

	story_init(&story, 100);
	for (int i = 0; i < 10; i++)
		begin(&story);
	story.now_ns++;
	ck_assert_uint_eq(check_story(&story), 10);
	story_clear(&story);
}
END_TEST

START_TEST(empty_siblings_stay_siblings)
{
	struct story story;

	story_init(&story, 100);
	begin(&story);
	story.now_ns++;
	for (int i = 0; i < 5; i++) {
		begin(&story);
		end(&story);
	}
	story.now_ns++;
	(void)check_story(&story);
	story_clear(&story);
}
END_TEST

START_TEST(an_empty_range_at_the_end_of_another_stays_inside)
{
	struct story story;

	story_init(&story, 100);
	begin(&story);
	begin(&story);
	story.now_ns++;
	begin(&story);
	end(&story);
	end(&story);
	begin(&story);
	story.now_ns++;
	(void)check_story(&story);
	story_clear(&story);
}
END_TEST

START_TEST(empty_ranges_nest)
{
	struct story story;

	story_init(&story, 100);
	begin(&story);
	begin(&story);
	begin(&story);
	end(&story);
	begin(&story);
	end(&story);
	end(&story);
	begin(&story);
	(void)check_story(&story);
	story_clear(&story);
}
END_TEST

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static void tell(struct story *story, size_t steps, uint32_t seed)
{
	uint32_t state = seed;
	uint32_t pause = 1 + next_random(&state) % 6;
	uint32_t bias = 2 + next_random(&state) % 7;

	for (size_t i = 0; i < steps; i++) {
		if (next_random(&state) % pause == 0)
			story->now_ns += next_random(&state) % 3;
		if (story->depth == 0 || next_random(&state) % 10 < bias)
			begin(story);
		else
			end(story);
	}
}

START_TEST(random_trees_with_many_ties_are_rebuilt)
{
	for (uint32_t i = 0; i < 2000; i++) {
		struct story story;
		size_t steps = 2 + i % 60;

		story_init(&story, steps * 2);
		tell(&story, steps, i + 1);
		(void)check_story(&story);
		story_clear(&story);
	}
}
END_TEST

START_TEST(large_random_trees_with_many_ties_are_rebuilt)
{
	for (uint32_t i = 0; i < 20; i++) {
		struct story story;

		story_init(&story, 6000);
		tell(&story, 3000, i + 77);
		(void)check_story(&story);
		story_clear(&story);
	}
}
END_TEST

START_TEST(a_deep_chain_of_ties_is_rebuilt)
{
	struct story story;

	story_init(&story, 40000);
	for (int i = 0; i < 20000; i++)
		begin(&story);
	for (int i = 0; i < 20000; i++) {
		story.now_ns += i % 2;
		end(&story);
	}
	(void)check_story(&story);
	ck_assert_uint_eq(story.trace->losses[LOSS_DEEP_RANGES],
		20000 - CHROME_DEPTH_SHOWN);
	story_clear(&story);
}
END_TEST

/* More text waits for the outer range's end than the limit. */
START_TEST(many_ties_inside_of_one_range_are_rebuilt)
{
	struct story story;
	size_t slices;

	story_init(&story, 60000);
	begin(&story);
	begin(&story);
	for (int i = 0; i < 20000; i++) {
		begin(&story);
		end(&story);
	}
	story.now_ns++;
	end(&story);
	begin(&story);
	story.now_ns++;
	slices = check_story(&story);
	/* The two outer ranges, and all empty ones that follow another, are
	 * written as "B" and "E". */
	ck_assert_uint_eq(slices, 2);
	story_clear(&story);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("chrome nesting");
	TCase *tests = tcase_create("nesting");

	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, ranges_at_different_times_are_slices);
	tcase_add_test(tests, ranges_that_start_together_are_slices);
	tcase_add_test(tests, ranges_that_start_and_end_together_are_slices);
	tcase_add_test(tests, empty_siblings_stay_siblings);
	tcase_add_test(
		tests, an_empty_range_at_the_end_of_another_stays_inside);
	tcase_add_test(tests, empty_ranges_nest);
	tcase_add_test(tests, random_trees_with_many_ties_are_rebuilt);
	tcase_add_test(tests, large_random_trees_with_many_ties_are_rebuilt);
	tcase_add_test(tests, a_deep_chain_of_ties_is_rebuilt);
	tcase_add_test(tests, many_ties_inside_of_one_range_are_rebuilt);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
