/* system() while threads launch. */
#include "torture.h"
int main(void) {
  must_run("main");
  start_threads(3);
  for (int i = 0; i < 5; i++)
    if (system("exit 3") != 3 << 8)
      return 2;
  return 0;
}
