//! Places of bytes in planes that are vectors, as shuffles of 16 bytes take them: where each byte comes from.
//!
//! In memory's order byte r + 4c of a block is row r, column c. In a plane, row r and place p stand in byte 4r + p
//! of each 16: a step from row to row is one of four bytes, and any move of places is one shuffle of bytes.

/// The bytes in memory's order where rows turned right or left have their places.
pub(crate) static GATHER: [[u8; 16]; 2] = [gathered(3), gathered(1)];

/// The places of rows turned right or left, in memory's order.
pub(crate) static SCATTER: [[u8; 16]; 2] = [scattered(1), scattered(3)];

/// The bytes in memory's order of a round key, by the round that it is for, modulo 4: rows are packed as [`GATHER`] turns
/// them to the left, and in round m stand m·r columns further to the right.
pub(crate) static ROUND_KEY: [[u8; 16]; 4] = [gathered(1), gathered(0), gathered(3), gathered(2)];

/// Where [`super::Plane::column`] finds its bytes, by steps and place.
pub(crate) static COLUMN: [[[u8; 16]; 4]; 4] = {
    let mut from = [[[0x80; 16]; 4]; 4];
    let mut n = 0;
    while n < 64 {
        let (steps, place, row) = (n / 16, n / 4 % 4, n % 4);
        from[steps][place][4 * row + (4 - steps) % 4] = (4 * ((row + steps) % 4) + place) as u8;
        n += 1;
    }
    from
};

/// Row r and place p have what stood in row r, column p + `turn`·r.
const fn gathered(turn: usize) -> [u8; 16] {
    let mut from = [0; 16];
    let mut n = 0;
    while n < 16 {
        let (row, place) = (n / 4, n % 4);
        from[n] = (row + 4 * ((place + turn * row) % 4)) as u8;
        n += 1;
    }
    from
}

/// Row r and column c have what stood in row r, place c + `turn`·r.
const fn scattered(turn: usize) -> [u8; 16] {
    let mut from = [0; 16];
    let mut n = 0;
    while n < 16 {
        let (row, column) = (n % 4, n / 4);
        from[n] = (4 * row + (column + turn * row) % 4) as u8;
        n += 1;
    }
    from
}

pub(crate) const fn pulled(rows: u32, columns: u32) -> [u8; 16] {
    let mut from = [0; 16];
    let mut n = 0;
    while n < 16 {
        let (row, place) = (n / 4, n % 4);
        from[n as usize] = (4 * ((row + rows) % 4) + (place + columns) % 4) as u8;
        n += 1;
    }
    from
}

/// Ones where the bit of the place is set.
pub(crate) const fn kept(places: u16) -> [u8; 16] {
    let mut mask = [0; 16];
    let mut n = 0;
    while n < 16 {
        mask[n] = if places >> n & 1 == 1 { 0xff } else { 0 };
        n += 1;
    }
    mask
}
