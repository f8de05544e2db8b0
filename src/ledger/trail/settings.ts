import { sha256 } from '../../base/bytes.ts'
import type { WorkspaceConfig } from '../../models/documents/workspace.ts'
import { rowsOf, sql } from '../../sql/port.ts'
import { type LogRecord, SERVICE_ACTOR } from './log.ts'
import { headChangedBy, writeLogged } from './write_logged.ts'
import type { Ledger } from '../world/ledger.ts'

/** Notes what a server decides by, where that is otherwise than the last time. No addresses, no secrets. */
export async function noteSettings(ledger: Ledger, version: string): Promise<boolean> {
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
    allow_forced_rollback: workspace.allow_forced_rollback ?? false,
    deny_private: workspace.webhooks.deny_private,
    retention: workspace.retention?.events ?? null,
    environments: workspace.environments ?? null,
    promotes_from: workspace.promotes_from ?? null,
    freeze: workspace.freeze ?? null,
    ...(await callersOf(workspace)),
  }
  const isNoted = (rows: readonly { record_json?: unknown }[]): boolean => {
    const [last] = rows
    if (last === undefined) return false
    return (
      JSON.stringify((JSON.parse(String(last.record_json)) as LogRecord).details) === JSON.stringify(settings)
    )
  }
  if (isNoted(await rowsOf(ledger.sql, LAST_SETTINGS))) return false
  const id = ledger.newId('srv_')
  const created_at = ledger.now()
  await writeLogged<true>(ledger, [LAST_SETTINGS], ([found]) => ({
    id,
    revises: false,
    entries: isNoted(found!.rows)
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
    statements: () => [headChangedBy(id)],
    read: ([held]) => (held!.rows.length === 1 ? true : undefined),
    recorded: async () => true,
  }))
  return true
}

/** Whose tokens count. What identity providers are trusted with is told by its hash: not all who may read may know it. */
async function callersOf({ auth }: Pick<WorkspaceConfig, 'auth'>): Promise<object> {
  const { mode, oidc } = auth === 'named' ? { mode: auth, oidc: null } : (auth ?? {})
  return { auth: mode ?? 'any', oidc_sha256: oidc == null ? null : await sha256(JSON.stringify(oidc)) }
}

const LAST_SETTINGS = sql`SELECT record_json FROM audit_log WHERE kind = 'server.started' AND kind <> 'decision'
  ORDER BY log_seq DESC LIMIT 1`
