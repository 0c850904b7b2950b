//! Benchmark of the index with generated listings: `cargo run --release -p plexus-search --example bench`.
//!
//! Argument `build` measures only building and the sizes of files. A number sets the number of listings.
//!
//! Listings and queries are those of the published baselines: a vocabulary of 2,000 words drawn by Zipf's
//! law, names like `io.github.uN/a-b-n`, one or two sentences, three to eight tags; 600 queries of one to
//! three words.

use std::{
    hint::black_box,
    io::Write,
    path::Path,
    time::{Duration, Instant},
};

use plexus_domain::{AgentId, Timestamp, page::PageSize};
use plexus_search::{Error, Index, IndexChange, Listing, Query, Sort};

const LISTINGS: u64 = 100_000;
const QUERIES: usize = 600;
const VOCABULARY: usize = 2_000;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome {
    let mut out = std::io::stdout().lock();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let listings = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(LISTINGS);
    let words = Words::new();
    let folder = tempfile::tempdir()?;
    let index = Index::open(folder.path())?;
    let start = Instant::now();
    let mut dice = Dice(7);
    index.rebuild((0..listings).map(|n| Ok::<_, Error>(listing(n, &words, &mut dice))), listings)?;
    writeln!(
        out,
        "build of {listings} listings: {:.2?}, {:.1} MB",
        start.elapsed(),
        megabytes(folder.path())?
    )?;
    if arguments.iter().any(|argument| argument == "build") {
        return sizes(&mut out, folder.path());
    }
    writeln!(
        out,
        "{:<44} {:>8} {:>8} {:>8} {:>8} {:>9}",
        "query", "p50 ms", "p90", "p99", "max", "a second"
    )?;
    queries(&mut out, &index, &words)?;
    let start = Instant::now();
    black_box(Index::open(folder.path())?.len());
    writeln!(out, "open with checksums: {:.2?}", start.elapsed())?;
    changes(&mut out, &index, &words, listings)
}

fn queries(out: &mut impl Write, index: &Index, words: &Words) -> Outcome {
    let mut dice = Dice(42);
    let exact: Vec<String> =
        (0..QUERIES).map(|_| words.some(1 + dice.below(3), &mut dice).join(" ")).collect();
    let top =
        |text: &String| Query { size: PageSize::new(10).unwrap_or(PageSize::DEFAULT), ..Query::text(text) };
    let faceted = |text: &String| Query { count_facets: true, ..top(text) };
    let typing = |text: &String| Query { typing: true, ..top(text) };
    let prefixes: Vec<String> = exact.iter().map(|text| text[..text.len() - 2].to_owned()).collect();
    let slips: Vec<String> = exact.iter().map(|text| slip(text)).collect();
    let all = |sort| move |_: &String| Query { sort, ..Query::default() };
    measure(out, index, "exact words, no facets", exact.iter().map(top))?;
    measure(out, index, "exact words, facets", exact.iter().map(faceted))?;
    measure(
        out,
        index,
        "exact words, newest first",
        exact.iter().map(|text| Query { sort: Sort::New, ..top(text) }),
    )?;
    measure(
        out,
        index,
        "exact words, one tag",
        exact.iter().map(|text| Query { tags: vec![words.0[3].clone()], ..top(text) }),
    )?;
    measure(out, index, "typing, last word cut by 2, no facets", prefixes.iter().map(typing))?;
    measure(out, index, "submitted, last word cut by 2, no facets", prefixes.iter().map(top))?;
    measure(out, index, "one letter wrong, no facets", slips.iter().map(top))?;
    measure(out, index, "one letter wrong, facets", slips.iter().map(faceted))?;
    measure(out, index, "everything, most used", exact.iter().take(60).map(all(Sort::Used)))?;
    measure(out, index, "everything, by name", exact.iter().take(60).map(all(Sort::Name)))?;
    measure(
        out,
        index,
        "everything, facets",
        exact.iter().take(60).map(|_| Query { count_facets: true, ..Query::default() }),
    )
}

fn changes(out: &mut impl Write, index: &Index, words: &Words, before: u64) -> Outcome {
    let mut dice = Dice(99);
    let mut times = Vec::new();
    for n in 0..100 {
        let change = IndexChange::Put(Box::new(listing(n * 7, words, &mut dice)));
        let start = Instant::now();
        index.apply(&[change], before + n)?;
        times.push(start.elapsed());
    }
    report(out, "one change, durable and visible", times)
}

