/* The modules compiled from src/assembly: scripts/python-codecs.mjs writes the table. */
#ifndef STRIA_MODULES_H
#define STRIA_MODULES_H

#include "wasm-rt.h"

typedef struct {
  const char* name;
  int parameter_count;
  uint32_t (*call)(void* module, const uint32_t* parameters);
} stria_function;

typedef struct {
  const char* name;
  size_t size;
  int function_count;
  const stria_function* functions;
  void (*instantiate)(void*);
  void (*free)(void*);
  wasm_rt_memory_t* (*memory)(void*);
  /* Memory from this address on is the caller's. */
  uint32_t* (*free_at)(void*);
} stria_module;

typedef struct {
  const char* name;
  const uint8_t* bytes;
  size_t size;
} stria_table;

extern const stria_module stria_modules[];
extern const int stria_module_count;
extern const stria_table stria_tables[];
extern const int stria_table_count;

#endif
