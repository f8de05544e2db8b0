import { badRequest } from '../base/errors.ts'
import type { Feature } from '../features/feature.ts'
import type { Identify } from '../http/access/identity.ts'
import type { WorkspaceConfig } from '../models/documents/workspace.ts'

/**
 * Who tokens of identity providers say their bearers are; undefined where the workspace trusts none. Throws 400 where it
 * does and no feature knows them: without it the service would be open.
 */
export function identifyBy(
  features: readonly Pick<Feature, 'identify'>[],
  workspace: Pick<WorkspaceConfig, 'auth'>,
): Identify | undefined {
  for (const { identify } of features) {
    const found = identify?.(workspace)
    if (found !== undefined) return found
  }
  const { auth } = workspace
  if (auth === 'named' || auth?.oidc == null || auth.oidc.length === 0) return undefined
  throw badRequest('service.yaml: auth.oidc is set, and this program has no feature that reads such tokens.')
}
