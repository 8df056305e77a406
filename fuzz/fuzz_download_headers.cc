// Headers of an answer to a download: the first line is the status and the Location, the others are
// the values of Content-Range, Content-Length, Content-Encoding, ETag, Retry-After and Link.
// Whatever they say, what is taken for good must hold together.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "download/file_answer.h"
#include "download/proxy_choice.h"
#include "download/response_headers.h"
#include "download/target.h"

namespace {

using namespace pleiad::download;

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

void check_file(const FileHead& head) {
  for (const bool is_promised : {false, true}) {
    Asked asked = {.host = "a.example", .first = 100, .last = 199, .size_is_promised = is_promised};
    if (is_promised) asked.size = 1000;
    const auto answer = judge(head, asked);
    if (!answer) {
      CHECK(answer.trouble() != Trouble::none && !answer.message().empty());
      continue;
    }
    const FileAnswer& taken = answer.value();
    CHECK(!is_promised || taken.size == 1000);
    if (taken.kind == FileAnswer::Kind::past_end) CHECK(taken.size == 100);
    if (taken.kind == FileAnswer::Kind::whole)
      CHECK(taken.size > 100 && taken.last + 1 == taken.size);
    if (taken.kind == FileAnswer::Kind::part) {
      CHECK(taken.last >= 100 && taken.last <= 199 && taken.last < taken.size);
    }
  }
}

void check_location(std::string_view location) {
  static const Surroundings surroundings = {.https_proxy = "http://proxy:1",
                                            .no_proxy = "b.example"};
  static const TargetRules rules(surroundings);
  static const Target from = rules.first("https://a.example/").value();
  const auto next = rules.next(from, true, location);
  if (next) CHECK(next.value().url->secure && !next.value().is_never_public());
  const auto first = rules.first(location);
  if (first) CHECK(first.value().url->secure || first.value().is_loopback);
  is_without_proxy(location, "models.example.com");
  is_without_proxy(location, "10.0.0.1");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string_view first = take_line(text);
  constexpr std::array kStatuses = {200, 206, 416};
  FileHead head = {.status =
                       first.empty() ? 206 : kStatuses[static_cast<unsigned char>(first[0]) % 3]};
  if (!first.empty()) first.remove_prefix(1);
  head.content_range = take_line(text);
  head.content_length = take_line(text);
  head.content_encoding = take_line(text);
  head.etag = take_line(text);
  check_file(head);
  check_location(first);

  if (const auto tag = parse_entity_tag(head.etag)) {
    CHECK(parse_entity_tag(tag->text()) == tag);
    CHECK(tag->text().find('\r') == std::string::npos);
  }
  const auto wait = parse_retry_after(take_line(text), 1.7e9);
  CHECK(!wait || (std::isfinite(*wait) && *wait >= 0));
  const std::string link = parse_link(text, "next");
  CHECK(text.find(link) != std::string_view::npos);
  return 0;
}
