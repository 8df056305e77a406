#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "server_bench/connection.h"

namespace pleiad::server_bench::testing {

/// The machine behind a fake server, in seconds.
struct Speed {
  double prompt_token = 0.002;
  double token = 0.01;
  double way = 0.001;  // there and back, with what every request costs
};

/// A question as a fake server meets it.
struct Asked {
  std::string prompt;
  std::int64_t n_wanted = 0;
  int nth = 0;            // of the questions for as many tokens, from 0
  int company = 0;        // 0: alone; otherwise which of those that ask at the same time, from 1
  bool repeated = false;  // this prompt was asked before

  /// Not one of those for a single token, by which a server is calibrated and probed.
  bool is_long() const { return n_wanted > 1; }
};

/// An answer as it is about to be given.
struct Draft {
  struct Part {
    double seconds = 0;  // after the request was sent
    std::string text;
    bool thought = false;
  };
  std::vector<Part> parts;
  double first = 0;  // when the first token was there, whatever the parts say
  std::int64_t prompt_tokens = 0;
  std::int64_t generated_tokens = 0;
  std::optional<std::int64_t> cached_tokens, thinking_tokens;
  double prompt_seconds = 0;
  double generation_seconds = 0;
  double load_seconds = 0;
  std::string model;
  std::string reason = "length";
  int status = 200;

  double end() const { return parts.empty() ? first : parts.back().seconds; }
  /// All parts and the end come so much later.
  void delay(double seconds);
};

/// What a fake server does to its honest answers, and what must come of it.
struct Behaviour {
  std::string name;
  std::function<void(const Asked&, Draft&)> bend = {};
  Speed speed = {};
  /// A code that the row of its lies must have; empty: honest, and not marked at all.
  std::string mark = {};
  bool lies_in_company = false;  // in the row of parallel requests
  bool needs_durations = false;  // makes no sense where the API tells none
  bool ollama_only = false;
  bool not_ollama = false;
  /// Of Ollama's API: what /api/ps has after an answer; empty: the model that was loaded.
  std::optional<std::vector<std::pair<std::string, std::int64_t>>> running = {};
  bool cache = false;  // keeps prompts, tells of it, and answers repeated ones sooner
};

/// 40 or so that cheat or misbehave, and those that do neither.
const std::vector<Behaviour>& behaviours();

enum class Dialect : std::uint8_t { ollama, llama_server, openai };
const char* name(Dialect dialect);

/// A server that computes nothing and takes no time: its clock is made up. A word is a token, and
/// its template has ten.
class FakeServer {
 public:
  FakeServer(Behaviour behaviour, Dialect dialect)
      : behaviour_(std::move(behaviour)), dialect_(dialect) {}

  client::HttpAnswer get(const std::string& path);
  client::HttpAnswer post(const std::string& path, const Json& body);
  /// The lines of an answer, each with its seconds, and its status.
  struct Line {
    double seconds = 0;
    std::string text;
  };
  int chat(const Json& body, int company, std::vector<Line>& lines);

  const Behaviour& behaviour() const { return behaviour_; }
  int next_connection() { return n_connections_++; }

 private:
  Draft honest(const Asked& asked) const;
  std::vector<Line> ollama_lines(const Draft& draft) const;
  std::vector<Line> openai_lines(const Draft& draft) const;

  Behaviour behaviour_;
  Dialect dialect_;
  std::mutex mutex_;
  std::set<std::string> seen_;
  std::vector<std::int64_t> wanted_;
  bool loaded_ = false;
  std::int64_t context_ = 4096;
  int n_connections_ = 0;
};

/// A connection to a fake server.
std::unique_ptr<Connection> fake_connection(std::shared_ptr<FakeServer> server);

/// Words between blanks, which are tokens here.
std::int64_t count_words(std::string_view text);
constexpr std::int64_t kTemplate = 10;

}  // namespace pleiad::server_bench::testing
