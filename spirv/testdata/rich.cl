typedef struct { int a; float b; struct { char c[3]; double d; } s; } S;
struct node { int v; struct node *next; struct other *o; };
struct other { struct node *n; float4 q; };
constant int table[] = {1,2,3,4};
constant float ft[] = {1.5f, 0.1f, 3e38f, INFINITY, __builtin_nanf(""), 1e-40f};
constant double dt[] = {1.5, 0.1, 3e300, INFINITY, 1e-310};
extern int helper(S *s, struct node *n);
kernel void k1(global S *p, global int *out, local float4 *l) {
  size_t i = get_global_id(0);
  S s = p[i];
  struct node n; n.v = table[i&3]; n.next = &n;
  l[get_local_id(0)] = (float4)(s.b, sin(s.b), fma(s.b,2.f,1.f), 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  switch (s.a) { case 1: s.a = 5; break; case 77: s.a = helper(&s, &n); break; case -3: s.a=9; break; default: printf("x %d \"q\"\n", s.a); }
  vstore_half(ft[i%6], 0, (global half*)out);
  vstore4((int4)(s.a), i, out);
  for (int j = 0; j < s.a; j++) atomic_add(out + j, (int)dt[j&3]);
  long q = s.a; switch (q) { case 0x123456789aL: out[0]=1; break; case -1: out[1]=2;}
}
