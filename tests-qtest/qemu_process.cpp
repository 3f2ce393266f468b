// SPDX-License-Identifier: MIT
#include "tests-qtest/qemu_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

namespace aerogpu::qtest {

namespace {

using Clock = std::chrono::steady_clock;

std::string launcher() {
  const char* path = std::getenv("AEROGPU_LAUNCHER");
  if (!path) throw QemuError("AEROGPU_LAUNCHER does not name scripts/qemu-aerogpu");
  return path;
}

std::filesystem::path makeFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "aerogpu-qtest-XXXXXX").string();
  if (!mkdtemp(name.data()))
    throw QemuError("cannot make a folder in " + std::filesystem::temp_directory_path().string());
  return name;
}

int listenAt(const std::filesystem::path& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  if (fd < 0 || bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || listen(fd, 1) != 0)
    throw QemuError("cannot listen at " + path.string());
  return fd;
}

pid_t spawn(const std::vector<std::string>& arguments, const std::filesystem::path& log) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int in = open("/dev/null", O_RDONLY);
  dup2(in, 0);
  dup2(out, 1);
  dup2(out, 2);
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  _exit(127);
}

std::string readFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// AEROGPU_QTEST_PROCESS: each test runs with a renderer in a process of its own, which asks for guest memory
/// ("asked") or maps it ("shared"). Tests that say where guest memory lies, or which process, are left as
/// they are.
std::string withProcess(const std::string& deviceOptions, std::vector<std::string>& arguments,
                        const std::vector<std::string>& others) {
  const char* asked = std::getenv("AEROGPU_QTEST_PROCESS");
  if (!asked || deviceOptions.find("process=") != std::string::npos) return deviceOptions;
  const bool saysMemory = std::find(others.begin(), others.end(), "-m") != others.end() ||
                          std::find(others.begin(), others.end(), "-machine") != others.end();
  if (std::strcmp(asked, "shared") == 0 && !saysMemory)
    arguments.insert(arguments.end(), {"-object", "memory-backend-memfd,id=pc.ram,size=64M,share=on",
                                       "-machine", "memory-backend=pc.ram"});
  return deviceOptions + (deviceOptions.empty() ? "" : ",") + "process=on,process_deaths=0";
}

std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

QemuProcess::QemuProcess(const std::string& deviceOptions, const std::vector<std::string>& extra,
                         const std::vector<std::string>& before)
    : m_folder(makeFolder()) {
  const int qtestListener = listenAt(m_folder / "qtest"), qmpListener = listenAt(m_folder / "qmp");
  std::vector<std::string> arguments = {launcher(),   "-machine",
                                        "pc",         "-m",
                                        "64",         "-display",
                                        "none",       "-nodefaults",
                                        "-qtest",     "unix:" + (m_folder / "qtest").string(),
                                        "-qtest-log", "/dev/null",
                                        "-chardev",   "socket,id=qmp,path=" + (m_folder / "qmp").string(),
                                        "-mon",       "chardev=qmp,mode=control"};
  if (std::find(before.begin(), before.end(), "-accel") == before.end())
    arguments.insert(arguments.end(), {"-accel", "qtest"});
  arguments.insert(arguments.end(), before.begin(), before.end());
  std::vector<std::string> others = before;
  others.insert(others.end(), extra.begin(), extra.end());
  const std::string options = withProcess(deviceOptions, arguments, others);
  arguments.insert(arguments.end(),
                   {"-device", "aerogpu,id=gpu0,addr=4" + (options.empty() ? "" : "," + options)});
  arguments.insert(arguments.end(), extra.begin(), extra.end());
  m_pid = spawn(arguments, m_folder / "log");
  try {
    m_qtest = acceptOne(qtestListener);
    m_qmp = acceptOne(qmpListener);
  } catch (...) {
    close(qtestListener);
    close(qmpListener);
    kill(m_pid, SIGKILL);
    reap();
    throw;
  }
  close(qtestListener);
  close(qmpListener);
  readLine(m_qmp, m_qmpBuffer, "QMP greeting");
  qmp("qmp_capabilities");
}

