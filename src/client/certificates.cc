#include "client/certificates.h"

#include <array>

namespace pleiad::client {

namespace fs = std::filesystem;

namespace {

constexpr std::array kPlaces = {
    "etc/ssl/certs/ca-certificates.crt",                 // Debian, Ubuntu, Arch, Gentoo, NixOS
    "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora, RHEL
    "etc/pki/tls/certs/ca-bundle.crt",                   // older ones of these
    "etc/ssl/ca-bundle.pem",                             // openSUSE
    "var/lib/ca-certificates/ca-bundle.pem",             // SLE
    "etc/ssl/cert.pem",                                  // Void, Alpine
};

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

}  // namespace

fs::path find_certificates(const fs::path& chosen, const fs::path& built_in, const fs::path& root) {
  if (!chosen.empty()) return chosen;
  if (is_file(built_in)) return built_in;
  for (const char* place : kPlaces) {
    if (is_file(root / place)) return root / place;
  }
  return {};
}

}  // namespace pleiad::client
