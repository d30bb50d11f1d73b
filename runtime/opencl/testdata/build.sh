#!/bin/sh
# Compiles the modules of the tests to SPIR-V.
set -e
cd "$(dirname "$0")"
for name in app lib; do
  clang-15 --target=spir64-unknown-unknown -x cl -cl-std=CL3.0 -O1 -Xclang -no-opaque-pointers -Werror \
    -c -emit-llvm -o $name.bc $name.cl
  llvm-spirv-15 --spirv-max-version=1.1 -o $name.spv $name.bc
  rm $name.bc
done
