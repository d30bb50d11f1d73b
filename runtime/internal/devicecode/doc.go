// Package devicecode is the common part of the back ends that hand SPIR-V to
// drivers of others: modules are verified before a driver sees them, and
// described where drivers do not describe them.
package devicecode
