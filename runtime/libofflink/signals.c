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
 * These stay unblocked: faults, which come to the thread that caused them and
 * end the process if it blocks them, and SIGURG, with which Go's runtime
 * interrupts its own threads.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "shim.h"

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};

static int is_fault(int sig) {
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    if (faults[i] == sig)
      return 1;
  return 0;
}

static int is_function(const struct sigaction *action) {
  return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
}

/* The program's handler of SIGURG from before the core, and Go's. Written once
 * by the thread that opens the core, before on_urgent is installed. */
static struct sigaction program_urgent, go_urgent;

/* Go's runtime sends SIGURG to single threads of its own, which have all other
 * signals but faults blocked. The rest is the program's. */
static int is_of_go(const siginfo_t *info, const ucontext_t *context) {
  return info->si_code == SI_TKILL && info->si_pid == getpid() && sigismember(&context->uc_sigmask, SIGHUP) == 1 &&
         sigismember(&context->uc_sigmask, SIGUSR1) == 1;
}

static void on_urgent(int sig, siginfo_t *info, void *context) {
  const struct sigaction *action = is_of_go(info, context) ? &go_urgent : &program_urgent;
  if (action->sa_flags & SA_SIGINFO)
    action->sa_sigaction(sig, info, context);
  else
    action->sa_handler(sig);
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

/* The core replaced the program's handler of SIGURG and would never call it. */
static void share_urgent(const struct sigaction *program, const struct sigaction *go) {
  program_urgent = *program;
  go_urgent = *go;
  struct sigaction action = *program;
  action.sa_flags = (program->sa_flags | SA_SIGINFO | SA_ONSTACK) & ~(SA_NODEFER | SA_RESETHAND);
  action.sa_sigaction = on_urgent;
  sigaction(SIGURG, &action, NULL);
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
  } else if (sig == SIGPIPE) {
    sigaction(sig, program, NULL);
  } else if (sig == SIGURG && is_function(program)) {
    share_urgent(program, &now);
  }
}

void offlink_signals_restore(const struct offlink_signals *saved) {
  for (int sig = 1; sig < NSIG; sig++)
    restore_action(sig, &saved->actions[sig]);
  pthread_sigmask(SIG_SETMASK, &saved->mask, NULL);
}

/* Where the program has installed a handler of SIGURG since, Go's signals reach
 * it, on the core's threads: it must run on their signal stacks. */
void offlink_signals_check(void) {
  struct sigaction now;
  if (sigaction(SIGURG, NULL, &now) || !is_function(&now) || now.sa_flags & SA_ONSTACK)
    return;
  now.sa_flags |= SA_ONSTACK;
  sigaction(SIGURG, &now, NULL);
}
