// reference: the device linking of a DPC++ release as a program: the module of
// a front end to SPIR-V images, through compileSYCL of libsycl-jit.so, which
// runs the release's own post-link step and translator in its process.
//
//   reference LIBSYCL_JIT.so IN.bc OUTDIR [option...]
//
// Writes N.spv, N.prop (the sizes of its values only) and N.sym for each
// image, so that it writes as many files as postlink does. The structures are
// those of examples/sycl/frontend.cpp.
#include <sycl/detail/string.hpp>

#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

template <class T> struct Owned {
  T *data = nullptr;
  std::size_t size = 0;
  Owned() = default;
  ~Owned() {}
};
template <class T> struct View {
  const T *data;
  std::size_t size;
};
struct SourceFile {
  const char *path, *contents;
};
struct Binary {
  std::uint32_t format;
  std::uint64_t addressBits;
  const char *data;
  std::uint64_t size;
};
struct Property {
  sycl::detail::string name;
  bool isNumber;
  std::uint32_t number;
  Owned<std::uint8_t> bytes;
};
struct PropertySet {
  sycl::detail::string name;
  Owned<Property> properties;
};
struct Image {
  Binary binary;
  Owned<sycl::detail::string> symbols;
  Owned<PropertySet> sets;
};
struct Result {
  int code;
  Owned<Image> images;
  sycl::detail::string compileOptions;
  Owned<char> module;
  sycl::detail::string log;
  ~Result() {}
};
using CompileSYCL = Result (*)(SourceFile, View<SourceFile>, View<const char *>, View<char>, bool, std::uint32_t, std::uint32_t);

int main(int argc, char **argv) {
  void *handle = argc > 3 ? dlopen(argv[1], RTLD_NOW) : nullptr;
  auto compile = handle ? reinterpret_cast<CompileSYCL>(dlsym(handle, "compileSYCL")) : nullptr;
  if (!compile)
    return std::fprintf(stderr, "reference: %s\n", argc > 3 ? dlerror() : "LIBRARY IN.bc OUTDIR"), 2;
  std::ifstream in(argv[2], std::ios::binary);
  const std::string data{std::istreambuf_iterator<char>(in), {}};
  const std::vector<const char *> options(argv + 4, argv + argc);
  Result &result = *new Result(compile({"module.cpp", ""}, {nullptr, 0}, {options.data(), options.size()},
                                       {data.data(), data.size()}, false, 2, 0));
  if (result.code != 0)
    return std::fprintf(stderr, "reference: %s\n", result.log.c_str() ? result.log.c_str() : "failed"), 1;
  for (std::size_t i = 0; i < result.images.size; i++) {
    const Image &image = result.images.data[i];
    const std::string stem = std::string(argv[3]) + "/" + std::to_string(i);
    std::ofstream(stem + ".spv", std::ios::binary).write(image.binary.data, static_cast<std::streamsize>(image.binary.size));
    std::ofstream symbols(stem + ".sym"), properties(stem + ".prop");
    for (std::size_t j = 0; j < image.symbols.size; j++)
      symbols << image.symbols.data[j].c_str() << "\n";
    for (std::size_t j = 0; j < image.sets.size; j++) {
      const PropertySet &set = image.sets.data[j];
      properties << "[" << set.name.c_str() << "]\n";
      for (std::size_t k = 0; k < set.properties.size; k++)
        properties << set.properties.data[k].name.c_str() << "=" << set.properties.data[k].bytes.size << "\n";
    }
  }
  std::fflush(nullptr);
  _exit(0);
}
