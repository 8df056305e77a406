// The parsed whole does not depend on how a reply was cut into pieces, nor do the arguments of its
// calls while they come; those of a whole call are JSON. The first bytes choose the options and the
// cuts.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/json.h"
#include "base/utf8.h"
#include "text/reply_parser.h"

namespace {

using namespace pleiad::text;

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t n = pleiad::utf8_length(text);
    if (n == 0) return false;
    text.remove_prefix(n);
  }
  return true;
}

Reply parse(std::string_view text, ReplyOptions options, bool cut_off, std::uint8_t step,
            std::string& pieces) {
  ReplyParser parser(options);
  Reply reply;
  std::string json;  // of the call that has begun
  bool has_begun = false;
  const auto add = [&](std::vector<ReplyEvent> events) {
    for (ReplyEvent& event : events) {
      if (event.kind == ReplyEvent::Kind::call_begun) {
        json.clear();
        has_begun = true;
      }
      if (event.kind == ReplyEvent::Kind::call_arguments) json += event.text;
      if (event.kind == ReplyEvent::Kind::tool_call && std::exchange(has_begun, false)) {
        CHECK(pleiad::json_or_discarded(json).is_object(), "{}", json);
      }
      if (event.kind == ReplyEvent::Kind::broken_tool_call) has_begun = false;
      pieces += event.kind == ReplyEvent::Kind::call_begun ? event.name : "";
      pieces += event.kind == ReplyEvent::Kind::call_arguments ? event.text : "";
      reply.add(std::move(event));
    }
  };
  while (!text.empty()) {
    const std::size_t length = step == 0 ? text.size() : std::size_t{1} + step % 16;
    add(parser.push_text(text.substr(0, length)));
    text.remove_prefix(std::min(length, text.size()));
    if (step != 0) step = static_cast<std::uint8_t>(step * 5 + 3) | 1;
  }
  add(parser.finish(cut_off));
  return reply;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const ReplyOptions options = {.started_in_thinking = (data[0] & 1) != 0,
                                .thinking_enabled = (data[0] & 2) == 0,
                                .tools_enabled = (data[0] & 4) == 0,
                                .spelled_tags = (data[0] & 8) == 0,
                                .call_pieces = (data[0] & 32) != 0 && is_utf8(text)};
  const bool cut_off = (data[0] & 16) != 0;
  std::string pieces_of_whole, pieces_of_parts;
  const Reply whole = parse(text, options, cut_off, 0, pieces_of_whole);
  const Reply parts = parse(text, options, cut_off, data[1] | 1, pieces_of_parts);
  CHECK(pieces_of_whole == pieces_of_parts);
  CHECK(whole.thinking == parts.thinking);
  CHECK(whole.content == parts.content);
  CHECK(whole.tool_calls.size() == parts.tool_calls.size());
  for (std::size_t i = 0; i < whole.tool_calls.size(); ++i) {
    CHECK(whole.tool_calls[i].kind == parts.tool_calls[i].kind);
    CHECK(whole.tool_calls[i].name == parts.tool_calls[i].name);
    CHECK(whole.tool_calls[i].text == parts.tool_calls[i].text);
    CHECK(whole.tool_calls[i].arguments == parts.tool_calls[i].arguments);
  }
  return 0;
}
