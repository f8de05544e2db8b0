import { rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { PRICES, releaseOf } from '../../support/services/builders.ts'
import { makeWorkspace, startService } from '../../support/processes/cli.ts'

const ID_LINE = /^rel_[0-9a-f]+\n$/

describe.concurrent('svc release register', () => {
  test('prints the id and nothing else, for a file and for a folder', async () => {
    const { svc, write } = makeWorkspace({})
    write('single.yaml', releaseOf({ version: '1' }))
    write('bundle/release.yaml', releaseOf({ version: '2' }))
    for (const path of ['single.yaml', 'bundle', './bundle/']) {
      const { code, stdout } = await svc('release', 'register', path)
      expect(code).toBe(0)
      expect(stdout).toMatch(ID_LINE)
    }
  })

  test('makes a new release each time, and notes on stderr that the bundle is known', async () => {
    const { svc, write, ok } = makeWorkspace({})
    write('bundle/release.yaml', releaseOf())
    const first = await svc('release', 'register', 'bundle')
    expect(first.stderr).not.toContain('before')
    const second = await svc('release', 'register', 'bundle', '--env', 'prod')
    expect(second.code).toBe(0)
    expect(second.stdout).toMatch(ID_LINE)
    expect(second.stdout).not.toBe(first.stdout)
    expect(second.stderr).toContain(`svc: the same bundle was registered before as ${first.stdout}`)
    expect((await ok('release', 'list')).split('\n')).toHaveLength(2)
  })

  test('--reuse prints the id that the bundle has already for the environment', async () => {
    const { svc, write } = makeWorkspace({})
    write('bundle/release.yaml', releaseOf())
    write('bundle/prompts/a.md', 'be kind')
    const reuse = (...more: string[]) => svc('release', 'register', 'bundle', '--reuse', ...more)
    const first = await reuse()
    expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(ID_LINE) })
    expect(first.stderr).not.toContain('reused')
    const again = await reuse()
    expect(again).toMatchObject({ code: 0, stdout: first.stdout })
    expect(again.stderr).toMatch(/svc: registered already, at \d{4}-\S+Z; it is reused\n$/)
    expect((await reuse('--env', 'prod')).stdout).not.toBe(first.stdout)
    expect(JSON.parse((await reuse('--output', 'json')).stdout)).toMatchObject({ reused: true })
    write('bundle/prompts/a.md', 'be brief')
    expect((await reuse()).stdout).not.toBe(first.stdout)
  })

  test('says on stderr that the price table is still missing', async () => {
    const { svc, write, ok } = makeWorkspace({})
    write('release.yaml', releaseOf())
    const early = await svc('release', 'register', 'release.yaml')
    expect(early.code).toBe(0)
    expect(early.stderr).toMatch(/^svc: price table acme\/v1 is not imported yet;.*\n$/)
    write('prices.yaml', PRICES)
    await ok('pricing', 'import', 'prices.yaml')
    const later = await svc('release', 'register', 'release.yaml')
    expect(later.stderr).not.toContain('not imported')
    expect(later.stderr).toContain('svc: price table acme/v1: cached input of m1 costs nothing; give ')
  })

  test('keeps a quoted version exactly and explains one that is a number', async () => {
    const { svc, write, ok } = makeWorkspace({})
    const text = (version: string): string =>
      `api_version: v1\nkind: Release\nmetadata: {name: bot, version: ${version}}\n` +
      'spec:\n  agent: {agent_id: bot}\n  runtime: {provider: p, model: m}\n' +
      '  pricing_reference: {provider: p, pricing_version: "1"}\n'
    write('good.yaml', text("'1.10'"))
    write('bad.yaml', text('1.10'))
    const id = await ok('release', 'register', 'good.yaml')
    expect(await ok('release', 'list')).toContain(`${id}\tbot\t1.10\tlocal\t`)
    const { code, stdout, stderr } = await svc('release', 'register', 'bad.yaml')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^svc: \S*bad\.yaml: metadata\.version must be a string.*put quotes around .*\n$/)
  })

  test('warns of prompts and manifests that the bundle does not hold', async () => {
    const { svc, write } = makeWorkspace({})
    const release = releaseOf()
    const prompts = { system_ref: './prompts/system.md', template_refs: ['prompts/gone.md'] }
    write('bundle/release.yaml', {
      ...release,
      spec: { ...release.spec, prompts, tools: { manifest_ref: 'tools.json' } },
    })
    write('bundle/prompts/system.md', 'Be kind.\n')
    const { code, stdout, stderr } = await svc('release', 'register', 'bundle')
    expect(code).toBe(0)
    expect(stdout).toMatch(ID_LINE)
    expect(stderr).toContain('svc: the release names prompts/gone.md, which is not in the bundle\n')
    expect(stderr).toContain('svc: the release names tools.json, which is not in the bundle\n')
    expect(stderr).not.toContain('system.md')
    const alone = await svc('release', 'validate', 'bundle/release.yaml')
    expect(alone.stderr).toContain(
      'svc: the release names prompts/gone.md, which is not in the bundle: only this file is registered; give its folder',
    )
  })

  test('validate needs no ledger, and gives the checksum that registration gives', async () => {
    const { svc, write, has, ok } = makeWorkspace()
    write('bundle/release.yaml', {
      ...releaseOf({ version: '1.10' }),
      metadata: { name: 'n', version: '1.10' },
    })
    write('bundle/prompt.md', 'Be kind.\n')
    const { code, stdout, stderr } = await svc('release', 'validate', 'bundle')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^ok bot 1\.10, 2 files, [0-9a-f]{64}\n$/)
    expect(has('.service')).toBe(false)
    write('service.yaml', {})
    const { release_id, checksum } = JSON.parse(
      await ok('release', 'register', 'bundle', '--output', 'json'),
    ) as { release_id: string; checksum: string }
    expect(release_id).toMatch(/^rel_/)
    expect(stdout).toContain(checksum)
  })

  test('validate asks a service that is named for the price of the model, and says what registering would', async () => {
    const workspace = makeWorkspace({})
    const { svc, ok, write } = workspace
    write('prices.yaml', PRICES)
    write('empty.yaml', { ...PRICES, pricing_version: 'v0', entries: [] })
    await ok('pricing', 'import', 'prices.yaml')
    const empty = await svc('pricing', 'import', 'empty.yaml')
    expect(empty.stderr).toMatch(/^svc: warning: price table acme\/v0 has no entries: a diff /)
    const cases = [
      ['m1', 'v1', /^svc: price table acme\/v1: cached input of m1 costs nothing; give [^;]*\n$/],
      ['m9', 'v1', /^svc: price table acme\/v1 has no price for m9, the model of this release; /],
      [
        'm2',
        'v1',
        /^svc: price table acme\/v1: m2 costs 2 USD per 1,000 input tokens, which is 2000 USD per million; /,
      ],
      ['m1', 'v0', /^svc: price table acme\/v0 has no price for m1, /],
      ['m1', 'v9', /^svc: price table acme\/v9 is not imported yet; /],
    ] as const
    const { url } = await startService(workspace)
    for (const [model, pricing, expected] of cases) {
      write('release.yaml', releaseOf({ model, pricing }))
      expect(await svc('release', 'validate', 'release.yaml')).toMatchObject({ code: 0, stderr: '' })
      const validated = await svc('release', 'validate', 'release.yaml', '--url', url)
      expect(validated).toMatchObject({ code: 0, stderr: expect.stringMatching(expected) })
      const registered = await svc('release', 'register', 'release.yaml', '--url', url)
      expect(registered.stderr.split('\n')).toEqual(expect.arrayContaining(validated.stderr.split('\n')))
    }
  })

  test('warns of a bundle that holds the ledger: it could never be verified', async () => {
    const { svc, write } = makeWorkspace({})
    write('release.yaml', releaseOf())
    write('.service/kept', '')
    const { code, stdout, stderr } = await svc('release', 'register', '.')
    expect(code).toBe(0)
    expect(stderr).toContain('svc: the bundle contains .service/, so its checksum changes with the ledger;')
    expect((await svc('release', 'verify', stdout.trim(), '--path', '.')).code).toBe(2)
  })

  test('refuses what is no release and registers nothing', async () => {
    const { svc, write, ok } = makeWorkspace({})
    write('empty/readme.md', '')
    write('bad/syntax.yaml', 'a: [1\nb: }\n')
    write('bad/kind.yaml', { ...releaseOf(), kind: 'Relase' })
    write('bad/latin1.yaml', Uint8Array.of(0x61, 0x3a, 0x20, 0xe9, 0x0a))
    const mistakes = [
      ['nowhere', /nowhere can't be read: there is no such file or folder\.\n$/],
      ['empty', /^svc: There is no release\.yaml in \S*empty\.\n$/],
      ['/dev/null', /^svc: \/dev\/null is neither a file nor a folder\.\n$/],
      ['bad/syntax.yaml', /^svc: \S*syntax\.yaml, line 2, column \d+: .*\n$/],
      ['bad/kind.yaml', /^svc: \S*kind\.yaml: kind must be .*\n$/],
      ['bad/latin1.yaml', /^svc: \S*latin1\.yaml is not a UTF-8 text\.\n$/],
    ] as const
    await Promise.all(
      mistakes.map(async ([path, message]) => {
        for (const command of ['register', 'validate']) {
          const { code, stdout, stderr } = await svc('release', command, path)
          expect(stderr).toMatch(message)
          expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
        }
      }),
    )
    expect(await ok('release', 'list')).toBe('')
  })
})

