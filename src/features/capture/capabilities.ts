/** A tool as `spec.capabilities` of release.yaml lists it. */
export interface CapabilityTool {
  readonly name: string
  /** SHA-256 of its input schema, lowercase hex: see {@link schemaSha256}. */
  readonly schema_sha256: string
  /** Left out where nothing is known: the tool then counts as one that may do anything. */
  readonly effects?: readonly ('reads' | 'writes' | 'spends' | 'sends')[]
}

export interface CapabilityOptions {
  /** Believe what a source says about tools that only read. Servers may say so of any tool. */
  readonly trustHints?: boolean
}

/** A tool as `tools/list` of a server of the Model Context Protocol answers it. */
export interface McpTool {
  readonly name: string
  readonly inputSchema: unknown
  readonly annotations?: { readonly readOnlyHint?: boolean | undefined } | undefined
}

/** The tools of an MCP server, by name. Throws RangeError for more than 2,000, and for a schema that has no end. */
export async function mcpTools(
  tools: readonly McpTool[],
  { trustHints = false }: CapabilityOptions = {},
): Promise<CapabilityTool[]> {
  if (tools.length > MOST_TOOLS)
    throw new RangeError(`it has ${tools.length} tools: a release declares ${MOST_TOOLS} at most`)
  const read = tools.map(async ({ name, inputSchema, annotations }): Promise<CapabilityTool> => ({
    name,
    schema_sha256: await schemaSha256(inputSchema),
    ...(trustHints && annotations?.readOnlyHint === true ? { effects: ['reads'] } : {}),
  }))
  return (await Promise.all(read)).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Capabilities with more are not compared. */
const MOST_TOOLS = 2000

/**
 * SHA-256 of a schema in canonical JSON (RFC 8785), lowercase hex. Time zones and absolute paths in its texts count as the
 * same, wherever the server runs. Throws RangeError for a schema that has no end.
 */
export async function schemaSha256(schema: unknown): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(canonical(schema)))
  return Array.from(new Uint8Array(digest), byte => byte.toString(16).padStart(2, '0')).join('')
}

/** Deeper than any schema that people write; a value that holds itself gets there too. */
const MOST_LEVELS = 200

function canonical(value: unknown, level = 0): string {
  if (level > MOST_LEVELS) throw new RangeError('a schema is nested too deeply, or contains itself')
  if (Array.isArray(value)) return `[${value.map(item => canonical(item, level + 1)).join(',')}]`
  if (typeof value === 'string') return JSON.stringify(anywhere(value))
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member, level + 1)}`)
  return `{${members.join(',')}}`
}

/** Servers write the time zone and the folders of their machine into descriptions, defaults and examples. */
function anywhere(text: string): string {
  return text.replaceAll(TIME_ZONE, '{time zone}').replaceAll(ABSOLUTE_PATH, '{path}')
}

const TIME_ZONE =
  /\b(?:(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific|Etc)\/[A-Za-z][\w+-]*(?:\/[A-Za-z][\w+-]*)*|UTC|GMT)\b/g
const ABSOLUTE_PATH =
  /(?<![\w./#:-])(?:file:\/\/)?(?:\/(?:builds|home|mnt|opt|private|root|srv|tmp|Users|usr|var|workspaces?)\b|[A-Za-z]:[\\/])[^\s"'`,;)\]}]*/g