fn measure(out: &mut impl Write, index: &Index, name: &str, queries: impl Iterator<Item = Query>) -> Outcome {
    let queries: Vec<Query> = queries.collect();
    for query in &queries {
        black_box(index.search(query)?);
    }
    let mut times = Vec::new();
    for query in &queries {
        let start = Instant::now();
        black_box(index.search(query)?);
        times.push(start.elapsed());
    }
    report(out, name, times)
}

fn report(out: &mut impl Write, name: &str, mut times: Vec<Duration>) -> Outcome {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1_000.0;
    let rate = times.len() as f64 / times.iter().sum::<Duration>().as_secs_f64();
    writeln!(out, "{name:<44} {:>8.2} {:>8.2} {:>8.2} {:>8.2} {rate:>9.0}", at(50), at(90), at(99), at(100))?;
    Ok(())
}

fn listing(n: u64, words: &Words, dice: &mut Dice) -> Listing {
    let owner = format!("u{}", dice.below(20_000));
    let pair = words.some(2, dice);
    let name = format!("io.github.{owner}/{}-{}-{n}", pair[0], pair[1]);
    let sentence = |dice: &mut Dice| {
        let length = 8 + dice.below(12);
        words.some(length, dice).join(" ")
    };
    let tags = 3 + dice.below(6);
    let at = Timestamp::from_millis(i64::try_from(n).unwrap_or(0) * 1_000);
    Listing {
        agent: AgentId::new(at, &[0; 10]),
        address: format!("@{owner}/{}-{n}", pair[0]),
        name,
        owner,
        summary: sentence(dice),
        description: if dice.below(2) == 0 { String::new() } else { sentence(dice) },
        tags: words.some(tags, dice).into_iter().map(str::to_owned).collect(),
        skills: String::new(),
        protocol: ["1.0", "0.3"][dice.below(2)].to_owned(),
        kind: ["a2a", "llm", "builtin"][dice.below(3)].to_owned(),
        here: true,
        verified: dice.below(2) == 0,
        restricted: false,
        online_at: Some(at),
        created: at,
        updated: at,
        uses: u64::try_from(dice.below(1_000_000)).unwrap_or(0),
    }
}

/// Simulates a typo: replaces a letter in the middle of the longest word.
fn slip(text: &str) -> String {
    let longest = text.split(' ').max_by_key(|word| word.len()).unwrap_or_default();
    let (left, right) = longest.split_at(longest.len() / 2);
    text.replace(longest, &format!("{left}q{}", &right[1..]))
}

fn megabytes(folder: &Path) -> Outcome<f64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let meta = entry.metadata()?;
        bytes += if meta.is_dir() { (megabytes(&entry.path())? * 1e6) as u64 } else { meta.len() };
    }
    Ok(bytes as f64 / 1e6)
}

/// Prints file sizes by kind: `store` holds rows, `pos` positions, `idx` postings, `term` the dictionary.
fn sizes(out: &mut impl Write, folder: &Path) -> Outcome {
    for entry in std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()? {
        let kind = entry.path().extension().map(|kind| kind.to_string_lossy().into_owned());
        match kind {
            None if entry.path().is_dir() => sizes(out, &entry.path())?,
            kind => writeln!(
                out,
                "{:>8} {:.2} MB",
                kind.unwrap_or_default(),
                entry.metadata()?.len() as f64 / 1e6
            )?,
        }
    }
    Ok(())
}

/// Vocabulary of pronounceable words. The n-th is drawn with probability proportional to 1/n (Zipf).
struct Words(Vec<String>, Vec<f64>);

impl Words {
    fn new() -> Self {
        const SYLLABLES: [&str; 16] =
            ["ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "ve"];
        let word = |n: usize| -> String {
            let n = n * 7_919 % 65_521;
            [n % 16, n / 16 % 16, n / 256 % 16, n / 4_096].map(|at| SYLLABLES[at % 16]).concat()
        };
        let chances = (1..=VOCABULARY).scan(0.0, |sum, n| {
            *sum += 1.0 / n as f64;
            Some(*sum)
        });
        Self((1..=VOCABULARY).map(word).collect(), chances.collect())
    }

    fn some(&self, count: usize, dice: &mut Dice) -> Vec<&str> {
        let total = self.1.last().copied().unwrap_or(1.0);
        let one = |dice: &mut Dice| {
            let draw = dice.unit() * total;
            self.0[self.1.partition_point(|sum| *sum < draw).min(VOCABULARY - 1)].as_str()
        };
        (0..count).map(|_| one(dice)).collect()
    }
}

/// Linear congruential generator (Knuth's MMIX constants), for equal listings on every machine.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next()).unwrap_or(0) % end
    }

    fn unit(&mut self) -> f64 {
        self.next() as f64 / (1_u64 << 31) as f64
    }
}
