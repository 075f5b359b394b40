// A brick in workgroup memory, of which each invocation writes words of its own between two barriers. No entry point:
// kernels.ts puts it in front of the others, behind brick.wgsl, where shared-memory.wgsl is not needed; that of `predict`, too.

var<workgroup> wg_words: array<u32, memory_words>;

fn load_word(word: u32) -> u32 { return wg_words[word]; }
fn store_word(word: u32, value: u32) { wg_words[word] = value; }
