/* SPDX-License-Identifier: MIT */
/* Included before START_TEST in Wine's test files (scripts/lib/wine_test_build.py): the program's second argument
 * names the one function to run, and a crash prints where it happened. */
#include <psapi.h>

/* wine/test.h takes these from Wine's ntdll, which Windows does not have. */
const char *__cdecl __wine_dbg_strdup(const char *text) {
  static char texts[16][300];
  static LONG used;
  return lstrcpynA(texts[InterlockedIncrement(&used) & 15], text, sizeof(texts[0]));
}

int __cdecl __wine_dbg_output(const char *text) {
  return fprintf(stderr, "%s", text);
}

static BOOL chosen(const char *function) {
  return winetest_argc <= 2 || !strcmp(winetest_argv[2], function);
}

static LONG CALLBACK say_crash(EXCEPTION_POINTERS *pointers) {
  const EXCEPTION_RECORD *record = pointers->ExceptionRecord;
  const struct tls_data *last = get_tls_data();
  char path[MAX_PATH] = "?";
  const char *name;
  HMODULE module = NULL;

  if (GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                         record->ExceptionAddress, &module))
    GetModuleFileNameA(module, path, sizeof(path));
  name = strrchr(path, '\\') ? strrchr(path, '\\') + 1 : path;
  printf("\ncrash: %08lx in %s+%Ix after %s:%d\n", record->ExceptionCode, name,
         (ULONG_PTR)record->ExceptionAddress - (ULONG_PTR)module, last->current_file ? last->current_file : "-",
         last->current_line);
  fflush(stdout);
  TerminateProcess(GetCurrentProcess(), 3);
  return EXCEPTION_EXECUTE_HANDLER;
}
