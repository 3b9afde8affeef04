// SPDX-License-Identifier: GPL-2.0
//! Random expressions over all integer types. The record of the compiled code must equal the result
//! of D's rules, which an evaluator here computes: operators work on 64 bits, signed by C's
//! conversions; casts and records cut. Each expression is tested twice: with variables (the
//! compiler makes code) and with constants (the compiler computes).

mod common;

use common::Rng;

use common::{compile, fire, Datum, Host};

const TYPES: [(&str, u32, bool); 8] = [
    ("int8_t", 1, true),
    ("uint8_t", 1, false),
    ("int16_t", 2, true),
    ("uint16_t", 2, false),
    ("int", 4, true),
    ("uint32_t", 4, false),
    ("int64_t", 8, true),
    ("uint64_t", 8, false),
];
const BINARY: [&str; 18] = [
    "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&",
    "||",
];
const EDGES: [i128; 12] =
    [0, 1, 2, 7, 31, 63, 127, 128, 0x7fff_ffff, 0x8000_0000, i64::MAX as i128, u64::MAX as i128];

/// Bytes and signedness.
type Ty = (u32, bool);

enum Node {
    Leaf(usize, i128),
    Binary(usize, Box<Node>, Box<Node>),
    Unary(char, Box<Node>),
    Cast(usize, Box<Node>),
    Cond(Box<Node>, Box<Node>, Box<Node>),
}

fn wrap(v: i128, (size, signed): Ty) -> i128 {
    let bits = size * 8;
    let low = v & ((1 << bits) - 1);
    if signed && low >> (bits - 1) == 1 {
        low - (1 << bits)
    } else {
        low
    }
}

fn promote((size, signed): Ty) -> Ty {
    if size < 4 {
        (4, true)
    } else {
        (size, signed)
    }
}

fn common_type(a: Ty, b: Ty) -> Ty {
    let (a, b) = (promote(a), promote(b));
    if a.0 != b.0 {
        if a.0 > b.0 {
            a
        } else {
            b
        }
    } else {
        (a.0, a.1 && b.1)
    }
}

impl Node {
    fn random(rng: &mut Rng, depth: u32) -> Node {
        if depth == 0 || rng.below(6) == 0 {
            let ty = rng.below(TYPES.len());
            let v = EDGES[rng.below(EDGES.len())] * if rng.below(2) == 0 { 1 } else { -1 };
            return Node::Leaf(ty, wrap(v, (TYPES[ty].1, TYPES[ty].2)));
        }
        let sub = |rng: &mut Rng| Box::new(Node::random(rng, depth - 1));
        match rng.below(12) {
            0 => Node::Unary(['-', '~', '!', '+'][rng.below(4)], sub(rng)),
            1 => Node::Cast(rng.below(TYPES.len()), sub(rng)),
            2 => Node::Cond(sub(rng), sub(rng), sub(rng)),
            _ => Node::Binary(rng.below(BINARY.len()), sub(rng), sub(rng)),
        }
    }

    fn ty(&self) -> Ty {
        match self {
            Node::Leaf(t, _) | Node::Cast(t, _) => (TYPES[*t].1, TYPES[*t].2),
            Node::Unary('!', _) => (4, true),
            Node::Unary(_, a) => promote(a.ty()),
            Node::Cond(_, a, b) => common_type(a.ty(), b.ty()),
            Node::Binary(op, a, b) => match BINARY[*op] {
                "<<" | ">>" => promote(a.ty()),
                "<" | "<=" | ">" | ">=" | "==" | "!=" | "&&" | "||" => (4, true),
                _ => common_type(a.ty(), b.ty()),
            },
        }
    }

