//! The rules that a reject can name, by profile.

use urlgrep::Profile;
use urlgrep::url::Rule;

/// The names of the rules of each document. `length` is left out, because it
/// needs a text of 4 GiB.
const RULES: [(&[Profile], &str); 5] = [
    (
        &[Profile::Url00],
        "scheme path search anchorid host hostname hostnumber port user httpaddress \
         fileaddress afsaddress groupart group article waisaddress waisdoc database \
         wtype digits prosperoaddress telnetaddress gopheraddress gtype selector",
    ),
    (
        &[Profile::Url03],
        "scheme path search fragmentid host hostname hostnumber port user password \
         httpaddress ftpaddress afsaddress groupart group article nntpaddress \
         mailtoaddress waisaddress waisdoc database wtype digits prosperolink version \
         attribute telnetaddress gopheraddress gtype selector",
    ),
    (
        &[Profile::WwwUri00],
        "scheme segment search fragmentid host hostname hostnumber port user password \
         httpaddress ftpaddress afsaddress groupart group article nntpaddress \
         mailtoaddress addr-spec content-identifier waisaddress waisdoc database wtype \
         digits prosperolink version attribute telnetaddress gopheraddress gtype \
         selector",
    ),
    (
        &[Profile::Url06, Profile::Rfc1738],
        "scheme schemepart fragment host hostname hostnumber port user password ftpurl \
         fsegment ftptype fileurl httpurl hsegment search gopherurl gtype selector \
         encoded822addr grouppart group article nntpurl digits telneturl waisurl \
         waisdoc database wtype wpath prosperourl psegment fieldspec fieldname \
         fieldvalue",
    ),
    (
        &[Profile::Current, Profile::Iri],
        "scheme userinfo host reg-name IPv4address IP-literal IPv6address IPvFuture port \
         segment query fragment http-URI https-URI ws-URI wss-URI file-URI path-absolute \
         addr-spec local-part domain hfield hfname hfvalue message-id content-id \
         newsURL newsgroups article nntpURL group article-number ftpurl fsegment \
         ftptype gopherurl gtype selector telneturl waisurl waisdoc database search \
         wtype wpath prosperourl psegment fieldspec fieldname fieldvalue assigned-name \
         NID NSS rq-components r-component q-component telephone-uri global-number \
         local-number context par extension isdn-subaddress",
    ),
];

/// The rules that a reject of `validate` can name under `profile`.
pub fn rules(profile: Profile) -> impl Iterator<Item = Rule> {
    let row = RULES.iter().find(|row| row.0.contains(&profile));
    let names = row.expect("a row for each profile").1.split_whitespace();
    names.map(|name| {
        let rule = Rule::ALL.iter().find(|rule| rule.name() == name);
        *rule.unwrap_or_else(|| panic!("{name} is no rule"))
    })
}
