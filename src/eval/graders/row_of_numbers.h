#pragma once

#include <string>
#include <string_view>

namespace pleiad::eval {

/// What is wrong with a text that is to count from `first` to `last`; empty where nothing is.
/// Numbers may be in digits or in words, numbered as a list or not. Two numbers may stand before
/// the row ("from 1 to 50"), or a row that is taken back; behind it only those of another sentence
/// or of a remark ("That is 50 numbers.").
std::string wrong_in_count(std::string_view text, int first, int last, int step);

}  // namespace pleiad::eval
