// Package ptx reads the directives of PTX, NVIDIA's assembly language for
// GPUs: target, kernels with their parameters, functions and variables that
// modules share. Bodies are skipped: the driver compiles them.
//
// The format is that of NVIDIA's "PTX ISA". Names and numbers are taken as
// they stand; nothing is evaluated.
package ptx
