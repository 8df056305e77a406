#include "api/anthropic/citations/passage_finder.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"

namespace pleiad::api::anthropic {
namespace {

void add_stretch(std::vector<PassageFinder::Stretch>& stretches, std::string_view text,
                 std::optional<Passage> passage) {
  if (text.empty()) return;
  if (!passage && !stretches.empty() && !stretches.back().passage) {
    stretches.back().text += text;
  } else {
    stretches.push_back({std::string(text), passage});
  }
}

}  // namespace

std::vector<PassageFinder::Stretch> PassageFinder::push(std::string_view text) {
  text_ += text;
  return settle(false);
}

std::vector<PassageFinder::Stretch> PassageFinder::finish() { return settle(true); }

/// The longest passage that begins with this token.
PassageFinder::Match PassageFinder::match(const std::vector<PassageToken>& tokens,
                                          std::size_t first) const {
  constexpr std::size_t kSeed = PassageIndex::kSeed;
  if (first + kSeed > tokens.size()) return {};
  std::vector<std::uint32_t> places = index_->find(text_, tokens.data() + first);
  if (places.empty()) return {};
  std::size_t n = kSeed;
  std::uint32_t place = places.front();
  for (; first + n < tokens.size() && n < kMostTokens; ++n) {
    const PassageToken& token = tokens[first + n];
    const std::string_view word =
        std::string_view(text_).substr(token.begin, token.end - token.begin);
    std::erase_if(places, [&](std::uint32_t at) {
      return !index_->continues(at + static_cast<std::uint32_t>(n), word);
    });
    if (places.empty()) break;
    place = places.front();
  }
  Match found;
  found.may_go_on = first + n == tokens.size() && n < kMostTokens;
  // A sign behind the last word says nothing, but for one that ends a sentence.
  const auto ends = [&](std::size_t number) {
    const PassageToken& token = tokens[number];
    const char c = text_[token.begin];
    return token.is_word || c == '.' || c == '!' || c == '?';
  };
  while (n > 0 && !ends(first + n - 1)) --n;
  std::size_t n_words = 0;
  for (std::size_t i = first; i < first + n; ++i) n_words += tokens[i].is_word ? 1 : 0;
  if (n_words < kLeastWords) return found;
  found.n_tokens = n;
  found.passage = index_->passage(place, place + static_cast<std::uint32_t>(n) - 1);
  return found;
}

std::vector<PassageFinder::Stretch> PassageFinder::settle(bool is_whole) {
  // Where a character or a word begins that may go on.
  std::size_t open = text_.size() - (is_whole ? 0 : utf8_unfinished(text_));
  std::vector<PassageToken> tokens = tokens_of(std::string_view(text_).substr(0, open));
  const auto may_go_on = [&](const PassageToken& last) {
    return last.is_word && last.end == open && last.end - last.begin < kLongestWord;
  };
  if (!is_whole && !tokens.empty() && may_go_on(tokens.back())) {
    open = tokens.back().begin;
    tokens.pop_back();
  }
  std::vector<Stretch> stretches;
  std::size_t done = 0;   // bytes that are decided
  std::size_t first = 0;  // token
  while (first < tokens.size()) {
    if (!tokens[first].is_word) {
      ++first;
      continue;
    }
    if (!is_whole && first + PassageIndex::kSeed > tokens.size()) break;
    const Match found = match(tokens, first);
    if (found.may_go_on && !is_whole) break;
    if (found.n_tokens == 0) {
      ++first;
      continue;
    }
    const std::string_view text = text_;
    const std::size_t begin = tokens[first].begin;
    const std::size_t end = tokens[first + found.n_tokens - 1].end;
    add_stretch(stretches, text.substr(done, begin - done), std::nullopt);
    add_stretch(stretches, text.substr(begin, end - begin), found.passage);
    done = end;
    first += found.n_tokens;
  }
  const std::size_t decided = first < tokens.size() ? tokens[first].begin : open;
  add_stretch(stretches, std::string_view(text_).substr(done, decided - done), std::nullopt);
  text_.erase(0, decided);
  return stretches;
}

}  // namespace pleiad::api::anthropic
