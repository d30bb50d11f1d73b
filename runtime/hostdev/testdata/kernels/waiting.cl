// Work-items of a sub-group that wait for each other, and atomic operations in loops that
// they leave at different times.

#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#define SIXTEEN __attribute__((intel_reqd_sub_group_size(16)))

// A lock that each work-item takes in a loop and gives back after it.
SIXTEEN kernel void lock_after(volatile global int *lock, global int *sum, global int *out) {
  int i = get_global_id(0);
  for (int n = 0; n <= i % 3; n++) {
    while (atomic_cmpxchg(lock, 0, 1) != 0)
      ;
    int old = *sum;
    *sum = old + i;
    out[i] += 1;
    atomic_xchg(lock, 0);
  }
}

// The same with the exchange of a lock in an array, once, and a function of the sub-group
// after it.
SIXTEEN kernel void lock_once(volatile global int *lock, global int *sum, global int *out) {
  int i = get_global_id(0);
  while (atomic_xchg(lock + i % 4, 1))
    ;
  sum[i % 4] += i;
  atomic_xchg(lock + i % 4, 0);
  out[i] = sub_group_reduce_add(i);
}

// A lock that is given back in the loop.
SIXTEEN kernel void lock_within(volatile global int *lock, global int *sum, global int *out) {
  int i = get_global_id(0);
  for (bool done = false; !done;)
    if (atomic_cmpxchg(lock, 0, 1) == 0) {
      *sum += i;
      atomic_xchg(lock, 0);
      done = true;
    }
  out[i] = i;
}

// Each work-item waits for the one before it.
SIXTEEN kernel void chain(volatile global int *last, global int *sum, global int *out) {
  int i = get_global_id(0);
  while (atomic_or(last, 0) != i)
    ;
  *sum = *sum * 3 + i;
  out[i] = *sum;
  atomic_inc(last);
}

// Sums by comparing, and a table with open addresses.
SIXTEEN kernel void retries(volatile global int *table, global int *sum, global int *out) {
  int i = get_global_id(0), key = i * 7 % 41 + 1, at = key & 63;
  for (;;) {
    int found = atomic_cmpxchg(table + at, 0, key);
    if (found == 0 || found == key)
      break;
    at = (at + 1) & 63;
  }
  for (int n = 0; n < i % 5; n++)
    atomic_add(sum + n, i);
  volatile global int *cell = sum + 7;
  int old = *cell, now;
  do {
    now = old;
    old = atomic_cmpxchg(cell, now, now + i);
  } while (old != now);
  out[i] = table[at];
}

// Each work-item waits in an inner loop for those before it, and tells after the outer one.
SIXTEEN kernel void solve(volatile global int *ready, global int *sum, global int *out) {
  int i = get_global_id(0), all = i;
  for (int n = i & ~3; n < i; n++) {
    while (atomic_or(ready + n, 0) == 0)
      ;
    all += out[n];
  }
  out[i] = all;
  atomic_xchg(ready + i, 1);
}

// Each work-item but the first waits for the one before it, and all go on together.
SIXTEEN kernel void guarded(volatile global int *last, global int *sum, global int *out) {
  int i = get_global_id(0);
  if (i > 0)
    while (atomic_or(last, 0) != i)
      ;
  *sum = *sum * 3 + i;
  out[i] = *sum;
  atomic_inc(last);
}
