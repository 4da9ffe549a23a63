/* SPDX-License-Identifier: MIT */
/*
 * Makes a log from a text with one step per line, so that bad logs are kept as
 * text that shows their errors. Steps:
 *
 *	# words              nothing
 *	[3, 1, 0, …]         a block, see log_maker.h
 *	small                the small log of log_maker.h
 *	begun                the same without its end
 *	names COUNT          sites 1 to COUNT with names of their own
 *	threads COUNT        so many tracks, from 1, with a range open on each
 *	bomb BYTES           a member of so many zeros
 *	zeros BYTES          zeros as they stand
 *	bytes 1f 8b …        bytes as they stand
 *	size BYTES           the last member says that it has this size
 *	flip BIT             a bit of the last member; from its end if negative
 *	cut BYTES            so many bytes less at the end
 *	again COUNT          all so far, COUNT times more
 */
#ifndef LOG_RECIPE_H
#define LOG_RECIPE_H

#include "base/buffer.h"

/* Appends the recipe's log. Aborts on an error in it, as log_maker.h does. */
void log_recipe_add(struct buffer *log, const char *recipe);

/* The unpacked blocks of an undamaged log, each after its size in two bytes
 * (little endian); false if one is larger than that allows. */
bool log_recipe_unpack(const struct buffer *log, struct buffer *blocks);

#endif
