package registry

import (
	"hash/maphash"
	"slices"
)

// nameIndex finds images by a name. A snapshot shares its shards with the
// registry, which copies a shard before it changes one that a snapshot has:
// a change costs as much as the shards that it touches, and not the whole.
type nameIndex struct {
	shards [shardCount]*shard
	epoch  uint64   // of the registry; a shard of an older one is shared
	room   []*Image // lists of one image are cut from here
}

const shardCount = 2048

type shard struct {
	epoch  uint64
	images map[string][]*Image
}

var seed = maphash.MakeSeed()

func shardOf(name string) uint64 { return maphash.String(seed, name) % shardCount }

// imagesNamed returns the images of a name, in order of registration. They must not be
// changed.
func (n *nameIndex) imagesNamed(name string) []*Image {
	if s := n.shards[shardOf(name)]; s != nil {
		return s.images[name]
	}
	return nil
}

// ownShard returns the shard of a name, to be changed.
func (n *nameIndex) ownShard(name string) *shard {
	s := &n.shards[shardOf(name)]
	switch {
	case *s == nil:
		*s = &shard{n.epoch, make(map[string][]*Image)}
	case (*s).epoch != n.epoch:
		copied := &shard{n.epoch, make(map[string][]*Image, len((*s).images)+1)}
		for name, images := range (*s).images {
			copied.images[name] = images
		}
		*s = copied
	}
	return *s
}

func (n *nameIndex) addImage(name string, img *Image) {
	s := n.ownShard(name)
	if list, ok := s.images[name]; ok {
		s.images[name] = append(list[:len(list):len(list)], img)
		return
	}
	if len(n.room) == 0 {
		n.room = make([]*Image, 256)
	}
	n.room[0] = img
	s.images[name], n.room = n.room[:1:1], n.room[1:]
}

// removeImages takes out every image that is gone.
func (n *nameIndex) removeImages(name string, gone func(*Image) bool) {
	s := n.ownShard(name)
	list := slices.DeleteFunc(slices.Clone(s.images[name]), gone)
	if len(list) == 0 {
		delete(s.images, name)
		return
	}
	s.images[name] = list
}

// shareIndex returns the index as it is now; the next change copies.
func (n *nameIndex) shareIndex() *nameIndex {
	shared := &nameIndex{shards: n.shards}
	n.epoch++
	return shared
}

// eachName yields every name once, in no order.
func (n *nameIndex) eachName(yield func(string) bool) {
	for _, s := range n.shards {
		if s == nil {
			continue
		}
		for name := range s.images {
			if !yield(name) {
				return
			}
		}
	}
}
