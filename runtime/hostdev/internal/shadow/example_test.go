package shadow_test

import (
	"fmt"

	"offlink/runtime/hostdev/internal/shadow"
)

// Two work-items write to one word, and nothing orders them.
func ExampleAccesses_Store() {
	a := shadow.Accesses{SameGroup: func(_, _ uint32) bool { return true }}
	never := func(shadow.Access) bool { return false }
	_, found := a.Store(64, 4, shadow.Access{Time: 1, Item: 0, Site: 7}, never)
	fmt.Println(found)
	c, found := a.Store(66, 1, shadow.Access{Time: 2, Item: 3, Site: 9}, never)
	fmt.Println(found, c.Item, c.Site, c.Wrote)
	// Output:
	// false
	// true 0 7 true
}
