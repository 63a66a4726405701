/* Changes messages at random and searches them: mutate COUNT <MESSAGES. Standard input
 * is messages, each with its length and a line feed before it. Checks what holds for
 * each hit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "urlgrep.h"

static uint64_t state = 0x9E3779B97F4A7C15;

/* A number below `below`, by xorshift. The same on every run. */
static size_t below(size_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return below == 0 ? 0 : state % below;
}

struct message {
    char *text;
    size_t len;
};

static const char *const pieces[] = {
    "http://a.example/", "<URL:", ">", "=\n", "=3D", "\n", "\r\n", "\n\n", "> ", "--", "\0",
    "Content-Transfer-Encoding: base64\n", "Content-Transfer-Encoding: quoted-printable\n",
    "Content-Type: text/html\n", "<a href=\"", "&amp;", "\xff\xfe", "boundary=x\n", "--x\n",
};

/* A changed copy, exactly as long as it must be. */
static struct message mutate(const struct message *all, size_t count)
{
    const struct message *from = &all[below(count)], *other = &all[below(count)];
    size_t room = from->len + other->len + 1024;
    struct message made = {malloc(room), from->len};

    memcpy(made.text, from->text, from->len);
    for (size_t n = 1 + below(8); n > 0; n--) {
        size_t at = below(made.len + 1), len = below(made.len - at + 1) % 64;
        const char *piece = pieces[below(sizeof pieces / sizeof *pieces)];
        size_t piece_len = *piece == '\0' ? 1 : strlen(piece);

        switch (below(5)) {
        case 0: /* one byte */
            if (at < made.len)
                made.text[at] = (char)below(256);
            break;
        case 1: /* without some bytes */
            memmove(made.text + at, made.text + at + len, made.len - at - len);
            made.len -= len;
            break;
        case 2: /* with a piece */
            if (made.len + piece_len > room)
                break;
            memmove(made.text + at + piece_len, made.text + at, made.len - at);
            memcpy(made.text + at, piece, piece_len);
            made.len += piece_len;
            break;
        case 3: /* cut off */
            made.len = below(4) == 0 ? at : made.len;
            break;
        default: /* the end of another */
            if (at + other->len <= room) {
                size_t skip = below(other->len + 1);
                memcpy(made.text + at, other->text + skip, other->len - skip);
                made.len = at + other->len - skip;
            }
        }
    }
    made.text = realloc(made.text, made.len + (made.len == 0));
    return made;
}

static size_t hits, faults;

static void check(int is_right, const char *what)
{
    if (!is_right) {
        fprintf(stderr, "hit %zu: %s\n", hits, what);
        faults++;
    }
}

static int look(const urlgrep_hit *hit, void *user)
{
    static const char *const texts[] = {"canonical", "surt", "host", "domain", "role", "part",
                                        "header", "from", "subject", "date", "profile"};
    const struct message *message = user;
    urlgrep_text url = urlgrep_hit_text(hit, "url");
    int64_t start, end;
    urlgrep_item item;
    uint64_t last = 0;

    hits++;
    check(url.data != NULL && url.len > 0, "no URL");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        urlgrep_text text = urlgrep_hit_text(hit, texts[i]);
        /* Every byte is read, so that a tool sees a text that is not there. */
        for (size_t b = 0; b < text.len; b++)
            state += (unsigned char)text.data[b];
    }
    check(urlgrep_hit_text(hit, "url").data == url.data, "the URL has moved");
    if (urlgrep_hit_number(hit, "offset", &start)) {
        check(urlgrep_hit_number(hit, "end", &end), "no end");
        check(0 <= start && start < end && (size_t)end <= message->len, "a wrong span");
    }
    for (size_t n = 0; urlgrep_hit_item(hit, "segments", n, &item); n++) {
        check(last <= item.start && item.start <= item.end, "segments are not in order");
        last = item.end;
    }
    check(last <= message->len, "a segment after the end");
    for (size_t n = 0; urlgrep_hit_item(hit, "components", n, &item); n++)
        check(item.name.data != NULL && item.value.data != NULL, "half a component");
    return below(50) == 0;
}

int main(int argc, char **argv)
{
    size_t runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 0, count = 0, len;
    struct message *all = NULL;
    urlgrep_searcher *searcher = urlgrep_new();

    while (scanf("%zu", &len) == 1) {
        all = realloc(all, (count + 1) * sizeof *all);
        all[count] = (struct message){malloc(len + 1), len};
        getchar();
        if (fread(all[count].text, 1, len, stdin) != len)
            return 2;
        count++;
    }
    for (size_t run = 0; run < runs && count > 0; run++) {
        struct message message = mutate(all, count);
        int as_text = below(4) == 0;
        urlgrep_status status =
            as_text ? urlgrep_find(searcher, message.text, message.len, look, &message)
                    : urlgrep_message(searcher, message.text, message.len, look, &message);

        if (status != URLGREP_OK && status != URLGREP_STOPPED) {
            fprintf(stderr, "message %zu: status %d: %s\n", run, status, urlgrep_error(searcher));
            faults++;
        }
        free(message.text);
    }
    urlgrep_free(searcher);
    while (count > 0)
        free(all[--count].text);
    free(all);
    printf("%zu messages, %zu hits, %zu faults\n", runs, hits, faults);
    return faults > 0 || hits < runs / 4;
}
