#include "eval/graders/reading.h"

#include <algorithm>
#include <initializer_list>

#include "eval/graders/plain_text.h"

namespace pleiad::eval {
namespace {

bool starts_number(char c) { return c >= '0' && c <= '9'; }
bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

bool is_one_of(const Token& token, std::initializer_list<std::string_view> words) {
  return token.kind == Token::Kind::word &&
         std::find(words.begin(), words.end(), token.text) != words.end();
}

bool is_letter_alone(const Token& token) {
  return token.kind == Token::Kind::word && token.text.size() == 1;
}

std::vector<Token> split(std::string_view text, Commas commas) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < text.size();) {
    Token token;
    if (starts_number(text[at])) {
      token.kind = Token::Kind::number;
      token.value = read_number(text, at, commas);
      // Its minus is no sign of its own.
      if (token.value < 0) tokens.pop_back();
      tokens.push_back(std::move(token));
    } else if (is_word_byte(text[at])) {
      const std::size_t start = at;
      while (at < text.size() &&
             (is_word_byte(text[at]) || (at > start && starts_number(text[at])) ||
              (text[at] == '\'' && at + 1 < text.size() && is_word_byte(text[at + 1])))) {
        ++at;
      }
      const std::string_view written = text.substr(start, at - start);
      token.text = lower_text(written);
      token.is_capital = token.text[0] != written[0];
      if (token.text.ends_with("'s")) token.text.resize(token.text.size() - 2);
      tokens.push_back(std::move(token));
    } else {
      const char c = text[at++];
      if (c == ' ' || c == '\t' || c == '\r') continue;
      token.kind = c == '\n' ? Token::Kind::line_end : Token::Kind::sign;
      token.text = std::string(1, c);
      tokens.push_back(std::move(token));
    }
  }
  return tokens;
}

/// A word that is being spelled, as tokens from `first` to `last`.
struct Spelled {
  std::size_t first = 0;
  std::size_t last = 0;
  std::string letters;
  std::string separator;
};

std::vector<Spelled> spelled_in(const std::vector<Token>& tokens) {
  std::vector<Spelled> found;
  std::string separator;  // before what comes next
  bool goes_on = false;
  bool after_and = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (is_letter_alone(token)) {
      if (!goes_on) {
        found.push_back({i, i, token.text, {}});
      } else if (Spelled& word = found.back(); word.letters.size() == 1) {
        word = {word.first, i, word.letters + token.text, separator};
      } else if (separator == word.separator || after_and) {
        word.last = i;
        word.letters += token.text;
      } else if (word.letters.size() == 2) {  // "a l-e-m-o-n"
        word = {word.last, i, word.letters.substr(1) + token.text, separator};
      } else {
        found.push_back({i, i, token.text, {}});
      }
      goes_on = true;
      after_and = false;
      separator.clear();
    } else if (token.is_word("and") || token.is_sign('&')) {
      after_and = true;
    } else if (token.kind == Token::Kind::sign) {
      separator += token.text;
    } else if (token.kind == Token::Kind::word) {
      goes_on = false;
    }
  }
  std::erase_if(found, [](const Spelled& word) { return word.letters.size() < 3; });
  return found;
}

void join_spelled(std::vector<Token>& tokens) {
  const std::vector<Spelled> words = spelled_in(tokens);
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    Token& token = tokens[word->first];
    token.kind = Token::Kind::spelled;
    token.text = word->letters;
    const auto first = tokens.begin() + static_cast<std::ptrdiff_t>(word->first);
    tokens.erase(first + 1, first + static_cast<std::ptrdiff_t>(word->last - word->first) + 1);
  }
}

/// "Tuesday, isn't it?" and "47, right?" assert what stands before the comma.
bool is_tag(const std::vector<Token>& tokens, std::size_t comma, std::size_t end) {
  if (end - comma > 4 || comma + 1 >= end) return false;
  return is_one_of(tokens[comma + 1], {"right", "correct", "isn't", "ok", "okay", "yes"});
}

void find_sentences(std::vector<Token>& tokens) {
  std::size_t sentence = 0;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    Token& token = tokens[i];
    token.sentence = sentence;
    if (token.is_sign(')')) depth = std::max(depth - 1, 0);
    token.is_remark = depth > 0;
    if (token.is_sign('(')) ++depth;
    const bool ends = token.kind == Token::Kind::line_end || token.is_sign('.') ||
                      token.is_sign('!') || token.is_sign('?') || token.is_sign(';');
    if (!ends) continue;
    if (token.is_sign('?')) {
      std::size_t end = i;
      for (std::size_t k = begin; k < i; ++k) {
        if (tokens[k].is_sign(',') && is_tag(tokens, k, i)) end = begin;
      }
      for (std::size_t k = begin; k < end; ++k) tokens[k].is_asked = true;
    }
    ++sentence;
    begin = i + 1;
  }
}

bool ends_clause(const std::vector<Token>& tokens, std::size_t at) {
  const Token& token = tokens[at];
  if (token.kind == Token::Kind::line_end) return true;
  if (token.kind == Token::Kind::sign) {
    if (token.is_sign('-')) {  // a dash, but not that of "twenty-one" and "12 - 5"
      return at > 0 && at + 1 < tokens.size() && tokens[at + 1].is_sign('-');
    }
    return std::string_view(",;.!?:()").find(token.text[0]) != std::string_view::npos;
  }
  return is_one_of(token, {"but", "because", "since", "so"});
}

