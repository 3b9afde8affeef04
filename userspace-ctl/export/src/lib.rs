// SPDX-License-Identifier: GPL-2.0
//! Recordings in the forms of other tools: profiles for `go tool pprof`, timelines for Perfetto,
//! metrics for Prometheus and OpenTelemetry. Each form is a function of a [`recording::Recording`]
//! or of its aggregations.

#![forbid(unsafe_code)]
#![warn(clippy::too_many_lines)]
// They panic if the stream is closed or its disk is full.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]
#![warn(missing_docs)]

mod containers;
mod gzip;
mod keys;
pub mod live;
mod lookup;
mod messages;
pub mod metrics;
mod otlp;
mod patience;
pub mod perfetto;
pub mod pprof;
mod profiles;
mod serve;
mod source;
mod wire;
