// Windows of rows, for kernels that take an element and the next three at a time: a quad.
// A row's first element has two stand-ins before it, and rows begin at whole quads of words. So the words from two before a quad's
// first element to two after its last one are two whole quads of words.

struct Window { low: vec4u, high: vec4u }

// The words two places to the left of each of the four, and so on.
fn left2(w: Window) -> vec4u { return w.low; }
fn left(w: Window) -> vec4u { return vec4u(w.low.yzw, w.high.x); }
fn here(w: Window) -> vec4u { return vec4u(w.low.zw, w.high.xy); }
fn right(w: Window) -> vec4u { return vec4u(w.low.w, w.high.xyz); }
fn right2(w: Window) -> vec4u { return w.high; }
