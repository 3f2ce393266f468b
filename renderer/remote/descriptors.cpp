// SPDX-License-Identifier: MIT
#include "renderer/remote/descriptors.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "renderer/remote/clock.h"

namespace aerogpu::remote {
namespace {

constexpr size_t kSpace = CMSG_SPACE(kMostDescriptors * sizeof(int));

}  // namespace

bool waitForInput(int fd, uint64_t untilNs) {
  pollfd polled{fd, POLLIN, 0};
  int ready;
  do {
    ready = pollUntil({&polled, 1}, untilNs);
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

bool isControl(int fd) {
  int type = 0;
  socklen_t size = sizeof type;
  return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

bool sendDescriptors(int socket, std::span<const uint8_t> bytes, std::span<const int> descriptors) {
  if (descriptors.size() > kMostDescriptors) return false;
  iovec part{const_cast<uint8_t*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) char space[kSpace] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!descriptors.empty()) {
    message.msg_control = space;
    message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
  }
  ssize_t sent;
  do {
    sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(bytes.size());
}

bool receiveDescriptors(int socket, std::span<uint8_t> bytes, std::vector<Descriptor>& descriptors) {
  iovec part{bytes.data(), bytes.size()};
  alignas(cmsghdr) char space[kSpace];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  ssize_t got;
  do {
    got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  descriptors.clear();
  if (got <= 0) return false;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    for (size_t at = 0; at + sizeof(int) <= header->cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
      int fd;
      std::memcpy(&fd, CMSG_DATA(header) + at, sizeof fd);
      descriptors.emplace_back(fd);
    }
  }
  return got == static_cast<ssize_t>(bytes.size()) && (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0;
}

}  // namespace aerogpu::remote
