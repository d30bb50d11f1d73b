// Structures, arrays, unions, arguments by value.

typedef struct { char c; int i; double d; short s[3]; } mixed;
typedef struct __attribute__((packed)) { char c; int i; double d; } packed;
typedef struct { mixed m[2]; float4 v; union { int i; float f; uchar b[4]; } u; } nested;
typedef struct { int x, y; } point;
typedef struct { char c; float3 v; } padded;

kernel void sizes(global int *out) {
  out[0] = sizeof(mixed);
  out[1] = sizeof(packed);
  out[2] = sizeof(nested);
  out[3] = (int)(size_t)&((mixed *)0)->d;
  out[4] = (int)(size_t)&((nested *)0)->v;
  out[5] = (int)(size_t)&((nested *)0)->u;
  out[6] = sizeof(padded);
}

kernel void by_value(nested n, point p, global int *out, char tail) {
  int i = get_global_id(0);
  n.m[1].i += i;
  out[4 * i] = n.m[0].i + n.m[1].i * 2 + n.m[1].s[2];
  out[4 * i + 1] = (int)(n.m[0].d * 10 + n.v.z);
  out[4 * i + 2] = n.u.i;
  out[4 * i + 3] = p.x * 100 + p.y * 10 + tail;
}

kernel void copies(global const nested *in, global nested *out, global packed *small) {
  size_t i = get_global_id(0);
  nested n = in[i];
  n.m[0] = in[i].m[1];
  n.m[1] = in[i].m[0];
  n.v = n.v.wzyx;
  n.u.b[1] = 0xee;
  out[i] = n;
  packed p = {n.m[0].c, n.m[1].i, n.m[0].d};
  small[i] = p;
  small[i].i++;
}

kernel void arrays(global int *out) {
  size_t i = get_global_id(0);
  int table[4][5];
  for (int y = 0; y < 4; y++)
    for (int x = 0; x < 5; x++) table[y][x] = y * 10 + x;
  point points[3] = {{1, 2}, {3, 4}, {5, 6}};
  point *p = &points[i % 3];
  p->x += table[i % 4][i % 5];
  int (*row)[5] = &table[i % 4];
  out[2 * i] = points[0].x + points[1].x + points[2].x;
  out[2 * i + 1] = (*row)[(i + 1) % 5] + p->y;
}

// values of composite types: returned, chosen, passed on
point __attribute__((noinline)) choose(bool first, point a, point b) { return first ? a : b; }

kernel void values(global const point *in, global point *out) {
  size_t i = get_global_id(0);
  point a = in[i], b = {7, 8};
  point c = choose(i & 1, a, b);
  for (int k = 0; k < 3; k++) { point t = a; a = c; c = t; }
  c.x += a.y;
  out[i] = c;
}

// A function changes its own copy of an argument, not the caller's value.
typedef struct { int numbers[24]; char tag; } parcel;
__attribute__((noinline)) int spent(parcel p, int n) {
  p.numbers[n & 7] += 100;
  p.tag++;
  int sum = p.tag;
  for (int i = 0; i < 24; i++) sum = sum * 3 ^ p.numbers[i];
  return sum;
}
kernel void own_copies(global int *out, global const int *in, parcel given) {
  size_t i = get_global_id(0);
  parcel p;
  p.tag = 3;
  for (int k = 0; k < 24; k++) p.numbers[k] = in[i] + k;
  out[4 * i] = spent(p, in[i]);
  out[4 * i + 1] = p.numbers[in[i] & 7] + p.tag;
  out[4 * i + 2] = spent(given, in[i]) + spent(given, 1);
  out[4 * i + 3] = given.numbers[in[i] & 7] + given.tag;
}
