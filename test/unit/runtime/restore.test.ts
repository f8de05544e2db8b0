import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { restoreArchive } from '../../../src/features/retention/jobs_runs.ts'
import type { Services } from '../../../src/runtime/services.ts'
import { AT_ONCE } from '../../support/services/retention.ts'
import { eventOf } from '../../support/services/builders.ts'

const DAY = '2026-03-01'
const PATH = `${DAY}/rel_a.jsonl.gz`
const EVENT = JSON.stringify(eventOf({ release_id: 'rel_a', run_id: 'r', at: Date.parse(DAY) }))

/** An archive of one file, whose manifest is as somebody wrote it who can write there. */
function archived(event: string, more: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-archive-'))
  const packed = gzipSync(`${event}\n`)
  mkdirSync(join(folder, DAY))
  writeFileSync(join(folder, PATH), packed)
  const sha256 = createHash('sha256').update(packed).digest('hex')
  const file = { path: PATH, release_id: 'rel_a', day: DAY, events: 1, sha256, ...more }
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ kind: 'RunEventArchive', files: [file] }))
  return folder
}

test.each([
  ['a day that is none', EVENT, { day: 'x' }, /not the manifest/],
  ['a day that no calendar has', EVENT, { day: '2026-13-01' }, /not the manifest/],
  ['no day', EVENT, { day: undefined }, /not the manifest/],
  ['a file outside of it', EVENT, { path: '../rel_a.jsonl.gz' }, /not the manifest/],
  ['a line behind that is none', `${EVENT}\n{}`, {}, /holds a line that is no run event/],
  ['a text with a NUL', EVENT.replace('"r"', String.raw`"r\u0000"`), {}, /holds a line that is no run event/],
])('an archive with %s is refused before anything is put back', async (_what, event, more, message) => {
  // Whatever is asked of the ledger fails otherwise.
  const services = {} as Services
  await expect(restoreArchive(services, archived(event, more), AT_ONCE)).rejects.toThrow(message)
})
