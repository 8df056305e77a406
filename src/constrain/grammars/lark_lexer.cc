#include "constrain/grammars/lark_lexer.h"

#include <fmt/format.h>

#include <utility>

#include "constrain/grammars/lark_imports.h"
#include "text/unicode.h"

namespace pleiad::constrain::grammars {
namespace {

using Word = LarkWord;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

class LarkLexer {
 public:
  explicit LarkLexer(SourceText& source) : source_(source) {}

  std::vector<Word> lex() {
    while (!source_.at_end()) lex_one();
    add(Word::Kind::line, {}, source_.at());
    add(Word::Kind::end, {}, source_.at());
    find_imported_names(words_);
    return std::move(words_);
  }

 private:
  void add(Word::Kind kind, std::string text, std::size_t at) {
    words_.push_back({kind, std::move(text), {}, at});
  }

  void lex_one() {
    const char c = source_.peek();
    const std::size_t at = source_.at();
    if (c == ' ' || c == '\t' || c == '\r') {
      source_.skip(1);
    } else if (c == '\\' && (source_.peek(1) == '\n' || source_.peek(1) == '\r')) {
      source_.skip(source_.peek(1) == '\r' ? 3 : 2);  // the line goes on
    } else if (c == '#' || source_.starts_with("//")) {
      source_.skip_line();
    } else if (c == '\n') {
      source_.skip(1);
      if (words_.empty() || words_.back().kind != Word::Kind::line) add(Word::Kind::line, {}, at);
    } else if (c == '"') {
      lex_text();
    } else if (c == '/') {
      lex_regex();
    } else if (c == '%') {
      source_.skip(1);
      std::string name = "%";
      while (is_lower(source_.peek())) name += take();
      const bool has_schema = name == "%json";
      const bool has_object = name == "%regex" || name == "%llguidance";
      add(Word::Kind::directive, std::move(name), at);
      if (has_schema) lex_json("a JSON schema, an object");
      if (has_object) lex_json("an object of JSON");
    } else if (is_digit(c)) {
      std::string number;
      while (is_digit(source_.peek())) number += take();
      if (number == "0" && (source_.peek() == 'x' || source_.peek() == 'X')) {
        do number += take();
        while (is_hex_digit(source_.peek()));
      }
      add(Word::Kind::number, std::move(number), at);
    } else if (c == '<' || c == '@') {
      lex_token();
    } else if (c == '_' && !is_lower(source_.peek(1)) && !is_upper(source_.peek(1))) {
      source_.skip(1);
      add(Word::Kind::sign, "_", at);
    } else if (is_lower(c) || is_upper(c) || c == '_' || c == '!') {
      lex_name();
    } else if (c == '?' && (is_lower(source_.peek(1)) || source_.peek(1) == '_') && begins_line()) {
      source_.skip(1);  // which branches of a tree are kept is nothing to replies
      lex_name();
    } else {
      lex_sign();
    }
  }

  /// An object: up to the '}' that closes it. What is between them is read later.
  void lex_json(std::string_view what) {
    while (std::string_view(" \t\r\n").find(source_.peek()) != std::string_view::npos &&
           !source_.at_end()) {
      source_.skip(1);
    }
    const std::size_t at = source_.at();
    if (source_.peek() != '{') {
      source_.fail(fmt::format("expected {}, found {}", what, source_.found()));
      return;
    }
    std::string text;
    int depth = 0;
    bool in_string = false;
    do {
      if (source_.at_end()) {
        source_.fail_at(at, "this '{' is not closed");
        return;
      }
      const char c = source_.peek();
      if (c == '"') in_string = !in_string;
      if (in_string && c == '\\') text += take();
      if (!in_string && c == '{') ++depth;
      if (!in_string && c == '}') --depth;
      text += take();
    } while (depth > 0);
    add(Word::Kind::json, std::move(text), at);
  }

  bool begins_line() const { return words_.empty() || words_.back().kind == Word::Kind::line; }
  char take() {
    const char c = source_.peek();
    source_.skip(1);
    return c;
  }

