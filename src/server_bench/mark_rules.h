#pragma once

#include <string>
#include <vector>

#include "server_bench/marks.h"

namespace pleiad::server_bench {

void add_mark(std::vector<Mark>& marks, std::string code, std::string text,
              std::vector<Figure> spoils = {});

// The rules by which mark() finds what is wrong, by what they look at.

/// Hits of the prompt cache, told and not; prompts of another length.
void mark_prompts(Row& row, const Expectation& expected);
/// Thoughts, ends before their time, counts that nobody gave.
void mark_answers(Row& row);
/// Where what the server says of its speed cannot be what we saw.
void mark_clocks(Row& row);
/// Loading, other models, the context; clocks and heat of the machine.
void mark_surroundings(Row& row, const Expectation& expected);
/// Requests that were to run together, and did not.
void mark_company(Row& row);

}  // namespace pleiad::server_bench
