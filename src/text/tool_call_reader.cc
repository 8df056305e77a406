#include "text/tool_call_reader.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "text/call_text.h"
#include "text/tags.h"

namespace pleiad::text {
namespace {

constexpr int kMaxCallDepth = 64;
constexpr std::string_view kCall = "call:";

class CallReader {
 public:
  explicit CallReader(const ToolCallBody& body) : text_(body.text), quotes_(body.quotes) {}

  std::vector<ToolCall> calls;
  std::string problem;

  void read() {
    skip_blanks();
    do {
      call();
      while (at_ < text_.size() && (is_blank(text_[at_]) || is_closer(text_[at_])))
        move_to(at_ + 1);
    } while (problem.empty() && text_.substr(at_).starts_with(kCall));
    if (at_ < text_.size()) fail("there is text after the arguments");
  }

 private:
  void fail(const char* why) {
    if (problem.empty()) problem = why;
  }
  bool at_quote() const { return next_quote_ < quotes_.size() && quotes_[next_quote_] == at_; }
  bool at_end() const { return at_ == text_.size() && !at_quote(); }
  bool at(char c) const { return at_ < text_.size() && !at_quote() && text_[at_] == c; }

  /// Quote tokens that are jumped over do not count.
  void move_to(std::size_t offset) {
    at_ = offset;
    while (next_quote_ < quotes_.size() && quotes_[next_quote_] < at_) ++next_quote_;
  }
  void skip_blanks() {
    while (at_ < text_.size() && !at_quote() && is_blank(text_[at_])) ++at_;
  }

  void call() {
    if (!text_.substr(at_).starts_with(kCall)) return fail("it does not begin with \"call:\"");
    const std::size_t begin = at_ + kCall.size();
    const std::size_t brace = std::min(text_.find('{', begin), text_.size());
    ToolCall call{std::string(trim(text_.substr(begin, brace - begin))), Json::object()};
    if (!is_function_name(call.name)) return fail("it has no name");
    move_to(brace);
    while (at_quote()) ++next_quote_;  // around the name
    if (brace < text_.size()) call.arguments = object(1);
    calls.push_back(std::move(call));
  }

  Json value(int depth) {
    was_bare_text_ = false;
    skip_blanks();
    if (at_quote()) return quoted(depth);
    if (at('{') || at('[')) {
      if (depth >= kMaxCallDepth) {
        fail("the arguments are nested too deeply");
        return nullptr;
      }
      return at('{') ? object(depth + 1) : array(depth + 1);
    }
    std::string text;
    if ((at('"') || at('\'')) && character_quoted(",}]", text)) return text;
    return bare();
  }

  static Json& value_at(Json& object, std::size_t place) {
    return object.get_ref<Json::object_t&>().data()[place].second;
  }

  /// Sets a member, the last value of a key that comes again, and returns its place. An object
  /// itself would look for each key among all that came before it.
  static std::size_t set(Json& object, std::unordered_map<std::string, std::size_t>& places,
                         std::string key, Json value) {
    Json::object_t& all = object.get_ref<Json::object_t&>();
    const auto [at, is_new] = places.try_emplace(key, all.size());
    if (is_new) {
      all.emplace_back(std::move(key), std::move(value));
    } else {
      value_at(object, at->second) = std::move(value);
    }
    return at->second;
  }

  Json object(int depth) {
    Json out = Json::object();
    std::unordered_map<std::string, std::size_t> places;
    std::size_t last = 0;
    bool may_go_on = false;  // the last value was unquoted text: a comma may belong to it
    move_to(at_ + 1);
    while (problem.empty()) {
      const std::size_t separator = at_;
      skip_blanks();
      while (at(',')) {
        move_to(at_ + 1);
        skip_blanks();
      }
      if (at_end() || at(']')) break;
      if (at('}')) {
        move_to(at_ + 1);
        break;
      }
      std::string key;
      if (read_key(key)) {
        last = set(out, places, std::move(key), value(depth));
        may_go_on = was_bare_text_;
      } else if (may_go_on) {
        bare();
        const std::string_view more = text_.substr(separator, bare_end_ - separator);
        value_at(out, last).get_ref<std::string&>() +=
            more.substr(0, more.find_last_not_of(" \n") + 1);
      } else {
        fail("an argument has no ':'");
      }
    }
    was_bare_text_ = false;
    return out;
  }

  Json array(int depth) {
    Json out = Json::array();
    move_to(at_ + 1);
    while (problem.empty()) {
      skip_blanks();
      if (at(',')) {
        move_to(at_ + 1);
        continue;
      }
      if (at_end() || at('}')) break;
      if (at(']')) {
        move_to(at_ + 1);
        break;
      }
      out.push_back(value(depth));
    }
    was_bare_text_ = false;
    return out;
  }

