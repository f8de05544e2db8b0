import { expect, test } from 'vitest'
import { makeWorkspace, runSvc } from '../../support/processes/cli.ts'

test('svc token revoke says when it was the last one, which opens the service', async () => {
  const { folder } = makeWorkspace({})
  const svc = (...args: string[]) => runSvc(args, folder)
  for (const name of ['ci', 'ann']) await svc('token', 'create', name, '--role', 'read', '--yes')
  expect(await svc('token', 'revoke', 'ci')).toEqual({ code: 0, stdout: 'ci revoked\n', stderr: '' })
  expect((await svc('token', 'revoke', 'ann')).stderr).toMatch(
    /^svc: no token is left: .* everybody can read/,
  )
})
