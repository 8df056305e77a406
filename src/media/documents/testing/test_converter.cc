// What DocumentReader starts, as the program's own file does.

#include <unistd.h>

#include <span>
#include <string_view>

#include "media/documents/process/run_converter.h"

int main(int argc, char** argv) {
  const std::span words(argv + 1, static_cast<std::size_t>(argc - 1));
  // A converter that is lost, for its reader to be told.
  if (!words.empty() && std::string_view(words[0]) == "lost") {
    constexpr std::string_view kWhy = "not confined: no \x1b[1mway\n";
    [[maybe_unused]] const ssize_t n = ::write(2, kWhy.data(), kWhy.size());
    ::_exit(pleiad::media::kConverterLost);
  }
  ::_exit(pleiad::media::run_converter({words.data(), words.size()}));
}
