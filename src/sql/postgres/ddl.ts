/** A migration as PostgreSQL takes it, from the text of SQLite: the same tables with other types. */
export function postgresText(text: string): string {
  return TYPES.reduce((changed, [sqlite, postgres]) => changed.replaceAll(sqlite, postgres), text)
}

const IDENTITY = 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY'

/** Types of SQLite, and what PostgreSQL has in their place, the longest first. A bare `id` counts by itself in SQLite. */
const TYPES: readonly (readonly [RegExp, string])[] = [
  [/\bINTEGER PRIMARY KEY AUTOINCREMENT/g, IDENTITY],
  [/(?<=^ {2}id )INTEGER PRIMARY KEY(?=,$)/gm, IDENTITY],
  [/\bINTEGER\b/g, 'BIGINT'],
  [/\bTEXT\b/g, 'TEXT COLLATE "C"'],
  [/\bREAL\b/g, 'DOUBLE PRECISION'],
  [/\) STRICT(?:, WITHOUT ROWID)?;/g, ');'],
]
