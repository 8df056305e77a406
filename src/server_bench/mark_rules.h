#pragma once

#include <string>
#include <vector>

#include "server_bench/marks.h"

namespace pleiad::server_bench {

// What marks spoil together.
inline const std::vector<Figure> kOfOurClock = {Figure::first_token, Figure::client_prefill,
                                                Figure::client_generation};
inline const std::vector<Figure> kOfThePrompt = {Figure::prefill, Figure::client_prefill,
                                                 Figure::first_token};
inline const std::vector<Figure> kOfCountsAndOurClock = {
    Figure::generation, Figure::client_generation, Figure::total, Figure::first_token,
    Figure::client_prefill};
inline const std::vector<Figure> kEverything = {Figure::generation,     Figure::client_generation,
                                                Figure::total,          Figure::prefill,
                                                Figure::client_prefill, Figure::first_token};

/// Seconds: what is shorter is too short for two clocks to be compared closely.
inline constexpr double kShort = 0.05;

/// The new prompts of a row for one token that were answered; seconds until the first piece.
struct Probes {
  double fastest = 0, median = 0, slowest = 0;
  bool any = false;
};
Probes probes_of(const Row& row);

void add_mark(std::vector<Mark>& marks, std::string code, std::string text,
              std::vector<Figure> spoils = {});

// The rules by which mark() finds what is wrong, by what they look at.

/// Hits of the prompt cache, told and not; prompts of another length.
void mark_prompts(Row& row, const Expectation& expected);
/// Thoughts, tokens that nobody sees, ends before their time, counts that nobody gave.
void mark_answers(Row& row);
/// Pieces of text that did not come when they were made.
void mark_pieces(Row& row, const Expectation& expected);
/// Where what the server says of its speed cannot be what we saw.
void mark_clocks(Row& row, const Expectation& expected);
/// Loading, other models, the context; clocks and heat of the machine.
void mark_surroundings(Row& row, const Expectation& expected);
/// Runs that are far from the others.
void mark_spread(Row& row);
/// Requests that were to run together, and did not.
void mark_company(Row& row, const Expectation& expected);

}  // namespace pleiad::server_bench
