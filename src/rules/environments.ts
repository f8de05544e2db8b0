import { similarNames } from '../base/similar.ts'
import { firstFew } from '../base/text.ts'
import type { WorkspaceConfig } from '../models/documents/workspace.ts'

/** Why an environment is refused, where environments are declared and it is none of them. */
export function undeclaredText(
  { environments, default_environment }: Pick<WorkspaceConfig, 'environments' | 'default_environment'>,
  environment: string,
): string | undefined {
  if (environments === undefined || environments.includes(environment)) return undefined
  const [meant] = similarNames(environment, environments, 1)
  const which = environment === default_environment ? ', the default_environment' : ''
  return (
    `Unknown environment: ${environment}${which}. service.yaml declares ${firstFew(environments)}` +
    (meant === undefined ? '.' : `. Did you mean ${meant}?`)
  )
}
