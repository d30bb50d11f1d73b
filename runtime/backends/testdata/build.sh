#!/bin/sh
# Compiles the kernel of devrun doctor to SPIR-V 1.0.
set -e
cd "$(dirname "$0")"
clang-15 --target=spir64-unknown-unknown -x cl -cl-std=CL3.0 -O1 -Xclang -no-opaque-pointers -Werror -c -emit-llvm -o selftest.bc selftest.cl
llvm-spirv-15 --spirv-max-version=1.0 -o selftest.spv selftest.bc
rm selftest.bc
