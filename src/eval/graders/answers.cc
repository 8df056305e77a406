#include "eval/graders/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/ascii.h"
#include "eval/graders/number_words.h"
#include "eval/graders/reading.h"

namespace pleiad::eval {
namespace {

bool same_number(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b));
}

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::vector<std::string> lower(std::vector<std::string> words) {
  for (std::string& word : words) word = ascii_lower(word);
  return words;
}

/// Whether a number and its neighbour in this direction are operands of the same operation.
bool has_operator(const std::vector<Token>& tokens, std::size_t number, int direction) {
  const auto at = [&](int steps) -> const Token* {
    const auto place = static_cast<std::ptrdiff_t>(number) + steps * direction;
    return place >= 0 && place < std::ssize(tokens) ? &tokens[static_cast<std::size_t>(place)]
                                                    : nullptr;
  };
  const auto is_line_end = [](const Token* token) {
    return token && token->kind == Token::Kind::line_end;
  };
  int steps = 1;
  // A sum may have its operands below each other; a hyphen there begins a list.
  const bool goes_on = is_line_end(at(steps));
  if (goes_on) ++steps;
  while (at(steps) && (at(steps)->is_sign('(') || at(steps)->is_sign(')'))) ++steps;
  const Token* sign = at(steps);
  const Token* behind = at(steps + 1);
  if (!sign) return false;
  if (sign->kind == Token::Kind::sign) {
    if (goes_on ? direction < 0 || !sign->is_sign('+')
                : std::string_view("+-*/^").find(sign->text[0]) == std::string_view::npos) {
      return direction > 0 && sign->is_sign('%') && behind && behind->is_word("of");
    }
    while (behind && (behind->is_sign('(') || behind->is_sign(')'))) behind = at(++steps + 1);
    return behind &&
           (behind->kind == Token::Kind::number || (direction < 0 && is_line_end(behind)));
  }
  if (goes_on || sign->kind != Token::Kind::word) return false;
  for (const std::string_view word : {"plus", "minus", "times", "x", "over", "percent"}) {
    if (sign->text == word) return true;
  }
  if (direction > 0) {
    return (sign->text == "divided" || sign->text == "multiplied") && behind &&
           behind->is_word("by");
  }
  if (sign->text == "by") {
    return behind && (behind->is_word("divided") || behind->is_word("multiplied"));
  }
  for (const std::string_view word : {"add", "adding", "added", "subtract", "subtracting"}) {
    if (sign->text == word) return true;
  }
  if (sign->text != "of" || !behind) return false;  // "15 % of 640", "half of 3"
  if (behind->is_sign('%')) return true;
  for (const std::string_view word : {"percent", "half", "third", "quarter", "eighth"}) {
    if (behind->is_word(word)) return true;
  }
  return false;
}

/// The word between others that part its meaning from theirs: "may" is no month in "it may be".
bool means_a_month(const std::vector<Token>& tokens, std::size_t at) {
  const auto n_words = std::count_if(tokens.begin(), tokens.end(),
                                     [](const Token& token) { return token.has_content(); });
  if (n_words <= 2) return true;
  if (!tokens[at].is_capital) return false;
  const bool begins = at == 0 || tokens[at - 1].sentence != tokens[at].sentence;
  return !begins || at + 1 >= tokens.size() ||
         !has({"i", "you", "we", "he", "she", "it", "they", "be"}, tokens[at + 1].text);
}

