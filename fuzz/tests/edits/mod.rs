//! Input mutations: a seed and a list of edits. Proptest shrinks a failing input by removing edits.

use proptest::{prelude::*, sample::Index};

const MAX_EDITS: usize = 12;
const MAX_BYTES: usize = 32 << 10;

/// Byte sequences that often expose bugs in decoders.
const PIECES: &[&[u8]] = &[
    b"\0",
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\r",
    b"\r\n",
    b"\n\n",
    b"\t",
    b"\\",
    b"\"",
    b"'",
    b"<",
    b">",
    b"&",
    b"&#0;",
    b"&#x6a;avascript:",
    b"%00",
    b"%ff",
    b"%2e%2e/",
    b"//",
    b"..",
    b"@",
    b":",
    b"=",
    b",",
    b"-1",
    b"0",
    b"1e999",
    b"1e-999",
    b"18446744073709551616",
    b"9007199254740993",
    b"0.1",
    b"NaN",
    b"null",
    b"true",
    b"{}",
    b"[]",
    b"{\"",
    b"\":",
    b"[[[[[[[[",
    b"]]]]",
    b"\\ud800",
    b"\\u0000",
    b"\"__proto__\":",
    b"\xe2\x80\xae",
    b"\xe2\x80\x8b",
    b"\xcc\x81",
    b"\xe2\x80\x8d",
    b"\xf0\x9f\x98\x80",
    b"\xef\xbc\x8f",
    b"<script>",
    b"</script>",
    b"<img src=x onerror=x>",
    b"javascript:x",
    b"](javascript:x)",
    b"<!--",
    b"-->",
    b"]]>",
    b"<svg>",
    b"<a href=",
    b"</textarea>",
    b"```\n",
    b"~~~\n",
    b"> ",
    b"- ",
    b"1. ",
    b"    ",
    b"| a |\n|---|\n",
    b"[^1]",
    b"[^1]: x\n",
    b"[x]: /y\n",
    b"![",
    b"**",
    b"`",
    b"# ",
    b"---\n",
    b"data: ",
    b"data:",
    b"[DONE]",
];

#[derive(Clone, Debug)]
enum Edit {
    Set(Index, u8),
    Insert(Index, &'static [u8]),
    Bytes(Index, Vec<u8>),
    Remove(Index, Index),
    /// Repeats a range of the input.
    Repeat(Index, Index, usize),
    /// Inserts a range of another seed.
    Splice(Index, Index, Index, Index),
}

/// Returns a strategy for mutations of `seeds`.
pub fn of(seeds: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    let at = any::<Index>;
    let edit = prop_oneof![
        (at(), any::<u8>()).prop_map(|(at, byte)| Edit::Set(at, byte)),
        (at(), prop::sample::select(PIECES)).prop_map(|(at, piece)| Edit::Insert(at, piece)),
        (at(), prop::collection::vec(any::<u8>(), 1..8)).prop_map(|(at, bytes)| Edit::Bytes(at, bytes)),
        (at(), at()).prop_map(|(from, to)| Edit::Remove(from, to)),
        (at(), at(), 1..40_usize).prop_map(|(from, to, times)| Edit::Repeat(from, to, times)),
        (at(), at(), at(), at()).prop_map(|(at, seed, from, to)| Edit::Splice(at, seed, from, to)),
    ];
    let edits = prop::collection::vec(edit, 0..MAX_EDITS);
    (any::<Index>(), edits).prop_map(move |(seed, edits)| {
        let mut input = seed.get(&seeds).clone();
        for edit in edits {
            edit.apply(&mut input, &seeds);
            input.truncate(MAX_BYTES);
        }
        input
    })
}

impl Edit {
    fn apply(self, input: &mut Vec<u8>, seeds: &[Vec<u8>]) {
        let length = input.len();
        let place = |at: Index| at.index(length + 1);
        let put =
            |input: &mut Vec<u8>, at: usize, bytes: &[u8]| drop(input.splice(at..at, bytes.iter().copied()));
        match self {
            Self::Set(at, byte) if length > 0 => input[at.index(length)] = byte,
            Self::Set(_, byte) => input.push(byte),
            Self::Insert(at, piece) => put(input, place(at), piece),
            Self::Bytes(at, bytes) => put(input, place(at), &bytes),
            Self::Remove(from, to) => drop(input.drain(range(from, to, length))),
            Self::Repeat(from, to, times) => {
                let range = range(from, to, length);
                let most = MAX_BYTES / range.len().max(1);
                let again = input[range.clone()].repeat(times.min(most));
                put(input, range.end, &again);
            }
            Self::Splice(at, seed, from, to) => {
                let other = seed.get(seeds);
                put(input, place(at), &other[range(from, to, other.len())]);
            }
        }
    }
}

fn range(from: Index, to: Index, length: usize) -> std::ops::Range<usize> {
    let (from, to) = (from.index(length + 1), to.index(length + 1));
    from.min(to)..from.max(to)
}
