import { integer, optional } from './fields.ts'

/** The query parameters of a list that is read in pages, newest first. */
export function pageFields(key: string) {
  return {
    limit: integer('Most entries to return.', { default: 50, min: 1, max: 500 }),
    after: optional(
      integer(`Only entries older than this ${key}: pass next_after to get the next page.`, {
        min: 0,
        max: Number.MAX_SAFE_INTEGER,
      }),
    ),
  }
}