describe.concurrent('svc release list and show', () => {
  test('list is tab-separated, newest first, without headings', async () => {
    const { svc, write, ok } = makeWorkspace({ default_environment: 'staging' })
    write('a.yaml', releaseOf({ agent: 'bot', version: '1\twith tab' }))
    write('b.yaml', releaseOf({ version: '2' }))
    const a = await ok('release', 'register', 'a.yaml')
    const b = await ok('release', 'register', 'b.yaml', '--env', 'prod')
    const { stdout } = await svc('release', 'list')
    const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`
    expect(stdout).toMatch(
      new RegExp(`^${b}\tbot\t2\tprod\t${time}\n${a}\tbot\t1\\\\u0009with tab\tstaging\t${time}\n$`),
    )
    const { releases } = JSON.parse(await ok('release', 'list', '--output', 'json')) as {
      releases: Record<string, string>[]
    }
    expect(releases.map(({ release_id }) => release_id)).toEqual([b, a])
    expect(Object.keys(releases[0]!).sort()).toEqual([
      'agent_id',
      'checksum',
      'created_at',
      'environment',
      'release_id',
      'version',
    ])
  })

  test('list can be narrowed to an agent, an environment and the newest', async () => {
    const { svc, write, ok } = makeWorkspace({})
    write('a.yaml', releaseOf({ agent: 'bot' }))
    write('b.yaml', releaseOf({ agent: 'other' }))
    const [a1, b] = [await ok('release', 'register', 'a.yaml'), await ok('release', 'register', 'b.yaml')]
    const a2 = await ok('release', 'register', 'a.yaml', '--env', 'prod')
    const listed = async (...narrowed: string[]): Promise<string[]> =>
      (await ok('release', 'list', ...narrowed)).split('\n').map(line => line.split('\t')[0]!)
    expect(await listed()).toEqual([a2, b, a1])
    expect(await listed('--agent', 'bot')).toEqual([a2, a1])
    expect(await listed('--env', 'local')).toEqual([b, a1])
    expect(await listed('--agent', 'bot', '--env', 'local')).toEqual([a1])
    expect(await listed('--limit', '2')).toEqual([a2, b])
    expect(await svc('release', 'list', '--agent', 'nobody', '--env', 'prod')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'svc: no releases of nobody in prod yet; register one with `svc release register PATH`\n',
    })
    expect((await svc('release', 'list', '--limit', '0')).stderr).toMatch(/limit must be at least 1/)
    expect((await svc('release', 'list', '--limit', 'ten')).stderr).toMatch(/--limit must be a whole number/)
  })

  test('an empty list says on stderr what comes next', async () => {
    const { code, stdout, stderr } = await makeWorkspace({}).svc('release', 'list')
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toBe('svc: no releases yet; register one with `svc release register PATH`\n')
  })

  test('show prints the record with the artifact as it was written', async () => {
    const { svc, write, ok } = makeWorkspace({})
    const artifact = {
      ...releaseOf(),
      tags: { team: 'süpport' },
      spec: { ...releaseOf().spec, extra: { kept: [1.5, null, ''] } },
    }
    write('release.yaml', artifact)
    const id = await ok('release', 'register', 'release.yaml')
    const record = JSON.parse(await ok('release', 'show', id)) as Record<string, unknown>
    expect(record).toMatchObject({ release_id: id, agent_id: 'bot', version: '1', environment: 'local' })
    expect(record.checksum).toMatch(/^[0-9a-f]{64}$/)
    expect(record.artifact_json).toEqual(artifact)
    expect(await svc('release', 'show', 'rel_nope')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'svc: Unknown release: rel_nope\nsvc: `svc release list` lists releases; give a full id, the beginning of an id, or a version\n',
    })
  })
})

describe.concurrent('svc release verify', () => {
  test('exits 0 on the registered bundle, 2 on any other, 1 where there is nothing to compare', async () => {
    const { svc, write, path, ok } = makeWorkspace({})
    write('bundle/release.yaml', releaseOf())
    write('bundle/prompts/a.md', 'one\n')
    const id = await ok('release', 'register', 'bundle')
    const { checksum } = JSON.parse(await ok('release', 'show', id)) as { checksum: string }
    const verify = (target: string, release = id) => svc('release', 'verify', release, '--path', target)
    expect(await verify('bundle')).toEqual({ code: 0, stdout: `ok ${checksum}\n`, stderr: '' })

    write('bundle/prompts/a.md', 'two\n')
    const changed = await verify('bundle')
    expect(changed.code).toBe(2)
    expect(changed.stdout).toBe('')
    expect(changed.stderr).toMatch(
      new RegExp(
        `^svc: .* ${id}\n  registered ${checksum}\n  found {6}[0-9a-f]{64}\n  differs {4}prompts/a.md\n$`,
      ),
    )
    write('bundle/prompts/a.md', 'one\n')
    expect((await verify('bundle')).code).toBe(0)
    write('bundle/extra.bin', '')
    expect((await verify('bundle')).code).toBe(2)
    rmSync(path('bundle/extra.bin'))
    expect((await verify('bundle/release.yaml')).code).toBe(2)

    // The bytes of one file that read like its own, the name of another one, and that one's.
    write('other/release.yaml', releaseOf())
    write('other/a.bin', 'x\0prompts/a.md\0one\n')
    write('bundle/a.bin', 'x')
    const other = await ok('release', 'register', 'other')
    const { stderr, code } = await verify('bundle', other)
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/differs {4}a\.bin\n {2}differs {4}prompts\/a\.md\n$/),
    ])
    const [one, two] = stderr.match(/[0-9a-f]{64}/g)!
    expect(one).toBe(two)

    const unknown = await verify('bundle', 'rel_nope')
    expect(unknown).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'svc: Unknown release: rel_nope\nsvc: `svc release list` lists releases; give a full id, the beginning of an id, or a version\n',
    })
    expect((await verify('nowhere')).code).toBe(1)
  })
})
