import { describe, expect, test } from 'vitest'
import { releaseIds } from '../../../src/cli/release/reference.ts'
import { processIo } from '../../../src/cli/terminal/io.ts'
import type { Api } from '../../../src/cli/service/api.ts'
import { releaseOf } from '../../support/services/builders.ts'
import { SMALL_SAMPLES, copyOf, twoReleases } from '../../support/processes/cli.ts'

const made = await twoReleases(SMALL_SAMPLES)
const { baseline, candidate } = made
const ARGS = ['--window', '1h'] as const
const DECISION = ['--env', 'local', ...ARGS, '--reason', 'r'] as const

describe.concurrent('a release', () => {
  test('may be named by its version wherever an id is asked for; a note says which it is', async () => {
    const { svc, write } = copyOf(made.workspace)
    const note = `svc: 2 is ${candidate} (bot 2 for local)\n`
    const shown = await svc('release', 'show', '2')
    expect([JSON.parse(shown.stdout).release_id, shown.stderr]).toEqual([candidate, note])
    const diff = await svc('release', 'diff', '1', '2', ...ARGS)
    expect(diff.stdout).toContain(`${baseline}  ${candidate}`)
    expect(diff.stderr).toBe(`svc: 1 is ${baseline} (bot 1 for local)\n${note}`)
    expect((await svc('runs', 'list', '2', ...ARGS)).stderr).toContain(`${note}svc: 10 of 10 matching events`)
    expect((await svc('runs', 'export', '2', ...ARGS)).stdout.split('\n')).toHaveLength(11)
    expect((await svc('release', 'verify', '2', '--path', 'candidate')).code).toBe(0)
    expect((await svc('release', 'promote', '1', ...DECISION)).stdout).toContain(`PROMOTED  ${baseline}`)
    expect((await svc('release', 'promote', '2', ...DECISION)).stdout).toContain(`PROMOTED  ${candidate}`)
    expect((await svc('release', 'rollback', '1', ...DECISION)).stdout).toContain(`ROLLED BACK  ${baseline}`)
    write('service.yaml', { ...SMALL_SAMPLES, promotion_requires_approval: true })
    expect((await svc('release', 'promote-request', '2', ...DECISION)).stdout).toMatch(/^request_id=prq_/)
  })

  test('may be named by the beginning of its id', async () => {
    const { svc } = copyOf(made.workspace)
    const beginning = baseline.slice(0, 14)
    const { stdout, stderr } = await svc('release', 'show', beginning)
    expect(JSON.parse(stdout).release_id).toBe(baseline)
    expect(stderr).toBe(`svc: ${beginning} is ${baseline} (bot 1 for local)\n`)
  })

  test('that may be one of several is refused with the candidates, and nothing is decided', async () => {
    const { svc, ok, write } = copyOf(made.workspace)
    write('cat.yaml', releaseOf({ agent: 'cat', version: '2' }))
    const cat = await ok('release', 'register', 'cat.yaml', '--env', 'prod')
    expect(await svc('release', 'promote', '2', ...DECISION)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'svc: 2 matches 2 releases; name one by its id: ' +
        `${cat} (cat 2 for prod), ${candidate} (bot 2 for local).\n`,
    })
    expect(await ok('release', 'history')).toBe('')
  })

  test('that is registered for several environments is the one of --env', async () => {
    const { svc, ok, write } = copyOf(made.workspace)
    write('again.yaml', releaseOf({ agent: 'bot', version: '2' }))
    const prod = await ok('release', 'register', 'again.yaml', '--env', 'prod')
    const gate = async (environment: string) =>
      (await svc('release', 'gate', '2', '--env', environment, ...ARGS)).stderr
    expect(await gate('prod')).toContain(`svc: 2 is ${prod} (bot 2 for prod)\n`)
    expect(await gate('local')).toContain(`svc: 2 is ${candidate} (bot 2 for local)\n`)
    expect(await gate('staging')).toContain('2 matches 2 releases')
    expect((await svc('release', 'show', '2')).stderr).toContain('2 matches 2 releases')
  })

  test.each([['3'], ['1.'], ['rel_'], ['rel_000000000000'], ['rel_zz'], ['x y']])(
    'that is none is what the service says: %s',
    async typed => {
      const { svc } = copyOf(made.workspace)
      expect(await svc('release', 'show', typed)).toEqual({
        code: 1,
        stdout: '',
        stderr: `svc: Unknown release: ${typed}\nsvc: \`svc release list\` lists releases; give a full id, the beginning of an id, or a version\n`,
      })
    },
  )
})

test('by its whole id costs no call', async () => {
  const none: Api = {
    target: '',
    send: () => Promise.reject(new Error('called')),
    backup: async () => {},
    close: async () => {},
  }
  const ids = [baseline, 'rel_000000000000']
  expect(await releaseIds(ids, none, processIo())).toEqual(ids)
})

test('a version that looks like the beginning of another is not it', async () => {
  const { svc, ok, write } = copyOf(made.workspace)
  write('a.yaml', releaseOf({ version: '1.10' }))
  await ok('release', 'register', 'a.yaml')
  expect((await svc('release', 'show', '1.1')).stderr).toBe(
    'svc: Unknown release: 1.1\nsvc: `svc release list` lists releases; give a full id, the beginning of an id, or a version\n',
  )
})
