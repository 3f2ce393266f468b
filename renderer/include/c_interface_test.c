/* SPDX-License-Identifier: MIT */
/* The C interface as a stranger uses it: C, and nothing but its header and the protocol's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aerogpu/aerogpu.h"
#include "aerogpu/renderer.h"

static unsigned done_count, error_count;
static uint64_t last_cookie;
static uint8_t memory[4096];

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);         \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

static int guest_map(void *opaque, uint64_t gpa, uint64_t size, bool write, struct aerogpu_guest_mapping *out) {
  (void)opaque;
  (void)write;
  if (gpa >= sizeof memory) return -1;
  out->host = memory + gpa;
  out->size = size < sizeof memory - gpa ? size : sizeof memory - gpa;
  out->cookie = NULL;
  return 0;
}

static void guest_unmap(void *opaque, const struct aerogpu_guest_mapping *mapping, uint64_t written) {
  (void)opaque;
  (void)mapping;
  (void)written;
}

static void submission_done(void *opaque, const struct aerogpu_submission_result *result) {
  CHECK(opaque == memory);
  CHECK(result->struct_size == sizeof *result);
  ++done_count;
  error_count += result->error_count;
  last_cookie = result->cookie;
}

static void log_line(void *opaque, enum aerogpu_log_level level, const char *message) {
  (void)opaque;
  (void)level;
  (void)message;
}

int main(void) {
  struct aerogpu_renderer_callbacks callbacks = {sizeof callbacks, guest_map, guest_unmap, submission_done, log_line};
  struct aerogpu_renderer_config config;
  struct aerogpu_submission submission;
  struct aerogpu_renderer_stats stats;
  struct {
    struct aerogpu_cmd_stream_header header;
    struct aerogpu_cmd_flush flush;
  } stream;
  char error[64] = "";
  aerogpu_renderer *renderer;

  memset(&config, 0, sizeof config);
  config.struct_size = sizeof config;
  config.backend = "no such back end";
  config.max_hostmem = 1 << 20;
  config.callbacks = &callbacks;
  config.opaque = memory;
  CHECK(aerogpu_renderer_create(&config, error, sizeof error) == NULL);
  CHECK(strstr(error, "no such back end") != NULL);

  config.backend = "null";
  renderer = aerogpu_renderer_create(&config, error, sizeof error);
  CHECK(renderer != NULL);
  CHECK(strcmp(aerogpu_renderer_backend_name(renderer), "null") == 0);

  memset(&stream, 0, sizeof stream);
  stream.header.magic = AEROGPU_CMD_STREAM_MAGIC;
  stream.header.abi_version = AEROGPU_ABI_VERSION_U32;
  stream.header.size_bytes = sizeof stream;
  stream.flush.hdr.opcode = AEROGPU_CMD_FLUSH;
  stream.flush.hdr.size_bytes = sizeof stream.flush;
  memset(&submission, 0, sizeof submission);
  submission.struct_size = sizeof submission;
  submission.cookie = 42;
  submission.signal_fence = 1;
  submission.cmd = &stream;
  submission.cmd_size = sizeof stream;
  aerogpu_renderer_submit(renderer, &submission);
  CHECK(aerogpu_renderer_wait_idle(renderer, UINT64_MAX));
  CHECK(done_count == 1 && last_cookie == 42 && error_count == 0);

  submission.cmd_size = 10; /* cut short: an error, and finished all the same */
  aerogpu_renderer_submit(renderer, &submission);
  CHECK(aerogpu_renderer_wait_idle(renderer, UINT64_MAX));
  CHECK(done_count == 2 && error_count == 1);

  stats.struct_size = sizeof stats;
  aerogpu_renderer_get_stats(renderer, &stats);
  CHECK(stats.submissions == 2 && stats.packets == 1 && stats.errors == 1);
  CHECK(!aerogpu_renderer_capture_start(renderer, "/no/such/folder/file", error, sizeof error));
  CHECK(strstr(error, "/no/such/folder/file") != NULL);
  CHECK(aerogpu_renderer_reset(renderer));
  aerogpu_renderer_destroy(renderer);
  return 0;
}
