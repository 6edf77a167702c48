#pragma once

// The error type of kubexms. An Error is a Kubernetes Status: the server serializes it, the client
// parses it, and controllers and steps return it. Moving and copying are cheap: the contents are
// shared and immutable.

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubexms {

// One invalid field, in the form of Kubernetes' StatusCause.
struct ErrorCause {
  std::string reason;   // for example "FieldValueRequired"
  std::string message;  // without the field's path
  std::string field;    // for example "spec.containers[0].image"

  bool operator==(const ErrorCause&) const = default;
};

// Kubernetes' StatusDetails.
struct ErrorDetails {
  std::string name;
  std::string group;
  std::string kind;
  std::string uid;
  std::vector<ErrorCause> causes;
  std::optional<std::chrono::seconds> retry_after;

  bool operator==(const ErrorDetails&) const = default;
};

class Error {
 public:
  // The general constructor. Prefer the named functions below, which use the messages of
  // Kubernetes.
  Error(int code, std::string_view reason, std::string message, ErrorDetails details = {});
  Error(const Error&);
  Error(Error&&) noexcept;
  Error& operator=(const Error&);
  Error& operator=(Error&&) noexcept;
  ~Error();

  // Below, `resource` is a qualified resource name: "pods" or "deployments.apps".
  static Error NotFound(std::string_view resource, std::string_view name);
  static Error AlreadyExists(std::string_view resource, std::string_view name);
  // `why` completes "Operation cannot be fulfilled on pods "x": …".
  static Error Conflict(std::string_view resource, std::string_view name, std::string_view why);
  static Error Forbidden(std::string_view resource, std::string_view name, std::string_view why);
  // `kind` is a qualified kind: "Pod" or "Widget.example.com". The message lists every cause.
  static Error Invalid(std::string_view kind, std::string_view name,
                       std::vector<ErrorCause> causes);

  static Error BadRequest(std::string message);
  static Error Unauthorized(std::string message);
  static Error MethodNotSupported(std::string_view resource, std::string_view action);
  static Error NotAcceptable(std::string message);
  static Error UnsupportedMediaType(std::string message);
  static Error RequestTooLarge(std::string message);
  // The requested resourceVersion is compacted (410): the client must list again.
  static Error Expired(std::string message);
  static Error Timeout(std::string message);
  static Error TooManyRequests(std::string message, std::chrono::seconds retry_after);
  static Error ServiceUnavailable(std::string message);
  static Error Internal(std::string message);

  int code() const { return rep_->code; }
  const std::string& reason() const { return rep_->reason; }
  const std::string& message() const { return rep_->message; }
  const ErrorDetails& details() const { return rep_->details; }
  bool terminal() const { return rep_->terminal; }

  bool IsNotFound() const { return rep_->reason == "NotFound"; }
  bool IsAlreadyExists() const { return rep_->reason == "AlreadyExists"; }
  bool IsConflict() const { return rep_->reason == "Conflict"; }
  bool IsForbidden() const { return rep_->reason == "Forbidden"; }
  bool IsInvalid() const { return rep_->reason == "Invalid"; }
  bool IsBadRequest() const { return rep_->reason == "BadRequest"; }
  bool IsUnauthorized() const { return rep_->reason == "Unauthorized"; }
  bool IsExpired() const { return rep_->reason == "Expired" || rep_->reason == "Gone"; }
  bool IsTooManyRequests() const { return rep_->reason == "TooManyRequests"; }
  // True when the same call may succeed later without any change by the caller.
  bool IsTransient() const;

  // The same error with the prefix "context: " in its message: one call per layer.
  Error WithContext(std::string_view context) const;

  bool operator==(const Error& other) const;

 private:
  struct Rep {
    int code;
    std::string reason;
    std::string message;
    ErrorDetails details;
    bool terminal;

    bool operator==(const Rep&) const = default;
  };

  explicit Error(Rep rep);
  friend Error Terminal(const Error& error);

  std::shared_ptr<const Rep> rep_;
};

// The same error, marked as terminal: retries cannot succeed.
Error Terminal(const Error& error);

}  // namespace kubexms
