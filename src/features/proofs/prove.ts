import { badRequest } from '../../base/errors.ts'
import { base64, sha256 } from '../../base/bytes.ts'
import type { ActionProof, Attestation, Statement } from './models.ts'
import type { Release } from '../../models/documents/release.ts'
import type { Evidence } from '../../rules/evidence.ts'
import { seal } from './rules_dsse.ts'
import { inclusionPath } from './rules_merkle.ts'
import { type Sql, sql } from '../../sql/port.ts'
import { asJson, asNumber, asText, ask, columns, field, firstRow, onlyRow } from '../../sql/query.ts'
import type { LogRecord } from '../../ledger/trail/chain.ts'
import { unchangedAction } from '../../ledger/decide/trail.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { checkpointOf } from './checkpoint.ts'
import { type Derived, statementOf } from './rules_statement.ts'
import { ledgerId, readTree } from './tree.ts'

/**
 * One decision with the proof that it is in the log of a checkpoint, without the rest of the ledger. Throws 404 for an
 * unknown action, 400 for one that has no entry of its own.
 */
export async function proveAction(
  ledger: Pick<Ledger, 'sql' | 'memo' | 'log' | 'now' | 'signer'>,
  actionId: string,
): Promise<ActionProof> {
  const { audit_seq, record_json } = await unchangedAction(ledger.sql, actionId)
  const entry = await entryOf(ledger.sql, audit_seq)
  if (record_json === null || entry?.subject !== actionId) {
    throw badRequest(
      `${actionId} has no entry of its own in the audit log, which began later or took it up with others: ` +
        '`svc audit export` has all of it.',
    )
  }
  const tree = await readTree(ledger)
  const { note } = await checkpointOf(ledger, tree)
  const path = await inclusionPath(tree.hashOf, entry.log_seq - 1, tree.size)
  return { note, log_seq: entry.log_seq, entry: entry.json, fact: record_json, proof: path.map(base64) }
}

interface Found {
  readonly log_seq: number
  readonly subject: string
  readonly json: string
}

/**
 * The entry of the decision with an audit_seq, or of another one where it has none: decisions have the same order in both,
 * so it is found by halves.
 */
async function entryOf(db: Sql, auditSeq: number): Promise<Found | undefined> {
  const end = onlyRow(sql`SELECT coalesce(max(log_seq), 0) AS last FROM audit_log`, field('last', asNumber))
  let [low, high, found]: [number, number, Found | undefined] = [1, await ask(db, end), undefined]
  while (low <= high) {
    const middle = Math.floor((low + high) / 2)
    const first = sql`SELECT record_json FROM audit_log
      WHERE log_seq >= ${middle} AND log_seq <= ${high} AND kind = 'decision' ORDER BY log_seq LIMIT 1`
    const json = await ask(db, firstRow(first, field('record_json', asText)))
    if (json === undefined) {
      high = middle - 1
      continue
    }
    const { log_seq, subject, details } = JSON.parse(json) as LogRecord
    found = { log_seq, subject, json }
    if (details.audit_seq === auditSeq) return found
    if (Number(details.audit_seq) < auditSeq) low = log_seq + 1
    else high = middle - 1
  }
  return found
}

/**
 * What a decision verified, for programs that know nothing of ledgers; signed where the server has a key. Throws 404
 * for an unknown action, 400 for one that needed no policy or is older than the chain.
 */
export async function attestAction(
  ledger: Pick<Ledger, 'sql' | 'signer'>,
  actionId: string,
  version: string,
  derive: Derive,
): Promise<Attestation> {
  const statement = await statementAbout(ledger.sql, actionId, version, derive)
  const envelope = ledger.signer === undefined ? null : await seal(JSON.stringify(statement), ledger.signer)
  return { statement, envelope }
}

/** Something that follows from a release, and that its attestations vouch for too. */
type Derive = (releaseId: string, artifact: Release) => Promise<Derived>

async function statementAbout(
  db: Sql,
  actionId: string,
  version: string,
  derive: Derive,
): Promise<Statement> {
  const action = await unchangedAction(db, actionId)
  const { evidence, hash, release_id, forced } = action
  if (evidence === null || hash === null) {
    throw badRequest(`${actionId} is older than the chain: it has no evidence that could be attested.`)
  }
  if (forced === true) {
    throw badRequest(
      `${actionId} was forced: no policy was asked, so there is nothing to attest. The promotion that ${release_id} ` +
        'went live by has an attestation (`svc release history`).',
    )
  }
  const found = firstRow(
    sql`SELECT version, checksum, artifact_json FROM releases WHERE release_id = ${release_id}`,
    columns({ version: asText, checksum: asText, artifact_json: asJson<Release> }),
  )
  const release = await ask(db, found)
  if (release === undefined) throw badRequest(`Unknown release: ${release_id}`)
  const { policy } = evidence as Evidence
  return statementOf({
    ...action,
    hash,
    ledger: await ledgerId(db),
    version,
    passed: action.policy_passed,
    release,
    derived: await derive(release_id, release.artifact_json),
    policy: { policy_id: policy.policy_id, digest: await sha256(JSON.stringify(policy)) },
  })
}
