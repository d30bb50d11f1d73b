package registry

import (
	"hash/maphash"
	"slices"
)

// nameIndex finds images by a name. A snapshot shares its shards with the
// registry, which copies a shard before it changes one that a snapshot has:
// a change costs as much as the shards that it touches, and not the whole.
//
// A shard is a list that is searched from its start. There are so many that a
// list stays short, up to some hundred thousand names: then it costs less than a
// map, which would hash each name twice and grow again and again.
type nameIndex struct {
	shards [shardCount]*shard
	epoch  uint64     // of the registry; a shard of an older one is shared
	room   []*Image   // lists of one image are cut from here
	shared *nameIndex // the index as it is now, if a snapshot has it
}

const shardCount = 4096

type shard struct {
	epoch  uint64
	hashes []uint64 // of names: a search looks at these alone, which lie side by side
	names  []named
}

// named is the images of one name, in order of registration.
type named struct {
	name   string
	images []*Image
}

var seed = maphash.MakeSeed()

// findName returns where a name is in the shard, or -1.
func (s *shard) findName(hash uint64, name string) int {
	for i, h := range s.hashes {
		if h == hash && s.names[i].name == name {
			return i
		}
	}
	return -1
}

// imagesNamed returns the images of a name, in order of registration. They must not be
// changed.
func (n *nameIndex) imagesNamed(name string) []*Image {
	hash := maphash.String(seed, name)
	if s := n.shards[hash%shardCount]; s != nil {
		if i := s.findName(hash, name); i >= 0 {
			return s.names[i].images
		}
	}
	return nil
}

// shardNames is the number of names that a new shard has room for.
const shardNames = 8

// ownShard returns the shard of a hash, to be changed.
func (n *nameIndex) ownShard(hash uint64) *shard {
	n.shared = nil
	s := &n.shards[hash%shardCount]
	switch {
	case *s == nil:
		*s = &shard{n.epoch, make([]uint64, 0, shardNames), make([]named, 0, shardNames)}
	case (*s).epoch != n.epoch:
		*s = (*s).copyFor(n.epoch)
	}
	return *s
}

// copyFor returns a copy with room for another name.
func (s *shard) copyFor(epoch uint64) *shard {
	room := len(s.names) + 1
	return &shard{epoch, append(make([]uint64, 0, room), s.hashes...), append(make([]named, 0, room), s.names...)}
}

func (n *nameIndex) addImage(name string, img *Image) {
	hash := maphash.String(seed, name)
	s := n.ownShard(hash)
	if i := s.findName(hash, name); i >= 0 {
		list := s.names[i].images
		s.names[i].images = append(list[:len(list):len(list)], img)
		return
	}
	if len(n.room) == 0 {
		n.room = make([]*Image, 256)
	}
	n.room[0] = img
	s.hashes, s.names = append(s.hashes, hash), append(s.names, named{name, n.room[:1:1]})
	n.room = n.room[1:]
}

// removeImages takes out every image that is gone.
func (n *nameIndex) removeImages(name string, gone func(*Image) bool) {
	hash := maphash.String(seed, name)
	s := n.ownShard(hash)
	i := s.findName(hash, name)
	if i < 0 {
		return // two kernels of one image have the name
	}
	list := slices.DeleteFunc(slices.Clone(s.names[i].images), gone)
	if len(list) > 0 {
		s.names[i].images = list
		return
	}
	s.hashes, s.names = slices.Delete(s.hashes, i, i+1), slices.Delete(s.names, i, i+1)
}

// shareIndex returns the index as it is now; the next change copies.
func (n *nameIndex) shareIndex() *nameIndex {
	if n.shared == nil {
		n.shared = &nameIndex{shards: n.shards}
		n.epoch++
	}
	return n.shared
}

// eachName yields every name once, in no order.
func (n *nameIndex) eachName(yield func(string) bool) {
	for _, s := range n.shards {
		if s == nil {
			continue
		}
		for i := range s.names {
			if !yield(s.names[i].name) {
				return
			}
		}
	}
}
