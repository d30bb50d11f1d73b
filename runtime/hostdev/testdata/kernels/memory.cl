// Program-scope variables, address spaces, pointers.

constant int table[5] = {10, 20, 30, 40, 50};
constant struct { char name[8]; float weight; constant int *p; } rows[2] = {
  {"first", 1.5f, &table[1]}, {"second", -2.5f, table + 3}};
constant char *constant names[3] = {"zero", "one", "two"};
constant float4 vectors[2] = {(float4)(1, 2, 3, 4), (float4)(5)};
constant ulong big = 0x123456789abcdef0UL;

global int counter = 5;
global int zeros[4];
global int *global pointer_to = &zeros[2];
global struct { int a; global int *p; } record = {3, &counter};

kernel void constants(global int *out, int i) {
  out[0] = table[i];
  out[1] = rows[i & 1].name[2];
  out[2] = (int)(rows[i & 1].weight * 2);
  out[3] = *rows[i & 1].p + rows[0].p[1];
  out[4] = names[i % 3][1];
  out[5] = (int)vectors[i & 1].z;
  out[6] = (int)(big >> 32);
}

kernel void globals(global int *out) {
  int i = get_global_id(0);
  atomic_add(&counter, 1);
  if (i == 0) {
    *pointer_to = 77;
    out[0] = zeros[2];
    atomic_add(record.p, 100);
    out[1] = record.a;
  }
}

kernel void read_counter(global int *out) { out[0] = counter; out[1] = zeros[2]; }

int __attribute__((noinline)) first(int *p) { return *p; }

int __attribute__((noinline)) kind(void *p) {
  return (to_global(p) != 0) | (to_local(p) != 0) << 1 | (to_private(p) != 0) << 2;
}

kernel void generic_pointers(global int *out, local int *l) {
  int p = 3;
  l[0] = 4;
  out[0] = 5;
  int *any[3] = {&p, l, out};
  int sum = 0;
  for (int i = 0; i < 3; i++) sum = sum * 10 + first(any[i]);
  out[1] = sum;
  out[2] = kind(&p) * 100 + kind(l) * 10 + kind(out);
  out[3] = any[0] == &p && any[1] != any[2];
  global int *g = to_global(any[2]);
  out[4] = g == out;
  out[5] = any[0] == 0;
  out[6] = get_fence(any[0]) * 100 + get_fence(any[1]) * 10 + get_fence(any[2]);
}

typedef struct { ulong next; int value; } link;

// a list that the host made of offsets, then of device pointers
kernel void build_list(global link *nodes, int n) {
  for (int i = 0; i < n; i++) {
    nodes[i].next = i + 1 < n ? (ulong)&nodes[i + 1] : 0;
    nodes[i].value = i * i;
  }
}
kernel void walk_list(global link *nodes, global int *out) {
  int sum = 0;
  for (global link *p = nodes; p; p = (global link *)p->next) sum += p->value;
  out[0] = sum;
  out[1] = (int)(&nodes[3] - &nodes[1]);
  out[2] = (int)((global char *)&nodes[3] - (global char *)&nodes[1]);
  out[3] = &nodes[3] > &nodes[1];
}

kernel void locals(global int *out, local int *a, local char *b, local float4 *c) {
  local int own[3];
  size_t i = get_local_id(0);
  a[i] = i; b[i] = (char)(2 * i); c[i] = (float4)(i); own[i % 3] = 9;
  barrier(CLK_LOCAL_MEM_FENCE);
  size_t j = get_local_size(0) - 1 - i;
  out[get_global_id(0)] = a[j] + b[j] * 100 + (int)c[j].w * 10000 + own[i % 3];
}

kernel void narrow_memory(global char *c, global short *s, global ulong *l) {
  size_t i = get_global_id(0);
  c[i] = (char)(c[i] * 2);
  s[i] = (short)(s[i] - c[i]);
  l[i] = l[i] << 33 | (ulong)(uchar)c[i];
}

volatile global int seen;
kernel void volatiles(global volatile int *out) {
  for (int i = 0; i < 3; i++) out[0] = out[0] + i;
  seen = out[0];
  out[1] = seen;
}

// A value that is cleared and copied in memory: larger than instructions for each part would serve.
typedef struct { uchar bytes[5003]; } large;
kernel void large_values(global large *out, global const uchar *in) {
  size_t i = get_global_id(0);
  large v = {{0}};
  for (int k = 0; k < 40; k++) v.bytes[in[k] * 19 % 5003] += k + i + 1;
  large w = v;
  w.bytes[5002] = in[i];
  out[i] = w;
}

// a private array of 160 KB, alone and across a barrier
kernel void large_private(global const int *in, global int *out, local int *swap) {
  int values[40000], i = get_global_id(0), l = get_local_id(0);
  for (int k = 0; k < 400; k++) values[100 * k] = in[i] * k;
  swap[l] = values[in[i] * 100];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = swap[get_local_size(0) - 1 - l] + values[39900 - 100 * i];
}
