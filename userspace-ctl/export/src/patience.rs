// SPDX-License-Identifier: GPL-2.0
//! Reads and writes with a deadline for all of them. The other side may be hostile: a limit for
//! each read alone would let it send one byte after the other for hours.

use std::io::{Error, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Returns the remaining time, or an error.
pub fn left(end: Instant) -> Result<Duration, Error> {
    let left = end.saturating_duration_since(Instant::now());
    match left.is_zero() {
        true => Err(ErrorKind::TimedOut.into()),
        false => Ok(left),
    }
}

/// Reads some bytes; none means that the other side has ended.
pub fn read(from: &mut TcpStream, some: &mut [u8], end: Instant) -> Result<usize, Error> {
    from.set_read_timeout(Some(left(end)?))?;
    from.read(some)
}

/// Writes all bytes, as long as there is time.
pub fn write(to: &mut TcpStream, mut bytes: &[u8], end: Instant) -> Result<(), Error> {
    while !bytes.is_empty() {
        to.set_write_timeout(Some(left(end)?))?;
        let n = to.write(bytes)?;
        if n == 0 {
            return Err(ErrorKind::WriteZero.into());
        }
        bytes = bytes.get(n..).unwrap_or_default();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn a_deadline_ends_reads_and_writes() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut server, _) = listener.accept().unwrap();
        server.write_all(b"answer").unwrap();
        let (now, later) = (Instant::now(), Instant::now() + Duration::from_secs(3600));
        let mut some = [0; 3];
        assert_eq!(read(&mut client, &mut some, later).unwrap(), 3);
        // There is more to read, and room to write, but no time.
        let late = |e: Error| assert_eq!(e.kind(), ErrorKind::TimedOut);
        late(read(&mut client, &mut some, now).unwrap_err());
        late(write(&mut client, b"x", now).unwrap_err());
        write(&mut client, b"x", later).unwrap();
    }
}
