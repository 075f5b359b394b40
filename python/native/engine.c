/* The extension module stria._engine: calls the functions of the modules that were compiled from src/assembly, without the GIL. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <setjmp.h>
#include <stdlib.h>

#include "modules.h"

/* SLACK_BYTES: checks of accesses compare only where they begin, and the longest access has 16 bytes (scripts/python-codecs.mjs). */
enum { MAX_AREAS = 16, MAX_PARAMETERS = 16, PAGE_BYTES = 65536, SLACK_BYTES = 16 };
/* Chunks and payloads have at most 32 MiB, so no call needs nearly as much. */
static const uint64_t max_memory = UINT64_C(1) << 30;

/* ---- The runtime that the modules expect ---- */

static _Thread_local jmp_buf* current_call;

void wasm_rt_trap(wasm_rt_trap_t code) {
  if (current_call == NULL) abort();
  longjmp(*current_call, (int)code);
}

void wasm_rt_allocate_memory(wasm_rt_memory_t* memory, uint64_t pages, uint64_t max_pages, bool is64, uint32_t page_size) {
  memory->size = pages * page_size;
  memory->data = calloc(1, memory->size + SLACK_BYTES);
  memory->pages = pages;
  memory->max_pages = max_pages;
  memory->is64 = is64;
  memory->page_size = page_size;
  if (memory->data == NULL) wasm_rt_trap(WASM_RT_TRAP_EXHAUSTION);
}

uint64_t wasm_rt_grow_memory(wasm_rt_memory_t* memory, uint64_t pages) {
  const uint64_t before = memory->pages;
  const uint64_t size = (before + pages) * memory->page_size;
  if (pages > memory->max_pages - before || size > max_memory) return UINT32_MAX;
  uint8_t* data = realloc(memory->data, size + SLACK_BYTES);
  if (data == NULL) return UINT32_MAX;
  memset(data + memory->size, 0, size + SLACK_BYTES - memory->size);
  memory->data = data;
  memory->size = size;
  memory->pages = before + pages;
  return before;
}

void wasm_rt_free_memory(wasm_rt_memory_t* memory) { free(memory->data); }

/* ---- The type Module ---- */

typedef struct {
  PyObject_HEAD
  const stria_module* definition;
  void* instance;
  bool is_busy;
} Module;

static PyObject* trap_error;

static PyObject* module_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  const char* name;
  static char* names[] = {"name", NULL};
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "s", names, &name)) return NULL;
  const stria_module* definition = NULL;
  for (int i = 0; i < stria_module_count; i++)
    if (strcmp(stria_modules[i].name, name) == 0) definition = &stria_modules[i];
  if (definition == NULL) return PyErr_Format(PyExc_KeyError, "there is no module %s", name);
  allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  Module* self = (Module*)allocate(type, 0);
  if (self == NULL) return NULL;
  self->definition = definition;
  self->is_busy = false;
  self->instance = calloc(1, definition->size);
  jmp_buf here;
  current_call = &here;
  if (self->instance == NULL || setjmp(here) != 0) {
    current_call = NULL;
    free(self->instance);
    self->instance = NULL;
    Py_DECREF(self);
    return PyErr_NoMemory();
  }
  definition->instantiate(self->instance);
  current_call = NULL;
  return (PyObject*)self;
}

