// Package drivertest tests back ends and their users: Test is the
// conformance suite that every back end passes, Fake is a back end that
// records its calls, SPIRV makes modules with any linkage.
package drivertest
