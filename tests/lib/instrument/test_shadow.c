/* SPDX-License-Identifier: MIT */
/* The shadow stack, on an array as the stack: functions are entered and left at
 * given positions, with return addresses at given places. */
#include <check.h>
#include <string.h>

#include "support/run_suite.h"
#include "instrument/shadow.h"

#define WORDS 1024
#define SITE(n) ((uintptr_t)0x10000 + 16 * (uintptr_t)(n))
#define FUNCTION(n) ((uintptr_t)0x20000 + 0x1000 * (uintptr_t)(n))

static uintptr_t stack[WORDS];
static struct shadow shadow;

static void set_up(void)
{
	memset(stack, 0, sizeof(stack));
	shadow = (struct shadow){.top = &shadow_none};
	ck_assert(shadow_init(
		&shadow, (uintptr_t)stack, (uintptr_t)(stack + WORDS)));
}

static void tear_down(void)
{
	shadow_clear(&shadow);
}

/* A hook of function `n`, with the stack pointer at word `sp`. */
static struct shadow_event at(int n, int call_site, int sp)
{
	return (struct shadow_event){FUNCTION(n), SITE(call_site),
		FUNCTION(n) + 20, (uintptr_t)(stack + sp)};
}

/* The same from a place after the function's beginning. */
static struct shadow_event inlined(int n, int call_site, int sp, int place)
{
	struct shadow_event event = at(n, call_site, sp);

	event.pc = FUNCTION(0) + (uintptr_t)place;
	return event;
}

/* Its return address goes to word `slot`. Returns the number of dead
 * entries. */
static uint32_t enter(struct shadow_event event, int slot)
{
	uintptr_t sp;
	uintptr_t quick;
	uint32_t dead;

	if (slot != 0)
		stack[slot] = event.call_site;
	quick = shadow_entry(&shadow, &event);
	dead = shadow_dead(
		&shadow, &event, SHADOW_OWN, shadow_slot(&shadow, &event), &sp);
	/* All methods agree; if nothing is dead, the quick ones agree, too. */
	ck_assert_uint_eq(quick, dead == 0 ? sp : SHADOW_REPAIR);
	if (shadow_is_called(&shadow, &event))
		ck_assert_uint_eq(quick, event.sp);
	shadow.top -= dead;
	ck_assert(shadow_make_room(&shadow));
	*++shadow.top = shadow_frame(sp, &event);
	return dead;
}

static uint32_t leave(struct shadow_event event)
{
	uint32_t count = shadow_find(&shadow, &event, SHADOW_OWN);

	ck_assert(!shadow_is_top(&shadow, &event) || count == 1);
	shadow.top -= count;
	return count;
}

static long open_count(void)
{
	return shadow.top - shadow.bottom;
}

START_TEST(called_functions_nest)
{
	ck_assert_uint_eq(enter(at(1, 1, 900), 905), 0);
	ck_assert_uint_eq(enter(at(2, 2, 890), 899), 0);
	ck_assert_uint_eq(leave(at(2, 2, 890)), 1);
	ck_assert_uint_eq(leave(at(1, 1, 900)), 1);
	ck_assert_int_eq(open_count(), 0);
}
END_TEST

START_TEST(a_shallower_function_ends_deeper_ones)
{
	enter(at(1, 1, 900), 905);
	enter(at(2, 2, 890), 899);
	enter(at(3, 3, 880), 889);
	ck_assert_uint_eq(enter(at(4, 4, 895), 899), 2);
	ck_assert_int_eq(open_count(), 2);
}
END_TEST

/* After a longjmp, the next function's frame may be larger. */
START_TEST(a_deeper_function_that_was_not_called_by_it_ends_it)
{
	enter(at(1, 1, 900), 905);
	enter(at(2, 2, 890), 899);
	ck_assert_uint_eq(enter(at(3, 3, 870), 899), 1);
	ck_assert_int_eq(open_count(), 2);
}
END_TEST

START_TEST(functions_without_hooks_may_be_between)
{
	enter(at(1, 1, 900), 905);
	ck_assert_uint_eq(enter(at(2, 2, 800), 803), 0);
	ck_assert_int_eq(open_count(), 2);
}
END_TEST

START_TEST(recursion_from_one_place_nests)
{
	for (int i = 0; i < 20; i++)
		ck_assert_uint_eq(
			enter(at(1, i != 0, 900 - 10 * i), 909 - 10 * i), 0);
	for (int i = 19; i >= 0; i--)
		ck_assert_uint_eq(leave(at(1, i != 0, 900 - 10 * i)), 1);
}
END_TEST

START_TEST(an_inlined_function_shares_the_frame)
{
	enter(at(1, 1, 900), 905);
	ck_assert_uint_eq(enter(inlined(2, 1, 900, 40), 0), 0);
	ck_assert_uint_eq(enter(inlined(3, 1, 896, 60), 0), 0);
	ck_assert_uint_eq(shadow.top->sp, shadow.bottom[1].sp);
	/* The stack pointer is higher again: no entry is dead. */
	ck_assert_uint_eq(enter(inlined(4, 1, 900, 80), 0), 0);
	ck_assert_uint_eq(leave(inlined(4, 1, 896, 81)), 1);
	ck_assert_uint_eq(leave(inlined(3, 1, 900, 61)), 1);
	ck_assert_uint_eq(leave(inlined(2, 1, 896, 41)), 1);
	ck_assert_uint_eq(leave(at(1, 1, 900)), 1);
}
END_TEST

