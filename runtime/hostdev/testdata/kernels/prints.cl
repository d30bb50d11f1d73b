kernel void prints(int i, float f, constant char *unused) {
  printf("plain\n");
  printf("%d %i %5d|%-5d|%05d|%+d|% d\n", i, -i, i, i, i, i, i);
  printf("%u %x %X %#x %o %#o %lu\n", (uint)i, i, 0xabcdef, i, i, i, 1UL << 40);
  printf("%hhd %hd %ld %c%c %%\n", (char)-3, (short)-300, -5000000000L, 'o', 'k');
  printf("%f %.2f %8.3f|%-8.1f|%e %.3e %g %G %g\n", f, f, f, f, f, f, f, 1e-10f, 1e20f);
  printf("%s and %10s|%-6s|%.2s\n", "text", "right", "left", "cut");
  printf("%v4d %v2hlx %v3f %v4hhd\n", (int4)(1, -2, 3, i), (uint2)(255, 16), (float3)(1.5f, 2, 3), (char4)(1, 2, -3, 4));
  printf("%v2lf %v8hd\n", (double2)(0.25, -8), (short8)(1, 2, 3, 4, 5, 6, 7, -8));
  printf("%f %f %F %a\n", INFINITY, -INFINITY, INFINITY, 1.5f);
  printf("%p\n", (global void *)0);
}
kernel void many(void) { printf("item %d\n", (int)get_global_id(0)); }

// A text where there is none, from some of the work-items.
kernel void no_text(global const char *text) {
  if (get_global_id(0) % 5 == 3)
    printf("%s", text);
}
