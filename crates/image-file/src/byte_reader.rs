//! Reader of numbers and slices from a file, within its bounds.

#[derive(Clone)]
pub struct ByteReader<'a> {
    bytes: &'a [u8],
}

impl<'a> ByteReader<'a> {
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    pub const fn rest(&self) -> &'a [u8] {
        self.bytes
    }

    pub fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(taken)
    }

    pub fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub fn u8(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    pub fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    pub fn u16_le(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub fn u32_le(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u24_le(&mut self) -> Option<u32> {
        self.array().map(|[low, middle, high]| u32::from_le_bytes([low, middle, high, 0]))
    }

    /// Reads a big-endian number of 0, 2, 4 or 8 bytes.
    pub fn number(&mut self, length: usize) -> Option<u64> {
        match length {
            0 => Some(0),
            2 => self.u16().map(u64::from),
            4 => self.u32().map(u64::from),
            8 => self.array().map(u64::from_be_bytes),
            _ => None,
        }
    }
}
