#include "base/os/program.h"

#include <langinfo.h>
#include <unistd.h>

#include <clocale>
#include <csignal>
#include <string_view>

namespace pleiad::os {

std::vector<std::string> arguments(int argc, char** argv) { return {argv, argv + argc}; }

std::map<std::string, std::string, std::less<>> variables() {
  std::map<std::string, std::string, std::less<>> found;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    // The first of two of the same name, as getenv() has it.
    if (equals != text.npos) found.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return found;
}

const char* home_variable() { return "HOME"; }

char path_separator() { return ':'; }

std::filesystem::path executable() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

void prepare_program() {
  std::setlocale(LC_CTYPE, "");
  if (std::string_view(::nl_langinfo(CODESET)) != "UTF-8") std::setlocale(LC_CTYPE, "C.UTF-8");
  std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace pleiad::os
