#pragma once

// Subresources with a kind of their own: scale, binding, eviction, token.

#include <string>
#include <vector>

#include "kubexms/apiserver/handlers/resource_handler.h"

namespace kubexms {

// The body of a request as an object of the subresource's kind.
Result<Json> ReadSubresourceBody(const ResourceCall& call, const Subresource& subresource);

class Subresources {
 public:
  struct Environment {
    ObjectWriter& writer;
    ObjectReader& reader;
    const Clock& clock;
    TokenIssuer& tokens;
  };

  explicit Subresources(Environment environment) : environment_(environment) {}

  Result<HttpResponse> Handle(const ResourceCall& call, const Subresource& subresource);

  // Handles a Binding posted to /bindings, whose metadata.name is the name of the Pod.
  Result<HttpResponse> BindPod(const ResourceCall& call);

 private:
  Result<HttpResponse> GetScale(const ResourceCall& call);
  Result<HttpResponse> WriteScale(const ResourceCall& call, const Subresource& subresource);
  Result<HttpResponse> Bind(const ResourceCall& call, const Subresource& subresource);
  Result<HttpResponse> Evict(const ResourceCall& call, const Subresource& subresource);
  Result<HttpResponse> RequestToken(const ResourceCall& call, const Subresource& subresource);

  Result<Json> ReadObject(const ResourceCall& call);
  // An object of the core group.
  Result<Json> ReadCore(const ResourceCall& call, std::string_view plural,
                        std::string_view namespace_name, std::string_view name);
  Result<std::vector<Json>> BudgetsOf(const ResourceCall& call, const Json& pod);
  // Takes one disruption from the budget of the Pod, or fails. Returns the name of the budget if
  // nothing was taken because the Pod is not healthy; otherwise the empty name.
  Result<std::string> UseDisruptionBudget(const ResourceCall& call, const Json& pod, bool dry_run);

  Environment environment_;
};

}  // namespace kubexms
