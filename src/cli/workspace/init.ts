import { lstat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { badRequest } from '../../base/errors.ts'
import { openServices } from '../../runtime/node/open.ts'
import { readEnvironment } from '../../runtime/environment.ts'
import { makeFolder, reasonOf } from '../../runtime/node/files.ts'
import { bundledCatalog, bundledTables } from '../../runtime/node/shipped.ts'
import { CONFIG_FILE, parseWorkspace } from '../../runtime/documents.ts'
import { type Api, callJson } from '../service/api.ts'
import { localApi } from '../service/local.ts'
import type { Invocation } from '../arguments/command.ts'
import { quoted } from '../terminal/text.ts'
import { type Io, stderrLog } from '../terminal/io.ts'
import { type PricedModel, exampleModel, releaseTemplate } from './release_template.ts'

const CATALOG_PATH = '.service/pricing-catalog.yaml'

const IGNORE_PATH = '.service/.gitignore'
/** Of the editor's help with release.yaml. */
export const SCHEMA_PATH = '.service/release.schema.json'
const IGNORED = `# The ledger is data: back it up with \`svc doctor --backup\`. The catalog is yours to edit.
*
!.gitignore
!pricing-catalog.yaml
`

/** What is known of a workspace before it is made. */
export interface Answers {
  readonly agent_id: string
  readonly environment: string
  readonly priced: PricedModel
}

/**
 * Makes a workspace in the folder of the configuration file. The file is written last: until then a second attempt finds what the
 * first one left and goes on from there. With answers it also writes a release.yaml of the agent, and the caller says what comes
 * next.
 */
export async function init({ options, io, version }: Invocation, answers?: Answers): Promise<number> {
  const path = options.text('path') ?? CONFIG_FILE
  const file = resolve(io.cwd, path)
  const folder = dirname(file)
  const releaseFolder = answers?.agent_id ?? options.text('release')
  if ((await lstat(file).catch(() => undefined)) !== undefined) {
    const mend =
      releaseFolder === undefined
        ? ' Register a release with `svc release register PATH`, or run `svc init` in another folder.'
        : ` \`svc release init ${quoted(releaseFolder)}\` writes the release.yaml alone.`
    throw badRequest(`${path} exists already; it is not changed.${mend}`)
  }
  const withPricing = options.flag('bundled-pricing') ?? true
  if (releaseFolder !== undefined && /\.ya?ml$/i.test(releaseFolder)) {
    throw badRequest(`--release ${releaseFolder}: give a folder for release.yaml.`)
  }
  const config = configText({
    withCatalog: withPricing,
    strict: options.flag('strict') === true || answers !== undefined,
    environment: answers?.environment,
  })
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
  await writeNew(
    join(folder, IGNORE_PATH),
    answers === undefined ? IGNORED : `${IGNORED}!release.schema.json\n`,
    true,
  )
  if (releaseFolder !== undefined) await writeRelease(releaseFolder, withPricing, io, answers)
  await writeNew(file, config, false)
  io.out(`wrote ${path}\n`)
  if (basename(file) !== CONFIG_FILE)
    io.err(`svc: commands read ${CONFIG_FILE}; rename ${path} before you use it\n`)
  if (answers !== undefined) return 0
  const next = releaseFolder === undefined ? 'PATH' : quoted(releaseFolder)
  io.err(
    `svc: next, register a release with \`svc release register ${next}\`; \`svc init --guided\` also writes a policy\n`,
  )
  return 0
}

async function importBundled(api: Api, out: (text: string) => void): Promise<void> {
  const { pricing } = await callJson(api, 'GET /v1/pricing')
  for (const table of await bundledTables()) {
    const known = pricing.some(
      ({ provider, pricing_version }) =>
        provider === table.provider && pricing_version === table.pricing_version,
    )
    if (!known) await callJson(api, 'POST /v1/pricing', { body: { table } })
    out(`imported prices ${table.provider}/${table.pricing_version} (illustrative list prices)\n`)
  }
}

/** Writes a release.yaml to fill in, unless there is one. */
async function writeRelease(
  folder: string,
  withPricing: boolean,
  io: Io,
  answers: Answers | undefined,
): Promise<void> {
  const path = join(folder, 'release.yaml')
  const file = resolve(io.cwd, path)
  const [table] = withPricing ? await bundledTables() : []
  const priced = answers?.priced ?? (table && { ...table, model: exampleModel(table.entries) })
  const text = schemaLine(answers) + releaseTemplate(file, priced)
  const isNew = await writeNew(file, text, true, FOR_ALL)
  if (isNew) io.out(`wrote ${path}\n`)
  else io.err(`svc: ${path} exists already; it is not changed\n`)
}

/** Editors check the file by the schema next to the ledger, a copy of the one that ships. */
function schemaLine(answers: Answers | undefined): string {
  return answers === undefined ? '' : `# yaml-language-server: $schema=../${SCHEMA_PATH}\n`
}

interface Rights {
  readonly file: number
  readonly folder: number
}

/** Of the ledger's own: service.yaml may hold the password of a database. */
const FOR_OWNER: Rights = { file: 0o600, folder: 0o700 }
/** Of a bundle, which is deployed: as the user's mask has it. */
export const FOR_ALL: Rights = { file: 0o666, folder: 0o777 }

/** Writes a file that must not exist; one that may is kept as it is. Returns whether it was written. */
export async function writeNew(
  path: string,
  text: string,
  keepExisting: boolean,
  rights = FOR_OWNER,
): Promise<boolean> {
  await makeFolder(dirname(path), rights.folder).catch(unwritable(dirname(path)))
  try {
    await writeFile(path, text, { flag: 'wx', mode: rights.file })
    return true
  } catch (failure) {
    const error = failure as NodeJS.ErrnoException
    if (keepExisting && error.code === 'EEXIST') return false
    throw badRequest(`${path} can't be written: ${reasonOf(error)}.`, error)
  }
}

function unwritable(path: string) {
  return function refuse(error: NodeJS.ErrnoException): never {
    throw badRequest(`${path} can't be made: ${reasonOf(error)}.`, error)
  }
}

function configText({
  withCatalog,
  strict,
  environment,
}: {
  withCatalog: boolean
  strict: boolean
  environment: string | undefined
}): string {
  return `# Configuration of a release governance workspace. Every setting has a default; an empty file is valid.
api_version: v1
kind: WorkspaceConfig

# The ledger. For PostgreSQL or libSQL set database_url instead, or SERVICE_DATABASE_URL.
db_path: .service/service.db

# Environment where a command or request names none.
default_environment: ${environment === undefined ? 'local' : JSON.stringify(environment)}
${environment === undefined ? '' : environmentsText(environment)}
# Runs needed for HIGH confidence, unless the policy sets them.
diff:
  min_candidate_runs: 500
  min_baseline_runs: 500
  min_low_runs: 50

${withCatalog ? '' : '# '}pricing_catalog_path: ${CATALOG_PATH}

# true: promotions need a request and an approval; rollbacks don't. The requester may approve, unless approval_by_another
# is true.
promotion_requires_approval: false
# approval_by_another: true
# approvals_required: 2
# approval_expires: 24h

# true: a rollback to a release that was live before can be forced, without asking the policy.
# allow_forced_rollback: true
${strict ? STRICT : ''}`
}

function environmentsText(environment: string): string {
  return `
# The environments there are: a mistyped one is refused. Add others here, in their order.
environments: [${JSON.stringify(environment)}]
`
}

const STRICT = `
# Slips are refused, not only warned of: unknown fields and parameters, events of releases that are not registered or of
# another agent, limits on what was not measured, and a first promotion without --first.
strict: true
`
