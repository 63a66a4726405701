/* Prints all values of all hits. The arguments are the fields, such as `text:url`,
 * `number:line` and `list:seams`. Standard input is a script:
 *
 *     new                    begin with a new searcher
 *     set OPTION VALUE
 *     find LEN, message LEN  the text follows, LEN bytes
 *
 * Strings are printed with their lengths before them. tests.rs makes the script, and
 * the output that it expects. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "urlgrep.h"

struct fields {
    int count;
    char **names;
};

static void put(urlgrep_text text)
{
    if (text.data == NULL) {
        fputs(" -", stdout);
        return;
    }
    printf(" %zu:", text.len);
    fwrite(text.data, 1, text.len, stdout);
}

static int print(const urlgrep_hit *hit, void *user)
{
    const struct fields *fields = user;

    puts("hit");
    for (int i = 0; i < fields->count; i++) {
        const char *name = strchr(fields->names[i], ':') + 1;

        if (fields->names[i][0] == 't') {
            urlgrep_text text = urlgrep_hit_text(hit, name);
            if (text.data != NULL) {
                fputs(name, stdout);
                put(text);
                puts("");
            }
        } else if (fields->names[i][0] == 'n') {
            int64_t number;
            if (urlgrep_hit_number(hit, name, &number))
                printf("%s %lld\n", name, (long long)number);
        } else {
            urlgrep_item item;
            for (size_t n = 0; urlgrep_hit_item(hit, name, n, &item); n++) {
                fputs(name, stdout);
                put(item.name);
                put(item.value);
                printf(" %llu %llu %llu %llu\n", (unsigned long long)item.start,
                       (unsigned long long)item.end, (unsigned long long)item.at,
                       (unsigned long long)item.len);
            }
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct fields fields = {argc - 1, argv + 1};
    urlgrep_searcher *searcher = urlgrep_new();
    char line[256];

    while (fgets(line, sizeof line, stdin) != NULL) {
        char first[64] = "", second[64] = "";
        urlgrep_status status;

        sscanf(line, "%*s %63s %63s", first, second);
        if (strncmp(line, "new", 3) == 0) {
            urlgrep_free(searcher);
            searcher = urlgrep_new();
            continue;
        }
        if (strncmp(line, "set", 3) == 0) {
            status = urlgrep_set(searcher, first, second);
        } else {
            size_t len = strtoul(first, NULL, 10);
            /* Exactly as long as the text, so that a tool sees each read beyond it. */
            char *text = malloc(len);

            if (fread(text, 1, len, stdin) != len)
                return 2;
            if (line[0] == 'f')
                status = urlgrep_find(searcher, text, len, print, &fields);
            else
                status = urlgrep_message(searcher, text, len, print, &fields);
            free(text);
            puts("end");
        }
        if (status != URLGREP_OK) {
            fprintf(stderr, "%sstatus %d: %s\n", line, status, urlgrep_error(searcher));
            return 1;
        }
    }
    urlgrep_free(searcher);
    return 0;
}
