#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "server_bench/answer.h"
#include "server_bench/machine_state.h"
#include "server_bench/server.h"

namespace pleiad::server_bench {

/// So many tokens of a prompt, and so many generated ones.
struct Shape {
  std::int64_t prompt_tokens = 26;
  std::int64_t generated_tokens = 256;

  std::string name() const;  // "26 -> 256"
};

/// What a figure is, and whose clock and count it comes from.
enum class Figure : std::uint8_t {
  generation,         // tokens a second, the server's count over the server's time
  client_generation,  // ... over the time from the first to the last piece that we saw
  prefill,            // tokens of the prompt that were not cached, over the server's time
  client_prefill,     // ... over the time until the first piece
  first_token,        // seconds until the first piece
  total,              // of parallel requests: tokens a second, all answers of a round in sum
};
/// Those that each answer has.
inline constexpr Figure kFigures[] = {Figure::generation, Figure::client_generation,
                                      Figure::prefill, Figure::client_prefill, Figure::first_token};

struct Mark;
bool has_code(const std::vector<Mark>& marks, const std::string& code);

/// Something that makes a number doubtful, or that makes it mean something else.
struct Mark {
  std::string code;            // "cache_hit"
  std::string text;            // in words, with the numbers behind it
  std::vector<Figure> spoils;  // figures that are not shown as if they were valid
};

/// One answer with what was going on around it.
struct Run {
  Answer answer;
  double began = 0;  // on monotonic_seconds(), for those that overlap
  std::optional<std::vector<RunningModel>> running;  // afterwards, where it is told
  std::optional<std::int64_t> context_length;        // afterwards
  MachineState machine;  // where the server is local: its clocks while it answered
  std::string failure;   // why there is no answer; empty: there is
  std::vector<Mark> marks;

  bool spoils(Figure figure) const;
};

/// The answers of one shape, alone or with others at the same time.
struct Row {
  Shape shape;
  int n_parallel = 1;
  std::vector<Run> runs;                   // n_parallel in each round
  std::vector<double> round_seconds;       // from the first question to the last piece; parallel
  std::vector<std::int64_t> round_tokens;  // generated in it
  std::vector<Mark> marks;                 // of the row as a whole

  // New prompts of the same length asked for one token, and each of them once more: what a
  // cache gives away.
  std::vector<Answer> fresh, repeated;
  // The prompts by which the texts of answers were counted again: longer ones, for one token.
  std::vector<Answer> recounts;
};

/// The value of an answer; empty where the server does not tell what it needs.
std::optional<double> value_of(const Answer& answer, Figure figure);

/// Over the runs whose figure is not spoiled.
struct Summary {
  std::optional<Spread> spread;  // empty: not one is left
  int n_used = 0;
  bool spoiled = false;              // there were values, and not one that is valid
  std::vector<std::string> reasons;  // the codes of the marks that spoil values, each once
};
/// `total` is of rounds, and spoiled as a whole by any run that it has in it.
Summary summarize(const Row& row, Figure figure);

/// One model on a server.
struct ModelResult {
  std::string model;
  std::vector<std::string> unloaded;   // before it
  std::optional<double> load_seconds;  // our clock; where the server loads on demand
  double first_answer_seconds = 0;     // of one token, after that
  std::optional<std::int64_t> context_length;
  LengthControl length = LengthControl::none;
  bool counted = false;       // the server tells how many tokens a prompt has
  std::int64_t overhead = 0;  // tokens of the template, part of every prompt
  std::vector<Row> rows;
  std::string failure;  // what ended it early; empty: nothing
};

struct ServerReport {
  std::string program;  // with version and commit
  std::string address;
  ServerInfo server;
  bool local = false;
  std::uint64_t seed = 0;
  std::vector<ModelResult> models;
  bool interrupted = false;
};

}  // namespace pleiad::server_bench
