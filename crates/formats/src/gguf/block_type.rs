//! `BlockType`: the types of packed weights, each a row of one table.

use super::{
    blocks::{self, each_block},
    error::BlockError,
};

/// Turns the table below into the enum and its look-ups. A row whose sizes are not those of its decoder does not compile.
macro_rules! block_types {
    ($( $(#[doc = $doc:literal])+ $variant:ident = $code:literal, $weights:literal in $bytes:literal, $decode:ident; )+) => {
        /// How weights are packed: so many of them in a block of so many bytes, with scales in between.
        ///
        /// The names and numbers are those of ggml's tensor types. A row of a packed tensor is whole blocks.
        ///
        /// ```
        /// use stratal_formats::gguf::BlockType;
        ///
        /// let packed = [&[0x00, 0x3C][..], &[0x19; 16]].concat(); // the scale 1.0, and digits 9 and 1
        /// let mut weights = [0.0; 32];
        /// BlockType::Q4_0.decode(&packed, &mut weights)?;
        /// assert_eq!(weights[0], 1.0);
        /// assert_eq!(weights[16], -7.0);
        /// # Ok::<(), stratal_formats::gguf::BlockError>(())
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        #[non_exhaustive]
        #[expect(non_camel_case_types, reason = "these are the names that the format has for them")]
        pub enum BlockType {
            $( $(#[doc = $doc])+ $variant = $code, )+
        }

        impl BlockType {
            /// Every block type, by ascending code.
            pub const ALL: [Self; [$($code),+].len()] = [$(Self::$variant),+];

            /// The name, as ggml spells it: `"Q4_K"`.
            pub const fn name(self) -> &'static str {
                match self { $( Self::$variant => stringify!($variant), )+ }
            }

            /// The weights of one block.
            pub const fn block_weights(self) -> usize {
                match self { $( Self::$variant => $weights, )+ }
            }

            /// The bytes of one block.
            pub const fn block_bytes(self) -> usize {
                match self { $( Self::$variant => $bytes, )+ }
            }

            /// Decodes whole blocks. The lengths agree.
            fn decode_blocks(self, bytes: &[u8], weights: &mut [f32]) {
                match self { $( Self::$variant => each_block::<$bytes, $weights>(bytes, weights, blocks::$decode), )+ }
            }
        }
    };
}

block_types! {
    /// 4 bits and a scale, 4.5 bits a weight.
    Q4_0 = 2, 32 in 18, q4_0;
    /// 4 bits, a scale and a minimum, 5 bits a weight.
    Q4_1 = 3, 32 in 20, q4_1;
    /// 5 bits and a scale, 5.5 bits a weight.
    Q5_0 = 6, 32 in 22, q5_0;
    /// 5 bits, a scale and a minimum, 6 bits a weight.
    Q5_1 = 7, 32 in 24, q5_1;
    /// 8 bits and a scale, 8.5 bits a weight.
    Q8_0 = 8, 32 in 34, q8_0;
    /// 2 bits with two levels of scales and minima, 2.625 bits a weight.
    Q2_K = 10, 256 in 84, q2_k;
    /// 3 bits with two levels of scales, 3.4375 bits a weight.
    Q3_K = 11, 256 in 110, q3_k;
    /// 4 bits with two levels of scales and minima, 4.5 bits a weight.
    Q4_K = 12, 256 in 144, q4_k;
    /// 5 bits with two levels of scales and minima, 5.5 bits a weight.
    Q5_K = 13, 256 in 176, q5_k;
    /// 6 bits with two levels of scales, 6.5625 bits a weight.
    Q6_K = 14, 256 in 210, q6_k;
    /// Words of a code book of 256, 2.0625 bits a weight.
    IQ2_XXS = 16, 256 in 66, iq2_xxs;
    /// Words of a code book of 512, 2.3125 bits a weight.
    IQ2_XS = 17, 256 in 74, iq2_xs;
    /// Words of a code book of 256, 3.0625 bits a weight.
    IQ3_XXS = 18, 256 in 98, iq3_xxs;
    /// Words of a code book of 2048, 1.5625 bits a weight.
    IQ1_S = 19, 256 in 50, iq1_s;
    /// 4-bit levels that are not evenly spaced, 4.5 bits a weight.
    IQ4_NL = 20, 32 in 18, iq4_nl;
    /// Words of a code book of 512, 3.4375 bits a weight.
    IQ3_S = 21, 256 in 110, iq3_s;
    /// Words of a code book of 1024, 2.5625 bits a weight.
    IQ2_S = 22, 256 in 82, iq2_s;
    /// 4-bit levels that are not evenly spaced, with two levels of scales, 4.25 bits a weight.
    IQ4_XS = 23, 256 in 136, iq4_xs;
    /// Words of a code book of 2048 with more scales, 1.75 bits a weight.
    IQ1_M = 29, 256 in 56, iq1_m;
    /// -1, 0 and 1, five of them a byte, 1.6875 bits a weight.
    TQ1_0 = 34, 256 in 54, tq1_0;
    /// -1, 0 and 1 in 2 bits, 2.0625 bits a weight.
    TQ2_0 = 35, 256 in 66, tq2_0;
    /// 4-bit floats under a power of two, 4.25 bits a weight.
    MXFP4 = 39, 32 in 17, mxfp4;
    /// 4-bit floats under 8-bit floats, 4.5 bits a weight.
    NVFP4 = 40, 64 in 36, nvfp4;
}

impl BlockType {
    /// The number of the type in a GGUF file.
    pub const fn code(self) -> u32 {
        self as u32
    }

    /// The bytes of so many weights, if they are whole blocks and their bytes a number.
    pub fn bytes_of(self, weights: u64) -> Option<u64> {
        let block_weights = self.block_weights() as u64;
        if !weights.is_multiple_of(block_weights) {
            return None;
        }
        (weights / block_weights).checked_mul(self.block_bytes() as u64)
    }

    /// Decodes packed blocks. Scales and digits are multiplied as f32, in one order on every machine, so the result is
    /// the same everywhere, to the bit.
    ///
    /// # Errors
    /// [`BlockError::Lengths`] unless the bytes are whole blocks and the weights just as many as they hold.
    pub fn decode(self, bytes: &[u8], weights: &mut [f32]) -> Result<(), BlockError> {
        let blocks = bytes.len() / self.block_bytes();
        let is_whole = bytes.len().is_multiple_of(self.block_bytes());
        if !is_whole || blocks.checked_mul(self.block_weights()) != Some(weights.len()) {
            return Err(BlockError::Lengths { block_type: self, bytes: bytes.len(), weights: weights.len() });
        }
        self.decode_blocks(bytes, weights);
        Ok(())
    }
}

impl std::fmt::Display for BlockType {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(self.name())
    }
}
