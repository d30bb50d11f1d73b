/* A sandbox forbids threads: the first use is an error, and a process that uses the
 * runtime already goes on. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "torture.h"
static void forbid_threads(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
    _exit(7);
}
int main(void) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    forbid_threads();
    _exit(run() == 1 && strstr(offlink_error(), "threads") ? 0 : 3);
  }
  if (waitpid(child, &status, 0) != child || status)
    _exit(4);
  for (int i = 0; i < 20; i++)
    must_run("before");
  forbid_threads();
  for (int i = 0; i < 20; i++)
    must_run("without threads");
  return 0;
}
