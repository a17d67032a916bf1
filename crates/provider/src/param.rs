use std::{
    ffi::{CStr, c_void},
    marker::PhantomData,
    ptr, slice,
};

use crate::{
    abi::{RawParam, kind},
    error::Reason,
};

/// A list of parameters that a caller passed, one after the other.
#[derive(Clone)]
pub(crate) struct Params<'a> {
    next: *mut RawParam,
    list: PhantomData<&'a RawParam>,
}

impl<'a> Params<'a> {
    /// # Safety
    /// `list` is null, or a list that ends with a null key; names, values and their sizes are what its entries say,
    /// and nobody else writes them for as long as `'a`. What is set must be writable.
    pub(crate) unsafe fn new(list: *mut RawParam) -> Self {
        Self {
            next: list,
            list: PhantomData,
        }
    }
}

impl Params<'_> {
    /// Gives the parameters to `take` in the order of those that `table` describes, the first of each name: so OpenSSL looks
    /// for them, and a length counts for what comes with it.
    #[inline]
    pub(crate) fn in_order_of<E>(
        self,
        table: &'static [RawParam],
        mut take: impl FnMut(&mut Param<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut rest = self.clone();
        // Mostly there is one, or none.
        match (rest.next(), rest.next()) {
            (None, _) => return Ok(()),
            (Some(mut only), None) => return take(&mut only),
            _ => {}
        }
        self.by_table(table, take)
    }

    #[cold]
    #[inline(never)]
    fn by_table<E>(
        self,
        table: &'static [RawParam],
        mut take: impl FnMut(&mut Param<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        // SAFETY: a table ends with a null key, and only names are looked at.
        for described in unsafe { Params::new(table.as_ptr().cast_mut()) } {
            if let Some(mut param) = self.clone().find(|param| param.name() == described.name()) {
                take(&mut param)?;
            }
        }
        Ok(())
    }
}

impl<'a> Iterator for Params<'a> {
    type Item = Param<'a>;

    #[inline]
    fn next(&mut self) -> Option<Param<'a>> {
        if self.next.is_null() {
            return None;
        }
        let param = Param {
            raw: self.next,
            list: PhantomData,
        };
        if param.raw().key.is_null() {
            return None;
        }
        // SAFETY: the list goes on up to the entry without a key, which is the last one looked at.
        self.next = unsafe { self.next.add(1) };
        Some(param)
    }
}

/// One parameter: its name, and room for a value or the value itself.
pub(crate) struct Param<'a> {
    /// Not a reference: a list that is only read may lie in memory that cannot be written.
    raw: *mut RawParam,
    list: PhantomData<&'a RawParam>,
}

