/* SPDX-License-Identifier: MIT */
/* The C interface as an outside user sees it: C, and only its header and the protocol's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aerogpu/aerogpu.h"
#include "aerogpu/renderer.h"

static unsigned done_count, error_count, log_count;
static uint32_t last_error;
static uint64_t last_cookie;
static char last_log[256];
static uint8_t memory[4096];

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                        \
    }                                                                 \
  } while (0)

static int guest_map(void* opaque, uint64_t gpa, uint64_t size, bool write,
                     struct aerogpu_guest_mapping* out) {
  (void)opaque;
  (void)write;
  if (gpa >= sizeof memory) return -1;
  out->host = memory + gpa;
  out->size = size < sizeof memory - gpa ? size : sizeof memory - gpa;
  out->cookie = NULL;
  return 0;
}

static void guest_unmap(void* opaque, const struct aerogpu_guest_mapping* mapping, uint64_t written) {
  (void)opaque;
  (void)mapping;
  (void)written;
}

static void submission_done(void* opaque, const struct aerogpu_submission_result* result) {
  CHECK(opaque == memory);
  CHECK(result->struct_size == sizeof *result);
  ++done_count;
  error_count += result->error_count;
  last_error = result->last_error_code;
  last_cookie = result->cookie;
}

static void log_line(void* opaque, enum aerogpu_log_level level, const char* message) {
  (void)opaque;
  (void)level;
  ++log_count;
  strncpy(last_log, message, sizeof last_log - 1);
}

/* Returns a copy of the first `size` bytes of a structure in memory of exactly that size, with struct_size
 * set to it: the structure of an embedder with an older header. */
static void* older(const void* structure, size_t size) {
  const uint32_t struct_size = (uint32_t)size;
  void* copy = malloc(size);
  CHECK(copy != NULL);
  memcpy(copy, structure, size);
  memcpy(copy, &struct_size, sizeof struct_size);
  return copy;
}

/* Checks structures of embedders that were built with another version of the header. */
static void versions(const struct aerogpu_renderer_config* config,
                     const struct aerogpu_submission* submission) {
  const struct aerogpu_scanout_config scanout = {sizeof scanout, 0, 0, 0, 0, 0, 0, 0, 0};
  const unsigned before = done_count, errors = error_count, logged = log_count;
  struct {
    struct aerogpu_renderer_config known;
    uint64_t newer[4];
  } newer_config;
  struct {
    struct aerogpu_submission known;
    uint64_t newer[4];
  } newer_submission;
  struct {
    struct aerogpu_renderer_stats known;
    uint64_t newer;
  } newer_stats;
  struct aerogpu_renderer_callbacks* few_callbacks;
  struct aerogpu_renderer_config with_few = *config;
  struct aerogpu_renderer_stats counters;
  aerogpu_renderer* renderer;
  void* old;
  char error[128] = "";

  /* Too small: a clear error. */
  old = older(config, offsetof(struct aerogpu_renderer_config, opaque));
  CHECK(aerogpu_renderer_create(old, error, sizeof error) == NULL);
  CHECK(strstr(error, "aerogpu_renderer_config.struct_size") != NULL);
  free(old);
  few_callbacks = older(config->callbacks, offsetof(struct aerogpu_renderer_callbacks, log));
  with_few.callbacks = few_callbacks;
  CHECK(aerogpu_renderer_create(&with_few, error, sizeof error) == NULL);
  CHECK(strstr(error, "aerogpu_renderer_callbacks.struct_size") != NULL);
  free(few_callbacks);
  with_few.callbacks = NULL;
  CHECK(aerogpu_renderer_create(&with_few, error, sizeof error) == NULL);
  CHECK(strstr(error, "callback") != NULL);

  /* Newer: bytes past the end that we know are not read. */
  memset(&newer_config, 0xA5, sizeof newer_config);
  newer_config.known = *config;
  newer_config.known.struct_size = sizeof newer_config;
  renderer = aerogpu_renderer_create(&newer_config.known, error, sizeof error);
  CHECK(renderer != NULL);
  memset(&newer_submission, 0xA5, sizeof newer_submission);
  newer_submission.known = *submission;
  newer_submission.known.struct_size = sizeof newer_submission;
  aerogpu_renderer_submit(renderer, &newer_submission.known);
  CHECK(done_count == before + 1 && error_count == errors);
  memset(&newer_stats, 0xA5, sizeof newer_stats);
  newer_stats.known.struct_size = sizeof newer_stats;
  aerogpu_renderer_get_stats(renderer, &newer_stats.known);
  CHECK(newer_stats.known.submissions == 1 && newer_stats.newer == 0xA5A5A5A5A5A5A5A5u);

  /* Older: missing members are neither read nor written. */
  old = older(submission, offsetof(struct aerogpu_submission, descriptor_error));
  aerogpu_renderer_submit(renderer, old);
  CHECK(done_count == before + 2 && error_count == errors);
  free(old);
  memset(&counters, 0, sizeof counters);
  old = older(&counters, offsetof(struct aerogpu_renderer_stats, draws));
  aerogpu_renderer_get_stats(renderer, old);
  memcpy(&counters, old, offsetof(struct aerogpu_renderer_stats, draws));
  CHECK(counters.submissions == 2 && counters.packets == 2);
  CHECK(counters.struct_size == offsetof(struct aerogpu_renderer_stats, draws));
  free(old);

  /* Too small again: named in a message without another effect; a submission is finished all the same. */
  CHECK(log_count == logged);
  old = older(submission, offsetof(struct aerogpu_submission, alloc_table_size));
  last_cookie = 0;
  aerogpu_renderer_submit(renderer, old);
  CHECK(done_count == before + 3 && error_count == errors + 1 && last_error == AEROGPU_ERROR_INTERNAL);
  CHECK(last_cookie == submission->cookie && strstr(last_log, "aerogpu_submission.struct_size") != NULL);
  free(old);
  old = older(submission, sizeof(uint32_t));
  aerogpu_renderer_submit(renderer, old);
  CHECK(done_count == before + 4 && last_cookie == 0);
  free(old);
  old = older(&scanout, offsetof(struct aerogpu_scanout_config, fb_gpa));
  aerogpu_renderer_set_scanout(renderer, old);
  CHECK(strstr(last_log, "aerogpu_scanout_config.struct_size") != NULL);
  free(old);
  old = older(&counters, sizeof(uint32_t));
  aerogpu_renderer_get_stats(renderer, old);
  CHECK(strstr(last_log, "aerogpu_renderer_stats.struct_size") != NULL);
  free(old);
  aerogpu_renderer_destroy(renderer);
}

