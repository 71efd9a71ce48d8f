//! Random texts, and random edits of them.

/// Numbers that follow from a seed.
pub struct Dice(pub u64);

impl Dice {
    fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`, or 0.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end.max(1) as u64).unwrap()
    }

    /// Whether one of so many rolls hits.
    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

type Lines = Vec<Vec<u8>>;

/// Makes the lines of one case, in its own style.
pub struct Texts {
    pub dice: Dice,
    /// How many different lines there are. With few, changes can go in many places.
    words: usize,
    crlf: bool,
}

impl Texts {
    pub fn new(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let words = dice.pick(&[2, 4, 12, 40, 1_000, 1_000_000]);
        let crlf = dice.one_in(5);
        Self { dice, words, crlf }
    }

    pub fn line(&mut self) -> Vec<u8> {
        let end = match self.dice.below(60) {
            0 => "\r\n",
            1 => "\n",
            _ if self.crlf => "\r\n",
            _ => "\n",
        };
        let indent = " ".repeat(4 * self.dice.below(4));
        let text = match self.dice.below(12) {
            0..2 => String::new(),
            2 => "}".to_owned(),
            3 => format!("{indent}}}"),
            4 => "\t--".to_owned(),
            5..8 => format!("{indent}word {}", self.dice.below(self.words)),
            _ => format!("word {}", self.dice.below(self.words)),
        };
        let mut line = text.into_bytes();
        if self.dice.one_in(100) {
            line.extend([0xff, 0xc3, 0x1b, b'"']);
        }
        line.extend(end.bytes());
        line
    }

    pub fn lines(&mut self, count: usize) -> Lines {
        (0..count).map(|_| self.line()).collect()
    }

    /// A text to start from, sometimes empty, sometimes long.
    pub fn base(&mut self) -> Lines {
        let most = self.dice.pick(&[0, 3, 10, 30, 60, 60, 200, 1_500]);
        let count = self.dice.below(most + 1);
        self.lines(count)
    }

    /// Changes lines, near `near` or anywhere.
    pub fn edit(&mut self, lines: &mut Lines, near: usize) {
        let at = match self.dice.below(3) {
            0 => self.dice.below(lines.len() + 1),
            1 => near.min(lines.len()),
            _ => (near + self.dice.below(7)).saturating_sub(3).min(lines.len()),
        };
        let len = self.dice.pick(&[0, 1, 1, 2, 3, 8]).min(lines.len() - at);
        let count = self.dice.pick(&[0, 1, 1, 2, 3, 8]);
        match self.dice.below(7) {
            // A move.
            0 => {
                let moved: Lines = lines.drain(at..at + len).collect();
                let to = self.dice.below(lines.len() + 1);
                lines.splice(to..to, moved);
            }
            // A copy.
            1 => {
                let copied = lines[at..at + len].to_vec();
                let to = self.dice.below(lines.len() + 1);
                lines.splice(to..to, copied);
            }
            2 => drop(lines.splice(at..at, self.lines(count))),
            3 => drop(lines.drain(at..at + len)),
            _ => drop(lines.splice(at..at + len, self.lines(count))),
        }
    }

    /// Makes another text of it.
    pub fn edited(&mut self, base: &Lines, near: usize) -> Lines {
        let mut lines = base.clone();
        for _ in 0..self.dice.pick(&[0, 1, 1, 2, 2, 3, 5, 12]) {
            self.edit(&mut lines, near);
        }
        if self.dice.one_in(25) {
            for line in &mut lines {
                line.retain(|byte| *byte != b'\r');
            }
        }
        lines
    }

    /// The bytes, sometimes without the last line's end.
    pub fn bytes(&mut self, lines: &Lines) -> Vec<u8> {
        let mut bytes = lines.concat();
        if self.dice.one_in(6) && bytes.ends_with(b"\n") {
            bytes.pop();
            if self.dice.one_in(2) && bytes.ends_with(b"\r") {
                bytes.pop();
            }
        }
        bytes
    }

    /// A base and what two sides made of it, some edits being the same.
    pub fn three(&mut self) -> [Vec<u8>; 3] {
        let base = self.base();
        let near = self.dice.below(base.len() + 1);
        let both = if self.dice.one_in(3) { self.edited(&base, near) } else { base.clone() };
        let (ours, theirs) = (self.edited(&both, near), self.edited(&both, near));
        let base = if self.dice.one_in(20) { Vec::new() } else { base };
        [base, ours, theirs].map(|lines| self.bytes(&lines))
    }
}
