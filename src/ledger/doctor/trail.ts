import { type Row, type Sql, rowsOfKeys, sql } from '../../sql/port.ts'
import { type AuditRecord, chainProblem } from '../trail/chain.ts'
import { replayReasons } from '../../rules/replay.ts'
import type { Evidence, SideEvidence } from '../../rules/evidence.ts'
import { type ReleaseFacts, toReleaseFacts } from '../registry/releases.ts'

/** Goes through the audit trail, or its newest rows, and says of each whether it holds. */
export class TrailCheck {
  /** Rows whose hash was recomputed, and rows from before there were hashes. */
  verified = 0
  unhashed = 0
  lastHash: string
  readonly #promoted = new Map<string, string>()
  readonly #isPart: boolean

  /**
   * `lastHash` is that of the row before the first one; where there are such rows (`isPart`), what the first decision of
   * a place found promoted there is taken as it says.
   */
  constructor(lastHash = '', isPart = false) {
    this.lastHash = lastHash
    this.#isPart = isPart
  }

  /** With `releases`, by id, the decision is replayed and compared with them. */
  async problemOf(row: Row, releases?: ReadonlyMap<string, ReleaseFacts>): Promise<string | undefined> {
    const place = `${row.agent_id}\0${row.environment}`
    const known = this.#promoted.get(place)
    const before = known ?? (this.#isPart ? row.baseline_release_id! : null)
    if (row.policy_passed === 1 || row.forced === 1) this.#promoted.set(place, String(row.release_id))
    else if (this.#isPart && before !== null) this.#promoted.set(place, String(before))
    if (row.baseline_release_id !== before) {
      return `its baseline is ${row.baseline_release_id ?? 'none'}, but ${before ?? 'nothing'} was promoted then`
    }
    if (row.hash === null && row.record_json === null) {
      this.unhashed += 1
      return this.verified === 0 && this.lastHash === ''
        ? undefined
        : 'it has no hash, and rows before it have'
    }
    const problem = await chainProblem(row, this.lastHash)
    if (problem !== undefined) return problem
    this.verified += 1
    this.lastHash = String(row.hash)
    return releases === undefined ? undefined : decisionProblem(row, releases)
  }
}

/** What the ledger holds of the releases that these rows of the trail are about. */
export async function releasesOf(db: Sql, rows: readonly Row[]): Promise<ReadonlyMap<string, ReleaseFacts>> {
  const ids = rows.flatMap(row =>
    [row.release_id, row.baseline_release_id].filter(id => id != null).map(String),
  )
  const found = await rowsOfKeys(
    db,
    [...new Set(ids)],
    listed => sql`SELECT release_id, agent_id, version, checksum, model, pricing_provider, pricing_version
      FROM releases WHERE release_id IN (${listed})`,
  )
  return new Map(found.map(row => [String(row.release_id), toReleaseFacts(row)]))
}

function decisionProblem(row: Row, releases: ReadonlyMap<string, ReleaseFacts>): string | undefined {
  const record = JSON.parse(String(row.record_json)) as AuditRecord
  const evidence = record.evidence as Evidence
  const replayed = replayReasons(evidence, record)
  if (replayed === undefined) {
    return `it was decided by rules ${evidence.rules_version}, which this version doesn't know: use a newer one`
  }
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
