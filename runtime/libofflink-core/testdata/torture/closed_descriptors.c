/* A program that closes all its descriptors, as daemons do, before the first
 * use. */
#include "torture.h"
int main(void) {
  for (int i = 0; i < 256; i++)
    close(i);
  return run();
}
