#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/common/context.h"
#include "http/router.h"

namespace pleiad::api::ollama {

using Routes = std::vector<http::Route>;
using Exchange = std::shared_ptr<http::Exchange>;

/// The groups that ollama_routes() puts together.
void add_answer_routes(Routes& routes, ApiContext& context);    // generate, chat
void add_embed_routes(Routes& routes, ApiContext& context);     // embed, embeddings
void add_page_routes(Routes& routes, ApiContext& context);      // pages
void add_model_routes(Routes& routes, ApiContext& context);     // tags, show, ps
void add_manage_routes(Routes& routes, ApiContext& context);    // create, copy, delete
void add_transfer_routes(Routes& routes, ApiContext& context);  // pull, push
void add_blob_routes(Routes& routes, ApiContext& context);
void add_account_routes(Routes& routes);  // status, me, signout

/// Runs `task` on the worker. An Error that it throws becomes a 400, anything else a
/// 500 without details.
void on_worker(ApiContext& context, Exchange exchange, std::function<void()> task);

}  // namespace pleiad::api::ollama
