//! Counts what a thread allocates: the reader's memory is bounded, whatever an archive says.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static HELD: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[expect(unsafe_code, reason = "an allocator is unsafe; this one passes everything on")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        hold(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        hold(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both are held while the bytes move.
        hold(size);
        release(layout.size());
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        release(layout.size());
        unsafe { System.dealloc(pointer, layout) }
    }
}

fn hold(bytes: usize) {
    let held = HELD.get().saturating_add(bytes);
    HELD.set(held);
    PEAK.set(PEAK.get().max(held));
}

fn release(bytes: usize) {
    // Another thread may have allocated it.
    HELD.set(HELD.get().saturating_sub(bytes));
}

/// The most bytes that this work held at once, beyond those held before it.
pub fn peak_bytes<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.get();
    PEAK.set(before);
    let result = work();
    (result, PEAK.get().saturating_sub(before))
}

#[test]
fn allocations_are_counted() {
    let (_, peak) = peak_bytes(|| drop(vec![0_u8; 5 << 20]));
    assert!((5 << 20..6 << 20).contains(&peak), "{peak}");
}
