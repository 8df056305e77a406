#pragma once

#include <string>
#include <string_view>

namespace pleiad {

// Numbers that were measured, as reports write them.

/// 5.4, 0.097, 123: three significant digits, never an exponent. For numbers from 0.001 on.
std::string short_number(double value);

/// The value with six significant digits, more than any measurement means; 0 for what
/// is infinite or not a number.
double rounded_measurement(double value);

/// A field of comma-separated values, quoted as RFC 4180 wants it.
std::string csv_field(std::string_view text);

}  // namespace pleiad
