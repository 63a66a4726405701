//! Linear time with a small constant, on texts made to be slow: counted in
//! bytes looked at, so that it holds on any machine.

#[path = "common/hostile.rs"]
mod hostile;

use urlgrep::{Extractor, Hit};

/// How many bytes the scanner looks at in `text`, and how many hits it has.
fn examined(text: &[u8]) -> (u64, usize) {
    let mut extractor = Extractor::builder().build();
    let mut hits = 0;
    let counted: Result<(), std::convert::Infallible> =
        extractor.search_slice(text, &mut |_: &Hit| {
            hits += 1;
            Ok(true)
        });
    counted.expect("the sink has no error");
    (extractor.examined(), hits)
}

/// The same in chunks.
fn examined_in_chunks(text: &[u8], size: usize) -> (u64, usize) {
    let mut extractor = Extractor::builder().build();
    let mut hits = 0;
    let mut sink = |_: &Hit| {
        hits += 1;
        Ok::<_, std::convert::Infallible>(true)
    };
    extractor.reset(0, 1);
    for chunk in text.chunks(size) {
        extractor
            .feed(chunk, &mut sink)
            .expect("the sink has no error");
    }
    extractor.finish(&mut sink).expect("the sink has no error");
    (extractor.examined(), hits)
}

#[test]
fn no_text_is_looked_at_more_than_four_times() {
    let mut slow = vec![];
    for (name, make) in hostile::FAMILIES {
        for n in [1 << 16, 1 << 18] {
            let text = make(n);
            let (seen, hits) = examined(&text);
            let (n, limit) = (text.len(), 4 * text.len() as u64 + 4096);
            if seen > limit {
                let times = seen as f64 / n as f64;
                slow.push(format!("{name}: {times:.1} times {n} bytes, {hits} hits"));
            }
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}

/// The worst that a search by random changes found, among texts that repeat a
/// mixture of the scanner's own words: each is looked at for many reasons.
const MIXTURES: [&str; 6] = [
    "/news:a.bxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxa.ba.bmailto:urn:x:ynews:.(?%20mailto:,\
     URL=&=URL:<URL:/ \"http://a=\n?",
    "sip:a.bxxxxxxxxxxxxxxxxa.bxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\
     xxxxxxxxxxxxxxxxxxxxxxxxxxxxdata:,<http://\n\n<http://\"",
    "tel:1<url:\n\n&\"http://a<sip:xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\
     a.ba.ba.ba.bxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "& \"tel:1<url:sip:a.b?=\n=news:xxxxxxxxxxxxxxxxa.bmailto:urn:x:yurn:x:y.data:,.=tel:1.news:xxxxxx\
     xxxxxxxxxx%20URL=data:,URL:mailto:a.bnews:/URL=.sip:",
    "?sip:.sip:a.bxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxmailto:doi:10.=\n",
    "http://a.b/c&\n\n<sip:\"http://a)sip:http://a.b/c/http://ahttp://a'http://aURL=&a.b=doi:10.news:\
     mailto:a:b'mailto:mailto:xxxxxxxxxxxxxxxx%20..URL:data:,sip:xxxxxxxxxxxxxxxx",
];

#[test]
fn no_mixture_is_looked_at_more_than_nine_times() {
    for mixture in MIXTURES {
        for n in [1 << 16, 1 << 18] {
            let text = mixture.repeat(n / mixture.len());
            let (seen, _) = examined(text.as_bytes());
            let times = seen as f64 / text.len() as f64;
            assert!(seen <= 9 * n as u64 + 4096, "{times:.1} times: {mixture}");
        }
    }
}

#[test]
fn chunks_cost_no_more_than_twice_as_much() {
    let mut slow = vec![];
    for (name, make) in hostile::FAMILIES {
        let text = make(1 << 16);
        let (_, hits) = examined(&text);
        for size in [61, 4096] {
            let (seen, found) = examined_in_chunks(&text, size);
            assert_eq!(hits, found, "{name} in chunks of {size}");
            if seen > 8 * text.len() as u64 + 8192 {
                let times = seen as f64 / text.len() as f64;
                slow.push(format!("{name}: {times:.1} times in chunks of {size}"));
            }
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}

#[test]
fn there_are_many_families_and_each_has_a_name() {
    let names: std::collections::HashSet<_> = hostile::FAMILIES.iter().map(|f| f.0).collect();
    assert_eq!(names.len(), hostile::FAMILIES.len());
    assert!(names.len() >= 40);
    assert!(hostile::FAMILIES.iter().all(|f| f.1(5000).len() >= 5000));
    assert!(examined(&hostile::prose(1 << 16)).0 <= (2 << 16));
}
