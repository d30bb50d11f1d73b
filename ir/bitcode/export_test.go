package bitcode

import "offlink/ir"

// StreamAll makes a writer of this package stream partitions of any size.
func StreamAll(w ir.PartitionWriter) { w.(*partitionWriter).streamFrom = 0 }

// ListKey is listKey, for tests.
var ListKey = listKey
