package bitcode

import (
	"maps"
	"sync"

	"offlink/ir"
	"offlink/ir/bitcode/bitstream"
	"offlink/ir/llvmschema"
)

// readUseOrders reads the orders of uses that the block of a function states, as far as they are
// about declared functions: LLVM writes such an order into the last body that uses the function. A
// record has the places of the uses, and then the value. Other orders say nothing about a part of
// the module.
func (r *bodyReader) readUseOrders(c *bitstream.Cursor) error {
	for {
		e, err := c.Next()
		if err != nil {
			return err
		}
		if e.Kind == bitstream.End {
			return nil
		}
		last := len(c.Operands) - 1
		if e.Kind != bitstream.Record || c.Code != llvmschema.UseListDefault || last < 0 || c.Operands[last] >= uint64(len(r.module.Values)) {
			continue
		}
		id := ir.ValueID(c.Operands[last])
		if v := &r.module.Values[id]; v.Kind == ir.Function && v.Declaration {
			r.addOrder(id, c.Operands[:last])
		}
	}
}

// addOrder keeps an order of uses; one with a place beyond its end says nothing.
func (r *bodyReader) addOrder(id ir.ValueID, places []uint64) {
	order := make([]uint32, len(places))
	for i, place := range places {
		if place >= uint64(len(places)) {
			return
		}
		order[i] = uint32(place)
	}
	if r.orders == nil {
		r.orders = make(map[ir.ValueID][]uint32)
	}
	r.orders[id] = order
}

// addRareFacts adds to the module the facts of a body that few bodies have.
func (r *moduleReader) addRareFacts(body *bodyReader, lock *sync.Mutex) {
	if len(body.orders) == 0 && len(body.labels) == 0 {
		return
	}
	lock.Lock()
	defer lock.Unlock()
	r.labels = append(r.labels, body.labels...)
	if r.module.UseOrders == nil {
		r.module.UseOrders = make(map[ir.ValueID][]uint32)
	}
	maps.Copy(r.module.UseOrders, body.orders)
}

// markLabels marks the functions of which blockaddress constants name a block.
func (r *moduleReader) markLabels() {
	for _, function := range r.labels {
		if function < uint64(len(r.module.Values)) {
			r.module.Values[function].EditDetails().LabelTaken = true
		}
	}
}
