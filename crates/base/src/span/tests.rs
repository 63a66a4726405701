//! Tests of the source map with examples, and of its tail with random entries.

use super::*;

/// `a=3Db=\nc` as quoted-printable: `a=bc`.
fn sample() -> SourceMap {
    let mut map = SourceMap::new(7);
    map.copy(100, 1);
    map.seam(SeamKind::QpByte, Span::new(101, 104), 1, 0);
    map.copy(104, 1);
    map.seam(SeamKind::SoftBreak, Span::new(105, 107), 0, 1);
    map.copy(107, 1);
    map
}

#[test]
fn maps_through_seams() {
    let map = sample();
    let (mut segments, mut seams) = (vec![], vec![]);
    assert!(map.map(Span::new(0, 4), 0, &mut segments, &mut seams));
    assert_eq!(
        segments,
        [
            Span::new(100, 101),
            Span::new(104, 105),
            Span::new(107, 108)
        ]
    );
    assert_eq!(
        seams,
        [
            Seam {
                kind: SeamKind::QpByte,
                span: Span::new(101, 104),
                at: 1,
                len: 1
            },
            Seam {
                kind: SeamKind::SoftBreak,
                span: Span::new(105, 107),
                at: 3,
                len: 0
            },
        ]
    );
    assert_eq!(map.line_delta(0), Some(6));
    assert_eq!(map.line_delta(3), Some(7));
}

#[test]
fn a_span_with_a_hole_has_no_place() {
    // Bytes 2 to 4 of the source are an escape sequence, which is not
    // text.
    let mut map = SourceMap::new(1);
    map.copy(0, 2);
    map.copy(5, 2);
    let (mut segments, mut seams) = (vec![], vec![]);
    assert!(!map.compose(&[Span::new(0, 4)], &[], &mut segments, &mut seams));
    assert!(segments.is_empty() && seams.is_empty());
    assert!(map.compose(&[Span::new(2, 4)], &[], &mut segments, &mut seams));
    let joint = Seam {
        kind: SeamKind::Space,
        span: Span::new(1, 3),
        at: 1,
        len: 0,
    };
    let pieces = [Span::new(0, 1), Span::new(3, 4)];
    assert!(!map.compose(&pieces, &[joint], &mut segments, &mut seams));
}

#[test]
fn leaves_out_seams_at_the_edges() {
    let map = sample();
    let (mut segments, mut seams) = (vec![], vec![]);
    assert!(map.map(Span::new(2, 3), 0, &mut segments, &mut seams));
    assert_eq!(segments, [Span::new(104, 105)]);
    assert_eq!(seams, []);
    assert_eq!(map.extent(Span::new(1, 4)), Some(Span::new(101, 108)));
}

#[test]
fn composes_two_maps_without_a_gap() {
    // The source is `ab=\n`, ` \n`, `=3D` and `c`. The text is `ab \n=c`. A
    // scanner removed the white space of the text.
    let mut map = SourceMap::new(1);
    map.copy(0, 2);
    map.seam(SeamKind::SoftBreak, Span::new(2, 4), 0, 1);
    map.copy(4, 2);
    map.seam(SeamKind::QpByte, Span::new(6, 9), 1, 0);
    map.copy(9, 1);
    let joint = Seam {
        kind: SeamKind::LineBreak,
        span: Span::new(2, 4),
        at: 2,
        len: 0,
    };
    let (mut segments, mut seams) = (vec![], vec![]);
    let pieces = [Span::new(0, 2), Span::new(4, 6)];
    assert!(map.compose(&pieces, &[joint], &mut segments, &mut seams));
    assert_eq!(segments, [Span::new(0, 2), Span::new(9, 10)]);
    assert_eq!(
        seams,
        [
            Seam {
                kind: SeamKind::SoftBreak,
                span: Span::new(2, 4),
                at: 2,
                len: 0
            },
            Seam {
                kind: SeamKind::LineBreak,
                span: Span::new(4, 6),
                at: 2,
                len: 0
            },
            Seam {
                kind: SeamKind::QpByte,
                span: Span::new(6, 9),
                at: 2,
                len: 1
            },
        ]
    );
}

