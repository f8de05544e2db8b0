import { lstat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { refused } from '../../base/errors.ts'
import type { PricingSummary } from '../../models/documents/pricing.ts'
import { openServices } from '../../runtime/node/open.ts'
import { readEnvironment } from '../../runtime/environment.ts'
import { makeFolder, reasonOf } from '../../runtime/node/files.ts'
import { bundledCatalog, bundledTables } from '../../runtime/node/shipped.ts'
import { CONFIG_FILE, parseWorkspace } from '../../runtime/documents.ts'
import { type Api, callJson, localApi } from '../service/api.ts'
import type { Invocation } from '../arguments/command.ts'
import { stderrLog } from '../main.ts'

const CATALOG_PATH = '.service/pricing-catalog.yaml'

/**
 * Makes a workspace in the folder of the configuration file. The file is written last: until then a second
 * attempt finds what the first one left and goes on from there.
 */
export async function init({ options, io, version }: Invocation): Promise<number> {
  const path = options.text('path') ?? CONFIG_FILE
  const file = resolve(io.cwd, path)
  const folder = dirname(file)
  if ((await lstat(file).catch(() => undefined)) !== undefined) {
    throw refused(`${path} exists already; it is left as it is.`)
  }
  const withPricing = options.flag('bundled-pricing') ?? true
  const config = configText(withPricing)
  const log = stderrLog(io)
  const environment = readEnvironment(io.env)
  await makeFolder(folder).catch(unwritable(folder))
  const workspace = await parseWorkspace(config, log)
  const api = localApi(
    await openServices({ folder, environment, version, log, workspace }),
    environment.actor,
  )
  try {
    io.out('migrated the ledger\n')
    if (withPricing) {
      await importBundled(api, io.out)
      await writeNew(join(folder, CATALOG_PATH), await bundledCatalog(), true)
      io.out(`wrote ${CATALOG_PATH}\n`)
    }
  } finally {
    await api.close()
  }
  await writeNew(file, config, false)
  io.out(`wrote ${path}\n`)
  if (basename(file) !== CONFIG_FILE)
    io.err(`svc: commands read ${CONFIG_FILE}; rename ${path} before you use it\n`)
  io.err('svc: next, register a release with `svc release register PATH`\n')
  return 0
}

async function importBundled(api: Api, out: (text: string) => void): Promise<void> {
  const { pricing } = await callJson<{ pricing: PricingSummary[] }>(api, 'GET /v1/pricing')
  for (const table of await bundledTables()) {
    const known = pricing.some(
      ({ provider, pricing_version }) =>
        provider === table.provider && pricing_version === table.pricing_version,
    )
    if (!known) await callJson(api, 'POST /v1/pricing', { body: { table } })
    out(`imported prices ${table.provider}/${table.pricing_version} (illustrative list prices)\n`)
  }
}

/** Writes a file that must not exist; one that may is kept as it is. */
async function writeNew(path: string, text: string, keepExisting: boolean): Promise<void> {
  await makeFolder(dirname(path)).catch(unwritable(dirname(path)))
  await writeFile(path, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (!(keepExisting && error.code === 'EEXIST'))
      throw refused(`${path} can't be written: ${reasonOf(error)}.`, error)
  })
}

function unwritable(path: string) {
  return function refuse(error: NodeJS.ErrnoException): never {
    throw refused(`${path} can't be made: ${reasonOf(error)}.`, error)
  }
}

function configText(withCatalog: boolean): string {
  return `# Configuration of a release governance workspace. Every setting has a default; an empty file is valid.
api_version: v1
kind: WorkspaceConfig

# The ledger. For PostgreSQL or libSQL set database_url instead, or SERVICE_DATABASE_URL.
db_path: .service/service.db

# Environment where a command or request names none.
default_environment: local

# Runs it takes to trust a diff, where the policy doesn't say.
diff:
  min_candidate_runs: 500
  min_baseline_runs: 500
  min_low_runs: 50

${withCatalog ? '' : '# '}pricing_catalog_path: ${CATALOG_PATH}

# true: a promotion takes a request and a confirmation. Nothing compares who makes them, and a rollback takes neither.
promotion_requires_approval: false
`
}
