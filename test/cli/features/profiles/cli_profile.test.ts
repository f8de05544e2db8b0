import { chmodSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningService, makeWorkspace, runSvc, startService } from '../../../support/processes/cli.ts'

const TOKEN = 's3cret-T0ken'
const server = makeWorkspace({})
let service: RunningService
beforeAll(async () => {
  service = await startService(server, { env: { SERVICE_LOCAL_API_TOKEN: TOKEN } })
})
afterAll(() => service.stop())

const FILE = 'config/svc/profiles/prod.json'

/** A laptop without a ledger, whose user keeps profiles in `config/`. */
function makeLaptop() {
  const laptop = makeWorkspace()
  const env = { XDG_CONFIG_HOME: laptop.path('config') }
  const svc = (args: readonly string[], more: Record<string, string> = {}, input = '') =>
    laptop.svcWith({ env: { ...env, ...more }, input }, ...args)
  return {
    ...laptop,
    env,
    svc,
    set: (name: string, url: string, input: string) => svc(['profile', 'set', name, '--url', url], {}, input),
  }
}

describe.concurrent('svc profile', () => {
  test('keeps a URL and a token that nobody types again, for its owner alone', async () => {
    const { svc, set, path } = makeLaptop()
    const saved = await set('prod', `${service.url}/`, `${TOKEN}\n`)
    expect(saved).toEqual({
      code: 0,
      stdout: '',
      stderr: 'svc: saved with its token; use it with --profile prod or SERVICE_PROFILE=prod\n',
    })
    expect(statSync(path(FILE)).mode & 0o777).toBe(0o600)
    for (const [args, env] of [
      [['--profile', 'prod'], {}],
      [['--profile=prod'], { SERVICE_URL: 'http://127.0.0.1:9', SERVICE_LOCAL_API_TOKEN: 'another' }],
      [[], { SERVICE_PROFILE: 'prod' }],
    ] as const) {
      expect(await svc(['doctor', ...args], env)).toMatchObject({ code: 0, stderr: '' })
    }
    const write = await svc(['rollups', 'rebuild', '--profile', 'prod'])
    expect(write).toMatchObject({ code: 0, stderr: `svc: sending to ${service.url}\n` })
  })

  test('--url wins over SERVICE_PROFILE, with its own token', async () => {
    const { svc, set } = makeLaptop()
    await set('prod', 'http://127.0.0.1:9', TOKEN)
    const line = ['release', 'list', '--url', service.url]
    expect((await svc(line, { SERVICE_PROFILE: 'prod', SERVICE_LOCAL_API_TOKEN: TOKEN })).code).toBe(0)
    const refused = await svc(line, { SERVICE_PROFILE: 'prod' })
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(/^svc: .* Set the token of the profile, or SERVICE_LOCAL_API_TOKEN\.\n$/)
  })

  test('a profile without a token takes that of the environment', async () => {
    const { svc, set } = makeLaptop()
    expect((await set('prod', service.url, '')).stderr).toMatch(/^svc: saved without a token; /)
    const line = ['release', 'list', '--profile', 'prod']
    expect((await svc(line)).code).toBe(1)
    expect((await svc(line, { SERVICE_LOCAL_API_TOKEN: TOKEN })).code).toBe(0)
  })

  test('at a terminal it asks for the token, and never shows it', async () => {
    const { folder, env, svc, read } = makeLaptop()
    const stdin = Object.assign(new PassThrough(), { isTTY: true })
    const running = runSvc(['profile', 'set', 'prod', '--url', service.url], folder, { env, stdin })
    stdin.write(`${TOKEN}\n`)
    const { code, stdout, stderr } = await running
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toMatch(/^Token \(not shown; Enter for none\): \nsvc: saved with its token; /)
    expect(read(FILE)).toContain(TOKEN)
    expect((await svc(['release', 'list', '--profile', 'prod'])).code).toBe(0)
  })

  test('Ctrl-C or the end of the input at the question saves nothing', async () => {
    const { folder, env, has } = makeLaptop()
    for (const typed of ['\u0003', '\u0004']) {
      const stdin = Object.assign(new PassThrough(), { isTTY: true })
      const running = runSvc(['profile', 'set', 'prod', '--url', service.url], folder, { env, stdin })
      stdin.write(typed)
      expect(await running).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Nothing was saved.') as string,
      })
    }
    expect(has(FILE)).toBe(false)
  })

  test('lists what there is without tokens, and forgets what is removed', async () => {
    const { svc, set } = makeLaptop()
    await set('prod', 'https://b.example.com', TOKEN)
    await set('a.b-c', 'https://a.example.com/under/', '')
    const listed = await svc(['profile', 'list'])
    expect(listed.stdout).toBe('a.b-c\thttps://a.example.com/under\tno\nprod\thttps://b.example.com\tyes\n')
    const json = await svc(['profile', 'list', '--output', 'json'])
    expect(JSON.parse(json.stdout)).toEqual({
      profiles: [
        { name: 'a.b-c', url: 'https://a.example.com/under', has_token: false },
        { name: 'prod', url: 'https://b.example.com', has_token: true },
      ],
    })
    expect(listed.stdout + json.stdout).not.toContain(TOKEN)
    expect(await svc(['profile', 'remove', 'prod'])).toEqual({
      code: 0,
      stdout: 'prod removed\n',
      stderr: '',
    })
    expect((await svc(['profile', 'list'])).stdout).toMatch(/^a\.b-c\t[^\n]*\n$/)
    const typo = await svc(['release', 'list', '--profile', 'a.b-d'])
    expect(typo).toEqual({
      code: 1,
      stdout: '',
      stderr: 'svc: There is no profile a.b-d; did you mean a.b-c?\n',
    })
    expect((await svc(['profile', 'remove', 'prod'])).stderr).toBe(
      'svc: There is no profile prod; there are a.b-c\n',
    )
  })

  test('sets a profile anew, whatever was there', async () => {
    const { svc, set, write, path } = makeLaptop()
    write(FILE, `{"token": "${TOKEN}", broken`)
    chmodSync(path(FILE), 0o600)
    const broken = await svc(['release', 'list', '--profile', 'prod'])
    expect(broken.stderr).toMatch(
      /^svc: \S+prod\.json is not a valid profile; write it again with `svc profile set prod .*\n$/,
    )
    expect(broken.stderr).not.toContain(TOKEN)
    chmodSync(path(FILE), 0o644)
    await set('prod', service.url, TOKEN)
    expect(statSync(path(FILE)).mode & 0o777).toBe(0o600)
    expect((await svc(['release', 'list', '--profile', 'prod'])).code).toBe(0)
  })

  test('refuses a token that others can read', async () => {
    const { svc, set, path } = makeLaptop()
    await set('prod', service.url, TOKEN)
    chmodSync(path(FILE), 0o640)
    const { code, stderr } = await svc(['release', 'list', '--profile', 'prod'])
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^svc: Others can read the token in \S+prod\.json; chmod 600 it, and change the token\.\n$/,
    )
  })

  test('refuses a folder that others can write', async () => {
    const { svc, set, path } = makeLaptop()
    await set('prod', service.url, TOKEN)
    chmodSync(dirname(path(FILE)), 0o777)
    const { code, stderr } = await svc(['release', 'list', '--profile', 'prod'])
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^svc: Others can write profiles to \S+profiles; chmod 700 it, and check what is there\.\n$/,
    )
  })

  test.each([
    [['profile', 'set', 'prod', '--url', 'ftp://a'], TOKEN, '--url must be an http or https URL'],
    [['profile', 'set', 'prod', '--url', 'http://ann:secret@a'], TOKEN, '--url must have no user'],
    [['profile', 'set', 'prod', '--url', 'http://a'], 'two\nlines', 'A token is one line of ASCII'],
    [['profile', 'set', 'prod', '--url', 'http://a'], 'é', 'A token is one line of ASCII'],
    [['profile', 'set', '../prod', '--url', 'http://a'], TOKEN, 'A profile is named by'],
    [['release', 'list', '--profile', '../prod'], '', 'A profile is named by'],
    [['release', 'list', '--profile', 'prod', '--url', 'http://a'], '', '--url and --profile both name'],
    [
      ['release', 'list', '--profile', 'prod'],
      '',
      'There is no profile prod; make it with `svc profile set prod',
    ],
  ])('refuses %j', async (args, input, message) => {
    const { svc, has } = makeLaptop()
    const { code, stdout, stderr } = await svc(args, {}, input)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^svc: .*\n$/)
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('secret')
    expect(has('config')).toBe(false)
  })

  test('refuses an environment that names two services, or has no place for profiles', async () => {
    const { svc } = makeLaptop()
    const two = await svc(['release', 'list'], { SERVICE_URL: 'http://a', SERVICE_PROFILE: 'b' })
    expect(two.stderr).toBe('svc: SERVICE_URL and SERVICE_PROFILE both name a service; give one of them.\n')
    const homeless = await svc(['profile', 'list'], { XDG_CONFIG_HOME: '', HOME: '' })
    expect(homeless.stderr).toBe('svc: Profiles are kept in $HOME/.config/svc, and HOME is not set.\n')
  })
})
