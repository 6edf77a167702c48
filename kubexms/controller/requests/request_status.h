#pragma once

// The status of a request: shown in its object, and recorded by its executor.

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

// The result of a request, before its audit record is written and its changes are undone.
struct RequestResult : Struct {
  std::string phase;  // Completed, Failed or Canceled, as in the audit record
  std::string message;
  Duration duration;  // of the execution

  static void Describe(Type<RequestResult>& type) {
    type.Field("phase", &RequestResult::phase, "Completed, Failed or Canceled.");
    type.Field("message", &RequestResult::message, "Result of the execution.");
    type.Field("duration", &RequestResult::duration, "Duration of the execution.");
  }
};

// Use it as the status of a request, or derive from it and begin your Describe() with
// RequestStatus::Describe(type).
struct RequestStatus : Struct {
  std::string phase;
  std::string message;
  Time start_time;
  Time completion_time;
  Optional<RequestResult> pending_result;

  template <class Status>
  static void Describe(Type<Status>& type) {
    type.Field("phase", &RequestStatus::phase, "Progress of the request.")
        .Enum({"Pending", "Processing", "Completed", "Failed"})
        .Column("Phase");
    type.Field("message", &RequestStatus::message,
               "Result of the request, or the reason why it waits.")
        .Column("Message", 1);
    type.Field("startTime", &RequestStatus::start_time, "Start of the first execution.");
    type.Field("completionTime", &RequestStatus::completion_time,
               "When the request became Completed or Failed.");
    type.Field("pendingResult", &RequestStatus::pending_result,
               "Result that takes effect once it is audited and its changes are undone.");
  }

  bool IsFinished() const { return phase == kRequestCompleted || phase == kRequestFailed; }
};

}  // namespace kubexms
