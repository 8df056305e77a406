#include "base/os/program.h"

#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <shellapi.h>

#include <algorithm>
#include <cstdlib>
#include <cwchar>
#include <string_view>

namespace pleiad::os {
namespace {

/// UTF-16, in which the system has all of it.
std::string utf8(std::wstring_view wide) {
  const auto size = static_cast<int>(wide.size());
  const int bytes =
      ::WideCharToMultiByte(CP_UTF8, 0, wide.data(), size, nullptr, 0, nullptr, nullptr);
  std::string text(static_cast<std::size_t>(bytes), '\0');
  ::WideCharToMultiByte(CP_UTF8, 0, wide.data(), size, text.data(), bytes, nullptr, nullptr);
  return text;
}

/// Sequences of terminals are obeyed, as everywhere else, where the console knows them.
void obey_sequences(DWORD which) {
  const HANDLE console = ::GetStdHandle(which);
  DWORD mode = 0;
  if (::GetConsoleMode(console, &mode) != 0) {
    ::SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
  }
}

// The console outlives the program, and those that use it next expect what it had: of what is
// typed, and of what is shown; 0: there is no console.
UINT g_typed = 0;
UINT g_shown = 0;

void give_pages_back() {
  if (g_typed != 0) ::SetConsoleCP(g_typed);
  if (g_shown != 0) ::SetConsoleOutputCP(g_shown);
}

/// Ctrl-C, or a window that is closed, where nobody catches it: the next handler ends the program
/// without what std::atexit() was told of.
BOOL WINAPI on_end(DWORD) {
  give_pages_back();
  return FALSE;
}

void show_utf8() {
  g_typed = ::GetConsoleCP();
  g_shown = ::GetConsoleOutputCP();
  std::atexit(give_pages_back);
  ::SetConsoleCtrlHandler(on_end, TRUE);
  ::SetConsoleCP(CP_UTF8);
  ::SetConsoleOutputCP(CP_UTF8);
}

}  // namespace

// main() gets them in the code page of the machine.
std::vector<std::string> arguments(int argc, char** argv) {
  int count = 0;
  wchar_t** const words = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  if (words == nullptr) return {argv, argv + argc};
  std::vector<std::string> texts;
  std::transform(words, words + count, std::back_inserter(texts), utf8);
  ::LocalFree(words);
  return texts;
}

std::map<std::string, std::string, std::less<>> variables() {
  std::map<std::string, std::string, std::less<>> found;
  wchar_t* const block = ::GetEnvironmentStringsW();
  if (block == nullptr) return found;
  for (const wchar_t* entry = block; *entry != L'\0'; entry += std::wcslen(entry) + 1) {
    const std::wstring_view text(entry);
    // What begins with one is how the system keeps the current folder of each drive.
    const std::size_t equals = text.find(L'=', 1);
    if (equals != text.npos) {
      found.emplace(utf8(text.substr(0, equals)), utf8(text.substr(equals + 1)));
    }
  }
  ::FreeEnvironmentStringsW(block);
  return found;
}

const char* home_variable() { return "USERPROFILE"; }

char path_separator() { return ';'; }

std::filesystem::path executable() {
  std::wstring name(32'768, L'\0');  // the longest that there is
  const DWORD length = ::GetModuleFileNameW(nullptr, name.data(), static_cast<DWORD>(name.size()));
  name.resize(std::min<std::size_t>(length, name.size()));
  return name;
}

void prepare_program() {
  // They were open before _fmode (binary_files.cc) was looked at.
  for (const int standard : {0, 1, 2}) ::_setmode(standard, _O_BINARY);
  show_utf8();
  obey_sequences(STD_OUTPUT_HANDLE);
  obey_sequences(STD_ERROR_HANDLE);
}

}  // namespace pleiad::os