/// Whether what follows in the clause is denied.
bool denies(const std::vector<Token>& tokens, std::size_t at) {
  const Token& token = tokens[at];
  if (token.kind != Token::Kind::word) return false;
  const bool has_next = at + 1 < tokens.size();
  const auto next_is = [&](std::initializer_list<std::string_view> words) {
    return has_next && is_one_of(tokens[at + 1], words);
  };
  if (is_one_of(token,
                {"not", "never", "neither", "nor", "cannot", "except", "unlike", "without"}) ||
      token.text.ends_with("n't")) {
    return !next_is({"only", "just", "sure"});
  }
  if (token.text == "no") {
    return has_next && tokens[at + 1].has_content() && !next_is({"doubt", "question", "problem"});
  }
  if (is_one_of(token, {"instead", "rather", "other"})) return next_is({"of", "than"});
  if (token.text == "but") {  // "anything but this", "any day but this"
    for (std::size_t back = 1; back <= 2 && back <= at; ++back) {
      if (is_one_of(tokens[at - back], {"any", "anything", "every", "everything"})) return true;
    }
  }
  if (is_one_of(token, {"thought", "guessed"})) {  // "... but it is"
    return std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(at), tokens.end(),
                       [&](const Token& later) {
                         return later.sentence == token.sentence && later.is_word("but");
                       });
  }
  return false;
}

/// Whether what stands right before is denied: "this is wrong", "this isn't it".
bool denies_before(const std::vector<Token>& tokens, std::size_t at) {
  if (is_one_of(tokens[at], {"isn't", "wasn't", "can't"})) return true;
  return is_one_of(tokens[at], {"is", "was", "would", "seems"}) && at + 1 < tokens.size() &&
         is_one_of(tokens[at + 1], {"not", "wrong", "incorrect", "false", "too", "never"});
}

void find_denials(std::vector<Token>& tokens) {
  bool denied = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (ends_clause(tokens, i)) denied = false;
    tokens[i].is_denied = tokens[i].is_denied || denied;
    if (denies_before(tokens, i)) {
      std::size_t before = i;
      while (before > 0 && tokens[before - 1].kind == Token::Kind::sign &&
             (tokens[before - 1].is_sign('"') || tokens[before - 1].is_sign('\''))) {
        --before;
      }
      if (before > 0 && tokens[before - 1].has_content()) tokens[before - 1].is_denied = true;
    }
    if (denies(tokens, i)) denied = true;
  }
}

bool corrects(const std::vector<Token>& tokens, std::size_t at) {
  const Token& token = tokens[at];
  if (is_one_of(token, {"sorry", "wait", "actually", "correction", "oops", "meant"})) return true;
  const bool has_next = at + 1 < tokens.size();
  if (token.is_word("mean")) return at > 0 && tokens[at - 1].is_word("i");
  if (token.is_word("rather")) return at > 0 && tokens[at - 1].is_word("or");
  if (token.is_word("no")) {
    return (at == 0 || !tokens[at - 1].has_content()) && has_next && !tokens[at + 1].has_content();
  }
  return false;
}

}  // namespace

std::vector<std::size_t> Reading::asserted(
    const std::function<bool(std::size_t)>& is_candidate) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is_denied && !tokens[i].is_asked && is_candidate(i)) found.push_back(i);
  }
  for (auto correction = corrections.rbegin(); correction != corrections.rend(); ++correction) {
    if (found.empty() || found.back() < *correction) continue;
    std::erase_if(found, [&](std::size_t i) { return i < *correction; });
    break;
  }
  const auto is_remark = [&](std::size_t i) { return tokens[i].is_remark; };
  if (!std::all_of(found.begin(), found.end(), is_remark)) std::erase_if(found, is_remark);
  return found;
}

std::vector<std::size_t> Reading::called_answer(const std::vector<std::size_t>& asserted) const {
  for (std::size_t i = tokens.size(); i-- > 0;) {
    if (!is_one_of(tokens[i], {"answer", "result", "solution"}) || tokens[i].is_asked) continue;
    const auto next = std::find_if(asserted.begin(), asserted.end(),
                                   [&](std::size_t token) { return token > i; });
    if (next == asserted.end()) continue;
    // "Answer:", and on the next line what it is
    std::size_t sentence = tokens[*next].sentence;
    const bool near = std::none_of(tokens.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                   tokens.begin() + static_cast<std::ptrdiff_t>(*next),
                                   [&](const Token& between) {
                                     return sentence != tokens[i].sentence &&
                                            between.sentence != sentence && between.has_content();
                                   });
    if (!near) continue;
    std::vector<std::size_t> named;
    for (const std::size_t token : asserted) {
      if (token > i && tokens[token].sentence == sentence) named.push_back(token);
    }
    return named;
  }
  return asserted;
}

bool Reading::are_alternatives(std::size_t first, std::size_t second) const {
  if (first > second) std::swap(first, second);
  if (tokens[first].sentence != tokens[second].sentence || second - first > 5) return false;
  for (std::size_t i = first + 1; i < second; ++i) {
    if (tokens[i].is_word("or")) return true;
    const bool between = first > 0 && tokens[first - 1].is_word("between");
    if (between && tokens[i].is_word("and")) return true;
  }
  return false;
}

Reading read_reply(std::string_view text, Commas commas) {
  Reading reading;
  reading.tokens = split(with_ascii_signs(without_markup(text)), commas);
  join_spelled(reading.tokens);
  find_sentences(reading.tokens);
  find_denials(reading.tokens);
  for (std::size_t i = 0; i < reading.tokens.size(); ++i) {
    if (corrects(reading.tokens, i)) reading.corrections.push_back(i);
  }
  return reading;
}

}  // namespace pleiad::eval
