// SPDX-License-Identifier: MIT
// What a renderer's process may not do (renderer/remote/confine.h, landlock.h, call_filter.h): each thing is
// seen succeeding without the sandbox, and refused with it. Run as root, whose rights it would have
// otherwise.
#include "renderer/remote/confine.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <linux/random.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/fanotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "renderer/remote/call_filter.h"
#include "renderer/remote/driver_files.h"
#include "renderer/remote/landlock.h"

namespace aerogpu::remote {
namespace {

namespace fs = std::filesystem;

/// What a child gives up before it acts.
struct Sandbox {
  Calls calls = Calls::All;
  bool givesUpRights = false;
  const FileRules* files = nullptr;  ///< none: files are not limited
  uint32_t landlock = kMostLandlock;

  bool enter() const {
    if (givesUpRights && !giveUpRights()) return false;
    if (files && limitFiles(*files, landlock) != landlock) return false;
    return filterCalls(calls);
  }
};

/// True if `act` succeeded in a process of its own.
bool succeeds(const std::function<bool()>& act, const Sandbox& sandbox) {
  const pid_t pid = fork();
  if (pid == 0) {
    if (!sandbox.enter()) _exit(2);
    _exit(act() ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == 2) << "no sandbox";
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool opens(const std::string& path, int flags) {
  return open(path.c_str(), flags | O_CLOEXEC, 0600) >= 0;
}

/// A name in the abstract namespace, and its length.
std::pair<sockaddr_un, socklen_t> abstractName(const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  return {address, static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size())};
}

long call(long number, auto... arguments) {
  return syscall(number, arguments...);
}

class Confined : public testing::Test {
protected:
  void SetUp() override {
    m_folder = fs::temp_directory_path() / ("confine" + std::to_string(getpid()));
    fs::create_directories(m_folder / "mount");
    fs::create_directories(m_folder / "empty");
    fs::create_directories(m_folder / "read");
    fs::create_directories(cache());
    for (const std::string& path : {file(), cache() + "/file", readable()}) std::ofstream(path) << "text";
    m_files.reads = {"/lib", "/lib64", "/usr/lib", "/proc/self", m_folder / "read"};
    m_files.devices = {"/dev/null"};
    m_files.writes = {cache()};
    static const uint32_t kernels = limitsOfThisKernel();  // once: children are dear
    m_landlock = kernels;
  }
  void TearDown() override { fs::remove_all(m_folder); }
  std::string file() const { return m_folder / "file"; }
  std::string other() const { return m_folder / "other"; }
  std::string cache() const { return m_folder / "cache"; }
  std::string readable() const { return m_folder / "read" / "file"; }
  /// The version of Landlock, asked of a child, which keeps the limits.
  uint32_t limitsOfThisKernel() const {
    uint32_t version = 0;
    while (version < kMostLandlock &&
           succeeds([this, version] { return limitFiles(m_files, version + 1) == version + 1; }, {}))
      ++version;
    return version;
  }
  /// The whole sandbox, as the process has it.
  Sandbox whole(Calls calls) const { return {calls, true, m_landlock != 0 ? &m_files : nullptr, m_landlock}; }
  /// The part that limits files, as a kernel with this version has it.
  Sandbox limited(uint32_t landlock) const { return {Calls::All, false, &m_files, landlock}; }
  /// Puts up with what this kernel lacks, which is said.
  bool hasLandlock(uint32_t version) const {
    if (m_landlock >= version) return true;
    std::printf("# this kernel's Landlock is %u: what needs %u is not tested\n", m_landlock, version);
    return false;
  }

  fs::path m_folder;
  FileRules m_files;
  uint32_t m_landlock = 0;
  char m_byte = 1;  ///< of this process, which children try to reach
};

TEST_F(Confined, WhatItMayNotDoIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, whose rights are given up";
  const pid_t parent = getpid();
  signal(SIGURG, SIG_IGN);
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in here4{};
  here4.sin_family = AF_INET;
  here4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size4 = sizeof here4;
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&here4), sizeof here4), 0);
  ASSERT_EQ(listen(listener, 8), 0);
  ASSERT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&here4), &size4), 0);
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), pair = socket(AF_UNIX, SOCK_STREAM, 0);
  // RAM of a guest as a session passes it: sealed against cuts (RemoteRenderer::setRegions()).
  const int ram = memfd_create("ram", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(ram, 4096), 0);
  char byte = 0;
  iovec here{&byte, 1}, there{&m_byte, 1};
  const struct {
    const char* name;
    std::function<bool()> act;
    uint32_t landlock = 0;  ///< the version that it takes to refuse it
  } things[] = {
      {"execute a program",
       [&] {
         execl("/bin/true", "true", nullptr);
         return false;
       }},
      {"execute a program that is open",
       [&] {
         char* arguments[] = {const_cast<char*>("true"), nullptr};
         fexecve(open("/bin/true", O_RDONLY), arguments, environ);
         return false;
       }},
      {"make a process", [] { return fork() >= 0; }},
      {"make a process by vfork()",
       [] {
         const pid_t pid = vfork();
         if (pid == 0) _exit(0);
         return pid > 0;
       }},
      {"look at another process", [&] { return ptrace(PTRACE_SEIZE, parent, nullptr, nullptr) == 0; }},
      {"read another's memory", [&] { return process_vm_readv(parent, &here, 1, &there, 1, 0) == 1; }},
      {"write another's memory", [&] { return process_vm_writev(parent, &here, 1, &there, 1, 0) == 1; }},
      {"hold another process", [&] { return call(SYS_pidfd_open, parent, 0) >= 0; }},
      {"signal another process", [&] { return kill(parent, 0) == 0; }},
      {"signal another's thread", [&] { return call(SYS_tgkill, parent, parent, 0) == 0; }},
      {"limit another process", [&] { return prlimit(parent, RLIMIT_NOFILE, nullptr, nullptr) == 0; }},
      {"talk over the network", [] { return socket(AF_INET, SOCK_STREAM, 0) >= 0; }},
      {"talk to daemons", [] { return socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }},
      {"become another user", [] { return call(SYS_setuid, 65534) == 0; }},
      {"become another user in part", [] { return call(SYS_setresuid, -1, 65534, -1) == 0; }},
      {"take another user's files",
       [] { return call(SYS_setfsuid, 65534) == 0 && call(SYS_setfsuid, -1) == 65534; }},
      {"join another group", [] { return call(SYS_setgid, 65534) == 0; }},
      {"leave groups", [] { return call(SYS_setgroups, 0, nullptr) == 0; }},
      {"change its personality", [] { return personality(ADDR_NO_RANDOMIZE) >= 0; }},
      {"leave the mounts", [] { return unshare(CLONE_NEWNS) == 0; }},
      {"join other mounts", [] { return setns(open("/proc/self/ns/mnt", O_RDONLY), CLONE_NEWNS) == 0; }},
      {"change the root", [] { return chroot("/") == 0; }},
      {"mount",
       [&] {
         const std::string at = m_folder / "mount";
         return mount("none", at.c_str(), "tmpfs", 0, nullptr) == 0 && umount(at.c_str()) == 0;
       }},
      {"change rights of a file", [&] { return chmod(file().c_str(), 0777) == 0; }},
      {"change rights of an open file", [&] { return fchmod(open(file().c_str(), O_RDONLY), 0777) == 0; }},
      {"give a file away", [&] { return chown(file().c_str(), 65534, 65534) == 0; }},
      {"make a device or pipe",
       [&] { return mkfifo(other().c_str(), 0600) == 0 && unlink(other().c_str()) == 0; }},
      {"link a file",
       [&] { return link(file().c_str(), other().c_str()) == 0 && unlink(other().c_str()) == 0; }},
      {"make a symbolic link",
       [&] { return symlink("/", other().c_str()) == 0 && unlink(other().c_str()) == 0; }},
      {"cut a file", [&] { return truncate(file().c_str(), 1) == 0; }},
      {"watch files of all", [] { return fanotify_init(FAN_CLASS_NOTIF, O_RDONLY) >= 0; }},
      {"load programs into the kernel",
       [] {
         bpf_attr attributes{};
         attributes.map_type = BPF_MAP_TYPE_ARRAY;
         attributes.key_size = attributes.value_size = 4;
         attributes.max_entries = 1;
         return call(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof attributes) >= 0;
       }},
      {"count events",
       [] {
         perf_event_attr attributes{};
         attributes.type = PERF_TYPE_SOFTWARE;
         attributes.size = sizeof attributes;
         attributes.config = PERF_COUNT_SW_TASK_CLOCK;
         return call(SYS_perf_event_open, &attributes, 0, -1, -1, 0) >= 0;
       }},
      {"handle page faults", [] { return call(SYS_userfaultfd, 0) >= 0; }},
      {"queue system calls",
       [] {
         alignas(8) char parameters[120] = {};
         return call(SYS_io_uring_setup, 1, parameters) >= 0;
       }},
      {"use keyrings", [] { return call(SYS_keyctl, 0 /* KEYCTL_GET_KEYRING_ID */, -3, 1) >= 0; }},
      {"share memory of System V",
       [] {
         const int id = shmget(IPC_PRIVATE, 4096, 0600);
         return id >= 0 && shmctl(id, IPC_RMID, nullptr) == 0;
       }},
      {"send messages of System V",
       [] {
         const int id = msgget(IPC_PRIVATE, 0600);
         return id >= 0 && msgctl(id, IPC_RMID, nullptr) == 0;
       }},
      {"use semaphores of System V",
       [] {
         const int id = semget(IPC_PRIVATE, 1, 0600);
         return id >= 0 && semctl(id, 0, IPC_RMID) == 0;
       }},
      {"open a message queue",
       [] {
         const std::string name = "/confine" + std::to_string(getpid());
         return mq_open(name.c_str(), O_CREAT | O_RDWR, 0600, nullptr) >= 0 && mq_unlink(name.c_str()) == 0;
       }},
      {"read the kernel's log", [] { return call(SYS_syslog, 10 /* SIZE_BUFFER */, nullptr, 0) > 0; }},
      {"rename the machine",
       [] {
         char name[256] = "";
         return gethostname(name, sizeof name - 1) == 0 && sethostname(name, std::strlen(name)) == 0;
       }},
      {"open a file that root may and its owner may not",
       [&] {
         // Its owner is another one, who has all rights: root needs a capability for it.
         return open((m_folder / "others").c_str(), O_RDONLY) >= 0;
       }},
      {"read a file elsewhere", [&] { return opens(file(), O_RDONLY); }, 1},
      {"read the users of the host", [] { return opens("/etc/passwd", O_RDONLY); }, 1},
      {"list a folder elsewhere", [&] { return opens(m_folder, O_RDONLY | O_DIRECTORY); }, 1},
      {"write a file elsewhere", [&] { return opens(file(), O_WRONLY); }, 1},
      {"append to a file elsewhere", [&] { return opens(file(), O_WRONLY | O_APPEND); }, 1},
      {"write a file that it may read", [&] { return opens(readable(), O_RDWR); }, 1},
      {"make a file elsewhere",
       [&] { return opens(other(), O_WRONLY | O_CREAT) && unlink(other().c_str()) == 0; }, 1},
      {"make a file without a name elsewhere", [&] { return opens(m_folder, O_WRONLY | O_TMPFILE); }, 1},
      {"make a folder elsewhere",
       [&] { return mkdir(other().c_str(), 0700) == 0 && rmdir(other().c_str()) == 0; }, 1},
      {"remove a file elsewhere",
       [&] {
         const bool removed = unlink(readable().c_str()) == 0;
         std::ofstream(readable()) << "text";
         return removed;
       },
       1},
      {"remove a folder elsewhere",
       [&] {
         const std::string empty = m_folder / "empty";
         return rmdir(empty.c_str()) == 0 && mkdir(empty.c_str(), 0700) == 0;
       },
       1},
      {"rename a file elsewhere",
       [&] {
         return rename(file().c_str(), other().c_str()) == 0 && rename(other().c_str(), file().c_str()) == 0;
       },
       1},
      {"take a file out of its cache",
       [&] {
         const std::string inside = cache() + "/file";
         return rename(inside.c_str(), other().c_str()) == 0 && rename(other().c_str(), inside.c_str()) == 0;
       },
       1},
      {"leave its cache by a path", [&] { return opens(cache() + "/../file", O_RDONLY); }, 1},
      {"look at another process's memory",
       [&] { return opens("/proc/" + std::to_string(parent) + "/mem", O_RDONLY); }, 1},
      {"read another process's environment",
       [&] { return opens("/proc/" + std::to_string(parent) + "/environ", O_RDONLY); }, 1},
      {"read what the kernel is set to", [] { return opens("/proc/sys/kernel/hostname", O_RDONLY); }, 1},
      {"set the kernel", [] { return opens("/proc/sys/kernel/hostname", O_WRONLY); }, 1},
      {"write shared memory of all",
       [] {
         const std::string name = "/dev/shm/confine" + std::to_string(getpid());
         return opens(name, O_RDWR | O_CREAT) && unlink(name.c_str()) == 0;
       },
       1},
      {"use a terminal", [] { return opens("/dev/ptmx", O_RDWR | O_NOCTTY); }, 1},
      {"list another process's descriptors",
       [&] { return opens("/proc/" + std::to_string(parent) + "/fd", O_RDONLY | O_DIRECTORY); }, 1},
      {"cut guest memory", [&] { return ftruncate(ram, 0) == 0 && ftruncate(ram, 4096) == 0; }},
      {"connect a socket that is open",
       [&] { return connect(client, reinterpret_cast<sockaddr*>(&here4), sizeof here4) == 0; }},
      {"give a socket a name",
       [&] {
         const auto [address, length] = abstractName("confine" + std::to_string(getpid()));
         return bind(pair, reinterpret_cast<const sockaddr*>(&address), length) == 0;
       }},
  };
  std::ofstream(m_folder / "others") << "text";
  ASSERT_EQ(chown((m_folder / "others").c_str(), 65534, 65534), 0);
  ASSERT_EQ(chmod((m_folder / "others").c_str(), 0600), 0);
  std::vector<bool> possible;
  for (const auto& thing : things) {
    possible.push_back(thing.landlock <= m_landlock && succeeds(thing.act, {}));
    if (!possible.back()) std::printf("# not tested, this kernel or container cannot: %s\n", thing.name);
  }
  ASSERT_EQ(fcntl(ram, F_ADD_SEALS, F_SEAL_SHRINK), 0);
  std::vector<Calls> lists{Calls::Listed};
  if (kIsConfined) lists.push_back(Calls::Refused);  // children of a sanitized program are dear
  for (const Calls calls : lists) {
    size_t seen = 0;
    for (size_t i = 0; i < possible.size(); ++i) {
      if (!possible[i]) continue;
      SCOPED_TRACE(things[i].name);
      ++seen;
      EXPECT_FALSE(succeeds(things[i].act, whole(calls)));
    }
    EXPECT_GE(seen, m_landlock != 0 ? 60u : 40u);
  }
  for (const int fd : {listener, client, pair, ram}) close(fd);
}

