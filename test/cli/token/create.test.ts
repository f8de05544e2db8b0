import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { makeWorkspace, runSvc } from '../../support/processes/cli.ts'

const CREATE = ['token', 'create', 'ci', '--role', 'read'] as const

/** A terminal at which somebody types this. */
function typing(text: string) {
  return { stdin: Object.assign(Readable.from([text]), { isTTY: true }) as never }
}

test('svc token create says what the first one closes, and asks before it makes it', async () => {
  const { folder } = makeWorkspace({})
  const warning =
    /^svc: this is the first token\. After that, servers of this ledger answer only callers with a token: .*\n/
  const names = async (): Promise<string> => (await runSvc(['token', 'list'], folder)).stdout

  const alone = await runSvc(CREATE, folder)
  expect(alone).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(warning) })
  expect(alone.stderr).toContain('add --yes')
  const declined = await runSvc(CREATE, folder, typing('n\n'))
  expect(declined).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(warning) })
  expect(declined.stderr).toContain('Make it? [y/N] svc: no token was made\n')
  expect(await names()).toBe('')

  const made = await runSvc(CREATE, folder, typing('y\n'))
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^rgs_\w+\n$/) })
  expect(made.stderr).toMatch(warning)
  const second = await runSvc(['token', 'create', 'ann', '--role', 'read'], folder)
  expect(second).toMatchObject({ code: 0, stderr: expect.stringMatching(/^svc: token ann /) })
})

test('svc token create asks nothing with --yes, nor where a token is needed already', async () => {
  const { folder } = makeWorkspace({})
  expect(await runSvc([...CREATE, '--yes'], folder)).toMatchObject({ code: 0 })
  await runSvc(['token', 'revoke', 'ci', '--open'], folder)
  expect(await runSvc(CREATE, folder)).toMatchObject({ code: 1 })
  const closed = { env: { SERVICE_LOCAL_API_TOKEN: 'main-of-the-test' } }
  const made = await runSvc(CREATE, folder, closed)
  expect(made).toMatchObject({ code: 0, stderr: expect.stringMatching(/^svc: token ci /) })
})
