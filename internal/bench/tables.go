package main

// tables lists every table in the order of printing.
var tables = []table{
	{"splitting", printSplitting},
	{"translation", printTranslation},
	{"wrapping", printWrapping},
	{"listing", printListing},
	{"reference", printReference},
	{"kernels", printKernels},
	{"runtime", printRuntime},
	{"opencl", printBackEnd},
}
