#include <iostream>
#include <string>
#include <vector>

#include "kubexms/cli/command_line.h"
#include "kubexms/cli/commands.h"

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  return static_cast<int>(
      kubexms::RunCommandLine(kubexms::RootCommand(), words, std::cout, std::cerr));
}
