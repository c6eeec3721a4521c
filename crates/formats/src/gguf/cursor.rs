//! `Cursor`: reading fields of a header of which only the first bytes are at hand.

use super::GgufError;
use crate::{Limits, Name};

/// Why the reading of a header stopped.
#[derive(Debug)]
pub(super) enum Stop {
    /// The header goes on behind the bytes at hand, and the file has more: at least so many, from its start.
    NeedsMore(u64),
    /// The header is wrong.
    Wrong(GgufError),
}

impl From<GgufError> for Stop {
    fn from(error: GgufError) -> Self {
        Self::Wrong(error)
    }
}

/// A place in the first bytes of a file.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    position: usize,
    file_bytes: u64,
    pub(super) limits: &'a Limits,
}

impl<'a> Cursor<'a> {
    /// The start of a file of `file_bytes`, which begins with `bytes`.
    pub(super) fn new(bytes: &'a [u8], file_bytes: u64, limits: &'a Limits) -> Self {
        Self { bytes, position: 0, file_bytes, limits }
    }

    /// The bytes read so far.
    pub(super) fn position(&self) -> u64 {
        self.position as u64
    }

    /// The next so many bytes.
    pub(super) fn take(&mut self, count: u64) -> Result<&'a [u8], Stop> {
        let offset = self.position();
        let end = offset.checked_add(count).filter(|end| *end <= self.file_bytes);
        let end = end.ok_or(GgufError::Truncated { offset, wanted: count, file_bytes: self.file_bytes })?;
        if end > self.limits.header_bytes {
            return Err(GgufError::HeaderTooLong { limit: self.limits.header_bytes }.into());
        }
        // An end past what an address can be is past the bytes at hand, too.
        let range = self.position..usize::try_from(end).unwrap_or(usize::MAX);
        let taken = self.bytes.get(range.clone()).ok_or(Stop::NeedsMore(end))?;
        self.position = range.end;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Stop> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N as u64)?);
        Ok(array)
    }

    /// So many stretches of `N` bytes.
    pub(super) fn arrays<const N: usize>(
        &mut self,
        count: u64,
    ) -> Result<impl Iterator<Item = [u8; N]> + use<'a, N>, Stop> {
        self.check_count("numbers", count, N as u64)?;
        // Checked just now.
        let bytes = self.take(count * N as u64)?;
        Ok(bytes.as_chunks().0.iter().copied())
    }

    pub(super) fn u32(&mut self) -> Result<u32, Stop> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, Stop> {
        self.array().map(u64::from_le_bytes)
    }

    /// How many of something follow, each of at least so many bytes: no more than the rest of the file can hold.
    pub(super) fn count(&mut self, what: &'static str, least_bytes: u64, limit: u64) -> Result<u64, Stop> {
        let count = self.u64()?;
        self.check_count(what, count, least_bytes)?;
        if count > limit {
            return Err(GgufError::TooMany { what, count, limit }.into());
        }
        Ok(count)
    }

    /// That so many of something, each of at least so many bytes, can follow.
    pub(super) fn check_count(&self, what: &'static str, count: u64, least_bytes: u64) -> Result<(), Stop> {
        // The position never passes the end of the file.
        let rest = self.file_bytes - self.position();
        match count.checked_mul(least_bytes).filter(|bytes| *bytes <= rest) {
            Some(_) => Ok(()),
            None => Err(GgufError::Impossible { what, count, offset: self.position(), rest }.into()),
        }
    }

    /// How many of something to reserve memory for: those that the bytes at hand can hold.
    pub(super) fn room_for(&self, count: u64, least_bytes: usize) -> usize {
        let at_hand = (self.bytes.len() - self.position) / least_bytes;
        usize::try_from(count).unwrap_or(usize::MAX).min(at_hand)
    }

    /// A text behind its length.
    pub(super) fn text(&mut self, what: &'static str, limit: u64) -> Result<&'a str, Stop> {
        let offset = self.position();
        let length = self.u64()?;
        self.check_count("bytes of a text", length, 1)?;
        if length > limit {
            return Err(GgufError::TextTooLong { what, length, limit }.into());
        }
        let bytes = self.take(length)?;
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text),
            Err(_) => {
                let start = &bytes[..bytes.len().min(Name::CAPACITY)];
                Err(GgufError::NotUtf8 { what, offset, text: Name::new(&String::from_utf8_lossy(start)) }.into())
            }
        }
    }
}
