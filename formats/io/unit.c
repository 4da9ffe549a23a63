/* SPDX-License-Identifier: MIT */
#include "io/unit.h"

#include <stdlib.h>
#include <string.h>

bool unit_power(const char *unit, size_t size, int *power)
{
	static const struct {
		const char *name;
		int power;
	} units[] = {{"ns", 0}, {"us", 3}, {"\xc2\xb5s", 3}, {"\xce\xbcs", 3},
		{"ms", 6}, {"s", 9}, {"nanoseconds", 0}, {"microseconds", 3},
		{"milliseconds", 6}, {"seconds", 9}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strlen(units[i].name) == size &&
			memcmp(units[i].name, unit, size) == 0) {
			*power = units[i].power;
			return true;
		}
	return false;
}

uint64_t unit_of_cost(const char *cost)
{
	const char *open = strrchr(cost, '(');
	uint64_t count = 1;
	int power;
	size_t size;
	char *end;

	if (open != NULL) {
		cost = open + 1;
		count = strtoull(cost, &end, 10);
		count = end == cost ? 1 : count;
		cost = end;
	}
	size = strcspn(cost, ")");
	if (count == 0 || count > 1000000 ||
		(open == NULL) != (cost[size] == '\0') ||
		!unit_power(cost, size, &power))
		return 0;
	for (; power > 0; power--)
		count *= 10;
	return count;
}
