import { readFileSync, readdirSync } from 'node:fs'
import { tags } from '../../handlers/index.ts'
import type { CommandSpec } from '../../src/cli/arguments/command.ts'
import { COMMANDS } from '../commands.ts'
import { openApiDocument } from '../../src/http/openapi/openapi.ts'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { sdkModules } from '../packaging/sdk.ts'

/** As much of a JSON Schema as descriptions are made of. */
interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema | false
  readonly prefixItems?: readonly Schema[]
  readonly additionalProperties?: Schema | boolean
}

interface Operation {
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>

/**
 * What users of the package build upon, a line each: `kind name: token …`. Tokens are `field:types`, with `!` behind a field
 * that is always there. What `kind` means is in compare.ts.
 */
export async function describe(): Promise<string[]> {
  return [
    ...COMMANDS.map(commandLine),
    ...printLines(),
    ...(await httpLines()),
    ...fileLines(),
    ...sdkLines(),
  ]
}

function commandLine({ name, args = '', options = [] }: CommandSpec): string {
  const tokens = options.flatMap(({ flags, required, values }) => {
    const [names, value] = flags.split(/ (?=<)/) as [string, string?]
    const taken =
      value === undefined ? 'boolean' : (values?.map(text => JSON.stringify(text)).join('|') ?? 'string')
    const aliases = names.split(', ')
    const own = aliases.pop()!
    return [`${own}${required === true ? '!' : ''}:${taken}`, ...aliases.map(alias => `${alias}:${taken}`)]
  })
  const positional = Array.from(args.matchAll(/<([^>]+)>|\[([^\]]+)\]/g), ([, needed], index) =>
    needed === undefined ? `${index + 1}:string` : `${index + 1}!:string`,
  )
  return line('command', name, [...positional, ...tokens])
}

/** What commands print with `--output json`. */
function printLines(): string[] {
  const { $defs, properties } = JSON.parse(
    readFileSync(`${ROOT_PATH}schemas/cli/v1/commands.schema.json`, 'utf8'),
  ) as Record<'$defs' | 'properties', Readonly<Record<string, Schema>>>
  return [
    ...Object.entries(properties).map(([name, schema]) =>
      line('print', `svc ${name}`, [`!:${typesOf(schema, new Set())}`]),
    ),
    ...Object.entries($defs).map(([name, schema]) => line('print', name, tokensOf(schema, new Set()))),
  ]
}

async function httpLines(): Promise<string[]> {
  const { paths, components } = (await openApiDocument(tags, '', [])) as unknown as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
    readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
  }
  const [requests, answers] = [new Set<string>(), new Set<string>()]
  const lines: string[] = []
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { parameters = [], requestBody, responses }] of Object.entries(methods)) {
      const route = `${method.toUpperCase()} ${path}`
      const taken = parameters.map(
        ({ in: place, name, required, schema }) =>
          `${place}.${name}${required === true ? '!' : ''}:${typesOf(schema, requests)}`,
      )
      const body = bodyOf(requestBody?.content)
      lines.push(line('request', route, [...taken, ...tokensOf(body, requests, 'body')]))
      const statuses = Object.entries(responses).map(
        ([status, { content }]) => `${status}!:${typesOf(bodyOf(content), answers) || 'text'}`,
      )
      lines.push(line('answer', route, statuses))
    }
  }
  for (const [kind, named] of [
    ['request', requests],
    ['answer', answers],
  ] as const) {
    // Grows as it is gone through, by what these models name.
    for (const name of named) lines.push(line(kind, name, tokensOf(components.schemas[name], named)))
  }
  return lines
}

function bodyOf(content: Content | undefined): Schema | undefined {
  return content?.['application/json']?.schema
}

function fileLines(): string[] {
  return readdirSync(`${ROOT_PATH}schemas/v1`).map(name => {
    const schema = JSON.parse(readFileSync(`${ROOT_PATH}schemas/v1/${name}`, 'utf8')) as Schema
    return line('file', name, tokensOf(schema, new Set()))
  })
}

/** By their sources: modules of recorders take libraries that need not be there. */
function sdkLines(): string[] {
  return sdkModules().map(({ specifier, source }) => {
    const text = readFileSync(ROOT_PATH + source, 'utf8')
    const declared = Array.from(
      text.matchAll(/^export (?:declare )?(?:async )?(?:function|class|const|interface|type) (\w+)/gm),
      ([, name]) => name!,
    )
    const named = Array.from(text.matchAll(/^export (?:type )?\{([^}]*)\}/gm), ([, names]) =>
      names!.split(','),
    )
    const names = [...declared, ...named.flat().map(name => name.trim().replace(/^type /, ''))].filter(
      Boolean,
    )
    return line('module', specifier, [...names.map(name => `${name}!:name`), ...methodsOf(text, source)])
  })
}

/** Methods of the client, whose arguments and answers are those of the routes. */
function methodsOf(text: string, source: string): string[] {
  if (!text.includes('ServiceClient')) return []
  const client = readFileSync(`${ROOT_PATH}${source.replace(/index\.ts$/, 'client.ts')}`, 'utf8')
  return Array.from(client.matchAll(/^ {2}(?:async )?(\w+)(?:<[^>]*>)?\(/gm), ([, name]) => name!)
    .filter(name => name !== 'constructor')
    .map(name => `ServiceClient.${name}!:method`)
}

function line(kind: string, name: string, tokens: readonly string[]): string {
  return `${kind} ${name}: ${[...new Set(tokens)].toSorted().join(' ')}`.trimEnd()
}

/** Fields of a schema, with those below them. Models that it names are added to `named`. */
function tokensOf(schema: Schema | undefined, named: Set<string>, at = ''): string[] {
  if (schema === undefined) return []
  const { properties = {}, required = [], items, prefixItems = [], anyOf = [], oneOf = [] } = schema
  const { additionalProperties: rest } = schema
  return [
    ...Object.entries(properties).flatMap(([name, inner]) => {
      const path = at === '' ? name : `${at}.${name}`
      const mark = required.includes(name) ? '!' : ''
      return [`${path}${mark}:${typesOf(inner, named)}`, ...tokensOf(inner, named, path)]
    }),
    ...(items === undefined || items === false ? [] : tokensBelow(items, named, `${at}[]`)),
    ...prefixItems.flatMap((item, index) => tokensBelow(item, named, `${at}[${index}]`)),
    ...(typeof rest === 'object' ? tokensBelow(rest, named, `${at}{}`) : []),
    ...[...anyOf, ...oneOf].flatMap(inner => tokensOf(inner, named, at)),
  ]
}

function tokensBelow(schema: Schema, named: Set<string>, path: string): string[] {
  return [`${path}!:${typesOf(schema, named)}`, ...tokensOf(schema, named, path)]
}

/** What a value may be: JSON types, quoted values, names of models. */
function typesOf(schema: Schema | undefined, named: Set<string>): string {
  if (schema === undefined) return ''
  const name = schema.$ref?.split('/').at(-1)
  if (name !== undefined) {
    named.add(name)
    return name
  }
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const])
  const types =
    alternatives.length > 0
      ? alternatives.flatMap(inner => typesOf(inner, named).split('|'))
      : values.length > 0
        ? values.map(value => JSON.stringify(value).replaceAll(/[\s|]/g, '_'))
        : [schema.type ?? 'any'].flat()
  return [...new Set(types)].toSorted().join('|')
}
