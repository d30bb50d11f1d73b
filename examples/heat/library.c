/* The host code of both libraries: none. The program links them for their
 * device code. */
#define JOIN(a, b) a##b
#define NAME(library) JOIN(library, _version)
const char *NAME(LIBRARY)(void) { return "1"; }
