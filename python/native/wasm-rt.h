/* What the C that wasm2c (wabt 1.0.39) writes needs of a runtime, for modules with a memory and nothing else: no tables, imports,
   exceptions or threads. Each access to memory is checked, so a damaged payload can neither read nor write outside of it. */
#ifndef WASM_RT_H_
#define WASM_RT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef __has_builtin
#define __has_builtin(x) 1
#endif
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define wasm_rt_memcpy memcpy

#define WASM_RT_USE_SEGUE 0
#define WASM_RT_SANITY_CHECKS 0
#define WASM_RT_STACK_DEPTH_COUNT 0
#define WASM_RT_MEMCHECK_GUARD_PAGES 0
#define WASM_RT_NO_TAILCALL 1

typedef enum {
  WASM_RT_TRAP_NONE,
  WASM_RT_TRAP_OOB,
  WASM_RT_TRAP_INT_OVERFLOW,
  WASM_RT_TRAP_DIV_BY_ZERO,
  WASM_RT_TRAP_INVALID_CONVERSION,
  WASM_RT_TRAP_UNREACHABLE,
  WASM_RT_TRAP_CALL_INDIRECT,
  WASM_RT_TRAP_NULL_REF,
  WASM_RT_TRAP_EXHAUSTION,
} wasm_rt_trap_t;

typedef enum { WASM_RT_I32, WASM_RT_I64, WASM_RT_F32, WASM_RT_F64, WASM_RT_V128, WASM_RT_FUNCREF, WASM_RT_EXTERNREF } wasm_rt_type_t;

/* Leaves the call of the module: engine.c. */
void wasm_rt_trap(wasm_rt_trap_t) __attribute__((noreturn, cold));

typedef struct {
  uint8_t* data;
  uint64_t pages;
  uint64_t max_pages;
  uint64_t size;
  uint32_t page_size;
  bool is64;
} wasm_rt_memory_t;

void wasm_rt_allocate_memory(wasm_rt_memory_t*, uint64_t pages, uint64_t max_pages, bool is64, uint32_t page_size);
uint64_t wasm_rt_grow_memory(wasm_rt_memory_t*, uint64_t pages);
void wasm_rt_free_memory(wasm_rt_memory_t*);
static inline bool wasm_rt_is_initialized(void) { return true; }

/* Types of functions that the prologue of the output declares, and that no module uses. */
typedef const char* wasm_rt_func_type_t;
typedef void (*wasm_rt_function_ptr_t)(void);
typedef struct { void (*fn)(void**, void*, void*); } wasm_rt_tailcallee_t;
typedef struct {
  wasm_rt_func_type_t func_type;
  wasm_rt_function_ptr_t func;
  wasm_rt_tailcallee_t func_tailcallee;
  void* module_instance;
} wasm_rt_funcref_t;
typedef void* wasm_rt_externref_t;
#define wasm_rt_funcref_null_value ((wasm_rt_funcref_t){NULL, NULL, {NULL}, NULL})
#define wasm_rt_externref_null_value ((wasm_rt_externref_t)NULL)
typedef struct { wasm_rt_funcref_t* data; uint32_t max_size, size; } wasm_rt_funcref_table_t;
typedef struct { wasm_rt_externref_t* data; uint32_t max_size, size; } wasm_rt_externref_table_t;

#endif
