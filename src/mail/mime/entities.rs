//! Named character references of HTML. They are the names of HTML 4 (section
//! 24), and the later names of ASCII characters, which can be part of a URL.
//! The living standard has more than 1,800 other names, which are left as
//! written. Except for `fjlig` and a few combinations, their characters are
//! beyond ASCII. Only an IRI can contain such characters unencoded.

/// A name without `&` and `;`, its character, and whether the living standard
/// (13.5) allows it without its `;`.
pub(super) struct Entity {
    pub(super) name: &'static str,
    pub(super) to: char,
    pub(super) bare: bool,
}

const fn full(name: &'static str, to: u32) -> Entity {
    Entity {
        name,
        to: character(to),
        bare: false,
    }
}

const fn bare(name: &'static str, to: u32) -> Entity {
    Entity {
        name,
        to: character(to),
        bare: true,
    }
}

const fn character(code: u32) -> char {
    match char::from_u32(code) {
        Some(c) => c,
        None => panic!("not a character"),
    }
}

/// The entry for the reference `name`.
pub(super) fn find(name: &[u8]) -> Option<&'static Entity> {
    // Fast path for most references in HTML mail.
    if name == b"nbsp" {
        return Some(&NBSP);
    }
    let i = ENTITIES
        .binary_search_by(|e| e.name.as_bytes().cmp(name))
        .ok()?;
    Some(&ENTITIES[i])
}

static NBSP: Entity = bare("nbsp", 0xA0);

