package derive

func (i *image) implicitLocalArg() error { return nil }
