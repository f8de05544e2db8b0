import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openToForbidden, forbiddenIn } from '../../../../src/features/capabilities/rules_condition.ts'
import { powerChanges } from '../../../../src/features/capabilities/rules_power.ts'
import type { Release } from '../../../../src/models/documents/release.ts'
import type { Capabilities } from '../../../../src/models/documents/capabilities.ts'
import { type Power, powerOf } from '../../../../src/rules/power.ts'
import { releaseOf } from '../../../support/services/builders.ts'
import { scaled } from '../../../support/scale.ts'

const ARTIFACT = releaseOf({})
const power = (capabilities: Capabilities | undefined, tool_names?: readonly string[]): Power =>
  powerOf(
    {
      ...ARTIFACT,
      spec: {
        ...ARTIFACT.spec,
        tools: tool_names === undefined ? undefined : { tool_names: [...tool_names] },
      } as Release['spec'],
    },
    capabilities,
  )

type Tool = NonNullable<Capabilities['tools']>[number]
const own = (...tools: Tool[]): Power => power({ tools })
const mail = (more: Partial<Tool> = {}): Tool => ({
  name: 'send_mail',
  effects: ['sends'],
  scopes: ['mail.send'],
  ...more,
})
const [S1, S2] = ['1'.repeat(64), '2'.repeat(64)]

describe('a difference of power in words', () => {
  test.for<readonly [string, Power, Power, readonly string[]]>([
    ['a tool that came', own(), own(mail()), ['+ added: may now send: tool `send_mail`, scope `mail.send`']],
    [
      'a tool that says nothing of itself',
      own(),
      own({ name: 'x' }),
      ['+ added: may now call: tool `x`, effects not declared'],
    ],
    ['a tool that went', own(mail()), own(), ['  removed: may no longer call tool `send_mail`']],
    [
      'further effects and scopes',
      own(mail()),
      own(mail({ effects: ['sends', 'spends'], scopes: ['mail.send', 'mail.read'] })),
      ['+ widened: tool `send_mail` may now also spend money, has the further scope `mail.read`'],
    ],
    [
      'fewer of them',
      own(mail({ effects: ['reads', 'sends'], scopes: ['a', 'b'] })),
      own(mail({ effects: ['reads'], scopes: ['a'] })),
      ['  narrowed: tool `send_mail` may no longer send, no longer has the scope `b`'],
    ],
    [
      'effects that are no longer said',
      own(mail()),
      own({ name: 'send_mail', scopes: ['mail.send'] }),
      ['+ widened: tool `send_mail` no longer says its effects'],
    ],
    [
      'another schema',
      own(mail({ schema_sha256: S1 })),
      own(mail({ schema_sha256: S2 })),
      ['+ widened: tool `send_mail` takes another input (schema)'],
    ],
    [
      'tools that are no longer named',
      power(undefined, ['a']),
      power(undefined),
      ['+ widened: no longer says which tools it may call'],
    ],
    [
      'a server that came with its tools',
      own(),
      power({ tools: [], mcp_servers: [{ name: 'mail', tools: [mail(), { name: 'list' }] }] }),
      ['+ added: may now send: MCP server `mail` (2 tools), scope `mail.send`, effects of 1 not declared'],
    ],
    [
      'a tool that moved to a server',
      own(mail()),
      power({ tools: [], mcp_servers: [{ name: 'mail', tools: [mail()] }] }),
      [
        '+ added: may now send: MCP server `mail` (1 tool), scope `mail.send`',
        '  removed: may no longer call tool `send_mail`',
      ],
    ],
    [
      'another provider, and another model',
      own(),
      power({ tools: [], models: [{ provider: 'elsewhere', model: 'm9' }] }),
      ['+ added: may now call models of provider `elsewhere`', '  added: may now call model `m9`'],
    ],
    [
      'a sub-agent',
      own(),
      power({ tools: [], agents: [{ agent_id: 'researcher' }] }),
      ['+ added: may now hand work to agent `researcher`'],
    ],
    ['the same in another order', own(mail(), { name: 'a' }), own({ name: 'a' }, mail()), []],
    [
      'a name with characters that no terminal should see',
      own(),
      own({ name: 'x\u001b[2J\u202e', effects: [], scopes: [] }),
      ['+ added: may now call: tool `x\\u001b[2J\\u202e`'],
    ],
  ])('%s', ([, before, after, words]) => {
    const sentences = powerChanges(before, after).map(
      one => `${one.widens ? '+' : ' '} ${one.change}: ${one.words}`,
    )
    expect(sentences).toEqual(words)
  })
})

