//! The tables, made of what they stand for.

/// The product in AES's field: GF(2)[x] modulo x⁸ + x⁴ + x³ + x + 1 (FIPS 197, section 4.2).
const fn times(a: u8, b: u8) -> u8 {
    let (mut sum, mut power, mut i) = (0, a, 0);
    while i < 8 {
        if b >> i & 1 == 1 {
            sum ^= power;
        }
        power = (power << 1) ^ ((power >> 7) * 0x1b);
        i += 1;
    }
    sum
}

const fn power(a: u8, n: usize) -> u8 {
    let (mut product, mut i) = (1, 0);
    while i < n {
        product = times(product, a);
        i += 1;
    }
    product
}

/// 1/a; of zero, zero.
const fn inverse(a: u8) -> u8 {
    power(a, 254)
}

/// Its powers are all of the field but zero.
const GENERATOR: u8 = 3;
/// ω, whose 17th power is 1.
const OMEGA: u8 = power(GENERATOR, 15);
/// ω̄ = 1/ω.
const CONJUGATE: u8 = inverse(OMEGA);
/// a = (ω + ω̄)².
const A: u8 = power(OMEGA ^ CONJUGATE, 2);

/// The number of the subfield that four bits stand for: coefficients of the first four powers of its generator.
const fn number(digit: u8) -> u8 {
    let (mut sum, mut i) = (0, 0);
    while i < 4 {
        if digit >> i & 1 == 1 {
            sum ^= power(GENERATOR, 17 * i);
        }
        i += 1;
    }
    sum
}

/// [`number`] backwards.
const fn digit(of: u8) -> u8 {
    let mut digit = 0;
    while number(digit) != of {
        digit += 1;
    }
    digit
}

/// What a division by zero makes: a shuffle makes zero of it, and of its sum with any digit.
const INFINITE: u8 = 0x80;

/// The digits i and k of each byte iω + (i + k)ω̄.
const DIGITS: [u8; 256] = {
    let mut digits = [0; 256];
    let mut n = 0;
    while n < 256 {
        let (i, k) = (number(n as u8 >> 4), number(n as u8 & 0xf));
        digits[(times(i, OMEGA) ^ times(i ^ k, CONJUGATE)) as usize] = n as u8;
        n += 1;
    }
    digits
};

/// The S-box's affine map without its constant (FIPS 197, section 5.1.1).
const fn affine(x: u8) -> u8 {
    x ^ x.rotate_left(1) ^ x.rotate_left(2) ^ x.rotate_left(3) ^ x.rotate_left(4)
}

/// [`affine`] backwards.
const fn affine_back(x: u8) -> u8 {
    x.rotate_left(1) ^ x.rotate_left(3) ^ x.rotate_left(6)
}

/// 1/x, in digits.
pub(super) static INVERSE: [u8; 16] = reciprocals(1);
/// a/x.
pub(super) static OVER: [u8; 16] = reciprocals(A);

const fn reciprocals(of: u8) -> [u8; 16] {
    let mut table = [INFINITE; 16];
    let mut i = 1;
    while i < 16 {
        table[i] = digit(times(of, inverse(number(i as u8))));
        i += 1;
    }
    table
}

/// What a linear function is the sum of: look-ups by two numbers of four bits.
pub(super) type Pair = [[u8; 16]; 2];

/// How the bytes of a table are written, and what for.
#[derive(Clone, Copy)]
enum Form {
    /// The substituted byte, as it is.
    Substituted,
    /// The same in digits, times a factor.
    Digits(u8),
    /// The inverse before the affine map, as it is.
    Inverse,
    /// What decryption goes on with: the inverse times a factor, through the affine map backwards, in digits.
    Back(u8),
}

/// By upper and lower four bits: bytes in digits, as encryption begins; and ...
pub(super) static DIGITS_OF: Pair = halves(Form::Digits(1));
/// ... through the affine map backwards, as decryption does.
pub(super) static BACK: Pair = halves(Form::Back(1));
/// Twice a byte, as it is.
pub(super) static DOUBLED: Pair = {
    let mut pair = [[0; 16]; 2];
    let mut n = 0;
    while n < 16 {
        pair[0][n] = times(2, (n as u8) << 4);
        pair[1][n] = times(2, n as u8);
        n += 1;
    }
    pair
};

