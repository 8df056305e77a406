#include "serving/answers/model_parameters.h"

#include <cmath>

#include "base/text_format.h"
#include "serving/request_error.h"

namespace pleiad::serving {
namespace {

/// Reads one PARAMETER; complaints name it and the model.
class ParameterReader {
 public:
  ParameterReader(const store::ModelEntry& entry, const std::string& key, const Json& value)
      : entry_(entry), key_(key), value_(value) {}

  double number() const {
    if (!value_.is_number()) fail("a number");
    return value_.get<double>();
  }
  std::int64_t integer() const {
    const double given = number();
    // Beyond 2^53 a double would not be the number that was written.
    if (given != std::floor(given) || std::abs(given) > 9007199254740992.0) fail("an integer");
    return static_cast<std::int64_t>(given);
  }
  int small_integer() const {
    const std::int64_t given = integer();
    if (given < INT32_MIN || given > INT32_MAX) fail("a 32-bit integer");
    return static_cast<int>(given);
  }
  void add_strings(std::vector<std::string>& out) const {
    if (value_.is_array()) {
      for (const Json& element : value_) {
        if (!element.is_string()) fail("strings");
        out.push_back(element.get<std::string>());
      }
    } else if (value_.is_string()) {
      out.push_back(value_.get<std::string>());
    } else {
      fail("a string");
    }
  }

 private:
  [[noreturn]] void fail(std::string_view expected) const {
    throw RequestError(ServiceError::Code::load_failed,
                       fmt::format("{}: PARAMETER {}: expected {}, found {}", entry_.name, key_,
                                   expected, printable(to_text(value_))));
  }

  const store::ModelEntry& entry_;
  const std::string& key_;
  const Json& value_;
};

/// False where the name means nothing here.
bool read(const std::string& key, const ParameterReader& value, ModelParameters& out) {
  SamplingRequest& sampling = out.sampling;
  if (key == "temperature") {
    sampling.temperature = value.number();
  } else if (key == "typical_p") {
    sampling.typical_p = value.number();
  } else if (key == "top_p") {
    sampling.top_p = value.number();
  } else if (key == "min_p") {
    sampling.min_p = value.number();
  } else if (key == "repeat_penalty") {
    sampling.repeat_penalty = value.number();
  } else if (key == "presence_penalty") {
    sampling.presence_penalty = value.number();
  } else if (key == "frequency_penalty") {
    sampling.frequency_penalty = value.number();
  } else if (key == "top_k") {
    sampling.top_k = value.small_integer();
  } else if (key == "repeat_last_n") {
    sampling.repeat_last_n = value.small_integer();
  } else if (key == "seed") {
    const std::int64_t seed = value.integer();
    if (seed >= 0) sampling.seed = static_cast<std::uint64_t>(seed);  // negative: a new one
  } else if (key == "num_predict") {
    out.max_tokens = value.integer();
  } else if (key == "num_ctx") {
    const std::int64_t length = value.integer();
    if (length > 0) out.context_length = length;  // 0: chosen by the server
  } else if (key == "stop") {
    value.add_strings(out.stop);
  } else {
    return false;
  }
  return true;
}

}  // namespace

ModelParameters model_parameters(const store::ModelEntry& entry) {
  ModelParameters out;
  for (const auto& [key, value] : entry.recipe.parameters) {
    if (!read(key, ParameterReader(entry, key, value), out)) {
      out.warnings.push_back(
          fmt::format("PARAMETER {} of {} has no effect here", printable(key), entry.name));
    }
  }
  return out;
}

}  // namespace pleiad::serving
