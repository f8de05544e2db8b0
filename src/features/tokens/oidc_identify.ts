import type { Identify } from '../../http/access/identity.ts'
import type { WorkspaceConfig } from '../../models/documents/workspace.ts'
import { lazily } from '../../runtime/services.ts'

/** Who tokens of the identity providers of a workspace say their bearers are; undefined where it trusts none. */
export function identifyBy({ auth }: Pick<WorkspaceConfig, 'auth'>): Identify | undefined {
  const issuers = auth === 'named' ? undefined : auth?.oidc
  if (issuers == null || issuers.length === 0) return undefined
  return lazily(async () => (await import('./oidc_bearer.ts')).oidcIdentify(issuers))
}
