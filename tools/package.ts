import { spawnSync } from 'node:child_process'
import { cp, rm } from 'node:fs/promises'
import { readFileSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { relative } from 'node:path'
import { rolldown } from 'rolldown'
import { bundledDriver } from './packaging/driver.ts'
import { eagerFunctions } from './packaging/eager.ts'
import { bundledServer } from './packaging/server.ts'
import { sdkModules } from './packaging/sdk.ts'
import { buildWorker } from './worker.ts'
import { ROOT_PATH } from '../src/runtime/root.ts'

interface Bundle {
  readonly format: 'cjs' | 'esm'
  readonly ending: string
  readonly entries: Readonly<Record<string, string>>
  /** Entries that share no file with others: a thread reads no more than it runs. */
  readonly alone?: Readonly<Record<string, string>>
  /** Files by name that hold what these sources import, and what that imports, but for what a file before holds. */
  readonly together: Readonly<Record<string, readonly string[]>>
}

/**
 * What the package is built of, apart from the Worker, by folder of dist. All files of a folder lie side by side, two
 * levels below the root as the sources do, so that paths relative to a file hold for both. The command line is
 * CommonJS, of which a command starts a fifth sooner: docs/decisions/0006.
 */
const BUNDLES: Readonly<Record<string, Bundle>> = {
  cli: {
    format: 'cjs',
    ending: 'cjs',
    entries: { main: 'src/entry/main.ts' },
    alone: { libsql_thread: 'src/sql/libsql/libsql_thread.ts' },
    // Fifty small files take longer to find and read than a large one. What is loaded later, as arktype is, stays apart.
    together: {
      start: [
        'src/cli/arguments/parse.ts',
        'src/entry/commands/index.ts',
        'src/entry/commands/release.ts',
        'src/entry/commands/rules.ts',
        'src/entry/commands/runs.ts',
        'src/entry/commands/workspace.ts',
        'src/cli/release/reference.ts',
        'src/cli/service/api.ts',
        'src/cli/service/open.ts',
        'src/cli/terminal/io.ts',
        'src/cli/terminal/table.ts',
        'src/cli/terminal/text.ts',
        'src/features/deploys/cli.ts',
        'src/features/rollouts/rules_steps.ts',
        'src/features/watch/rules_retry.ts',
        'src/sql/port.ts',
      ],
      local: [
        'src/cli/service/local.ts',
        'src/http/endpoint/bodies.ts',
        'src/http/endpoint/endpoint.ts',
        'src/ledger/trail/write_logged.ts',
        'src/ledger/world/query.ts',
        'src/ledger/registry/last_policy.ts',
        'src/ledger/registry/releases.ts',
        'src/models/capability_checks.ts',
        'src/runtime/node/open.ts',
        'src/runtime/node/workspace.ts',
        'src/sql/libsql/rows.ts',
        'src/sql/write_health.ts',
      ],
      release: ['src/cli/release/release.ts', 'src/rules/scope.ts'],
      // What lists of releases and webhooks, say, do without.
      limits: ['src/rules/limit_words.ts'],
      power: ['src/features/capabilities/power.ts', 'src/models/shapes/capabilities.ts'],
      diff: ['src/cli/release/diff.ts', 'src/cli/runs/elsewhere.ts'],
      compare: ['handlers/decisions/diff.ts', 'src/ledger/assess/diff.ts'],
      // What features say of each comparison, and of a diff alone.
      judged: [
        'src/features/aggregates/fed.ts',
        'src/features/capabilities/condition.ts',
        'src/features/conditions/condition.ts',
        'src/features/retirements/known.ts',
      ],
      measured: [
        'src/features/scores/sides.ts',
        'src/features/segments/measure.ts',
        'src/features/tails/tails.ts',
        'src/features/tools/tools.ts',
      ],
    },
  },
  sdk: {
    format: 'esm',
    ending: 'js',
    entries: Object.fromEntries(sdkModules().map(({ name, source }) => [name, source])),
    together: {},
  },
}

/** Files that are read at run time, by their place in dist. */
const COPIES: Readonly<Record<string, string>> = {
  prices: 'src/prices',
  'cli/LICENSE.cac': 'node_modules/cac/LICENSE',
  'sdk/LICENSE.noble-hashes': 'node_modules/@noble/hashes/LICENSE',
  'cli/LICENSE.envelop': 'node_modules/@envelop/instrumentation/LICENSE',
  'cli/LICENSE.itty-router': 'node_modules/itty-router/LICENSE',
  'cli/LICENSE.jose': 'node_modules/jose/LICENSE.md',
  'cli/LICENSE.libsql': 'node_modules/libsql/LICENSE',
  'cli/LICENSE.oauth4webapi': 'node_modules/oauth4webapi/LICENSE.md',
  'cli/LICENSE.tslib': 'node_modules/tslib/LICENSE.txt',
  'cli/LICENSE.yaml': 'node_modules/yaml/LICENSE',
  // Its packages have no other file that names their license.
  'cli/LICENSE.whatwg-node': 'node_modules/@whatwg-node/server/package.json',
  'worker/index.d.ts': 'tools/worker_types.d.ts',
}

/** What is imported by a name, and what of that comes in the bundle. */
const OUTSIDE = /^(?:node:|cloudflare:|@?[a-z][\w.-]*(?:\/|$))/
const INSIDE =
  /^(?:(?:cac|itty-router|jose|libsql|oauth4webapi|tslib|yaml)$|@(?:envelop|noble|whatwg-node)\/)/

/** File systems stamp files by a clock that ticks in steps. */
const CLOCK_GRAIN_MS = 20

/** The only folder of dist that is wanted; all of them unless given. */
const [only] = process.argv.slice(2)
for (const [folder, contents] of Object.entries(BUNDLES)) {
  if (only === undefined || only === folder) await bundle(folder, contents)
}
for (const [to, from] of Object.entries(COPIES)) {
  await cp(`${ROOT_PATH}${from}`, `${ROOT_PATH}dist/${to}`, { recursive: true })
}
if (only === undefined) {
  await buildWorker(undefined, `${ROOT_PATH}dist/worker/index.js`)
  declareTypes()
}

async function bundle(folder: string, { alone = {}, ...shared }: Bundle): Promise<void> {
  const startedAt = Date.now()
  await rm(`${ROOT_PATH}dist/${folder}`, { recursive: true, force: true })
  const parts = [
    shared,
    ...Object.entries(alone).map(([name, path]) => ({ ...shared, entries: { [name]: path }, together: {} })),
  ]
  const modules = new Set<string>()
  for (const part of parts) for (const id of await write(folder, part)) modules.add(id)
  if (folder === 'cli')
    writeFileSync(`${ROOT_PATH}dist/cli/sources.json`, sourcesText([...modules], startedAt))
}

/** Returns the modules that went in. */
async function write(folder: string, { format, ending, entries, together }: Bundle): Promise<string[]> {
  const build = await rolldown({
    input: { ...entries },
    cwd: ROOT_PATH,
    platform: format === 'cjs' ? 'node' : 'neutral',
    // The package manager installs the dependencies. Those of nearly every command and of the server are bundled instead:
    // Node takes longer to find the 70 files of the YAML reader alone than to start.
    external: id => OUTSIDE.test(id) && !INSIDE.test(id),
    // A document of which one command loads the check late is checked at once by another.
    checks: { ineffectiveDynamicImport: false },
    // It would name the folders of this machine.
    experimental: { attachDebugInfo: 'none' },
    plugins: [
      ...(format === 'cjs' ? [eagerFunctions] : []),
      bundledDriver,
      bundledServer,
      { name: 'threads', transform: code => code.replaceAll(/'(\.\/\w+_thread)\.ts'/g, `'$1.${ending}'`) },
    ],
  })
  const { output } = await build.write({
    dir: `${ROOT_PATH}dist/${folder}`,
    format,
    entryFileNames: `[name].${ending}`,
    chunkFileNames: `[name]-[hash].${ending}`,
    comments: false,
    codeSplitting: { groups: Object.entries(together).map(groupOf) },
  })
  await build.close()
  return output.flatMap(file => (file.type === 'chunk' ? file.moduleIds : []))
}

function groupOf([name, paths]: [string, readonly string[]]): {
  name: string
  test: (id: string) => boolean
} {
  const ids = paths.map(path => realpathSync(`${ROOT_PATH}${path}`))
  return { name, test: id => ids.includes(id) }
}

/**
 * What the command line was built of, by which bin/svc.cjs of a checkout knows whether that is current: path, size
 * and time of change (ms) of each file. For dependencies the record of npm counts, which it writes at an installation. A file
 * that may have changed meanwhile is given no size, so that the build is never taken for current.
 */
function sourcesText(modules: readonly string[], startedAt: number): string {
  const settledAt = startedAt - CLOCK_GRAIN_MS
  const own = modules.filter(id => id.startsWith(ROOT_PATH) && !id.includes('/node_modules/'))
  const paths = [...own, `${ROOT_PATH}tools/package.ts`, `${ROOT_PATH}node_modules/.package-lock.json`]
  const lines = paths.toSorted().map(path => {
    const { size, ctimeMs } = statSync(path)
    return JSON.stringify([relative(ROOT_PATH, path), ctimeMs < settledAt ? size : null, ctimeMs])
  })
  return `[\n${lines.join(',\n')}\n]\n`
}

/** Writes the types of the SDK into dist/types. */
function declareTypes(): void {
  rmSync(`${ROOT_PATH}dist/types`, { recursive: true, force: true })
  const tsc = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace('package.json', 'bin/tsc')
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.sdk.json'], {
    cwd: ROOT_PATH,
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(status ?? 1)
  // tsc leaves the endings of sources in declarations, where older compilers don't take them.
  const files = readdirSync(`${ROOT_PATH}dist/types`, { recursive: true, encoding: 'utf8' })
  for (const name of files.filter(path => path.endsWith('.d.ts'))) {
    const file = `${ROOT_PATH}dist/types/${name}`
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.{1,2}\/[\w./]+)\.ts'/g, "$1.js'"))
  }
}
