import { readFileSync } from 'node:fs'
import { ROOT_PATH } from '../../src/runtime/root.ts'

/** A module that the package exports for programs of its users. */
interface SdkModule {
  /** How it is imported: `release-governance/ai-sdk`. */
  readonly specifier: string
  /** Its file in dist/sdk, without the ending. */
  readonly name: string
  /** Relative to the root. */
  readonly source: string
}

/** The client and the recorders, as `exports` of package.json lists them: their types lie where their sources do. */
export function sdkModules(): readonly SdkModule[] {
  const { name: packageName, exports } = JSON.parse(
    readFileSync(`${ROOT_PATH}package.json`, 'utf8'),
  ) as PackageJson
  return Object.entries(exports).flatMap(([path, target]) => {
    if (typeof target === 'string') return []
    const name = /^\.\/dist\/sdk\/(\w+)\.js$/.exec(target.default)?.[1]
    const source = /^\.\/dist\/types\/(.+)\.d\.ts$/.exec(target.types)?.[1]
    if (name === undefined || source === undefined) return []
    return [{ specifier: packageName + path.slice(1), name, source: `src/${source}.ts` }]
  })
}

interface PackageJson {
  readonly name: string
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>
}
