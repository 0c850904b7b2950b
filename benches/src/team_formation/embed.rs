//! Simple text embedder, shared by both rules: hashed words and character trigrams, weighted by inverse
//! document frequency, normalised to length one. Similarity is the inner product; search compares all texts.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Dimensions of the feature hashing.
const PLACES: u64 = 1 << 22;
/// Weight of a word relative to a trigram.
const WORD: f32 = 2.0;
/// Features in more than one of this many texts are ignored as uninformative.
const TOO_COMMON: usize = 4;

/// Sparse vector: dimensions with weights.
type Vector = Vec<(u32, f32)>;

pub struct Space {
    rarity: HashMap<u32, f32>,
    /// Inverted index: for each dimension, the texts that have it and their weights.
    postings: HashMap<u32, Vec<(u32, f32)>>,
    texts: usize,
}

impl Space {
    pub fn new(texts: &[String]) -> Self {
        let mut counts: HashMap<u32, usize> = HashMap::new();
        for text in texts {
            let places: BTreeSet<u32> = features(text).into_keys().collect();
            places.into_iter().for_each(|place| *counts.entry(place).or_default() += 1);
        }
        let most = (texts.len() / TOO_COMMON).max(1);
        let told = counts.into_iter().filter(|(_, count)| *count <= most);
        let rarity = told.map(|(place, count)| (place, (texts.len() as f32 / count as f32).ln())).collect();
        let mut space = Self { rarity, postings: HashMap::new(), texts: texts.len() };
        for (n, text) in (0..).zip(texts) {
            for (place, weight) in space.embed(text) {
                space.postings.entry(place).or_default().push((n, weight));
            }
        }
        space
    }

    /// Returns the vector of a text. Features that occur in no text are ignored.
    pub fn embed(&self, text: &str) -> Vector {
        let weighed = features(text).into_iter();
        let mut vector: Vector =
            weighed.filter_map(|(place, count)| Some((place, count * self.rarity.get(&place)?))).collect();
        let length = vector.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|(_, weight)| *weight /= length);
        vector
    }

    /// Returns the weighted sum of the similarities of each text to these vectors.
    pub fn nearness(&self, asked: &[(&Vector, f32)]) -> Vec<f32> {
        let mut near = vec![0.0; self.texts];
        for (vector, share) in asked {
            for (place, weight) in *vector {
                for (text, other) in self.postings.get(place).into_iter().flatten() {
                    near[*text as usize] += share * weight * other;
                }
            }
        }
        near
    }
}

/// Returns the `most` most similar texts, best first.
pub fn best(near: &[f32], most: usize) -> Vec<(usize, f32)> {
    let mut all: Vec<(usize, f32)> =
        near.iter().copied().enumerate().filter(|(_, near)| *near > 0.0).collect();
    let nearer = |a: &(usize, f32), b: &(usize, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if all.len() > most {
        all.select_nth_unstable_by(most, nearer);
        all.truncate(most);
    }
    all.sort_unstable_by(nearer);
    all
}

fn features(text: &str) -> BTreeMap<u32, f32> {
    let mut features = BTreeMap::new();
    let lower = text.to_lowercase();
    for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 1) {
        *features.entry(place(word)).or_default() += WORD;
        let letters: Vec<char> = format!("<{word}>").chars().collect();
        for piece in letters.windows(3) {
            *features.entry(place(&piece.iter().collect::<String>())).or_default() += 1.0;
        }
    }
    features
}

/// FNV-1a hash, reduced to the number of dimensions.
fn place(feature: &str) -> u32 {
    let hash = feature.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash % PLACES) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_is_near_like() {
        let texts = ["tide tables for harbours", "sheet music", "translation of patents", "wine lists"];
        let space = Space::new(&texts.map(str::to_owned));
        for (asked, nearest) in [("tidal hours at the harbour", 0), ("translate a patent", 2)] {
            assert_eq!(best(&space.nearness(&[(&space.embed(asked), 1.0)]), 1)[0].0, nearest, "{asked}");
        }
        assert!(best(&space.nearness(&[(&space.embed("qqq"), 1.0)]), 3).is_empty());
        let own = space.nearness(&[(&space.embed(texts[1]), 1.0)])[1];
        assert!((own - 1.0).abs() < 1e-5, "{own}");
    }
}
