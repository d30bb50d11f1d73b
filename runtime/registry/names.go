package registry

import (
	"hash/maphash"
	"slices"
	"sort"
)

// nameIndex finds images by a name. It is copied on write: a snapshot shares the nodes with
// the registry, which copies a node and a shard before it changes one that a snapshot has.
// So a change costs as much as the shards that it touches, and not the whole index.
//
// The index has no names and no pointers to images: a shard is a list of references, which
// is searched from its start, and the image that a reference leads to has the name. So no
// names are compared when one is entered, and the garbage collector does not scan the
// lists. There are so many shards that lists stay short up to a few hundred thousand names.
type nameIndex struct {
	nodes [nodeCount]*node
	epoch uint64 // of the registry; a node or a shard of an older one is shared
}

const (
	nodeBits  = 6
	nodeCount = 1 << nodeBits
	shardBits = 6
)

// node has the shards of the hashes that begin with the same bits.
type node struct {
	epoch  uint64
	shards [1 << shardBits]shard
}

// shard has the references of names whose hashes begin with the same bits, in order of
// registration.
type shard struct {
	epoch      uint64
	references []reference
}

// reference leads to a name of an image.
type reference struct {
	image    uint64 // Image.ID
	hash     uint32 // of the name, without the bits that choose the shard
	position uint32 // of the name among those of the image
}

var seed = maphash.MakeSeed()

// hashName returns the place of a name's shard and the hash of its references.
func hashName(name string) (node, shard int, hash uint32) {
	h := maphash.String(seed, name)
	return int(h >> (64 - nodeBits)), int(h >> (64 - nodeBits - shardBits) % (1 << shardBits)), uint32(h)
}

// shardRoom is the number of references that a new shard has room for.
const shardRoom = 8

// ownShard returns a shard that may be changed: one that a snapshot shares is copied first,
// and so is its node.
func (n *nameIndex) ownShard(i, j int) *shard {
	at := n.nodes[i]
	switch {
	case at == nil:
		at = &node{epoch: n.epoch}
		n.nodes[i] = at
	case at.epoch != n.epoch:
		owned := *at
		owned.epoch = n.epoch
		at = &owned
		n.nodes[i] = at
	}
	s := &at.shards[j]
	if s.epoch != n.epoch && s.references != nil {
		s.references = append(make([]reference, 0, len(s.references)+1), s.references...)
	}
	s.epoch = n.epoch
	return s
}

// addName enters a name that an image has at a position.
func (n *nameIndex) addName(name string, img *Image, position int) {
	i, j, hash := hashName(name)
	s := n.ownShard(i, j)
	if s.references == nil {
		s.references = make([]reference, 0, shardRoom)
	}
	s.references = append(s.references, reference{img.ID, hash, uint32(position)})
}

// removeName takes out the references of a name to the images with IDs from first to last.
// It also takes out those of other names of these images with the same hash. That is
// harmless, as all names of these images are removed.
func (n *nameIndex) removeName(name string, first, last uint64) {
	i, j, hash := hashName(name)
	s := n.ownShard(i, j)
	s.references = slices.DeleteFunc(s.references, func(r reference) bool {
		return r.hash == hash && first <= r.image && r.image <= last
	})
}

// shareIndex returns the index as it is now; the next change copies.
func (n *nameIndex) shareIndex() *nameIndex {
	shared := &nameIndex{nodes: n.nodes}
	n.epoch++
	return shared
}

// names is an index with the images to which its references lead.
type names struct {
	index  *nameIndex
	images []*Image // in order of their identities
	nameAt func(img *Image, position int) string
}

// imageOf returns the image of a reference.
func (n names) imageOf(r reference) *Image {
	i := sort.Search(len(n.images), func(i int) bool { return n.images[i].ID >= r.image })
	return n.images[i]
}

// imagesNamed returns the images of a name, in order of registration, each once.
func (n names) imagesNamed(name string) (list []*Image) {
	i, j, hash := hashName(name)
	if n.index.nodes[i] == nil {
		return nil
	}
	for _, r := range n.index.nodes[i].shards[j].references {
		if r.hash != hash {
			continue
		}
		img := n.imageOf(r)
		if n.nameAt(img, int(r.position)) != name {
			continue
		}
		if len(list) == 0 || list[len(list)-1] != img {
			list = append(list, img)
		}
	}
	return list
}

// sortedNames returns every name once.
func (n names) sortedNames() []string {
	var all []string
	for _, at := range n.index.nodes {
		if at == nil {
			continue
		}
		for _, s := range at.shards {
			for _, r := range s.references {
				all = append(all, n.nameAt(n.imageOf(r), int(r.position)))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
