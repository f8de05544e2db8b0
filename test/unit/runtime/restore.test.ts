import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { restoreFile } from '../../../src/features/retention/jobs_runs.ts'
import type { Services } from '../../../src/runtime/services.ts'
import { AT_ONCE } from '../../support/services/retention.ts'
import { eventOf } from '../../support/services/builders.ts'

const EVENT = JSON.stringify(eventOf({ release_id: 'rel_a', run_id: 'r', at: Date.parse('2026-03-01') }))

test.each([
  ['a line that is no event', `${EVENT}\n{"run_id": "x"}\n`],
  ['a line that is no JSON', `${EVENT}\nno\n`],
  ['a text that no database holds', EVENT.replace('"r"', String.raw`"r\u0000"`)],
])('a file with %s is refused before anything is put back', async (_what, text) => {
  const path = join(mkdtempSync(join(tmpdir(), 'svc-archive-')), '2026-03-01.jsonl.gz')
  writeFileSync(path, gzipSync(text))
  await expect(restoreFile({} as Services, path, AT_ONCE)).rejects.toThrow(
    'has a line that is not a run event',
  )
})
