import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { folderCircles, importsOf, readSources } from '../../../tools/house/imports.ts'
import { refusedImports } from '../../../tools/house/rooms.ts'
import { temporaryFolder } from '../../support/databases/ledger.ts'

const sources = readSources()

describe('the house', () => {
  test('has no import that its room may not have', () => {
    expect(refusedImports(sources)).toEqual([])
  })

  test('has no circle of folders, those of types among them', () => {
    expect(folderCircles(sources).filter(circle => circle.every(folder => folder.startsWith('src')))).toEqual(
      [],
    )
  })
})

test('each folder has its sentence in the map of CONTRIBUTING.md', () => {
  const map = readFileSync(join(ROOT_PATH, 'CONTRIBUTING.md'), 'utf8')
  const folders = new Set(sources.map(({ path }) => path.split('/').slice(0, -1).slice(0, 3).join('/')))
  const lacking = [...folders].filter(folder => {
    const [room, name] = [folder.split('/').slice(0, 2).join('/'), folder.split('/')[2]]
    const row = map.split('\n').find(line => line.startsWith(`| \`${room}\` |`)) ?? ''
    return !map.includes(`\n| \`${folder}\` |`) && !(name !== undefined && row.includes(`\`${name}\``))
  })
  expect(lacking.filter(folder => folder.startsWith('src'))).toEqual([])
})

/** A file of each room, an import that it may not have, and one that it may. */
const IMPORTS: readonly (readonly [file: string, refused: string, allowed: string])[] = [
  ['src/base/a.ts', '../models/check.ts', './text.ts'],
  ['src/models/a.ts', '../rules/cost.ts', '../base/text.ts'],
  ['src/models/documents/a.ts', '../../ledger/world/ledger.ts', '../scalars.ts'],
  ['src/rules/a.ts', '../sdk/client.ts', '../base/text.ts'],
  ['src/rules/a.ts', 'node:fs', './cost.ts'],
  ['src/rules/a.ts', '../models/check.ts', '../models/names.ts'],
  ['src/rules/statistics/a.ts', '../../ledger/world/ledger.ts', '../../base/numbers.ts'],
  ['src/ledger/trail/a.ts', '../../web/app/main.tsx', '../../sql/port.ts'],
  ['src/ledger/trail/a.ts', '../../sql/d1.ts', '../world/ledger.ts'],
  ['src/ledger/trail/a.ts', '../../models/check.ts', '../../rules/cost.ts'],
  ['src/ledger/trail/a.ts', '../../features/watch/claim.ts', '../../base/errors.ts'],
  ['src/ledger/trail/a.ts', '../decide/record.ts', '../trail/chain.ts'],
  ['src/sql/a.ts', '../rules/window.ts', '../base/time.ts'],
  ['src/http/endpoint/a.ts', '../../sql/d1.ts', '../../sql/port.ts'],
  ['src/http/endpoint/a.ts', 'node:http', '../wire/message.ts'],
  ['handlers/a.ts', '../src/sql/port.ts'.replace('port', 'd1'), '../src/http/wire/message.ts'],
  ['handlers/decisions/a.ts', '../runs/list.ts', './_fields.ts'],
  ['handlers/decisions/a.ts', '../../src/runtime/log.ts', '../../src/features/explain/explain.ts'],
  ['src/runtime/a.ts', '../entry/main.ts', '../../handlers/index.ts'],
  ['src/cli/release/a.ts', '../../ledger/world/ledger.ts', '../../../handlers/index.ts'],
  ['src/cli/release/a.ts', '../../features/groups/cli.ts', '../terminal/io.ts'],
  ['src/spans/a.ts', '../base/text.ts', './counts.ts'],
  ['src/sdk/a.ts', '../base/text.ts', './errors.ts'],
  ['src/features/recorders/a.ts', '../../sdk/errors.ts', '../../usage/counts.ts'],
  ['src/web/ui/a.ts', '../../sdk/client.ts', '../../base/time.ts'],
  ['src/web/runs/a.ts', '../../features/watch/rules_a.ts', '../ui/page.tsx'],
  ['src/features/watch/a.ts', '../retention/prune.ts', './claim.ts'],
  ['src/features/watch/a.ts', '../../http/wire/message.ts', '../../ledger/world/ledger.ts'],
  ['src/features/watch/rules_a.ts', '../../ledger/world/ledger.ts', '../../rules/cost.ts'],
  ['src/features/watch/cli_a.ts', '../../web/reads.ts', '../../cli/terminal/io.ts'],
  ['src/features/watch/jobs.ts', '../../cli/terminal/io.ts', '../../runtime/log.ts'],
  ['src/web/log/a.tsx', '../../ledger/world/ledger.ts', '../reads.ts'],
]

test.each(IMPORTS)('%s may not import %s, and may %s', (path, refused, allowed) => {
  const withImport = (name: string) => {
    const text = `import * as it from '${name}'\nexport const used = it\n`
    return [{ path, text, lines: 2, isGenerated: false, ...importsOf(path, text) }]
  }
  expect(refusedImports(withImport(refused))).toHaveLength(1)
  expect(refusedImports(withImport(allowed))).toEqual([])
})

test.each([
  ['src/rules/a.ts', '../models/check.ts'],
  ['src/ledger/trail/a.ts', '../../models/check.ts'],
  ['src/cli/release/a.ts', '../../ledger/world/ledger.ts'],
  ['src/features/recorders/a.ts', '../../sdk/types.ts'],
  ['src/web/log/a.ts', '../../models/check.ts'],
])('%s may have types of %s', (path, name) => {
  const text = `import type { It } from '${name}'\nexport type Used = It\n`
  expect(refusedImports([{ path, text, lines: 2, isGenerated: false, ...importsOf(path, text) }])).toEqual([])
})

interface Finding {
  readonly code: string
  readonly filename: string
}

/** What the linter finds in these files under the project's own configuration, as `rule file`. */
function lint(files: Readonly<Record<string, string>>): string[] {
  const folder = temporaryFolder()
  cpSync(join(ROOT_PATH, '.oxlintrc.json'), join(folder, '.oxlintrc.json'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const program = join(ROOT_PATH, 'node_modules/oxlint/bin/oxlint')
  const { stdout } = spawnSync(process.execPath, [program, '--format', 'json', '.'], {
    cwd: folder,
    encoding: 'utf8',
  })
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: Finding[] }
  return diagnostics.map(({ code, filename }) => `${code} ${filename}`).sort()
}

describe('the linter', () => {
  test('refuses circles of files, those of types too', () => {
    const found = lint({
      'src/base/a.ts': "import type { B } from './b.ts'\nexport interface A {\n  readonly b: B\n}\n",
      'src/base/b.ts': "import type { A } from './a.ts'\nexport interface B {\n  readonly a: A\n}\n",
    })
    expect(found).toEqual(['import(no-cycle) src/base/a.ts', 'import(no-cycle) src/base/b.ts'])
  })

  test.each(['process', 'fetch', 'setTimeout'])(
    'refuses the global %s in rules, the ledger and features',
    name => {
      const text = `export const used = ${name}\n`
      const pure = ['src/rules/a.ts', 'src/ledger/trail/a.ts', 'src/features/watch/a.ts']
      const free = ['src/features/watch/jobs.ts', 'src/features/watch/cli_a.ts', 'src/entry/a.ts']
      const found = lint(Object.fromEntries([...pure, ...free].map(file => [file, text])))
      expect(found.map(line => line.split(' ')[1])).toEqual(pure.toSorted())
    },
  )
})
