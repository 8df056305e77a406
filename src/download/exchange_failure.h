#pragma once

#include <curl/curl.h>

#include "download/surroundings.h"
#include "download/target.h"
#include "download/trouble.h"

namespace pleiad::download {

/// Why libcurl ended an exchange, in our words; `library_text` is what it says itself, may be
/// empty.
Problem failure_of(CURLcode code, const Target& target, const RetryPolicy& retry,
                   const char* library_text);

}  // namespace pleiad::download
