package objfile

func isPE(data []byte) bool                { return false }
func isCOFF(data []byte) bool              { return false }
func readCOFF(data []byte) (*File, error)  { return nil, ErrUnknown }
func isMachO(data []byte) bool             { return false }
func readMachO(data []byte) (*File, error) { return nil, ErrUnknown }
