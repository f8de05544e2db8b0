import { badRequest } from '../../base/errors.ts'
import type { Attestation, Statement } from './models.ts'
import type { Evidence } from '../../rules/evidence.ts'
import { seal } from './rules_dsse.ts'
import { statementOf } from './rules_statement.ts'
import { type Sql, sql } from '../../sql/port.ts'
import { ask, asText, columns, firstRow } from '../../sql/query.ts'
import { showAction } from '../../ledger/decide/trail.ts'
import { sha256 } from '../../base/bytes.ts'
import { partsOf } from '../../ledger/world/ledger.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import type { AttestedPart } from '../feature.ts'
import { ledgerId } from './tree.ts'

/**
 * What a decision verified, for programs that know nothing of ledgers; signed where the server has a key. Throws 404
 * for an unknown action, 400 for one that needed no policy or is older than the chain.
 */
export async function attestAction(
  ledger: Pick<Ledger, 'sql' | 'signer' | 'features'>,
  actionId: string,
  version: string,
): Promise<Attestation> {
  const statement = await statementAbout(ledger, actionId, version)
  const envelope = ledger.signer === undefined ? null : await seal(JSON.stringify(statement), ledger.signer)
  return { statement, envelope }
}

async function statementAbout(
  { sql: db, features }: Pick<Ledger, 'sql' | 'features'>,
  actionId: string,
  version: string,
): Promise<Statement> {
  const action = await showAction(db, actionId)
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
    sql`SELECT version, checksum FROM releases WHERE release_id = ${release_id}`,
    columns({ version: asText, checksum: asText }),
  )
  const release = await ask(db, found)
  if (release === undefined) throw badRequest(`Unknown release: ${release_id}`)
  const { policy } = evidence as Evidence
  const parts = await partsOf<(of: Sql, id: string) => Promise<readonly AttestedPart[]>>(features, 'attested')
  const derived = (await Promise.all(parts.map(part => part(db, release_id)))).flat()
  return statementOf({
    ...action,
    hash,
    ledger: await ledgerId(db),
    version,
    passed: action.policy_passed,
    release,
    derived,
    policy: { policy_id: policy.policy_id, digest: await sha256(JSON.stringify(policy)) },
  })
}
