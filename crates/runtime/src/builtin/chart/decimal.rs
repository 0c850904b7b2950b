//! Decimal numbers of a table. Sums are exact, unlike those of binary fractions.

use std::fmt;

/// Maximum number of digits. With the rows of a table, sums stay far below the range of `i128`.
const MAX_DIGITS: usize = 15;
/// Number of decimals of a mean beyond those of its column.
const MEAN_DECIMALS: u32 = 2;

/// A decimal number: `units` of ten to the power of minus `decimals`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    units: i128,
    decimals: u32,
}

/// Mark between the whole part and the decimals. The other mark groups digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DecimalMark {
    Point,
    Comma,
}

impl Decimal {
    /// Creates a number of the digits before and after its decimal mark, times a power of ten. `None` if it has too many
    /// digits.
    pub fn of_digits(is_negative: bool, whole: &str, fraction: &str, exponent: i32) -> Option<Self> {
        let digits = format!("{whole}{fraction}");
        let are_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !are_digits || digits.len() > MAX_DIGITS {
            return None;
        }
        let units: i128 = digits.parse().ok()?;
        let decimals = i32::try_from(fraction.len()).ok()? - exponent;
        let zeros = u32::try_from(-decimals).unwrap_or(0);
        if digits.len() + zeros as usize > MAX_DIGITS || decimals > MAX_DIGITS as i32 {
            return None;
        }
        let units = units * 10_i128.pow(zeros);
        Some(Self {
            units: if is_negative { -units } else { units },
            decimals: u32::try_from(decimals).unwrap_or(0),
        })
    }

    /// Returns the sum.
    pub fn sum<'a>(numbers: impl Iterator<Item = &'a Self> + Clone) -> Self {
        let decimals = numbers.clone().map(|number| number.decimals).max().unwrap_or_default();
        let units = numbers.map(|number| number.at(decimals)).sum();
        Self { units, decimals }.without_zeros()
    }

    /// Returns the number divided by a positive count, rounded half away from zero.
    pub fn divided_by(self, count: usize) -> Self {
        let decimals = self.decimals + MEAN_DECIMALS;
        let (units, count) = (self.at(decimals), count.max(1) as i128);
        let rounded = (2 * units.abs() + count) / (2 * count) * units.signum();
        Self { units: rounded, decimals }.without_zeros()
    }

    pub fn to_f64(self) -> f64 {
        self.units as f64 / 10_f64.powi(self.decimals as i32)
    }

    /// Returns the units with more decimals.
    const fn at(self, decimals: u32) -> i128 {
        self.units * 10_i128.pow(decimals - self.decimals)
    }

    /// Returns the same number without zeros at the end of its decimals.
    pub const fn without_zeros(mut self) -> Self {
        while self.decimals > 0 && self.units % 10 == 0 {
            self.units /= 10;
            self.decimals -= 1;
        }
        self
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.units < 0 { "-" } else { "" };
        let divisor = 10_u128.pow(self.decimals);
        let (whole, fraction) = (self.units.unsigned_abs() / divisor, self.units.unsigned_abs() % divisor);
        match self.decimals as usize {
            0 => write!(f, "{sign}{whole}"),
            width => write!(f, "{sign}{whole}.{fraction:0width$}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_means_are_exact() {
        let numbers = ["1", "2", "30"].map(|fraction| Decimal::of_digits(false, "0", fraction, 0).unwrap());
        let sum = Decimal::sum(numbers.iter());
        assert_eq!((sum.to_string(), sum.divided_by(3).to_string()), ("0.6".to_owned(), "0.2".to_owned()));
        let mean = |units: i128, count| Decimal { units, decimals: 0 }.divided_by(count).to_string();
        assert_eq!(
            (mean(10, 3), mean(-20, 3), mean(0, 3)),
            ("3.33".to_owned(), "-6.67".to_owned(), "0".to_owned())
        );
        let most = vec![Decimal { units: 999_999_999_999_999, decimals: 0 }; 5_000];
        let least = Decimal { units: 1, decimals: 15 };
        assert!(Decimal::sum(most.iter().chain([&least])).to_string().ends_with(".000000000000001"));
    }
}
