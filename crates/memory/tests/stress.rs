//! Real threads hammering buffers, the pool and arenas, for the sanitizers and for luck.
#![cfg(not(loom))]

use std::{
    sync::{
        Arc, Barrier,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use stratal_memory::{AccessError, Arena, Buffer, FaultySource, Pool, PoolOptions, access};

const ROUNDS: u64 = if cfg!(miri) { 20 } else { 3000 };

/// A small generator with a fixed seed for each thread: the runs differ in interleaving only.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

#[test]
fn readers_never_see_a_half_written_buffer() {
    let pool = Pool::new();
    let buffer = pool.rent_zeroed(256).unwrap();
    let granted = AtomicU64::new(0);
    thread::scope(|scope| {
        for seed in 1..=4 {
            let (buffer, granted) = (buffer.clone(), &granted);
            scope.spawn(move || {
                let mut dice = Dice(seed);
                for _ in 0..ROUNDS {
                    if dice.roll(3) == 0 {
                        if let Ok(mut writing) = buffer.write() {
                            let value = dice.roll(256) as u8;
                            writing.iter_mut().for_each(|byte| *byte = value);
                            granted.fetch_add(1, Ordering::Relaxed);
                        }
                    } else if let Ok(reading) = buffer.read() {
                        let first = reading[0];
                        assert!(reading.iter().all(|&byte| byte == first));
                    }
                }
            });
        }
    });
    assert_eq!(buffer.version(), granted.into_inner(), "each granted write counted once");
    assert!(buffer.write().is_ok(), "no borrow is left over");
}

#[test]
fn threads_share_a_pool_and_pass_buffers_around() {
    let source = Arc::new(FaultySource::counting());
    let pool =
        Pool::with_options(PoolOptions { max_idle_bytes: 20_000, source: source.clone(), ..PoolOptions::default() })
            .unwrap();
    let shelf: Vec<std::sync::Mutex<Option<(Buffer, u8)>>> = (0..8).map(|_| None.into()).collect();
    thread::scope(|scope| {
        for seed in 1..=4_u64 {
            let (pool, shelf) = (&pool, &shelf);
            scope.spawn(move || {
                let mut dice = Dice(seed * 77);
                for _ in 0..ROUNDS {
                    let buffer = pool.rent(dice.roll(3000) as usize).unwrap();
                    let mark = dice.roll(256) as u8;
                    buffer.write().unwrap().fill(mark);
                    let place = dice.roll(8) as usize;
                    let other = shelf[place].lock().unwrap().replace((buffer, mark));
                    if let Some((buffer, mark)) = other {
                        assert!(buffer.read().unwrap().iter().all(|&byte| byte == mark));
                        match dice.roll(3) {
                            0 => buffer.release().unwrap(),
                            1 => drop(buffer.clone()),
                            _ => {}
                        }
                    }
                    if dice.roll(100) == 0 {
                        pool.trim();
                    }
                    assert!(pool.usage().total.idle_bytes <= 20_000);
                }
            });
        }
    });
    drop(shelf);
    assert_eq!(pool.usage().total.live_bytes, 0);
    pool.trim();
    assert_eq!(source.blocks_out(), 0);
}

#[test]
fn of_threads_that_release_at_once_exactly_one_succeeds() {
    let pool = Pool::new();
    for round in 0..ROUNDS / 10 {
        let buffer = pool.rent(64).unwrap();
        let barrier = Barrier::new(3);
        let winners: usize = thread::scope(|scope| {
            let threads: Vec<_> = (0..3)
                .map(|_| {
                    let (handle, barrier) = (buffer.clone(), &barrier);
                    scope.spawn(move || {
                        barrier.wait();
                        match handle.release() {
                            Ok(()) => 1,
                            Err(error) => {
                                assert!(error.to_string().contains("stale"), "{error}");
                                0
                            }
                        }
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(winners, 1, "round {round}");
    }
}

#[test]
fn last_drops_that_race_give_the_block_back_once() {
    let pool = Pool::new();
    for round in 0..ROUNDS / 10 {
        let buffer = pool.rent(64).unwrap();
        let barrier = Barrier::new(3);
        thread::scope(|scope| {
            for _ in 0..3 {
                let (handle, barrier) = (buffer.clone(), &barrier);
                scope.spawn(move || {
                    let _ = handle.read().map(|guard| guard[0]);
                    barrier.wait();
                    drop(handle);
                });
            }
            drop(buffer);
        });
        let usage = pool.usage().total;
        assert_eq!((usage.live_bytes, usage.idle_bytes), (0, 64), "round {round}");
    }
}

#[test]
fn an_arena_is_reset_while_other_threads_hold_its_handles() {
    let pool = Pool::new();
    let mut arena = Arena::with_chunk_length(&pool, 1024);
    let (sender, receiver) = std::sync::mpsc::sync_channel::<(Buffer, u8)>(4);
    thread::scope(|scope| {
        scope.spawn(move || {
            for (buffer, mark) in receiver {
                match buffer.read() {
                    Ok(guard) => assert!(guard.iter().all(|&byte| byte == mark)),
                    // The reset locks as a writer before it ends the lease.
                    Err(AccessError::Stale { .. } | AccessError::BeingWritten { .. }) => {}
                    Err(error) => panic!("{error}"),
                }
                if mark % 5 == 0 {
                    let _ = buffer.release();
                }
            }
        });
        let mut dice = Dice(5);
        for _ in 0..ROUNDS {
            let buffer = arena.alloc(dice.roll(400) as usize).unwrap();
            let mark = dice.roll(256) as u8;
            buffer.write().unwrap().fill(mark);
            sender.send((buffer, mark)).unwrap();
            if dice.roll(4) == 0 {
                // Refused while the other thread reads; then it is simply tried later.
                let _ = arena.reset();
            }
        }
        drop(sender);
    });
    arena.reset().unwrap();
}

#[test]
fn openings_of_several_buffers_neither_deadlock_nor_leave_anything_behind() {
    let pool = Pool::new();
    let buffers: Vec<_> = (0..3).map(|_| pool.rent_zeroed(64).unwrap()).collect();
    thread::scope(|scope| {
        for seed in 1..=3 {
            let buffers = buffers.clone();
            scope.spawn(move || {
                let mut dice = Dice(seed);
                for _ in 0..ROUNDS {
                    let pick = |dice: &mut Dice| dice.roll(3) as usize;
                    let (output, a, b) = (pick(&mut dice), pick(&mut dice), pick(&mut dice));
                    if let Ok((mut writing, [first, second])) = access(&buffers[output], [&buffers[a], &buffers[b]]) {
                        writing[0] = first[0].wrapping_add(second[0]).wrapping_add(1);
                    }
                }
            });
        }
    });
    for buffer in &buffers {
        assert!(buffer.write().is_ok());
    }
}

#[test]
fn pools_come_and_go_under_live_buffers() {
    thread::scope(|scope| {
        for seed in 1..=3_u64 {
            scope.spawn(move || {
                let mut dice = Dice(seed);
                let mut held = Vec::new();
                for _ in 0..ROUNDS / 10 {
                    let pool = Pool::new();
                    let buffer = pool.rent(dice.roll(1000) as usize).unwrap();
                    buffer.write().unwrap().fill(1);
                    if dice.roll(2) == 0 {
                        held.push(buffer);
                    }
                    if held.len() > 5 {
                        let buffer = held.swap_remove(dice.roll(5) as usize);
                        assert!(buffer.read().unwrap().iter().all(|&byte| byte == 1));
                    }
                }
            });
        }
    });
}
