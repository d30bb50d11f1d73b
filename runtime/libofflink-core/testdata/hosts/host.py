# A Python host: ctypes, threads, fork, and an exception from the library.
import ctypes, gc, os, signal, sys, threading

library = ctypes.CDLL(sys.argv[1])
library.host_error.restype = ctypes.c_char_p


def run():
    step = library.run_host()
    if step:
        raise RuntimeError("step %d: %s" % (step, library.host_error().decode()))


interrupts = []
signal.signal(signal.SIGALRM, lambda number, frame: interrupts.append(number))
if os.fork() == 0:  # before the first use
    run()
    os._exit(0)
assert os.wait()[1] == 0
run()
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
threads = [threading.Thread(target=lambda: [run() for _ in range(10)]) for _ in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
while not interrupts:
    run()
signal.setitimer(signal.ITIMER_REAL, 0)
child = os.fork()
if child == 0:  # after it
    os._exit(0 if library.run_host() else 1)
assert os.wait()[1] == 0
gc.collect()
threading.Thread(target=lambda: [library.run_host() for _ in range(10**9)], daemon=True).start()
print("ok")
