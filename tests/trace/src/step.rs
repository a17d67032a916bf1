//! The processor's trap flag: after each instruction it traps, and the handler writes down the next one's address and
//! those of the memory that it goes to.
use std::{
    arch::asm,
    mem,
    ptr::null_mut,
    sync::atomic::{AtomicPtr, Ordering::Relaxed},
};

use libc::{REG_EFL, REG_RIP, SA_ONSTACK, SA_SIGINFO, SIGTRAP, c_int, c_void, siginfo_t, ucontext_t};

use crate::{decoded::Decoded, tape::Tape};

/// Where the handler writes, and what it knows of instructions. Both have all the memory that they will need.
pub struct Stepper {
    pub tape: Tape,
    decoded: Decoded,
}

static STEPPER: AtomicPtr<Stepper> = AtomicPtr::new(null_mut());

const TRAP_FLAG: i64 = 1 << 8;

impl Stepper {
    pub fn new() -> Self {
        let stack = vec![0_u8; 1 << 20].leak();
        let stack = libc::stack_t {
            ss_sp: stack.as_mut_ptr().cast(),
            ss_flags: 0,
            ss_size: stack.len(),
        };
        // SAFETY: the stack lives for ever; the handler has the signature that SA_SIGINFO asks for, and zeros are an empty
        // set of signals.
        unsafe {
            assert_eq!(libc::sigaltstack(&raw const stack, null_mut()), 0);
            let mut action: libc::sigaction = mem::zeroed();
            action.sa_sigaction = trapped as *const () as usize;
            action.sa_flags = SA_SIGINFO | SA_ONSTACK;
            assert_eq!(libc::sigaction(SIGTRAP, &raw const action, null_mut()), 0);
        }
        Self {
            tape: Tape::new(),
            decoded: Decoded::new(),
        }
    }

    /// Steps through `run`.
    #[inline(never)]
    pub fn step(&mut self, run: &mut dyn FnMut()) {
        STEPPER.store(self, Relaxed);
        // SAFETY: the flag changes no register and no memory of this program, here and below.
        unsafe { asm!("pushfq", "or qword ptr [rsp], 0x100", "popfq") };
        run();
        // SAFETY: as above.
        unsafe { asm!("pushfq", "and qword ptr [rsp], ~0x100", "popfq") };
        STEPPER.store(null_mut(), Relaxed);
    }
}

extern "C" fn trapped(_: c_int, _: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: with SA_SIGINFO the kernel gives a context. The stepper is borrowed by `step`, which touches nothing of it
    // while the flag is set.
    let (context, stepper) = unsafe { (&mut *context.cast::<ucontext_t>(), STEPPER.load(Relaxed).as_mut()) };
    let registers = &mut context.uc_mcontext.gregs;
    let Some(Stepper { tape, decoded }) = stepper else {
        return;
    };
    let at = registers[REG_RIP as usize] as u64;
    let place = decoded.at(at);
    tape.next(at);
    place.addresses(registers, |address| tape.goes_to(address));
    if place.gathers {
        tape.gathers();
    }
    if tape.is_over() {
        registers[REG_EFL as usize] &= !TRAP_FLAG;
    }
}