static void module_dealloc(PyObject* object) {
  Module* self = (Module*)object;
  PyTypeObject* type = Py_TYPE(object);
  if (self->instance != NULL) {
    self->definition->free(self->instance);
    free(self->instance);
  }
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

/* Part of a module's memory during a call. */
typedef struct {
  uint64_t at, size;
  Py_buffer given;
  bool is_given;
} Area;

static void release(Area* areas, Py_ssize_t count) {
  for (Py_ssize_t i = 0; i < count; i++)
    if (areas[i].is_given) PyBuffer_Release(&areas[i].given);
}

/* Reads an area: a number of bytes, a buffer, or a buffer and a larger number of bytes. */
static bool read_area(PyObject* item, Area* area) {
  area->is_given = false;
  if (PyLong_Check(item)) {
    area->size = PyLong_AsUnsignedLongLong(item);
    return !PyErr_Occurred();
  }
  PyObject* buffer = item;
  uint64_t room = 0;
  if (PyTuple_Check(item)) {
    if (PyTuple_Size(item) != 2) {
      PyErr_SetString(PyExc_ValueError, "an area is a size, a buffer, or a buffer and a size");
      return false;
    }
    buffer = PyTuple_GetItem(item, 0);
    room = PyLong_AsUnsignedLongLong(PyTuple_GetItem(item, 1));
    if (PyErr_Occurred()) return false;
  }
  if (PyObject_GetBuffer(buffer, &area->given, PyBUF_C_CONTIGUOUS) != 0) return false;
  area->is_given = true;
  area->size = (uint64_t)area->given.len > room ? (uint64_t)area->given.len : room;
  return true;
}

static const char call_doc[] =
    "call(function, areas, parameters, out=None, out_area=0)\n\n"
    "Lays the areas out in the module's memory and calls a function. An area is a size in bytes, whose old contents are undefined\n"
    "but stay between calls of equal layout, or a buffer, which is copied in, or a buffer and a size. A parameter from 0 on is a\n"
    "number; -1 - (n + 16 * offset) is the address of byte `offset` of area n. If the result is not 0 and `out` is given, it is filled from area `out_area`.\n"
    "Raises Trap if the function would leave its memory, and MemoryError. The GIL is not held meanwhile.";

static PyObject* module_call(PyObject* object, PyObject* args, PyObject* keywords) {
  Module* self = (Module*)object;
  const char* name;
  PyObject *area_list, *parameter_list, *out = Py_None;
  int out_area = 0;
  static char* names[] = {"function", "areas", "parameters", "out", "out_area", NULL};
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "sOO|Oi", names, &name, &area_list, &parameter_list, &out, &out_area)) return NULL;
  const stria_function* function = NULL;
  for (int i = 0; i < self->definition->function_count; i++)
    if (strcmp(self->definition->functions[i].name, name) == 0) function = &self->definition->functions[i];
  if (function == NULL) return PyErr_Format(PyExc_KeyError, "%s has no function %s", self->definition->name, name);
  if (self->is_busy) {
    PyErr_SetString(PyExc_RuntimeError, "a module serves one thread at a time");
    return NULL;
  }

  Area areas[MAX_AREAS];
  uint32_t parameters[MAX_PARAMETERS];
  const Py_ssize_t area_count = PySequence_Size(area_list);
  const Py_ssize_t parameter_count = PySequence_Size(parameter_list);
  if (area_count < 0 || parameter_count < 0) return NULL;
  if (area_count > MAX_AREAS || parameter_count != function->parameter_count || out_area < 0 ||
      (out != Py_None && out_area >= area_count)) {
    return PyErr_Format(PyExc_ValueError, "%s.%s takes %d parameters", self->definition->name, name, function->parameter_count);
  }
  uint64_t end = *self->definition->free_at(self->instance);
  Py_ssize_t ready = 0;
  for (; ready < area_count; ready++) {
    PyObject* item = PySequence_GetItem(area_list, ready);
    const bool is_read = item != NULL && read_area(item, &areas[ready]);
    Py_XDECREF(item);
    if (!is_read) {
      release(areas, ready);
      return NULL;
    }
    areas[ready].at = (end + 15) & ~UINT64_C(15);
    end = areas[ready].at + areas[ready].size;
    if (end > max_memory) {
      release(areas, ready + 1);
      return PyErr_NoMemory();
    }
  }
  for (Py_ssize_t i = 0; i < parameter_count; i++) {
    PyObject* item = PySequence_GetItem(parameter_list, i);
    const long long value = item == NULL ? 0 : PyLong_AsLongLong(item);
    Py_XDECREF(item);
    /* -1 - (area + MAX_AREAS * offset) is an address. */
    const long long place = value < 0 ? -1 - value : 0;
    if (PyErr_Occurred() || value > UINT32_MAX || (value < 0 && place % MAX_AREAS >= area_count) ||
        (value < 0 && (uint64_t)(place / MAX_AREAS) > areas[place % MAX_AREAS].size)) {
      if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "a parameter is neither a number of 32 bits nor an area");
      release(areas, area_count);
      return NULL;
    }
    parameters[i] = (uint32_t)(value < 0 ? areas[place % MAX_AREAS].at + place / MAX_AREAS : (uint64_t)value);
  }
  Py_buffer target = {0};
  if (out != Py_None) {
    if (PyObject_GetBuffer(out, &target, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS) != 0) {
      release(areas, area_count);
      return NULL;
    }
    if ((uint64_t)target.len > areas[out_area].size) {
      PyBuffer_Release(&target);
      release(areas, area_count);
      PyErr_SetString(PyExc_ValueError, "the output is larger than its area");
      return NULL;
    }
  }

  wasm_rt_memory_t* memory = self->definition->memory(self->instance);
  /* volatile: they are read after a longjmp. */
  volatile uint32_t result = 0;
  volatile int trap = 0;
  self->is_busy = true;
  Py_BEGIN_ALLOW_THREADS;
  if (end > memory->size && wasm_rt_grow_memory(memory, (end - memory->size + PAGE_BYTES - 1) / PAGE_BYTES) == UINT32_MAX) {
    trap = WASM_RT_TRAP_EXHAUSTION;
  } else {
    for (Py_ssize_t i = 0; i < area_count; i++)
      if (areas[i].is_given) memcpy(memory->data + areas[i].at, areas[i].given.buf, (size_t)areas[i].given.len);
    jmp_buf here;
    current_call = &here;
    trap = setjmp(here);
    if (trap == 0) result = function->call(self->instance, parameters);
    current_call = NULL;
    if (trap == 0 && result != 0 && target.obj != NULL)
      memcpy(target.buf, memory->data + areas[out_area].at, (size_t)target.len);
  }
  Py_END_ALLOW_THREADS;
  self->is_busy = false;

  if (target.obj != NULL) PyBuffer_Release(&target);
  release(areas, area_count);
  if (trap == WASM_RT_TRAP_EXHAUSTION) return PyErr_NoMemory();
  if (trap != 0) return PyErr_Format(trap_error, "%s.%s left its memory", self->definition->name, name);
  return PyLong_FromUnsignedLong(result);
}

