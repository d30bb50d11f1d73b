package main

// void offlink_stop_at_exit(void);
import "C"

import (
	"os"

	"offlink/privilege"
	"offlink/runtime/cache"
	"offlink/runtime/hostdev"
	"offlink/runtime/internal/dl"
)

// deviceOptions has native code of kernels where DPC++'s variables keep compiled code on disk, as
// for programs of libofflink.
func deviceOptions() hostdev.Options {
	o := hostdev.Options{Output: dl.StandardOutput(), Assertion: abortProcess}
	if settings, on := cache.FromEnvironment(privilege.Getenv, os.Stderr); on && dl.Supported {
		o.Cache, o.Loader = cache.New(settings), dl.Loader{}
		C.offlink_stop_at_exit()
	}
	return o
}

// offlink_stopCompilers ends the C compilers that run: no host has to release its kernels
// before it exits.
//
//export offlink_stopCompilers
func offlink_stopCompilers() { device().StopCompilers() }
