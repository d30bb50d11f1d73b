#!/bin/sh
# Makes more.ptx of more.cl, with bin/postlink. Run in this folder after make
# build.
set -eu
top=../../..
clang-19 --target=nvptx64-nvidia-cuda -march=sm_75 -nogpulib -x cl -cl-std=CL2.0 -O2 -Werror -I$top/include \
  -c -emit-llvm -o more.bc more.cl
$top/bin/postlink -split=source -properties -emit-program-metadata -to=ptx --llc=llc-19 -out-dir=. -o more.table more.bc
cat more_0.prop
mv more_0.ptx more.ptx
rm more.bc more.table more_0.prop
