#pragma once

#include <filesystem>

namespace pleiad::client {

/// The file with the authorities that https trusts: `chosen` by the user unless that is empty, else
/// `built_in`, the place that libcurl was built with, where there is such a file, else the first of
/// the places of Debian, Fedora, SUSE and others below `root`. Empty: there is none of these.
std::filesystem::path find_certificates(const std::filesystem::path& chosen,
                                        const std::filesystem::path& built_in,
                                        const std::filesystem::path& root = "/");

}  // namespace pleiad::client