/* Checks that names differ, that "auto" is none of them, and that what is unavailable cannot be created. */
static void known_backends(const struct aerogpu_renderer_config* given) {
  struct aerogpu_renderer_config config = *given;
  char error[128] = "";
  const char* name;
  bool available = false, has_null = false;
  size_t i;

  for (i = 0; (name = aerogpu_renderer_known_backend(i, &available)) != NULL; i++) {
    CHECK(strcmp(name, "auto") != 0);
    has_null = has_null || (available && strcmp(name, "null") == 0);
    config.backend = name;
    if (!available) {
      CHECK(aerogpu_renderer_create(&config, error, sizeof error) == NULL);
      CHECK(strstr(error, name) != NULL);
    }
    CHECK(i == 0 || strcmp(name, aerogpu_renderer_known_backend(0, NULL)) != 0);
  }
  CHECK(i >= 2 && has_null);
  CHECK(aerogpu_renderer_known_backend(i + 1, NULL) == NULL);
}

int main(void) {
  struct aerogpu_renderer_callbacks callbacks = {sizeof callbacks, guest_map, guest_unmap, submission_done,
                                                 log_line,         NULL,      NULL};
  struct aerogpu_renderer_config config;
  struct aerogpu_submission submission;
  struct aerogpu_renderer_stats stats;
  struct {
    struct aerogpu_cmd_stream_header header;
    struct aerogpu_cmd_flush flush;
  } stream;
  char error[64] = "";
  aerogpu_renderer* renderer;

  memset(&config, 0, sizeof config);
  config.struct_size = sizeof config;
  config.backend = "no such back end";
  config.max_hostmem = 1 << 20;
  config.callbacks = &callbacks;
  config.opaque = memory;
  CHECK(aerogpu_renderer_create(&config, error, sizeof error) == NULL);
  CHECK(strstr(error, "no such back end") != NULL);

  known_backends(&config);

  config.backend = "null";
  renderer = aerogpu_renderer_create(&config, error, sizeof error);
  CHECK(renderer != NULL);
  CHECK(strcmp(aerogpu_renderer_backend_name(renderer), "null") == 0);
  CHECK(aerogpu_renderer_features(renderer) & AEROGPU_FEATURE_TRANSFER);

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

  versions(&config, &submission);
  done_count = 1;
  error_count = 0;

  submission.cmd_size = 10; /* cut short: an error, and finished all the same */
  aerogpu_renderer_submit(renderer, &submission);
  CHECK(aerogpu_renderer_wait_idle(renderer, UINT64_MAX));
  CHECK(done_count == 2 && error_count == 1);

  stats.struct_size = sizeof stats;
  aerogpu_renderer_get_stats(renderer, &stats);
  CHECK(stats.submissions == 2 && stats.packets == 1 && stats.errors == 1);
  CHECK(stats.held_objects == 1); /* the context in which a packet ran */
  CHECK(!aerogpu_renderer_capture_start(renderer, "/no/such/folder/file", error, sizeof error));
  CHECK(strstr(error, "/no/such/folder/file") != NULL);
  CHECK(aerogpu_renderer_reset(renderer));
  aerogpu_renderer_get_stats(renderer, &stats);
  CHECK(stats.held_objects == 0);
  aerogpu_renderer_destroy(renderer);
  return 0;
}
