#!/bin/sh
# Makes builtins.ptx of testdata/builtins.c, without the header, which the runtime writes
# for its device. Run by go generate in runtime/cuda.
set -eu
clang-19 --target=nvptx64-nvidia-cuda -march=sm_50 -Xclang -target-feature -Xclang +ptx60 -x c -O2 -nogpulib -ffreestanding \
  -S -o - testdata/builtins.c | sed -e '/^\.version/d' -e '/^\.target/d' -e '/^\.address_size/d' \
  -e 's@[[:space:]]*//.*@@' -e '/^[[:space:]]*$/d' > builtins.ptx
