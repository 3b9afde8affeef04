// SPDX-License-Identifier: GPL-2.0
//! Prints times: `%Y` and `%T` convert nanoseconds since the epoch to local time.

use crate::sys::{local_time, LocalTime};

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/// `%Y`: `2026 Nov 20 13:37:00`.
pub fn date(ns: u64) -> String {
    local_time((ns / 1_000_000_000) as i64).map_or_else(String::new, |t| format_date(&t))
}

/// `%T`: `Fri, 20 Nov 2026 13:37:00 UTC`, as in mail headers.
pub fn mail_date(ns: u64) -> String {
    local_time((ns / 1_000_000_000) as i64).map_or_else(String::new, |t| format_mail_date(&t))
}

fn format_date(t: &LocalTime) -> String {
    let (h, m, s) = t.clock;
    let month = MONTHS.get(t.month).unwrap_or(&"???");
    format!("{} {month} {:2} {h:02}:{m:02}:{s:02}", t.year, t.day)
}

fn format_mail_date(t: &LocalTime) -> String {
    let (h, m, s) = t.clock;
    let month = MONTHS.get(t.month).unwrap_or(&"???");
    let day = DAYS.get(t.weekday).unwrap_or(&"???");
    format!("{day}, {:02} {month} {} {h:02}:{m:02}:{s:02} {}", t.day, t.year, t.zone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let t = LocalTime {
            year: 2026,
            month: 10,
            day: 5,
            weekday: 4,
            clock: (3, 7, 9),
            zone: "UTC".into(),
        };
        assert_eq!(format_date(&t), "2026 Nov  5 03:07:09");
        assert_eq!(format_mail_date(&t), "Thu, 05 Nov 2026 03:07:09 UTC");
    }
}
