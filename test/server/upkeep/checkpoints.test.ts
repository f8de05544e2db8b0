import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeLogged } from '../../../src/ledger/trail/write_logged.ts'
import { checkpointNow, consistencyFrom } from '../../../src/features/proofs/checkpoint.ts'
import { treeOf } from '../../../src/features/proofs/tree.ts'
import { fromBase64 } from '../../../src/base/bytes.ts'
import { newMemo } from '../../../src/ledger/world/memo.ts'
import { isExtendedBy } from '../../support/merkle.ts'
import { readCheckpoint } from '../../../src/features/proofs/rules_checkpoint.ts'
import { runCheckpoints } from '../../../src/features/proofs/jobs_checkpoints.ts'
import { tamper } from '../../support/databases/tampering/tamper.ts'
import { temporaryFolder } from '../../support/databases/ledger.ts'
import { makeReceiver } from '../../support/services/receiver.ts'
import { type TestService, testService } from '../../support/services/service.ts'
import { sql } from '../../../src/sql/port.ts'
import { NOTHING } from '../../../src/sql/query.ts'

/** Puts entries into the log, as one change. */
async function append({ context }: TestService, count: number): Promise<void> {
  const id = context.newId('tst_')
  await writeLogged(context, NOTHING, () => ({
    id,
    revises: 'none',
    entries: Array.from({ length: count }, (_, index) => ({
      kind: 'server.started' as const,
      subject: `${id} ${index}`,
      actor: { name: 'test', source: 'service' as const },
      reason: null,
      created_at: context.now(),
      fact: null,
      details: {},
    })),
    write: () => [],
    done: true,
  }))
}

test('what a process keeps of the log gives the same roots and proofs as reading it anew', async () => {
  const service = await testService()
  const warm = service.context
  const cold = () => ({ ...warm, memo: newMemo() })
  const kept: { size: number; root_hash: string }[] = []
  for (const count of [1, 254, 1, 1, 255, 1024, 3]) {
    await append(service, count)
    const [made, rebuilt] = [await checkpointNow(warm), await checkpointNow(cold())]
    expect(made).toEqual(rebuilt)
    kept.push(made)
  }
  const last = kept.at(-1)!
  expect([last.size, treeOf(warm.memo).blocks.length]).toEqual([1539, 6])
  for (const { size, root_hash } of kept) {
    const { proof } = await consistencyFrom(warm, size)
    const [before, tree] = [size, last.size].map((n, at) => ({
      size: n,
      root: fromBase64(at === 0 ? root_hash : last.root_hash)!,
    }))
    expect(
      await isExtendedBy(
        before!,
        tree!,
        proof.map(text => fromBase64(text)!),
      ),
    ).toBe(true)
  }
})

test('a log that is not the one that was read before is read anew, and told', async () => {
  const service = await testService()
  await append(service, 300)
  await checkpointNow(service.context)
  // As a ledger that is restored to a time before, under a running server.
  await tamper(service.sql, 'audit_log', sql`DELETE FROM audit_log WHERE log_seq > 100`)
  await service.sql.batch([
    sql`UPDATE audit_head SET log_seq = 100, log_hash = (SELECT hash FROM audit_log WHERE log_seq = 100)`,
  ])
  expect(await checkpointNow(service.context)).toMatchObject({ size: 100 })
  await append(service, 200)
  expect(await checkpointNow(service.context)).toEqual(
    await checkpointNow({ ...service.context, memo: newMemo() }),
  )
  expect(service.logged).toContainEqual(
    expect.objectContaining({ level: 'warn', message: expect.stringContaining('restored, or rewritten') }),
  )
})

/** A service that puts checkpoints somewhere, at once. */
async function putting(checkpoints: string, more: Parameters<typeof testService>[0] = {}) {
  const folder = temporaryFolder()
  const service = await testService({ workspace: { audit: { checkpoints } }, ...more })
  await append(service, 2)
  const run = (): ReturnType<typeof runCheckpoints> =>
    runCheckpoints({ ...service.context, nextTurn: async () => {} }, { folder, firstMs: 1 })
  return { service, folder, run }
}

test('a server appends a checkpoint to a file, for its owner alone, and a new one where the log has grown', async () => {
  const { service, folder, run } = await putting('kept.txt')
  const file = join(folder, 'kept.txt')
  const read = (): string => {
    try {
      return readFileSync(file, 'utf8')
    } catch {
      return ''
    }
  }
  const first = run()
  await expect.poll(read).not.toBe('')
  await first.stop()
  expect(statSync(file).mode & 0o777).toBe(0o600)
  await append(service, 1)
  const second = run()
  onTestFinished(() => second.stop())
  await expect.poll(read).toContain('\n3\n')
  const [one, two, end] = read().split('\n\n')
  expect([readCheckpoint(`${one}\n`)?.size, readCheckpoint(`${two}\n`)?.size, end]).toEqual([2, 3, ''])
})

test('a server posts a checkpoint to a URL; what fails is logged, and stopping does not wait', async () => {
  const receiver = makeReceiver({ status: 500, text: '' })
  const { service, run } = await putting('https://witness.example/log', { send: receiver.send })
  const runner = run()
  await expect.poll(() => service.logged.map(({ level }) => level)).toContain('error')
  await runner.stop()
  expect(service.logged).toContainEqual(
    expect.objectContaining({ level: 'error', message: 'the audit log has no new checkpoint' }),
  )
  const [{ url, headers, body }] = receiver.sent as [(typeof receiver.sent)[0]]
  expect([url, headers]).toEqual([
    'https://witness.example/log',
    { 'content-type': 'text/plain; charset=utf-8' },
  ])
  expect(readCheckpoint(body)).toMatchObject({ size: 2 })
})

test.each([
  ['http://169.254.169.254/latest', /link-local/],
  ['https://user:secret@witness.example/', /user or password/],
])('checkpoints do not go to %s', async (checkpoints, says) => {
  const { run } = await putting(checkpoints)
  expect(run).toThrow(says)
})
