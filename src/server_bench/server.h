#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server_bench/answer.h"
#include "server_bench/answer_reader.h"
#include "server_bench/connection.h"

namespace pleiad::server_bench {

enum class Product : std::uint8_t { pleiad, ollama, llama_cpp, vllm, other };

/// What a server turned out to be.
struct ServerInfo {
  Api api = Api::ollama;
  Product product = Product::other;
  std::string name;  // "Pleiad 0.1.0", "llama-server", "a server with OpenAI's API"
};

/// A model that a server holds in memory.
struct RunningModel {
  std::string name;
  std::optional<std::int64_t> context_length;
};

/// How the length of answers is brought about.
enum class LengthControl : std::uint8_t {
  forced,     // the server promises to go on until then
  requested,  // it was asked to, and did not refuse
  none,       // the model stops where it likes
};

struct AskOptions {
  std::optional<std::int64_t> context_length;  // Ollama's num_ctx
  bool keeps_model = true;                     // the model shall stay loaded for the next question
};

/// A server under test. For one thread; another() is for another one.
class Server {
 public:
  /// Finds out what answers there. Throws Error where nothing does, or nothing that is
  /// known. `api`: only this one is tried.
  static Server connect(std::unique_ptr<Connection> connection, std::optional<Api> api);
  /// A connection of its own to the same server, asked in the same way.
  Server another() const { return Server(connection_->another(), info_, refuses_extras_); }

  const ServerInfo& info() const { return info_; }
  const std::string& address() const { return connection_->address(); }
  LengthControl length_control() const;
  /// Seconds of the clock by which its answers are timed.
  double now() const { return connection_->now(); }
  /// The quickest way there and back of a few questions without work, in seconds.
  double way_seconds();
  /// It tells what it holds, loads and unloads on demand.
  bool manages_models() const { return info_.api == Api::ollama; }

  /// The names of what can be asked.
  std::vector<std::string> models();
  /// Models in memory; empty optional where the server does not tell.
  std::optional<std::vector<RunningModel>> running();
  void unload(const std::string& model);
  /// Loads a model, where it manages them.
  void load(const std::string& model, const AskOptions& options);
  /// Of a loaded model, where it is told.
  std::optional<std::int64_t> context_length(const std::string& model);

  /// Asks in one turn, without thinking, for so many tokens at temperature 0.
  Answer ask(const std::string& model, const std::string& prompt, std::int64_t n_tokens,
             const AskOptions& options,
             const std::function<void(std::int64_t n_pieces)>& on_piece = {});

 private:
  Server(std::unique_ptr<Connection> connection, ServerInfo info, bool refuses_extras)
      : connection_(std::move(connection)),
        info_(std::move(info)),
        refuses_extras_(refuses_extras) {}

  std::unique_ptr<Connection> connection_;
  ServerInfo info_;
  bool refuses_extras_ = false;  // what its API has no word for was answered with a 400
};

/// The names are of the same model: Ollama's default tag may be left out.
bool is_same_model(const std::string& a, const std::string& b);

}  // namespace pleiad::server_bench
