#include "base/os/terminal.h"

#include <io.h>
#include <windows.h>

namespace pleiad::os {
namespace {

HANDLE handle_of(std::FILE* file) {
  return reinterpret_cast<HANDLE>(::_get_osfhandle(descriptor_of(file)));
}

}  // namespace

// _isatty() takes printers and the null device for one.
bool is_terminal(std::FILE* file) {
  DWORD mode = 0;
  return ::GetConsoleMode(handle_of(file), &mode) != 0;
}

TerminalSize terminal_size(std::FILE* file) {
  CONSOLE_SCREEN_BUFFER_INFO screen = {};
  if (::GetConsoleScreenBufferInfo(handle_of(file), &screen) == 0) return {};
  const SMALL_RECT& shown = screen.srWindow;
  return {shown.Right - shown.Left + 1, shown.Bottom - shown.Top + 1};
}

int descriptor_of(std::FILE* file) { return ::_fileno(file); }

}  // namespace pleiad::os
