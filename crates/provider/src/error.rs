use std::{
    ffi::{CStr, CString, c_char, c_int, c_void},
    ptr,
};

use crate::abi::{DEFAULT_PROVIDER_ERRORS, Dispatch, Handle, Item, core};

/// What went wrong with a cipher. The numbers are the default provider's (`openssl/proverr.h`), and so is the library
/// that they are raised under: programs tell by them what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Reason {
    BadDecrypt = 100,
    CipherOperationFailed = 102,
    FailedToGetParameter = 103,
    FailedToSetParameter = 104,
    InvalidKeyLength = 105,
    OutputBufferTooSmall = 106,
    WrongFinalBlockLength = 107,
    InvalidAad = 108,
    InvalidIvLength = 109,
    InvalidTag = 110,
    NoKeySet = 114,
    InvalidData = 115,
    InvalidTagLength = 118,
    TagNotSet = 119,
    TagNotNeeded = 120,
    TooManyRecords = 126,
    XtsDataUnitIsTooLarge = 148,
    XtsDuplicatedKeys = 149,
    /// `ERR_R_PASSED_INVALID_ARGUMENT`: one that all libraries share.
    PassedInvalidArgument = 262 | 2 << 18,
}

/// How an operation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// With an error in OpenSSL's queue.
    Raise(Reason),
    /// With nothing but the answer 0, as the default provider does when a tag is wrong: programs take an empty queue
    /// for that.
    Silent,
}

impl Failure {
    /// The same, not silent: as `update` says it.
    pub(crate) fn said(self) -> Self {
        match self {
            Self::Silent => Reason::CipherOperationFailed.into(),
            raised => raised,
        }
    }

    /// Whether the default provider's `update` queues an error of its own after this one, which it was passed.
    pub(crate) fn is_passed_on(self) -> bool {
        let inner = [
            Reason::TagNotSet,
            Reason::TooManyRecords,
            Reason::XtsDataUnitIsTooLarge,
        ];
        inner.into_iter().any(|reason| self == reason.into())
    }
}

impl From<Reason> for Failure {
    fn from(reason: Reason) -> Self {
        Self::Raise(reason)
    }
}

/// Errors of our own, at loading. The numbers stand in [`REASONS`].
#[derive(Clone, Copy)]
#[repr(u32)]
pub(crate) enum LoadReason {
    Setting = 1,
    SelfTest = 2,
}

/// What OpenSSL prints for a [`LoadReason`].
pub(crate) static REASONS: [Item; 3] = [
    item(LoadReason::Setting as u32, c"wrong setting"),
    item(LoadReason::SelfTest as u32, c"self-test failed"),
    Item {
        id: 0,
        text: ptr::null(),
    },
];

const fn item(id: u32, text: &'static CStr) -> Item {
    Item {
        id,
        text: text.as_ptr(),
    }
}

/// The way into OpenSSL's error queue.
pub(crate) struct Errors {
    handle: Handle,
    new: Option<core::NewError>,
    debug: Option<core::SetErrorDebug>,
    set: Option<core::VsetError>,
}

impl Errors {
    /// Finds the functions in what libcrypto offers.
    ///
    /// # Safety
    /// `offered` is a dispatch table of libcrypto's, and `handle` is what came with it.
    pub(crate) unsafe fn new(handle: Handle, offered: *const Dispatch) -> Self {
        // SAFETY: the numbers belong to functions of these types.
        unsafe {
            Self {
                handle,
                new: function(offered, core::NEW_ERROR).map(|f| std::mem::transmute::<*const c_void, _>(f)),
                debug: function(offered, core::SET_ERROR_DEBUG)
                    .map(|f| std::mem::transmute::<*const c_void, _>(f)),
                set: function(offered, core::VSET_ERROR).map(|f| std::mem::transmute::<*const c_void, _>(f)),
            }
        }
    }

    /// Raises an error that the default provider has too.
    #[cold]
    pub(crate) fn raise(&self, reason: Reason) {
        self.put(DEFAULT_PROVIDER_ERRORS << 23 | reason as u32, None);
    }

    /// Raises one of our own, with a line that says what is wrong.
    #[cold]
    pub(crate) fn raise_at_load(&self, reason: LoadReason, text: &str) {
        // It is a format for printf: a percent sign stands for itself when doubled.
        let text = text.replace('%', "%%").replace('\0', "?");
        self.put(
            reason as u32,
            Some(&CString::new(text).expect("just freed of zeros")),
        );
    }

    fn put(&self, reason: u32, text: Option<&CStr>) {
        // Wherever a `va_list` is a pointer, or a structure passed by one, this one points at zeros. Nothing reads
        // it: the format has no conversion.
        let arguments = [0_usize; 8];
        let (Some(new), Some(set)) = (self.new, self.set) else {
            return;
        };
        // SAFETY: libcrypto's functions with libcrypto's handle; texts end with a zero and live for the call.
        unsafe {
            new(self.handle);
            if let Some(debug) = self.debug {
                debug(self.handle, c"ciphertune".as_ptr(), 0, c"".as_ptr());
            }
            let format: *const c_char = text.map_or(ptr::null(), CStr::as_ptr);
            set(self.handle, reason, format, arguments.as_ptr().cast());
        }
    }
}

/// The function of that number, if `table` has it.
///
/// # Safety
/// `table` ends with the number 0.
pub(crate) unsafe fn function(mut table: *const Dispatch, id: c_int) -> Option<*const c_void> {
    // SAFETY: it is read up to its end and no further.
    unsafe {
        while (*table).id != 0 {
            if (*table).id == id {
                return Some((*table).function);
            }
            table = table.add(1);
        }
    }
    None
}