/// Each version of Landlock adds what the one before did not refuse.
TEST_F(Confined, WhatEachVersionOfLandlockRefuses) {
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto name = abstractName("confine" + std::to_string(getpid()));
  ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&name.first), name.second), 0);
  ASSERT_EQ(listen(listener, 8), 0);
  const pid_t parent = getpid();
  const struct {
    uint32_t version;
    const char* name;
    std::function<bool()> act;
  } things[] = {
      {1, "read a file", [&] { return opens(file(), O_RDONLY); }},
      {1, "run a program",
       [] {
         execl("/bin/true", "true", nullptr);
         return false;
       }},
      {3, "cut a file that it may read", [&] { return opens(readable(), O_RDONLY | O_TRUNC); }},
      {4, "listen to the network",
       [] {
         sockaddr_in any{};
         any.sin_family = AF_INET;
         any.sin_port = htons(0);
         const int fd = socket(AF_INET, SOCK_STREAM, 0);
         return bind(fd, reinterpret_cast<sockaddr*>(&any), sizeof any) == 0;
       }},
      {5, "ask a device that it may only read",
       [&] {
         int bits = 0;
         return ioctl(open("/dev/random", O_RDONLY | O_CLOEXEC), RNDGETENTCNT, &bits) == 0;
       }},
      {6, "talk to a daemon without a file",
       [&] {
         const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
         return connect(fd, reinterpret_cast<const sockaddr*>(&name.first), name.second) == 0;
       }},
      {6, "signal another process", [&] { return kill(parent, 0) == 0; }},
  };
  m_files.reads.emplace_back("/dev/random");
  for (const auto& thing : things) {
    SCOPED_TRACE(thing.name);
    ASSERT_TRUE(succeeds(thing.act, {}));
    for (const uint32_t version : {thing.version - 1, thing.version}) {
      if (version == 0 || !hasLandlock(version)) continue;
      EXPECT_EQ(succeeds(thing.act, limited(version)), version < thing.version);
    }
  }
  close(listener);
}

