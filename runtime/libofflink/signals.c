/* signals.c: keeps the core's threads and the program's signal handlers apart.
 *
 * The core's threads run goroutines, whose stacks have a few KiB: a handler
 * without SA_ONSTACK that runs on one writes over other memory. No flag of a
 * handler that the program installs later can be relied on; so these threads
 * block every signal that the kernel may give to any thread of the process.
 * That also leaves signals to a program that takes them with sigwait or
 * signalfd. They inherit the mask from the thread that opens the core; the
 * core sees to the signals that Go's runtime would unblock (threads.c there).
 *
 * Faults stay unblocked: they come to the thread that caused them, and end the
 * process if it blocks them. SIGURG, with which Go's runtime interrupts its
 * threads, is not used: the core is linked with asyncpreemptoff=1.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>

#include "shim.h"

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};

static int is_fault(int sig) {
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    if (faults[i] == sig)
      return 1;
  return 0;
}

void offlink_signals_block(struct offlink_signals *saved) {
  sigset_t blocked;
  sigfillset(&blocked);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    sigdelset(&blocked, faults[i]);
  pthread_sigmask(SIG_SETMASK, &blocked, &saved->mask);
  memset(saved->actions, 0, sizeof saved->actions);
  for (int sig = 1; sig < NSIG; sig++)
    sigaction(sig, NULL, &saved->actions[sig]);
}

/* Undoes the core's changes to one signal. Its handlers of faults stay: they
 * pass on all faults but the core's. To the program's handlers it adds SA_ONSTACK,
 * which would put them on a signal stack that may be too small for them. A
 * handler that another thread has installed meanwhile stays as well. */
static void restore_action(int sig, const struct sigaction *program) {
  struct sigaction now;
  if (is_fault(sig) || sigaction(sig, NULL, &now))
    return;
  if (now.sa_handler == program->sa_handler) {
    if (now.sa_flags != program->sa_flags)
      sigaction(sig, program, NULL);
  } else if (sig == SIGPIPE || sig == SIGURG) {
    sigaction(sig, program, NULL);
  }
}

void offlink_signals_restore(const struct offlink_signals *saved) {
  for (int sig = 1; sig < NSIG; sig++)
    restore_action(sig, &saved->actions[sig]);
  pthread_sigmask(SIG_SETMASK, &saved->mask, NULL);
}
