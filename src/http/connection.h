#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "http/answer.h"
#include "http/body_budget.h"
#include "http/core.h"
#include "http/gate.h"
#include "http/message_parser.h"
#include "http/request_head.h"

namespace pleiad::http {

/// One client: its requests one after the other. Everything runs on the strand of
/// its socket, but stop(), cut() and what answers call.
///
/// A read is always waiting, so that a client that closes is noticed while its
/// request is computed. A client that only ends its own sending looks the same and
/// counts as gone, unless its answer is complete; then it still gets that.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;

  Connection(std::shared_ptr<Core> core, Socket socket, Peer peer);

  ~Connection();

  void start();
  /// Answers that, whatever comes, and closes.
  void start_refusing(Response answer);
  /// Closes, unless something has come meanwhile.
  void give_way();
  /// Closes once the answer in progress, if any, is sent.
  void stop();
  void cut();

 private:
  enum class Phase : std::uint8_t { head, body, handling, linger };
  using Clock = std::chrono::steady_clock;
  using Error = boost::system::error_code;

  // connection_read.cc: what the client sends
  void want_input();
  void on_readable(const Error& error);
  void on_input_end();
  void advance();
  void read_head();
  void on_head();
  void read_body();
  bool take_piece(std::string_view piece);
  bool open_sink();
  void dispatch();
  void refuse(const Refusal& refusal);
  void start_answer();
  void on_read_timeout();

  // connection_write.cc: what it gets
  void flush();
  void write_some();
  void on_written(const Error& error, std::size_t bytes);
  void finish_request();
  void next_request();
  void linger(double seconds);
  void close();
  void record(bool client_gone);

  // connection.cc
  void post_flush();
  void arm_timer();
  void on_timer(const Error& error);
  static Clock::time_point after(double seconds);

  const std::shared_ptr<Core> core_;
  Socket socket_;
  boost::asio::steady_timer timer_;
  const Peer peer_;

  Phase phase_ = Phase::head;
  std::string input_;  // what has come and is not read yet
  bool reading_ = false;
  bool writing_ = false;
  bool at_end_ = false;  // the client sends no more
  bool closed_ = false;
  std::optional<Clock::time_point> read_deadline_;
  std::optional<Clock::time_point> write_deadline_;
  std::optional<Clock::time_point> timer_set_for_;

  // Of the request in progress.
  std::unique_ptr<MessageParser> parser_;  // null: nothing of it has come
  RequestHead head_;
  Admission admission_;
  std::string from_;                // who asks, for the log; empty: the peer
  std::shared_ptr<Answer> answer_;  // null: its head is not complete
  std::uint64_t body_bytes_ = 0;
  BodyBudget::Share body_share_;  // of a long body, until a worker has it
  std::uint64_t bytes_since_deadline_ = 0;
  bool unread_body_ = false;  // it ends without its body having been read
  AccessRecord record_;
  double received_ = 0;

  std::vector<std::string> output_;  // being written
  std::size_t output_piece_ = 0;     // the first that is not out
  std::size_t output_offset_ = 0;
};

}  // namespace pleiad::http
