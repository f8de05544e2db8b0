import { importsOfChecks, nameOfCheck } from './checks.ts'
import type { Narrowing } from '../src/models/checks.ts'
import type { CheckedName } from '../src/models/all/check.ts'
import type { AnyModel } from '../src/models/model.ts'
import type { Input } from '../src/models/all/input.ts'

/** The files of the shapes in src/models/shapes: short ones that are loaded for the same requests share one. */
export const SHAPE_FILES = {
  BundleFiles: 'release',
  CaseTries: 'scores',
  Policy: 'policy',
  PricingCatalog: 'pricing',
  PricingTable: 'pricing',
  Release: 'release',
  RunEvent: 'run_event',
  ScoreCases: 'scores',
  Capabilities: 'capabilities',
  WorkspaceConfig: 'workspace',
} as const satisfies Readonly<Record<CheckedName, string>>

/** What is read of a node of arktype. */
interface Node {
  readonly kind: string
  readonly domain?: string | { readonly domain: string }
  readonly basis?: Node | null
  readonly unit?: unknown
  readonly branches: readonly Node[]
  readonly prestructurals?: readonly Rule[]
  readonly structure?: Structure
  readonly inner: { readonly predicate?: readonly { readonly predicate: Partial<Narrowing<unknown>> }[] }
}

interface Rule {
  readonly kind: string
  readonly rule: number | string
  readonly exclusive?: boolean
  readonly flags?: string
  readonly meta?: { readonly expected?: unknown }
}

interface Structure {
  readonly inner: {
    readonly required?: readonly Field[]
    readonly optional?: readonly Field[]
    readonly sequence?: { readonly inner: { readonly variadic: Node } }
    readonly index?: readonly { readonly signature: Node; readonly value: Node }[]
    readonly undeclared?: string
  }
}

interface Field {
  readonly key: string
  readonly value: Node
  readonly default?: unknown
  hasDefault(): boolean
}

/**
 * The shapes of models as TypeScript (`src/models/shape.ts`), by their names: arktype takes longer to load than most
 * commands take, and is an eighth of a Worker. Throws where a model holds what a shape can't say.
 */
export function shapesSource(models: Readonly<Record<string, AnyModel>>): string {
  const writer = new Writer()
  const roots = Object.entries(models).map(([name, model]) => [name, writer.shape(nodeOf(model))])
  return `${writer.head('Shape')}
${roots.map(([name, root]) => `export const ${name}: Shape = ${root}\n`).join('')}`
}

/** The shapes of what endpoints take, by the name of the input. */
export function inputsSource(inputs: Readonly<Record<string, Input>>): string {
  const writer = new Writer()
  const entries = Object.entries(inputs).map(([name, { parts, documents }]) => {
    const shapes = Object.entries(parts).map(([part, model]) => [part, writer.shape(nodeOf(model))])
    const named = Object.keys(documents).length === 0 ? undefined : JSON.stringify(documents)
    return `  ${name}: ${objectText({ ...Object.fromEntries(shapes), documents: named })},`
  })
  return `${writer.head('InputShapes')}

export const INPUTS: Readonly<Record<string, InputShapes>> = {
${entries.join('\n')}
}
`
}

function nodeOf(model: AnyModel): Node {
  return (model as unknown as { readonly internal: Node }).internal
}

/** Longest text of a shape that is repeated. */
const SHORT = 24

class Writer {
  readonly checks = new Set<string>()
  readonly constants: string[] = []
  readonly #names = new Map<string, string>()

  /** What comes before the shapes. */
  head(type: 'Shape' | 'InputShapes'): string {
    return `// Generated from the models by \`npm run generate\`, and never edited.
${importsOfChecks(this.checks)}import type { ${type} } from '../shape.ts'

${this.constants.join('\n')}`
  }

  shape(node: Node): string {
    const text = this.#text(node)
    if (text.length <= SHORT) return text
    const known = this.#names.get(text)
    if (known !== undefined) return known
    const name = `s${this.#names.size + 1}`
    this.#names.set(text, name)
    this.constants.push(`const ${name} = ${text} as const`)
    return name
  }