const NAMES = ['a', 'b', 'c', 'A', 'а'] as const
const anEffect = fc.constantFrom('reads', 'writes', 'spends', 'sends')
const aTool = fc.record(
  {
    name: fc.constantFrom(...NAMES),
    effects: fc.uniqueArray(anEffect, { maxLength: 4 }),
    scopes: fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { maxLength: 3 }),
    schema_sha256: fc.constantFrom(S1, S2),
  },
  { requiredKeys: ['name'] },
)
const someTools = fc.uniqueArray(aTool, { maxLength: 4, selector: ({ name }) => name })
const aPower = fc
  .record(
    {
      tools: someTools,
      mcp_servers: fc.uniqueArray(fc.record({ name: fc.constantFrom('s', 't'), tools: someTools }), {
        maxLength: 2,
        selector: ({ name }) => name,
      }),
      agents: fc.uniqueArray(fc.record({ agent_id: fc.constantFrom('p', 'q') }), {
        maxLength: 2,
        selector: ({ agent_id }) => agent_id,
      }),
      models: fc.uniqueArray(
        fc.record({ model: fc.constantFrom('m', 'n'), provider: fc.constantFrom('one', 'two') }),
        { maxLength: 3, selector: ({ model, provider }) => `${provider} ${model}` },
      ),
    },
    { requiredKeys: [] },
  )
  .map(capabilities => power(capabilities as Capabilities))

const RUNS = { numRuns: scaled(150, 500), seed: 43 }

/** Whether `a` has no capability that `b` lacks. */
const isWithin = (a: Power, b: Power): boolean => !powerChanges(b, a).some(({ widens }) => widens)

const someChances = fc.array(fc.nat(9), { minLength: 40, maxLength: 40 })

/** A power that is mostly narrower: tools, effects, scopes and agents go by chance, and some things are no longer said. */
function varied(one: Power, chances: readonly number[]): Power {
  let at = 0
  const isOne = (...of: readonly number[]): boolean => of.includes(chances[at++ % chances.length]!)
  const fewer = <T>(all: readonly T[] | null): T[] | null => {
    if (all === null) return isOne(0, 1, 2, 3) ? [] : null
    return isOne(9) ? null : all.filter(() => !isOne(0, 1, 2))
  }
  return {
    ...one,
    tools:
      one.tools
        ?.filter(() => !isOne(0, 1, 2))
        .map(tool => ({
          ...tool,
          effects: fewer(tool.effects),
          scopes: fewer(tool.scopes),
        })) ?? null,
    agents: one.agents.filter(() => !isOne(0, 1, 2)),
  }
}

describe('being no wider is a partial order', () => {
  test('each power is within itself, and has no difference from it', () => {
    fc.assert(
      fc.property(aPower, one => {
        expect(powerChanges(one, structuredClone(one))).toEqual([])
      }),
      RUNS,
    )
  })

  test('what is within a power that is within a third is within the third', () => {
    let chains = 0
    fc.assert(
      fc.property(aPower, someChances, someChances, (c, ofB, ofA) => {
        const b = varied(c, ofB)
        const a = varied(b, ofA)
        if (!isWithin(a, b) || !isWithin(b, c)) return
        chains++
        expect(isWithin(a, c)).toBe(true)
      }),
      { numRuns: scaled(300, 1500), seed: 43 },
    )
    expect(chains).toBeGreaterThan(scaled(100, 200))
  })

  test('two that are within each other differ in models of a provider at most', () => {
    fc.assert(
      fc.property(aPower, aPower, (a, b) => {
        if (!isWithin(a, b) || !isWithin(b, a)) return
        expect({ ...a, models: [] }).toEqual({ ...b, models: [] })
      }),
      { numRuns: scaled(300, 1500), seed: 43 },
    )
  })
})

