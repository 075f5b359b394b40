// What a decoder that checks does about a payload that is not as its codec's SPEC.md says: it raises the chunk's flag, and
// decodes on. No entry point: core/codec/faults.ts puts it in front of the others, and `fault_binding` in front of it.
// docs/FORMAT.md, 'Sound payloads', says what a decoder must refuse.

const checks = true;

// A word for each chunk of the batch, 0 before the dispatch. Invocations write nothing but 1, so their order changes nothing.
@group(0) @binding(fault_binding) var<storage, read_write> faults: array<atomic<u32>>;

fn raise(chunk: u32, is_fault: bool) {
  if (is_fault) { atomicStore(&faults[chunk], 1u); }
}
