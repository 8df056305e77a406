#pragma once

#include <curl/curl.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace pleiad::client {

/// libcurl's handles, owned.
using Easy = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;
using Multi = std::unique_ptr<CURLM, decltype(&curl_multi_cleanup)>;
using List = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

/// New ones; std::bad_alloc where there is no memory.
Easy new_easy();
Multi new_multi();
inline List new_list() { return {nullptr, curl_slist_free_all}; }

/// Adds a line at the end.
void append(List& list, const std::string& line);

/// Whole milliseconds, at least 1, as libcurl's times are given.
long milliseconds(double seconds);

/// Sets an option; std::bad_alloc where there is no memory for it.
template <typename Value>
void set_option(CURL* easy, CURLoption option, Value value);

/// Takes part in a multi handle while it lives.
class InMulti {
 public:
  InMulti(CURLM* multi, CURL* easy) : multi_(multi), easy_(easy) {
    curl_multi_add_handle(multi_, easy_);
  }
  ~InMulti() { curl_multi_remove_handle(multi_, easy_); }
  InMulti(const InMulti&) = delete;
  InMulti& operator=(const InMulti&) = delete;

 private:
  CURLM* multi_;
  CURL* easy_;
};

/// Runs the one transfer in `multi` to its end; empty where `stop`, which is asked several times a
/// second, was true before. `stop` may be empty.
std::optional<CURLcode> run_one(CURLM* multi, const std::function<bool()>& stop);

/// The file with the authorities that https trusts: find_certificates() with what libcurl was built
/// with.
std::filesystem::path trusted_certificates(const std::filesystem::path& chosen);

template <typename Value>
void set_option(CURL* easy, CURLoption option, Value value) {
  if (curl_easy_setopt(easy, option, value) == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
}

}  // namespace pleiad::client
