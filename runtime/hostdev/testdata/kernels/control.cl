// Loops, branches, switches, calls.

// swaps two values in a loop: phis that take each other's value.
kernel void swap(global int *out, int n) {
  int a = 1, b = 2, c = 3;
  for (int i = 0; i < n; i++) {
    int t = a; a = b; b = c; c = t;
  }
  out[0] = a; out[1] = b; out[2] = c;
}

kernel void collatz(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  long v = in[i];
  int steps = 0;
  while (v != 1) {
    if (steps > 1000) break;
    steps++;
    if (v & 1) { v = 3 * v + 1; continue; }
    v /= 2;
  }
  out[i] = steps;
}

kernel void switches(global const long *in, global int *out) {
  size_t i = get_global_id(0);
  int r = 0;
  switch ((int)in[i]) {
  case 0: r = 10;
  case 1: r += 1; break;
  case -5: r = 55; break;
  case 1000000: case 7: r = 7; break;
  default: r = -1;
  }
  switch (in[i]) {
  case 0x123456789abL: r += 1000; break;
  case -0x123456789abL: r += 2000; break;
  case 0: r += 3000; break;
  }
  switch ((char)in[i]) {
  case -5: r += 10000; break;
  case (char)0xab: r += 20000; break;
  }
  switch ((ushort)in[i]) {
  case 0xfffb: r += 100000; break;
  case 7: r += 200000; break;
  }
  out[i] = r;
}

kernel void gotos(global int *out) {
  int i = get_global_id(0), n = 0;
again:
  n += i;
  if (n < 20 && i) goto again;
  if (i == 3) goto end;
  n += 100;
end:
  out[i] = n;
}

int __attribute__((noinline)) gcd(int a, int b) {
  while (b) { int t = a % b; a = b; b = t; }
  return a;
}

typedef struct { int q; int r; char name[3]; float4 v; } divided;

divided __attribute__((noinline)) divide(int a, int b) {
  divided d;
  d.q = a / b;
  d.r = a % b;
  d.name[0] = 'a'; d.name[1] = 'b'; d.name[2] = 'c';
  d.v = (float4)(a, b, a * b, 0.5f);
  return d;
}

kernel void calls(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  divided d = divide(in[i], gcd(in[i], 12));
  out[3 * i] = d.q;
  out[3 * i + 1] = d.r + d.name[1];
  out[3 * i + 2] = (int)d.v.z + (int)(d.v.w * 4);
}

// a double loop with early exits
kernel void primes(global int *out, int limit) {
  int count = 0;
  for (int n = 2; n < limit; n++) {
    bool prime = true;
    for (int d = 2; d * d <= n; d++)
      if (n % d == 0) { prime = false; break; }
    if (prime) count++;
  }
  out[get_global_id(0)] = count;
}

kernel void ternaries(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  int v = in[i];
  bool big = v > 10, odd = v & 1;
  out[i] = (big ? 1 : 0) | (odd ? 2 : 0) | ((big && odd) ? 4 : 0) | ((big || odd) ? 8 : 0)
         | ((big == odd) ? 16 : 0) | ((big != odd) ? 32 : 0) | (!big ? 64 : 0) | ((big ^ odd) ? 128 : 0);
}

// loops that are entered in two places: Duff's device, and one that a jump enters
kernel void duff(global const int *in, global int *out, int n) {
  size_t i = get_global_id(0);
  int count = n + (int)i, sum = 0, k = 0;
  switch (count % 4) {
  case 0: while (k < count) {
            sum = sum * 3 + in[k++];
  case 3:   sum = sum * 5 + in[k++];
  case 2:   sum = sum * 7 - in[k++];
  case 1:   sum ^= in[k++];
          }
  }
  out[i] = sum;
}

kernel void entered(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  int v = in[i], a = 1, b = 0;
  if (v & 1) goto middle;
outer:
  a = a * 3 + b;
  for (int k = 0; k < (v & 3); k++) {
    b += a;
    if (b > 1000) goto middle;
  }
  if (a > 5000) goto end;
middle:
  b = b * 5 + v;
  if (b & 4) { a += 7; goto outer; }
  if (a < 200) { a += b & 15; a++; goto middle; }
end:
  out[i] = a * 31 + b;
}

// a loop with two entries, whose parts work-items go through in different orders
kernel void two_entries(global int *out, int n) {
  uint id = get_local_id(0), a = 0, b = 0, steps = 0;
  if (n & 2) goto second;
first:
  steps++;
  a++;
  if (id > 8) goto last;
second:
  steps++;
  b++;
  if (steps < 6) goto first;
last:
  if (steps < 9) {
    steps++;
    goto second;
  }
  out[id] = a * 1000 + b + steps * 100;
}

// work-items that go on with the next iteration leave the rest of this one, and its exit, to others
kernel void parted(global int *out, int early, int last) {
  int id = get_global_id(0), x = 0, n = 0, sum = 0;
  while (1) {
    n++;
    sum = sum * 3 + x;
    if (id <= 8) {
      if (n < early) { x = 1; continue; }
    }
    if (n >= last) break;
    x = 2;
  }
  out[id] = sum * 100 + n;
}

kernel void kept(global int *out, int early, int last) {
  int id = get_global_id(0), x = 0, n = 0, sum = 0;
  while (1) {
    n++;
    sum = sum * 3 + x;
    if (id <= 8) {
      if (n < early) continue;
    }
    if (n >= last) break;
    x = n;
  }
  out[id] = sum;
}

kernel void restarted(global int *out, int most) {
  int id = get_global_id(0), n = 0, sum = 0, rounds = 0;
again:
  rounds++;
  for (int j = 0; j < 3; j++) {
    n++;
    if (id & 1) {
      if (n % 4 == 1 && rounds < most) goto again;
    }
    sum += 10;
  }
  sum += rounds;
  if (rounds < most) goto again;
  out[id] = n * 10000 + sum;
}

// an optimizer makes two loops of this one: the inner one goes on where y stays as it is
kernel void resumed(global int *out, int m) {
  int id = get_global_id(0), n = 0, x = 0, y = 1;
  while (1) {
    n++;
    out[id * 2 + 1] += 1;
    if (id < n) {
      if (n < 20) { x = 2; continue; }
    }
    x = y;
    if (m > n) {
      if (n < 14) continue;
    }
    y = 2;
    if (n >= 4) break;
  }
  out[id * 2] = x + n * 13;
}