  /// Reads up to and with the ':'. False, and nothing is read, where there is none.
  bool read_key(std::string& key) {
    const std::size_t begin = at_;
    const std::size_t begin_quote = next_quote_;
    bool may_be_empty = false;
    if (at_quote() && next_quote_ + 1 < quotes_.size()) {
      const std::size_t close = quotes_[next_quote_ + 1];
      key = text_.substr(at_, close - at_);
      next_quote_ += 2;
      at_ = close;
      may_be_empty = true;
    } else if ((at('"') || at('\'')) && character_quoted(":", key)) {
      // read
    } else {
      const std::size_t limit =
          at_quote() || next_quote_ >= quotes_.size() ? text_.size() : quotes_[next_quote_];
      const std::size_t end = std::min(text_.find_first_of(":,{}[]", at_), limit);
      key = trim(text_.substr(at_, end - at_));
      move_to(end);
    }
    skip_blanks();
    if (at(':') && (may_be_empty || !key.empty())) {
      move_to(at_ + 1);
      return true;
    }
    at_ = begin;
    next_quote_ = begin_quote;
    return false;
  }

  /// Text between two quote tokens. Where the second is missing, the text ends
  /// before the brackets that close what is open.
  std::string quoted(int depth) {
    ++next_quote_;
    const std::size_t begin = at_;
    if (next_quote_ < quotes_.size()) {
      at_ = quotes_[next_quote_++];
      return std::string(text_.substr(begin, at_ - begin));
    }
    std::size_t end = text_.size();
    for (int open = depth; open > 0; --open) {
      std::size_t closer = end;
      while (closer > begin && is_blank(text_[closer - 1])) --closer;
      if (closer == begin || !is_closer(text_[closer - 1])) break;
      end = closer - 1;
    }
    move_to(end);
    return std::string(text_.substr(begin, end - begin));
  }

  /// 'text' or "text", closed by a quote with one of `followers` or the end
  /// behind it, so that an apostrophe does not close it. False: no such quote.
  bool character_quoted(std::string_view followers, std::string& out) {
    const char mark = text_[at_];
    std::size_t& hopeless_from = hopeless_from_[mark == '"'][followers.size() == 1];
    if (at_ >= hopeless_from) return false;
    for (std::size_t end = text_.find(mark, at_ + 1); end != std::string_view::npos;
         end = text_.find(mark, end + 1)) {
      if (mark == '"' && is_escaped(end)) continue;
      std::size_t behind = end + 1;
      while (behind < text_.size() && is_blank(text_[behind])) ++behind;
      const bool closes = behind == text_.size() ? followers.size() > 1
                                                 : followers.find(text_[behind]) != followers.npos;
      if (!closes) continue;
      out = unescaped(text_.substr(at_, end + 1 - at_));
      move_to(end + 1);
      return true;
    }
    hopeless_from = at_;  // so later searches need not look
    return false;
  }

  bool is_escaped(std::size_t offset) const {
    std::size_t slashes = 0;
    while (slashes < offset && text_[offset - 1 - slashes] == '\\') ++slashes;
    return slashes % 2 == 1;
  }

  static std::string unescaped(std::string_view quoted) {
    if (quoted.front() == '"') {
      const Json parsed = json_or_discarded(quoted);
      if (parsed.is_string()) return parsed.get<std::string>();
    }
    return std::string(quoted.substr(1, quoted.size() - 2));
  }

  /// Unquoted text up to a ',' or a closing bracket that is not its own.
  Json bare() {
    const std::size_t begin = at_;
    int open = 0;
    std::size_t end = at_;
    for (; end < text_.size(); ++end) {
      const char c = text_[end];
      if (c == '{' || c == '[') ++open;
      if (open == 0 && (c == ',' || is_closer(c))) break;
      if (is_closer(c)) --open;
    }
    const std::size_t quotes_before = next_quote_;
    bare_end_ = end;
    move_to(end);
    while (at_quote()) ++next_quote_;
    const std::string_view text = trim(text_.substr(begin, end - begin));
    Json value = next_quote_ > quotes_before ? Json(std::string(text)) : bare_value(text);
    was_bare_text_ = value.is_string();
    return value;
  }

  std::string_view text_;
  std::span<const std::size_t> quotes_;
  std::size_t at_ = 0;
  std::size_t next_quote_ = 0;
  std::size_t bare_end_ = 0;
  bool was_bare_text_ = false;
  // From where on no closing quote is left: by mark (single, double) and use
  // (value, key).
  std::size_t hopeless_from_[2][2] = {{std::string_view::npos, std::string_view::npos},
                                      {std::string_view::npos, std::string_view::npos}};
};

}  // namespace

std::string ToolCallBody::raw() const {
  std::string out;
  std::size_t done = 0;
  for (const std::size_t quote : quotes) {
    out.append(text, done, quote - done).append(tag_text(Tag::quote));
    done = quote;
  }
  return out.append(text, done);
}

Result<std::vector<ToolCall>> read_tool_calls(const ToolCallBody& body) {
  CallReader reader(body);
  reader.read();
  if (!reader.problem.empty()) return Failure{reader.problem};
  return std::move(reader.calls);
}

}  // namespace pleiad::text
