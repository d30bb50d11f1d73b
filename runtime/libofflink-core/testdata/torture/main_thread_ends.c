/* The first thread ends with pthread_exit; another goes on and ends the
 * process. */
#include "torture.h"
static void *go_on(void *unused) {
  usleep(1000);
  for (int i = 0; i < 20; i++)
    must_run("thread");
  exit(0);
  return unused;
}
int main(void) {
  pthread_t thread;
  must_run("main");
  pthread_create(&thread, NULL, go_on, NULL);
  pthread_exit(NULL);
}
