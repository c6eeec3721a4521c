//! The files that may do what a rule forbids to all others, each with its reason.

use super::Rule;

/// One rule lifted for one file.
#[derive(Debug)]
pub(super) struct Allowed {
    pub(super) rule: Rule,
    /// Path from the workspace root, with forward slashes.
    pub(super) path: &'static str,
    /// Why the file may; for the reader of this list.
    #[expect(dead_code, reason = "a reason is written for people")]
    pub(super) reason: &'static str,
}

/// All that is allowed. What each file promises to safe code is in docs/unsafe.md.
pub(super) const ALLOWED: &[Allowed] = &[
    file(Rule::Unsafe, "crates/cli/src/open.rs", "maps files that whoever runs the command answers for"),
    file(Rule::Unsafe, "crates/formats/examples/open.rs", "maps files that whoever runs it answers for"),
    file(Rule::Unsafe, "crates/formats/src/model_file.rs", "maps files that the caller answers for"),
    file(Rule::Unsafe, "crates/formats/tests/gguf/mapped.rs", "maps a file that nobody writes"),
    file(Rule::Unsafe, "crates/formats/tests/onnx/models.rs", "maps files that nobody writes"),
    file(Rule::Unsafe, "crates/formats/tests/suite/kinds.rs", "maps files that the test alone knows"),
    file(Rule::Unsafe, "crates/kernels/src/matmul/rectangle.rs", "cuts a matrix into parts that do not overlap"),
    file(Rule::Unsafe, "crates/kernels/src/simd/avx2.rs", "calls instructions that its token proves to exist"),
    file(Rule::Unsafe, "crates/kernels/src/simd/avx512.rs", "calls instructions that its token proves to exist"),
    file(Rule::Unsafe, "crates/kernels/src/simd/neon.rs", "calls instructions that its token proves to exist"),
    file(Rule::Unsafe, "crates/kernels/src/simd/streaming.rs", "orders stores that bypass the caches"),
    file(Rule::Unsafe, "crates/kernels/tests/kernels/guarded.rs", "takes the right to touch two pages away"),
    file(Rule::Unsafe, "crates/memory/src/arena.rs", "carves parts of its chunks"),
    file(Rule::Unsafe, "crates/memory/src/block.rs", "slices of an owned block"),
    file(Rule::Unsafe, "crates/memory/src/block/heap.rs", "calls the global allocator"),
    file(Rule::Unsafe, "crates/memory/src/buffer.rs", "moves the counted header out of a dropped handle"),
    file(Rule::Unsafe, "crates/memory/src/counted.rs", "shares and frees a counted value"),
    file(Rule::Unsafe, "crates/memory/src/foreign.rs", "adopts memory whose owner the caller answers for"),
    file(Rule::Unsafe, "crates/memory/src/frozen.rs", "slices of bytes that are read-only for good"),
    file(Rule::Unsafe, "crates/memory/src/guard.rs", "slices under a borrow"),
    file(Rule::Unsafe, "crates/memory/src/lot.rs", "slices of a part of a block"),
    file(Rule::Unsafe, "crates/memory/src/mapped.rs", "maps files that the caller answers for"),
    file(Rule::Unsafe, "crates/memory/src/planned.rs", "carves planned values"),
    file(Rule::Unsafe, "crates/memory/src/region.rs", "turns an address into a slice"),
    file(Rule::Unsafe, "crates/memory/src/vector.rs", "takes a vector apart and puts it together"),
    file(Rule::Unsafe, "crates/memory/tests/attack.rs", "attacks the functions that are unsafe to call"),
    file(Rule::Unsafe, "crates/memory/tests/checked.rs", "writes past an end, to see it found"),
    file(Rule::Unsafe, "crates/memory/tests/origins.rs", "calls the functions that are unsafe to call"),
    file(Rule::Unsafe, "benches/peers/src/products.rs", "calls the gemm crate"),
    file(Rule::Unsafe, "benches/hand.rs", "loops written by hand, to measure against"),
    file(Rule::Unsafe, "benches/benches/files.rs", "maps files that it alone knows"),
    file(Rule::Unsafe, "benches/benches/memory.rs", "calls the peers' allocators"),
    file(Rule::Arch, "benches/hand.rs", "loops written by hand, to measure against"),
    file(Rule::Arch, "crates/kernels/src/simd/streaming.rs", "the fence of x86-64"),
    file(Rule::Arch, "crates/kernels/src/simd/avx2.rs", "the vocabulary with AVX2"),
    file(Rule::Arch, "crates/kernels/src/simd/avx512.rs", "the vocabulary with AVX-512"),
    file(Rule::Arch, "crates/kernels/src/simd/neon.rs", "the vocabulary with NEON"),
    file(Rule::Atomics, "crates/memory/src/sync.rs", "the door"),
    file(Rule::Atomics, "crates/memory/tests/origins.rs", "counts the calls of a drop function"),
    file(Rule::Atomics, "crates/memory/tests/stress.rs", "counts across real threads"),
];

const fn file(rule: Rule, path: &'static str, reason: &'static str) -> Allowed {
    Allowed { rule, path, reason }
}
