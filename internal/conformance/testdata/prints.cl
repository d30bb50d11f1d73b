// printf, by one work-item: the order of others is open.

constant char greeting[] = "constant";
kernel void formats(global int *out, global const float *a) {
  if (get_global_id(0) == 1) {
    printf("%d %u %x %o %c %5d|%-5d|%05d\n", -3, 4u, 255, 8, 'c', 42, 42, 42);
    printf("%f %e %g %.2f %a\n", 1.5f, 2.25, 0.1, (double)a[3], 1.0);
    printf("%ld %lx %hd %hhd %s %p%%\n", -5l, 1ul << 40, (short)-2, (char)3, "literal", (global int *)0);
    printf("%v4d %v2hlf %v3hlx\n", (int4)(1, 2, 3, 4), (float2)(1, 2), (uint3)(7, 8, 9));
    printf("none\n");
    out[0] = printf("%s\n", "result");
  }
}
kernel void printing_helper(global int *out, int n) {
  if (get_global_id(0) == 0)
    for (int k = 0; k < n; k++) printf("line %d of %d\n", k, n);
  out[get_global_id(0)] = n;
}
