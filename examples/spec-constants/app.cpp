// spec-constants: one kernel, built with different values of its constants.
#include <iostream>
#include <vector>

#include <offlink/offlink.hpp>

static void run(offlink::queue &queue, const offlink::kernel &blur) {
  const std::vector<float> peak = {0, 0, 0, 30, 0, 0, 0};
  offlink::buffer<float> in(queue.get_device(), peak), out(queue.get_device(), peak.size());
  queue.run(blur, peak.size(), in, out, static_cast<int>(peak.size()));
  const char *space = "";
  for (float f : out.read()) {
    std::cout << space << f;
    space = " ";
  }
  std::cout << '\n';
}

int main() {
  try {
    offlink::device device;
    offlink::queue queue(device);
    run(queue, offlink::kernel(device, "blur"));
    run(queue, offlink::kernel(device, "blur", offlink::spec_constants().set("radius", 2).set("gain", 5.0f)));
  } catch (const offlink::error &e) {
    std::cerr << "spec-constants: " << e.what() << '\n';
    return 1;
  }
}
