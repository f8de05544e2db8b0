import { badRequest } from '../base/errors.ts'
import type { CatalogState, Log } from '../ledger/world/ledger.ts'
import { check, checkDocument } from '../models/all/check.ts'
import type { WorkspaceConfig } from '../models/documents/workspace.ts'
import { problemsText } from '../models/checks.ts'
import { WorkspaceConfig as shape } from '../models/shapes/workspace.ts'
import { type KnownFields, knownOf, unknownFields, unknownFieldText } from '../models/unknown_fields.ts'
import { parseYaml } from './yaml.ts'

export const CONFIG_FILE = 'service.yaml'

/** The configuration that a service.yaml says. Unknown keys are ignored with a warning, or refused where it is strict. */
export async function parseWorkspace(text: string, log: Log): Promise<WorkspaceConfig> {
  const document = withoutNulls((await parseYaml(text, CONFIG_FILE)) ?? {}) as Record<string, unknown>
  const config = workspaceConfig(document)
  const known = knownOf(shape) as KnownFields
  for (const path of unknownFields(document, known)) {
    if (config.strict) {
      throw badRequest(
        `${CONFIG_FILE}: ${unknownFieldText(path, known, 'not a known setting (strict is true)')}`,
      )
    }
    log('warn', `${CONFIG_FILE}: ${unknownFieldText(path, known, 'not a known setting and is ignored')}`)
  }
  for (const problem of literalStars(config)) log('warn', `${CONFIG_FILE}: ${problem}`)
  return config
}

/** Roles that a `*` was meant to open for all agents or environments: it opens them for none. */
function literalStars({ auth }: WorkspaceConfig): string[] {
  const issuers = auth == null || auth === 'named' ? [] : (auth.oidc ?? [])
  return issuers.flatMap(({ roles }, issuer) =>
    roles.flatMap((role, index) =>
      (['agents', 'environments'] as const)
        .filter(limit => role[limit]?.includes('*'))
        .map(
          limit =>
            `auth.oidc[${issuer}].roles[${index}].${limit} are whole names, without *; leave ${limit} out for all`,
        ),
    ),
  )
}

/** A setting whose value is left empty has its default. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const kept = Object.entries(value).filter(([, item]) => item !== null)
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutNulls(item)]))
}

/** A configuration with its defaults. Throws 400 where it is not valid. */
export function workspaceConfig(document: unknown): WorkspaceConfig {
  const checked = check<WorkspaceConfig>(shape, document)
  if (checked.ok) return checked.value
  throw badRequest(`${CONFIG_FILE}: ${problemsText(checked.problems, 'the document')}`)
}

/** The catalog that a text says, or why it says none. */
export async function parseCatalog(text: string, name: string): Promise<CatalogState> {
  try {
    const document = await parseYaml(text, name)
    const checked = await checkDocument('PricingCatalog', document)
    if (checked.ok) return { state: 'on', catalog: checked.value }
    return { state: 'malformed', problem: `${name}: ${problemsText(checked.problems, 'the document')}` }
  } catch (error) {
    return { state: 'malformed', problem: (error as Error).message }
  }
}