#[test]
fn opaque_text_has_no_source() {
    let mut map = SourceMap::new(1);
    map.copy(0, 3);
    map.opaque(5, 0);
    let (mut segments, mut seams) = (vec![], vec![]);
    assert!(!map.map(Span::new(1, 5), 0, &mut segments, &mut seams));
    assert!(segments.is_empty() && seams.is_empty());
    assert_eq!(map.line_delta(4), None);
    assert_eq!(map.extent(Span::new(1, 5)), None);
}

#[test]
fn a_tail_that_is_kept_up_to_date_equals_a_new_one() {
    let (mut map, mut tail) = (SourceMap::new(1), SourceMap::new(1));
    let (mut source, mut random) = (0, 1_u32);
    for i in 0..200_u64 {
        // Copies that grow, removals at the same place, and other entries.
        for _ in 0..i % 4 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            match (random >> 24) % 5 {
                0 => map.seam(SeamKind::Fold, Span::new(source, source + 2), 0, 1),
                1 => map.opaque(3, 0),
                2 => map.seam(SeamKind::QpByte, Span::new(source, source + 3), 1, 0),
                _ => map.copy(source, 2),
            }
            source += 2;
        }
        let end = map.text_end();
        map.forget(end.saturating_sub(60));
        let from = end.saturating_sub(25) / 10 * 10;
        tail.copy_tail(&map, from);
        let mut whole = SourceMap::new(1);
        whole.copy_tail(&map, from);
        assert_eq!(format!("{tail:?}"), format!("{whole:?}"), "{i}");
        // Of the entries that end before `from`, only the last is kept.
        let behind = map.entries.iter().take_while(|entry| entry.end() <= from);
        let behind = behind.count().saturating_sub(1);
        let expected: Vec<_> = map.entries.range(behind..).collect();
        assert_eq!(
            format!("{:?}", tail.entries),
            format!("{expected:?}"),
            "{i}"
        );
        assert_eq!(tail.text_end(), map.text_end());
    }
    assert!(map.dropped > 100 && tail.entries.len() > 5);
}

#[test]
fn pieces_before_an_offset_are_forgotten() {
    let mut map = sample();
    map.forget(1);
    assert_eq!(map.line_delta(0), None);
    assert_eq!(map.line_delta(1), Some(6));
    map.forget(3);
    assert_eq!(map.line_delta(2), None);
    assert_eq!(map.line_delta(3), Some(7));
    assert_eq!(map.line_delta(4), None);
    assert_eq!(map.text_end(), 4);
    // The last entry may still grow.
    map.forget(9);
    assert_eq!(map.line_delta(3), Some(7));
}

#[test]
fn a_span_never_ends_before_it_starts() {
    assert_eq!(Span::new(5, 3), Span { start: 5, end: 5 });
    assert!(Span::new(5, 5).is_empty() && !Span::new(5, 6).is_empty());
    assert_eq!(Span::new(5, 8).len(), 3);
}

#[test]
fn copies_that_follow_are_one_piece() {
    let mut map = SourceMap::new(3);
    for (source, len) in [(100, 4), (104, 6), (110, 1), (111, 5)] {
        map.copy(source, len);
    }
    assert_eq!((map.entries.len(), map.text_end()), (1, 16));
    assert_eq!(map.entries[0].source, Span::new(100, 116));
    // Line feeds in the source that are not in the text.
    map.opaque(3, 4);
    map.copy(130, 1);
    assert_eq!(map.line_delta(0), Some(2));
    assert_eq!(map.line_delta(16), None);
    assert_eq!(map.line_delta(19), Some(6));
}

#[test]
fn a_map_that_follows_in_steps_is_the_same() {
    let mut whole = SourceMap::new(1);
    for i in 0..20 {
        whole.copy(100 + 10 * i, 3);
        whole.seam(
            SeamKind::SoftBreak,
            Span::new(103 + 10 * i, 106 + 10 * i),
            0,
            1,
        );
        whole.seam(
            SeamKind::Entity,
            Span::new(106 + 10 * i, 110 + 10 * i),
            1,
            0,
        );
    }
    let places = |map: &SourceMap| {
        let at = |at| (map.extent(Span::new(at, at + 2)), map.line_delta(at));
        (0..whole.text_end() - 1).map(at).collect::<Vec<_>>()
    };
    let expected = places(&whole);
    for step in 1..9 {
        let mut map = SourceMap::new(1);
        for to in (0..whole.text_end())
            .step_by(step)
            .chain([whole.text_end()])
        {
            map.follow_to(&whole, to);
        }
        assert_eq!(places(&map), expected, "steps of {step}");
    }
}

