#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "eval/verdict.h"

// What the checks judge replies with. Markdown, upper case, full stops and a sentence
// around the answer are no mistakes; another answer beside it is one.
namespace pleiad::eval::graders {

/// The numbers first, first + step, ..., last in a row and none behind them; at most two other
/// numbers stand before ("here are the numbers from 1 to 50").
Grader counts(int first, int last, int step = 1);

/// The last number of the reply.
Grader ends_with_number(double value);

/// Has the word, and none of `others` but those in `allowed`.
Grader names(std::string_view word, std::vector<std::string> others,
             std::vector<std::string> allowed = {});

/// Has the word as a word of its own.
Grader has_word(std::string_view word);

/// Has the letters of the word one by one ("c-h-e-r-r-y").
Grader spells(std::string_view word);

/// No letter in lower case, and `grade` is content.
Grader in_capitals(Grader grade);

/// Nothing but JSON (in a fence or alone) of which `holds` is true; `expected` says what.
Grader is_json(std::function<bool(const Json&)> holds, std::string_view expected);

/// Nothing but JSON that is valid under the schema and has these values: by JSON pointer.
Grader matches_schema(Json schema, Json values_by_pointer);

/// One call, of this tool with these arguments: words without regard to case, numbers by value.
/// An argument in `optional` may be there with any value.
Grader calls(std::string_view tool, Json arguments, std::vector<std::string> optional = {});

/// The first call's argument of that name is a text with the word in it.
Grader argument_has_word(std::string_view argument, std::string_view word);

/// An answer in words and no call.
Grader calls_nothing();

/// So many words of the answer at least (thoughts do not count), without running in circles.
Grader runs_long(std::size_t min_words);

/// Every one of them.
Grader all_of(std::vector<Grader> graders);

}  // namespace pleiad::eval::graders
