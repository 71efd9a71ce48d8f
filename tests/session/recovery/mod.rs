//! Work of the alarm, and rebuilds.

mod agenda;
mod rebuild;
mod renew;
mod retention;
pub mod retention_oracle;
mod retry_alarm;
mod sweep;
