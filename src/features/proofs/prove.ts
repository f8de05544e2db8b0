import { badRequest } from '../../base/errors.ts'
import { base64, sha256 } from '../../base/bytes.ts'
import type { ActionProof, Attestation, Statement } from './models.ts'
import type { Release } from '../../models/documents/release.ts'
import type { Evidence } from '../../rules/evidence.ts'
import { seal } from './rules_dsse.ts'
import { inclusionPath } from './rules_merkle.ts'
import { type Sql, sql } from '../../sql/port.ts'
import { asJson, asText, ask, columns, firstRow } from '../../sql/query.ts'
import { vouchedBy } from '../../ledger/trail/read_log.ts'
import { showAction, unchangedAction } from '../../ledger/decide/trail.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { checkpointOf } from './checkpoint.ts'
import { type Derived, statementOf } from './rules_statement.ts'
import { ledgerId, readTree } from './tree.ts'

/**
 * One decision with the proof that it is in the log of a checkpoint, without the rest of the ledger. Throws 404 for an
 * unknown action, 409 for one that was changed in the database.
 */
export async function proveAction(
  ledger: Pick<Ledger, 'sql' | 'memo' | 'log' | 'now' | 'signer'>,
  actionId: string,
): Promise<ActionProof> {
  await showAction(ledger.sql, actionId)
  const { entry, fact } = await vouchedBy(ledger.sql, 'actions', actionId)
  const tree = await readTree(ledger)
  const { note } = await checkpointOf(ledger, tree)
  const path = await inclusionPath(tree.hashOf, entry.log_seq - 1, tree.size)
  return { note, log_seq: entry.log_seq, entry: entry.json, fact, proof: path.map(base64) }
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
    throw badRequest(`${actionId} is older than the chain: it has no evidence to attest.`)
  }
  if (forced === true) {
    throw badRequest(
      `${actionId} was forced: no policy was evaluated, so there is nothing to attest. The promotion of ${release_id} has an attestation (\`svc release history\`).`,
    )
  }
  const found = firstRow(
    sql`SELECT version, checksum, artifact_json FROM releases WHERE release_id = ${release_id}`,
    columns({ version: asText, checksum: asText, artifact_json: asJson<Release> }),
  )
  const release = await ask(db, found)
  if (release === undefined) throw badRequest(`Unknown release: ${release_id}`)
  await vouchedBy(db, 'releases', release_id)
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
