// SPDX-License-Identifier: MIT
// What a renderer's process may not do (renderer/remote/confine.h): each thing is seen succeeding without the
// sandbox, and refused with it. Run as root, whose rights it would have otherwise.
#include "renderer/remote/confine.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <sys/fanotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
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

namespace aerogpu::remote {
namespace {

namespace fs = std::filesystem;

/// True if `act` succeeded in a process of its own.
bool succeeds(const std::function<bool()>& act, bool confined) {
  const pid_t pid = fork();
  if (pid == 0) {
    if (confined && !(giveUpRights() && filterCalls())) _exit(2);
    _exit(act() ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == 2) << "no sandbox";
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

long call(long number, auto... arguments) {
  return syscall(number, arguments...);
}

class Confined : public testing::Test {
protected:
  void SetUp() override {
    m_folder = fs::temp_directory_path() / ("confine" + std::to_string(getpid()));
    fs::create_directories(m_folder / "mount");
    std::ofstream(file()) << "text";
  }
  void TearDown() override { fs::remove_all(m_folder); }
  std::string file() const { return m_folder / "file"; }
  std::string other() const { return m_folder / "other"; }

  fs::path m_folder;
  char m_byte = 1;  ///< of this process, which children try to reach
};

TEST_F(Confined, WhatItMayNotDoIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, whose rights are given up";
  const pid_t parent = getpid();
  char byte = 0;
  iovec here{&byte, 1}, there{&m_byte, 1};
  const struct {
    const char* name;
    std::function<bool()> act;
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
  };
  std::ofstream(m_folder / "others") << "text";
  ASSERT_EQ(chown((m_folder / "others").c_str(), 65534, 65534), 0);
  ASSERT_EQ(chmod((m_folder / "others").c_str(), 0600), 0);
  size_t seen = 0;
  for (const auto& thing : things) {
    SCOPED_TRACE(thing.name);
    if (!succeeds(thing.act, false)) {
      std::printf("# this kernel or container does not let anyone %s\n", thing.name);
      continue;
    }
    ++seen;
    EXPECT_FALSE(succeeds(thing.act, true));
  }
  EXPECT_GE(seen, 40u);
}

TEST_F(Confined, WhatDriversDoWorks) {
  const auto works = [](const std::function<bool()>& act) { return succeeds(act, true); };
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
    return open(other().c_str(), O_RDWR | O_CREAT, 0600) >= 0 && rename(other().c_str(), file().c_str()) == 0;
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
        const bool filtered = giveUpRights() && filterCalls();
        step = 1;
        before.join();
        return filtered && refused;
      },
      false));
}

TEST_F(Confined, AbortStillEndsIt) {
  const pid_t pid = fork();
  if (pid == 0) {
    if (!giveUpRights() || !filterCalls()) _exit(2);
    std::abort();
  }
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGABRT);
}

}  // namespace
}  // namespace aerogpu::remote
