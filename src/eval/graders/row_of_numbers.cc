#include "eval/graders/row_of_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "eval/graders/number_words.h"
#include "eval/graders/reading.h"

namespace pleiad::eval {
namespace {

struct Counted {
  double value = 0;
  std::size_t token = 0;  // its first
  std::size_t end = 0;    // behind its last
};

/// Without the numbers 1, 2, 3, ... of list items that begin with a number of their own:
/// "1. 30", "2. 31".
std::string without_item_numbers(std::string_view text) {
  std::string plain;
  int n_items = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    const std::string number = fmt::format("{}", n_items + 1);
    const std::size_t start = std::min(line.find_first_not_of(" *"), line.size());
    std::string_view rest = line.substr(start);
    if (rest.starts_with(number) && rest.size() > number.size() + 1 &&
        (rest[number.size()] == '.' || rest[number.size()] == ')') &&
        rest[number.size() + 1] == ' ') {
      rest.remove_prefix(number.size() + 2);
      const std::size_t item = rest.find_first_not_of(" *`");
      const bool is_number =
          item != std::string_view::npos && rest[item] >= '0' && rest[item] <= '9';
      if (is_number) {
        ++n_items;
        plain += rest;
        text.remove_prefix(end);
        continue;
      }
    }
    plain += line;
    text.remove_prefix(end);
  }
  return n_items >= 2 ? plain : std::string();
}

std::vector<Counted> in_digits(const Reading& reading) {
  std::vector<Counted> found;
  for (std::size_t i = 0; i < reading.tokens.size(); ++i) {
    const Token& token = reading.tokens[i];
    if (token.kind == Token::Kind::number) found.push_back({token.value, i, i + 1});
  }
  return found;
}

std::vector<Counted> in_words(const Reading& reading) {
  std::vector<Counted> found;
  for (const WordedNumber& number : worded_numbers(reading.tokens)) {
    found.push_back({number.value, number.first, number.first + number.n_tokens});
  }
  return found;
}

/// Whether a number is no part of the row that ended before it.
bool is_apart(const Reading& reading, const Counted& last, const Counted& next) {
  const std::vector<Token>& tokens = reading.tokens;
  bool has_words = false;
  bool opens = false;
  for (std::size_t i = last.end; i < next.token; ++i) {
    has_words = has_words || (tokens[i].has_content() && !tokens[i].is_word("and"));
    opens = opens || tokens[i].is_sign('(');
  }
  const bool later = tokens[last.token].sentence != tokens[next.token].sentence;
  if (has_words) return later || opens;
  // "50 numbers in all", behind the end of the row
  return later && next.end < tokens.size() && tokens[next.end].kind == Token::Kind::word;
}

std::string wrong_in_row(const Reading& reading, std::vector<Counted> found,
                         const std::vector<double>& expected) {
  // What is taken back does not count, where numbers follow.
  for (auto correction = reading.corrections.rbegin(); correction != reading.corrections.rend();
       ++correction) {
    if (found.empty() || found.back().token < *correction) continue;
    std::erase_if(found, [&](const Counted& number) { return number.token < *correction; });
    break;
  }
  if (found.empty()) return "no numbers";
  constexpr std::size_t kMostBefore = 2;
  std::size_t furthest = 0;
  for (std::size_t start = 0; start <= kMostBefore && start < found.size(); ++start) {
    std::size_t n = 0;
    while (n < expected.size() && start + n < found.size() &&
           found[start + n].value == expected[n]) {
      ++n;
    }
    if (n == expected.size()) {
      const std::size_t next = start + n;
      if (next == found.size() || is_apart(reading, found[next - 1], found[next])) return "";
      return fmt::format("goes on with {:.15g}", found[next].value);
    }
    furthest = std::max(furthest, n);
  }
  return furthest == 0 ? fmt::format("does not begin with {:.15g}", expected[0])
                       : fmt::format("right up to {:.15g} only", expected[furthest - 1]);
}

}  // namespace

std::string wrong_in_count(std::string_view text, int first, int last, int step) {
  std::vector<double> expected;
  for (int n = first; step > 0 ? n <= last : n >= last; n += step) expected.push_back(n);
  const Reading reading = read_reply(text, Commas::separate);
  std::string wrong = wrong_in_row(reading, in_digits(reading), expected);
  if (wrong.empty() || wrong_in_row(reading, in_words(reading), expected).empty()) return "";
  if (const std::string items = without_item_numbers(text); !items.empty()) {
    const Reading list = read_reply(items, Commas::separate);
    if (wrong_in_row(list, in_digits(list), expected).empty()) return "";
  }
  return wrong;
}

}  // namespace pleiad::eval