    /// Evaluates the tree; `None` is a division by zero.
    fn eval(&self) -> Option<i64> {
        Some(match self {
            Node::Leaf(_, v) => *v as i64,
            Node::Cast(t, a) => {
                let (from, to) = (a.ty(), (TYPES[*t].1, TYPES[*t].2));
                let v = i128::from(a.eval()?);
                // A smaller signed type contributes only its own bits.
                let v = if to.0 > from.0 && from.1 { wrap(v, from) } else { v };
                wrap(v, to) as i64
            }
            Node::Unary('-', a) => a.eval()?.wrapping_neg(),
            Node::Unary('~', a) => !a.eval()?,
            Node::Unary('!', a) => (a.eval()? == 0).into(),
            Node::Unary(_, a) => a.eval()?,
            Node::Cond(c, a, b) => {
                if c.eval()? != 0 {
                    a.eval()?
                } else {
                    b.eval()?
                }
            }
            Node::Binary(op, a, b) => {
                let op = BINARY[*op];
                let x = a.eval();
                match (op, x) {
                    ("&&", Some(0)) => return Some(0),
                    ("||", Some(n)) if n != 0 => return Some(1),
                    _ => {}
                }
                let (x, y) = (x?, b.eval()?);
                let signed = match op {
                    "<<" | ">>" => promote(a.ty()).1,
                    _ => common_type(a.ty(), b.ty()).1,
                };
                let (ux, uy) = (x as u64, y as u64);
                let order = if signed { x.cmp(&y) } else { ux.cmp(&uy) };
                match op {
                    "+" => x.wrapping_add(y),
                    "-" => x.wrapping_sub(y),
                    "*" => x.wrapping_mul(y),
                    "/" | "%" if y == 0 => return None,
                    "/" if signed => x.wrapping_div(y),
                    "/" => (ux / uy) as i64,
                    "%" if signed => x.wrapping_rem(y),
                    "%" => (ux % uy) as i64,
                    "<<" => x << (y & 63),
                    ">>" if signed => x >> (y & 63),
                    ">>" => (ux >> (y & 63)) as i64,
                    "&" => x & y,
                    "|" => x | y,
                    "^" => x ^ y,
                    "<" => order.is_lt().into(),
                    "<=" => order.is_le().into(),
                    ">" => order.is_gt().into(),
                    ">=" => order.is_ge().into(),
                    "==" => (x == y).into(),
                    "!=" => (x != y).into(),
                    _ => (y != 0).into(),
                }
            }
        })
    }

    /// Writes the text. Leaves become constants or, with `vars`, variables v0, v1 .. that are added
    /// to it.
    fn write(&self, out: &mut String, vars: &mut Option<Vec<(usize, i128)>>) {
        match self {
            Node::Leaf(t, v) => match vars {
                Some(list) => {
                    out.push_str(&format!("v{}", list.len()));
                    list.push((*t, *v));
                }
                None => out.push_str(&format!("({}){}", TYPES[*t].0, constant(*v))),
            },
            Node::Cast(t, a) => {
                out.push_str(&format!("({})", TYPES[*t].0));
                a.brackets(out, vars);
            }
            Node::Unary(op, a) => {
                out.push(*op);
                a.brackets(out, vars);
            }
            Node::Binary(op, a, b) => {
                a.brackets(out, vars);
                out.push_str(&format!(" {} ", BINARY[*op]));
                b.brackets(out, vars);
            }
            Node::Cond(c, a, b) => {
                c.brackets(out, vars);
                out.push_str(" ? ");
                a.brackets(out, vars);
                out.push_str(" : ");
                b.brackets(out, vars);
            }
        }
    }

    fn brackets(&self, out: &mut String, vars: &mut Option<Vec<(usize, i128)>>) {
        out.push('(');
        self.write(out, vars);
        out.push(')');
    }
}

/// Writes a number so that D reads it correctly; the least number has no literal.
fn constant(v: i128) -> String {
    if v < 0 {
        format!("({} - 1)", v + 1)
    } else {
        v.to_string()
    }
}

fn check(program: &str, node: &Node) -> bool {
    let (_, c) = compile(program);
    let Some(p) = c.program else {
        let tags: Vec<_> = c.diagnostics.iter().map(|d| d.tag.name()).collect();
        assert!(tags.iter().all(|t| *t == "D_DIV_ZERO"), "{program}\n{:?}", c.diagnostics);
        return false;
    };
    let data = fire(&d::dof::write(&p, &[]), &mut Host::new());
    let want = match node.eval() {
        Some(v) => Datum::Int(wrap(v.into(), (node.ty().0, true)) as i64),
        None => Datum::Fault(abi::fault::FaultKind::DivZero),
    };
    assert_eq!(data, [want], "{program}");
    true
}

#[test]
fn code_and_compiler_compute_what_d_says() {
    let mut rng = Rng(0x9e37_79b9_7f4a_7c15);
    let (mut ran, mut folded) = (0, 0);
    for _ in 0..1200 {
        let node = Node::random(&mut rng, 4);
        let mut vars = Some(Vec::new());
        let mut text = String::new();
        node.write(&mut text, &mut vars);
        let (mut declare, mut assign) = (String::new(), String::new());
        for (i, (t, v)) in vars.unwrap_or_default().into_iter().enumerate() {
            declare.push_str(&format!("{} v{i}; ", TYPES[t].0));
            assign.push_str(&format!("v{i} = {}; ", constant(v)));
        }
        ran += i32::from(check(&format!("{declare} BEGIN {{ {assign} trace({text}); }}"), &node));
        let mut text = String::new();
        node.write(&mut text, &mut None);
        folded += i32::from(check(&format!("BEGIN {{ trace({text}); }}"), &node));
    }
    assert!(ran > 1150 && folded > 600, "{ran} {folded}");
}
