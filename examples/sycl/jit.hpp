// The interface of libsycl-jit.so, for programs that load the library. The
// structures are laid out as it passes them (2025.3 and 2026.2); no header of
// DPC++ declares them. Arguments are passed by value, the result in memory.
#pragma once

#include <sycl/detail/string.hpp>

#include <cstddef>
#include <cstdint>

// An array that the library owns.
template <class T> struct Owned {
  T *data = nullptr;
  std::size_t size = 0;
  Owned() = default;
  ~Owned() {} // makes the type one that is returned in memory
};
// An array that we own.
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
  const std::uint8_t *data;
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
  Owned<PropertySet> properties;
};
struct Bundle {
  Owned<Image> images;
  sycl::detail::string compileOptions;
};
struct Result {
  int code;
  Bundle bundle;
  Owned<char> module;
  sycl::detail::string log;
  ~Result() {}
};
constexpr std::uint32_t formatSPIRV = 2;
using CompileSYCL = Result (*)(SourceFile, View<SourceFile>, View<const char *>, View<char> cachedModule, bool keepModule,
                               std::uint32_t format, std::uint32_t reserved);
