import type { Sql } from './port.ts'

/** A migration as it is written; PostgreSQL has a text of its own where more than the types differs. */
export interface MigrationTexts {
  readonly sqlite: string
  readonly postgres?: string
}

export function migrationText(dialect: Sql['dialect'], { sqlite, postgres }: MigrationTexts): string {
  return (dialect === 'postgres' ? postgres : undefined) ?? ddlOf(dialect, sqlite)
}

/**
 * A migration as a database takes it. Its text has the types of SQLite, and of a table whose rows never change
 * `APPEND ONLY table (condition on NEW) SAYING 'why'`, where the condition finds a row that an insert would replace.
 */
function ddlOf(dialect: Sql['dialect'], text: string): string {
  if (dialect === 'sqlite') return text.replaceAll(APPEND_ONLY, (_, ...parts: string[]) => triggersOf(parts))
  return TYPES.reduce((changed, [sqlite, postgres]) => changed.replaceAll(sqlite, postgres), text)
}

const APPEND_ONLY = /^APPEND ONLY (\w+) \((.+)\) SAYING ('[^']+');$/gm

/** The last of them: REPLACE deletes what is in its way without asking the triggers for that. */
function triggersOf([table, isThere, why]: readonly string[]): string {
  const refuse = `BEGIN\n  SELECT RAISE(ABORT, ${why});\nEND;`
  return [
    `CREATE TRIGGER ${table}_no_update BEFORE UPDATE ON ${table}\n${refuse}`,
    `CREATE TRIGGER ${table}_no_delete BEFORE DELETE ON ${table}\n${refuse}`,
    `CREATE TRIGGER ${table}_no_replace BEFORE INSERT ON ${table}
WHEN EXISTS (SELECT 1 FROM ${table} WHERE ${isThere})\n${refuse}`,
  ].join('\n\n')
}

const IDENTITY = 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY'

/** What PostgreSQL has in place of SQLite's, the longest first. A bare `id` counts by itself in SQLite. */
const TYPES: readonly (readonly [RegExp, string])[] = [
  [
    APPEND_ONLY,
    'CREATE TRIGGER $1_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON $1\nFOR EACH STATEMENT EXECUTE FUNCTION refuse_change($3);',
  ],
  [/\bINTEGER PRIMARY KEY AUTOINCREMENT/g, IDENTITY],
  [/(?<=^ {2}id )INTEGER PRIMARY KEY(?=,$)/gm, IDENTITY],
  [/\bINTEGER\b/g, 'BIGINT'],
  [/\bTEXT\b/g, 'TEXT COLLATE "C"'],
  [/\bREAL\b/g, 'DOUBLE PRECISION'],
  [/\) STRICT(?:, WITHOUT ROWID)?;/g, ');'],
]
