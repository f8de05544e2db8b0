import * as checks from '../src/models/checks.ts'
import * as environments from '../src/models/environments.ts'
import * as overrides from '../src/models/overrides.ts'
import * as signIn from '../src/models/sign_in.ts'
import * as capabilitySets from '../src/models/capability_checks.ts'

/** The modules of src/models that checks are in, by file. */
const MODULES = {
  checks,
  environments,
  overrides,
  sign_in: signIn,
  capability_checks: capabilitySets,
}

const EXPORTED = Object.entries(MODULES).flatMap(([file, module]) =>
  Object.entries(module).map(([name, value]) => ({ file, name, value: value as unknown })),
)

/** The name that a check is exported by; undefined of what is none. */
export function nameOfCheck(check: unknown): string | undefined {
  return EXPORTED.find(({ value }) => value === check)?.name
}

/** The imports of checks by name, of a file in src/models/shapes, with `others` of src/models/checks.ts. */
export function importsOfChecks(names: ReadonlySet<string>, others: readonly string[] = []): string {
  const used = EXPORTED.filter(({ name }) => names.has(name))
  return Object.keys(MODULES)
    .map(file => ({
      file,
      own: [
        ...(file === 'checks' ? others : []),
        ...used.filter(one => one.file === file).map(({ name }) => name),
      ],
    }))
    .filter(({ own }) => own.length > 0)
    .map(({ file, own }) => `import { ${own.toSorted().join(', ')} } from '../${file}.ts'\n`)
    .join('')
}
