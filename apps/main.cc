#include <fmt/format.h>
#include <langinfo.h>

#include <clocale>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string_view>

#include "apps/command_line.h"
#include "base/error.h"

namespace {

/// Typing works in UTF-8 also where no language is set, as in a container.
void use_utf8() {
  std::setlocale(LC_CTYPE, "");
  if (std::string_view(::nl_langinfo(CODESET)) != "UTF-8") std::setlocale(LC_CTYPE, "C.UTF-8");
}

}  // namespace

int main(int argc, char** argv) {
  use_utf8();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away is an error like any other
  try {
    return pleiad::apps::run_command_line(argc, argv);
  } catch (const pleiad::Error& error) {
    fmt::print(stderr, "pleiad: {}\n", error.what());
  } catch (const std::bad_alloc&) {
    std::fputs("pleiad: there is not enough memory\n", stderr);
  } catch (const std::exception& error) {
    fmt::print(stderr, "pleiad: {}\nThis is a mistake in Pleiad; please report it.\n",
               error.what());
  }
  return 1;
}
