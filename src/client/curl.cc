#include "client/curl.h"

#include <algorithm>
#include <new>

#include "client/certificates.h"

namespace pleiad::client {

Easy new_easy() {
  Easy easy(curl_easy_init(), curl_easy_cleanup);
  if (!easy) throw std::bad_alloc();
  return easy;
}

Multi new_multi() {
  Multi multi(curl_multi_init(), curl_multi_cleanup);
  if (!multi) throw std::bad_alloc();
  return multi;
}

void append(List& list, const std::string& line) {
  curl_slist* longer = curl_slist_append(list.get(), line.c_str());
  if (!longer) throw std::bad_alloc();
  static_cast<void>(list.release());
  list.reset(longer);
}

long milliseconds(double seconds) { return std::max(1L, static_cast<long>(seconds * 1000)); }

std::optional<CURLcode> run_one(CURLM* multi, const std::function<bool()>& stop) {
  constexpr int kAskEvery = 50;  // milliseconds
  for (int running = 1; running > 0;) {
    if (curl_multi_perform(multi, &running) != CURLM_OK) return CURLE_FAILED_INIT;
    if (running == 0) break;
    if (stop && stop()) return std::nullopt;
    curl_multi_poll(multi, nullptr, 0, kAskEvery, nullptr);
  }
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi, &left)) {
    if (message->msg == CURLMSG_DONE) return message->data.result;
  }
  return CURLE_FAILED_INIT;
}

std::filesystem::path trusted_certificates(const std::filesystem::path& chosen) {
  const Easy easy = new_easy();
  const char* built_in = nullptr;
  curl_easy_getinfo(easy.get(), CURLINFO_CAINFO, &built_in);
  return find_certificates(chosen, built_in ? built_in : "");
}

}  // namespace pleiad::client
