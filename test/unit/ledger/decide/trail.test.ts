import { describe, expect, test } from 'vitest'
import { readBoard } from '../../../../src/ledger/decide/board.ts'
import { keepAnswers } from '../../../../src/ledger/decide/place_answers.ts'
import { readPointer } from '../../../../src/features/deploys/pointer.ts'
import { promote } from '../../../../src/ledger/decide/promote.ts'
import { requestPromotion } from '../../../../src/ledger/decide/promotion_requests.ts'
import {
  VERDICTS,
  listActions,
  listPromoted,
  showAction,
  toListed,
} from '../../../../src/ledger/decide/trail.ts'
import { EVERYTHING } from '../../../../src/ledger/world/scope.ts'
import { FORCED_REASON } from '../../../../src/rules/result.ts'
import { sql } from '../../../../src/sql/port.ts'
import { NOTHING, mapped } from '../../../../src/sql/query.ts'
import { ANN, BOB, plainLedger, registered } from '../../../support/ledgers/plain_ledger.ts'
import { HERE, decided, idsOf } from '../../../support/ledgers/decided_ledger.ts'

const LATEST = { limit: 9, scope: EVERYTHING }

describe('the trail', () => {
  const LISTED: readonly [listing: object, seqs: readonly number[], next: number | null][] = [
    [{}, [4, 3, 2, 1], null],
    [{ limit: 2 }, [4, 3], 3],
    [{ limit: 2, after: 3 }, [2, 1], null],
    [{ agent: 'bot' }, [4, 3, 2, 1], null],
    [{ agent: 'bat' }, [], null],
    [{ env: 'prod' }, [], null],
    [{ actor: 'ann' }, [4, 1], null],
    [{ since: '2026-03-01T08:01:00Z' }, [4, 3, 2], null],
    [{ until: '2026-03-01T08:01:00Z' }, [1], null],
    [{ scope: { agents: ['bat'], environments: null } }, [], null],
  ]

  test('is listed by what is asked for', async () => {
    const { ledger } = await decided()
    for (const [listing, seqs, next] of LISTED) {
      const { actions, next_after } = await listActions(ledger.sql, { ...LATEST, ...listing })
      expect([listing, actions.map(({ audit_seq }) => audit_seq), next_after]).toEqual([listing, seqs, next])
    }
  })

  test('is listed by each verdict that there is', async () => {
    const { ledger } = await decided()
    const listed = VERDICTS.map(async verdict => {
      const { actions } = await listActions(ledger.sql, { ...LATEST, verdict })
      return [verdict, actions.map(({ audit_seq }) => audit_seq)]
    })
    expect(await Promise.all(listed)).toEqual([
      ['passed', [3, 1]],
      ['blocked', [2]],
      ['forced', [4]],
    ])
  })

  test('is shown as it is stored, and listed without what it rested on', async () => {
    const { ledger, one, two } = await decided()
    const row = (await ledger.rows('actions'))[3]!
    const shown = await showAction(ledger.sql, String(row.action_id))
    const facts = {
      action_id: row.action_id,
      action: 'rollback',
      release_id: one,
      agent_id: 'bot',
      environment: 'local',
      baseline_release_id: two,
      reason: 'fire',
      policy_passed: false,
      policy_reasons: [FORCED_REASON],
      result: 'forced',
      created_at: '2026-03-01T08:03:00.000Z',
      audit_seq: 4,
      actor: 'ann',
      forced: true,
    }
    expect(shown).toEqual({
      ...facts,
      actor_source: 'cli',
      evidence: JSON.parse(String(row.record_json)).evidence,
      record_json: row.record_json,
      prev_hash: row.prev_hash,
      hash: row.hash,
    })
    expect(toListed(shown)).toEqual(facts)
    const { actions } = await listActions(ledger.sql, { ...LATEST, evidence: false })
    expect(actions[1]).toMatchObject({ evidence: null, record_json: null, audit_seq: 3 })
    expect(actions[1]).not.toHaveProperty('claimed_actor')
    expect(actions[1]).not.toHaveProperty('forced')
    const whole = await listActions(ledger.sql, LATEST)
    expect(whole.actions[0]).toEqual(shown)
    expect(whole.actions[1]).toMatchObject({ claimed_actor: 'robert' })
    await expect(showAction(ledger.sql, 'act_none')).rejects.toMatchObject({
      status: 404,
      message: 'Unknown action: act_none',
    })
    await expect(listActions(ledger.sql, { ...LATEST, since: 'then' })).rejects.toThrow(
      'Invalid since: then is not an ISO-8601 date and time.',
    )
    await expect(listActions(ledger.sql, { ...LATEST, until: 'then' })).rejects.toThrow('Invalid until: then')
  })

  test('says what is promoted', async () => {
    const { ledger, one } = await decided()
    const place = { agent_id: 'bot', environment: 'local', release_id: one }
    expect(await listPromoted(ledger.sql, EVERYTHING)).toEqual([place])
    expect(await listPromoted(ledger.sql, { agents: ['bat'], environments: null })).toEqual([])
    expect(await readPointer(ledger, 'bot', 'local')).toEqual({
      ...place,
      version: '1',
      checksum: '1'.padStart(64, '0'),
    })
    expect(await readPointer(ledger, 'bot', 'prod')).toBeUndefined()
  })
})

