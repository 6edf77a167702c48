#pragma once

// Building blocks of the printers of built-in kinds. A printer has a list of columns and a function
// that appends the cells of one object in the order of the columns. Each file has the printers of
// related kinds; table.cc finds them by kind.

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "kubexms/apiserver/table/printers/json_view.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/json/json.h"

namespace kubexms::printers {

// Writes the cells of one object.
class Row {
 public:
  using Moment = std::chrono::sys_time<std::chrono::milliseconds>;

  Row(TextBuffer& out, Clock::WallTime now)
      : out_(out), now_(std::chrono::floor<std::chrono::milliseconds>(now)) {}

  // Appends cells: text, numbers, booleans.
  template <class... Cells>
  void Add(const Cells&... cells) {
    (AddOne(cells), ...);
  }
  // Appends a cell without a value.
  void AddNull();
  // Appends a cell with a JSON value.
  void AddJson(JsonView value);

  // "5m", or "<unknown>" if there is no time.
  std::string Since(JsonView time) const;
  // The time since the object was created.
  std::string Age(JsonView object) const { return Since(object["metadata"]["creationTimestamp"]); }
  Moment now() const { return now_; }

  // Marks the object as finished, with the reason and message of its result.
  void Complete(std::string_view reason, std::string_view message);
  std::string_view complete_reason() const { return complete_reason_; }
  std::string_view complete_message() const { return complete_message_; }

 private:
  template <class Cell>
  void AddOne(const Cell& cell) {
    Separate();
    if constexpr (std::is_same_v<Cell, bool>) {
      out_.Append(cell ? "true" : "false");
    } else if constexpr (std::is_arithmetic_v<Cell>) {
      AppendJsonNumber(static_cast<int64_t>(cell), out_);
    } else {
      AppendJsonString(cell, out_);
    }
  }
  void Separate();

  TextBuffer& out_;
  const Moment now_;
  bool first_ = true;
  std::string_view complete_reason_;
  std::string_view complete_message_;
};

struct Column {
  std::string_view name;
  std::string_view type;
  std::string_view description;
  int priority = 0;
  std::string_view format = {};
};

constexpr Column Text(std::string_view name, std::string_view description) {
  return {name, "string", description};
}
constexpr Column Integer(std::string_view name, std::string_view description) {
  return {name, "integer", description};
}
constexpr Column Boolean(std::string_view name, std::string_view description) {
  return {name, "boolean", description};
}
// Shown with `-o wide` only.
constexpr Column Wide(std::string_view name, std::string_view description) {
  return {name, "string", description, 1};
}

inline constexpr Column kName{"Name", "string", "The name of the object.", 0, "name"};
inline constexpr Column kAge = Text("Age", "The time since the object was created.");
inline constexpr Column kCreatedAt{"Created At", "date", "The time when the object was created."};
inline constexpr Column kContainers = Wide("Containers", "The names of the pod's containers.");
inline constexpr Column kImages = Wide("Images", "The images that the containers run.");

struct Printer {
  std::string_view group;
  std::string_view version;
  std::string_view kind;
  std::span<const Column> columns;
  void (*print)(JsonView object, Row& row);
};

std::span<const Printer> ClusterPrinters();
std::span<const Printer> ConfigPrinters();
std::span<const Printer> NetworkPrinters();
std::span<const Printer> PodPrinters();
std::span<const Printer> PolicyPrinters();
std::span<const Printer> StoragePrinters();
std::span<const Printer> WorkloadPrinters();

// ---- Shared by several printers. ----

inline std::string_view Name(JsonView object) { return object["metadata"]["name"].Text(); }
inline bool IsDeleting(JsonView object) {
  return static_cast<bool>(object["metadata"]["deletionTimestamp"]);
}

// "True", "False", or "<unset>".
std::string_view TruthText(JsonView value);
// The condition of that type; absent if none.
JsonView FindCondition(JsonView object, std::string_view type);
bool IsConditionTrue(JsonView object, std::string_view type);

// "a=1,b=2", or "<none>".
std::string FormatLabels(JsonView labels);
// A label selector as text; empty if it selects everything or nothing.
std::string SelectorText(JsonView selector);
// As SelectorText, but "<none>" if empty.
std::string FormatSelector(JsonView selector);

// The comma-separated names and images of the containers of a pod spec.
std::string ContainerNames(JsonView pod_spec);
std::string ContainerImages(JsonView pod_spec);

// The comma-separated texts of a list.
std::string JoinTexts(JsonView list);

// The first `limit` texts, separated, and the number of further ones.
std::string JoinFirst(std::span<const std::string> texts, size_t limit,
                      std::string_view separator = ",");

}  // namespace kubexms::printers