  #text(node: Node): string {
    if (node.kind === 'unit') return `{ oneOf: ${JSON.stringify([node.unit])} }`
    if (node.kind === 'union') return this.#union(node.branches)
    if (isAnything(node)) return '{}'
    if (node.kind === 'morph')
      throw new Error('a shape says what is there, not what is made of it: narrow a part instead')
    const { basis, prestructurals = [], structure, inner } = node
    const { required = [], optional = [], sequence, index = [], undeclared } = structure?.inner ?? {}
    if (index.some(({ signature }) => signature.kind !== 'domain') || index.length > 1)
      throw new Error('a shape says of keys only that they may be any')
    const defaults = optional.filter(field => field.hasDefault())
    return objectText({
      is: JSON.stringify(isOf(basis ?? node)),
      limits: listText(prestructurals.map(limitText)),
      required: this.#fields(required),
      optional: this.#fields(optional),
      items: sequence && this.shape(sequence.inner.variadic),
      values: index[0] && this.shape(index[0].value),
      others: undeclared && JSON.stringify(undeclared),
      defaults: defaults.length === 0 ? undefined : JSON.stringify(defaultsOf(defaults)),
      checks: listText((inner.predicate ?? []).map(({ predicate }) => this.#check(predicate))),
    })
  }

  #union(branches: readonly Node[]): string {
    if (branches.every(({ kind }) => kind === 'unit'))
      return `{ oneOf: ${JSON.stringify(branches.map(({ unit }) => unit))} }`
    const kinds = branches.map(branch => [domainOf(branch), this.shape(branch)] as const)
    if (new Set(kinds.map(([kind]) => kind)).size < kinds.length)
      throw new Error('a shape tells the branches of a union apart by kinds alone')
    return `{ kinds: ${objectText(Object.fromEntries(kinds))} }`
  }

  #fields(fields: readonly Field[]): string | undefined {
    if (fields.length === 0) return undefined
    return objectText(Object.fromEntries(fields.map(({ key, value }) => [key, this.shape(value)])))
  }

  #check({ check }: Partial<Narrowing<unknown>>): string {
    const name = nameOfCheck(check)
    if (name === undefined) throw new Error('a model has a narrowing that is no check of src/models')
    this.checks.add(name)
    return name
  }
}

/** arktype's `unknown`. */
function isAnything({ kind, basis, structure }: Node): boolean {
  return kind === 'intersection' && basis == null && structure === undefined
}

function isOf(node: Node): string {
  return node.kind === 'proto' ? 'array' : domainOf(node)
}

/** The kind of values that a node takes. */
function domainOf(node: Node): string {
  if (node.kind === 'unit') return node.unit === null ? 'null' : typeof node.unit
  const basis = node.kind === 'intersection' ? node.basis! : node
  return basis.kind === 'proto' ? 'object' : (basis.domain as string)
}

function limitText({ kind, rule, exclusive, flags, meta }: Rule): string {
  if (kind === 'pattern') {
    if (typeof meta?.expected !== 'string')
      throw new Error(`a pattern needs words, as ofForm gives it: ${rule}`)
    return `[${String(new RegExp(String(rule), flags))}, ${JSON.stringify(meta.expected)}]`
  }
  if (exclusive === true || !['divisor', 'min', 'max', 'minLength', 'maxLength'].includes(kind))
    throw new Error(`a shape knows nothing of ${kind}`)
  return `[${JSON.stringify(kind)}, ${JSON.stringify(rule)}]`
}

function defaultsOf(fields: readonly Field[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.map(({ key, default: value }) => [
      key,
      typeof value === 'function' ? (value as () => unknown)() : value,
    ]),
  )
}

function objectText(entries: Readonly<Record<string, string | undefined>>): string {
  const texts = Object.entries(entries).flatMap(([key, text]) =>
    text === undefined ? [] : [`${key}: ${text}`],
  )
  return `{ ${texts.join(', ')} }`
}

function listText(items: readonly string[]): string | undefined {
  return items.length === 0 ? undefined : `[${items.join(', ')}]`
}
