//! Counter mode on several processors. Its keystream does not depend on the text, so that it can be made anywhere and
//! ahead of time; what comes out is the same byte for byte.
//!
//! - `bulk`: one long call, split among threads that sleep between such calls.
//! - `stream`: many short calls in a row, for which workers make keystream ahead.
//!
//! `docs/threads.md` has what was measured of both, and the reasons for every constant.

mod bulk;
mod helpers;
mod pool;
mod ring;
mod stream;
mod sync;
mod threads;
mod window;
mod workers;

pub(crate) use bulk::ctr as bulk;
pub(crate) use stream::{Stream, position};
pub use threads::Threads;
pub(crate) use threads::{Rules, Steps};

#[cfg(test)]
mod tests {
    //! Of window and pool: their own files are read by the model checker and by a benchmark too, which have no tests.

    use ciphertune_system::lend;
    use proptest::prelude::*;

    use super::{
        pool::Pool,
        window::{Claim, Found, Window},
    };

    #[test]
    fn there_are_as_many_helpers_as_calls_ask_for_at_once() {
        let pool = Pool::default();
        let call = |helpers, own: &dyn Fn()| {
            let missing = lend(&|| (), |loan| {
                let missing = pool.ask(loan, helpers);
                own();
                missing
            });
            pool.over(helpers);
            missing
        };
        let beside = || assert_eq!([call(2, &|| ()), call(2, &|| ())], [2, 0]);
        assert_eq!(call(1, &beside), 1);
        assert_eq!([call(3, &|| ()), call(4, &|| ())], [0, 1]);
        (0..4).for_each(|_| pool.left());
        assert_eq!(call(1, &|| ()), 1);
    }

    #[test]
    fn chunks_are_claimed_in_order_until_there_is_no_room() {
        let mut window = Window::new(7, vec![(); 3]);
        let claims: Vec<_> = (0..3).map(|_| window.claim().unwrap()).collect();
        assert_eq!(
            claims.iter().map(|claim| claim.chunk).collect::<Vec<_>>(),
            [8, 9, 10]
        );
        assert!(window.claim().is_none());
        assert!(matches!(window.go_to(8), Found::Claimed));
        claims.into_iter().rev().for_each(|claim| window.finish(claim));
        assert!(matches!(window.go_to(8), Found::Made(())));
        // It skips one, whose memory is free.
        assert!(matches!(window.go_to(10), Found::Made(())));
        assert_eq!(window.room(), 1);
    }

    #[test]
    fn what_the_consumer_encrypts_nobody_makes() {
        let mut window = Window::new(0, vec![(); 3]);
        assert!(matches!(window.go_to(1), Found::Unclaimed));
        assert_eq!(window.claim().unwrap().chunk, 2);
        assert!(matches!(window.go_to(3), Found::Unclaimed));
        assert_eq!(window.claim().unwrap().chunk, 4);
    }

    #[test]
    fn after_a_jump_nothing_from_before_is_kept() {
        for to in [100, 2] {
            let mut window = Window::new(5, vec![(); 3]);
            let claim = window.claim().unwrap();
            let late = window.claim().unwrap();
            window.finish(claim);
            assert!(matches!(window.go_to(to), Found::Unclaimed));
            window.finish(late);
            assert_eq!(window.room(), 3);
            assert_eq!(window.claim().unwrap().chunk, to + 1);
        }
    }

    proptest! {
        /// Whatever is done in whatever order: what is given out as made is that chunk, what somebody is making
        /// nobody claims, and no memory is lost or doubled.
        #[test]
        fn it_keeps_its_books(steps in prop::collection::vec((0..4_u8, 0..12_usize), 0..200)) {
            const BUFFERS: usize = 4;
            // A buffer holds the number of the chunk that was made in it.
            let mut window = Window::new(0, vec![u128::MAX; BUFFERS]);
            let mut own = None;
            let mut making: Vec<Claim<u128>> = Vec::new();
            let mut at = 0;
            for (step, n) in steps {
                let jumped = step == 3;
                match step {
                    0 => making.extend(window.claim()),
                    1 if !making.is_empty() => {
                        let mut claim = making.swap_remove(n % making.len());
                        claim.buffer = claim.chunk;
                        window.finish(claim);
                    }
                    2 | 3 => {
                        at = if jumped { n as u128 } else { at + 1 };
                        own.take().into_iter().for_each(|buffer| window.give_back(buffer));
                        match window.go_to(at) {
                            Found::Made(buffer) => {
                                prop_assert_eq!(buffer, at);
                                own = Some(buffer);
                            }
                            Found::Unclaimed => {}
                            Found::Claimed => prop_assert!(making.iter().any(|claim| claim.chunk == at)),
                        }
                    }
                    _ => {}
                }
            }
            // Far away nothing is of use any more.
            own.into_iter().for_each(|buffer| window.give_back(buffer));
            prop_assert!(matches!(window.go_to(1000), Found::Unclaimed));
            making.into_iter().for_each(|claim| window.finish(claim));
            prop_assert_eq!(window.room(), BUFFERS);
        }
    }
}
