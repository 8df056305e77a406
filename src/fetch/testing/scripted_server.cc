#include "fetch/testing/scripted_server.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string_view>
#include <utility>

#include "base/testing/loopback.h"

namespace pleiad::fetch::testing {

ScriptedServer::ScriptedServer(std::map<std::string, std::string> answers)
    : answers_(std::move(answers)) {
  const LoopbackListener listener = listen_on_loopback(16);
  listening_ = listener.socket;
  port_ = listener.port;
  thread_ = std::thread([this] { serve(); });
}

void ScriptedServer::stop() {
  if (!thread_.joinable()) return;
  ::shutdown(listening_, SHUT_RDWR);
  thread_.join();
  ::close(listening_);
  for (const int client : waiting_) ::close(client);
}

void ScriptedServer::answer(const std::string& path, const std::string& bytes) {
  const std::lock_guard lock(mutex_);
  answers_[path] = bytes;
}

std::vector<std::string> ScriptedServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void ScriptedServer::serve() {
  for (;;) {
    const int client = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    serve(client);
  }
}

std::string ScriptedServer::answer_to(const std::string& head) {
  const std::size_t begin = head.find(' ') + 1;
  const std::string path = head.substr(begin, head.find(' ', begin) - begin);
  const std::lock_guard lock(mutex_);
  requests_.push_back(head);
  const auto found = answers_.find(path);
  return found == answers_.end() ? "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
                                 : found->second;
}

void ScriptedServer::serve(int client) {
  std::string head;
  char buffer[1000];
  while (head.find("\r\n\r\n") == std::string::npos) {
    const ssize_t n = ::read(client, buffer, sizeof buffer);
    if (n <= 0) break;
    head.append(buffer, static_cast<std::size_t>(n));
  }
  const std::string answer = answer_to(head);
  if (answer.empty()) {
    waiting_.push_back(client);
    return;
  }
  for (std::string_view rest = answer; !rest.empty();) {
    const ssize_t n = ::send(client, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (n <= 0) break;
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  ::close(client);
}

std::string ok_answer(const std::string& type, const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Type: " + type +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string redirect_to(const std::string& location) {
  return "HTTP/1.1 302 Found\r\nLocation: " + location + "\r\nContent-Length: 0\r\n\r\n";
}

}  // namespace pleiad::fetch::testing
