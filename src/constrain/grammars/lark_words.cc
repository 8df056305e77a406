#include "constrain/grammars/lark_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text_format.h"

namespace pleiad::constrain::grammars {

const LarkWord& LarkWords::next(std::size_t ahead) const {
  return words_[std::min(at_ + ahead, words_.size() - 1)];
}

bool LarkWords::is_sign(std::string_view sign, std::size_t ahead) const {
  return is(Kind::sign, ahead) && next(ahead).text == sign;
}

LarkWord LarkWords::take() {
  LarkWord word = next();
  ++at_;
  return word;
}

bool LarkWords::take_sign(std::string_view sign) {
  if (!is_sign(sign)) return false;
  ++at_;
  return true;
}

void LarkWords::expect(std::string_view sign) {
  if (!take_sign(sign)) fail(fmt::format("expected '{}', found {}", sign, found()));
}

void LarkWords::skip_lines() {
  while (is(Kind::line)) ++at_;
}

bool LarkWords::goes_on_with(std::string_view sign) const {
  return is(Kind::line) && is_sign(sign, 1);
}

std::uint32_t LarkWords::take_number() {
  constexpr std::size_t kMostDigits = 5;
  if (!is(Kind::number) || next().text.find_first_of("xX") != std::string::npos) {
    fail(fmt::format("expected a number, found {}", found()));
    return 0;
  }
  if (next().text.size() > kMostDigits) {
    fail("expected a number below 100000");
    return 0;
  }
  return static_cast<std::uint32_t>(std::stoul(take().text));
}

bool LarkWords::may_have_attribute(std::string_view name) const {
  for (std::size_t i = 1; i < words_.size(); ++i) {
    const bool is_behind = words_[i - 1].kind == Kind::sign &&
                           (words_[i - 1].text == "[" || words_[i - 1].text == ",");
    if (is_behind && words_[i].kind == Kind::rule && words_[i].text == name) return true;
  }
  return false;
}

void LarkWords::fail(std::string_view why) {
  source_.fail_at(next().at, why);
  at_ = words_.size() - 1;
}

std::string LarkWords::found() const {
  if (is(Kind::end)) return "the end";
  if (is(Kind::line)) return "the end of the line";
  return is(Kind::text) ? "a text" : fmt::format("'{}'", printable(next().text));
}

}  // namespace pleiad::constrain::grammars