/// A kernel without Landlock, or one that was not started with it: nothing is limited, and that is said.
TEST_F(Confined, WithoutLandlockNothingIsLimited) {
  EXPECT_TRUE(succeeds([this] { return limitFiles(m_files, 0) == 0 && opens(file(), O_RDONLY); }, {}));
}

TEST_F(Confined, ItsCacheIsItsOwn) {
  for (uint32_t version = 1; version <= m_landlock; ++version) {
    SCOPED_TRACE(version);
    EXPECT_TRUE(succeeds(
        [this] {
          const std::string kept = cache() + "/file", made = cache() + "/new", below = cache() + "/below";
          return opens(cache(), O_RDONLY | O_DIRECTORY) && opens(made, O_RDWR | O_CREAT | O_TRUNC) &&
                 rename(made.c_str(), kept.c_str()) == 0 && opens(kept, O_WRONLY | O_TRUNC) &&
                 mkdir(below.c_str(), 0700) == 0 && opens(below + "/file", O_WRONLY | O_CREAT) &&
                 unlink((below + "/file").c_str()) == 0 && rmdir(below.c_str()) == 0 &&
                 opens(readable(), O_RDONLY) && opens("/dev/null", O_RDWR);
        },
        limited(version)));
  }
}

/// Drivers keep what they make of shaders with the machine's own, and not where other programs look.
TEST_F(Confined, CachesOfDriversAreLed) {
  const auto with = [](const std::function<bool()>& act) {
    EXPECT_TRUE(succeeds(
        [&] {
          for (const char* name : {"MESA_SHADER_CACHE_DIR", "MESA_SHADER_CACHE_DISABLE",
                                   "__GL_SHADER_DISK_CACHE", "__GL_SHADER_DISK_CACHE_PATH"})
            unsetenv(name);
          return act();
        },
        {}));
  };
  const auto is = [](const char* name, const std::string& value) {
    const char* found = std::getenv(name);
    return value == (found ? found : "");
  };
  with([&] {
    const std::string folder = m_folder / "a" / "b";
    leadCaches(folder);
    const FileRules rules = driverFiles(folder);
    return is("MESA_SHADER_CACHE_DIR", folder) && is("__GL_SHADER_DISK_CACHE_PATH", folder) &&
           is("MESA_SHADER_CACHE_DISABLE", "") && fs::is_directory(folder) &&
           rules.writes == std::vector<std::string>(3, folder);
  });
  with([&] {
    leadCaches("");
    return is("MESA_SHADER_CACHE_DISABLE", "true") && is("__GL_SHADER_DISK_CACHE", "0") &&
           driverFiles("").writes.empty();
  });
  with([&] {
    setenv("MESA_SHADER_CACHE_DIR", "/own", 1);
    leadCaches("");
    return is("MESA_SHADER_CACHE_DISABLE", "") && driverFiles("").writes == std::vector<std::string>{"/own"};
  });
}

