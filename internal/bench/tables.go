package main

// tables lists every table in the order of printing.
var tables = []table{
	{"splitting", "postlink on text: memory and time beside reading the file", printSplitting},
	{"translation", "postlink -to=spirv on many kernels", printTranslation},
	{"wrapping", "offload-wrap on many and large images", printWrapping},
	{"listing", "offload-wrap list on large files", printListing},
	{"reference", "postlink beside DPC++'s post-link step and translator", printReference},
	{"kernels", "kernels on the embedded device, Intel's and PoCL, beside C", printKernels},
	{"runtime", "calls of offlink.h, the start of a program, registering and resolving", printRuntime},
	{"opencl", "the OpenCL back end beside C", printBackEnd},
}
