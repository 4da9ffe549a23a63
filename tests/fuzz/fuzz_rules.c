/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: rules of phases. A range gets one of their phases, or none, and
 * each phase has a printable name.
 */
#include <string.h>

#include "fuzz_case.h"
#include "base/memory.h"
#include "phases/phase_rules.h"
#include "base/utf8.h"

static void check_phases(const struct phase_rules *rules)
{
	uint32_t count = phase_rules_count(rules);

	fuzz_require(count > 0 && count <= PHASE_RULES_PHASES_MAX);
	for (uint32_t i = 0; i < count; i++) {
		const char *name = phase_rules_phase(rules, i);

		fuzz_require(name[0] != '\0' && name[0] != '(');
		fuzz_require(
			utf8_valid_prefix(name, strlen(name)) == strlen(name));
		for (uint32_t j = 0; j < i; j++)
			fuzz_require(
				strcmp(name, phase_rules_phase(rules, j)) != 0);
	}
}

/* Ranges named after each line of the rules, and after all of them. */
static void check_find(
	const struct phase_rules *rules, const char *text, size_t size)
{
	for (size_t at = 0; at < size; at++) {
		const struct phase_subject subject = {
			.name = text + at,
			.name_size = strcspn(text + at, "\n"),
			.file = text,
			.file_size = at,
			.category = "",
			.async = at % 2 != 0,
		};
		uint32_t phase = phase_rules_find(rules, &subject).phase;

		fuzz_require(phase == PHASE_NONE ||
			     phase < phase_rules_count(rules));
		at += subject.name_size;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct phase_rules *rules = NULL;
	struct ctp_error err = {0};
	enum ctp_status status;
	char *text;

	memory_set_limit(FUZZ_MEMORY);
	status = phase_rules_parse(
		"fuzz", (const char *)bytes, size, &rules, &err);
	if (status != CTP_OK) {
		fuzz_require(rules == NULL && err.message[0] != '\0');
		fuzz_require(status == CTP_ERR_FORMAT || memory_was_refused());
		return 0;
	}
	check_phases(rules);
	text = memory_new(size + 1);
	if (text != NULL) {
		memcpy(text, bytes, size);
		text[size] = '\0';
		check_find(rules, text, size);
	}
	memory_free(text);
	phase_rules_free(rules);
	return 0;
}
