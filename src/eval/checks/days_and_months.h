#pragma once

#include <string>
#include <vector>

namespace pleiad::eval {

/// The answers that may stand beside the right one by mistake.
inline const std::vector<std::string>& days_and_months() {
  static const std::vector<std::string> names = {
      "Monday",  "Tuesday",   "Wednesday", "Thursday", "Friday",  "Saturday", "Sunday",
      "January", "February",  "March",     "April",    "May",     "June",     "July",
      "August",  "September", "October",   "November", "December"};
  return names;
}

}  // namespace pleiad::eval
