package main

// tables lists every table in the order of printing.
var tables = []table{
	{"splitting", printSplitting},
	{"wrapping", printWrapping},
	{"listing", printListing},
	{"reference", printReference},
}