/// Sorted by name, in byte order.
#[rustfmt::skip]
static ENTITIES: &[Entity] = &[
    bare("AElig", 0xC6), bare("AMP", 0x26), bare("Aacute", 0xC1), bare("Acirc", 0xC2),
    bare("Agrave", 0xC0), full("Alpha", 0x391), bare("Aring", 0xC5), bare("Atilde", 0xC3),
    bare("Auml", 0xC4), full("Beta", 0x392), bare("COPY", 0xA9), bare("Ccedil", 0xC7),
    full("Chi", 0x3A7), full("Dagger", 0x2021), full("Delta", 0x394),
    full("DiacriticalGrave", 0x60), bare("ETH", 0xD0), bare("Eacute", 0xC9), bare("Ecirc", 0xCA),
    bare("Egrave", 0xC8), full("Epsilon", 0x395), full("Eta", 0x397), bare("Euml", 0xCB),
    bare("GT", 0x3E), full("Gamma", 0x393), full("Hat", 0x5E), bare("Iacute", 0xCD),
    bare("Icirc", 0xCE), bare("Igrave", 0xCC), full("Iota", 0x399), bare("Iuml", 0xCF),
    full("Kappa", 0x39A), bare("LT", 0x3C), full("Lambda", 0x39B), full("Mu", 0x39C),
    full("NewLine", 0xA), bare("Ntilde", 0xD1), full("Nu", 0x39D), full("OElig", 0x152),
    bare("Oacute", 0xD3), bare("Ocirc", 0xD4), bare("Ograve", 0xD2), full("Omega", 0x3A9),
    full("Omicron", 0x39F), bare("Oslash", 0xD8), bare("Otilde", 0xD5), bare("Ouml", 0xD6),
    full("Phi", 0x3A6), full("Pi", 0x3A0), full("Prime", 0x2033), full("Psi", 0x3A8),
    bare("QUOT", 0x22), bare("REG", 0xAE), full("Rho", 0x3A1), full("Scaron", 0x160),
    full("Sigma", 0x3A3), bare("THORN", 0xDE), full("Tab", 0x9), full("Tau", 0x3A4),
    full("Theta", 0x398), bare("Uacute", 0xDA), bare("Ucirc", 0xDB), bare("Ugrave", 0xD9),
    full("UnderBar", 0x5F), full("Upsilon", 0x3A5), bare("Uuml", 0xDC),
    full("VerticalLine", 0x7C), full("Xi", 0x39E), bare("Yacute", 0xDD), full("Yuml", 0x178),
    full("Zeta", 0x396), bare("aacute", 0xE1), bare("acirc", 0xE2), bare("acute", 0xB4),
    bare("aelig", 0xE6), bare("agrave", 0xE0), full("alefsym", 0x2135), full("alpha", 0x3B1),
    bare("amp", 0x26), full("and", 0x2227), full("ang", 0x2220), full("apos", 0x27),
    bare("aring", 0xE5), full("ast", 0x2A), full("asymp", 0x2248), bare("atilde", 0xE3),
    bare("auml", 0xE4), full("bdquo", 0x201E), full("beta", 0x3B2), bare("brvbar", 0xA6),
    full("bsol", 0x5C), full("bull", 0x2022), full("cap", 0x2229), bare("ccedil", 0xE7),
    bare("cedil", 0xB8), bare("cent", 0xA2), full("chi", 0x3C7), full("circ", 0x2C6),
    full("clubs", 0x2663), full("colon", 0x3A), full("comma", 0x2C), full("commat", 0x40),
    full("cong", 0x2245), bare("copy", 0xA9), full("crarr", 0x21B5), full("cup", 0x222A),
    bare("curren", 0xA4), full("dArr", 0x21D3), full("dagger", 0x2020), full("darr", 0x2193),
    bare("deg", 0xB0), full("delta", 0x3B4), full("diams", 0x2666), bare("divide", 0xF7),
    full("dollar", 0x24), bare("eacute", 0xE9), bare("ecirc", 0xEA), bare("egrave", 0xE8),
    full("empty", 0x2205), full("emsp", 0x2003), full("ensp", 0x2002), full("epsilon", 0x3B5),
    full("equals", 0x3D), full("equiv", 0x2261), full("eta", 0x3B7), bare("eth", 0xF0),
    bare("euml", 0xEB), full("euro", 0x20AC), full("excl", 0x21), full("exist", 0x2203),
    full("fnof", 0x192), full("forall", 0x2200), bare("frac12", 0xBD), bare("frac14", 0xBC),
    bare("frac34", 0xBE), full("frasl", 0x2044), full("gamma", 0x3B3), full("ge", 0x2265),
    full("grave", 0x60), bare("gt", 0x3E), full("hArr", 0x21D4), full("harr", 0x2194),
    full("hearts", 0x2665), full("hellip", 0x2026), bare("iacute", 0xED), bare("icirc", 0xEE),
    bare("iexcl", 0xA1), bare("igrave", 0xEC), full("image", 0x2111), full("infin", 0x221E),
    full("int", 0x222B), full("iota", 0x3B9), bare("iquest", 0xBF), full("isin", 0x2208),
    bare("iuml", 0xEF), full("kappa", 0x3BA), full("lArr", 0x21D0), full("lambda", 0x3BB),
    full("lang", 0x27E8), bare("laquo", 0xAB), full("larr", 0x2190), full("lbrace", 0x7B),
    full("lbrack", 0x5B), full("lceil", 0x2308), full("lcub", 0x7B), full("ldquo", 0x201C),
    full("le", 0x2264), full("lfloor", 0x230A), full("lowast", 0x2217), full("lowbar", 0x5F),
    full("loz", 0x25CA), full("lpar", 0x28), full("lrm", 0x200E), full("lsaquo", 0x2039),
    full("lsqb", 0x5B), full("lsquo", 0x2018), bare("lt", 0x3C), bare("macr", 0xAF),
    full("mdash", 0x2014), bare("micro", 0xB5), full("midast", 0x2A), bare("middot", 0xB7),
    full("minus", 0x2212), full("mu", 0x3BC), full("nabla", 0x2207), bare("nbsp", 0xA0),
    full("ndash", 0x2013), full("ne", 0x2260), full("ni", 0x220B), bare("not", 0xAC),
    full("notin", 0x2209), full("nsub", 0x2284), bare("ntilde", 0xF1), full("nu", 0x3BD),
    full("num", 0x23), bare("oacute", 0xF3), bare("ocirc", 0xF4), full("oelig", 0x153),
    bare("ograve", 0xF2), full("oline", 0x203E), full("omega", 0x3C9), full("omicron", 0x3BF),
    full("oplus", 0x2295), full("or", 0x2228), bare("ordf", 0xAA), bare("ordm", 0xBA),
    bare("oslash", 0xF8), bare("otilde", 0xF5), full("otimes", 0x2297), bare("ouml", 0xF6),
    bare("para", 0xB6), full("part", 0x2202), full("percnt", 0x25), full("period", 0x2E),
    full("permil", 0x2030), full("perp", 0x22A5), full("phi", 0x3C6), full("pi", 0x3C0),
    full("piv", 0x3D6), full("plus", 0x2B), bare("plusmn", 0xB1), bare("pound", 0xA3),
    full("prime", 0x2032), full("prod", 0x220F), full("prop", 0x221D), full("psi", 0x3C8),
    full("quest", 0x3F), bare("quot", 0x22), full("rArr", 0x21D2), full("radic", 0x221A),
    full("rang", 0x27E9), bare("raquo", 0xBB), full("rarr", 0x2192), full("rbrace", 0x7D),
    full("rbrack", 0x5D), full("rceil", 0x2309), full("rcub", 0x7D), full("rdquo", 0x201D),
    full("real", 0x211C), bare("reg", 0xAE), full("rfloor", 0x230B), full("rho", 0x3C1),
    full("rlm", 0x200F), full("rpar", 0x29), full("rsaquo", 0x203A), full("rsqb", 0x5D),
    full("rsquo", 0x2019), full("sbquo", 0x201A), full("scaron", 0x161), full("sdot", 0x22C5),
    bare("sect", 0xA7), full("semi", 0x3B), bare("shy", 0xAD), full("sigma", 0x3C3),
    full("sigmaf", 0x3C2), full("sim", 0x223C), full("sol", 0x2F), full("spades", 0x2660),
    full("sub", 0x2282), full("sube", 0x2286), full("sum", 0x2211), full("sup", 0x2283),
    bare("sup1", 0xB9), bare("sup2", 0xB2), bare("sup3", 0xB3), full("supe", 0x2287),
    bare("szlig", 0xDF), full("tau", 0x3C4), full("there4", 0x2234), full("theta", 0x3B8),
    full("thetasym", 0x3D1), full("thinsp", 0x2009), bare("thorn", 0xFE), full("tilde", 0x2DC),
    bare("times", 0xD7), full("trade", 0x2122), full("uArr", 0x21D1), bare("uacute", 0xFA),
    full("uarr", 0x2191), bare("ucirc", 0xFB), bare("ugrave", 0xF9), bare("uml", 0xA8),
    full("upsih", 0x3D2), full("upsilon", 0x3C5), bare("uuml", 0xFC), full("verbar", 0x7C),
    full("vert", 0x7C), full("weierp", 0x2118), full("xi", 0x3BE), bare("yacute", 0xFD),
    bare("yen", 0xA5), bare("yuml", 0xFF), full("zeta", 0x3B6), full("zwj", 0x200D),
    full("zwnj", 0x200C),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_ordered() {
        assert!(ENTITIES.windows(2).all(|w| w[0].name < w[1].name));
        assert!(
            ENTITIES
                .iter()
                .all(|e| e.name.len() <= super::super::html::MAX_REFERENCE)
        );
        assert_eq!(find(b"amp").map(|e| e.to), Some('&'));
        assert_eq!(find(b"colon").map(|e| e.bare), Some(false));
        assert_eq!(find(b"ampere").map(|e| e.to), None);
    }
}
