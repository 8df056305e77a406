#pragma once

#include <string_view>

namespace pleiad::eval {

/// The Python program that calls a function: reads {"program": text, "function": name, "calls":
/// [[argument, ...], ...]} and prints [{"value": result, "arguments": what they are then}, ...].
/// It shares the interpreter with the program, so nothing depends on its being left in peace: what
/// it prints is judged as if the program had printed it.
extern const std::string_view kCodeRunner;

/// The Python program that reads another one, without running it, and prints the names which it
/// uses: ["name", ...].
extern const std::string_view kNamesReader;

}  // namespace pleiad::eval
