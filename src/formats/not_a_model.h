#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace pleiad {

/// Throws LoadError for what people have instead of a model file when a
/// download went wrong: nothing at all, a Git LFS pointer, a web page.
void refuse_what_is_no_model(std::span<const std::byte> bytes, const std::string& file);

}  // namespace pleiad
