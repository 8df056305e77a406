#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "http/listener.h"

namespace pleiad::http {
namespace {

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path) ||
      path.find('\0') != std::string::npos) {
    throw Error("unix:{}: the path of a Unix socket has 1 to {} bytes", path,
                sizeof(address.sun_path) - 1);
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

int open_socket() { return socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

/// Removes a socket that nobody serves any more; refuses anything else.
void clear_the_way(const std::string& path, const sockaddr_un& address) {
  struct stat status = {};
  if (lstat(path.c_str(), &status) != 0) return;
  if (!S_ISSOCK(status.st_mode)) throw Error("unix:{}: the file exists and is no socket", path);
  const Listener probe(open_socket(), "", false);
  const int result =
      connect(probe.descriptor(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  if (result != 0 && errno == ECONNREFUSED) {
    if (unlink(path.c_str()) == 0) return;
    throw Error("unix:{}: cannot replace the old socket: {}", path, errno_text(errno));
  }
  if (result == 0 || errno == EAGAIN) {
    throw Error("unix:{} is in use by another program; stop it, or choose another path", path);
  }
  throw Error("unix:{}: the socket there cannot be asked whether it is in use: {}", path,
              errno_text(errno));
}

}  // namespace

Listener listen_on_unix(const std::string& path) {
  const sockaddr_un address = address_of(path);
  clear_the_way(path, address);
  Listener listener(open_socket(), "unix:" + path, true);
  const int fd = listener.descriptor();
  // Nobody connects before listen(), and by then the file is its owner's alone.
  if (fd < 0 || bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0 || listen(fd, SOMAXCONN) != 0) {
    throw Error("unix:{}: cannot listen: {}", path, errno_text(errno));
  }
  return listener;
}

UnixSocketFile::UnixSocketFile(std::string path) : path_(std::move(path)) {
  struct stat status = {};
  if (lstat(path_.c_str(), &status) != 0) return;
  device_ = status.st_dev;
  inode_ = status.st_ino;
}

UnixSocketFile::~UnixSocketFile() {
  struct stat status = {};
  if (lstat(path_.c_str(), &status) != 0) return;
  if (status.st_dev == device_ && status.st_ino == inode_) unlink(path_.c_str());
}

}  // namespace pleiad::http
