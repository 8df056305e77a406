#include "api/common/request_owner.h"

namespace pleiad::api {

void set_owner(serving::AnswerRequest& answer, const http::Request& request,
               const ApiContext& context) {
  answer.id = request.id;
  answer.caller = request.caller.key;
  answer.cache_scope = context.cache_per_key ? CacheScope(request.caller.key) : CacheScope::common;
  // In a cache of all keys nobody can say whose a page is that several have sent.
  answer.sees_cached_text = context.cache_per_key || request.caller.sees_all;
}

}  // namespace pleiad::api
