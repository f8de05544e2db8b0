/** A tool as `spec.surface` of release.yaml lists it. */
export interface SurfaceTool {
  readonly name: string
  /** SHA-256 of its input schema as canonical JSON (RFC 8785), lowercase hex. */
  readonly schema_sha256: string
  /** Left out where nothing is known: the tool then counts as one that may do anything. */
  readonly effects?: readonly ('reads' | 'writes' | 'spends' | 'sends')[]
  /** Left out where nothing is known. */
  readonly scopes?: readonly string[]
}

export interface SurfaceOptions {
  /** Believe what a source says about tools that only read. Servers may say so of any tool. */
  readonly trustHints?: boolean
}

/** A tool as `tools/list` of a server of the Model Context Protocol answers it. */
export interface McpTool {
  readonly name: string
  readonly inputSchema: unknown
  readonly annotations?: { readonly readOnlyHint?: boolean | undefined } | undefined
}

/** The tools of an MCP server. Throws RangeError for a schema that has no end. */
export function mcpTools(tools: readonly McpTool[], options?: SurfaceOptions): Promise<SurfaceTool[]> {
  return surfaceTools(
    tools.map(({ name, inputSchema, annotations }) => ({
      name,
      schema: inputSchema,
      onlyReads: annotations?.readOnlyHint === true,
    })),
    options,
  )
}

/** A tool of an AI SDK tool map, of version 4 (`parameters`) to 7. */
export interface AiSdkTool {
  readonly inputSchema?: unknown
  readonly parameters?: unknown
  /** Of a tool that the provider runs. */
  readonly id?: string
  readonly args?: unknown
}

/**
 * The tools of an AI SDK tool map. `asSchema` is that of the package `ai`, which reads schemas of every library. Throws
 * RangeError for a schema that has no end.
 */
export async function aiSdkTools(
  tools: Readonly<Record<string, AiSdkTool>>,
  asSchema: (schema: never) => { readonly jsonSchema: unknown },
): Promise<SurfaceTool[]> {
  const read = Object.entries(tools).map(async ([name, { inputSchema, parameters, id, args }]) => {
    const given = inputSchema ?? parameters
    const schema = given === undefined ? null : await asSchema(given as never).jsonSchema
    return { name, schema: id === undefined ? schema : { id, args: args ?? null, schema } }
  })
  return surfaceTools(await Promise.all(read))
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'] as const

/** Methods that change nothing on a server (RFC 9110, section 9.2.1). */
const SAFE: ReadonlySet<string> = new Set(['get', 'head', 'options', 'trace', 'query'])

type Json = Readonly<Record<string, unknown>>

/**
 * A tool for each operation of an OpenAPI description (3.x): by its operationId, or by method and path. Scopes are those of
 * its OAuth and OpenID schemes. Throws RangeError where it refers to other files, and for what is no description.
 */
export function openApiTools(document: unknown, options?: SurfaceOptions): Promise<SurfaceTool[]> {
  const api = objectOf(document)
  if (typeof api.openapi !== 'string') throw new RangeError('it has no field openapi: it is no OpenAPI 3')
  const operations = Object.entries(objectOf(api.paths)).flatMap(([path, given]) => {
    const item = objectOf(resolved(given, api))
    return METHODS.filter(method => method in item).map(method => ({
      item,
      method,
      path,
      operation: objectOf(item[method]),
    }))
  })
  refuseMany(operations.length)
  const tools = operations.map(({ item, method, path, operation }) => {
    const { operationId, parameters, requestBody, security = api.security } = operation
    const input = { item_parameters: item.parameters ?? [], parameters: parameters ?? [], requestBody }
    return {
      name: typeof operationId === 'string' ? operationId : `${method.toUpperCase()} ${path}`,
      schema: { method, path, ...input, refers_to: Object.fromEntries(referredTo(input, api)) },
      scopes: scopesOf(security, api),
      onlyReads: SAFE.has(method),
    }
  })
  return surfaceTools(tools, options)
}

interface Found {
  readonly name: string
  readonly schema: unknown
  readonly scopes?: readonly string[] | undefined
  readonly onlyReads?: boolean
}

async function surfaceTools(
  found: readonly Found[],
  { trustHints = false }: SurfaceOptions = {},
): Promise<SurfaceTool[]> {
  refuseMany(found.length)
  const tools = found.map(async ({ name, schema, scopes, onlyReads }): Promise<SurfaceTool> => ({
    name,
    schema_sha256: await schemaSha256(schema),
    ...(trustHints && onlyReads === true ? { effects: ['reads'] } : {}),
    ...(scopes === undefined ? {} : { scopes }),
  }))
  return (await Promise.all(tools)).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** A surface with more is not compared. */
const MOST_TOOLS = 2000

function refuseMany(count: number): void {
  if (count > MOST_TOOLS) throw new RangeError(`it has ${count} tools: a surface holds ${MOST_TOOLS} at most`)
}

/** SHA-256 of a JSON value in canonical form (RFC 8785), lowercase hex. Throws RangeError for a value that has no end. */
export async function schemaSha256(schema: unknown): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(canonical(schema)))
  return Array.from(new Uint8Array(digest), byte => byte.toString(16).padStart(2, '0')).join('')
}

/** Deeper than any schema that people write; a value that holds itself gets there too. */
const MOST_LEVELS = 200

function canonical(value: unknown, level = 0): string {
  if (level > MOST_LEVELS) throw new RangeError('a schema is nested too deeply, or holds itself')
  if (Array.isArray(value)) return `[${value.map(item => canonical(item, level + 1)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member, level + 1)}`)
  return `{${members.join(',')}}`
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

/** What a `$ref` leads to, of a chain the last; other values are what they are. */
function resolved(value: unknown, api: Json): unknown {
  const seen = new Set<string>()
  for (let at = value; ;) {
    const { $ref: ref } = objectOf(at)
    if (typeof ref !== 'string' || seen.has(ref)) return at
    seen.add(ref)
    at = lookedUp(ref, api)
  }
}

function lookedUp(ref: string, api: Json): unknown {
  if (!ref.startsWith('#/')) throw new RangeError(`it refers to ${ref}: bundle it into one file first`)
  const keys = ref
    .slice(2)
    .split('/')
    .map(key => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'))
  const found = keys.reduce<unknown>(
    (at, key) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? (at as Json)[key] : undefined,
    api,
  )
  if (found === undefined) throw new RangeError(`it refers to ${ref}, which is not there`)
  return found
}

/** All that a value refers to, each once, however they refer to one another. */
function referredTo(value: unknown, api: Json): Map<string, unknown> {
  const found = new Map<string, unknown>()
  const left: unknown[] = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next !== 'object' || next === null) continue
    const { $ref: ref } = objectOf(next)
    if (typeof ref === 'string' && !found.has(ref)) {
      found.set(ref, lookedUp(ref, api))
      left.push(found.get(ref))
    }
    left.push(...Object.values(next))
  }
  return found
}

/** Scopes of any of the ways to be let in; undefined where none of them has scopes. */
function scopesOf(security: unknown, api: Json): string[] | undefined {
  const schemes = objectOf(objectOf(api.components).securitySchemes)
  const hasScopes = (name: string): boolean =>
    ['oauth2', 'openIdConnect'].includes(String(objectOf(resolved(schemes[name], api)).type))
  const listed = (Array.isArray(security) ? (security as unknown[]) : []).flatMap(way =>
    Object.entries(objectOf(way)).flatMap(([name, scopes]) => (hasScopes(name) ? [scopes] : [])),
  )
  if (listed.length === 0) return undefined
  return [...new Set(listed.flat().map(String))].sort()
}
