// reference: the device linking of a DPC++ release as a program: the module of
// a front end to SPIR-V images, through compileSYCL of libsycl-jit.so, which
// runs the release's own post-link step and translator in its process.
//
//   reference LIBSYCL_JIT.so IN.bc OUTDIR [option...]
//
// Writes N.spv, N.prop (the sizes of its values only) and N.sym for each
// image, so that it writes as many files as postlink does.
#include "jit.hpp" // of examples/sycl

#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

int main(int argc, char **argv) {
  void *handle = argc > 3 ? dlopen(argv[1], RTLD_NOW) : nullptr;
  auto compile = handle ? reinterpret_cast<CompileSYCL>(dlsym(handle, "compileSYCL")) : nullptr;
  if (!compile)
    return std::fprintf(stderr, "reference: %s\n", argc > 3 ? dlerror() : "LIBRARY IN.bc OUTDIR"), 2;
  std::ifstream in(argv[2], std::ios::binary);
  const std::string data{std::istreambuf_iterator<char>(in), {}};
  const std::vector<const char *> options(argv + 4, argv + argc);
  Result &result = *new Result(compile({"module.cpp", ""}, {nullptr, 0}, {options.data(), options.size()},
                                       {data.data(), data.size()}, false, formatSPIRV, 0));
  if (result.code != 0)
    return std::fprintf(stderr, "reference: %s\n", result.log.c_str() ? result.log.c_str() : "failed"), 1;
  for (std::size_t i = 0; i < result.bundle.images.size; i++) {
    const Image &image = result.bundle.images.data[i];
    const std::string stem = std::string(argv[3]) + "/" + std::to_string(i);
    std::ofstream(stem + ".spv", std::ios::binary)
        .write(reinterpret_cast<const char *>(image.binary.data), static_cast<std::streamsize>(image.binary.size));
    std::ofstream symbols(stem + ".sym"), properties(stem + ".prop");
    for (std::size_t j = 0; j < image.symbols.size; j++)
      symbols << image.symbols.data[j].c_str() << "\n";
    for (std::size_t j = 0; j < image.properties.size; j++) {
      const PropertySet &set = image.properties.data[j];
      properties << "[" << set.name.c_str() << "]\n";
      for (std::size_t k = 0; k < set.properties.size; k++)
        properties << set.properties.data[k].name.c_str() << "=" << set.properties.data[k].bytes.size << "\n";
    }
  }
  std::fflush(nullptr);
  _exit(0);
}