/// "before September", "after the Tuesday": what something else is told by.
bool is_reference(const std::vector<Token>& tokens, std::size_t at) {
  if (at > 0 && tokens[at - 1].is_word("the")) --at;
  if (at == 0) return false;
  const Token& before = tokens[at - 1];
  return before.kind == Token::Kind::word &&
         has({"after", "before", "follows", "precedes", "following", "preceding", "between"},
             before.text);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t k = 0; k <= b.size(); ++k) row[k] = k;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t k = 1; k <= b.size(); ++k) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[k - 1] ? 0 : 1);
      diagonal = row[k];
      row[k] = std::min({row[k] + 1, row[k - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

bool looks_like(std::string_view attempt, std::string_view word) {
  std::string a(attempt);
  std::string b(word);
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b || edit_distance(attempt, word) <= 1;
}

/// Names in a row, four at least: "Monday, Tuesday, Wednesday, and Thursday".
std::vector<bool> in_a_list(const std::vector<Token>& tokens, const std::vector<bool>& is_name) {
  std::vector<bool> listed(tokens.size(), false);
  std::vector<std::size_t> row;
  const auto close = [&] {
    if (row.size() >= 4) {
      for (const std::size_t at : row) listed[at] = true;
    }
    row.clear();
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (is_name[i]) {
      row.push_back(i);
    } else if (tokens[i].has_content() && !tokens[i].is_word("and") && !tokens[i].is_word("then")) {
      close();
    }
  }
  close();
  return listed;
}

/// All that is left is to be the word.
Answer only_word(const Reading& reading, const std::vector<std::size_t>& asserted,
                 std::string_view word) {
  if (asserted.empty()) return {};
  for (const std::size_t at : reading.called_answer(asserted)) {
    if (reading.tokens[at].text != word) return {Answer::Kind::other, reading.tokens[at].text};
  }
  return {Answer::Kind::right};
}

}  // namespace

AnswerReader reads_number(double value, std::vector<double> given) {
  // What the question names may be the answer all the same.
  std::erase_if(given, [&](double number) { return same_number(number, value); });
  return [value, given = std::move(given)](std::string_view text) -> Answer {
    const Reading reading = read_reply(text);
    const std::vector<Token>& tokens = reading.tokens;
    std::vector<double> values(tokens.size(), 0);
    const auto is_given = [&](double number) {
      return std::any_of(given.begin(), given.end(),
                         [&](double other) { return same_number(number, other); });
    };
    auto asserted = reading.asserted([&](std::size_t at) {
      values[at] = tokens[at].value;
      return tokens[at].kind == Token::Kind::number && !is_given(values[at]) &&
             !has_operator(tokens, at, -1) && !has_operator(tokens, at, 1);
    });
    if (asserted.empty()) {
      std::vector<bool> is_number(tokens.size(), false);
      for (const WordedNumber& number : worded_numbers(tokens)) {
        values[number.first] = number.value;
        is_number[number.first] = !is_given(number.value);
      }
      asserted = reading.asserted([&](std::size_t at) { return is_number[at]; });
    }
    if (asserted.empty()) return {};
    const std::size_t last = reading.called_answer(asserted).back();
    for (const std::size_t at : asserted) {
      const bool differs = !same_number(values[at], values[last]);
      if (differs && reading.are_alternatives(at, last)) {
        return {Answer::Kind::other, fmt::format("{:.15g} or {:.15g}", values[at], values[last])};
      }
    }
    if (same_number(values[last], value)) return {Answer::Kind::right};
    return {Answer::Kind::other, fmt::format("{:.15g}", values[last])};
  };
}

AnswerReader reads_name(std::string_view wanted, std::vector<std::string> others,
                        std::vector<std::string> asked) {
  return [word = ascii_lower(wanted), others = lower(std::move(others)),
          asked = lower(std::move(asked))](std::string_view text) -> Answer {
    const Reading reading = read_reply(text);
    const std::vector<Token>& tokens = reading.tokens;
    std::vector<bool> is_name(tokens.size(), false);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      is_name[i] = tokens[i].kind == Token::Kind::word &&
                   (tokens[i].text == word || has(others, tokens[i].text)) &&
                   (tokens[i].text != "may" || means_a_month(tokens, i));
    }
    const std::vector<bool> listed = in_a_list(tokens, is_name);
    const auto is_asked = [&](const Token& token) {
      return token.text != word && has(asked, token.text);
    };
    const auto is_answer = [&](std::size_t at) {
      return is_name[at] && !listed[at] && !is_asked(tokens[at]);
    };
    return only_word(reading, reading.asserted([&](std::size_t at) {
      if (!is_answer(at)) return false;
      if (!is_reference(tokens, at) &&
          !(at > 1 && tokens[at - 1].is_word("and") && is_asked(tokens[at - 2]) &&
            is_reference(tokens, at - 2))) {
        return true;
      }
      // "Monday is before Tuesday" says what comes after Monday; "the day after Tuesday" does not.
      bool names_asked = false;
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].sentence != tokens[at].sentence || i == at) continue;
        if (is_answer(i) && !is_reference(tokens, i)) return false;
        names_asked = names_asked || (is_name[i] && is_asked(tokens[i]));
      }
      return names_asked;
    }),
                     word);
  };
}

AnswerReader reads_reversed(std::string_view written) {
  const std::string original = ascii_lower(written);
  return [original, word = std::string(original.rbegin(), original.rend())](std::string_view text) {
    const Reading reading = read_reply(text);
    return only_word(reading, reading.asserted([&](std::size_t at) {
      const Token& token = reading.tokens[at];
      if (token.kind != Token::Kind::word && token.kind != Token::Kind::spelled) return false;
      return token.text != original && looks_like(token.text, word);
    }),
                     word);
  };
}

AnswerReader reads_spelling(std::string_view written) {
  return [word = ascii_lower(written)](std::string_view text) {
    const Reading reading = read_reply(text);
    return only_word(reading, reading.asserted([&](std::size_t at) {
      return reading.tokens[at].kind == Token::Kind::spelled;
    }),
                     word);
  };
}

}  // namespace pleiad::eval
