import { expect, test } from 'vitest'
import { makeWorkspace, runSvc } from '../../support/processes/cli.ts'

test('svc token revoke opens the service only where it is told to', async () => {
  const { folder } = makeWorkspace({})
  const svc = (...args: string[]) => runSvc(args, folder)
  for (const name of ['ci', 'ann']) await svc('token', 'create', name, '--role', 'read', '--yes')
  expect(await svc('token', 'revoke', 'ci')).toEqual({ code: 0, stdout: 'ci revoked\n', stderr: '' })
  const refused = await svc('token', 'revoke', 'ann')
  expect([refused.code, refused.stdout]).toEqual([1, ''])
  expect(refused.stderr).toMatch(/ann is the last named token: .* --open/)
  expect((await svc('token', 'list')).stdout).toMatch(/ann.*live/)
  expect(await svc('token', 'revoke', 'ann', '--open')).toEqual({
    code: 0,
    stdout: 'ann revoked\n',
    stderr: '',
  })
})