QemuProcess::~QemuProcess() {
  if (m_pid > 0) {
    kill(m_pid, std::getenv("AEROGPU_QTEST_ORDERLY") ? SIGTERM : SIGKILL);
    reap();
  }
  if (m_qtest >= 0) close(m_qtest);
  if (m_qmp >= 0) close(m_qmp);
  std::error_code ignored;
  std::filesystem::remove_all(m_folder, ignored);
}

void QemuProcess::reap() {
  int status = 0;
  waitpid(m_pid, &status, 0);
  m_exitStatus = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  m_pid = -1;
}

int QemuProcess::acceptOne(int listener) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(kDeadlineMs);
  while (Clock::now() < deadline) {
    pollfd p{listener, POLLIN, 0};
    if (poll(&p, 1, 50) == 1) return accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    int status = 0;
    if (waitpid(m_pid, &status, WNOHANG | WNOWAIT) == m_pid) break;
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(m_pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == m_pid)
      break;
  }
  throw QemuError("QEMU did not start:\n" + output());
}

std::string QemuProcess::output() const {
  return readFile(m_folder / "log");
}

std::string QemuProcess::readLine(int fd, std::string& buffer, const char* what) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(kDeadlineMs);
  for (;;) {
    if (const size_t end = buffer.find('\n'); end != std::string::npos) {
      std::string line = buffer.substr(0, end);
      buffer.erase(0, end + 1);
      if (!line.empty() && line.back() == '\r') line.pop_back();
      return line;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd p{fd, POLLIN, 0};
    if (left <= 0 || poll(&p, 1, static_cast<int>(left)) != 1)
      throw QemuError(std::string("no answer in time: ") + what + "\n" + output());
    char chunk[65536];
    const ssize_t got = ::read(fd, chunk, sizeof chunk);
    if (got <= 0) throw QemuError(std::string("QEMU is gone: ") + what + "\n" + output());
    buffer.append(chunk, static_cast<size_t>(got));
  }
}

void QemuProcess::noteIrq(const std::string& line) {
  char action[16];
  int number = 0;
  if (std::sscanf(line.c_str(), "IRQ %15s %d", action, &number) == 2 && number >= 0 && number < 64)
    m_irqs[static_cast<size_t>(number)] = std::strcmp(action, "raise") == 0;
}

std::string QemuProcess::qtestCommand(const std::string& command) {
  const std::string line = command + "\n";
  for (size_t sent = 0; sent < line.size();) {
    const ssize_t n = send(m_qtest, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) throw QemuError("QEMU is gone\n" + output());
    sent += static_cast<size_t>(n);
  }
  for (;;) {
    const std::string answer = readLine(m_qtest, m_qtestBuffer, command.substr(0, 60).c_str());
    if (answer.rfind("IRQ ", 0) == 0) {
      noteIrq(answer);
      continue;
    }
    if (answer.rfind("OK", 0) != 0) throw QemuError("qtest: " + command.substr(0, 60) + ": " + answer);
    return answer.size() > 3 ? answer.substr(3) : "";
  }
}

