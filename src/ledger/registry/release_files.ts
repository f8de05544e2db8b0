import { badRequest } from '../../base/errors.ts'
import { fitsBytes } from '../../base/text.ts'
import type { BundleFiles } from '../../models/documents/bundle_files.ts'
import { type Row, type Sql, type Statement, sql } from '../../sql/port.ts'
import { sha256 } from '../../base/bytes.ts'
import { MOST_STORED_BYTES } from '../../rules/checksum.ts'

/** Most bytes of a path. */
const PATH_BYTES = 512

/** Throws 400 where a text is not what its hash says, or there is too much to keep. */
export async function checkFiles(files: BundleFiles): Promise<void> {
  const texts = Object.entries(files).flatMap(([path, { sha256: hash, text }]) =>
    text == null ? [] : [{ path, hash, text }],
  )
  const long = Object.keys(files).find(path => path === '' || !fitsBytes(path, PATH_BYTES))
  if (long !== undefined) throw badRequest(`A path of a file must have 1 to ${PATH_BYTES} bytes.`)
  const bytes = texts.reduce((sum, { text }) => sum + new TextEncoder().encode(text).length, 0)
  if (bytes > MOST_STORED_BYTES) {
    throw badRequest(
      `The texts of the files have ${bytes} bytes; at most ${MOST_STORED_BYTES} are kept. Send the hashes alone.`,
    )
  }
  for (const { path, hash, text } of texts) {
    if ((await sha256(text)) !== hash) {
      throw badRequest(`The text of ${path} is not what its sha256 says; text has LF line ends.`)
    }
  }
}

/** The rows that are kept of them. */
export function fileRows(files: BundleFiles): Row[] {
  return Object.entries(files).map(([path, { sha256: hash, bytes, text = null }]) => ({
    path,
    sha256: hash,
    bytes,
    text,
  }))
}

/** Keeps what was told of a release's files, in the batch that registers it: nothing where its guard was lost. */
export function storeFilesStatement(
  dialect: Sql['dialect'],
  releaseId: string,
  files: BundleFiles,
  guard: Statement,
): Statement {
  const json = JSON.stringify(files)
  const given =
    dialect === 'postgres'
      ? sql`jsonb_each(CAST(CAST(${json} AS TEXT) AS JSONB)) AS given`
      : sql`json_each(${json}) AS given`
  return sql`INSERT INTO release_files (release_id, path, sha256, bytes, text)
    SELECT ${releaseId}, given.key, given.value ->> 'sha256', CAST(given.value ->> 'bytes' AS BIGINT),
      given.value ->> 'text'
    FROM ${given} WHERE ${guard}`
}

/**
 * True for a row of `releases` that was registered with these files and no others. A checksum alone doesn't say so: it
 * has no lengths in it, so bundles with NUL bytes may share one (docs/checksum.md).
 */
export function hasFiles(dialect: Sql['dialect'], files: BundleFiles): Statement {
  const hashes = Object.entries(files).map(([path, file]) => [path, file.sha256] as const)
  const json = JSON.stringify(Object.fromEntries(hashes))
  const given =
    dialect === 'postgres'
      ? sql`jsonb_each_text(CAST(CAST(${json} AS TEXT) AS JSONB)) AS given`
      : sql`json_each(${json}) AS given`
  const count = sql`CAST(${hashes.length} AS BIGINT)`
  return sql`(SELECT count(*) FROM release_files f WHERE f.release_id = releases.release_id) = ${count}
    AND (SELECT count(*) FROM release_files f JOIN ${given} ON given.key = f.path AND given.value = f.sha256
      WHERE f.release_id = releases.release_id) = ${count}`
}
