//! Finds the end of JSON values in a byte stream, without parsing them.

/// Tracks the nesting of one JSON object or array. Linear in the bytes, whatever they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct JsonScanner {
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
}

impl JsonScanner {
    /// Returns true within a value.
    pub const fn is_open(&self) -> bool {
        self.depth > 0
    }

    /// Scans up to the end of the value. Returns the number of bytes up to there, or `None` if it does not end in
    /// them. Bytes before the value belong to none.
    pub fn scan(&mut self, bytes: &[u8]) -> Option<usize> {
        bytes.iter().position(|byte| self.closes(*byte)).map(|at| at + 1)
    }

    /// Returns true if the byte ends the outermost value.
    const fn closes(&mut self, byte: u8) -> bool {
        if self.is_in_string {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.is_in_string = false,
                _ => {}
            }
            return false;
        }
        match byte {
            b'{' | b'[' => self.depth += 1,
            b'"' if self.is_open() => self.is_in_string = true,
            b'}' | b']' if self.is_open() => {
                self.depth -= 1;
                return self.depth == 0;
            }
            _ => {}
        }
        false
    }
}

/// Splits bytes into the JSON objects and arrays in them. What is between them is skipped.
#[derive(Debug, Default)]
pub(crate) struct JsonFramer {
    scanner: JsonScanner,
    value: Vec<u8>,
}

impl JsonFramer {
    pub const fn is_open(&self) -> bool {
        self.scanner.is_open()
    }

    /// Returns the number of bytes of the value that is not complete.
    pub const fn len(&self) -> usize {
        self.value.len()
    }

    /// Adds bytes and calls `take` with each value that ends in them.
    pub fn push<E>(
        &mut self,
        mut bytes: &[u8],
        mut take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        while !bytes.is_empty() {
            if !self.is_open() {
                let Some(begin) = bytes.iter().position(|byte| matches!(byte, b'{' | b'[')) else {
                    return Ok(());
                };
                bytes = &bytes[begin..];
            }
            let Some(end) = self.scanner.scan(bytes) else {
                self.value.extend_from_slice(bytes);
                return Ok(());
            };
            if self.value.is_empty() {
                take(&bytes[..end])?;
            } else {
                self.value.extend_from_slice(&bytes[..end]);
                let value = std::mem::take(&mut self.value);
                take(&value)?;
            }
            bytes = &bytes[end..];
        }
        Ok(())
    }

    /// Takes what came of a value that did not end.
    pub fn take_rest(&mut self) -> Vec<u8> {
        self.scanner = JsonScanner::default();
        std::mem::take(&mut self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(pieces: &[&str]) -> (Vec<String>, String) {
        let (mut framer, mut frames) = (JsonFramer::default(), Vec::new());
        for piece in pieces {
            framer
                .push(piece.as_bytes(), |value| {
                    frames.push(String::from_utf8(value.to_vec()).unwrap());
                    Ok::<_, ()>(())
                })
                .unwrap();
        }
        (frames, String::from_utf8(framer.take_rest()).unwrap())
    }

    #[test]
    fn values_are_found_however_they_are_cut() {
        let text = "[{\"a\": \"}\\\"]\"}], {\"b\":\n[1, 2]}{} x 5 {\"open\": {";
        let expected = ["[{\"a\": \"}\\\"]\"}]", "{\"b\":\n[1, 2]}", "{}"].map(str::to_owned).to_vec();
        for length in 1..=text.len() {
            let pieces: Vec<&str> =
                text.as_bytes().chunks(length).map(|piece| std::str::from_utf8(piece).unwrap()).collect();
            assert_eq!(frames(&pieces), (expected.clone(), "{\"open\": {".to_owned()), "{length}");
        }
    }
}
