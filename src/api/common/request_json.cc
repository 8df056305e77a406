#include "api/common/request_json.h"

#include <fmt/format.h>

#include <vector>

#include "api/common/request_error.h"
#include "base/text_format.h"

namespace pleiad::api {
namespace {

/// Counts what the parser meets, and stops it.
class Counter {
 public:
  explicit Counter(const JsonLimits& limits) : limits_(limits) {}

  void see(int depth, Json::parse_event_t event) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start || event == Event::array_start) {
      if (depth >= limits_.depth) {
        throw RequestError(
            "", fmt::format("the JSON is nested more than {} levels deep", limits_.depth));
      }
      if (event == Event::object_start) keys_.push_back(0);
      count_value();
    } else if (event == Event::object_end) {
      keys_.pop_back();
    } else if (event == Event::key) {
      count_key();
    } else if (event == Event::value) {
      count_value();
    }
  }

 private:
  void count_value() {
    if (++values_ > limits_.values) {
      throw RequestError("", fmt::format("the JSON has more than {} values", limits_.values));
    }
  }

  void count_key() {
    std::size_t& keys = keys_.back();
    comparisons_ += keys++;
    if (keys > limits_.keys_per_object) {
      throw RequestError(
          "", fmt::format("an object in the JSON has more than {} keys", limits_.keys_per_object));
    }
    if (comparisons_ > limits_.key_comparisons) {
      throw RequestError("", "the JSON has too many large objects");
    }
  }

  const JsonLimits& limits_;
  std::vector<std::size_t> keys_;  // of each object that is open
  std::size_t values_ = 0;
  std::size_t comparisons_ = 0;
};

}  // namespace

Json parse_request(std::string_view body, const JsonLimits& limits) {
  if (body.empty()) throw RequestError("", "missing request body");
  Counter counter(limits);
  Json json;
  try {
    json = Json::parse(body, [&](int depth, Json::parse_event_t event, Json& /*value*/) {
      counter.see(depth, event);
      return true;
    });
  } catch (const Json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 6: ..."
    std::string_view what = error.what();
    if (const auto end = what.find("] "); end != what.npos) what.remove_prefix(end + 2);
    throw RequestError("", fmt::format("the body is not JSON: {}", printable(what, 300)));
  }
  if (!json.is_object()) {
    throw RequestError("", fmt::format("expected a JSON object, found {}", describe(json)));
  }
  return json;
}

std::string describe(const Json& value) {
  switch (value.type()) {
    case Json::value_t::string:
      return fmt::format("\"{}\"", printable(value.get_ref<const std::string&>(), 60));
    case Json::value_t::array:
      return fmt::format("a list of {}", value.size());
    case Json::value_t::object:
      return "an object";
    default:
      return to_text(value);
  }
}

}  // namespace pleiad::api
