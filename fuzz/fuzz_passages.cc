// Any bytes at all, as texts and as an answer that may quote them. The first byte says in what
// pieces the answer comes, then a NUL ends each text but the last part, which is the answer.
// However it comes: the stretches are the answer, and what is said to stand in a text stands there.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "api/anthropic/citations/passage_finder.h"

namespace {

using namespace pleiad::api::anthropic;

void require(bool holds) {
  if (!holds) std::abort();
}

/// Its words and signs in lower case, one blank between them.
std::string folded(std::string_view text) {
  std::string all;
  for (const PassageToken& token : tokens_of(text)) {
    for (char c : text.substr(token.begin, token.end - token.begin)) {
      all += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    all += ' ';
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::vector<std::string> texts;
  for (std::size_t end = 0; (end = rest.find('\0')) != rest.npos; rest.remove_prefix(end + 1)) {
    texts.emplace_back(rest.substr(0, end));
  }
  const std::string answer(rest);
  const auto index = std::make_shared<const PassageIndex>(std::move(texts));
  PassageFinder finder(index);
  std::string whole;
  const auto take = [&](const std::vector<PassageFinder::Stretch>& stretches) {
    for (const PassageFinder::Stretch& stretch : stretches) {
      require(!stretch.text.empty());
      whole += stretch.text;
      if (!stretch.passage) continue;
      const Passage& at = *stretch.passage;
      require(at.text < index->texts().size());
      const std::string& text = index->texts()[at.text];
      require(at.begin < at.end && at.end <= text.size());
      require(folded(std::string_view(text).substr(at.begin, at.end - at.begin)) ==
              folded(stretch.text));
    }
  };
  const std::size_t piece = data[0] % 16 + 1;
  for (std::size_t at = 0; at < answer.size(); at += piece)
    take(finder.push(answer.substr(at, piece)));
  take(finder.finish());
  require(whole == answer);
  return 0;
}
