import { expect, test } from 'vitest'
import { HOUR_MS, isoTime } from '../../../../src/base/time.ts'
import { makeWorkspace, withDatabase } from '../../../support/processes/cli.ts'
import { releaseOf } from '../../../support/services/builders.ts'

test('svc ledger accept-clock takes the time of a clock that was ahead off the ledger, on record', async () => {
  const workspace = makeWorkspace({
    freeze: [{ from: '2020-01-01', to: '2020-01-02', reason: 'fair' }],
  })
  const { svc, write } = workspace
  write('a/release.yaml', releaseOf())
  await svc('release', 'register', 'a')
  const accept = ['ledger', 'accept-clock', '--reason']
  expect(await svc(...accept, 'why not')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is nothing to accept: nothing in the ledger is later than '),
  })
  const ahead = Date.now() + HOUR_MS
  await withDatabase(workspace, db =>
    db.execute({ sql: 'UPDATE audit_head SET latest_at = ?', args: [ahead] }),
  )
  const { stdout, stderr } = await svc('doctor')
  expect(stdout + stderr).toMatch(/clock.*the audit log has an entry of .*accept-clock --reason WHY/)
  expect(await svc(...accept, ' ')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Give the reason why'),
  })
  const accepted = await svc(...accept, 'it was ahead on Monday', '--output', 'json')
  expect(JSON.parse(accepted.stdout)).toEqual({ now: expect.any(String), before: isoTime(ahead) })
  expect(await svc('doctor')).toMatchObject({ code: 0, stderr: expect.not.stringContaining('accept-clock') })
  expect((await svc('audit', 'log')).stdout).toMatch(/clock\.accepted.*it was ahead on Monday/)
})
