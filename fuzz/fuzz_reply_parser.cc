// The parsed whole does not depend on how a reply was cut into pieces. The first
// bytes choose the options and the cuts.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "text/reply_parser.h"

namespace {

using namespace pleiad::text;

Reply parse(std::string_view text, ReplyOptions options, bool cut_off, std::uint8_t step) {
  ReplyParser parser(options);
  Reply reply;
  const auto add = [&](std::vector<ReplyEvent> events) {
    for (ReplyEvent& event : events) reply.add(std::move(event));
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
                                .spelled_tags = (data[0] & 8) == 0};
  const bool cut_off = (data[0] & 16) != 0;
  const Reply whole = parse(text, options, cut_off, 0);
  const Reply parts = parse(text, options, cut_off, data[1] | 1);
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
