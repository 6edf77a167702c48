#include "kubexms/controller/testing/test_manager.h"

#include <fmt/format.h>

#include "kubexms/api/crd/crd.h"
#include "kubexms/api/kinds/apiextensions_v1.h"
#include "kubexms/base/check.h"
#include "kubexms/controller/requests/audit_record.h"

namespace kubexms {
namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds kTimeout = std::chrono::seconds(30);
constexpr std::chrono::milliseconds kPollPeriod{1};

[[noreturn]] void GiveUp(std::string_view what, std::string_view why) {
  CheckFailed(fmt::format("the test manager cannot {}: {}", what, why).c_str(), __FILE__, __LINE__);
}

void Install(Client& client, const TypeInfo& kind, bool record_creators) {
  Json definition = MakeCrd(kind);
  if (record_creators) definition = WithRecordedCreators(std::move(definition));
  const Result<DynamicObject> crd = DynamicObject::FromJson(definition);
  if (!crd.ok()) GiveUp("describe a kind", crd.error().message());
  const auto type = ResourceType::Of<apiextensionsv1::CustomResourceDefinition>();
  const Result<DynamicObject> created = client.Create(type, *crd);
  if (!created.ok() && !created.error().IsAlreadyExists()) {
    GiveUp("install " + crd->metadata.name, created.error().message());
  }
}

// With a clock of the test, its time says nothing about how long work takes to end.
std::function<void(const Error&)> OnStuckWork(const TestManagerOptions& options) {
  if (options.clock == nullptr) return {};
  return [](const Error&) {};
}

}  // namespace

TestManager::TestManager(Client& client, const ManagerProgram& program,
                         const TestManagerOptions& options)
    : manager_({.name = program.name,
                .shutdown_timeout = options.clock != nullptr ? nanoseconds(0) : kTimeout,
                .on_stuck_work = OnStuckWork(options),
                .client = &client,
                .clock = options.clock != nullptr ? options.clock : &system_clock_,
                .random = &random_,
                .log = options.log.value_or(
                    Logger({.level = LogLevel::kWarn, .sink = &sink_, .clock = &system_clock_}))}) {
  for (const TypeInfo* kind : program.kinds) {
    Install(client, *kind, program.record_creators);
  }
  for (const Controller& controller : program.controllers) manager_.Add(controller);
  if (program.setup) program.setup(manager_);
  running_ = std::jthread([this](std::stop_token stop) {
    Result<void> ended = manager_.Run(std::move(stop));
    MutexLock lock(mutex_);
    ended_ = std::move(ended);
  });
  if (Eventually([this] { return manager_.Readiness().ok(); })) return;
  MutexLock lock(mutex_);
  const Error error = ended_ && !ended_->ok() ? ended_->error() : manager_.Readiness().error();
  GiveUp("start", error.message());
}

TestManager::~TestManager() = default;

bool TestManager::HasEnded() const {
  MutexLock lock(mutex_);
  return ended_.has_value();
}

bool TestManager::Eventually(const std::function<bool()>& condition) const {
  const auto deadline = system_clock_.MonotonicNow() + kTimeout;
  while (!condition()) {
    if (HasEnded() || system_clock_.MonotonicNow() > deadline) return false;
    system_clock_.SleepFor(kPollPeriod);
  }
  return true;
}

}  // namespace kubexms
