/* liburlgrep: finds every URL in mail and Usenet text. README.md describes it. */

#ifndef URLGREP_H
#define URLGREP_H

/* Made by cbindgen from the comments in src. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The stream of the Arrow C data interface. Your Arrow library has its definition. */
struct ArrowArrayStream;

/*
 The version of the binary interface. It is also the number in the name of the
 shared library, and it changes if a program must be compiled again.
 */
#define URLGREP_ABI 1

/*
 The result of a call.
 */
typedef enum urlgrep_status {
  /*
   Everything was searched.
   */
  URLGREP_OK = 0,
  /*
   The callback ended the search.
   */
  URLGREP_STOPPED = 1,
  /*
   An option, a value, a field or a pointer is wrong. urlgrep_error() says which.
   */
  URLGREP_INVALID = 2,
  /*
   The searcher is in use, by its own callback or by another thread. Nothing was
   done.
   */
  URLGREP_BUSY = 3,
  /*
   A fault of urlgrep. The searcher can be used again.
   */
  URLGREP_FAILED = 4
} urlgrep_status;

/*
 A URL and its place. It is valid until the callback returns, and so are all texts
 that come from it.
 */
typedef struct urlgrep_hit urlgrep_hit;

/*
 Searches texts, messages and files. It keeps its memory for the next search, so use
 one for many. Several threads need a searcher each.
 */
typedef struct urlgrep_searcher urlgrep_searcher;

/*
 Receives a hit. It returns 0 to continue, and any other number to end the search.
 It must return: no longjmp() and no C++ exception may leave it.
 */
typedef int (*urlgrep_callback)(const struct urlgrep_hit *hit, void *user);

/*
 A text. It is not ended by a NUL, and may contain any byte. `data` is NULL if there
 is no text, and not NULL if the text is empty.
 */
typedef struct urlgrep_text {
  /*
   The first byte.
   */
  const char *data;
  /*
   The number of bytes.
   */
  size_t len;
} urlgrep_text;

/*
 One of the items of a list. What a list does not have is NULL or 0.
 */
typedef struct urlgrep_item {
  /*
   The kind of a seam or of an alternate, the name of a component, a doubt, a
   caution.
   */
  struct urlgrep_text name;
  /*
   The URL of an alternate, the value of a component.
   */
  struct urlgrep_text value;
  /*
   The offset of the first byte of a segment or a seam.
   */
  uint64_t start;
  /*
   The offset after its last byte.
   */
  uint64_t end;
  /*
   The offset in the URL at which a seam was removed.
   */
  uint64_t at;
  /*
   The number of bytes of the URL that replace a seam.
   */
  uint64_t len;
} urlgrep_item;

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/*
 Returns URLGREP_ABI as it was when the library was compiled. A program that loads
 the library at run time compares it with its own URLGREP_ABI.
 */
uint32_t urlgrep_abi(void);

/*
 Returns the version of urlgrep, such as "0.2.0".
 */
const char *urlgrep_version(void);

/*
 Returns a new searcher with the default options, to be freed by urlgrep_free(). It is
 NULL only after a fault of urlgrep.
 */
struct urlgrep_searcher *urlgrep_new(void);

/*
 Frees a searcher. Does nothing if it is NULL. A searcher must not be used after this
 call. A searcher that is freed by its own callback is never freed.

 # Safety

 `searcher` is NULL or from urlgrep_new(), and is not used again.
 */
void urlgrep_free(struct urlgrep_searcher *searcher);

/*
 Sets an option for the searches that follow. README.md lists the options. An unknown
 option or a wrong value changes nothing.

 # Safety

 `searcher` is from urlgrep_new(). `option` and `value` are ended by a NUL.
 */
enum urlgrep_status urlgrep_set(struct urlgrep_searcher *searcher,
                                const char *option,
                                const char *value);

/*
 Gives an option its default value again, for the searches that follow. A filter that
 is not set accepts every hit.

 # Safety

 `searcher` is from urlgrep_new(). `option` is ended by a NUL.
 */
