int LibDeviceFunc(int i) { return i * 2; }
