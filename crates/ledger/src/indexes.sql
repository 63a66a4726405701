CREATE INDEX IF NOT EXISTS hit_url ON hit (url);
CREATE INDEX IF NOT EXISTS hit_place ON hit (place, url, copy) WHERE place IS NOT NULL;
CREATE INDEX IF NOT EXISTS hit_text ON hit (file, "offset") WHERE message IS NULL;
CREATE INDEX IF NOT EXISTS message_file ON message (file, start);
CREATE INDEX IF NOT EXISTS message_date ON message (date) WHERE date IS NOT NULL;