/// A driver that the environment names may lie anywhere, with its libraries.
TEST_F(Confined, DriversThatAreNamedAreRead) {
  if (!hasLandlock(1)) return;
  const std::string manifest = m_folder / "icd.json", folder = m_folder / "driver";
  fs::create_directories(folder);
  std::ofstream(folder + "/libother.so") << "text";
  std::ofstream(folder + "/libdriver.so") << "text";
  std::ofstream(manifest) << R"({"ICD": {"library_path": "driver/libdriver.so", "api_version": "1.3.0"}})";
  const auto reaches = [&](const char* name) {
    return succeeds(
        [&] {
          if (name) setenv(name, ("/no/such:" + manifest).c_str(), 1);
          if (limitFiles(driverFiles("")) != m_landlock) return false;
          return opens(manifest, O_RDONLY) && opens(folder + "/libdriver.so", O_RDONLY) &&
                 opens(folder + "/libother.so", O_RDONLY) && !opens(file(), O_RDONLY);
        },
        {});
  };
  EXPECT_FALSE(reaches(nullptr));
  for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES"})
    EXPECT_TRUE(reaches(name));
}

/// What a list refuses is named, each once.
TEST_F(Confined, RefusalsAreNamed) {
  EXPECT_TRUE(succeeds(
      [] {
        for (int i = 0; i < 2; ++i) {
          if (socket(AF_UNIX, SOCK_STREAM, 0) >= 0 || errno != EPERM) return false;
          if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0 || errno != EPERM) return false;
        }
        char second[96];
        std::snprintf(second, sizeof second, "the renderer's process was refused system call %d with 0x%x",
                      static_cast<int>(SYS_prctl), static_cast<unsigned>(PR_SET_DUMPABLE));
        const std::string first =
            "the renderer's process was refused system call " + std::to_string(SYS_socket);
        return takeRefusals() == std::vector<std::string>{first, second} && takeRefusals().empty();
      },
      whole(Calls::Listed)));
}

