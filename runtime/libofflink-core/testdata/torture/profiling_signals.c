/* A profiler: SIGPROF for each millisecond of processor time, of all threads. Its handler
 * runs on the program's threads alone, without an alternate stack. */
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include "torture.h"
static pid_t own[4];
static volatile sig_atomic_t count, strangers;
static void handler(int signal) {
  pid_t id = (pid_t)syscall(SYS_gettid);
  int known = 0;
  for (int i = 0; i < 4; i++)
    known |= own[i] == id;
  strangers += !known;
  count++;
}
static void *work(void *slot) {
  *(pid_t *)slot = (pid_t)syscall(SYS_gettid);
  for (int i = 0; i < 30; i++)
    must_run("in a thread");
  return NULL;
}
int main(void) {
  struct sigaction action = {0};
  struct itimerval timer = {{0, 1000}, {0, 1000}}, none = {{0}};
  pthread_t threads[3];
  *own = getpid();
  action.sa_handler = handler;
  sigaction(SIGPROF, &action, NULL);
  must_run("before");
  sigset_t profiled, saved;
  sigemptyset(&profiled);
  sigaddset(&profiled, SIGPROF);
  pthread_sigmask(SIG_BLOCK, &profiled, &saved);
  for (int i = 0; i < 3; i++)
    pthread_create(&threads[i], NULL, work, &own[i + 1]);
  setitimer(ITIMER_PROF, &timer, NULL);
  pthread_sigmask(SIG_SETMASK, &saved, NULL);
  for (int i = 0; i < 30; i++)
    must_run("with signals");
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  setitimer(ITIMER_PROF, &none, NULL);
  if (strangers)
    fprintf(stderr, "%d of %d signals in other threads\n", (int)strangers, (int)count);
  return strangers ? 3 : 0;
}
