#include "media/documents/process/run_converter.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <exception>
#include <new>

#include "base/error.h"
#include "base/text_format.h"
#include "media/documents/markup/docx_text.h"
#include "media/documents/markup/html_text.h"
#include "media/documents/markup/load_libraries.h"
#include "media/helper/confinement.h"

namespace pleiad::media {
namespace {

constexpr int kDocumentInput = 0;
constexpr int kTextOutput = 1;
constexpr int kErrorOutput = 2;

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

void say_error(std::string_view text) { write_all(kErrorOutput, text); }

void announce(const ProgramConfinement& had) {
  say_error(fmt::format("confined {}\n", had.bits()));
}

std::string read_input() {
  std::string input;
  for (std::size_t size = 0;;) {
    input.resize(size + (std::size_t{1} << 20));
    const ssize_t n = ::read(kDocumentInput, input.data() + size, input.size() - size);
    if (n < 0 && errno == EINTR) continue;
    size += n > 0 ? static_cast<std::size_t>(n) : 0;
    if (n > 0) continue;
    input.resize(size);
    return input;
  }
}

std::uint64_t number_of_word(std::string_view word) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) {
    throw Error("expected a number, found '{}'", printable(word));
  }
  return number;
}

using Convert = Result<ConvertedText> (*)(std::string_view input);

int convert(Convert to_text, const ProgramLimits& limits) {
  load_markup_libraries();
  const Confinement had = confine_helper({limits.memory_bytes, limits.cpu_seconds});
  announce({had.own_network, had.own_files, false});
  try {
    const Result<ConvertedText> text = to_text(read_input());
    if (text) return write_all(kTextOutput, to_wire(text.value())) ? 0 : kConverterLost;
    say_error(text.message());
  } catch (const std::bad_alloc&) {
    say_error(
        fmt::format("takes more than {} of memory to be read", format_bytes(limits.memory_bytes)));
  }
  return kConverterFailed;
}

}  // namespace

std::vector<std::string> converter_words(std::string_view what, const ProgramLimits& limits,
                                         std::vector<std::string> arguments) {
  std::vector<std::string> words = {std::string(what), std::to_string(limits.memory_bytes),
                                    std::to_string(limits.cpu_seconds)};
  for (std::string& argument : arguments) words.push_back(std::move(argument));
  return words;
}

bool is_started_as_converter() {
  struct stat output = {};
  struct stat errors = {};
  return ::fstat(kTextOutput, &output) == 0 && ::fstat(kErrorOutput, &errors) == 0 &&
         S_ISFIFO(output.st_mode) && S_ISFIFO(errors.st_mode);
}

int run_converter(std::span<const char* const> words) noexcept {
  try {
    if (words.size() < 3) throw Error("expected what is to be read and limits, found nothing");
    const std::string_view what = words[0];
    const ProgramLimits limits = {number_of_word(words[1]), number_of_word(words[2])};
    if (what == "html") return convert(html_to_text, limits);
    if (what == "docx") return convert(docx_to_text, limits);
    if (what == "program") become_program(words.subspan(3), limits, announce);
    throw Error("expected program, html or docx, found '{}'", printable(what));
  } catch (const std::exception& error) {
    say_error(fmt::format("not confined: {}\n", error.what()));
    return kConverterLost;
  }
}

}  // namespace pleiad::media
