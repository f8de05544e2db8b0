import type { WorkspaceConfig } from '../../models/documents/workspace.ts'
import { type Sql, sql } from '../../sql/port.ts'
import { allRows, asNumber, ask, asText, columns, field, onlyRow, orNull, together } from '../../sql/query.ts'
import { HEAD } from '../trail/chain.ts'
import { CHOSEN, MOVED } from '../trail/pointers.ts'
import { sha256 } from '../../base/bytes.ts'
import { activePolicy } from '../registry/policies.ts'
import { unknownInPolicy, unknownInWorkspace } from '../registry/places.ts'
import { NEWEST } from './chain.ts'
import { type DoctorCheck, fail, pass } from './check.ts'

const REPAIR = 'repair with `svc rollups rebuild`'

/**
 * Each place that a passed decision was made for has its pointer, where that decision put it, at a known release. Of a
 * long trail only the pointers that are there are compared with it, and how many there are with their counter, unless
 * the check is deep.
 */
export async function checkPointers(db: Sql, deep: boolean): Promise<DoctorCheck[]> {
  const { pointers, head, kept } = await ask(
    db,
    together({
      pointers: allRows(
        sql`SELECT p.agent_id, p.environment, p.release_id, p.action_id, r.release_id AS found
          FROM promoted_pointers p LEFT JOIN releases r ON r.release_id = p.release_id`,
        columns({ ...PLACE, release_id: asText, action_id: orNull(asText), found: orNull(asText) }),
      ),
      head: HEAD,
      kept: onlyRow(
        sql`SELECT coalesce(sum(value), 0) AS n FROM counters WHERE name = 'promoted_pointers_total'`,
        field('n', asNumber),
      ),
    }),
  )
  const isLong = !deep && head.seq > NEWEST
  const chosen = allRows(
    isLong ? CHOSEN_FOR_POINTERS : CHOSEN,
    columns({ ...PLACE, release_id: asText, action_id: asText }),
  )
  const checks = pointerChecks(pointers, await ask(db, chosen))
  const there = pointers.length
  if (!isLong || there === kept) return checks
  return [...checks, fail('promoted_pointers', `there are ${there}, but ${kept} were made; ${REPAIR}`)]
}

const PLACE = { agent_id: asText, environment: asText } as const

interface Chosen {
  readonly agent_id: string
  readonly environment: string
  readonly release_id: string
  readonly action_id: string
}

interface Pointer extends Omit<Chosen, 'action_id'> {
  readonly action_id: string | null
  /** Its release, where that is registered. */
  readonly found: string | null
}

/** The last decision that moved each pointer that there is. */
const CHOSEN_FOR_POINTERS = sql`SELECT a.agent_id, a.environment, a.release_id, a.action_id
  FROM promoted_pointers p JOIN actions a ON a.audit_seq = (
    SELECT m.audit_seq FROM actions m
    WHERE m.agent_id = p.agent_id AND m.environment = p.environment AND ${MOVED}
    ORDER BY m.audit_seq DESC LIMIT 1)`

function pointerChecks(pointers: readonly Pointer[], chosen: readonly Chosen[]): DoctorCheck[] {
  const placeOf = ({ agent_id, environment }: Pointer | Chosen): string => `${agent_id}:${environment}`
  const says = new Map(pointers.map(pointer => [placeOf(pointer), pointer]))
  const follows = new Map(chosen.map(decided => [placeOf(decided), decided]))
  return [...new Set([...says.keys(), ...follows.keys()])].sort().map(place => {
    const [pointer, decided] = [says.get(place), follows.get(place)]
    const name = `promoted_pointer:${place}`
    if (pointer === undefined) {
      return fail(name, `is missing, but the last passed decision chose ${decided!.release_id}; ${REPAIR}`)
    }
    const { release_id, action_id, found } = pointer
    if (found === null) return fail(name, `points to ${release_id}, which is not registered`)
    if (decided?.release_id !== release_id) {
      const choice = decided?.release_id ?? 'none'
      return fail(name, `points to ${release_id}, but the last passed decision chose ${choice}; ${REPAIR}`)
    }
    // Pointers were older than their action_id.
    if (action_id !== null && action_id !== decided.action_id) {
      return fail(name, `names ${action_id}, but the last passed decision is ${decided.action_id}; ${REPAIR}`)
    }
    return pass(name, `${release_id} is registered`)
  })
}

/** Each price table is what its last import made it, and each import what its checksum says. */
export async function checkPrices(db: Sql): Promise<DoctorCheck> {
  const name = 'price_tables'
  let tables = 0
  for (let after: Prices | undefined; ;) {
    const prices = sql`SELECT k.provider, k.pricing_version, t.pricing_json, t.models, t.imported_at, i.import_id,
          i.new_pricing_json, i.new_checksum, i.created_at
        FROM (
          SELECT provider, pricing_version FROM pricing_tables UNION SELECT provider, pricing_version FROM pricing_imports
        ) k
        LEFT JOIN pricing_tables t ON t.provider = k.provider AND t.pricing_version = k.pricing_version
        LEFT JOIN pricing_imports i ON i.seq = (SELECT max(seq) FROM pricing_imports m
          WHERE m.provider = k.provider AND m.pricing_version = k.pricing_version)
        WHERE (k.provider, k.pricing_version) > (${after?.provider ?? ''}, ${after?.pricing_version ?? ''})
        ORDER BY k.provider, k.pricing_version LIMIT ${TABLES}`
    const page: Prices[] = await ask(db, allRows(prices, readPrices))
    for (const row of page) {
      const problem = await priceProblem(row)
      if (problem !== undefined) return fail(name, `${row.provider}/${row.pricing_version} ${problem}`)
    }
    tables += page.length
    after = page.at(-1)
    if (page.length < TABLES) return pass(name, `${tables} are as imported`)
  }
}

/** Price tables that are read at a time. */
const TABLES = 5

/** A price table and its last import; null is what is missing of either. */
const readPrices = columns({
  provider: asText,
  pricing_version: asText,
  pricing_json: orNull(asText),
  models: orNull(asNumber),
  imported_at: orNull(asNumber),
  import_id: orNull(asText),
  new_pricing_json: orNull(asText),
  new_checksum: orNull(asText),
  created_at: orNull(asNumber),
})

type Prices = ReturnType<typeof readPrices>

async function priceProblem(row: Prices): Promise<string | undefined> {
  if (row.import_id === null) return 'was never imported'
  if (row.pricing_json === null) return 'was imported, but is missing'
  if (row.pricing_json !== row.new_pricing_json) return `is not what ${row.import_id} imported`
  if (row.new_checksum !== (await sha256(row.pricing_json))) return 'does not match its checksum'
  const { entries } = JSON.parse(row.pricing_json) as { entries: unknown[] }
  if (row.models !== entries.length || row.imported_at !== row.created_at) {
    return `has another number of models or another time than ${row.import_id}`
  }
  return undefined
}

/** Whether the rules of the policy and of service.yaml are for agents and environments that there are. */
export async function checkPlaces(db: Sql, workspace: WorkspaceConfig): Promise<DoctorCheck[]> {
  const unknown = [
    ...(await unknownInPolicy(db, await activePolicy(db), workspace)).map(text => `policy: ${text}`),
    ...(await unknownInWorkspace(db, workspace)).map(text => `service.yaml: ${text}`),
  ]
  if (unknown.length === 0) return []
  return [{ name: 'places', ok: true, detail: unknown.join('; '), warning: true }]
}
