// Package piplugin is the back end of plugins of others: shared libraries with
// the C interface of DPC++'s plugins (PI), which export piPluginInit. It adapts
// their functions to package driver.
//
// Six versions of the interface are known, those of DPC++ 2021.4 to 2024.2; a
// plugin is asked for its version and its table is checked before anything is
// called (runtime/internal/pi). A function that a plugin lacks is
// driver.ErrUnsupported where it is needed.
//
// Plugins are trusted as little as OpenCL's drivers, which many of them call:
// modules are verified and linked here before a plugin sees them, and signal
// actions that it replaces are put back.
//
// Queues and events are those of package streams, because piEventCreate makes
// events that have ended, so that no event of a plugin can be the host's.
package piplugin
