import { refused } from '../base/errors.ts'
import type { CatalogState, Log } from '../ledger/ledger.ts'
import { checkDocument } from '../models/index.ts'
import type { WorkspaceConfig } from '../models/documents/workspace.ts'
import { similarNames } from '../base/similar.ts'
import { parseYaml } from './yaml.ts'

export const CONFIG_FILE = 'service.yaml'

/** The configuration that a service.yaml says. Unknown keys are ignored with a warning. */
export async function parseWorkspace(text: string, log: Log): Promise<WorkspaceConfig> {
  const document = withoutNulls((await parseYaml(text, CONFIG_FILE)) ?? {})
  const config = await checkWorkspace(document)
  for (const key of unknownKeys(document as Record<string, unknown>)) {
    const [meant] = similarNames(key, key.includes('.') ? KNOWN_PATHS : KNOWN_KEYS, 1)
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`
    log('warn', `${CONFIG_FILE}: ${key} is not a known setting and is ignored${hint}`)
  }
  return config
}

/** A setting whose value is left empty has its default. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const kept = Object.entries(value).filter(([, item]) => item !== null)
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutNulls(item)]))
}

async function checkWorkspace(document: unknown): Promise<WorkspaceConfig> {
  const checked = await checkDocument('WorkspaceConfig', document)
  if (checked.ok) return checked.value
  const { problemsText } = await import('../models/problems.ts')
  throw refused(`${CONFIG_FILE}: ${problemsText(checked.problems, 'the document')}`)
}

const KNOWN_KEYS = [
  'api_version',
  'kind',
  'db_path',
  'database_url',
  'default_environment',
  'diff',
  'pricing_catalog_path',
  'promotion_requires_approval',
  'webhooks',
]
const KNOWN_PATHS = [
  'diff.min_candidate_runs',
  'diff.min_baseline_runs',
  'diff.min_low_runs',
  'webhooks.deny_private',
]

function unknownKeys(document: Record<string, unknown>): string[] {
  const paths = ['diff', 'webhooks'].flatMap(section =>
    Object.keys((document[section] as object | undefined) ?? {}).map(key => `${section}.${key}`),
  )
  return [
    ...Object.keys(document).filter(key => !KNOWN_KEYS.includes(key)),
    ...paths.filter(path => !KNOWN_PATHS.includes(path)),
  ]
}

/** The catalog that a text says, or why it says none. */
export async function parseCatalog(text: string, name: string): Promise<CatalogState> {
  try {
    const document = await parseYaml(text, name)
    const checked = await checkDocument('PricingCatalog', document)
    if (checked.ok) return { state: 'on', catalog: checked.value }
    const { problemsText } = await import('../models/problems.ts')
    return { state: 'malformed', problem: `${name}: ${problemsText(checked.problems, 'the document')}` }
  } catch (error) {
    return { state: 'malformed', problem: (error as Error).message }
  }
}
