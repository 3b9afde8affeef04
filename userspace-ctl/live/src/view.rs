// SPDX-License-Identifier: GPL-2.0
//! The thread that owns the terminal: it reads keys, draws, and restores the terminal in all cases.

use crate::capture::{give_back, Capture};
use crate::draw::draw;
use crate::look::Look;
use crate::model::{Kind, Model};
use crate::ui::{Form, Ui, Wish};
use crossterm::event::{self, Event, KeyEventKind};
use crossterm::terminal::{
    disable_raw_mode, enable_raw_mode, EnterAlternateScreen, LeaveAlternateScreen,
};
use crossterm::{cursor, execute};
use ratatui::backend::CrosstermBackend;
use ratatui::Terminal;
use recording::{Aggregation, Line, Recording};
use rustix::event::{poll, PollFd, PollFlags};
use rustix::io::Errno;
use rustix::time::{clock_gettime, ClockId, Timespec};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGTSTP};
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, stdout, Write};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Makes a file of this form from the data that the view has kept; the aggregation is the shown
/// one. The error is a sentence.
pub type Save = fn(&Recording, Form, Option<&Aggregation>) -> Result<Vec<u8>, String>;

/// How long the thread sleeps if nothing happens.
const NAP: Duration = Duration::from_millis(100);
/// How long a lost terminal's signal may take, and the thread when the session has ended.
const PATIENCE: Duration = Duration::from_secs(2);
/// The time over which the shown CPU use of dtrace is measured.
const COST: Duration = Duration::from_secs(2);

/// Tells whether we have the terminal.
static HAS_TERMINAL: AtomicBool = AtomicBool::new(false);

/// The data of a view, which the session changes and the view's thread draws.
#[derive(Debug, Clone, Default)]
pub struct Shared(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    model: Mutex<Model>,
    has_changed: AtomicBool,
    must_end: AtomicBool,
}

impl Shared {
    /// Changes the data.
    pub fn change(&self, how: impl FnOnce(&mut Model)) {
        self.with(how);
        self.0.has_changed.store(true, Ordering::Release);
    }

    /// Works with the data.
    pub fn with<T>(&self, how: impl FnOnce(&mut Model) -> T) -> T {
        how(&mut self.0.model.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A view. Clones share it.
#[derive(Debug, Clone)]
pub struct View {
    shared: Shared,
    look: Look,
    save: Save,
    running: Rc<RefCell<Running>>,
}

#[derive(Debug, Default)]
struct Running {
    capture: Option<Capture>,
    thread: Option<JoinHandle<()>>,
}

impl View {
    /// Makes a view that does not have the terminal yet.
    pub fn new(look: Look, save: Save) -> io::Result<Self> {
        let shared = Shared::default();
        let capture = Some(Capture::new(shared.clone())?);
        let running = Rc::new(RefCell::new(Running { capture, thread: None }));
        Ok(Self { shared, look, save, running })
    }

    /// Takes a line of the stream.
    pub fn take(&self, line: Line) {
        self.shared.change(|model| model.take(line));
    }

    /// Returns a file for a command's output, which becomes lines of the view.
    pub fn entry(&self) -> io::Result<Option<File>> {
        self.running.borrow().capture.as_ref().map(Capture::entry).transpose()
    }

    /// Takes the terminal and standard error. From here on keys and signals end the session like
    /// SIGINT.
    pub fn start(&self) -> io::Result<()> {
        restore_in_panics();
        let was_asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, was_asked.clone())?;
        }
        let mut running = self.running.borrow_mut();
        if let Some(capture) = &running.capture {
            capture.take()?;
        }
        enter()?;
        let (shared, look, save) = (self.shared.clone(), self.look, self.save);
        let thread = std::thread::Builder::new().name("view".into()).spawn(move || {
            let result = Screen::new(shared, look, save).run(&was_asked);
            leave();
            // Nobody can see the view any more. If the kernel has sent SIGHUP, the session ends in
            // order; a second signal would end it at once.
            if result.is_err() && !comes_true(|| was_asked.load(Ordering::Acquire)) {
                let _ = signal_hook::low_level::raise(SIGTERM);
            }
        });
        running.thread = Some(thread.inspect_err(|_| leave())?);
        Ok(())
    }

    /// Restores terminal and standard error; returns the lines that the view has kept, and the
    /// number of lines of the program's text that it has dropped. A second call returns none.
    pub fn end(&self) -> (Vec<(Kind, String)>, u64) {
        self.shared.0.must_end.store(true, Ordering::Release);
        let mut running = self.running.borrow_mut();
        if let Some(thread) = running.thread.take() {
            // A thread that hangs at a lost terminal ends with the process.
            if comes_true(|| thread.is_finished()) {
                let _ = thread.join();
            }
        }
        if let Some(mut capture) = running.capture.take() {
            capture.end();
        }
        self.shared.with(|model| {
            let lines = model.all_lines().map(|(kind, line)| (kind, line.into())).collect();
            let lost = model.lost_lines;
            *model = Model::default();
            (lines, lost)
        })
    }
}

/// The state of the view's thread.
struct Screen {
    shared: Shared,
    ui: Ui,
    look: Look,
    save: Save,
    /// The time of the last measurement, and the CPU time that the process had used then.
    cost: (Instant, Duration),
}

impl Screen {
    fn new(shared: Shared, look: Look, save: Save) -> Self {
        Self { shared, ui: Ui::new(), look, save, cost: (Instant::now(), used()) }
    }

