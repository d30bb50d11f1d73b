// Package drivertest tests back ends, and what uses them: Test is the
// conformance suite that every back end passes, Fake is a back end that
// records what it is asked for, SPIRV makes modules with any linkage.
package drivertest
