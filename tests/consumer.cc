// SPDX-License-Identifier: MIT
// What a C++ program needs to be recorded; built against what is installed.
#include <ctprof.h>

static int work(int n)
{
	CTP_FUNCTION();
	if (n > 3)
		throw n; // leaves the range as well
	return n;
}

int main()
{
	CTP_SCOPE("consumer");
	try {
		return work(2) + work(4);
	} catch (int n) {
		return n == 4 ? 0 : 1;
	}
}
