//! Percentiles and medians.

/// Returns the value that `percent` of `sorted` do not exceed; NaN if it is empty.
pub fn percentile(sorted: &[f64], percent: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    let at = (last as f64 * percent / 100.0).round() as usize;
    sorted.get(at).copied().unwrap_or(f64::NAN)
}

pub fn sorted(values: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values
}

pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    percentile(&sorted(values), 50.0)
}
