import { writeLogged } from '../trail/write_logged.ts'
import { packDays } from '../events/days.ts'
import { expireRequests } from './requests.ts'
import { type Ledger, type Pace, partsOf } from '../world/ledger.ts'
import { sha256 } from '../../base/bytes.ts'
import type { WorkspaceConfig } from '../../models/documents/workspace.ts'
import { sql } from '../../sql/port.ts'
import { asJson, ask, field, firstRow } from '../../sql/query.ts'
import { type LogRecord, SERVICE_ACTOR } from '../trail/chain.ts'

/**
 * What a ledger needs from time to time whoever serves it: notes the settings, ends requests whose time is over, and does what features need. Cheap where there is nothing to do; of several servers each may do it.
 */
export async function keepLedger(
  ledger: Ledger,
  { version, pace }: { version: string; pace: Pace },
): Promise<void> {
  await noteSettings(ledger, version)
  await expireRequests(ledger)
  await packDays(ledger, pace)
  await upkeepOfFeatures(ledger, pace)
}

/** One that fails does not hold up the others; the first failure is thrown behind the last. */
async function upkeepOfFeatures(ledger: Ledger, pace: Pace): Promise<void> {
  const failures: unknown[] = []
  const parts = await partsOf(ledger.features, 'upkeep')
  for (const upkeep of parts) await upkeep(ledger, pace).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

/** Notes what a server decides by, where that is otherwise than the last time. No addresses, no secrets. */
async function noteSettings(ledger: Ledger, version: string): Promise<boolean> {
  const { workspace } = ledger
  const settings = {
    version,
    default_environment: workspace.default_environment,
    diff: workspace.diff,
    strict: workspace.strict,
    promotion_requires_approval: workspace.promotion_requires_approval,
    approvals_required: workspace.approvals_required ?? 1,
    approval_by_another: workspace.approval_by_another ?? false,
    approval_expires: workspace.approval_expires ?? null,
    ...(workspace.approvals?.people_only === true ? { approvals_people_only: true } : {}),
    allow_forced_rollback: workspace.allow_forced_rollback ?? false,
    deny_private: workspace.webhooks.deny_private,
    retention: workspace.retention?.events ?? null,
    environments: workspace.environments ?? null,
    promotes_from: workspace.promotes_from ?? null,
    freeze: workspace.freeze ?? null,
    ...(workspace.rollouts === undefined ? {} : { rollouts: workspace.rollouts }),
    ...(await callersOf(workspace)),
  }
  const isNoted = (last: LogRecord | undefined): boolean =>
    last !== undefined && JSON.stringify(last.details) === JSON.stringify(settings)
  if (isNoted(await ask(ledger.sql, LAST_SETTINGS))) return false
  const id = ledger.newId('srv_')
  const created_at = ledger.now()
  await writeLogged(ledger, LAST_SETTINGS, last => ({
    id,
    revises: 'all',
    entries: isNoted(last)
      ? []
      : [
          {
            kind: 'server.started',
            subject: id,
            actor: SERVICE_ACTOR,
            reason: null,
            created_at,
            fact: null,
            details: settings,
          },
        ],
    write: () => [],
    done: true,
  }))
  return true
}

/** Whose tokens count. The settings of identity providers are shown as a hash, since some readers must not see them. */
async function callersOf({ auth }: Pick<WorkspaceConfig, 'auth'>): Promise<object> {
  const { mode, oidc } = auth === 'named' ? { mode: auth, oidc: null } : (auth ?? {})
  return { auth: mode ?? 'any', oidc_sha256: oidc == null ? null : await sha256(JSON.stringify(oidc)) }
}

const LAST_SETTINGS = firstRow(
  sql`SELECT record_json FROM audit_log WHERE kind = 'server.started' AND kind <> 'decision'
    ORDER BY log_seq DESC LIMIT 1`,
  field('record_json', asJson<LogRecord>),
)
