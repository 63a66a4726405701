/* notmuch-urls: adds the URLs of messages to a notmuch database, as properties.
 *
 *     notmuch-urls [--role ROLES] QUERY...     such as: notmuch-urls --role body tag:new
 *     notmuch search property:url.host=www.example.org
 *     notmuch search property:url=http://www.example.org/drafts/
 *
 * `url.host` is a host in lower case, `url.domain` the domain that somebody registered
 * (example.org for www.example.org), and `url` a URL in canonical form. ROLES are those of
 * urlgrep, such as body,header: links of quotations, signatures and footers are left out
 * then. Run it from notmuch's hook post-new. Running it again changes nothing, or removes
 * what the message no longer has.
 *
 *     cc notmuch-urls.c $(pkg-config --cflags --libs urlgrep) -lnotmuch -o notmuch-urls
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <notmuch.h>
#include <urlgrep.h>

/* Xapian stores a property as a term. A term over about 230 bytes is an exception of
 * C++, which libnotmuch does not catch: it would end this process. */
enum { MAX_VALUE = 200 };

static const char *const KEYS[] = {"url", "url.host", "url.domain"};

struct run {
    notmuch_message_t *message;
    notmuch_status_t status;
    unsigned long messages, hits, too_long, unread;
    double urlgrep, libnotmuch; /* seconds */
};

/* The processor time of this process in seconds. */
static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void add(struct run *run, const char *key, urlgrep_text text)
{
    char value[MAX_VALUE + 1];

    if (text.data == NULL || run->status != NOTMUCH_STATUS_SUCCESS)
        return;
    if (text.len > MAX_VALUE) {
        run->too_long++;
        return;
    }
    memcpy(value, text.data, text.len);
    value[text.len] = '\0';
    run->status = notmuch_message_add_property(run->message, key, value);
}

/* Called for each URL of a message. */
static int on_hit(const urlgrep_hit *hit, void *user)
{
    struct run *run = user;
    urlgrep_text host = urlgrep_hit_text(hit, "host");
    urlgrep_text domain = urlgrep_hit_text(hit, "domain");
    urlgrep_text url = urlgrep_hit_text(hit, "canonical");
    double start = now();

    run->hits++;
    add(run, "url.host", host);
    add(run, "url.domain", domain);
    add(run, "url", url);
    run->libnotmuch += now() - start;
    run->urlgrep -= now() - start;
    return run->status != NOTMUCH_STATUS_SUCCESS;
}

/* Reads a file. Returns NULL if that fails. */
static char *read_file(const char *name, size_t *len)
{
    FILE *file = fopen(name, "rb");
    size_t room = 1 << 16;
    char *text = malloc(room);

    *len = 0;
    while (file != NULL && text != NULL) {
        *len += fread(text + *len, 1, room - *len, file);
        if (*len < room)
            break;
        char *more = realloc(text, room *= 2);
        if (more == NULL)
            free(text);
        text = more;
    }
    if (file == NULL || ferror(file)) {
        free(text);
        text = NULL;
    }
    if (file != NULL)
        fclose(file);
    return text;
}

static void index_message(struct run *run, urlgrep_searcher *searcher)
{
    size_t len;
    char *text = read_file(notmuch_message_get_filename(run->message), &len);
    double start;

    if (text == NULL) {
        fprintf(stderr, "notmuch-urls: %s: %s\n", notmuch_message_get_filename(run->message),
                strerror(errno));
        run->unread++;
        return;
    }
    run->messages++;
    /* While a message is frozen, libnotmuch collects its changes. */
    start = now();
    run->status = notmuch_message_freeze(run->message);
    for (size_t key = 0; key < 3 && run->status == NOTMUCH_STATUS_SUCCESS; key++)
        run->status = notmuch_message_remove_all_properties(run->message, KEYS[key]);
    run->libnotmuch += now() - start;

    start = now();
    if (urlgrep_message(searcher, text, len, on_hit, run) > URLGREP_STOPPED)
        fprintf(stderr, "notmuch-urls: %s\n", urlgrep_error(searcher));
    run->urlgrep += now() - start;

    start = now();
    if (run->status == NOTMUCH_STATUS_SUCCESS)
        run->status = notmuch_message_thaw(run->message);
    run->libnotmuch += now() - start;
    free(text);
}

/* The arguments as one query, as notmuch's own commands take it. */
static char *join(char **words)
{
    size_t len = 1;
    char *query;

    for (char **word = words; *word != NULL; word++)
        len += strlen(*word) + 1;
    query = calloc(len, 1);
    for (char **word = words; query != NULL && *word != NULL; word++) {
        strcat(query, *word);
        if (word[1] != NULL)
            strcat(query, " ");
    }
    return query;
}

int main(int argc, char **argv)
{
    notmuch_database_t *database = NULL;
    notmuch_messages_t *messages;
    notmuch_query_t *query = NULL;
    urlgrep_searcher *searcher = urlgrep_new();
    struct run run = {0};
    char *error = NULL, *words;
    double start;

    if (argc > 2 && strcmp(argv[1], "--role") == 0) {
        if (searcher != NULL && urlgrep_set(searcher, "role", argv[2]) != URLGREP_OK) {
            fprintf(stderr, "notmuch-urls: %s\n", urlgrep_error(searcher));
            return 2;
        }
        argv += 2;
        argc -= 2;
    }
    words = join(argv + 1);
    if (argc < 2 || words == NULL || searcher == NULL) {
        fprintf(stderr, "usage: notmuch-urls [--role ROLES] QUERY...\n");
        return 2;
    }
    run.status = notmuch_database_open_with_config(NULL, NOTMUCH_DATABASE_MODE_READ_WRITE, NULL,
                                                   NULL, &database, &error);
    if (run.status == NOTMUCH_STATUS_SUCCESS) {
        query = notmuch_query_create(database, words);
        /* The order in which the database has them is the fastest. */
        notmuch_query_set_sort(query, NOTMUCH_SORT_UNSORTED);
        run.status = notmuch_query_search_messages(query, &messages);
    }
    for (; run.status == NOTMUCH_STATUS_SUCCESS && notmuch_messages_valid(messages);
         notmuch_messages_move_to_next(messages)) {
        run.message = notmuch_messages_get(messages);
        index_message(&run, searcher);
        notmuch_message_destroy(run.message);
    }
    start = now();
    if (query != NULL)
        notmuch_query_destroy(query);
    if (database != NULL) {
        /* This writes what is not written yet. */
        notmuch_status_t closed = notmuch_database_destroy(database);
        if (run.status == NOTMUCH_STATUS_SUCCESS)
            run.status = closed;
    }
    run.libnotmuch += now() - start;
    urlgrep_free(searcher);
    free(words);

    if (run.status != NOTMUCH_STATUS_SUCCESS)
        fprintf(stderr, "notmuch-urls: %s\n",
                error != NULL ? error : notmuch_status_to_string(run.status));
    free(error);
    printf("%lu messages, %lu URLs; %lu values of over %d bytes left out\n", run.messages, run.hits,
           run.too_long, MAX_VALUE);
    printf("urlgrep %.3f s, libnotmuch %.3f s\n", run.urlgrep, run.libnotmuch);
    return run.status != NOTMUCH_STATUS_SUCCESS || run.unread > 0 ? 2 : 0;
}
