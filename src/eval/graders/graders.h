#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "eval/graders/answers.h"
#include "eval/verdict.h"

// What the checks judge replies with. Markdown, upper case, full stops and a sentence around the
// answer are no mistakes; another answer beside it is one, as is an answer that is denied, asked
// or taken back ("Not Tuesday.", "47? No, 48.").
namespace pleiad::eval::graders {

/// The numbers first, first + step, ..., last in a row, in digits or in words, and none behind
/// them in the same sentence.
Grader counts(int first, int last, int step = 1);

/// The text commits itself to the right answer.
Grader answers(AnswerReader read, std::string_view expected);

/// Commits itself to the number, in digits or in words. The numbers of the question are no answer
/// where the value is none of them.
Grader ends_with_number(double value, std::string_view question = "");

/// Has the word, and none of `others` but those in `asked`, which the question names.
Grader names(std::string_view word, std::vector<std::string> others,
             std::vector<std::string> asked = {});

/// Has the word as a word of its own, neither denied nor asked nor one of two ("this or that").
Grader has_word(std::string_view word);

/// Says yes, or no: the first of the two words that it says decides.
Grader affirms(bool yes);

/// Has the word written backwards.
Grader reverses(std::string_view word);

/// Has the letters of the word one by one ("c-h-e-r-r-y").
Grader spells(std::string_view word);

/// No letter in lower case, and `grade` is content.
Grader in_capitals(Grader grade);

/// Nothing but a JSON object (in a fence or alone) whose values give the right answer and no other.
/// Where keys name what is asked ("answer", "result", a word of the question), they decide.
Grader answers_in_json(AnswerReader read, std::string_view question, std::string_view expected);

/// Nothing but JSON that is valid under the schema and has these values: patterns
/// (eval/json_pattern.h) by JSON pointer.
Grader matches_schema(Json schema, Json patterns_by_pointer);

/// One call, of this tool with these arguments: patterns (eval/json_pattern.h) by name. An
/// argument in `optional` may be there with any value.
Grader calls(std::string_view tool, Json arguments, std::vector<std::string> optional = {});

/// Every call is of one of these tools (as in a request), its arguments valid under its schema.
Grader calls_as_declared(Json tools);

/// The first call's argument of that name is a text with the word in it.
Grader argument_has_word(std::string_view argument, std::string_view word);

/// An answer in words and no call, nor the text of one ("get_time(...)").
Grader calls_nothing();

/// So many lines of three words or more at least (a slash parts lines too), with a word that
/// begins so.
Grader writes_lines(std::size_t n_lines, std::string_view stem);

/// So many words of English prose at least (thoughts do not count), without running in circles
/// or falling apart, with words that begin with one of these stems: the matter.
Grader runs_long(std::size_t min_words, std::vector<std::string> stems = {});

/// Every one of them.
Grader all_of(std::vector<Grader> graders);

}  // namespace pleiad::eval::graders
