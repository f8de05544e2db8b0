import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { temporaryFolder } from '../../support/databases/ledger.ts'

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

const RESTRICTED = 'eslint(no-restricted-imports)'

/** A file of each room, an import that the room may not have, and one that it may. */
const ROOMS: readonly (readonly [file: string, refused: string, allowed: string])[] = [
  ['src/base/a.ts', '../models/check.ts', './text.ts'],
  ['src/models/a.ts', '../rules/cost.ts', '../base/text.ts'],
  ['src/models/documents/a.ts', '../../ledger/ledger.ts', '../scalars.ts'],
  ['src/rules/a.ts', '../sdk/client.ts', '../base/text.ts'],
  ['src/rules/a.ts', 'node:fs', './cost.ts'],
  ['src/rules/a.ts', '../models/check.ts', '../base/time.ts'],
  ['src/rules/a.ts', '../models/normalise.ts', '../models/names.ts'],
  ['src/rules/statistics/a.ts', '../../ledger/ledger.ts', '../../base/numbers.ts'],
  ['src/ledger/a.ts', '../web/app.tsx', '../rules/cost.ts'],
  ['src/ledger/chain/a.ts', '../../web/app.tsx', '../../sql/port.ts'],
  ['src/ledger/chain/a.ts', '../../sql/d1.ts', '../ledger.ts'],
  ['src/ledger/chain/a.ts', '../../models/check.ts', '../../rules/cost.ts'],
  ['src/ledger/chain/a.ts', '../../http/message.ts', '../../base/errors.ts'],
  ['src/sql/a.ts', '../base/text.ts', './port.ts'],
  ['src/sql/postgres/a.ts', '../../ledger/ledger.ts', '../port.ts'],
  ['src/http/a.ts', '../runtime/log.ts', '../ledger/ledger.ts'],
  ['src/http/endpoint/a.ts', '../../sql/d1.ts', '../../sql/port.ts'],
  ['src/http/endpoint/a.ts', 'node:http', '../message.ts'],
  ['handlers/a.ts', '../src/ledger/world/ledger.ts', '../src/http/wire/message.ts'],
  ['handlers/decisions/a.ts', '../../src/sql/port.ts', '../../src/ledger/world/ledger.ts'],
  ['handlers/decisions/a.ts', '../runs/list.ts', './_fields.ts'],
  ['src/runtime/a.ts', '../cli/main.ts', '../../handlers/index.ts'],
  ['src/runtime/node/a.ts', '../../cli/main.ts', '../../../handlers/index.ts'],
  ['src/cli/a.ts', '../web/app.tsx', '../runtime/log.ts'],
  ['src/cli/release/a.ts', '../../ledger/ledger.ts', '../../../handlers/index.ts'],
  ['src/cli/release/a.ts', '../../sql/d1.ts', '../terminal/io.ts'],
  ['src/sdk/a.ts', '../base/text.ts', './errors.ts'],
  ['src/sdk/usage/a.ts', '../../base/text.ts', '../errors.ts'],
  ['src/otlp/a.ts', '../sdk/client.ts', '../sdk/spans/use.ts'],
  ['src/otlp/a.ts', '../models/check.ts', '../base/errors.ts'],
  ['src/http/endpoint/a.ts', '../../sdk/client.ts', '../../otlp/receive.ts'],
  ['handlers/runs/a.ts', '../../src/sdk/client.ts', '../../src/features/traces/receive.ts'],
  ['src/web/a.ts', '../ledger/ledger.ts', '../rules/window.ts'],
  ['src/web/components/a.ts', '../../sdk/client.ts', '../../base/time.ts'],
  ['src/web/pages/diff/a.ts', '../../../http/message.ts', '../../../rules/window.ts'],
  ['src/web/pages/diff/a.ts', '../../../models/check.ts', '../../components/page.tsx'],
]

describe('the linter', () => {
  test('refuses what a room may not import, and nothing else', () => {
    const files = ROOMS.flatMap(([file, refused, allowed], index) => {
      const [named, other] = [`-${index}-refused.ts`, `-${index}-allowed.ts`].map(end =>
        file.replace(/\.ts$/, end),
      )
      return [
        [named!, `import * as it from '${refused}'\nexport const used = it\n`],
        [other!, `import * as it from '${allowed}'\nexport const used = it\n`],
      ]
    })
    const expected = files
      .map(([name]) => `${RESTRICTED} ${name}`)
      .filter(line => line.includes('-refused'))
      .sort()
    const found = lint(Object.fromEntries(files) as Record<string, string>)
    expect(found.filter(line => line.startsWith(RESTRICTED))).toEqual(expected)
  })

  test('lets types of models and of the ledger through where values may not be', () => {
    const type = (path: string): string => `import type { It } from '${path}'\nexport type Used = It\n`
    expect(
      lint({
        'src/rules/a.ts': type('../models/check.ts'),
        'src/ledger/chain/a.ts': type('../../models/check.ts'),
        'src/cli/release/a.ts': type('../../ledger/ledger.ts'),
        'src/web/pages/diff/a.ts': type('../../../models/check.ts'),
      }),
    ).toEqual([])
  })

  test('refuses circles, those of types too', () => {
    const found = lint({
      'src/base/a.ts': "import type { B } from './b.ts'\nexport interface A {\n  readonly b: B\n}\n",
      'src/base/b.ts': "import type { A } from './a.ts'\nexport interface B {\n  readonly a: A\n}\n",
    })
    expect(found).toEqual(['import(no-cycle) src/base/a.ts', 'import(no-cycle) src/base/b.ts'])
  })

  test.each(['process', 'fetch', 'setTimeout'])('refuses the global %s in rules and ledger', name => {
    const text = `export const used = ${name}\n`
    const found = lint({ 'src/rules/a.ts': text, 'src/ledger/chain/a.ts': text })
    expect(found).toHaveLength(2)
  })
})
