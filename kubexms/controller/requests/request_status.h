#pragma once

// How far a request is: what its object shows, and what its executor records.

#include <string>
#include <string_view>

#include "kubexms/api/schema/scalars.h"
#include "kubexms/api/schema/type.h"
#include "kubexms/api/values/time.h"

namespace kubexms {

inline constexpr std::string_view kRequestPending = "Pending";
inline constexpr std::string_view kRequestProcessing = "Processing";
inline constexpr std::string_view kRequestCompleted = "Completed";
inline constexpr std::string_view kRequestFailed = "Failed";
inline constexpr std::string_view kPendingStatus = R"({"phase":"Pending"})";

// What came of a request whose end is still to be recorded, or which is still to be undone.
struct RequestEnding : Struct {
  std::string phase;  // Completed, Failed or Canceled, as in the record
  std::string message;
  Duration took;  // the execution

  static void Describe(Type<RequestEnding>& type) {
    type.Field("phase", &RequestEnding::phase, "Completed, Failed or Canceled.");
    type.Field("message", &RequestEnding::message, "What came of it.");
    type.Field("took", &RequestEnding::took, "How long the execution took.");
  }
};

// The status of a request: use it as it is, or derive from it and begin your Describe() with
// RequestStatus::Describe(type).
struct RequestStatus : Struct {
  std::string phase;
  std::string message;
  Time start_time;
  Time completion_time;
  Optional<RequestEnding> ending;

  template <class Status>
  static void Describe(Type<Status>& type) {
    type.Field("phase", &RequestStatus::phase, "How far the request is.")
        .Enum({"Pending", "Processing", "Completed", "Failed"})
        .Column("Phase");
    type.Field("message", &RequestStatus::message, "What came of it, or what it waits for.")
        .Column("Message", 1);
    type.Field("startTime", &RequestStatus::start_time, "When it was first executed.");
    type.Field("completionTime", &RequestStatus::completion_time,
               "When it became Completed or Failed.");
    type.Field("ending", &RequestStatus::ending,
               "What it will become, once that is recorded and what it began is undone.");
  }

  bool IsFinished() const { return phase == kRequestCompleted || phase == kRequestFailed; }
};

}  // namespace kubexms
