// Columns of configuration, leases and events.

#include "kubexms/apiserver/table/printers/printer.h"

namespace kubexms::printers {
namespace {

constexpr Column kConfigMapColumns[] = {
    kName,
    Text("Data", "The number of data entries."),
    kAge,
};

void PrintConfigMap(JsonView object, Row& row) {
  row.Add(Name(object), object["data"].size() + object["binaryData"].size(), row.Age(object));
}

constexpr Column kSecretColumns[] = {
    kName,
    Text("Type", "The type of the secret."),
    Text("Data", "The number of data entries."),
    kAge,
};

void PrintSecret(JsonView object, Row& row) {
  row.Add(Name(object), object["type"].Text(), object["data"].size(), row.Age(object));
}

constexpr Column kServiceAccountColumns[] = {
    kName,
    Text("Secrets", "The number of secrets of the account."),
    kAge,
};

void PrintServiceAccount(JsonView object, Row& row) {
  row.Add(Name(object), object["secrets"].size(), row.Age(object));
}

constexpr Column kLeaseColumns[] = {
    kName,
    Text("Holder", "The identity of the lease holder."),
    kAge,
};

void PrintLease(JsonView object, Row& row) {
  row.Add(Name(object), object["spec"]["holderIdentity"].Text(), row.Age(object));
}

constexpr Column kEventColumns[] = {
    Text("Last Seen", "The time since the last occurrence."),
    Text("Type", "The type of the event: Normal or Warning."),
    Text("Reason", "The reason of the event, in one word."),
    Text("Object", "The object that the event is about."),
    Wide("Subobject", "The part of the object that the event is about."),
    Wide("Source", "The component that reported the event."),
    Text("Message", "The message of the event."),
    Wide("First Seen", "The time since the first occurrence."),
    Wide("Count", "The number of occurrences."),
    {"Name", "string", "The name of the event.", 1, "name"},
};

// Events have different field names in their two groups.
struct EventFields {
  std::string_view object;
  std::string_view source;
  std::string_view reporter;
  std::string_view message;
  std::string_view first;
  std::string_view last;
  std::string_view count;
};

constexpr EventFields kCoreFields{"involvedObject", "source",         "reportingComponent",
                                  "message",        "firstTimestamp", "lastTimestamp",
                                  "count"};
constexpr EventFields kEventsFields{
    "regarding",      "deprecatedSource",         "reportingController",
    "note",           "deprecatedFirstTimestamp", "deprecatedLastTimestamp",
    "deprecatedCount"};

// "pod/web-1".
std::string EventTarget(JsonView target) {
  std::string text(target["kind"].Text());
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  if (!target["name"].Text().empty()) text.append("/").append(target["name"].Text());
  return text;
}

std::string_view FirstNonEmpty(std::string_view a, std::string_view b) { return a.empty() ? b : a; }

// "kubelet, node-1".
std::string EventSource(JsonView event, const EventFields& fields) {
  const JsonView source = event[fields.source];
  std::string text(FirstNonEmpty(source["component"].Text(), event[fields.reporter].Text()));
  const std::string_view instance =
      FirstNonEmpty(source["host"].Text(), event["reportingInstance"].Text());
  if (!instance.empty()) text.append(", ").append(instance);
  return text;
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n\v\f";
  const size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

void PrintEventWith(const EventFields& fields, JsonView event, Row& row) {
  const JsonView series = event["series"];
  const JsonView first = event[fields.first] ? event[fields.first] : event["eventTime"];
  JsonView last = event[fields.last] ? event[fields.last] : first;
  if (series) last = series["lastObservedTime"];
  // A single event of events.k8s.io has no count.
  const int64_t count = series ? series["count"].Number() : event[fields.count].Number();
  row.Add(row.Since(last), event["type"].Text(), event["reason"].Text(),
          EventTarget(event[fields.object]), event[fields.object]["fieldPath"].Text(),
          EventSource(event, fields), Trim(event[fields.message].Text()), row.Since(first),
          series || count != 0 ? count : 1, Name(event));
}

void PrintCoreEvent(JsonView event, Row& row) { PrintEventWith(kCoreFields, event, row); }
void PrintEvent(JsonView event, Row& row) { PrintEventWith(kEventsFields, event, row); }

constexpr Printer kPrinters[] = {
    {"", "v1", "ConfigMap", kConfigMapColumns, PrintConfigMap},
    {"", "v1", "Event", kEventColumns, PrintCoreEvent},
    {"", "v1", "Secret", kSecretColumns, PrintSecret},
    {"", "v1", "ServiceAccount", kServiceAccountColumns, PrintServiceAccount},
    {"coordination.k8s.io", "v1", "Lease", kLeaseColumns, PrintLease},
    {"events.k8s.io", "v1", "Event", kEventColumns, PrintEvent},
};

}  // namespace

std::span<const Printer> ConfigPrinters() { return kPrinters; }

}  // namespace kubexms::printers