#[test]
fn a_part_of_a_piece_has_its_own_place() {
    let mut map = SourceMap::new(1);
    map.copy(100, 4);
    map.copy(104, 6);
    map.copy(9, 0);
    map.seam(SeamKind::Entity, Span::new(110, 116), 2, 0);
    map.copy(116, 4);
    let (mut segments, mut seams) = (vec![], vec![]);
    assert!(map.map(Span::new(3, 7), 0, &mut segments, &mut seams));
    assert_eq!(segments, [Span::new(103, 107)]);
    assert_eq!(map.extent(Span::new(3, 7)), Some(Span::new(103, 107)));
    assert_eq!(map.extent(Span::new(3, 14)), Some(Span::new(103, 118)));
    assert_eq!(map.extent(Span::new(3, 12)), Some(Span::new(103, 116)));
    assert_eq!(map.extent(Span::new(10, 13)), Some(Span::new(110, 117)));
    assert_eq!(map.extent(Span::new(15, 17)), None);
    // A part of the text of a character reference has no place in the source.
    for (start, end) in [(8, 11), (11, 13), (10, 11), (11, 12)] {
        let span = Span::new(start, end);
        assert!(!map.map(span, 0, &mut segments, &mut seams), "{span:?}");
        assert_eq!((segments.len(), seams.len()), (1, 0));
    }
    let end = Span::new(8, 13);
    assert!(map.map(end, 20, &mut segments, &mut seams));
    assert_eq!(segments[1..], [Span::new(108, 110), Span::new(116, 117)]);
    assert_eq!((seams[0].at, seams[0].len), (22, 2));
}

/// The text is itself the output of a decoder. In this text, a scanner decoded
/// one byte and removed other bytes.
#[test]
fn seams_of_the_text_are_seams_of_the_source() {
    let mut map = SourceMap::new(1);
    map.copy(0, 5);
    map.seam(SeamKind::SoftBreak, Span::new(5, 7), 0, 1);
    map.copy(7, 2);
    map.seam(SeamKind::QpByte, Span::new(9, 12), 1, 0);
    map.copy(20, 1);
    let joint = |start, end, len| Seam {
        kind: SeamKind::QpGuess,
        span: Span::new(start, end),
        at: 1,
        len,
    };
    let compose = |pieces: &[(u64, u64)], joint: Seam| {
        let pieces: Vec<Span> = pieces.iter().map(|p| Span::new(p.0, p.1)).collect();
        let (mut segments, mut seams) = (vec![], vec![]);
        let placed = map.compose(&pieces, &[joint], &mut segments, &mut seams);
        placed.then_some((segments, seams))
    };
    // `a=3Db`, then a removal, then a byte. The URL is `a=b..=`.
    let (segments, seams) = compose(&[(0, 1), (4, 8)], joint(1, 4, 1)).unwrap();
    assert_eq!(
        segments,
        [(0, 1), (4, 5), (7, 9)].map(|(a, b)| Span::new(a, b))
    );
    let places: Vec<_> = seams.iter().map(|s| (s.span.start, s.at, s.len)).collect();
    assert_eq!(places, [(1, 1, 1), (5, 3, 0), (9, 5, 1)]);
    // The source of a removal may contain a soft break. The source of a decoded
    // byte may not.
    assert!(compose(&[(0, 4), (6, 7)], joint(4, 6, 0)).is_some());
    assert!(compose(&[(0, 4), (6, 7)], joint(4, 6, 1)).is_none());
    // The gap before the last byte of the text is not part of the joint.
    assert!(compose(&[(0, 7)], joint(7, 8, 0)).is_some());
    assert!(compose(&[(5, 7), (8, 9)], joint(7, 8, 0)).is_none());
}
