#include "kubexms/automation/hosts/shell_connector.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "kubexms/automation/hosts/local_connector.h"
#include "kubexms/base/random.h"
#include "kubexms/base/test_directory_test.h"

namespace kubexms::automation {
namespace {

// A host that is so busy that a command begins only after its time is over.
class LateTransport final : public Transport {
 public:
  Result<int> Execute(const Execution& execution) override {
    if (!std::exchange(late_, false)) return local_->Execute(execution);
    command_line_ = execution.command_line;
    for (;;) {
      ASSIGN_OR_RETURN(const std::string piece, execution.input());
      if (piece.empty()) break;
      input_ += piece;
    }
    return Error::Timeout("timed out");
  }
  bool IsRoot() const override { return true; }

  // Begins the command that was late.
  Result<int> Begin() {
    const auto input = [sent = false, this]() mutable -> Result<std::string> {
      return std::exchange(sent, true) ? "" : input_;
    };
    return local_->Execute({.command_line = command_line_,
                            .input = input,
                            .on_output = {},
                            .deadline = std::chrono::steady_clock::time_point::max()});
  }

 private:
  const std::unique_ptr<Transport> local_ = MakeLocalTransport();
  bool late_ = true;
  std::string command_line_;
  std::string input_;
};

TEST(ShellConnectorTest, CommandThatStartsAfterItsEndDoesNothing) {
  SystemRandom random;
  const TestDirectory directory;
  const std::string script = "touch " + directory.File("ran");
  auto transport = std::make_unique<LateTransport>();
  LateTransport& late = *transport;
  const auto connector = MakeShellConnector(std::move(transport), {}, &random);
  EXPECT_EQ(connector->Exec({.script = script}, {}, {}).error().reason(), "Timeout");
  EXPECT_EQ(late.Begin().value(), 125);
  EXPECT_EQ(connector->Exec({.script = "test ! -e " + directory.File("ran")}, {}, {})->exit_code,
            0);
}

TEST(ShellConnectorTest, OperationsThatStartAfterTheirEndDoNothing) {
  SystemRandom random;
  const TestDirectory directory;
  auto transport = std::make_unique<LateTransport>();
  LateTransport& late = *transport;
  const auto connector = MakeShellConnector(std::move(transport), {}, &random);
  const std::vector<Operation> operations = {RunScript{"touch " + directory.File("ran")}};
  EXPECT_EQ(connector->Perform(operations, {}).error().reason(), "Timeout");
  EXPECT_EQ(late.Begin().value(), 125);
  EXPECT_EQ(connector->Exec({.script = "test ! -e " + directory.File("ran")}, {}, {})->exit_code,
            0);
}

}  // namespace
}  // namespace kubexms::automation
