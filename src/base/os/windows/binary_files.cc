// What is opened neither as text nor as binary (by std::ofstream, say) holds the bytes that were
// written, as on other systems: the start of a program copies this to where the C library looks.
// <stdlib.h> makes a macro of the name.
#undef _fmode
int _fmode = 0x8000;  // NOLINT: _O_BINARY
