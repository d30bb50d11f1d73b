// Accesses out of bounds of every memory, each way; n is the number that makes them bad.
#define GID ((int)get_global_id(0))
constant int fixed[4] = {1, 2, 3, 4};

kernel void global_load(global int *a, int n, local int *l) { a[GID] = a[GID + n]; }
kernel void global_store(global int *a, int n, local int *l) { a[GID + n] = 1; }
kernel void global_walk(global int *a, int n, local int *l) {
  global int *p = a;
  for (int i = 0; i < n; i++) *p++ = GID;
}
kernel void global_back(global int *a, int n, local int *l) {
  global int *p = a + 15;
  for (int i = 0; i < n; i++) *p-- = GID;
}
kernel void global_atomic(global int *a, int n, local int *l) { atomic_add(a + n, GID); }
kernel void global_exchange(global int *a, int n, local int *l) { atomic_cmpxchg(a + n, 0, 1); }
kernel void global_vector(global int *a, int n, local int *l) { vstore4((int4)GID, 0, a + n); }
kernel void global_half_vector(global int *a, int n, local int *l) { *(global int2 *)(a + (n & ~1)) = (int2)(GID, 1); }
kernel void local_load(global int *a, int n, local int *l) { l[GID] = GID; a[GID] = l[GID + n]; }
kernel void local_store(global int *a, int n, local int *l) { l[GID + n] = 1; a[GID] = l[GID]; }
kernel void local_atomic(global int *a, int n, local int *l) { atomic_inc(l + n); a[GID] = l[0]; }
kernel void local_variable(global int *a, int n, local int *l) {
  local int v[16];
  v[GID + n] = GID;
  barrier(CLK_LOCAL_MEM_FENCE);
  a[GID] = v[GID];
}
kernel void local_vector(global int *a, int n, local int *l) { vstore4((int4)GID, 0, l + n); a[GID] = l[0]; }
kernel void private_load(global int *a, int n, local int *l) {
  volatile int v[16];
  for (int i = 0; i < 16; i++) v[i] = i;
  a[GID] = v[n];
}
kernel void private_vector(global int *a, int n, local int *l) {
  int v[16];
  for (int i = 0; i < 16; i++) v[i] = i;
  vstore4((int4)GID, 0, v + n);
  a[GID] = v[GID];
}
struct mixed { int a; int b[3]; long c; };
kernel void private_struct(global int *a, int n, local int *l) {
  struct mixed s[3];
  for (int i = 0; i < 3; i++) s[i].a = s[i].b[2] = s[i].c = i;
  s[n].b[n & 1] = GID;
  a[GID] = s[1].a + s[2].b[2] + (int)s[n].c;
}
kernel void private_struct_some(global int *a, int n, local int *l) {
  struct mixed s[3];
  for (int i = 0; i < 3; i++) s[i].a = s[i].c = i;
  if (GID % 4 == 2) s[n].c = GID;
  a[GID] = s[1].a + (int)s[2].c;
}
kernel void private_struct_varies(global int *a, int n, local int *l) {
  struct mixed s[3];
  for (int i = 0; i < 3; i++) s[i].a = s[i].c = i;
  s[GID % 3 * n].c = GID;
  a[GID] = s[1].a + (int)s[2].c;
}
// pointers that are chosen at run time, passed to functions, and kept in memory
kernel void private_chosen(global int *a, int n, local int *l) {
  int v[8], w[8];
  for (int i = 0; i < 8; i++) { v[i] = i; w[i] = -i; }
  int *p = a[GID] & 1 ? v : w;
  p[n] = GID;
  a[GID] = v[0] + v[n & 7] + w[0] + w[n & 7];
}
kernel void private_chosen_by_all(global int *a, int n, local int *l) {
  int v[8], w[8], x[8];
  for (int i = 0; i < 8; i++) { v[i] = i; w[i] = -i; x[i] = 3 * i; }
  int *p = n & 1 ? v : w;
  for (int i = 0; i < n; i++) *p++ = GID;
  a[GID] = v[0] + w[0] + x[0];
}
int __attribute__((noinline)) sum_of(int *p, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += p[i];
  return sum;
}
kernel void private_called(global int *a, int n, local int *l) {
  int v[8], w[8];
  for (int i = 0; i < 8; i++) { v[i] = i; w[i] = -i; }
  a[GID] = sum_of(GID & 1 ? v : w, n);
}
struct item { int value; struct item *next; };
kernel void private_kept(global int *a, int n, local int *l) {
  struct item s[4], t[4];
  for (int i = 0; i < 4; i++) { s[i].value = i; s[i].next = t + 3 - i; t[i].value = -i; t[i].next = s + i; }
  struct item *p = s + (GID & 3);
  p = p->next->next;
  p[n].value = GID;
  a[GID] = s[GID & 3].value + t[0].value;
}
kernel void private_ends(global int *a, int n, local int *l) {
  int v[8], w[8];
  int *ends[2] = {v + 8, w + 8};
  int *p = ends[GID & 1], *q = ends[1 - (GID & 1)];
  for (int i = 0; i < n; i++) *--p = i;
  for (int i = 0; i < 8; i++) *--q = -i;
  a[GID] = v[3] + w[4];
}
kernel void local_chosen(global int *a, int n, local int *l) {
  local int v[16], w[32];
  v[GID] = w[GID] = w[GID + 16] = GID;
  barrier(CLK_LOCAL_MEM_FENCE);
  local int *p = GID & 1 ? l : v;
  p[n] = GID & ~1;
  barrier(CLK_LOCAL_MEM_FENCE);
  a[GID] = v[GID] + w[GID];
}
kernel void local_kept(global int *a, int n, local int *l) {
  local int v[32], w[32];
  local int *local ends[3];
  w[GID] = w[GID + 16] = v[GID] = v[GID + 16] = l[GID] = GID;
  if (GID == 0) { ends[0] = v + 32; ends[1] = w + 32; ends[2] = l + 16; }
  barrier(CLK_LOCAL_MEM_FENCE);
  local int *p = ends[n % 3];
  a[GID] = p[GID - 16 - n / 3];
}
kernel void constant_load(global int *a, int n, local int *l) { a[GID] = fixed[n / 4]; }
kernel void constant_vector(global int *a, int n, local int *l) {
  int4 v = vload4(0, fixed + n / 4); // all of it: a load whose result nobody uses is left out
  a[GID] = v.x + v.y + v.z + v.w;
}
kernel void copies(global int *a, int n, local int *l) {
  event_t e = async_work_group_copy(l, a + n, 16, 0);
  wait_group_events(1, &e);
  a[GID] = l[GID];
}
kernel void divides(global int *a, int n, local int *l) {
  int d = n == 99 ? 0 : n == 98 ? -1 : n;
  a[GID] = n == 98 ? (int)0x80000000 / d + (int)0x80000000 % d : GID / d + GID % d;
}
kernel void divides_long(global long *a, int n, local int *l) {
  long d = n == 99 ? 0 : n == 98 ? -1 : n, x = n == 98 ? (long)1 << 63 : GID;
  a[GID & 7] = x / d + (long)((ulong)x / (ulong)d) + x % d;
}
kernel void divides_some(global int *a, int n, local int *l) {
  int d = GID - n;
  if (GID & 1) a[GID] = 100 / d;
  if (GID & 2) a[GID] += (uint)GID % (uint)(d / 2);
}
kernel void divides_guarded(global int *a, int n, local int *l) {
  int d = GID - n;
  a[GID] = d ? 100 / d : -1;
  for (int i = 0; i < 4; i++) a[GID] += n ? i / n : i / (GID | 1);
}
kernel void divides_vector(global int *a, int n, local int *l) {
  int4 v = (int4)(1, 2, 3, GID - n);
  a[GID] = (1000 / v).y + (GID % v).w;
}
kernel void divides_short(global int *a, int n, local int *l) {
  a[GID] = (short)GID / (short)n + (uchar)GID % (uchar)n;
}
int ping(int n);
int __attribute__((noinline)) pong(int n) { return n ? ping(n - 1) + n : 1; }
int __attribute__((noinline)) ping(int n) { volatile int pad[64]; pad[n & 63] = n; return pong(n) + pad[n & 63]; }
kernel void ping_pong(global int *a, int n, local int *l) { a[GID] = n ? ping(n << 24) : 1; }
kernel void waits(global int *a, int n, local int *l) {
  if (GID < 16 - n) barrier(CLK_LOCAL_MEM_FENCE);
  a[GID] = 1;
}
kernel void unaligned(global char *a, int n, local int *l) { atomic_add((global int *)(a + (n != 0)), 1); }
kernel void unaligned_load(global char *a, int n, local int *l) { a[GID] = (char)*(global int *)(a + (n ? 62 : 0)); }
kernel void endless(global int *a, int n, local int *l) { volatile int i = 0; while (n && i >= 0) i = i + (n == 0); a[GID] = 1; }
