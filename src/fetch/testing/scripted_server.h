#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace pleiad::fetch::testing {

/// A server on 127.0.0.1 that answers each path with bytes as they are given, right or wrong, one
/// connection after the other; an empty answer leaves the client waiting.
class ScriptedServer {
 public:
  explicit ScriptedServer(std::map<std::string, std::string> answers);
  ~ScriptedServer() { stop(); }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  void answer(const std::string& path, const std::string& bytes);
  std::uint16_t port() const { return port_; }
  /// The heads of all requests so far.
  std::vector<std::string> requests() const;
  void stop();

 private:
  void serve();
  void serve(int client);
  std::string answer_to(const std::string& head);

  mutable std::mutex mutex_;
  std::map<std::string, std::string> answers_;
  std::vector<std::string> requests_;
  std::vector<int> waiting_;  // clients without an answer
  int listening_ = -1;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

/// Status 200 with a length, and 302.
std::string ok_answer(const std::string& type, const std::string& body);
std::string redirect_to(const std::string& location);

}  // namespace pleiad::fetch::testing
