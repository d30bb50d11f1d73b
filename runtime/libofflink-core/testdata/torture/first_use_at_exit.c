/* The first use of the runtime is in a destructor. */
#include "torture.h"
__attribute__((destructor)) static void last(void) { must_run("destructor"); }
int main(void) { return 0; }
