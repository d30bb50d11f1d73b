package derive

func (i *image) implicitLocalArg() error { return nil }
func (i *image) specConstants() error    { return nil }