uint8_t QemuProcess::readb(uint64_t a) {
  return static_cast<uint8_t>(std::stoull(qtestCommand("readb " + hex(a)), nullptr, 0));
}
uint16_t QemuProcess::readw(uint64_t a) {
  return static_cast<uint16_t>(std::stoull(qtestCommand("readw " + hex(a)), nullptr, 0));
}
uint32_t QemuProcess::readl(uint64_t a) {
  return static_cast<uint32_t>(std::stoull(qtestCommand("readl " + hex(a)), nullptr, 0));
}
uint64_t QemuProcess::readq(uint64_t a) {
  return std::stoull(qtestCommand("readq " + hex(a)), nullptr, 0);
}
void QemuProcess::writeb(uint64_t a, uint8_t v) {
  qtestCommand("writeb " + hex(a) + " " + hex(v));
}
void QemuProcess::writew(uint64_t a, uint16_t v) {
  qtestCommand("writew " + hex(a) + " " + hex(v));
}
void QemuProcess::writel(uint64_t a, uint32_t v) {
  qtestCommand("writel " + hex(a) + " " + hex(v));
}
void QemuProcess::writeq(uint64_t a, uint64_t v) {
  qtestCommand("writeq " + hex(a) + " " + hex(v));
}
void QemuProcess::outb(uint16_t port, uint8_t v) {
  qtestCommand("outb " + hex(port) + " " + hex(v));
}
void QemuProcess::outw(uint16_t port, uint16_t v) {
  qtestCommand("outw " + hex(port) + " " + hex(v));
}
void QemuProcess::outl(uint16_t port, uint32_t v) {
  qtestCommand("outl " + hex(port) + " " + hex(v));
}
uint8_t QemuProcess::inb(uint16_t port) {
  return static_cast<uint8_t>(std::stoul(qtestCommand("inb " + hex(port)), nullptr, 0));
}
uint16_t QemuProcess::inw(uint16_t port) {
  return static_cast<uint16_t>(std::stoul(qtestCommand("inw " + hex(port)), nullptr, 0));
}
uint32_t QemuProcess::inl(uint16_t port) {
  return static_cast<uint32_t>(std::stoull(qtestCommand("inl " + hex(port)), nullptr, 0));
}

std::vector<uint8_t> QemuProcess::read(uint64_t address, size_t size) {
  const std::string text = qtestCommand("read " + hex(address) + " " + hex(size));
  std::vector<uint8_t> bytes(size);
  for (size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<uint8_t>(std::stoul(text.substr(2 + i * 2, 2), nullptr, 16));
  return bytes;
}

void QemuProcess::write(uint64_t address, std::span<const uint8_t> bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  for (size_t at = 0; at < bytes.size(); at += 32768) {
    const auto part = bytes.subspan(at, std::min<size_t>(32768, bytes.size() - at));
    std::string text = "write " + hex(address + at) + " " + hex(part.size()) + " 0x";
    for (const uint8_t byte : part) {
      text += kDigits[byte >> 4];
      text += kDigits[byte & 15];
    }
    qtestCommand(text);
  }
}

void QemuProcess::fill(uint64_t address, uint64_t size, uint8_t value) {
  qtestCommand("memset " + hex(address) + " " + hex(size) + " " + hex(value));
}

void QemuProcess::clockStep(uint64_t ns) {
  qtestCommand("clock_step " + std::to_string(ns));
}
void QemuProcess::interceptIrqs(const std::string& path) {
  qtestCommand("irq_intercept_in " + path);
}
bool QemuProcess::irqLevel(int line) {
  qtestCommand("readb 0x0");  // receives the reports that are under way first
  return m_irqs[static_cast<size_t>(line)];
}

std::string QemuProcess::qmp(const std::string& command, const std::string& arguments) {
  const std::string line =
      std::string("{\"execute\": \"").append(command).append("\", \"arguments\": ") + arguments + "}\n";
  if (send(m_qmp, line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size()))
    throw QemuError("QEMU is gone\n" + output());
  for (;;) {
    std::string answer = readLine(m_qmp, m_qmpBuffer, command.c_str());
    if (answer.rfind("{\"error\"", 0) == 0) throw QemuError("QMP: " + command + ": " + answer);
    if (answer.rfind("{\"return\"", 0) == 0) return answer;
  }
}

std::string QemuProcess::monitor(const std::string& command) {
  return qmp("human-monitor-command", "{\"command-line\": \"" + command + "\"}");
}

std::string QemuProcess::propertyAnswer(const std::string& name) {
  return qmp("qom-get", "{\"path\": \"/machine/peripheral/gpu0\", \"property\": \"" + name + "\"}");
}
void QemuProcess::setProperty(const std::string& name, uint32_t value) {
  qmp("qom-set", "{\"path\": \"/machine/peripheral/gpu0\", \"property\": \"" + name +
                     "\", \"value\": " + std::to_string(value) + "}");
}
int64_t QemuProcess::property(const std::string& name) {
  return qmpNumber(propertyAnswer(name));
}
std::string QemuProcess::stringProperty(const std::string& name) {
  return qmpString(propertyAnswer(name));
}

namespace {
constexpr std::string_view kReturn = "{\"return\": ";

std::string_view qmpValue(const std::string& answer) {
  if (answer.rfind(kReturn, 0) != 0) throw QemuError("QMP: no answer: " + answer);
  return std::string_view(answer).substr(kReturn.size());
}
}  // namespace

int64_t qmpNumber(const std::string& answer) {
  const std::string_view value = qmpValue(answer);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end == value.data() + value.size() || (*end != '}' && *end != ','))
    throw QemuError("QMP: no whole number: " + answer);
  return number;
}