impl Param<'_> {
    #[inline]
    fn raw(&self) -> &RawParam {
        // SAFETY: an entry of a list that outlives this.
        unsafe { &*self.raw }
    }

    fn set_written(&mut self, size: usize) {
        // SAFETY: as above, in a list that is to be written.
        unsafe { (*self.raw).written = size };
    }

    #[inline]
    pub(crate) fn name(&self) -> &[u8] {
        // SAFETY: names end with a zero.
        unsafe { CStr::from_ptr(self.raw().key) }.to_bytes()
    }

    /// The size of the value in bytes, or of the room for it, as the caller gave it.
    pub(crate) fn size(&self) -> usize {
        self.raw().size
    }

    /// Whether the value is bytes.
    pub(crate) fn is_bytes(&self) -> bool {
        self.raw().kind == kind::OCTET_STRING
    }

    /// Whether it is to be told where the bytes are.
    pub(crate) fn is_place(&self) -> bool {
        self.raw().kind == kind::OCTET_POINTER
    }

    /// The value, where it is an integer and not negative.
    pub(crate) fn unsigned(&self) -> Result<usize, Reason> {
        let refused = Err(Reason::FailedToGetParameter);
        if !matches!(self.raw().kind, kind::INTEGER | kind::UNSIGNED) || self.raw().data.is_null() {
            return refused;
        }
        // SAFETY: an integer of that many bytes lies there, aligned or not.
        let value = unsafe {
            match self.raw().size {
                1 => u128::from(self.raw().data.cast::<u8>().read()),
                2 => u128::from(self.raw().data.cast::<u16>().read_unaligned()),
                4 => u128::from(self.raw().data.cast::<u32>().read_unaligned()),
                8 => u128::from(self.raw().data.cast::<u64>().read_unaligned()),
                16 => self.raw().data.cast::<u128>().read_unaligned(),
                _ => return refused,
            }
        };
        let negative = self.raw().kind == kind::INTEGER && value >> (8 * self.raw().size - 1) == 1;
        match usize::try_from(value) {
            Ok(value) if !negative => Ok(value),
            _ => refused,
        }
    }

    /// The value, where it is bytes and there is one: some parameters have only a length.
    pub(crate) fn bytes(&self) -> Result<Option<&[u8]>, Reason> {
        if !self.is_bytes() {
            return Err(Reason::FailedToGetParameter);
        }
        if self.raw().data.is_null() {
            return Ok(None);
        }
        if self.raw().size > isize::MAX as usize {
            return Err(Reason::FailedToGetParameter);
        }
        // SAFETY: that many bytes lie there.
        Ok(Some(unsafe { self.leading_bytes(self.raw().size) }))
    }

    /// The first `len` bytes of the value, whatever it says of its size.
    ///
    /// # Safety
    /// At least so many lie there.
    pub(crate) unsafe fn leading_bytes(&self, len: usize) -> &[u8] {
        // SAFETY: the caller's promise.
        unsafe { slice::from_raw_parts(self.raw().data.cast(), len) }
    }

    /// Whether there is no value, or no room for one.
    pub(crate) fn is_null(&self) -> bool {
        self.raw().data.is_null()
    }

    /// Gives an integer.
    pub(crate) fn set_unsigned(&mut self, value: usize) -> Result<(), Reason> {
        let refused = Err(Reason::FailedToSetParameter);
        let bits = match self.raw().kind {
            kind::INTEGER => 8 * self.raw().size.clamp(1, 16) - 1,
            kind::UNSIGNED => 8 * self.raw().size.clamp(1, 16),
            _ => return refused,
        };
        if self.raw().data.is_null() {
            self.set_written(size_of::<usize>());
            return Ok(());
        }
        let value = value as u128;
        if bits < 128 && value >> bits != 0 {
            return refused;
        }
        // SAFETY: there is room for an integer of that many bytes, aligned or not.
        unsafe {
            match self.raw().size {
                1 => self.raw().data.cast::<u8>().write(value as u8),
                2 => self.raw().data.cast::<u16>().write_unaligned(value as u16),
                4 => self.raw().data.cast::<u32>().write_unaligned(value as u32),
                8 => self.raw().data.cast::<u64>().write_unaligned(value as u64),
                16 => self.raw().data.cast::<u128>().write_unaligned(value),
                _ => return refused,
            }
        }
        self.set_written(self.raw().size);
        Ok(())
    }

    /// Gives bytes: copies them, if there is room.
    pub(crate) fn set_bytes(&mut self, bytes: &[u8]) -> Result<(), Reason> {
        if !self.is_bytes() {
            return Err(Reason::FailedToSetParameter);
        }
        self.set_written(bytes.len());
        if self.raw().data.is_null() {
            return Ok(());
        }
        if self.raw().size < bytes.len() {
            return Err(Reason::FailedToSetParameter);
        }
        // SAFETY: there is room, which is the caller's and not ours.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.raw().data.cast(), bytes.len()) };
        Ok(())
    }

    /// Gives bytes, whatever the parameter says of its size.
    ///
    /// # Safety
    /// It has room for so many.
    pub(crate) unsafe fn set_leading_bytes(&mut self, bytes: &[u8]) {
        // SAFETY: the caller's promise.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.raw().data.cast(), bytes.len()) };
        self.set_written(bytes.len());
    }

    /// Gives bytes that stay where they are: copies them, or says where they are, as the caller wants it.
    pub(crate) fn set_bytes_or_place(&mut self, bytes: &[u8]) -> Result<(), Reason> {
        if self.is_place() {
            self.set_place(bytes.as_ptr().cast(), bytes.len());
            return Ok(());
        }
        self.set_bytes(bytes)
    }

    /// Gives a text by its place, where it must stay.
    pub(crate) fn set_text(&mut self, text: &CStr) -> Result<(), Reason> {
        if self.raw().kind != kind::UTF8_POINTER {
            return Err(Reason::FailedToSetParameter);
        }
        self.set_place(text.as_ptr().cast(), text.count_bytes());
        Ok(())
    }

    fn set_place(&mut self, place: *const c_void, len: usize) {
        self.set_written(len);
        if !self.raw().data.is_null() {
            // SAFETY: parameters of these kinds have room for a pointer.
            unsafe { self.raw().data.cast::<*const c_void>().write_unaligned(place) };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::c_uint;

    use super::*;

    impl Param<'_> {
        fn of(raw: &mut RawParam) -> Param<'_> {
            Param {
                raw,
                list: PhantomData,
            }
        }
    }

    fn raw<T>(kind: c_uint, value: &mut T) -> RawParam {
        RawParam {
            key: c"name".as_ptr(),
            kind,
            data: ptr::from_mut(value).cast(),
            size: size_of::<T>(),
            written: usize::MAX,
        }
    }

    #[test]
    fn integers_of_all_sizes_and_signs() {
        for (kind, of_u32, of_u64) in [
            (kind::UNSIGNED, Ok(0xffff_fff0), Ok(usize::MAX - 1)),
            (
                kind::INTEGER,
                Err(Reason::FailedToGetParameter),
                Err(Reason::FailedToGetParameter),
            ),
        ] {
            assert_eq!(Param::of(&mut raw(kind, &mut 0xffff_fff0_u32)).unsigned(), of_u32);
            assert_eq!(Param::of(&mut raw(kind, &mut (u64::MAX - 1))).unsigned(), of_u64);
            assert_eq!(Param::of(&mut raw(kind, &mut 7_u32)).unsigned(), Ok(7));
            assert_eq!(Param::of(&mut raw(kind, &mut 7_u8)).unsigned(), Ok(7));
            assert_eq!(Param::of(&mut raw(kind, &mut 7_u16)).unsigned(), Ok(7));
            assert_eq!(Param::of(&mut raw(kind, &mut 7_u128)).unsigned(), Ok(7));
            assert!(Param::of(&mut raw(kind, &mut (1_u128 << 64))).unsigned().is_err());
            assert!(Param::of(&mut raw(kind, &mut [7_u8; 3])).unsigned().is_err());
        }
        assert!(Param::of(&mut raw(kind::INTEGER, &mut -1_i8)).unsigned().is_err());
        assert!(
            Param::of(&mut raw(kind::OCTET_STRING, &mut 7_u32))
                .unsigned()
                .is_err()
        );
    }

    #[test]
    fn an_integer_is_given_whole_or_not_at_all() {
        let mut room = 0_u32;
        let mut param = raw(kind::UNSIGNED, &mut room);
        assert_eq!(Param::of(&mut param).set_unsigned(0xffff_ffff), Ok(()));
        assert_eq!((room, param.written), (0xffff_ffff, 4));
        let mut room = 5_u32;
        let mut param = raw(kind::UNSIGNED, &mut room);
        assert!(Param::of(&mut param).set_unsigned(1 << 32).is_err());
        let mut param = raw(kind::INTEGER, &mut room);
        assert!(Param::of(&mut param).set_unsigned(1 << 31).is_err());
        assert_eq!((room, param.written), (5, usize::MAX));
        let mut room = 0_u8;
        let mut param = raw(kind::UNSIGNED, &mut room);
        assert!(Param::of(&mut param).set_unsigned(256).is_err());
        assert_eq!(Param::of(&mut param).set_unsigned(255), Ok(()));
        assert_eq!((room, param.written), (255, 1));
        let mut room = u128::MAX;
        let mut param = raw(kind::INTEGER, &mut room);
        assert_eq!(Param::of(&mut param).set_unsigned(usize::MAX), Ok(()));
        assert_eq!((room, param.written), (usize::MAX as u128, 16));
    }

    #[test]
    fn bytes_are_given_only_where_they_fit() {
        let mut room = [9_u8; 4];
        let mut param = raw(kind::OCTET_STRING, &mut room);
        assert_eq!(Param::of(&mut param).set_bytes(&[1, 2]), Ok(()));
        assert_eq!(param.written, 2);
        assert!(Param::of(&mut param).set_bytes(&[0; 5]).is_err());
        assert_eq!((room, param.written), ([1, 2, 9, 9], 5));
        // Without room, their number alone.
        param.data = ptr::null_mut();
        assert_eq!(Param::of(&mut param).set_bytes(&[0; 3]), Ok(()));
        assert_eq!(param.written, 3);
    }

    #[test]
    fn a_list_ends_at_the_entry_without_a_name() {
        let mut values = [1_u32, 2];
        let [first, second] = &mut values;
        let mut list = [
            raw(kind::UNSIGNED, first),
            raw(kind::UNSIGNED, second),
            RawParam::END,
        ];
        // SAFETY: it ends as it should.
        let found: Vec<_> = unsafe { Params::new(list.as_mut_ptr()) }
            .map(|p| p.unsigned())
            .collect();
        assert_eq!(found, [Ok(1), Ok(2)]);
        // SAFETY: null is allowed.
        assert_eq!(unsafe { Params::new(ptr::null_mut()) }.count(), 0);
    }

    #[test]
    fn a_table_says_in_which_order_a_list_is_taken() {
        static TABLE: [RawParam; 4] = [
            RawParam::size(c"absent"),
            RawParam::unsigned(c"first"),
            RawParam::unsigned(c"second"),
            RawParam::END,
        ];
        let taken = |names: &[&CStr]| {
            let mut values: Vec<_> = (0..names.len() as u32).collect();
            let params = names.iter().zip(&mut values).map(|(name, value)| RawParam {
                key: name.as_ptr(),
                ..raw(kind::UNSIGNED, value)
            });
            let mut list: Vec<_> = params.chain([RawParam::END]).collect();
            let mut taken = Vec::new();
            // SAFETY: it ends as it should.
            let outcome = unsafe { Params::new(list.as_mut_ptr()) }.in_order_of(&TABLE, |param| {
                taken.push(param.unsigned().unwrap());
                if taken.len() < 3 { Ok(()) } else { Err(()) }
            });
            assert_eq!(outcome, Ok(()));
            taken
        };
        assert_eq!(taken(&[c"second", c"other", c"first", c"second"]), [2, 0]);
        assert_eq!(taken(&[c"second"]), [0]);
        assert!(taken(&[]).is_empty());
        assert!(taken(&[c"other", c"another"]).is_empty());
    }
}
