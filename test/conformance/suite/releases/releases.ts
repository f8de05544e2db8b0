import { describe, expect, test } from 'vitest'
import { type Statement, raw, sql } from '../../../../src/sql/port.ts'
import { overtaken, tamper } from '../../../support/databases/tampering/tamper.ts'
import { PRICES, eventOf, importPrices, register, releaseOf } from '../../../support/services/builders.ts'
import { failedChecks, ingest, ok, refusal, unprocessableAt } from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService, sameLedger } from '../../../support/services/service.ts'

const SHA_OF_HELLO = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'
const CHECKSUM = '0123456789abcdef'.repeat(4)

/** Copies the newest release so many times. */
function manyReleases(count: number): Statement {
  const copied =
    raw(`agent_id, version, environment, checksum, created_at, model, pricing_provider, pricing_version,
    artifact_json, pricing_checksum`)
  return sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO releases (release_id, ${copied})
    SELECT 'rel_' || i, ${copied} FROM n CROSS JOIN (SELECT * FROM releases ORDER BY seq DESC LIMIT 1) AS newest
    ORDER BY i`
}

/** POST and GET /v1/releases, GET /v1/releases/{release_id}. */
export function releasesContract(makeService: MakeService): void {
  describe('registering a release', () => {
    test('answers with its record', async () => {
      const service = await makeService()
      const body = { artifact: releaseOf({ version: '2.1' }), checksum: CHECKSUM, environment: 'prod' }
      expect(await ok(service.call('POST /v1/releases', { body }))).toMatchObject({
        release_id: expect.stringMatching(/^rel_[0-9a-f]{12}$/),
        agent_id: 'bot',
        version: '2.1',
        environment: 'prod',
        checksum: CHECKSUM,
        created_at: '2026-01-31T12:00:00.000Z',
      })
    })

    test.each([{}, { environment: null }])(
      'takes the default environment where none is named: %j',
      async more => {
        const service = await makeService({ workspace: { default_environment: 'staging' } })
        const body = { artifact: releaseOf(), checksum: CHECKSUM, ...more }
        expect(await ok(service.call('POST /v1/releases', { body }))).toMatchObject({
          environment: 'staging',
        })
      },
    )

    test('makes a new release each time, also from an equal bundle', async () => {
      const service = await makeService()
      const first = await register(service)
      const second = await register(service)
      expect(second).not.toBe(first)
      const { releases } = await ok(service.call('GET /v1/releases'))
      expect(releases).toHaveLength(2)
    })

    test('says which releases have the same checksum', async () => {
      const service = await makeService()
      const first = await register(service)
      const body = { artifact: releaseOf(), checksum: 'a'.repeat(64) }
      expect((await ok(service.call('POST /v1/releases', { body }))).same_checksum_as).toEqual([first])
    })

    test('keeps a hash of each file, and the texts that it is given', async () => {
      const service = await makeService()
      const files = {
        'prompts/system.md': { sha256: SHA_OF_HELLO, bytes: 5, text: 'hello' },
        'release.yaml': { sha256: 'b'.repeat(64), bytes: 900 },
      }
      const body = { artifact: releaseOf(), checksum: CHECKSUM, files }
      const { release_id } = await ok(service.call('POST /v1/releases', { body }))
      expect(await ok(service.call(`GET /v1/releases/${release_id}/files`))).toEqual({
        release_id,
        files: [
          { path: 'prompts/system.md', sha256: SHA_OF_HELLO, bytes: 5, text: 'hello' },
          { path: 'release.yaml', sha256: 'b'.repeat(64), bytes: 900, text: null },
        ],
      })
      const other = await register(service)
      expect(await ok(service.call(`GET /v1/releases/${other}/files`))).toEqual({
        release_id: other,
        files: [],
      })
      expect(await refusal(service.call('GET /v1/releases/rel_x/files'), 404)).toBe('Unknown release: rel_x')
    })

    test.each([
      [{ a: { sha256: 'b'.repeat(64), bytes: 5, text: 'hello' } }, 'The text of a does not match its sha256'],
      [{ '': { sha256: SHA_OF_HELLO, bytes: 5 } }, 'A path of a file must have 1 to 512 bytes'],
      [
        { a: { sha256: SHA_OF_HELLO, bytes: 1_000_001, text: 'x'.repeat(1_000_001) } },
        'The texts of the files have 1000001 bytes; at most 1000000 are kept',
      ],
    ])('refuses files that are not what they say, and registers nothing: %#', async (files, message) => {
      const service = await makeService()
      const body = { artifact: releaseOf(), checksum: CHECKSUM, files }
      expect(await refusal(service.call('POST /v1/releases', { body }), 400)).toContain(message)
      expect((await ok(service.call('GET /v1/releases'))).releases).toEqual([])
    })

    test('warns while the price table of the release is not imported', async () => {
      const service = await makeService()
      const body = { artifact: releaseOf(), checksum: CHECKSUM }
      const early = await ok(service.call('POST /v1/releases', { body }))
      expect(early.warnings).toEqual([expect.stringContaining('acme/v1')])
      await importPrices(service)
      const late = await ok(service.call('POST /v1/releases', { body }))
      expect(late.warnings).toEqual([expect.stringContaining('cached input of m1 costs nothing; give ')])
    })

    test('warns where its price table lacks its model, or likely has its price per million tokens', async () => {
      const service = await makeService()
      await importPrices(service)
      const warningsOf = async (model: string) =>
        (
          await ok(
            service.call('POST /v1/releases', {
              body: { artifact: releaseOf({ model }), checksum: CHECKSUM },
            }),
          )
        ).warnings
      expect(await warningsOf('m9')).toEqual([
        'price table acme/v1 has no price for m9, the model of this release; a diff needs one ' +
          '(svc pricing import PATH --replace --reason WHY)',
      ])
      expect(await warningsOf('m2')).toEqual([
        expect.stringMatching(
          /^price table acme\/v1: m2 costs 2 USD per 1,000 input tokens, .* write 0\.002,/,
        ),
      ])
    })

    test('keeps the artifact as it came, unknown keys and order included', async () => {
      const service = await makeService()
      const artifact = {
        tags: { zeta: 'ζ', alpha: '🚀 "quoted" \\ \n' },
        'x-own': { nested: [1, 2.5, null, true, { deep: '' }] },
        ...releaseOf(),
        spec: {
          ...releaseOf().spec,
          routing: { strategy: 'fallback_model', fallback: { model: 'm2', on_error: false } },
          prompts: { system_ref: 'prompts/system.md', template_refs: ['a.md', 'b.md'] },
        },
      }
      const { release_id } = await ok(
        service.call('POST /v1/releases', { body: { artifact, checksum: CHECKSUM } }),
      )
      const shown = await ok(service.call(`GET /v1/releases/${release_id}`))
      expect(JSON.stringify(shown.artifact_json)).toBe(JSON.stringify(artifact))
    })

    test('keeps a key named __proto__ without harm', async () => {
      const service = await makeService()
      const text = JSON.stringify({ artifact: releaseOf(), checksum: CHECKSUM }).replace(
        '"api_version"',
        '"tags":{"__proto__":"x","constructor":"y"},"api_version"',
      )
      const { release_id } = await ok(service.call('POST /v1/releases', { body: text }))
      const shown = await service.call(`GET /v1/releases/${release_id}`)
      expect(shown.text).toContain('"tags":{"__proto__":"x","constructor":"y"}')
    })

    test.each([
      ['api_version'],
      ['kind'],
      ['metadata'],
      ['metadata', 'name'],
      ['metadata', 'version'],
      ['spec'],
      ['spec', 'agent', 'agent_id'],
      ['spec', 'runtime', 'provider'],
      ['spec', 'runtime', 'model'],
      ['spec', 'pricing_reference'],
      ['spec', 'pricing_reference', 'provider'],
      ['spec', 'pricing_reference', 'pricing_version'],
    ])('needs %s %s %s', async (...path) => {
      const service = await makeService()
      const body = { artifact: without(releaseOf(), path), checksum: CHECKSUM }
      const locs = await unprocessableAt(service.call('POST /v1/releases', { body }))
      expect(locs).toContainEqual(['body', 'artifact', ...path.filter(key => key !== undefined)])
    })

    test.each([
      ['another api_version', { api_version: 'v2' }],
      ['another kind', { kind: 'release' }],
      ['tags that are no texts', { tags: { a: 1 } }],
      ['an agent_id that is no text', { spec: { ...releaseOf().spec, agent: { agent_id: 7 } } }],
      ['an empty agent_id', { spec: { ...releaseOf().spec, agent: { agent_id: '' } } }],
      ['prompts without system_ref', { spec: { ...releaseOf().spec, prompts: { template_refs: [] } } }],
      [
        'a fallback without its strategy',
        { spec: { ...releaseOf().spec, routing: { fallback: { model: 'm2' } } } },
      ],
      [
        'the fallback strategy without a model',
        { spec: { ...releaseOf().spec, routing: { strategy: 'fallback_model' } } },
      ],
      ['an unknown strategy', { spec: { ...releaseOf().spec, routing: { strategy: 'random' } } }],
    ])('refuses %s', async (_what, override) => {
      const service = await makeService()
      const body = { artifact: { ...releaseOf(), ...override }, checksum: CHECKSUM }
      const locs = await unprocessableAt(service.call('POST /v1/releases', { body }))
      expect(locs.every(([source, field]) => source === 'body' && field === 'artifact')).toBe(true)
      expect((await ok(service.call('GET /v1/releases'))).releases).toEqual([])
    })

    test.each(['', 'a'.repeat(63), 'A'.repeat(64), 'g'.repeat(64), `sha256:${CHECKSUM}`, 1, null])(
      'refuses the checksum %j',
      async checksum => {
        const service = await makeService()
        const body = { artifact: releaseOf(), checksum }
        expect(await unprocessableAt(service.call('POST /v1/releases', { body }))).toEqual([
          ['body', 'checksum'],
        ])
      },
    )

    test.each(['', 7, 'x'.repeat(513)])('refuses the environment %j', async environment => {
      const service = await makeService()
      const body = { artifact: releaseOf(), checksum: CHECKSUM, environment }
      expect(await unprocessableAt(service.call('POST /v1/releases', { body }))).toEqual([
        ['body', 'environment'],
      ])
    })

    test('names all that is wrong at once', async () => {
      const service = await makeService()
      const locs = await unprocessableAt(
        service.call('POST /v1/releases', { body: { checksum: 1, colour: 'red' } }),
      )
      expect(new Set(locs)).toEqual(
        new Set([
          ['body', 'artifact'],
          ['body', 'checksum'],
          ['body', 'colour'],
        ]),
      )
    })
  })

  describe('reading releases', () => {
    test('an empty ledger lists none', async () => {
      const service = await makeService()
      expect(await ok(service.call('GET /v1/releases'))).toEqual({ releases: [] })
    })

    test('lists the records newest first, with the fields of the specification', async () => {
      const service = await makeService()
      const ids = [await register(service, { version: '1' })]
      service.clock.now = NOON + 1000
      ids.push(await register(service, { version: '2' }))
      ids.push(await register(service, { version: '3', agent: 'other' }))
      const { releases } = await ok(service.call('GET /v1/releases'))
      expect(releases.map((release: { release_id: string }) => release.release_id)).toEqual(ids.toReversed())
      expect(releases[2]).toEqual({
        release_id: ids[0],
        agent_id: 'bot',
        version: '1',
        environment: 'local',
        checksum: 'a'.repeat(64),
        created_at: '2026-01-31T12:00:00.000Z',
      })
    })

    test('lists those of an agent, of an environment, and the newest of them', async () => {
      const service = await makeService()
      const first = await register(service)
      const second = await register(service, { agent: 'other' })
      const body = { artifact: releaseOf(), checksum: 'a'.repeat(64), environment: 'prod' }
      const { release_id: third } = await ok(service.call('POST /v1/releases', { body }))
      const listed = async (query: Record<string, string>): Promise<string[]> => {
        const { releases } = await ok(service.call('GET /v1/releases', { query }))
        return releases.map((release: { release_id: string }) => release.release_id)
      }
      expect(await listed({ agent: 'bot' })).toEqual([third, first])
      expect(await listed({ env: 'local' })).toEqual([second, first])
      expect(await listed({ environment: 'prod', agent: 'bot' })).toEqual([third])
      expect(await listed({ limit: '2' })).toEqual([third, second])
      expect(await listed({ agent: 'nobody' })).toEqual([])
      expect(await unprocessableAt(service.call('GET /v1/releases', { query: { agent: '' } }))).toEqual([
        ['query', 'agent'],
      ])
      for (const limit of ['0', '-1', 'ten', '1.5']) {
        const locs = await unprocessableAt(service.call('GET /v1/releases', { query: { limit } }))
        expect(locs).toEqual([['query', 'limit']])
      }
    })

    test('lists thousands as one list, and a page behind a release', async () => {
      const service = await makeService()
      const first = await register(service)
      await service.sql.batch([manyReleases(2600)])
      const answer = await service.call('GET /v1/releases')
      const { releases } = await ok(Promise.resolve(answer))
      const ids = releases.map(({ release_id }: { release_id: string }) => release_id)
      expect(ids).toEqual([...Array.from({ length: 2600 }, (_, index) => `rel_${2600 - index}`), first])
      const page = async (query: object): Promise<string[]> =>
        (await ok(service.call('GET /v1/releases', { query: { ...query } }))).releases.map(
          ({ release_id }: { release_id: string }) => release_id,
        )
      expect(await page({ limit: 1000 })).toEqual(ids.slice(0, 1000))
      expect(await page({ limit: 700, after: ids[999] })).toEqual(ids.slice(1000, 1700))
      expect(await page({ after: first })).toEqual([])
      expect(await page({ agent: 'other' })).toEqual([])
      expect(await refusal(service.call('GET /v1/releases', { query: { after: 'rel_x' } }), 400)).toContain(
        'Unknown release: rel_x',
      )
    })

    test('shows one with its artifact', async () => {
      const service = await makeService()
      const id = await register(service)
      const [listed] = (await ok(service.call('GET /v1/releases'))).releases
      expect(await ok(service.call(`GET /v1/releases/${id}`))).toEqual({
        ...listed,
        artifact_json: releaseOf(),
      })
    })

    test('does not change a release by what comes after it', async () => {
      const service = await makeService()
      const id = await register(service)
      const before = await ok(service.call(`GET /v1/releases/${id}`))
      service.clock.now = NOON + 60_000
      await register(service, { version: '2' })
      expect(await ok(service.call(`GET /v1/releases/${id}`))).toEqual(before)
    })

    test('says where it runs, whatever environment it was registered for', async () => {
      const service = await makeService()
      const id = await register(service)
      const placesOf = async (release: string): Promise<unknown> =>
        (await ok(service.call(`GET /v1/releases/${release}`, { query: { run_environments: 'true' } })))
          .run_environments
      expect(await placesOf(id)).toEqual([])
      await ingest(service, [
        eventOf({ release_id: id, run_id: 'r1', environment: 'staging' }),
        eventOf({ release_id: id, run_id: 'r2', environment: 'prod' }),
        eventOf({ release_id: id, run_id: 'r3', environment: 'prod' }),
        eventOf({ release_id: 'rel_other', run_id: 'r4', environment: 'test' }),
      ])
      expect(await placesOf(id)).toEqual(['prod', 'staging'])
    })

    test('answers 404 for an unknown one', async () => {
      const service = await makeService()
      expect(await refusal(service.call('GET /v1/releases/rel_none'), 404)).toContain('rel_none')
    })
  })
}

/** A copy of a document that lacks what is at `path`. */
function without(document: unknown, path: readonly string[]): unknown {
  const copy = structuredClone(document) as Record<string, unknown>
  const keys = path.filter(key => key !== undefined)
  const parent = keys.slice(0, -1).reduce((node, key) => node[key] as Record<string, unknown>, copy)
  delete parent[keys.at(-1)!]
  return copy
}

/** What is one release for all that register the same bundle, at once too. */
export function reuseContract(makeService: MakeService): void {
  describe('registering a release with reuse', () => {
    const registered = async (service: TestService, more: object = {}) =>
      ok(
        service.call('POST /v1/releases', {
          body: { artifact: releaseOf(), checksum: CHECKSUM, reuse: true, ...more },
        }),
      )
    const log = async (service: TestService) =>
      (await ok(service.call('GET /v1/audit', { query: { kind: 'release.registered' } }))).entries

    test('gives the release that the same bundle is already, and writes nothing', async () => {
      const service = await makeService()
      await importPrices(service)
      const older = await registered(service, { reuse: false })
      const first = await registered(service, { reuse: false })
      service.clock.now += 60_000
      const again = await registered(service)
      expect(again).toEqual({ ...first, reused: true, same_checksum_as: [older.release_id] })
      expect(await log(service)).toHaveLength(2)
      expect((await ok(service.call('GET /v1/metrics'))).counters.releases_total).toBe(2)
      expect(await registered(service, { reuse: false })).toMatchObject({
        same_checksum_as: [first.release_id, older.release_id],
      })
      expect(await failedChecks(service, true)).toEqual([])
    })

    test.each<[string, object]>([
      ['checksum', { checksum: 'b'.repeat(64) }],
      ['environment', { environment: 'prod' }],
      ['agent', { artifact: releaseOf({ agent: 'cat' }) }],
      ['artifact', { artifact: { ...releaseOf(), tags: { a: 'b' } } }],
      ['file', { files: { a: { sha256: SHA_OF_HELLO, bytes: 5 } } }],
    ])('makes a new one of another %s', async (_, more) => {
      const service = await makeService()
      const first = await registered(service)
      const other = await registered(service, more)
      expect(other).not.toHaveProperty('reused')
      expect(other.release_id).not.toBe(first.release_id)
      expect(await registered(service, more)).toMatchObject({ release_id: other.release_id, reused: true })
      expect(await registered(service)).toMatchObject({ release_id: first.release_id, reused: true })
    })

    test('makes a new one where the price table is not what it was', async () => {
      const service = await makeService()
      const ids: string[] = []
      const registerTwice = async (): Promise<void> => {
        const { release_id, reused } = await registered(service)
        ids.push(reused === true ? `${release_id} again` : release_id)
        expect(await registered(service)).toMatchObject({ release_id, reused: true })
      }
      const replace = (table: unknown) =>
        ok(service.call('POST /v1/pricing', { body: { table, replace: true, reason: 'new' } }))
      await registerTwice()
      await importPrices(service)
      await registerTwice()
      await replace({ ...PRICES, entries: PRICES.entries.slice(0, 1) })
      await registerTwice()
      await replace(PRICES)
      await registerTwice()
      const [unpriced, priced, replaced, back] = ids
      expect(new Set([unpriced, priced, replaced]).size).toBe(3)
      expect(back).toBe(`${priced} again`)
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('gives one id to all that ask at once, on two servers too', async () => {
      const service = await makeService()
      const other = await sameLedger(service)
      const answers = await Promise.all(
        [service, other, service, other, service, other].map(server => registered(server)),
      )
      expect(new Set(answers.map(({ release_id }) => release_id)).size).toBe(1)
      expect(answers.filter(({ reused }) => reused === undefined)).toHaveLength(1)
      expect(await log(service)).toHaveLength(1)
    })

    test('finds what another server registered between its look and its write', async () => {
      const service = await makeService()
      let first: { release_id: string } | undefined
      const late = overtaken(service.sql, 'INTO releases', async () => {
        first = await registered(service)
      })
      const again = await registered(await sameLedger(service, late))
      expect(again).toMatchObject({ release_id: first!.release_id, reused: true })
      expect(await log(service)).toHaveLength(1)
    })

    test('goes by the files, and says so where their texts come too late', async () => {
      const service = await makeService()
      const entries = PRICES.entries.map(entry => ({ cached_input_usd_per_1k_tokens: 0.1, ...entry }))
      await importPrices(service, { ...PRICES, entries })
      const files = { a: { sha256: SHA_OF_HELLO, bytes: 5 } }
      const texts = { a: { ...files.a, text: 'hello' } }
      await registered(service, { files })
      const other = { a: { sha256: 'b'.repeat(64), bytes: 5 } }
      expect(await registered(service, { files: other })).not.toHaveProperty('reused')
      expect(await registered(service, { files: { ...files, b: files.a } })).not.toHaveProperty('reused')
      expect(await registered(service, { files })).toMatchObject({ reused: true, warnings: [] })
      expect((await registered(service, { files: texts })).warnings).toEqual([
        expect.stringContaining('the texts of its files are not stored'),
      ])
      await registered(service, { files: texts, reuse: false })
      expect((await registered(service, { files: texts })).warnings).toEqual([])
    })

    test('rests on a checksum of prices that the doctor holds against the log', async () => {
      const service = await makeService()
      await importPrices(service)
      await registered(service)
      await tamper(service.sql, 'releases', sql`UPDATE releases SET pricing_checksum = ${'c'.repeat(64)}`)
      expect(await failedChecks(service)).toEqual([
        ['audit_log', expect.stringMatching(/^log_seq 2: releases seq \d+ is not as it was written/)],
      ])
    })
  })
}
