import {
  type AuditRecord,
  HEAD,
  appendQuery,
  entryStatement,
  seal,
  sealEntry,
} from '../../../src/ledger/trail/chain.ts'
import { decisionEntry } from '../../../src/ledger/decide/record.ts'
import { rowsOf, sql as statement } from '../../../src/sql/port.ts'
import { ask } from '../../../src/sql/query.ts'
import { RESTORE_POINTERS } from '../../../src/ledger/trail/pointers.ts'
import type { WebServer } from './web_server.ts'
import { artifactOf } from './web_story.ts'

/** Appends actions to the audit trail, as decisions do but without deciding: a ledger of years in seconds. */
export async function fillLedger({ sql, send }: WebServer, release_id: string, count: number): Promise<void> {
  const first = { release_id, environment: 'first', window: '24h', reason: 'first' }
  const { action_id } = await send('POST /v1/promote', first)
  const [decided] = await rowsOf(
    sql,
    statement`SELECT record_json FROM actions WHERE action_id = ${String(action_id)}`,
  )
  const { evidence, policy_reasons } = JSON.parse(String(decided!.record_json)) as AuditRecord
  let head = await ask(sql, HEAD)
  const places = new Set<string>()
  const batch = 250
  const start = Date.now() + 1000
  for (let done = 0; done < count; done += batch) {
    const statements = []
    for (let index = done; index < Math.min(count, done + batch); index++) {
      const record: AuditRecord = {
        audit_seq: head.seq + 1,
        prev_hash: head.hash,
        action_id: `act_${index.toString(16).padStart(12, '0')}`,
        action: index % 7 === 0 ? 'rollback' : 'promote',
        release_id,
        agent_id: `agent-${index % 40}`,
        environment: index % 2 === 0 ? 'prod' : 'staging',
        baseline_release_id: places.has(placeOf(index)) ? release_id : null,
        reason: `change ${index}`,
        actor: 'ann',
        actor_source: 'body',
        policy_passed: true,
        policy_reasons,
        created_at: start + index,
        evidence,
      }
      places.add(placeOf(index))
      const sealed = await seal(record)
      const entry = await sealEntry(head.log, decisionEntry(sealed))
      statements.push(...appendQuery(head, sealed, entry).statements, entryStatement(entry, statement`true`))
      const { revision, agent, covered, now, latest_at } = head
      head = {
        revision,
        agent,
        covered,
        now,
        latest_at,
        seq: record.audit_seq,
        hash: sealed.hash,
        created_at: record.created_at,
        log: { seq: entry.record.log_seq, hash: entry.hash },
      }
    }
    await sql.batch(statements)
  }
  await sql.batch([RESTORE_POINTERS])
  await send('POST /v1/rollups/rebuild', {})
}

function placeOf(index: number): string {
  return `${index % 40} ${index % 2}`
}

/** Agents with a release each that is live in prod. */
export async function fillBoard({ send }: WebServer, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const agent = `agent-${String(index).padStart(3, '0')}`
    const { release_id } = await send('POST /v1/releases', {
      artifact: artifactOf(agent, '1.0.0'),
      checksum: 'a'.repeat(64),
      environment: 'prod',
    })
    await send('POST /v1/promote', { release_id, environment: 'prod', window: '24h', reason: 'first' })
  }
}
