#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace pleiad {

/// Fills `bytes` from the system's generator, which nobody can foretell. Throws Error
/// where the system has none. Threads may call it at once.
void fill_random(std::span<std::byte> bytes);

/// `prefix` and then `length` of [a-z0-9], each as likely as the others: 5.17 bits a
/// letter, so 25 and more are beyond guessing (128 bits).
std::string random_name(std::string_view prefix, int length);

}  // namespace pleiad