const NO_OPEN = { open: () => mapped(NOTHING, () => new Map()) }

async function boardOf(ledger: Parameters<typeof readBoard>[0], scope: Parameters<typeof readBoard>[1]) {
  return (await readBoard(ledger, scope, NO_OPEN)).board.map(({ entry }) => entry)
}

describe('the board', () => {
  test('has facts to keep of those places alone of which none are kept', async () => {
    const { ledger } = await decided()
    for (let index = 0; index < 30; index++) await registered(ledger, '1', { agent: `agent-${index}` })
    const { board, facts } = await readBoard(ledger, EVERYTHING, NO_OPEN)
    expect(facts).toHaveLength(board.length)
    await keepAnswers(ledger.sql, [], facts.slice(0, 5))
    const next = await readBoard(ledger, EVERYTHING, NO_OPEN)
    expect(next.board.map(({ entry }) => entry)).toEqual(board.map(({ entry }) => entry))
    expect(next.facts.map(({ agent_id }) => agent_id)).toEqual(facts.slice(5).map(({ agent_id }) => agent_id))
  })

  test('has what is live, decided last and registered last in each place', async () => {
    const { ledger, one, two } = await decided({ promotion_requires_approval: false })
    const ids = await idsOf(ledger)
    const elsewhere = await registered(ledger, '3', { agent: 'bat', environment: 'prod' })
    const asking = { ...ledger, workspace: { ...ledger.workspace, promotion_requires_approval: true } }
    await requestPromotion(asking, { ...HERE, release_id: elsewhere, environment: 'prod', actor: ANN })
    const board = await boardOf(ledger, EVERYTHING)
    expect(board).toEqual([
      {
        agent_id: 'bat',
        environment: 'prod',
        promoted: null,
        last_action: null,
        newest_release: { release_id: elsewhere, version: '3', created_at: '2026-03-01T08:03:00.000Z' },
        pending_requests: 1,
      },
      {
        agent_id: 'bot',
        environment: 'local',
        promoted: {
          release_id: one,
          version: '1',
          action_id: ids[3],
          promoted_at: '2026-03-01T08:03:00.000Z',
          promoted_by: 'ann',
          reason: 'fire',
          forced: true,
        },
        last_action: {
          action_id: ids[3],
          action: 'rollback',
          release_id: one,
          policy_passed: false,
          policy_reasons: [FORCED_REASON],
          result: 'forced',
          actor: 'ann',
          created_at: '2026-03-01T08:03:00.000Z',
          forced: true,
        },
        newest_release: {
          release_id: two,
          version: '2',
          created_at: '2026-03-01T08:00:00.000Z',
          rolled_back_at: '2026-03-01T08:03:00.000Z',
        },
        pending_requests: 0,
      },
    ])
    await promote(ledger, { ...HERE, release_id: two, actor: BOB })
    const again = await boardOf(ledger, { agents: ['bot'], environments: null })
    expect(again).toHaveLength(1)
    expect(again[0]!.promoted).toEqual({
      release_id: two,
      version: '2',
      action_id: (await idsOf(ledger))[4],
      promoted_at: '2026-03-01T08:03:00.000Z',
      promoted_by: 'bob',
      reason: 'because',
    })
    expect(again[0]!.last_action).toMatchObject({ action: 'promote', policy_passed: true })
    expect(again[0]!.last_action).not.toHaveProperty('forced')
    expect(again[0]!.newest_release).not.toHaveProperty('rolled_back_at')
    await promote(ledger, { ...HERE, environment: 'prod', release_id: two, actor: BOB })
    const last = await boardOf(ledger, { agents: ['bot'], environments: ['prod'] })
    expect(last).toMatchObject([{ promoted: { release_id: two }, newest_release: null }])
  })

  test('has a pointer that no decision set as what it is', async () => {
    const ledger = await plainLedger()
    const release_id = await registered(ledger, '1')
    await ledger.sql.batch([
      sql`INSERT INTO promoted_pointers (agent_id, environment, release_id) VALUES ('bot', 'local', ${release_id})`,
    ])
    const [place] = await boardOf(ledger, EVERYTHING)
    expect(place).toMatchObject({
      promoted: {
        release_id,
        version: '1',
        action_id: null,
        promoted_at: null,
        promoted_by: null,
        reason: null,
      },
      newest_release: { unpriced: true },
    })
  })
})
