#pragma once

#include <optional>
#include <string_view>

#include "api/common/field_reader.h"
#include "serving/answer.h"

namespace pleiad::api {

/// Seconds of a duration as Go writes it: "5m", "1h30m", "-1s", "1.5h", "300ms";
/// a number without a unit counts as seconds. Empty where it is none of that.
std::optional<double> parse_duration(std::string_view text);

/// keep_alive in all its forms: a number of seconds or a duration; negative: for
/// ever; 0: unloaded when nothing needs it. Empty where the field is absent.
std::optional<serving::KeepAlive> read_keep_alive(FieldReader& request,
                                                  std::string_view key = "keep_alive");

}  // namespace pleiad::api
