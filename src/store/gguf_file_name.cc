#include "store/gguf_file_name.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.h"

namespace pleiad::store {
namespace {

constexpr std::string_view kExtension = ".gguf";
constexpr std::string_view kPartPattern = "-00000-of-00000";

bool all_digits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

int to_number(std::string_view digits) {
  int value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

/// Takes "-00002-of-00003" off the end of a stem.
void take_part(GgufFileName& name) {
  if (name.stem.size() <= kPartPattern.size()) return;
  const std::string suffix = name.stem.substr(name.stem.size() - kPartPattern.size());
  const std::string_view part = std::string_view(suffix).substr(1, 5);
  const std::string_view count = std::string_view(suffix).substr(10, 5);
  if (suffix[0] != '-' || suffix.substr(6, 4) != "-of-") return;
  if (!all_digits(part) || !all_digits(count)) return;
  name.part = to_number(part);
  name.n_parts = to_number(count);
  name.stem.resize(name.stem.size() - kPartPattern.size());
}

/// "Q4_0", "IQ4_XS", "Q4_K_M", "BF16", "NVFP4", ...
bool is_quantization(std::string_view word) {
  constexpr std::array plain = {"F32", "F16", "BF16", "FP16", "FP8", "NVFP4", "MXFP4", "MXFP4_MOE"};
  if (std::ranges::find(plain, word) != plain.end()) return true;
  if (word.starts_with("IQ") || word.starts_with("TQ")) word.remove_prefix(1);
  return word.size() >= 4 && word[0] == 'Q' && word[1] >= '1' && word[1] <= '8' && word[2] == '_';
}

/// The last such word between '-' and '.'; "UD-Q4_K_XL" counts as one.
std::string find_quantization(std::string_view stem) {
  const std::string words = ascii_upper(stem);
  std::string_view rest = words;
  while (!rest.empty()) {
    const std::size_t at = rest.find_last_of("-.");
    const std::string_view word = at == std::string_view::npos ? rest : rest.substr(at + 1);
    rest = at == std::string_view::npos ? std::string_view() : rest.substr(0, at);
    if (!is_quantization(word)) continue;
    const bool dynamic = rest == "UD" || rest.ends_with("-UD");
    return (dynamic ? "UD-" : "") + std::string(word);
  }
  return {};
}

}  // namespace

bool is_gguf_file_name(std::string_view name) {
  return name.size() > kExtension.size() && name.ends_with(kExtension);
}

GgufFileName parse_gguf_file_name(std::string_view name) {
  GgufFileName result;
  result.stem = name.substr(0, name.size() - kExtension.size());
  take_part(result);
  result.quantization = find_quantization(result.stem);
  result.is_encoder = result.stem.find("mmproj") != std::string::npos;
  return result;
}

}  // namespace pleiad::store