test('renaming hides nothing: any tool under a name that was not there widens', () => {
  fc.assert(
    fc.property(aPower, fc.nat(), fc.constantFrom('d', 'a ', 'A\u0301', 'ａ'), (before, pick, name) => {
      const { tools } = before
      if (tools === null || tools.length === 0) return
      const at = pick % tools.length
      const after = {
        ...before,
        tools: tools.map((tool, index) => (index === at ? { ...tool, name } : tool)),
      }
      expect(isWithin(after, before)).toBe(false)
    }),
    RUNS,
  )
})

test('each added effect, scope, tool, server, agent or provider widens, whatever else there is', () => {
  fc.assert(
    fc.property(aPower, aPower, (before, after) => {
      const widens = !isWithin(after, before)
      const had = new Map((before.tools ?? []).map(tool => [`${tool.server} ${tool.name}`, tool]))
      const isMore =
        (after.tools === null && before.tools !== null) ||
        (after.tools ?? []).some(tool => {
          const was = had.get(`${tool.server} ${tool.name}`)
          return (
            was === undefined ||
            lacks(was.effects, tool.effects) ||
            lacks(was.scopes, tool.scopes) ||
            (was.schema_sha256 !== null && was.schema_sha256 !== tool.schema_sha256)
          )
        }) ||
        lacks(
          before.mcp_servers.map(({ name }) => name),
          after.mcp_servers.map(({ name }) => name),
        ) ||
        lacks(
          before.agents.map(({ agent_id }) => agent_id),
          after.agents.map(({ agent_id }) => agent_id),
        ) ||
        lacks(
          before.models.map(({ provider }) => provider),
          after.models.map(({ provider }) => provider),
        )
      expect(widens).toBe(isMore)
    }),
    { numRuns: scaled(300, 1500), seed: 43 },
  )
})

/** Whether the later list has what the earlier one lacks; null is everything. */
function lacks(was: readonly string[] | null, is: readonly string[] | null): boolean {
  if (was === null) return false
  return is === null || is.some(one => !was.includes(one))
}

describe('what a policy forbids', () => {
  const wide = power({
    tools: [mail(), { name: 'delete_user', effects: ['writes'], scopes: ['users.admin'] }],
    mcp_servers: [{ name: 'shell', tools: [{ name: 'run', effects: ['writes'], scopes: [] }] }],
    agents: [{ agent_id: 'researcher' }],
    models: [{ provider: 'elsewhere', model: 'm9' }],
  })

  test.for([
    ['sends', ['sends (send_mail)']],
    ['spends', []],
    ['writes', ['writes (delete_user, shell/run)']],
    ['tool:delete_*', ['tool:delete_* (delete_user)']],
    ['tool:shell/*', ['tool:shell/* (shell/run)']],
    ['scope:users.*', ['scope:users.* (delete_user)']],
    ['mcp_server:shell', ['mcp_server:shell (shell)']],
    ['agent:research*', ['agent:research* (researcher)']],
    ['provider:elsewhere', ['provider:elsewhere (elsewhere)']],
    ['model:m9', ['model:m9 (m9)']],
    ['model:m', []],
  ] as const)('%s', ([entry, found]) => {
    expect(forbiddenIn(wide, [entry])).toEqual(found)
  })

  test.for([
    ['sends', own({ name: 'x', scopes: [] }), 'effects or scopes are not declared of x'],
    ['scope:a', own({ name: 'x', effects: [] }), 'effects or scopes are not declared of x'],
    ['scope:a', own({ name: 'x', scopes: [] }), undefined],
    ['tool:x', power(undefined), 'the release does not say which tools it has'],
    ['agent:x', power(undefined), undefined],
  ] as const)('%s can or can not be told of a tool that says little', ([entry, one, why]) => {
    expect(openToForbidden(one, [entry])).toBe(why)
  })
})