std::string qmpString(const std::string& answer) {
  const std::string_view value = qmpValue(answer);
  std::string text;
  for (size_t i = 1; value.starts_with('"') && i < value.size(); ++i) {
    if (value[i] == '"') return text;
    if (value[i] == '\\') ++i;  // the names and paths here have no escapes but \" and two backslashes
    if (i < value.size()) text += value[i];
  }
  throw QemuError("QMP: no text: " + answer);
}

Picture QemuProcess::screendump() {
  const std::filesystem::path path = m_folder / "screen.ppm";
  qmp("screendump", "{\"filename\": \"" + path.string() + "\"}");
  const std::string file = readFile(path);
  Picture picture;
  int header = 0;
  if (std::sscanf(file.c_str(), "P6 %u %u 255%n", &picture.width, &picture.height, &header) != 2)
    throw QemuError("screendump is no PPM");
  // QEMU 7.2 pads the rows of its PPM files to a multiple of 4 bytes.
  const size_t row = size_t{picture.width} * 3, padded = (row + 3) & ~size_t{3};
  const size_t begin = static_cast<size_t>(header) + 1,
               stride = file.size() - begin == padded * picture.height ? padded : row;
  if (file.size() - begin != stride * picture.height) throw QemuError("screendump has a wrong size");
  for (uint32_t y = 0; y < picture.height; ++y)
    picture.rgb.insert(picture.rgb.end(), file.begin() + static_cast<std::ptrdiff_t>(begin + y * stride),
                       file.begin() + static_cast<std::ptrdiff_t>(begin + y * stride + row));
  return picture;
}

int QemuProcess::quit() {
  qmp("quit");
  const auto deadline = Clock::now() + std::chrono::milliseconds(kDeadlineMs);
  char rest[4096];
  for (;;) {  // QEMU closes the socket when it exits
    pollfd p{m_qmp, POLLIN, 0};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0 || poll(&p, 1, static_cast<int>(left)) != 1)
      throw QemuError("QEMU does not quit\n" + output());
    if (::read(m_qmp, rest, sizeof rest) <= 0) break;
  }
  reap();
  return m_exitStatus;
}

Refusal startRefused(const std::string& deviceOptions) {
  return runToExit({"-accel", "qtest", "-machine", "none", "-machine", "pc", "-nodefaults", "-display",
                    "none", "-device", "aerogpu," + deviceOptions});
}

Refusal runToExit(const std::vector<std::string>& arguments) {
  const std::filesystem::path folder = makeFolder();
  std::vector<std::string> command = {launcher()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const pid_t pid = spawn(command, folder / "log");
  const auto deadline = Clock::now() + std::chrono::milliseconds(kDeadlineMs);
  int status = 0;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (Clock::now() > deadline) {
      kill(pid, SIGKILL);
      waitpid(pid, &status, 0);
      break;
    }
    poll(nullptr, 0, 5);
  }
  Refusal refusal{WIFEXITED(status) ? WEXITSTATUS(status) : -1, readFile(folder / "log")};
  std::filesystem::remove_all(folder);
  return refusal;
}

}  // namespace aerogpu::qtest
