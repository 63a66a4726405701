/* The border: wrong arguments, a callback that ends the search or misuses its searcher,
 * and the Arrow stream. border PATH...: the first path is a file with hits. */
#include <stdio.h>
#include <string.h>

#include "urlgrep.h"

/* As in the specification of the Arrow C data interface. */
struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

static int faults;

#define CHECK(what)                                                                        \
    do {                                                                                   \
        if (!(what)) {                                                                     \
            fprintf(stderr, "line %d: %s\n", __LINE__, #what);                             \
            faults++;                                                                      \
        }                                                                                  \
    } while (0)

static const char text[] = "<http://a.example/> http://b.example/, http://c.example/";

struct seen {
    urlgrep_searcher *searcher;
    int hits;
    const char *field;
};

static int count(const urlgrep_hit *hit, void *user)
{
    struct seen *seen = user;

    urlgrep_text copy = {NULL, 0};

    CHECK(urlgrep_hit_text(hit, "url").len == 17);
    CHECK(urlgrep_hit_text_to(hit, "url", &copy) && copy.len == 17);
    CHECK(copy.data == urlgrep_hit_text(hit, "url").data);
    CHECK(!urlgrep_hit_text_to(hit, "subject", &copy) && copy.len == 17);
    CHECK(urlgrep_hit_text_to(hit, "host", NULL));
    return ++seen->hits == 2;
}

static int misuse(const urlgrep_hit *hit, void *user)
{
    struct seen *seen = user;
    int64_t number = 7;
    urlgrep_item item;

    seen->hits++;
    CHECK(urlgrep_hit_text(hit, seen->field).data == NULL);
    CHECK(!urlgrep_hit_number(hit, "url", &number) && number == 7);
    CHECK(!urlgrep_hit_item(hit, "host", 0, &item));
    return 0;
}

/* A searcher is in use while its callback runs. */
static int again(const urlgrep_hit *hit, void *user)
{
    struct seen *seen = user;

    (void)hit;
    seen->hits++;
    CHECK(urlgrep_find(seen->searcher, text, sizeof text - 1, again, user) == URLGREP_BUSY);
    CHECK(urlgrep_set(seen->searcher, "rejects", "true") == URLGREP_BUSY);
    CHECK(strcmp(urlgrep_error(seen->searcher), "the searcher is in use") == 0);
    CHECK(urlgrep_hit_text(NULL, "url").data == NULL);
    return 0;
}

static void calls(urlgrep_searcher *searcher)
{
    struct seen seen = {searcher, 0, "cannonical"};
    size_t len = sizeof text - 1;

    CHECK(urlgrep_abi() == URLGREP_ABI);
    CHECK(strcmp(urlgrep_version(), EXPECTED_VERSION) == 0);
    CHECK(urlgrep_find(NULL, text, len, count, &seen) == URLGREP_INVALID);
    CHECK(urlgrep_find(searcher, NULL, 1, count, &seen) == URLGREP_INVALID);
    CHECK(urlgrep_find(searcher, text, (size_t)-1, count, &seen) == URLGREP_INVALID);
    CHECK(urlgrep_find(searcher, text, len, NULL, NULL) == URLGREP_INVALID);
    CHECK(strcmp(urlgrep_error(searcher), "the callback is NULL") == 0);
    CHECK(urlgrep_find(searcher, NULL, 0, count, &seen) == URLGREP_OK && seen.hits == 0);
    CHECK(urlgrep_find(searcher, text, len, count, &seen) == URLGREP_STOPPED && seen.hits == 2);
    /* The searcher begins anew after it was stopped. */
    seen.hits = -2;
    CHECK(urlgrep_find(searcher, text, len, count, &seen) == URLGREP_OK && seen.hits == 1);
    seen.hits = 0;
    CHECK(urlgrep_find(searcher, text, len, misuse, &seen) == URLGREP_INVALID && seen.hits == 1);
    CHECK(strcmp(urlgrep_error(searcher), "no field cannonical") == 0);
    seen.field = "line";
    CHECK(urlgrep_message(searcher, text, len, misuse, &seen) == URLGREP_INVALID);
    CHECK(strcmp(urlgrep_error(searcher), "the field line is of the type Number") == 0);
    seen.field = NULL;
    CHECK(urlgrep_message(searcher, text, len, misuse, &seen) == URLGREP_INVALID);
    seen.hits = 0;
    CHECK(urlgrep_find(searcher, text, len, again, &seen) == URLGREP_OK && seen.hits == 3);

    CHECK(urlgrep_set(searcher, "colour", "red") == URLGREP_INVALID);
    CHECK(strcmp(urlgrep_error(searcher), "no option colour") == 0);
    CHECK(urlgrep_set(searcher, "profile", "rfc9999") == URLGREP_INVALID);
    CHECK(urlgrep_set(searcher, "threads", "-1") == URLGREP_INVALID);
    CHECK(urlgrep_set(searcher, "threads", "0") == URLGREP_OK);
    CHECK(urlgrep_set(searcher, "forms", "\xff") == URLGREP_INVALID);
    CHECK(urlgrep_set(searcher, NULL, "") == URLGREP_INVALID);
    /* A message names the option as it is set here. */
    CHECK(urlgrep_set(searcher, "since", "never") == URLGREP_INVALID);
    CHECK(strncmp(urlgrep_error(searcher), "since: `never` is not a date", 28) == 0);

    /* A filter leaves out hits until it is taken back. */
    CHECK(urlgrep_set(searcher, "host", "b.example") == URLGREP_OK);
    seen.hits = 0;
    CHECK(urlgrep_find(searcher, text, len, count, &seen) == URLGREP_OK && seen.hits == 1);
    CHECK(urlgrep_unset(searcher, "host") == URLGREP_OK);
    CHECK(urlgrep_unset(searcher, "host") == URLGREP_OK);
    seen.hits = -2;
    CHECK(urlgrep_find(searcher, text, len, count, &seen) == URLGREP_OK && seen.hits == 1);
    CHECK(urlgrep_unset(searcher, "colour") == URLGREP_INVALID);
    CHECK(urlgrep_unset(searcher, NULL) == URLGREP_INVALID);
    CHECK(urlgrep_set(searcher, "forms", "bracketed") == URLGREP_OK);
    seen.hits = 0;
    CHECK(urlgrep_find(searcher, text, len, count, &seen) == URLGREP_OK && seen.hits == 1);
}

/* Reads a stream to its end, or only its first batches. Returns the number of rows. */
static int64_t rows(struct ArrowArrayStream *stream, int batches)
{
    int64_t found = 0;

    while (batches-- > 0) {
        struct ArrowArray array;

        CHECK(stream->get_next(stream, &array) == 0);
        if (array.release == NULL)
            break;
        CHECK(array.n_children == 2);
        /* The first URL: a scheme and a colon. */
        const int32_t *ends = array.children[0]->buffers[1];
        CHECK(memchr(array.children[0]->buffers[2], ':', (size_t)ends[1]) != NULL);
        found += array.length;
        array.release(&array);
    }
    stream->release(stream);
    CHECK(stream->release == NULL);
    return found;
}

static void scan(urlgrep_searcher *searcher, const char *const *paths, size_t len)
{
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;

    CHECK(urlgrep_scan(searcher, paths, len, NULL) == URLGREP_INVALID);
    CHECK(urlgrep_scan(searcher, NULL, 1, &stream) == URLGREP_INVALID);
    CHECK(urlgrep_set(searcher, "fields", "url,cannonical") == URLGREP_INVALID);
    CHECK(strcmp(urlgrep_error(searcher), "no such column: cannonical") == 0);
    CHECK(urlgrep_set(searcher, "fields", "url,line") == URLGREP_OK);
    CHECK(urlgrep_set(searcher, "batch-rows", "3") == URLGREP_OK);

    CHECK(urlgrep_scan(searcher, paths, len, &stream) == URLGREP_OK);
    CHECK(stream.get_schema(&stream, &schema) == 0 && schema.n_children == 2);
    CHECK(strcmp(schema.children[1]->name, "line") == 0);
    CHECK(strcmp(schema.children[1]->format, "l") == 0);
    schema.release(&schema);
    int64_t all = rows(&stream, 1000000);
    CHECK(all > 3);

    /* A stream outlives its searcher, and can be released before its end. */
    CHECK(urlgrep_scan(searcher, paths, len, &stream) == URLGREP_OK);
    urlgrep_free(searcher);
    CHECK(rows(&stream, 1) == 3);
    searcher = urlgrep_new();
    CHECK(urlgrep_scan(searcher, paths, len, &stream) == URLGREP_OK);
    CHECK(rows(&stream, 0) == 0);
    urlgrep_free(searcher);
}

int main(int argc, char **argv)
{
    urlgrep_searcher *searcher = urlgrep_new();

    calls(searcher);
    urlgrep_free(searcher);
    urlgrep_free(NULL);
    scan(urlgrep_new(), (const char *const *)argv + 1, (size_t)argc - 1);
    return faults > 0;
}
