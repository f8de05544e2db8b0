import type { Identify } from '../../http/access/context.ts'
import type { WorkspaceConfig } from '../../models/documents/workspace.ts'
import { lazily } from '../../runtime/services.ts'

/** Who callers are by the identity providers of a workspace; undefined where it trusts none. */
export function identifyBy({ auth }: Pick<WorkspaceConfig, 'auth'>): Identify | undefined {
  const issuers = auth === 'named' ? undefined : auth?.oidc
  if (issuers == null || issuers.length === 0) return undefined
  const signsIn = issuers.some(({ login }) => login != null)
  return {
    byToken: lazily(async () => (await import('./oidc_callers.ts')).byToken),
    bySession: signsIn
      ? lazily(async () => (await import('./oidc_callers.ts')).bySession)
      : async () => undefined,
  }
}
