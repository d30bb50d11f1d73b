#!/bin/sh
# Compiles the kernels of the conformance suite to SPIR-V and to PTX.
set -e
cd "$(dirname "$0")"
top=../../..
make -s -C $top bin/postlink
libclc=$top/build/libclc/19/nvptx64--nvidiacl.bc
# spirv NAME SOURCE [OPTION...]
spirv() {
  name=$1 source=$2
  shift 2
  # -funroll-loops: -O1 forbids unrolling otherwise, and llvm-spirv-15 writes that as an
  # OpLoopMerge which is not always the last but one of its block, as it must be.
  clang-15 --target=spir64-unknown-unknown -x cl -cl-std=CL3.0 -O1 -funroll-loops -Xclang -no-opaque-pointers -Werror \
    "$@" -c -emit-llvm -o "$name.bc" "$source"
  llvm-spirv-15 --spirv-max-version=1.1 -o "$name.spv" "$name.bc"
  rm "$name.bc"
}
spirv app app.cl
spirv lib lib.cl
spirv plain lib.cl -DPLAIN
spirv images images.cl
# Drivers tell the address of a function that has this attribute, which C cannot give.
for name in pointers chosen; do
  clang-15 --target=spir64-unknown-unknown -x cl -cl-std=CL3.0 -O1 -Xclang -no-opaque-pointers -Werror -S -emit-llvm -o $name.ll $name.cl
  sed -i 's/^attributes #0 = { /&"referenced-indirectly" /' $name.ll
  clang-15 --target=spir64-unknown-unknown -x ir -Xclang -no-opaque-pointers -c -emit-llvm -o $name.bc $name.ll
  llvm-spirv-15 --spirv-max-version=1.1 --spirv-ext=+SPV_INTEL_function_pointers -o $name.spv $name.bc
  rm $name.ll $name.bc
done
for name in app lib special; do
  clang-19 --target=nvptx64-nvidia-cuda -march=sm_75 -x cl -cl-std=CL2.0 -O2 -Wno-linker-warnings -nogpulib \
    -I$top/include -include offlink/device.h -Xclang -mlink-builtin-bitcode -Xclang $libclc -c -emit-llvm -o $name.bc $name.cl
  $top/bin/postlink -symbols -to=ptx -llc=llc-19 -out-dir=. -o $name.table $name.bc
  mv ${name}_0.ptx $name.ptx
  rm $name.bc $name.table ${name}_0.sym
done
