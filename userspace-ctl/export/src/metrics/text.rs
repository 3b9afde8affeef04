// SPDX-License-Identifier: GPL-2.0
//! OpenMetrics, and the older text that node_exporter reads too.

use super::family::{Family, Kind, Labels, Series};
use std::fmt::Write;
use std::sync::Arc;

/// The dialect of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Prometheus' own format, 0.0.4.
    Prometheus,
    /// OpenMetrics 1.0.
    OpenMetrics,
}

/// Writes all families.
pub fn write(families: &[Arc<Family>], dialect: Dialect) -> Vec<u8> {
    let is_open = dialect == Dialect::OpenMetrics;
    let mut out = String::new();
    for family in families.iter().filter(|f| !f.series.is_empty()) {
        let (ty, suffix) = match family.kind {
            Kind::Counter => ("counter", "_total"),
            Kind::Gauge => ("gauge", ""),
            Kind::Histogram | Kind::Powers => ("histogram", ""),
        };
        let name = &family.name;
        // Only in the older format does the suffix belong to the name.
        let title = format!("{name}{}", if is_open { "" } else { suffix });
        if !family.help.is_empty() {
            let _ = writeln!(out, "# HELP {title} {}", family.help);
        }
        let _ = writeln!(out, "# TYPE {title} {ty}");
        let bounds = family.bounds();
        for (labels, series) in &family.series {
            match family.kind {
                Kind::Counter | Kind::Gauge => {
                    sample(&mut out, &format!("{name}{suffix}"), labels, None, series.number());
                }
                Kind::Histogram | Kind::Powers => {
                    histogram(&mut out, name, labels, series, &bounds, is_open);
                }
            }
        }
    }
    if is_open {
        out.push_str("# EOF\n");
    }
    out.into_bytes()
}

/// Writes the counts up to each bound. There is no sum, because a distribution does not know it.
fn histogram(
    out: &mut String,
    name: &str,
    labels: &Labels,
    series: &Series,
    bounds: &[i64],
    is_open: bool,
) {
    let bucket = format!("{name}_bucket");
    for (bound, count) in cumulative(series, bounds) {
        let le = if is_open { format!("{bound}.0") } else { bound.to_string() };
        sample(out, &bucket, labels, Some(&le), count);
    }
    sample(out, &bucket, labels, Some("+Inf"), series.count());
    sample(out, &format!("{name}_count"), labels, None, series.count());
}

/// Returns the number of values up to each bound.
pub fn cumulative(series: &Series, bounds: &[i64]) -> Vec<(i64, i128)> {
    let mut buckets = series.buckets().peekable();
    let mut sum = 0;
    let mut all = Vec::new();
    for bound in bounds {
        while let Some((_, count)) = buckets.next_if(|((_, high), _)| high <= bound) {
            sum += count;
        }
        all.push((*bound, sum));
    }
    all
}

fn sample(out: &mut String, name: &str, labels: &Labels, le: Option<&str>, value: i128) {
    out.push_str(name);
    let le = le.map(|le| ("le", le));
    let own = labels.iter().map(|(k, v)| (k.as_str(), v.as_str()));
    let mut separator = '{';
    for (key, value) in own.chain(le) {
        let _ = write!(out, "{separator}{key}=\"");
        for c in value.chars() {
            match c {
                '\\' => out.push_str("\\\\"),
                '"' => out.push_str("\\\""),
                '\n' => out.push_str("\\n"),
                c => out.push(c),
            }
        }
        out.push('"');
        separator = ',';
    }
    if separator == ',' {
        out.push('}');
    }
    let _ = writeln!(out, " {value}");
}
