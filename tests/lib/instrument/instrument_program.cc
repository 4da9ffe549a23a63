// SPDX-License-Identifier: MIT
// Exceptions in a program that tests/lib/instrument/instrument.sh compiles: gcc
// calls the hooks of the functions that an exception passes, clang does not.
#define CALLED extern "C" __attribute__((noinline))

static volatile int sink;

struct guarded {
	~guarded();
};

CALLED void cleans()
{
	sink = sink + 1;
}

__attribute__((no_instrument_function)) guarded::~guarded()
{
	cleans();
}

CALLED void throws(int n)
{
	if (n == 0)
		throw 1;
	throws(n - 1);
	sink = sink + 1;
}

CALLED void passes(int n)
{
	guarded here;
	throws(n);
}

CALLED void catches(int n)
{
	try {
		passes(n);
	} catch (int) {
		sink = sink + 1;
	}
	cleans();
}

CALLED void after()
{
	sink = sink + 1;
}

int main()
{
	for (int i = 0; i < 10; i++)
		catches(3);
	after();
	return 0;
}
