// Authorization with 10,000 bindings in the store: the index compared to an evaluation that walks
// all decoded bindings in memory. Then the same decisions from several threads, and the first
// decision after a binding was written.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>

#include "bench/ratio.h"
#include "kubexms/apiserver/authorization/default_roles.h"
#include "kubexms/apiserver/authorization/rbac.h"
#include "kubexms/apiserver/authorization/rbac_objects_test.h"
#include "kubexms/store/memory_store.h"

namespace kubexms {
namespace {

constexpr int kBindings = 10'000;

Json UserBinding(int number) {
  return BindingObject(fmt::format("team-{}", number % 1000), fmt::format("b{}", number),
                       "ClusterRole", "edit", {SubjectOf("User", fmt::format("user-{}", number))});
}

// Roles and bindings of a server: the defaults, and one binding per user.
struct Cluster {
  Cluster() {
    objects = DefaultRbacObjects();
    for (int i = 0; i < kBindings; ++i) objects.push_back(UserBinding(i));
    for (const Json& object : objects) PutObject(*store, object);
    authorizer = RbacAuthorizer::Open(*store).value();
  }

  std::vector<Json> objects;
  std::unique_ptr<store::Store> store = store::MakeMemoryStore();
  std::unique_ptr<RbacAuthorizer> authorizer;
};

Cluster& SharedCluster() {
  static Cluster cluster;
  return cluster;
}

const UserInfo kUser{.name = "user-4711", .groups = {"developers", "system:authenticated"}};
const RequestAttributes kAllowed{
    .verb = "create", .resource = "pods", .namespace_name = "team-711", .name = ""};
const RequestAttributes kDenied{.verb = "delete", .resource = "nodes", .name = "n1"};

// The baseline: every binding, every subject.
class NaiveAuthorizer {
 public:
  explicit NaiveAuthorizer(const std::vector<Json>& objects) {
    for (const Json& object : objects) {
      const std::string_view kind = FindString(object, "kind");
      if (kind == "ClusterRole") {
        auto role = FromJson<rbacv1::ClusterRole>(object).value();
        roles_[role.metadata.name] = std::move(role.rules);
      } else if (kind == "RoleBinding") {
        bindings_.push_back(FromJson<rbacv1::RoleBinding>(object).value());
      } else if (kind == "ClusterRoleBinding") {
        auto binding = FromJson<rbacv1::ClusterRoleBinding>(object).value();
        rbacv1::RoleBinding& entry = bindings_.emplace_back();
        entry.role_ref = std::move(binding.role_ref);
        entry.subjects = std::move(binding.subjects);
      }
    }
  }

  bool Allows(const UserInfo& user, const RequestAttributes& request) const {
    return std::ranges::any_of(bindings_, [&](const rbacv1::RoleBinding& binding) {
      const std::string& home = binding.metadata.namespace_name;
      if (!home.empty() && home != request.namespace_name) return false;
      const auto applies = [&](const rbacv1::Subject& subject) { return Is(user, subject); };
      if (!std::ranges::any_of(binding.subjects, applies)) return false;
      const auto role = roles_.find(binding.role_ref.name);
      return role != roles_.end() &&
             std::ranges::any_of(role->second, [&](const rbacv1::PolicyRule& rule) {
               return RuleAllows(rule, request);
             });
    });
  }

 private:
  static bool Is(const UserInfo& user, const rbacv1::Subject& subject) {
    if (subject.kind == "User") return subject.name == user.name;
    return subject.kind == "Group" && std::ranges::count(user.groups, subject.name) > 0;
  }

  std::map<std::string, PolicyRules> roles_;
  std::vector<rbacv1::RoleBinding> bindings_;
};

void BM_NaiveAllowed(benchmark::State& state) {
  const NaiveAuthorizer naive(SharedCluster().objects);
  KUBEXMS_CHECK(naive.Allows(kUser, kAllowed));
  for (auto _ : state) benchmark::DoNotOptimize(naive.Allows(kUser, kAllowed));
}
BENCHMARK(BM_NaiveAllowed);

void Decide(benchmark::State& state, const RequestAttributes& request, bool expected) {
  RbacAuthorizer& authorizer = *SharedCluster().authorizer;
  KUBEXMS_CHECK(authorizer.Authorize(kUser, request)->allowed == expected);
  for (auto _ : state) benchmark::DoNotOptimize(authorizer.Authorize(kUser, request));
}
void BM_IndexedAllowed(benchmark::State& state) { Decide(state, kAllowed, true); }
void BM_IndexedDenied(benchmark::State& state) { Decide(state, kDenied, false); }
BENCHMARK(BM_IndexedAllowed);
BENCHMARK(BM_IndexedDenied);
BENCHMARK(BM_IndexedAllowed)->Threads(2)->UseRealTime();

// Writes a binding and makes a decision that sees it.
void BM_WriteAndDecide(benchmark::State& state) {
  Cluster& cluster = SharedCluster();
  int number = 0;
  for (auto _ : state) {
    PutObject(*cluster.store, UserBinding(number++ % kBindings));
    benchmark::DoNotOptimize(cluster.authorizer->Authorize(kUser, kAllowed));
  }
}
BENCHMARK(BM_WriteAndDecide);

void BM_OpenWithTenThousandBindings(benchmark::State& state) {
  store::Store& store = *SharedCluster().store;
  for (auto _ : state) benchmark::DoNotOptimize(RbacAuthorizer::Open(store));
}
BENCHMARK(BM_OpenWithTenThousandBindings);

void BM_MakeDefaultObjects(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(DefaultRbacObjects());
}
BENCHMARK(BM_MakeDefaultObjects);

}  // namespace
}  // namespace kubexms

KUBEXMS_RATIO_MAIN("BM_NaiveAllowed")