enum urlgrep_status urlgrep_unset(struct urlgrep_searcher *searcher, const char *option);

/*
 Describes the last call of this searcher that returned URLGREP_INVALID or
 URLGREP_FAILED, ended by a NUL. The text is valid until the next call.

 # Safety

 `searcher` is from urlgrep_new().
 */
const char *urlgrep_error(const struct urlgrep_searcher *searcher);

/*
 Finds the URLs of a text, without looking for messages in it. Calls `callback` for
 each, in order.

 # Safety

 `searcher` is from urlgrep_new(). `text` has `len` bytes, which nobody changes during
 the call. It may be NULL if `len` is 0.
 */
enum urlgrep_status urlgrep_find(struct urlgrep_searcher *searcher,
                                 const char *text,
                                 size_t len,
                                 urlgrep_callback callback,
                                 void *user);

/*
 Finds the URLs of one message: of the header fields that people write, and of its
 decoded parts. Calls `callback` for each.

 # Safety

 As for urlgrep_find().
 */
enum urlgrep_status urlgrep_message(struct urlgrep_searcher *searcher,
                                    const char *message,
                                    size_t len,
                                    urlgrep_callback callback,
                                    void *user);

/*
 Returns a text, a name or a date of a hit. `field` is a key of `urlgrep --json`, such
 as "url", "canonical" or "from", or a field of its templates, such as "year". The
 text is as it was found: it need not be UTF-8. `data` is NULL if the hit has no such
 value.

 A field that does not exist, or has another type, ends the search with
 URLGREP_INVALID when the callback returns.

 # Safety

 `hit` is a hit whose callback has not returned. `field` is ended by a NUL.
 */
struct urlgrep_text urlgrep_hit_text(const struct urlgrep_hit *hit, const char *field);

/*
 Writes what urlgrep_hit_text() returns to `text`, for languages whose calls cannot
 return a struct, such as Ruby's Fiddle. Returns false if the hit has no such value, and
 then writes nothing.

 # Safety

 As for urlgrep_hit_text(). `text` can be written to.
 */
bool urlgrep_hit_text_to(const struct urlgrep_hit *hit,
                         const char *field,
                         struct urlgrep_text *text);

/*
 Writes a number of a hit to `number`, such as "line", "offset" or "port". A flag is 0
 or 1, and a date is in seconds since 1970. Returns false if the hit has no such
 value, and then writes nothing.

 # Safety

 As for urlgrep_hit_text(). `number` can be written to.
 */
bool urlgrep_hit_number(const struct urlgrep_hit *hit, const char *field, int64_t *number);

/*
 Writes the item `index`, from 0, of a list of a hit to `item`: "segments", "seams",
 "alternates", "doubt", "cautions", "components", "decoded", "decoded.segments" or
 "decoded.seams". Returns false if there is no such item, and then writes nothing.

 # Safety

 As for urlgrep_hit_text(). `item` can be written to.
 */
bool urlgrep_hit_item(const struct urlgrep_hit *hit,
                      const char *field,
                      size_t index,
                      struct urlgrep_item *item);

/*
 Searches files and folders, also compressed ones, and writes to `out` a stream of rows
 as Arrow data. The columns are the keys of `urlgrep --json`, or those of the option
 "fields". An input that cannot be read is a row whose type is "error".

 Files are read when the first batch is requested, by as many threads as the option
 "threads" says. The stream does not need the searcher any more. Its release() ends
 the search, and waits for the threads.

 # Safety

 `searcher` is from urlgrep_new(). `paths` has `count` strings, each
 ended by a NUL. `out` can be written to; its previous content is not released.
 */
enum urlgrep_status urlgrep_scan(struct urlgrep_searcher *searcher,
                                 const char *const *paths,
                                 size_t count,
                                 struct ArrowArrayStream *out);

#ifdef __cplusplus
}  /* extern "C" */
#endif  /* __cplusplus */

#endif  /* URLGREP_H */
