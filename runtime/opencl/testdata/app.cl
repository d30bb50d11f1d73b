// A kernel that calls a function of another module, for drivers that cannot run
// the conformance suite: no program-scope variable.
int LibDeviceFunc(int i);

kernel void app(global int *out) {
  size_t i = get_global_id(0);
  out[i] = LibDeviceFunc((int)i);
}
