//! What an instruction's effective addresses are made of, decoded once.
use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};
use libc::{REG_R8, REG_RAX, REG_RBP, REG_RBX, REG_RCX, REG_RDI, REG_RDX, REG_RSI, REG_RSP};

/// A table by address that never grows: the handler of a signal may not allocate.
pub struct Decoded(Vec<Place>);

const ROOM: usize = 1 << 18;

#[derive(Clone, Copy)]
pub struct Place {
    /// The instruction's address; none has 0.
    at: u64,
    memory: Option<Memory>,
    /// Registers that are addresses themselves, or that its time depends on, a bit for each.
    registers: u32,
    /// Whether its addresses are in a vector, which no signal's context shows so easily.
    pub gathers: bool,
}

/// An operand in memory, by the numbers of registers.
#[derive(Clone, Copy)]
struct Memory {
    base: Option<usize>,
    /// With its scale.
    index: Option<(usize, u32)>,
    displacement: u64,
}

impl Decoded {
    pub fn new() -> Self {
        let empty = Place {
            at: 0,
            memory: None,
            registers: 0,
            gathers: false,
        };
        // The decoder makes its own tables when it is first used.
        fetch(Self::new as *const () as u64);
        Self(vec![empty; ROOM])
    }

    pub fn at(&mut self, at: u64) -> &Place {
        let mut slot = at as usize;
        while self.0[slot % ROOM].at != at {
            if self.0[slot % ROOM].at == 0 {
                self.0[slot % ROOM] = Place::decode(at);
            } else {
                slot += 1;
            }
        }
        &self.0[slot % ROOM]
    }
}

impl Place {
    fn decode(at: u64) -> Self {
        let instruction = fetch(at);
        // These only look as if they went to memory.
        let has_memory = !matches!(instruction.mnemonic(), Mnemonic::Lea | Mnemonic::Nop)
            && (0..instruction.op_count()).any(|i| instruction.op_kind(i) == OpKind::Memory);
        let memory = has_memory.then(|| {
            let index = number(instruction.memory_index());
            Memory {
                base: number(instruction.memory_base()),
                index: index.map(|index| (index, instruction.memory_index_scale())),
                displacement: instruction.memory_displacement64(),
            }
        });
        Self {
            at,
            memory,
            registers: registers(&instruction),
            gathers: instruction.is_vsib(),
        }
    }

    /// Where it goes with these registers.
    pub fn addresses(&self, registers: &[i64], mut goes_to: impl FnMut(u64)) {
        if let Some(memory) = self.memory {
            let base = memory.base.map_or(0, |base| registers[base] as u64);
            let index = memory
                .index
                .map_or(0, |(index, scale)| registers[index] as u64 * u64::from(scale));
            goes_to(base.wrapping_add(index).wrapping_add(memory.displacement));
        }
        (0..16)
            .filter(|i| self.registers >> i & 1 == 1)
            .for_each(|i| goes_to(registers[i] as u64));
    }
}

/// The instruction at an address that the processor is about to execute.
#[expect(unsafe_code, reason = "the processor reads the same bytes")]
fn fetch(at: u64) -> Instruction {
    let decode = |len: usize| {
        // SAFETY: so much of the page is mapped, or the next page belongs to the instruction too.
        let bytes = unsafe { std::slice::from_raw_parts(at as *const u8, len) };
        Decoder::with_ip(64, bytes, at, DecoderOptions::NONE).decode()
    };
    let page_ends = (at as usize + 1).next_multiple_of(4096) - at as usize;
    let instruction = decode(page_ends.min(15));
    match instruction.is_invalid() {
        true => decode(15),
        false => instruction,
    }
}

/// Addresses of string instructions and their count, and the operands of what takes longer for some values than for
/// others: division, and on older processors PDEP, PEXT and the search for a bit.
fn registers(instruction: &Instruction) -> u32 {
    use Register::{None, RAX, RCX, RDI, RDX, RSI};
    let mut kinds = (0..instruction.op_count()).map(|i| instruction.op_kind(i));
    let is_string = kinds.any(|kind| matches!(kind, OpKind::MemorySegRSI | OpKind::MemoryESRDI));
    let all = match instruction.mnemonic() {
        _ if is_string => [RSI, RDI, RCX],
        Mnemonic::Div | Mnemonic::Idiv => [RAX, RDX, instruction.op0_register()],
        Mnemonic::Pdep | Mnemonic::Pext => [instruction.op1_register(), instruction.op2_register(), None],
        Mnemonic::Bsf | Mnemonic::Bsr => [instruction.op1_register(), None, None],
        _ => [None; 3],
    };
    all.into_iter()
        .filter_map(number)
        .fold(0, |all, number| all | 1 << number)
}

/// Where the kernel keeps a general register in a signal's context.
fn number(register: Register) -> Option<usize> {
    let number = match register.full_register() {
        Register::RAX => REG_RAX,
        Register::RBX => REG_RBX,
        Register::RCX => REG_RCX,
        Register::RDX => REG_RDX,
        Register::RSI => REG_RSI,
        Register::RDI => REG_RDI,
        Register::RBP => REG_RBP,
        Register::RSP => REG_RSP,
        register @ (Register::R8
        | Register::R9
        | Register::R10
        | Register::R11
        | Register::R12
        | Register::R13
        | Register::R14
        | Register::R15) => REG_R8 + (register as i32 - Register::R8 as i32),
        _ => return None,
    };
    Some(number as usize)
}
