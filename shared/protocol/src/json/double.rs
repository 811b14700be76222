//! Numbers from and to binary doubles (IEEE 754 binary64), without a loss that nobody sees.

use super::{Number, number::places};

impl Number {
    /// The shortest decimal that reads back as this double, as ECMAScript and RFC 8785 print it.
    /// `None` for infinities, NaN, and magnitudes outside 10^±308.
    #[must_use]
    pub fn from_f64(double: f64) -> Option<Self> {
        let shortest = shortest(double);
        // Of two shortest forms that are equally near, RFC 8785 (appendix B, "round to even") takes the even one, which is how Rust
        // rounds to a given number of digits but not always what it prints as the shortest form.
        let places = shortest
            .split('e')
            .next()?
            .bytes()
            .filter(u8::is_ascii_digit)
            .count();
        let even = format!("{double:.*e}", places.saturating_sub(1));
        let chosen = if even.parse() == Ok(double) {
            even
        } else {
            shortest
        };
        // Infinities and NaN are written as words, which are no numbers here.
        chosen.parse().ok()
    }

    /// The double that stands for this number without a doubt: the number is exactly representable, or it is a shortest form of that
    /// double (as `0.1` is). `None` for anything else, such as 2^53 + 1, which as a double would be another number.
    #[must_use]
    pub fn to_f64_exact(&self) -> Option<f64> {
        let nearest: f64 = self.to_string().parse().ok()?;
        let is_shortest_form = || {
            // Also the uneven one of two that are equally near: some languages print that.
            Self::from_f64(nearest).as_ref() == Some(self)
                || shortest(nearest).parse().as_ref() == Ok(self)
        };
        (is_shortest_form() || self.is_exactly(nearest)).then_some(nearest)
    }

    /// Whether the value is that of `nearest`, the double nearest to it, to the last digit.
    fn is_exactly(&self, nearest: f64) -> bool {
        // A value D × 10^q with D < 10^64 can be a double only for -91 ≤ q ≤ 22: below, 5^-q does not divide D; above, 5^q needs
        // more than 53 bits. An equal double is then a multiple of 2^-91 below 10^86. Such a double m × 2^e with m < 2^53 has
        // under 100 significant digits (those of m × 5^-e where e < 0), so that 100 digits show it whole, not rounded.
        const TWO_TO_91: f64 = 2_475_880_078_570_760_549_798_248_448.0;
        let power = self.point - places(&self.digits);
        (-91..=22).contains(&power)
            && (nearest * TWO_TO_91).fract() == 0.0
            && format!("{nearest:.99e}").parse().as_ref() == Ok(self)
    }
}

/// A shortest text that reads back as this double, one of the nearest to it.
fn shortest(double: f64) -> String {
    format!("{double:e}")
}
