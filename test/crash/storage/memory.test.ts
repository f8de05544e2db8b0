import { expect, test } from 'vitest'
import { openLibsql } from '../../../src/sql/libsql/libsql.ts'
import { join } from 'node:path'
import { temporaryFolder } from '../../support/databases/ledger.ts'
import { start } from '../../support/processes/processes.ts'
import { expectSound } from '../verify.ts'

test('a thread of the ledger that runs out of memory is started again', async () => {
  const folder = temporaryFolder()
  const running = start(
    'out_of_memory.ts',
    { place: { folder } },
    { NODE_OPTIONS: '--max-old-space-size=100' },
  )
  expect(await running.ended).toMatchObject({ code: 0, stderr: '' })
  const failed = 'its thread failed, and is started again'
  const works = [{ ready: 200 }, { written: 200 }]
  expect(running.lines).toEqual([
    { name: 'read', kind: `unavailable: ${failed}` },
    // It may have been committed by then, so no answer says that it was not.
    { name: 'beside', kind: expect.stringMatching(/^(?:done|uncertain: )$/) },
    ...works,
    { name: 'write', kind: 'uncertain: ' },
    ...works,
    { name: 'background', kind: `unavailable: ${failed}` },
    ...works,
  ])
  const path = join(folder, '.service/service.db')
  const db = await openLibsql({ path, busyTimeoutMs: 5000, lockRetryMs: 5000 })
  await expectSound(db)
  await db.close()
})