    fn run(&mut self, was_asked: &AtomicBool) -> io::Result<()> {
        let mut terminal = Terminal::new(CrosstermBackend::new(stdout()))?;
        terminal.clear()?;
        let mut must_draw = true;
        let is_over = |shared: &Shared| {
            [was_asked, &shared.0.must_end].iter().any(|f| f.load(Ordering::Acquire))
        };
        while !is_over(&self.shared) {
            must_draw |= self.shared.0.has_changed.swap(false, Ordering::AcqRel);
            must_draw |= self.look_at_cost();
            if std::mem::take(&mut must_draw) {
                let (shared, ui, look) = (&self.shared, &mut self.ui, self.look);
                terminal.draw(|frame| {
                    shared.with(|model| draw(frame.buffer_mut(), model, ui, look));
                })?;
            }
            if has_event()? {
                must_draw = true;
                // Another event matters only if the size has changed, and drawing asks the
                // terminal for its size.
                if let Event::Key(key) = event::read()? {
                    if key.kind != KeyEventKind::Release {
                        let ui = &mut self.ui;
                        let wish = self.shared.with(|model| ui.key(key, model));
                        if self.grant(wish, &mut terminal)? {
                            return Ok(());
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Does what a key asked for; returns whether that ends the view.
    fn grant(
        &mut self,
        wish: Option<Wish>,
        terminal: &mut Terminal<impl ratatui::backend::Backend>,
    ) -> io::Result<bool> {
        match wish {
            None => {}
            Some(Wish::Quit) => {
                // The terminal is restored before the session ends, so that a second ^C is a
                // signal.
                leave();
                signal_hook::low_level::raise(SIGINT)?;
                return Ok(true);
            }
            Some(Wish::Clear) => self.shared.with(Model::clear),
            Some(Wish::Save(form)) => self.ui.message = Some(self.write(form)),
            Some(Wish::Suspend) => {
                leave();
                signal_hook::low_level::raise(SIGTSTP)?;
                enter()?;
                terminal.clear()?;
            }
            Some(Wish::Redraw) => terminal.clear()?,
        }
        Ok(false)
    }

    /// Writes a file; returns a message.
    fn write(&self, form: Form) -> String {
        let of =
            |model: &Model| (model.recording(), self.ui.shown(model).map(|t| t.latest.clone()));
        let (recording, shown) = match &self.ui.paused {
            Some(paused) => of(paused),
            None => self.shared.with(|model| of(model)),
        };
        let ending = match form {
            Form::Json => "json",
            Form::Svg => "svg",
            Form::Html => "html",
        };
        let made = (self.save)(&recording, form, shown.as_ref());
        let written = made.and_then(|content| {
            create(ending)
                .and_then(|(name, mut file)| file.write_all(&content).map(|()| name))
                .map_err(|e| format!("The file could not be written: {e}."))
        });
        match written {
            Ok(name) => format!("Wrote {name}."),
            Err(why) => why,
        }
    }

    /// Measures the cost; returns whether it has changed.
    fn look_at_cost(&mut self) -> bool {
        let (begin, before) = self.cost;
        let time = begin.elapsed();
        if time < COST {
            return false;
        }
        let now = used();
        let share = now.saturating_sub(before).as_secs_f64() / time.as_secs_f64();
        self.cost = (Instant::now(), now);
        let before = self.ui.cost.replace(100.0 * share);
        before.is_none_or(|b| (b - 100.0 * share).abs() >= 0.05)
    }
}

/// Waits for a key or another event, for `NAP` at most.
fn has_event() -> io::Result<bool> {
    // Several keys may have come at once.
    wait(Duration::ZERO)?;
    if event::poll(Duration::ZERO)? {
        return Ok(true);
    }
    wait(NAP)?;
    event::poll(Duration::ZERO)
}

/// Waits for input. A lost terminal is an error: crossterm would read from it for ever.
fn wait(time: Duration) -> io::Result<()> {
    let output = stdout();
    let mut terminal = [PollFd::new(&output, PollFlags::IN)];
    let time = Timespec::try_from(time).map_err(io::Error::other)?;
    match poll(&mut terminal, Some(&time)) {
        Err(Errno::INTR) => return Ok(()),
        polled => polled?,
    };
    let lost = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
    match terminal.iter().any(|t| t.revents().intersects(lost)) {
        true => Err(io::ErrorKind::BrokenPipe.into()),
        false => Ok(()),
    }
}

/// Tells whether a condition comes true within `PATIENCE`.
fn comes_true(condition: impl Fn() -> bool) -> bool {
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    condition()
}

/// Returns the CPU time that this process has used.
fn used() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Creates a new file in the current folder.
fn create(ending: &str) -> io::Result<(String, File)> {
    for n in 1.. {
        let name = format!("dtrace-{n}.{ending}");
        match File::create_new(&name) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            created => return created.map(|file| (name, file)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    HAS_TERMINAL.store(true, Ordering::Release);
    execute!(stdout(), EnterAlternateScreen, cursor::Hide).inspect_err(|_| leave())
}

/// Restores the terminal, if we have it.
fn leave() {
    if HAS_TERMINAL.swap(false, Ordering::AcqRel) {
        let _ = execute!(stdout(), cursor::Show, LeaveAlternateScreen);
        let _ = disable_raw_mode();
    }
}

/// Restores the terminal before a panic, so that its message is readable.
fn restore_in_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            leave();
            give_back();
            before(info);
        }));
    });
}
