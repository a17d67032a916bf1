use std::alloc::{GlobalAlloc, Layout, System};

/// The system's allocator, with a way of its own to what is aligned by more than `malloc` aligns: contexts with tables begin
/// at a line of the cache.
///
/// glibc's way is `posix_memalign`, which takes twice as long as `malloc`, and frees what it does not need before and behind,
/// which a later `malloc` then gathers. So such memory is a larger piece of `malloc`'s, in which the word before the place says
/// where the piece begins. Growing and zeroing are [`GlobalAlloc`]'s own, by way of these two: contexts do neither.
pub struct Malloc;

/// What `malloc` aligns by (glibc's manual, "Aligned Memory Blocks"), or less.
const BY_ITSELF: usize = 2 * size_of::<usize>();

/// The piece in which there is a place for `layout`, at most an alignment after its beginning and at least a word.
fn piece(layout: Layout) -> Option<Layout> {
    Layout::from_size_align(layout.size().checked_add(layout.align())?, BY_ITSELF).ok()
}

// SAFETY: what is aligned by little is the system's. A piece of the system's is exclusive and long enough, and is given back
// whole, as it was taken; nothing here panics.
unsafe impl GlobalAlloc for Malloc {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= BY_ITSELF {
            // SAFETY: as the caller.
            return unsafe { System.alloc(layout) };
        }
        let Some(piece) = piece(layout) else {
            return std::ptr::null_mut();
        };
        // SAFETY: it is longer than an alignment, and so not empty.
        let start = unsafe { System.alloc(piece) };
        if start.is_null() {
            return start;
        }
        let before = layout.align() - start.addr() % layout.align();
        // SAFETY: `before` is a multiple of `BY_ITSELF`, by which `start` and the alignment are, from that to the alignment, so
        // that a word lies before the place, within the piece and aligned, and the place ends within it.
        unsafe {
            let place = start.add(before);
            place.cast::<*mut u8>().sub(1).write(start);
            place
        }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        match piece(layout) {
            Some(piece) if layout.align() > BY_ITSELF => {
                // SAFETY: `alloc` wrote where the piece begins before the place, and took it by this layout.
                unsafe { System.dealloc(place.cast::<*mut u8>().sub(1).read(), piece) }
            }
            // SAFETY: as the caller.
            _ => unsafe { System.dealloc(place, layout) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Many at a time, so that pieces begin at every place that `malloc` has.
    #[test]
    fn places_are_aligned_and_keep_what_they_hold() {
        for align in [1, 8, 16, 32, 64, 4096] {
            let mut places = Vec::new();
            for size in 1..300 {
                let layout = Layout::from_size_align(size, align).unwrap();
                // SAFETY: a layout that is not empty.
                let place = unsafe { Malloc.alloc(layout) };
                assert!(
                    !place.is_null() && place.addr().is_multiple_of(align),
                    "{layout:?}"
                );
                // SAFETY: it is valid for so many bytes.
                unsafe { place.write_bytes(size as u8, size) };
                places.push((place, layout));
            }
            for (place, layout) in places {
                let (size, longer) = (layout.size(), 2 * layout.size());
                // SAFETY: each place is as it was given out, and what was read of it was written.
                unsafe {
                    let place = Malloc.realloc(place, layout, longer);
                    assert!(place.addr().is_multiple_of(align), "{layout:?}");
                    let kept = std::slice::from_raw_parts(place, size);
                    assert!(kept.iter().all(|&byte| byte == size as u8), "{layout:?}");
                    Malloc.dealloc(place, Layout::from_size_align(longer, align).unwrap());
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_had_is_null() {
        let layout = Layout::from_size_align(isize::MAX as usize - 63, 64).unwrap();
        // SAFETY: a layout that is not empty.
        assert!(unsafe { Malloc.alloc(layout) }.is_null());
    }
}
