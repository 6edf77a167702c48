#include "tests/sim/orders.h"

#include <fmt/format.h>

#include <atomic>
#include <memory>

#include "kubexms/controller/requests/request_controller.h"

namespace kubexms::sim {
namespace {

using std::chrono::milliseconds;

constexpr uint64_t kTables = 3;

struct OrderSpec : Struct {
  std::string table;

  static void Describe(Type<OrderSpec>& type) {
    type.Field("table", &OrderSpec::table, "Table that the order is for.");
  }
};

struct Order : Object<OrderSpec, RequestStatus> {
  static constexpr KindName kKind{.group = "example.io", .version = "v1", .kind = "Order"};
};

std::vector<Order> Orders(Client& client) {
  return client.List<Order>(ListOptions{.namespace_name = kNamespace}).value().items;
}

// Why this Order must not be executed now, by the stored records; empty: it may.
std::string FindViolation(const Order& order, Client& server) {
  const RecordLocation place{.type = ResourceType::Of<Order>(),
                             .namespace_name = RequestOptions<Order>().record_namespace};
  const InformerScope scope = place.Scope();
  const List<RequestRecord> records =
      server
          .List<RequestRecord>(
              {.namespace_name = scope.namespace_name, .label_selector = scope.label_selector})
          .value();
  for (const RequestRecord& record : records.items) {
    const RecordedRequest other = ReadRecord(record).value();
    if (other.uid == order.metadata.uid) {
      if (other.status.IsFinished()) return fmt::format("{} is {}", other.name, other.status.phase);
    } else if (other.turn == order.spec.table && other.status.phase == kRequestProcessing &&
               server.Get<Order>(other.Key()).ok()) {
      return other.name + ", of the same table, is Processing";
    }
  }
  return "";
}

// Every other execution succeeds.
Result<RequestOutcome> OutcomeOf(int execution) {
  switch (execution % 4) {
    case 0: return Error::ServiceUnavailable("the kitchen is closed");
    case 1: return RequestOutcome::Waiting("the meal is being cooked", milliseconds(300));
    default: return RequestOutcome::Completed("served");
  }
}

}  // namespace

void InstallOrders(Client& client) {
  const ResourceType definitions{.group = "apiextensions.k8s.io",
                                 .version = "v1",
                                 .kind = "CustomResourceDefinition",
                                 .plural = "customresourcedefinitions",
                                 .namespaced = false};
  client.Create(definitions, DynamicObject::FromJson(CrdOf<Order>()).value()).value();
}

void AddOrderController(Manager& manager, Observer& observer, Client& server,
                        Violations& violations) {
  const auto executions = std::make_shared<std::atomic<int>>(0);
  RequestOptions<Order> options;
  options.controller = {.name = "orders",
                        .max_concurrent_reconciles = 3,
                        .rate_limiter = {.max_delay = std::chrono::seconds(3)}};
  options.scope = {.namespace_name = kNamespace};
  options.times = {.retry_after = milliseconds(500),
                   .expires_after = std::nullopt,
                   .completed_ttl = std::nullopt,
                   .failed_ttl = std::nullopt};
  options.ordering_key = [](const Order& order) { return order.spec.table; };
  options.execute = [&, executions](ReconcileContext& context,
                                    Order& order) -> Result<RequestOutcome> {
    const WorkLedger::Work work(observer.ledger, observer.process,
                                "an order of table " + order.spec.table);
    const std::string violation = FindViolation(order, server);
    if (!violation.empty() && observer.ledger.IsAlive(observer.process)) {
      violations.Add(
          fmt::format("{} executes {}, but {}", observer.process, order.metadata.name, violation));
    }
    context.clock.SleepFor(milliseconds(20), context.stop);
    return OutcomeOf((*executions)++);
  };
  manager.Add(RequestController<Order>(std::move(options)));
}

void PlaceOrders(Client& client, Clock& clock, Random& random, std::stop_token stop) {
  for (uint64_t i = 1; clock.SleepFor(milliseconds(random.Below(600)), stop); ++i) {
    if (random.Below(8) == 0) {
      const std::string name = fmt::format("order-{}", random.Below(i));
      (void)client.Delete<Order>({kNamespace, name}).ok();
      continue;
    }
    Order order;
    order.metadata.namespace_name = kNamespace;
    order.metadata.name = fmt::format("order-{}", i);
    order.spec.table = fmt::format("{}", random.Below(kTables));
    (void)client.Create(order).ok();
  }
}

std::string UnfinishedOrder(Client& client) {
  for (const Order& order : Orders(client)) {
    if (order.status.IsFinished()) continue;
    return fmt::format("{} is {}", order.metadata.name,
                       order.status.phase.empty() ? "new" : order.status.phase);
  }
  return "";
}

}  // namespace kubexms::sim
