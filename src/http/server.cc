#include "http/server.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <cerrno>
#include <chrono>
#include <exception>
#include <list>
#include <mutex>
#include <optional>
#include <thread>

#include "base/clock.h"
#include "base/work_pool.h"
#include "http/connection.h"
#include "http/core.h"
#include "http/listener.h"

namespace pleiad::http {
namespace {

namespace asio = boost::asio;

constexpr int kAcceptsAtOnce = 64;
constexpr std::chrono::milliseconds kPauseWithoutDescriptors(100);

}  // namespace

/// Takes connections from one listening socket.
class Door : public std::enable_shared_from_this<Door> {
 public:
  Door(std::shared_ptr<Core> core, Listener listener)
      : core_(std::move(core)),
        listener_(asio::make_strand(core_->io), listener.release()),
        pause_(listener_.get_executor()) {}

  void open() {
    listener_.async_wait(asio::posix::stream_descriptor::wait_read,
                         [self = shared_from_this()](const boost::system::error_code& error) {
                           if (!error) self->accept_all();
                         });
  }

  void close() {
    asio::post(listener_.get_executor(), [self = shared_from_this()] {
      boost::system::error_code ignored;
      self->listener_.close(ignored);
      self->pause_.cancel();
    });
  }

 private:
  void accept_all() {
    for (int i = 0; i < kAcceptsAtOnce && listener_.is_open(); ++i) {
      const int fd =
          accept4(listener_.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd >= 0) {
        if (!welcome(fd)) return wait_for_descriptors();
      } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        return wait_for_descriptors();
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        break;
      }
    }
    if (listener_.is_open()) open();
  }

  /// Those that wait stay in the system's queue meanwhile.
  void wait_for_descriptors() {
    pause_.expires_after(kPauseWithoutDescriptors);
    pause_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (!error && self->listener_.is_open()) self->open();
    });
  }

  /// False where there is no memory for it.
  bool welcome(int fd) {
    try {
      admit(fd);
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  void admit(int fd) {
    Listener owner(fd, "", false);  // closes it where something fails
    const Peer peer = peer_of(fd);
    sockaddr_storage address = {};
    socklen_t size = sizeof(address);
    getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
    Connection::Socket socket(asio::make_strand(core_->io));
    boost::system::error_code error;
    socket.assign(asio::generic::stream_protocol(address.ss_family, 0), fd, error);
    if (error) return;
    owner.release();
    const auto connection = std::make_shared<Connection>(core_, std::move(socket), peer);
    const auto [place, gives_way] = core_->connections.add(
        connection, core_->proxies.contains(peer) ? std::nullopt : peer.address,
        {core_->limits.connections, core_->limits.connections_per_address});
    if (gives_way) gives_way->give_way();
    switch (place) {
      case ConnectionSet::Place::free:
        return connection->start();
      case ConnectionSet::Place::over_limit:
        return connection->start_refusing(
            plain_error(503, "the server has too many connections; try again"));
      case ConnectionSet::Place::over_limit_of_address:
        return connection->start_refusing(plain_error(
            429,
            fmt::format("there are {} connections from this address, the most that it may have",
                        core_->limits.connections_per_address)));
      case ConnectionSet::Place::none:
        return;  // closes it
    }
  }

  const std::shared_ptr<Core> core_;
  asio::posix::stream_descriptor listener_;
  asio::steady_timer pause_;
};

class Server::Impl {
 public:
  Impl(const Router& router, const ServerOptions& options,
       std::function<void(const AccessRecord&)> on_finished)
      : core_(std::make_shared<Core>(router, options, std::move(on_finished))),
        n_threads_(std::max(1, options.threads)),
        n_workers_(std::max(1, options.n_workers)) {
    std::vector<Listener> listeners = listen_on(options.host, options.port);
    address_ = listeners.front().address();
    port_ = port_of(listeners.front());
    if (options.host.starts_with("unix:")) {
      socket_file_.emplace(options.host.substr(5));
    } else {
      address_ = "http://" + address_;
    }
    HostRules& hosts = core_->gate.hosts;
    const bool is_local = std::all_of(listeners.begin(), listeners.end(),
                                      [](const Listener& listener) { return listener.is_local(); });
    hosts.check = is_local                   ? HostCheck::own_names
                  : core_->gate.keys.empty() ? HostCheck::no_strangers
                                             : HostCheck::none;
    hosts.names = own_names();
    if (parse_authority(options.host)) hosts.names.push_back(options.host);  // not "*"
    hosts.names.insert(hosts.names.end(), options.hosts.begin(), options.hosts.end());
    hosts.addresses = own_addresses();
    for (Listener& listener : listeners) {
      doors_.push_back(std::make_shared<Door>(core_, std::move(listener)));
    }
  }

  ~Impl() { stop(0); }

  void start() {
    workers_ = std::make_unique<WorkPool>(n_workers_, WorkPool::AtEnd::drop);
    core_->workers = workers_.get();
    for (const auto& door : doors_) door->open();
    for (int i = 0; i < n_threads_; ++i) threads_.emplace_back([this] { run(); });
  }

  void stop(double grace_seconds) {
    core_->connections.hurry(monotonic_seconds() + std::max(0.0, grace_seconds));
    const std::lock_guard lock(stop_mutex_);
    if (stopped_) return;
    *core_->stopping = true;
    core_->connections.close_doors();
    for (const auto& door : doors_) door->close();
    for (const auto& connection : core_->connections.all()) connection->stop();
    if (!threads_.empty()) core_->connections.wait_until_empty();
    for (const auto& connection : core_->connections.all()) connection->cut();
    work_.reset();
    if (threads_.empty()) core_->io.run();  // never started: only lets go of the sockets
    for (std::thread& thread : threads_) thread.join();
    workers_.reset();  // waits for the handlers that run
    doors_.clear();
    socket_file_.reset();
    stopped_ = true;
  }

  std::string address_;
  std::uint16_t port_ = 0;
  const std::shared_ptr<Core> core_;

 private:
  void run() {
    for (;;) {
      try {
        core_->io.run();
        return;
      } catch (...) {
        // One connection's failure (no memory) is not the others'.
      }
    }
  }

  const int n_threads_;
  const int n_workers_;
  std::optional<UnixSocketFile> socket_file_;
  asio::executor_work_guard<asio::io_context::executor_type> work_ =
      asio::make_work_guard(core_->io);
  std::vector<std::shared_ptr<Door>> doors_;
  std::vector<std::thread> threads_;
  std::unique_ptr<WorkPool> workers_;
  std::mutex stop_mutex_;
  bool stopped_ = false;
};

Server::Server(const Router& router, ServerOptions options,
               std::function<void(const AccessRecord&)> on_finished)
    : impl_(std::make_unique<Impl>(router, options, std::move(on_finished))) {}
Server::~Server() = default;

void Server::start() { impl_->start(); }
std::string Server::address() const { return impl_->address_; }
std::uint16_t Server::port() const { return impl_->port_; }
void Server::stop(double grace_seconds) { impl_->stop(grace_seconds); }
std::size_t Server::open_connections() const { return impl_->core_->connections.size(); }

}  // namespace pleiad::http
