#include "kubexms/cluster/modules/containerd/cri_probe.h"

#include <fmt/format.h>

#include "kubexms/automation/hosts/command.h"

namespace kubexms::cluster {
namespace {

using automation::ShellQuote;

// call(METHOD, REQUEST) is one call of gRPC, written down byte by byte.
constexpr std::string_view kCall = R"perl(
use IO::Socket::UNIX;
sub frame {
  my ($type, $flags, $stream, $body) = @_;
  return substr(pack("N", length $body), 1) . pack("CCN", $type, $flags, $stream) . $body;
}
sub call {
  my ($method, $request) = @_;
  my @headers = (":method", "POST", ":scheme", "http", ":authority", "localhost",
                 ":path", "/runtime.v1.$method",
                 "content-type", "application/grpc", "te", "trailers");
  alarm 5;
  my $socket = IO::Socket::UNIX->new(Peer => "/run/containerd/containerd.sock")
    or die "containerd does not listen: $!\n";
  syswrite $socket, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" . frame(4, 0, 0, "") .
    frame(1, 4, 1, pack("(x C/a C/a)*", @headers)) .
    frame(0, 1, 1, "\0" . pack("N/a", $request));
  my ($in, $answer, $over) = ("", "", 0);
  while (!$over && sysread $socket, $in, 65536, length $in) {
    while (length $in >= 9) {
      my $size = unpack("N", "\0" . substr $in, 0, 3);
      my ($type, $flags, $stream) = unpack("CCN", substr $in, 3, 6);
      last if length $in < 9 + $size;
      $answer .= substr $in, 9, $size if $type == 0;
      $over = 1 if $stream == 1 && $flags & 1;
      substr($in, 0, 9 + $size) = "";
    }
  }
  return $answer;
}
)perl";

constexpr std::string_view kReady = R"perl(
my $answer = call("RuntimeService/Status", "");
exit 0 if $answer =~ /RuntimeReady\x10\x01/;
$answer =~ s/[^ -~]+/ /g;
die "the runtime is not ready: $answer\n";
)perl";

// An image that is not there is an answer without one.
constexpr std::string_view kImages = R"perl(
sub field {
  my ($body) = @_;
  my ($length, $size) = ("", length $body);
  while ($size > 127) { $length .= chr($size & 127 | 128); $size >>= 7; }
  return "\x0a" . $length . chr($size) . $body;
}
for my $name (@ARGV) {
  my $answer = call("ImageService/ImageStatus", field(field($name)));
  print "$name $1\n" if $answer =~ /\x0a\x47(sha256:[0-9a-f]{64})/;
}
)perl";

std::string Perl(std::string_view program) {
  return fmt::format("perl -e {}", ShellQuote(fmt::format("{}{}", kCall, program)));
}

}  // namespace

std::string RuntimeReadyCommand() { return Perl(kReady) + " 2>&1"; }

std::string ListImagesCommand(std::span<const std::string> names) {
  std::string command = Perl(kImages) + " --";
  for (const std::string& name : names) command += " " + ShellQuote(name);
  return command + " 2>/dev/null";
}

}  // namespace kubexms::cluster
