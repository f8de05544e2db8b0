import { describe, expect, test } from 'vitest'
import { promote } from '../../../../src/ledger/decide/promote.ts'
import { importPricing } from '../../../../src/ledger/registry/import_pricing.ts'
import { setPolicy } from '../../../../src/ledger/registry/set_policy.ts'
import { newMemo } from '../../../../src/ledger/world/memo.ts'
import { requestPromotion } from '../../../../src/ledger/decide/promotion_requests.ts'
import { sql } from '../../../../src/sql/port.ts'
import {
  ANN,
  BOB,
  MORNING,
  type PlainLedger,
  storedRows,
  logOf,
  plainLedger,
  priced,
  ran,
  registered,
} from '../../../support/ledgers/plain_ledger.ts'
import { EIGHT, HERE, LAX, put } from '../../../support/ledgers/decided_ledger.ts'
import {
  CAT,
  PLAIN,
  STRICT,
  requested,
  listed,
  confirmed,
  losing,
} from '../../../support/ledgers/requested_ledger.ts'

describe('a confirmation', () => {
  test('that is not the last is kept with the request', async () => {
    const { ledger, request, request_id } = await requested()
    ledger.clock.now += 1000
    const answer = await confirmed(ledger, request_id)
    const approvals = [{ actor: 'ann', reason: 'fine', created_at: '2026-03-01T08:00:01.000Z' }]
    const since_request = { baseline: null, policy: [], figures: [] }
    expect(answer).toEqual({ ...request, expires_at: expect.any(String), approvals, since_request })
    expect((await logOf(ledger)).at(-1)).toMatchObject({
      kind: 'request.approved',
      subject: request_id,
      actor: 'ann',
      reason: 'fine',
      created_at: MORNING + 1000,
    })
    const { says, are } = await storedRows(ledger, 'promotion_requests')
    expect(says).toEqual(are)
    expect((await ledger.rows('audit_head'))[0]!.changed_by).toMatch(/^apv_/)
    await expect(confirmed(ledger, request_id, BOB)).rejects.toThrow('bob asked for this promotion')
    await expect(confirmed(ledger, request_id)).rejects.toThrow(`ann has confirmed ${request_id} already`)
  })

  test.each([
    ['in another spelling', { name: 'BOB', source: 'header' }, 'bob asked'],
    [
      'by a token of that name',
      { name: 'Bob', source: 'token' },
      'bob asked for this promotion: somebody else must confirm it (approval_by_another). You are Bob by the token Bob: ' +
        'each person who confirms needs a token of their own.',
    ],
    [
      'by a name that proves nothing',
      { name: 'bob', source: 'cli' },
      'You are bob by USER or USERNAME, which proves nothing: if you are another person, confirm with a token of your own or ' +
        'signed in, or set USER to your own name.',
    ],
    ['who has no name', { name: 'root', source: 'cli' }, "root is no person's name"],
  ] as const)('is refused from who asked, %s', async (_how, actor, message) => {
    const { ledger, request_id } = await requested()
    await expect(confirmed(ledger, request_id, actor)).rejects.toThrow(message)
    await expect(confirmed(ledger, request_id, actor, { dry_run: true })).rejects.toThrow(message)
  })

  test('is refused from who gave one, in another spelling too', async () => {
    const { ledger, request_id } = await requested()
    await confirmed(ledger, request_id)
    await expect(confirmed(ledger, request_id, { name: ' ANN', source: 'header' })).rejects.toThrow(
      `has confirmed ${request_id} already`,
    )
  })

  test('that is the last decides, and settles the request', async () => {
    const { ledger, release, request_id } = await requested()
    await confirmed(ledger, request_id)
    const outcome = await confirmed(ledger, request_id, CAT)
    expect(outcome).toMatchObject({
      action: 'promote',
      release_id: release,
      promoted_pointer_changed: true,
      since_request: { baseline: null },
    })
    const approvals = [
      { actor: 'ann', reason: 'fine', created_at: EIGHT },
      { actor: 'cat', reason: 'fine', created_at: EIGHT },
    ]
    expect(await listed(ledger, 'completed')).toMatchObject([
      {
        status: 'completed',
        approvals,
        resolved_at: EIGHT,
        resolved_by: 'cat',
        resolution_reason: 'fine',
        completed_action_id: 'action_id' in outcome ? outcome.action_id : '',
      },
    ])
    const [row] = await ledger.rows('actions')
    expect(row!.reason).toBe('because | approval: fine')
    expect(JSON.parse(String(row!.record_json)).evidence.request).toEqual({
      request_id,
      requested_by: 'bob',
      approvals,
    })
    const { says, are } = await storedRows(ledger, 'promotion_requests')
    expect(says).toEqual(are)
    await expect(confirmed(ledger, request_id, CAT)).rejects.toThrow(
      `Promotion request ${request_id} is completed already (action `,
    )
  })

  test('of a plain workspace is by anybody, and says nothing of others', async () => {
    const { ledger, request_id } = await requested(PLAIN)
    const outcome = await confirmed(ledger, request_id, BOB)
    expect(outcome).not.toHaveProperty('since_request')
    const [row] = await ledger.rows('actions')
    expect(JSON.parse(String(row!.record_json)).evidence.request).toEqual({ request_id, requested_by: 'bob' })
  })

  test('of a first promotion needs not say again that it is meant', async () => {
    const { ledger, request_id } = await requested({ ...PLAIN, strict: true })
    expect(await confirmed(ledger, request_id)).toMatchObject({ promoted_pointer_changed: true })
  })

  test.each([[{ approvals_required: 2 }], [{ approval_by_another: true }], [{ approval_expires: '24h' }]])(
    'says what has changed since the request where the workspace has %j',
    async more => {
      const { ledger, request_id } = await requested({ ...PLAIN, ...more })
      expect(await confirmed(ledger, request_id)).toHaveProperty('since_request')
    },
  )

  test('needs as many as were demanded at the request or are now', async () => {
    const now = await requested(PLAIN)
    const more = { ...now.ledger, workspace: { ...now.ledger.workspace, approvals_required: 2 } }
    expect(await confirmed(more, now.request_id)).toMatchObject({ status: 'pending', approvals_required: 2 })
    const then = await requested()
    const { approvals_required: _, ...fewer } = then.ledger.workspace
    const lax = { ...then.ledger, workspace: fewer }
    expect(await confirmed(lax, then.request_id)).toMatchObject({ status: 'pending', approvals_required: 2 })
  })

  test('of what is asked beforehand writes nothing', async () => {
    const { ledger, request_id } = await requested()
    const before = await logOf(ledger)
    expect(await confirmed(ledger, request_id, ANN, { dry_run: true })).toMatchObject({
      action_id: null,
      dry_run: true,
      since_request: { baseline: null },
    })
    expect(await logOf(ledger)).toEqual(before)
  })

  test('that the policy blocks is recorded, and the request waits', async () => {
    const ledger = await plainLedger(STRICT)
    await priced(ledger)
    const [one, two] = [await registered(ledger, '1'), await registered(ledger, '2')]
    await ran(ledger, one, 1)
    await ran(ledger, two, 1)
    const ask = async (release_id: string) => {
      const { result } = await requestPromotion(ledger, { ...HERE, release_id, actor: BOB })
      return result.passed ? result.request.request_id : ''
    }
    const [first, second] = [await ask(one), await ask(two)]
    await confirmed(ledger, first)
    await confirmed(ledger, first, CAT)
    expect(await confirmed(ledger, second)).toMatchObject({
      policy: { passed: false },
      promoted_pointer_changed: false,
      since_request: { baseline: { from: null, to: one } },
    })
    expect(await listed(ledger, 'pending')).toMatchObject([{ request_id: second, approvals: [] }])
    expect((await storedRows(ledger)).says).toEqual({})
    expect((await ledger.rows('actions')).at(-1)).toMatchObject({ policy_passed: 0, release_id: two })
  })

  /** Two releases with runs, of which the first is live; bob has requested the second, and ann has confirmed it. */
  async function confirmedOnce(workspace: object = STRICT, expected?: string | null) {
    const ledger = await plainLedger(workspace)
    await priced(ledger)
    const ids = [await registered(ledger, '1'), await registered(ledger, '2'), await registered(ledger, '3')]
    for (const id of ids) await ran(ledger, id, 5)
    await put(ledger, {})
    const [one, two, three] = ids as [string, string, string]
    await promoteAlone(ledger, one)
    const wanted = { ...HERE, release_id: two, actor: BOB }
    const { result } = await requestPromotion(ledger, {
      ...wanted,
      ...(expected === undefined ? {} : { expected_baseline_release_id: expected === null ? null : one }),
    })
    if (!result.passed) throw new Error('it was blocked')
    const { request_id } = result.request
    if (workspace === STRICT) await confirmed(ledger, request_id)
    return { ledger, one, two, three, request_id }
  }

  const promoteAlone = (ledger: PlainLedger, release_id: string) =>
    promote(
      { ...ledger, memo: newMemo(), workspace: { ...ledger.workspace, promotion_requires_approval: false } },
      { ...HERE, release_id, actor: ANN },
    )

  const repriced = (ledger: PlainLedger, provider = 'acme') =>
    importPricing(ledger, {
      table: {
        provider,
        pricing_version: 'v1',
        entries: [{ model: 'm1', input_usd_per_1k_tokens: 3, output_usd_per_1k_tokens: 2 }],
      },
      replace: provider === 'acme',
      reason: 'new',
      actor: ANN,
    })

  type Change = (ledger: PlainLedger, ids: { one: string; three: string }) => Promise<unknown>
  const VOIDING: readonly (readonly [string, Change, string | RegExp])[] = [
    [
      'what is live is another release',
      (ledger, { three }) => promoteAlone(ledger, three),
      /^the baseline was \w+ and is \w+$/,
    ],
    [
      'the policy is another',
      ledger => put(ledger, { max_latency_ms: 900 }),
      'the policy has changed (max_latency_ms)',
    ],
    ['the prices are others', ledger => repriced(ledger), 'the price table acme/v1 has changed'],
  ]

  test.each(VOIDING)('no longer counts once %s', async (_what, change, because) => {
    const { ledger, request_id, ...ids } = await confirmedOnce()
    await change(ledger, ids)
    const reason = typeof because === 'string' ? because : expect.stringMatching(because)
    const warning = expect.stringMatching(
      new RegExp(`^The confirmation by ann at ${EIGHT} no longer counts: the (baseline|policy|price table) `),
    )
    expect(await confirmed(ledger, request_id, CAT, { dry_run: true })).toMatchObject({ warnings: [warning] })
    const answer = await confirmed(ledger, request_id, CAT)
    expect(answer).toMatchObject({ status: 'pending', approvals: [{ actor: 'cat' }], warnings: [warning] })
    expect((await logOf(ledger)).at(-1)).toMatchObject({
      kind: 'request.approved',
      actor: 'cat',
      details: { void_approvals: [{ actor: 'ann', created_at: EIGHT, because: [reason] }] },
    })
    expect(await listed(ledger, 'pending')).toMatchObject([{ request_id, approvals: [{ actor: 'cat' }] }])
    // Whoever gave it may look again.
    expect(await confirmed(ledger, request_id)).toMatchObject({ promoted_pointer_changed: true })
  })

  test.each<[string, Change]>([
    ['runs came in', (ledger, { one }) => ran(ledger, one, 1)],
    ['a table that neither release names was imported', ledger => repriced(ledger, 'other')],
    [
      'the policy was set again with its keys in another order',
      ledger => {
        const { policy_id, ...rest } = LAX
        const turned = Object.fromEntries(Object.entries(rest).toReversed())
        return setPolicy(ledger, { ...turned, policy_id } as typeof LAX, { actor: ANN, reason: null })
      },
    ],
  ])('still counts where %s', async (_what, change) => {
    const { ledger, request_id, ...ids } = await confirmedOnce()
    ledger.clock.now += 1000
    await change(ledger, ids)
    const outcome = await confirmed(ledger, request_id, CAT)
    expect(outcome).toMatchObject({ promoted_pointer_changed: true })
    expect(outcome).not.toHaveProperty('warnings')
  })

  test('is void of nothing where one is enough: it evaluates again', async () => {
    const { ledger, request_id, three } = await confirmedOnce(PLAIN)
    await promoteAlone(ledger, three)
    expect(await confirmed(ledger, request_id)).toMatchObject({
      promoted_pointer_changed: true,
      baseline_release_id: three,
    })
  })

  test.each([PLAIN, STRICT])(
    'is refused where the request expects something else to be live: %j',
    async workspace => {
      const { ledger, one, three, request_id } = await confirmedOnce(workspace, 'one')
      expect((await listed(ledger))[0]).toMatchObject({ expected_baseline_release_id: one })
      await promoteAlone(ledger, three)
      const before = await logOf(ledger)
      for (const more of [{}, { dry_run: true }, { expected_baseline_release_id: three }]) {
        await expect(confirmed(ledger, request_id, CAT, more)).rejects.toMatchObject({
          status: 412,
          detail: {
            message: expect.stringMatching(/; the request expected \w+\. .* then request it again\.$/),
            expected_baseline_release_id: one,
          },
        })
      }
      expect(await logOf(ledger)).toEqual(before)
      expect(await listed(ledger, 'pending')).toHaveLength(1)
    },
  )

  test('is refused where the request expects nothing to be live', async () => {
    const { ledger, request_id } = await requested(PLAIN, { expected_baseline_release_id: null })
    await promoteAlone(ledger, await registered(ledger, '2'))
    await expect(confirmed(ledger, request_id)).rejects.toMatchObject({ status: 412 })
  })

  test('whose answer was lost is one confirmation', async () => {
    const { ledger, request_id } = await requested()
    const once = await confirmed(losing(ledger, 'SET approvals_json'), request_id)
    expect(once).toMatchObject({ status: 'pending', approvals: [{ actor: 'ann' }] })
    expect((await logOf(ledger)).map(({ kind }) => kind)).toEqual([
      'release.registered',
      'request.made',
      'request.approved',
    ])
  })

  test('of a request from before evaluations were kept says nothing of changes', async () => {
    const { ledger, request_id } = await requested()
    await ledger.sql.batch([sql`UPDATE promotion_requests SET assessed_json = NULL`])
    expect(await confirmed(ledger, request_id)).not.toHaveProperty('since_request')
  })
})
