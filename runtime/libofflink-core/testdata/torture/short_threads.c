/* Two hundred threads, each for one launch. */
#include "torture.h"
static void *once(void *unused) {
  must_run("thread");
  return unused;
}
int main(void) {
  for (int i = 0; i < 50; i++) {
    pthread_t threads[4];
    for (int j = 0; j < 4; j++)
      pthread_create(&threads[j], NULL, once, NULL);
    for (int j = 0; j < 4; j++)
      pthread_join(threads[j], NULL);
  }
  return 0;
}
