import { type Row, type Sql, rowsOf, sql } from '../../sql/port.ts'
import { type AuditRecord, chainProblem } from '../chain/chain.ts'
import { type Evidence, type SideEvidence, replayReasons } from '../../rules/evidence.ts'
import { type ReleaseFacts, toReleaseFacts } from '../registry/releases.ts'

/** Goes through the audit trail from its first row on and says of each whether it holds. */
export class TrailCheck {
  /** Rows whose hash was recomputed, and rows from before there were hashes. */
  verified = 0
  unhashed = 0
  lastHash = ''
  readonly #releases: ReadonlyMap<string, ReleaseFacts> | undefined
  readonly #promoted = new Map<string, string>()

  /** With `releases`, by id, decisions are replayed and compared with them. */
  constructor(releases: ReadonlyMap<string, ReleaseFacts> | undefined) {
    this.#releases = releases
  }

  async problemOf(row: Row): Promise<string | undefined> {
    const place = `${row.agent_id}\0${row.environment}`
    const before = this.#promoted.get(place) ?? null
    if (row.policy_passed === 1 || row.forced === 1) this.#promoted.set(place, String(row.release_id))
    if (row.baseline_release_id !== before) {
      return `its baseline is ${row.baseline_release_id ?? 'none'}, but ${before ?? 'nothing'} was promoted then`
    }
    if (row.hash === null && row.record_json === null) {
      this.unhashed += 1
      return this.verified === 0 ? undefined : 'it has no hash, and rows before it have'
    }
    const problem = await chainProblem(row, this.lastHash)
    if (problem !== undefined) return problem
    this.verified += 1
    this.lastHash = String(row.hash)
    return this.#releases === undefined ? undefined : decisionProblem(row, this.#releases)
  }
}

/** What the ledger holds of each release. */
export async function releaseFacts(db: Sql): Promise<ReadonlyMap<string, ReleaseFacts>> {
  const rows = await rowsOf(
    db,
    sql`SELECT release_id, agent_id, version, checksum, model, pricing_provider, pricing_version FROM releases`,
  )
  return new Map(rows.map(row => [String(row.release_id), toReleaseFacts(row)]))
}

function decisionProblem(row: Row, releases: ReadonlyMap<string, ReleaseFacts>): string | undefined {
  const record = JSON.parse(String(row.record_json)) as AuditRecord
  const evidence = record.evidence as Evidence
  const replayed = replayReasons(evidence)
  if (JSON.stringify(replayed) !== JSON.stringify(record.policy_reasons)) {
    return `its evidence gives another verdict: ${JSON.stringify(replayed)}`
  }
  const sides =
    evidence.evaluation === null ? [] : [evidence.evaluation.baseline, evidence.evaluation.candidate]
  return sides.map(side => releaseProblem(side, releases)).find(problem => problem !== undefined)
}

/** Releases never change, so what a decision noted of one is what it is. */
function releaseProblem(side: SideEvidence, releases: ReadonlyMap<string, ReleaseFacts>): string | undefined {
  const now = releases.get(side.release_id)
  if (now === undefined) return `it names ${side.release_id}, which is not registered`
  const changed = (['checksum', 'model', 'provider', 'pricing_version'] as const).filter(
    field => now[field] !== side[field],
  )
  return changed.length === 0
    ? undefined
    : `${side.release_id} has another ${changed.join(' and ')} than when it was decided on`
}