  void lex_name() {
    const std::size_t at = source_.at();
    (void)source_.take("!");
    (void)source_.take("?");
    std::string name;
    if (source_.peek() == '_') name += take();
    const bool lower = is_lower(source_.peek());
    if (!lower && !is_upper(source_.peek())) {
      source_.fail_at(at, fmt::format("expected a name, found {}", source_.found()));
      return;
    }
    for (char c = source_.peek(); is_digit(c) || c == '_' || c == '-' || is_lower(c) || is_upper(c);
         c = source_.peek()) {
      if (c == '-' && source_.peek(1) == '>') break;  // an alias
      if (lower ? is_upper(c) : is_lower(c)) {
        source_.fail("a name is in lower case (a rule) or in upper case (a terminal)");
        return;
      }
      name += take();
    }
    add(lower ? Word::Kind::rule : Word::Kind::terminal, std::move(name), at);
  }

  void lex_token() {
    const std::size_t at = source_.at();
    if (source_.peek() == '@') {
      source_.fail(
          "'@', which names other grammars of a request, is not supported: %lark {...} and %json "
          "{...} hold them");
      return;
    }
    std::string name;
    while (!source_.at_end() && source_.peek() != '>' && source_.peek() != '\n') name += take();
    if (!source_.take(">")) {
      source_.fail_at(at, "this '<' is not closed");
      return;
    }
    add(Word::Kind::token, std::move(name), at);
  }

  void lex_flags(std::string_view known) {
    while (is_lower(source_.peek())) {
      if (known.find(source_.peek()) == std::string_view::npos) {
        source_.fail(fmt::format("the flag '{}' is not supported", source_.peek()));
        return;
      }
      words_.back().flags += take();
    }
  }

  void lex_text() {
    const std::size_t at = source_.at();
    source_.skip(1);
    std::string text;
    while (!source_.take("\"")) {
      if (source_.at_end() || source_.peek() == '\n') {
        source_.fail_at(at, "this '\"' is not closed");
        return;
      }
      text::append_utf8(text, source_.peek() == '\\' ? lex_escape() : source_.take_character());
      if (source_.failed()) return;
    }
    add(Word::Kind::text, std::move(text), at);
    lex_flags("i");
  }

  char32_t lex_escape() {
    const std::size_t at = source_.at();
    source_.skip(1);
    const char c = take();
    constexpr std::string_view kLetters = "nrtfvb0\\\"'/";
    constexpr std::string_view kCodes("\n\r\t\f\v\b\0\\\"'/", 11);
    if (const std::size_t known = kLetters.find(c); known != std::string_view::npos && c != '\0') {
      return static_cast<unsigned char>(kCodes[known]);
    }
    if (c == 'x') return source_.take_hex(2);
    if (c == 'U') return source_.take_hex(8);
    if (c == 'u') {
      const char32_t code = source_.take_hex(4);
      if (code < 0xD800 || code > 0xDFFF) return code;
      if (code < 0xDC00 && source_.take("\\u")) {
        const char32_t low = source_.take_hex(4);
        if (low >= 0xDC00 && low <= 0xDFFF) {
          return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        }
      }
      source_.fail_at(at, "this is half a character: halves come as pairs");
      return 0;
    }
    source_.fail_at(at,
                    "this escape is not known: there are \\n, \\r, \\t, \\f, \\v, \\b, \\0, "
                    "\\\\, \\\", \\', \\/, \\x, \\u and \\U");
    return 0;
  }

  void lex_regex() {
    const std::size_t at = source_.at();
    source_.skip(1);
    std::string pattern;
    while (!source_.take("/")) {
      if (source_.at_end()) {
        source_.fail_at(at, "this '/' is not closed");
        return;
      }
      if (source_.peek() == '\\') pattern += take();
      pattern += take();
    }
    if (pattern.empty()) {
      source_.fail_at(at, "expected a regular expression between '/'");
      return;
    }
    add(Word::Kind::regex, std::move(pattern), at);
    lex_flags("imsux");
  }

  void lex_sign() {
    const std::size_t at = source_.at();
    for (const std::string_view sign : {"::", "->", ".."}) {
      if (!source_.take(sign)) continue;
      add(Word::Kind::sign, std::string(sign), at);
      return;
    }
    if (std::string_view(":|()[]{}*+?~,.=&-").find(source_.peek()) == std::string_view::npos) {
      source_.fail(fmt::format("expected a rule or a part of one, found {}{}", source_.found(),
                               source_.peek() == '\'' ? ": texts stand in double quotes" : ""));
      return;
    }
    add(Word::Kind::sign, std::string(1, take()), at);
  }

  SourceText& source_;
  std::vector<Word> words_;
};

}  // namespace

std::vector<LarkWord> lex_lark(SourceText& source) { return LarkLexer(source).lex(); }

}  // namespace pleiad::constrain::grammars
