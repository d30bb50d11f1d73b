package toolchain

// make's jobserver on Windows is a semaphore, which is not supported.

func openFIFO(string) (*Jobserver, error) { return nil, errNoJobserver }

func openDescriptors(int, int) (*Jobserver, error) { return nil, errNoJobserver }
