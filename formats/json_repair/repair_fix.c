/* SPDX-License-Identifier: MIT */
#include "json_repair/repair.h"

static const struct {
	const char *name;
	const char *words;
	bool loss;
} table[REPAIR_FIXES] = {
	[REPAIR_TRUNCATED] = {"truncated",
		"truncated at the end: the incomplete part is left out", true},
	[REPAIR_DROPPED] = {"dropped", "incomplete events or members left out",
		true},
	[REPAIR_GARBAGE] = {"garbage", "runs of stray bytes left out", true},
	[REPAIR_DOCUMENTS] = {"documents",
		"further documents, their events added to the first", true},
	[REPAIR_DEPTH] = {"depth", "values nested too deep replaced by null",
		true},
	[REPAIR_BRACKETS] = {"brackets", "missing or extra brackets", false},
	[REPAIR_COMMAS] = {"commas", "missing or extra commas", false},
	[REPAIR_MEMBERS] = {"members", "members without a colon or a value",
		false},
	[REPAIR_QUOTES] = {"quotes", "quotes inside text, or missing around it",
		false},
	[REPAIR_BACKSLASHES] = {"backslashes", "stray backslashes doubled",
		false},
	[REPAIR_CONTROLS] = {"controls",
		"control characters within text escaped", false},
	[REPAIR_UTF8] = {"utf8", "bytes that are not UTF-8 replaced by U+FFFD",
		false},
	[REPAIR_SURROGATES] = {"surrogates",
		"unpaired surrogates replaced by U+FFFD", false},
	[REPAIR_NAN] = {"nan", "NaN or Infinity converted to text", false},
	[REPAIR_NUMBERS] = {"numbers", "numbers in a form other than JSON's",
		false},
	[REPAIR_WORDS] = {"words", "words or quotes of other languages", false},
	[REPAIR_TEXT_TIMES] = {"text_times", "text times converted to numbers",
		false},
	[REPAIR_ZERO_TIMES] = {"zero_times",
		"events without a time given the previous event's", false},
};

void repair_fix_add(
	struct repair_fixes *fixes, enum repair_fix fix, uint64_t offset)
{
	if (fixes->counts[fix]++ == 0)
		fixes->first[fix] = offset;
}

void repair_fix_merge(
	struct repair_fixes *fixes, const struct repair_fixes *later)
{
	for (unsigned fix = 0; fix < REPAIR_FIXES; fix++) {
		if (fixes->counts[fix] == 0)
			fixes->first[fix] = later->first[fix];
		fixes->counts[fix] += later->counts[fix];
	}
}

uint64_t repair_fix_total(const struct repair_fixes *fixes)
{
	uint64_t total = 0;

	for (unsigned fix = 0; fix < REPAIR_FIXES; fix++)
		total += fixes->counts[fix];
	return total;
}

const char *repair_fix_name(enum repair_fix fix)
{
	return table[fix].name;
}

const char *repair_fix_words(enum repair_fix fix)
{
	return table[fix].words;
}

bool repair_fix_is_loss(enum repair_fix fix)
{
	return table[fix].loss;
}