const fn halves(form: Form) -> Pair {
    let mut pair = [[0; 16]; 2];
    let mut n = 0;
    while n < 16 {
        let [upper, lower] = [(n as u8) << 4, n as u8];
        [pair[0][n], pair[1][n]] = match form {
            Form::Back(_) => [
                DIGITS[affine_back(upper) as usize],
                DIGITS[affine_back(lower) as usize],
            ],
            _ => [DIGITS[upper as usize], DIGITS[lower as usize]],
        };
        n += 1;
    }
    pair
}

/// By what [`super::rounds::inverse`] answers: the substituted byte ...
pub(super) static LAST: Pair = inverses(Form::Substituted);
/// ... in digits, once and twice.
pub(super) static ONCE: Pair = inverses(Form::Digits(1));
pub(super) static TWICE: Pair = inverses(Form::Digits(2));
/// The byte that was substituted ...
pub(super) static BACK_LAST: Pair = inverses(Form::Inverse);
/// ... times the factors of InvMixColumns.
pub(super) static BACK_9: Pair = inverses(Form::Back(9));
pub(super) static BACK_11: Pair = inverses(Form::Back(11));
pub(super) static BACK_13: Pair = inverses(Form::Back(13));
pub(super) static BACK_14: Pair = inverses(Form::Back(14));

/// What is looked up by are u = N/((1 + a)i + j) and v = N/((1 + a)j + i), so that a²i/N = (1 + a)/u + 1/v and
/// a²j/N = 1/u + (1 + a)/v. Neither is zero.
const fn inverses(form: Form) -> Pair {
    let mut pair = [[0; 16]; 2];
    let mut n = 1;
    while n < 16 {
        let one = times(inverse(number(n as u8)), inverse(times(A, A)));
        let other = times(1 ^ A, one);
        pair[0][n] = written(form, times(other, CONJUGATE) ^ times(one, OMEGA));
        pair[1][n] = written(form, times(one, CONJUGATE) ^ times(other, OMEGA));
        n += 1;
    }
    pair
}

const fn written(form: Form, inverse: u8) -> u8 {
    match form {
        Form::Substituted => affine(inverse),
        Form::Digits(factor) => DIGITS[times(factor, affine(inverse)) as usize],
        Form::Inverse => inverse,
        Form::Back(factor) => DIGITS[affine_back(times(factor, inverse)) as usize],
    }
}

/// Where the byte a row down in its column stands, after n ShiftRows that were not done. Then the byte of row r and column
/// c is at place c + n·r of its row, modulo 4; decryption's, whose rows turn the other way, at place c − n·r.
pub(super) static FORWARD: [[u8; 16]; 4] = neighbours(1);
/// The same a row up.
pub(super) static BACKWARD: [[u8; 16]; 4] = neighbours(3);

const fn neighbours(rows: usize) -> [[u8; 16]; 4] {
    let mut from = [[0; 16]; 4];
    let mut n = 0;
    while n < 64 {
        let (turns, row, place) = (n / 16, n % 4, n / 4 % 4);
        from[turns][n % 16] = ((row + rows) % 4 + 4 * ((place + turns * rows) % 4)) as u8;
        n += 1;
    }
    from
}

/// Where the byte of each row and column stands then.
pub(super) static TURN: [[u8; 16]; 4] = {
    let mut from = [[0; 16]; 4];
    let mut n = 0;
    while n < 64 {
        let (turns, row, column) = (n / 16, n % 4, n / 4 % 4);
        from[turns][n % 16] = (row + 4 * ((column + turns * row) % 4)) as u8;
        n += 1;
    }
    from
};

/// The same of the first of two blocks; nothing of the second.
pub(super) static TURN_FIRST: [[[u8; 16]; 2]; 4] = {
    let mut from = [[[0x80; 16]; 2]; 4];
    let mut turns = 0;
    while turns < 4 {
        from[turns][0] = TURN[turns];
        turns += 1;
    }
    from
};

/// What the last byte of a block becomes in the first round: row r of column 0, at place r, has a multiple of what was
/// substituted for it. Four blocks' multiples stand side by side, each with those of row 3 (2), 2 (3), 1 and 0 (1).
pub(super) static COLUMN: [[u8; 16]; 4] = {
    let mut from = [[0x80; 16]; 4];
    let mut n = 0;
    while n < 16 {
        let (block, row) = (n / 4, n % 4);
        from[block][5 * row] = (4 * block + 3 - row) as u8;
        n += 1;
    }
    from
};
