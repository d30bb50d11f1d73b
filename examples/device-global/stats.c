const char *stats_version(void) { return "1"; }
