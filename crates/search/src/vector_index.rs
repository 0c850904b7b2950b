//! In-memory index of embeddings, searched exhaustively by cosine similarity.

/// Vectors of the same dimension. Each number takes a byte: a vector is scaled so that its largest number is 127. The
/// scale does not affect the cosine.
#[derive(Debug, Default)]
pub struct VectorIndex {
    dimensions: usize,
    items: Vec<usize>,
    numbers: Vec<i8>,
    /// Lengths of the scaled vectors.
    lengths: Vec<f32>,
}

impl VectorIndex {
    /// Builds an index of the vectors of `items`. Vectors of another dimension than the first, and those without a
    /// direction, are left out.
    pub fn build<'a>(items: impl IntoIterator<Item = (usize, &'a [f32])>) -> Self {
        let mut index = Self::default();
        for (item, vector) in items {
            if index.items.is_empty() {
                index.dimensions = vector.len();
            }
            let largest = vector.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
            if vector.len() != index.dimensions || !largest.is_normal() {
                continue;
            }
            let scale = f32::from(i8::MAX) / largest;
            #[expect(clippy::cast_possible_truncation, reason = "it is rounded and at most 127")]
            let scaled = vector.iter().map(|number| (number * scale).round() as i8);
            let start = index.numbers.len();
            index.numbers.extend(scaled);
            let square = |number: &i8| f32::from(*number) * f32::from(*number);
            index.lengths.push(index.numbers[start..].iter().map(square).sum::<f32>().sqrt());
            index.items.push(item);
        }
        index
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns at most `limit` items by their cosine similarity to `query`, best first; none if its dimension differs.
    pub fn nearest(&self, query: &[f32], limit: usize) -> Vec<usize> {
        if query.len() != self.dimensions || self.is_empty() {
            return Vec::new();
        }
        let vectors = self.numbers.chunks_exact(self.dimensions);
        let dot = |vector: &[i8]| -> f32 {
            vector.iter().zip(query).map(|(number, wanted)| f32::from(*number) * wanted).sum()
        };
        let similarities = vectors.zip(&self.lengths).map(|(vector, length)| dot(vector) / length);
        let mut ranked: Vec<(usize, f32)> = self.items.iter().copied().zip(similarities).collect();
        ranked.sort_by(|(one, near), (other, nearer)| nearer.total_cmp(near).then(one.cmp(other)));
        ranked.into_iter().take(limit).map(|(item, _)| item).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_direction_comes_first() {
        let vectors: [&[f32]; 6] =
            [&[1.0, 0.0], &[0.02, 0.02], &[0.0, 0.0], &[-3.0, 0.1], &[1.0], &[f32::NAN, 1.0]];
        let index = VectorIndex::build(vectors.into_iter().enumerate());
        assert_eq!(index.nearest(&[2.0, 1.9], 2), [1, 0]);
        assert_eq!(index.nearest(&[-1.0, 0.0], 9)[0], 3);
        assert!(index.nearest(&[1.0, 0.0], 9).len() <= 4);
        assert!(index.nearest(&[1.0], 9).is_empty());
        assert!(VectorIndex::build([]).nearest(&[], 1).is_empty());
    }
}