TEST_F(Confined, TheFilterFollowsTheDriver) {
  using core::DriverKind;
  unsetenv("AEROGPU_RENDERER_CALLS");
  EXPECT_EQ(callsFor(DriverKind::None), Calls::Listed);
  EXPECT_EQ(callsFor(DriverKind::Lavapipe), Calls::Listed);
  EXPECT_EQ(callsFor(DriverKind::Mesa), Calls::Refused);
  EXPECT_EQ(callsFor(DriverKind::Other), Calls::Refused);
  setenv("AEROGPU_RENDERER_CALLS", "listed", 1);
  EXPECT_EQ(callsFor(DriverKind::Lavapipe), Calls::Listed);
  EXPECT_EQ(callsFor(DriverKind::Mesa), Calls::Mesa);
  EXPECT_EQ(callsFor(DriverKind::Other), Calls::Mesa);
  setenv("AEROGPU_RENDERER_CALLS", "refused", 1);
  EXPECT_EQ(callsFor(DriverKind::Lavapipe), Calls::Refused);
  unsetenv("AEROGPU_RENDERER_CALLS");
}

/// A GPU's own commands pass where a driver for hardware is expected, and nowhere else a list is.
TEST_F(Confined, CommandsOfGpusAreForTheirDrivers) {
  constexpr unsigned long kDrmVersion = 0xC0406400;  // DRM_IOCTL_VERSION (Linux, include/uapi/drm/drm.h)
  const auto reachesTheDevice = [] {
    char space[64] = {};
    return ioctl(open("/dev/null", O_RDWR), kDrmVersion, space) != 0 && errno == ENOTTY;
  };
  EXPECT_TRUE(succeeds(reachesTheDevice, whole(Calls::Mesa)));
  EXPECT_TRUE(succeeds(reachesTheDevice, whole(Calls::Refused)));
  EXPECT_FALSE(succeeds(reachesTheDevice, whole(Calls::Listed)));
}

