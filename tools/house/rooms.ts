import { dirname } from 'node:path'
import type { Source } from './imports.ts'

/** A room of the house, and what it may import in addition to itself. */
interface Room {
  readonly name: string
  /** The paths of its files. Of several rooms the first counts. */
  readonly has: RegExp
  readonly may?: readonly string[]
  /** Starts of paths that it may import types of. */
  readonly types?: readonly string[]
  /** Packages by their beginning; `node:` is all of Node. */
  readonly packages?: readonly string[]
}

const NAMES = ['names', 'limits'].map(name => `src/models/${name}.ts`)
const PORT = ['port', 'query', 'dialect', 'deadline', 'server'].map(name => `src/sql/${name}.ts`)
const PURE = ['src/base/', 'src/rules/', 'src/spans/provider.ts', ...NAMES]
const BELOW = [...PURE, ...PORT]
const LEDGER = [...BELOW, 'src/ledger/']
const RUNTIME = [
  'src/base/',
  'src/models/',
  'src/rules/',
  'src/ledger/',
  'src/http/',
  'src/sql/',
  'handlers/',
]
const CHECKED = ['all/check.ts', 'checks.ts', 'shapes/', 'capability_checks.ts'].map(
  name => `src/models/${name}`,
)

/** From the ground up: a room imports those below it. Inside the ledger each folder imports those before it. */
const ROOMS: readonly Room[] = [
  { name: 'base', has: /^src\/base\// },
  { name: 'models', has: /^src\/models\//, may: ['src/base/'], packages: ['arktype'] },
  {
    name: 'rules',
    has: /^src\/(?:rules\/|features\/\w+\/rules)/,
    may: PURE,
    types: ['src/models/'],
    packages: ['ipaddr.js'],
  },
  {
    name: 'sql',
    has: /^src\/sql\//,
    may: ['src/base/'],
    packages: ['node:', 'libsql', '@libsql/', 'postgres'],
  },
  { name: 'usage', has: /^src\/usage\// },
  { name: 'spans', has: /^src\/spans\//, may: ['src/usage/'] },
  { name: 'sdk', has: /^src\/sdk\//, packages: ['@noble/hashes/'] },
  {
    name: 'recorders',
    has: /^src\/features\/(?:recorders\/|capture\/capabilities\.ts$)/,
    may: ['src/usage/', 'src/spans/'],
    types: ['src/sdk/'],
  },
  { name: 'ledger', has: /^src\/ledger\//, may: BELOW, types: ['src/models/'] },
  {
    name: 'places',
    has: /^src\/web\/(?:places|settings|log|search)\//,
    may: [
      ...PURE,
      'src/web/',
      'src/features/rollouts/rules',
      'src/features/capabilities/rules',
      'src/features/identity/rules',
    ],
    types: ['src/models/', 'src/features/'],
    packages: ['preact'],
  },
  {
    name: 'pages',
    has: /^src\/web\//,
    may: [...PURE, 'src/web/'],
    types: ['src/models/'],
    packages: ['preact'],
  },
  {
    name: 'http',
    has: /^src\/http\//,
    may: [...LEDGER, 'src/models/'],
    packages: ['itty-router'],
  },
  // The one place where a process on Node is put together.
  {
    name: 'composition',
    has: /^src\/runtime\/node\/open\.ts$/,
    may: [...RUNTIME, 'src/runtime/', 'src/entry/features.ts'],
    packages: ['node:'],
  },
  {
    name: 'runtime',
    has: /^src\/(?:runtime\/|features\/\w+\/(?:jobs|oidc)(?:_\w+)?\.ts)/,
    may: [...RUNTIME, 'src/runtime/'],
    types: ['src/features/feature.ts'],
    packages: ['node:', '@whatwg-node/', 'yaml', 'jose', 'oauth4webapi', 'virtual:'],
  },
  {
    name: 'commands',
    has: /^src\/(?:cli\/|features\/\w+\/cli|features\/mcp\/)/,
    may: [
      'src/base/',
      'src/models/',
      'src/rules/',
      'src/http/',
      'src/runtime/',
      'src/sdk/',
      'src/sql/port.ts',
      'handlers/',
      'src/cli/',
    ],
    types: ['src/ledger/'],
    packages: ['node:', 'cac', 'fflate', 'oauth4webapi', '@modelcontextprotocol/client'],
  },
  {
    name: 'models of features',
    has: /^src\/features\/\w+\/models\.ts$/,
    may: ['src/base/', 'src/models/'],
    packages: ['arktype'],
  },
  { name: 'handlers', has: /^handlers\//, may: [...LEDGER, 'src/models/', 'src/http/', 'src/features/'] },
  {
    name: 'features',
    has: /^src\/features\//,
    // Parts of documents that may be anything are checked where they are read.
    may: [
      ...LEDGER,
      ...CHECKED,
      'src/usage/',
      'src/spans/',
      'src/features/feature.ts',
      'src/models/documents/normalise.ts',
    ],
    types: ['src/models/', 'src/http/access/context.ts'],
  },
  { name: 'entry', has: /^src\/entry\//, may: ['src/', 'handlers/'], packages: ['node:', 'virtual:'] },
]

/** The floors of the ledger: each imports those before it. */
const FLOORS = [
  'world',
  'trail',
  'registry',
  'webhooks',
  'events',
  'tokens',
  'assess',
  'decide',
  'doctor',
  'health',
]

/** An import that its room may not have, as a line. */
export function refusedImports(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, imports, packages }) => {
    const room = ROOMS.find(({ has }) => has.test(path))
    if (room === undefined) return [`${path} is in no room`]
    const refused = imports
      .filter(({ to, kind }) => !mayImport(room, path, to, kind === 'type'))
      .map(({ to }) => `${path} -> ${to}`)
    const foreign = packages
      .filter(name => !(room.packages ?? []).some(start => name.startsWith(start)))
      .map(name => `${path} -> ${name}`)
    return [...refused, ...foreign]
  })
}

function mayImport({ name, may = [], types = [] }: Room, path: string, to: string, isType: boolean): boolean {
  if (isOwn(name, path, to)) return true
  const allowed = isType ? [...may, ...types] : may
  return allowed.some(start => to.startsWith(start))
}

/** A feature is its folder, whatever floor its files are of; handlers are a folder per tag. */
function isOwn(room: string, path: string, to: string): boolean {
  const feature = featureOf(path)
  if (feature !== undefined) return featureOf(to) === feature
  if (room === 'handlers') return dirname(path) === dirname(to) || path === 'handlers/index.ts'
  if (room === 'ledger' && to.startsWith('src/ledger/')) return floorOf(to) <= floorOf(path)
  return roomOf(to) === room && featureOf(to) === undefined
}

function floorOf(path: string): number {
  return FLOORS.indexOf(path.split('/')[2]!)
}

/** The name of the room that a file is in. */
function roomOf(path: string): string | undefined {
  return ROOMS.find(({ has }) => has.test(path))?.name
}

/** The feature that a file belongs to. */
export function featureOf(path: string): string | undefined {
  return /^src\/features\/([^/]+)\//.exec(path)?.[1]
}
