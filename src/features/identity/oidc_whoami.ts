import type { Caller } from '../../http/access/caller.ts'
import type { Called } from '../../http/access/context.ts'
import type { Actor } from '../../ledger/world/ledger.ts'
import { isLimited } from '../../ledger/world/scope.ts'
import type { SessionRecord, WhoAmI } from './models.ts'
import { cliClientOf, providersOf } from './oidc_provider.ts'
import { nowBy, seenSession } from './known.ts'
import { toRecord } from './rows.ts'
import { endSession, listSessions, unknownSession } from './sessions.ts'

/** Who calls, and how people sign in here. */
export async function whoAmI(context: Called): Promise<WhoAmI> {
  const { caller, workspace, refusal = null } = context
  const isNobody = caller.kind === 'nobody' && (await context.access.mode(context)) === 'bearer'
  return {
    caller: isNobody ? null : factsOf(caller),
    session: await ownSession(context),
    problem: refusal,
    sign_in: providersOf(workspace).map(provider => ({
      name: provider.name,
      issuer: provider.issuer.issuer,
      scopes: [...(provider.login.scopes ?? [])],
      cli_client_id: cliClientOf(provider),
    })),
    public_url: workspace.public_url ?? null,
  }
}

function factsOf({ kind, name, allows, scope }: Caller): WhoAmI['caller'] {
  const { agents, environments } = scope
  return {
    name,
    source: kind,
    allows: allows.filter(access => access !== 'open'),
    agents: agents === null ? null : [...agents],
    environments: environments === null ? null : [...environments],
  }
}

async function ownSession(context: Called): Promise<SessionRecord | null> {
  const { session: id } = context.caller
  if (id === undefined) return null
  const seen = await seenSession(context, id)
  return seen.session === undefined ? null : toRecord(seen.session, nowBy(seen, context.elapsed()))
}

/** The sessions that a caller may see: its own, or all of them for who governs the whole ledger. */
export async function sessionsFor({ sql, caller }: Called, limit: number): Promise<SessionRecord[]> {
  if (governsAll(caller)) return listSessions(sql, { of: undefined, limit })
  return caller.identity === undefined ? [] : listSessions(sql, { of: caller.identity, limit })
}

/** Ends a session that the caller may see. Throws 404 for others, as for none. */
export async function revokeSession(context: Called, sessionId: string, actor: Actor): Promise<number> {
  const { caller } = context
  const { session } = await seenSession(context, sessionId)
  const { issuer, subject } = caller.identity ?? {}
  const isOwn = session?.issuer === issuer && session?.subject === subject
  if (session === undefined || !(isOwn || governsAll(caller))) throw unknownSession(sessionId)
  return endSession(context, sessionId, { because: 'revoked', actor })
}

function governsAll({ allows, scope }: Caller): boolean {
  return allows.includes('admin') && !isLimited(scope)
}