TEST_F(Confined, WhatDriversDoWorks) {
  const auto works = [this](const std::function<bool()>& act) {
    return succeeds(act, whole(Calls::Refused)) && succeeds(act, whole(Calls::Listed)) &&
           succeeds(act, whole(Calls::Mesa));
  };
  EXPECT_TRUE(works([] {
    bool ran = false;
    std::thread([&] { ran = true; }).join();
    return ran;
  }));
  EXPECT_TRUE(works([] {
    return mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
           MAP_FAILED;
  }));
  EXPECT_TRUE(works([] { return memfd_create("memory", MFD_CLOEXEC) >= 0; }));
  EXPECT_TRUE(works([this] {
    const std::string made = cache() + "/made";
    return opens(made, O_RDWR | O_CREAT) && rename(made.c_str(), (cache() + "/file").c_str()) == 0;
  }));
  EXPECT_TRUE(works([] {
    rlimit limit{};
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && setrlimit(RLIMIT_NOFILE, &limit) == 0;
  }));
  EXPECT_TRUE(works([] {
    int ends[2];
    return socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0;
  }));
  EXPECT_TRUE(works([] { return ftruncate(memfd_create("memory", MFD_CLOEXEC), 4096) == 0; }));
}

/// All threads are confined, also those from before.
TEST_F(Confined, TheFilterIsForAllThreads) {
  EXPECT_TRUE(succeeds(
      [] {
        std::atomic<int> step{0};
        bool refused = false;
        std::thread before([&] {
          while (step != 1) std::this_thread::yield();
          refused = socket(AF_UNIX, SOCK_STREAM, 0) < 0;
        });
        const bool filtered = giveUpRights() && filterCalls(Calls::Refused);
        step = 1;
        before.join();
        return filtered && refused;
      },
      {}));
}

TEST_F(Confined, AbortStillEndsIt) {
  for (const Calls calls : {Calls::Refused, Calls::Listed}) {
    const pid_t pid = fork();
    if (pid == 0) {
      if (!whole(calls).enter()) _exit(2);
      std::abort();
    }
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGABRT);
  }
}

}  // namespace
}  // namespace aerogpu::remote
