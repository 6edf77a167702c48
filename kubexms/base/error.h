#pragma once

// The one error type of kubexms. An Error *is* a Kubernetes Status: the server serializes it, the
// client parses it, and controllers and steps pass it on. It is cheap to move and to copy (the
// contents are shared and immutable), so it can travel through any number of layers.

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubexms {

// One thing that is wrong with one field, in the form of Kubernetes' StatusCause.
struct ErrorCause {
  std::string reason;   // for example "FieldValueRequired"
  std::string message;  // without the field's path
  std::string field;    // for example "spec.containers[0].image"

  bool operator==(const ErrorCause&) const = default;
};

// What the error is about: Kubernetes' StatusDetails.
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
  // The general maker. Prefer the named ones below, which word the message as Kubernetes does.
  Error(int code, std::string_view reason, std::string message, ErrorDetails details = {});
  Error(const Error&);
  Error(Error&&) noexcept;
  Error& operator=(const Error&);
  Error& operator=(Error&&) noexcept;
  ~Error();

  // In the makers below `resource` is a qualified resource name: "pods" or "deployments.apps".
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
  // The version that was asked for is no longer stored: read again from the start.
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

  // The same error with "context: " before its message: one call per layer.
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

// The same error, marked as one that no retry can mend.
Error Terminal(const Error& error);

}  // namespace kubexms