static const char read_doc[] =
    "read(sizes, area, length)\n\n"
    "A copy of the first bytes of an area, after a call with areas of these sizes.";

static PyObject* module_read(PyObject* object, PyObject* args) {
  Module* self = (Module*)object;
  PyObject* sizes;
  int area;
  Py_ssize_t length;
  if (!PyArg_ParseTuple(args, "Oin", &sizes, &area, &length)) return NULL;
  if (self->is_busy || area < 0 || area >= PySequence_Size(sizes) || length < 0) {
    PyErr_SetString(PyExc_ValueError, "there is no such area");
    return NULL;
  }
  const wasm_rt_memory_t* memory = self->definition->memory(self->instance);
  uint64_t at = (*self->definition->free_at(self->instance) + 15) & ~UINT64_C(15);
  for (int i = 0; i < area; i++) {
    PyObject* item = PySequence_GetItem(sizes, i);
    const unsigned long long size = item == NULL ? 0 : PyLong_AsUnsignedLongLong(item);
    Py_XDECREF(item);
    if (PyErr_Occurred()) return NULL;
    if (size > max_memory) return PyErr_NoMemory();
    at = (at + size + 15) & ~UINT64_C(15);
  }
  if (at > memory->size || (uint64_t)length > memory->size - at) {
    PyErr_SetString(PyExc_ValueError, "the area ends before that");
    return NULL;
  }
  return PyBytes_FromStringAndSize((const char*)memory->data + at, length);
}

static PyMethodDef module_methods[] = {
    {"call", (PyCFunction)(void (*)(void))module_call, METH_VARARGS | METH_KEYWORDS, call_doc},
    {"read", module_read, METH_VARARGS, read_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot module_slots[] = {
    {Py_tp_new, module_new},
    {Py_tp_dealloc, module_dealloc},
    {Py_tp_methods, module_methods},
    {Py_tp_doc, "A module compiled from src/assembly, with a memory of its own. It serves one thread at a time."},
    {0, NULL},
};

static PyType_Spec module_spec = {"stria._engine.Module", sizeof(Module), 0, Py_TPFLAGS_DEFAULT, module_slots};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_engine", "The codecs, compiled from src/assembly.", -1,
                                        NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__engine(void) {
  PyObject* module = PyModule_Create(&definition);
  PyObject* type = PyType_FromSpec(&module_spec);
  PyObject* tables = PyDict_New();
  trap_error = PyErr_NewException("stria._engine.Trap", NULL, NULL);
  if (module == NULL || type == NULL || tables == NULL || trap_error == NULL) return NULL;
  for (int i = 0; i < stria_table_count; i++) {
    PyObject* bytes = PyBytes_FromStringAndSize((const char*)stria_tables[i].bytes, (Py_ssize_t)stria_tables[i].size);
    if (bytes == NULL || PyDict_SetItemString(tables, stria_tables[i].name, bytes) != 0) return NULL;
    Py_DECREF(bytes);
  }
  if (PyModule_AddObjectRef(module, "Module", type) != 0 || PyModule_AddObjectRef(module, "Trap", trap_error) != 0 ||
      PyModule_AddObjectRef(module, "tables", tables) != 0)
    return NULL;
  return module;
}
