// SPDX-License-Identifier: MIT
// A filter of system calls that names what is refused (Linux,
// Documentation/userspace-api/seccomp_filter.rst): Vulkan drivers differ too much for a list of what is
// allowed.
#include "renderer/remote/confine.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "renderer/process/architecture.h"

namespace aerogpu::remote {
namespace {

/// Bit of the numbers of the x32 ABI, which reach the same calls.
constexpr uint32_t kX32 = 0x40000000;

constexpr uint32_t kRefused[] = {
    // programs, and other processes
    __NR_execve,
    __NR_execveat,
    __NR_ptrace,
    __NR_process_vm_readv,
    __NR_process_vm_writev,
    __NR_process_madvise,
    __NR_process_mrelease,
    __NR_pidfd_open,
    __NR_pidfd_getfd,
    __NR_pidfd_send_signal,
    __NR_kill,
    __NR_tkill,
    __NR_rt_sigqueueinfo,
    __NR_rt_tgsigqueueinfo,
    // sockets with names; calls of the shader translator each take a pair without one
    __NR_socket,

    __NR_bind,
    __NR_connect,
    __NR_listen,
    __NR_accept,
    __NR_accept4,
    // other users and rights
    __NR_setuid,
    __NR_setgid,
    __NR_setreuid,
    __NR_setregid,
    __NR_setresuid,
    __NR_setresgid,
    __NR_setfsuid,
    __NR_setfsgid,
    __NR_setgroups,
    __NR_capset,
    __NR_personality,
    // namespaces and mounts
    __NR_unshare,
    __NR_setns,
    __NR_chroot,
    __NR_pivot_root,
    __NR_mount,
    __NR_umount2,
    __NR_move_mount,
    __NR_open_tree,
    __NR_fsopen,
    __NR_fsconfig,
    __NR_fsmount,
    __NR_fspick,
    __NR_mount_setattr,
    // rights and names of files
    __NR_fchmod,
    __NR_fchmodat,
    __NR_fchown,
    __NR_fchownat,
    __NR_mknodat,
    __NR_linkat,
    __NR_symlinkat,
    __NR_setxattr,
    __NR_lsetxattr,
    __NR_fsetxattr,
    __NR_removexattr,
    __NR_lremovexattr,
    __NR_fremovexattr,
    __NR_name_to_handle_at,
    __NR_open_by_handle_at,
    __NR_truncate,
    __NR_fanotify_init,
    __NR_fanotify_mark,
    // parts of the kernel with a history
    __NR_bpf,
    __NR_perf_event_open,
    __NR_userfaultfd,
    __NR_io_uring_setup,
    __NR_io_uring_enter,
    __NR_io_uring_register,
    __NR_keyctl,
    __NR_add_key,
    __NR_request_key,
    __NR_shmget,
    __NR_shmat,
    __NR_shmctl,
    __NR_msgget,
    __NR_msgsnd,
    __NR_msgrcv,
    __NR_msgctl,
    __NR_semget,
    __NR_semop,
    __NR_semctl,
    __NR_mq_open,
    __NR_mq_unlink,
    __NR_vmsplice,
    // the machine
    __NR_reboot,
    __NR_kexec_load,
    __NR_kexec_file_load,
    __NR_init_module,
    __NR_finit_module,
    __NR_delete_module,
    __NR_swapon,
    __NR_swapoff,
    __NR_acct,
    __NR_quotactl,
    __NR_settimeofday,
    __NR_clock_settime,
    __NR_adjtimex,
    __NR_clock_adjtime,
    __NR_sethostname,
    __NR_setdomainname,
    __NR_syslog,
    __NR_vhangup,
#if defined(__x86_64__)
    __NR_fork,
    __NR_vfork,
    __NR_chmod,
    __NR_chown,
    __NR_lchown,
    __NR_mknod,
    __NR_link,
    __NR_symlink,
    __NR_iopl,
    __NR_ioperm,
    __NR_modify_ldt,
    __NR_uselib,
    __NR_ustat,
    __NR_sysfs,
#endif
};

/// The low half of an argument, little endian.
constexpr uint32_t argument(unsigned index) {
  return static_cast<uint32_t>(offsetof(seccomp_data, args) + index * sizeof(uint64_t));
}

class Filter {
public:
  void load(uint32_t offset) { add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)); }
  void end(uint32_t action) { add(BPF_STMT(BPF_RET | BPF_K, action)); }
  /// What comes next counts for this value only.
  void ifEqual(uint32_t value, uint8_t instructions) {
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, instructions));
  }
  /// What comes next counts for every other value.
  void ifOther(uint32_t value, uint8_t instructions) {
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, instructions, 0));
  }
  /// What comes next counts if a bit of these is set.
  void ifAny(uint32_t bits, uint8_t instructions) {
    add(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, instructions));
  }
  /// Refuses the call `number` unless its argument is `value`.
  void unlessEqual(uint32_t number, unsigned index, uint32_t value) {
    ifEqual(number, 4);
    load(argument(index));
    ifEqual(value, 1);
    end(SECCOMP_RET_ALLOW);
    end(SECCOMP_RET_ERRNO | EPERM);
  }
  bool install() {
    const sock_fprog program{static_cast<unsigned short>(m_program.size()), m_program.data()};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
  }

private:
  void add(sock_filter instruction) { m_program.push_back(instruction); }
  std::vector<sock_filter> m_program;
};

}  // namespace

bool giveUpRights() {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  // Whoever makes memory short by what a guest does is ended first. Without /proc that is not to be had.
  if (const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); file >= 0) {
    (void)!write(file, "500", 3);
    close(file);
  }
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  if (syscall(SYS_capset, &header, none) != 0) return false;
  const rlimit noCore{0, 0};
  setrlimit(RLIMIT_CORE, &noCore);
  return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
}

bool filterCalls() {
  Filter filter;
  filter.load(offsetof(seccomp_data, arch));
  filter.ifOther(process::kArchitecture, 1);
  filter.end(SECCOMP_RET_KILL_PROCESS);
  filter.load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
  filter.ifAny(kX32, 1);
  filter.end(SECCOMP_RET_KILL_PROCESS);
#endif
  for (const uint32_t number : kRefused) {
    filter.ifEqual(number, 1);
    filter.end(SECCOMP_RET_ERRNO | EPERM);
  }
  // Its flags are in memory, which a filter cannot read; the C library takes clone() then.
  filter.ifEqual(__NR_clone3, 1);
  filter.end(SECCOMP_RET_ERRNO | ENOSYS);
  // Threads, and no processes.
  filter.ifEqual(__NR_clone, 4);
  filter.load(argument(0));
  filter.ifAny(CLONE_THREAD, 1);
  filter.end(SECCOMP_RET_ALLOW);
  filter.end(SECCOMP_RET_ERRNO | EPERM);
  const auto own = static_cast<uint32_t>(getpid());
  filter.unlessEqual(__NR_tgkill, 0, own);   // abort()
  filter.unlessEqual(__NR_prlimit64, 0, 0);  // its own limits
  filter.end(SECCOMP_RET_ALLOW);
  return filter.install();
}

}  // namespace aerogpu::remote
