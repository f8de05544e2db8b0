import { isPattern, isDisguised } from '../base/text.ts'
import { EFFECTS, FORBIDDEN_KINDS } from './names.ts'
import type { Check, Fault } from './checks.ts'

/** Most tools of capabilities, those of MCP servers included: more can't be compared in words. */
export const MOST_TOOLS = 2000

interface Named {
  readonly name: string
}

interface GivenCapabilities {
  readonly tools?: readonly Named[] | null
  readonly mcp_servers?: readonly (Named & { readonly tools: readonly Named[] })[] | null
  readonly agents?: readonly { readonly agent_id: string }[] | null
}

/** Each name is listed once and is what it looks like, and the tools are few enough to be compared. */
export const capabilitiesFit: Check<GivenCapabilities> = ({ tools, mcp_servers, agents }) => {
  const servers = mcp_servers ?? []
  const count = servers.reduce((sum, server) => sum + server.tools.length, tools?.length ?? 0)
  if (count > MOST_TOOLS) {
    return { path: ['tools'], expected: `at most ${MOST_TOOLS} tools in all`, actual: String(count) }
  }
  return (
    nameFault(['tools'], 'name', tools ?? []) ??
    nameFault(['mcp_servers'], 'name', servers) ??
    servers
      .map((server, index) => nameFault(['mcp_servers', index, 'tools'], 'name', server.tools))
      .find(fault => fault !== undefined) ??
    nameFault(['agents'], 'agent_id', agents ?? [])
  )
}

function nameFault<F extends string>(
  path: readonly (string | number)[],
  field: F,
  items: readonly { readonly [name in F]: string }[],
): Fault | undefined {
  const seen = new Set<string>()
  for (const [index, item] of items.entries()) {
    const name = item[field]
    const at = (expected: string): Fault => ({
      path: [...path, index, field],
      expected,
      actual: JSON.stringify(name.slice(0, 60)),
    })
    if (seen.has(name)) return at('listed once')
    if (isDisguised(name)) return at('without control or invisible characters and without blanks around it')
    seen.add(name)
  }
  return undefined
}

/** What a policy forbids: an effect, or a kind of thing and a pattern of names. */
export const forbiddenPower: Check<string> = text => {
  const [, kind, pattern] = /^([a-z_]+):(.+)$/s.exec(text) ?? []
  const isKnown =
    kind === undefined
      ? (EFFECTS as readonly string[]).includes(text)
      : (FORBIDDEN_KINDS as readonly string[]).includes(kind) && isPattern(pattern!)
  return isKnown
    ? undefined
    : {
        expected:
          `one of ${EFFECTS.join(', ')}, or ${FORBIDDEN_KINDS.join(', ')} with a colon and a name ` +
          'or the beginning of names and one *, such as scope:mail.*',
        actual: JSON.stringify(text.slice(0, 60)),
      }
}
