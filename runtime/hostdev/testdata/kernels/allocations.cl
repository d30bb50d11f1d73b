// Kernels that write to p[GID + off], where p is a or b: off may lead from one allocation into
// the other.

#define GID get_global_id(0)
#define ARGS global int *a, global int *b, global const int *which, long off

kernel void argument(ARGS) { a[GID + off] = 7; }

kernel void chosen(ARGS) {
  global int *p = which[GID] ? a : b;
  p[GID + off] = 7;
}

kernel void looped(ARGS) {
  global int *p = b;
  for (int i = 0; i <= which[2]; i++)
    p = which[i] ? a : p;
  p[GID + off] = 7;
}

kernel void walked(ARGS) {
  global int *p = which[GID] ? a : b;
  for (long i = 0; i < 4; i++)
    p += off / 4;
  p[GID] = 7;
}

__attribute__((noinline)) global int *first(global int *p, global int *q, int yes) {
  if (yes)
    return p;
  return q + yes;
}

kernel void returned(ARGS) {
  global int *p = first(a, b, which[GID]);
  p[GID + off] = 7;
}

// The pointer of a variable in memory, which is moved to elsewhere and back.
struct moved {
  global int *p[4];
};

__attribute__((noinline)) void move(struct moved *m, int at, long off) { m->p[at & 3] -= off; }

kernel void shifted(ARGS) {
  struct moved m;
  for (int i = 0; i < 4; i++)
    m.p[i] = which[i] ? a : b;
  move(&m, GID, off);
  m.p[GID & 3][GID + off] = 7;
}

// An address that is added to null, as code does that keeps addresses as distances.
kernel void from_null(ulong address, int value) {
  global char *volatile none = 0;
  *(global int *)(none + address) = value;
}