START_TEST(a_place_that_is_entered_again_was_left)
{
	enter(at(1, 1, 900), 905);
	enter(inlined(2, 1, 900, 40), 0);
	enter(inlined(3, 1, 900, 60), 0);
	ck_assert_uint_eq(enter(inlined(2, 1, 900, 40), 0), 2);
	ck_assert_int_eq(open_count(), 2);
}
END_TEST

START_TEST(an_exit_ends_calls_open_inside_it)
{
	enter(at(1, 1, 900), 905);
	enter(at(2, 2, 890), 899);
	enter(at(3, 3, 880), 889);
	ck_assert_uint_eq(leave(at(1, 1, 896)), 3);
}
END_TEST

START_TEST(recursion_ends_the_level_that_exits)
{
	for (int i = 0; i < 5; i++)
		enter(at(1, i != 0, 900 - 10 * i), 909 - 10 * i);
	ck_assert_uint_eq(leave(at(1, 1, 880)), 3);
	ck_assert_uint_eq(leave(at(1, 1, 890)), 1);
	ck_assert_uint_eq(leave(at(1, 0, 900)), 1);
}
END_TEST

/* The stack pointer of a tail-called hook is that of the caller. */
START_TEST(a_tail_called_exit_ends_its_own_level)
{
	struct shadow_event event;

	for (int i = 0; i < 5; i++)
		enter(at(1, i != 0, 900 - 10 * i), 909 - 10 * i);
	event = at(1, 1, 870);
	event.pc = event.call_site;
	ck_assert_uint_eq(leave(event), 1);
	event.sp = (uintptr_t)(stack + 890);
	ck_assert_uint_eq(leave(event), 2);
	ck_assert_int_eq(open_count(), 2);
}
END_TEST

START_TEST(an_exit_of_nothing_open_is_stray)
{
	enter(at(1, 1, 900), 905);
	ck_assert_uint_eq(leave(at(2, 2, 890)), 0);
	ck_assert_int_eq(open_count(), 1);
}
END_TEST

START_TEST(other_stacks_are_not_compared)
{
	uintptr_t sp;
	struct shadow_event event = at(2, 2, 890);

	enter(at(1, 1, 900), 905);
	event.sp = 4096;
	ck_assert_uint_eq(shadow_entry(&shadow, &event), SHADOW_REPAIR);
	ck_assert_uint_eq(
		shadow_dead(&shadow, &event, SHADOW_FOREIGN, 0, &sp), 0);
	*++shadow.top = shadow_frame(sp, &event);
	ck_assert_uint_eq(shadow_entry(&shadow, &event), SHADOW_FOREIGN);
	ck_assert_uint_eq(enter(at(3, 3, 950), 955), 0);
	ck_assert_uint_eq(shadow_find(&shadow, &event, SHADOW_FOREIGN), 2);
}
END_TEST

START_TEST(the_first_and_what_the_top_one_called_are_entered_at_once)
{
	struct shadow_event event = at(1, 1, 900);

	ck_assert(shadow_is_called(&shadow, &event));
	event.sp = 4096; /* not on the thread's stack */
	ck_assert(!shadow_is_called(&shadow, &event));
	enter(at(1, 1, 900), 905);
	stack[899] = SITE(2);
	event = at(2, 2, 890);
	ck_assert(shadow_is_called(&shadow, &event));
	event = at(2, 3, 890);
	ck_assert(!shadow_is_called(&shadow, &event));
	event = at(2, 2, 901);
	ck_assert(!shadow_is_called(&shadow, &event));
}
END_TEST

START_TEST(the_stack_for_handlers_is_left_for_good)
{
	struct shadow_event event = at(2, 2, 890);
	uintptr_t sp;

	enter(at(1, 1, 900), 905);
	(void)shadow_dead(&shadow, &event, SHADOW_ALTERNATE, 0, &sp);
	*++shadow.top = shadow_frame(sp, &event);
	ck_assert_uint_eq(enter(at(3, 3, 880), 889), 1);
	ck_assert_int_eq(open_count(), 2);
}
END_TEST

START_TEST(it_grows_to_a_limit)
{
	struct shadow_event event = at(1, 1, 900);

	uint32_t count = 0;

	while (count < SHADOW_MAX && shadow_make_room(&shadow))
		*++shadow.top = shadow_frame(++count, &event);
	ck_assert_uint_eq(count, SHADOW_MAX - 1);
	ck_assert(!shadow_make_room(&shadow));
	ck_assert_uint_eq(shadow.bottom[5].sp, 5);
	shadow_reset(&shadow);
	ck_assert_int_eq(open_count(), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("shadow");
	TCase *tcase = tcase_create("all");

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, called_functions_nest);
	tcase_add_test(tcase, a_shallower_function_ends_deeper_ones);
	tcase_add_test(
		tcase, a_deeper_function_that_was_not_called_by_it_ends_it);
	tcase_add_test(tcase, functions_without_hooks_may_be_between);
	tcase_add_test(tcase, recursion_from_one_place_nests);
	tcase_add_test(tcase, an_inlined_function_shares_the_frame);
	tcase_add_test(tcase, a_place_that_is_entered_again_was_left);
	tcase_add_test(tcase, an_exit_ends_calls_open_inside_it);
	tcase_add_test(tcase, recursion_ends_the_level_that_exits);
	tcase_add_test(tcase, a_tail_called_exit_ends_its_own_level);
	tcase_add_test(tcase, an_exit_of_nothing_open_is_stray);
	tcase_add_test(tcase, other_stacks_are_not_compared);
	tcase_add_test(tcase,
		the_first_and_what_the_top_one_called_are_entered_at_once);
	tcase_add_test(tcase, the_stack_for_handlers_is_left_for_good);
	tcase_add_test(tcase, it_grows_to_a_limit);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
