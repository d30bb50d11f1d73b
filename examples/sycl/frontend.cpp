// frontend: SYCL source to device IR, by the front end in libsycl-jit.so.
//
//   frontend LIBSYCL_JIT.so SOURCE.cpp OUT.bc [clang option...]
//
// intel-sycl-rt 2025.2 and later carry this library for compiling kernels at
// run time. It exports compileSYCL, which takes source and headers by value
// and gives back device images and, when asked, the front end's LLVM module.
// Only that module is kept here. jit.hpp has the interface.
//
// The source is handed over under its file name alone, with every header of
// its folder, so that names in the module do not depend on where the files
// lie. Other headers (-I) and files that options write are found from "/": the
// options need absolute paths.
#include "jit.hpp"

#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <list>
#include <string>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;

namespace {

std::string readFile(const fs::path &file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The headers next to the source, with the storage that they point into.
struct Headers {
  std::list<std::string> storage;
  std::vector<SourceFile> files;
  explicit Headers(const fs::path &folder) {
    for (auto &entry : fs::directory_iterator(folder)) {
      const fs::path &path = entry.path();
      if (path.extension() != ".hpp" && path.extension() != ".h")
        continue;
      storage.push_back(path.filename().string());
      const char *name = storage.back().c_str();
      storage.push_back(readFile(path));
      files.push_back({name, storage.back().c_str()});
    }
  }
};

int fail(const char *what) {
  std::fprintf(stderr, "frontend: %s\n", what);
  return 1;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 4)
    return std::fprintf(stderr, "usage: frontend LIBSYCL_JIT.so SOURCE.cpp OUT.bc [clang option...]\n"), 2;
  const fs::path library = fs::absolute(argv[1]), source = fs::absolute(argv[2]), out = fs::absolute(argv[3]);
  void *handle = dlopen(library.c_str(), RTLD_NOW);
  if (!handle)
    return fail(dlerror());
  auto compile = reinterpret_cast<CompileSYCL>(dlsym(handle, "compileSYCL"));
  if (!compile)
    return fail(dlerror());
  const std::string name = source.filename().string(), contents = readFile(source);
  const Headers headers(source.parent_path());
  const std::vector<const char *> options(argv + 4, argv + argc);
  // Names in the module are made absolute with the current folder.
  if (chdir("/") != 0)
    return fail("cannot change to /");
  // Never destroyed: its memory is the library's.
  Result &result = *new Result(compile({name.c_str(), contents.c_str()}, {headers.files.data(), headers.files.size()},
                                       {options.data(), options.size()}, {nullptr, 0}, true, formatSPIRV, 0));
  if (result.log.c_str())
    std::fputs(result.log.c_str(), stderr);
  if (result.code != 0 || result.module.size == 0)
    return fail((name + " was not compiled").c_str());
  std::ofstream file(out, std::ios::binary);
  file.write(result.module.data, static_cast<std::streamsize>(result.module.size));
  file.close();
  if (!file)
    return fail(("cannot write " + out.string()).c_str());
  std::fflush(nullptr);
  _exit(0); // the library's destructors are not made for a program that ends now
}
