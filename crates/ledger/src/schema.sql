CREATE TABLE setting (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO setting VALUES ('hash_key', randomblob(32));
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    started TEXT NOT NULL,
    process INTEGER NOT NULL,
    first_hit INTEGER NOT NULL,
    finished TEXT
);
CREATE TABLE file (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    archive INTEGER REFERENCES file,
    size INTEGER,
    mtime INTEGER,
    inode INTEGER,
    container TEXT,
    read_up_to INTEGER NOT NULL DEFAULT 0,
    next_line INTEGER NOT NULL DEFAULT 1,
    next_message INTEGER NOT NULL DEFAULT 1,
    head INTEGER,
    tail INTEGER,
    state TEXT NOT NULL,
    fault TEXT
);
CREATE INDEX file_inode ON file (inode) WHERE archive IS NULL;
CREATE INDEX file_archive ON file (archive) WHERE archive IS NOT NULL;
CREATE TABLE message (
    id INTEGER PRIMARY KEY,
    file INTEGER NOT NULL REFERENCES file,
    number INTEGER,
    start INTEGER NOT NULL,
    "end" INTEGER,
    message_id TEXT,
    date TEXT,
    "from" TEXT,
    subject TEXT,
    "group" TEXT,
    list_id TEXT,
    place INTEGER NOT NULL,
    gone INTEGER NOT NULL DEFAULT 0,
    "to" TEXT,
    cc TEXT,
    record_url TEXT
);
CREATE INDEX message_id ON message (message_id, gone) WHERE message_id IS NOT NULL;
CREATE TABLE url (
    id INTEGER PRIMARY KEY,
    canonical TEXT NOT NULL,
    key INTEGER NOT NULL,
    scheme TEXT,
    host TEXT,
    domain TEXT,
    surt TEXT,
    first_seen TEXT,
    last_seen TEXT,
    count INTEGER NOT NULL DEFAULT 0,
    unbroken INTEGER NOT NULL DEFAULT 0,
    run INTEGER NOT NULL REFERENCES run
);
CREATE INDEX url_unused ON url (id) WHERE count = 0;
CREATE INDEX url_key ON url (host, key);
CREATE TABLE hit (
    id INTEGER PRIMARY KEY,
    url INTEGER NOT NULL REFERENCES url,
    file INTEGER NOT NULL REFERENCES file,
    message INTEGER REFERENCES message,
    "offset" INTEGER,
    "end" INTEGER,
    line INTEGER,
    "column" INTEGER,
    role TEXT,
    depth INTEGER,
    form TEXT NOT NULL,
    spelling TEXT,
    doubt TEXT,
    seams TEXT,
    marks TEXT,
    part TEXT,
    member TEXT,
    header TEXT,
    link_target TEXT,
    link_text TEXT,
    run INTEGER NOT NULL REFERENCES run,
    place INTEGER,
    copy INTEGER NOT NULL DEFAULT 0,
    content_type TEXT,
    file_name TEXT
);
CREATE TABLE alternate (
    hit INTEGER NOT NULL REFERENCES hit,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    spelling TEXT NOT NULL,
    canonical TEXT NOT NULL,
    PRIMARY KEY (hit, number)
) WITHOUT ROWID;
CREATE VIEW first_seen AS
    SELECT canonical AS url, host, first_seen, last_seen, count
    FROM url WHERE count > 0 ORDER BY first_seen;
CREATE VIEW links AS
    SELECT u.canonical AS url, u.host, u.domain, m.date, m."from" AS sender, m.subject,
        m.message_id, m.list_id AS list, h.role, f.path, h.line, u.first_seen, u.last_seen,
        r.started AS added, ifnull(m.gone, f.state = 'vanished') AS gone
    FROM hit AS h JOIN url AS u ON u.id = h.url JOIN file AS f ON f.id = h.file
        JOIN run AS r ON r.id = h.run
        LEFT JOIN message AS m ON m.id = h.message AND m.place = h.place
    WHERE h.copy = 0;
CREATE VIEW host_by_year AS
    SELECT u.host, CAST(substr(m.date, 1, 4) AS INTEGER) AS year,
        count(*) AS hits, count(DISTINCT u.id) AS urls
    FROM hit AS h JOIN url AS u ON u.id = h.url JOIN message AS m ON m.id = h.message
    WHERE m.date IS NOT NULL AND h.copy = 0
    GROUP BY u.host, year;
CREATE VIEW new_since AS
    SELECT added, url, path, line, date, sender AS "from", subject FROM links;
