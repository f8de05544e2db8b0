import { ServiceError, badRequest } from '../../base/errors.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { type Io, painter } from '../../cli/terminal/io.ts'
import { counted, pretty, safe } from '../../cli/terminal/text.ts'
import { type FolderContent, type WantedToken, type WantedWebhook, readWanted } from './cli_files.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import type { Policy } from '../../models/documents/policy.ts'
import { policyChanges as differences } from '../../rules/changes.ts'
import { DEFAULT_POLICY } from '../../rules/scope.ts'
import { similarNames } from '../../base/text.ts'
import { secretStore } from './cli_secrets.ts'
import { likenessProblem } from '../../rules/token_grant.ts'
import { urlProblem } from '../../rules/webhook_target.ts'

const SIGNS = { add: '+', change: '~', remove: '-' } as const
const COLOURS = { add: 'green', change: 'yellow', remove: 'red' } as const

/**
 * Makes a service what the files of a folder say, a change after the other, each with an entry of its own in the audit
 * log. What failed can be done again: what is as the files say is left alone.
 */
export async function apply({ args, options, io, api }: Invocation): Promise<number> {
  const plansOnly = options.flag('plan') === true
  const reason = options.text('reason')?.trim() ?? ''
  if (!plansOnly && reason === '')
    throw badRequest('--reason is required, or --plan to see the changes first.')
  const wanted = await readWanted(args[0]!, io.cwd)
  const opened = await api()
  const changes = await planOf(wanted, opened, { prunes: options.flag('prune') === true })
  const secrets = await secretStore(plansOnly ? [] : changes.filter(isSecret), {
    path: options.text('secrets'),
    io,
    isJson: options.json,
  })
  if (!options.json) {
    io.out(changes.length === 0 ? `${safe(opened.target)}: no changes\n` : planText(changes, io))
  }
  let done = 0
  for (const change of plansOnly ? [] : changes) {
    try {
      const secret = await change.apply(reason)
      // At once: if the next change fails, it would be lost.
      if (secret !== undefined) await secrets.keep(change, secret)
    } catch (error) {
      io.err(
        `svc: ${counted(done, 'change')} of ${changes.length} changes made; ${change.kind} ${safe(change.name)} failed. ${nextStep(change, args[0]!, error)}\n`,
      )
      if (options.json) printJson(changes.slice(0, done))
      throw error
    }
    done += 1
  }
  await secrets.close()
  if (options.json) printJson(changes)
  else if (!plansOnly && changes.length > 0) io.out(`${counted(done, 'change')} made\n`)
  return plansOnly && changes.length > 0 && options.flag('detailed-exitcode') === true ? 3 : 0

  function printJson(those: readonly PlannedChange[]): void {
    const shown = those.map(change => {
      const { kind, does, name, details } = change
      const secret = secrets.shown.get(change)
      return { kind, does, name, details, ...(secret === undefined ? {} : { secret }) }
    })
    io.out(pretty({ applied: !plansOnly, changes: shown }))
  }
}

/** Whether a change makes something that has a secret. */
function isSecret({ kind, does }: PlannedChange): boolean {
  return does === 'add' && (kind === 'webhook' || kind === 'token')
}

/** What failed on the way may be tried as it is; what was refused is refused again until somebody mends it. */
function nextStep({ kind, does, name }: PlannedChange, folder: string, error: unknown): string {
  const status = error instanceof ServiceError ? error.status : 500
  const isRefused = status >= 400 && status < 500 && !PASSING.includes(status)
  if (!isRefused) return 'Run it again to continue.'
  if (does === 'remove' || status === 401 || status === 403)
    return 'Fix the problems below, then run it again.'
  return `Fix ${safe(`${folder}/${fileOf(kind, name)}`)}, then run it again.`
}

/** Statuses of refusals that pass by themselves: too slow, another change at the same time, too many requests. */
const PASSING: readonly number[] = [408, 409, 412, 425, 429]

function fileOf(kind: PlannedChange['kind'], name: string): string {
  if (kind === 'policy') return 'policy.yaml'
  return kind === 'price table' ? `prices (the table ${name})` : `${kind}s.yaml (${name})`
}

function planText(changes: readonly PlannedChange[], io: Io): string {
  const paint = painter(io)
  return changes
    .map(({ kind, does, name, details }) =>
      [
        `${paint(COLOURS[does], SIGNS[does])} ${kind} ${safe(name)}`,
        ...details.map(detail => `    ${safe(detail)}`),
        '',
      ].join('\n'),
    )
    .join('')
}

/** One thing that differs, and what makes it as the files say. */
export interface PlannedChange {
  readonly kind: 'price table' | 'policy' | 'webhook' | 'token'
  readonly does: 'add' | 'change' | 'remove'
  readonly name: string
  /** What is different, a sentence or value a line. */
  readonly details: readonly string[]
  /** Does it; returns a secret that is shown this once. */
  readonly apply: (reason: string) => Promise<string | undefined>
}

/** Most past actions that are decided again by a new policy. */
const TRIED = 200

/**
 * What differs between a service and what files say, in the order in which it is applied: prices before the policy that
 * may need them, removals last. Throws 400 for what can't be made so, before anything is changed.
 */
export async function planOf(
  wanted: FolderContent,
  api: Api,
  { prunes }: { prunes: boolean },
): Promise<PlannedChange[]> {
  const changes = [
    ...(await priceChanges(wanted.prices, api)),
    ...(wanted.policy === undefined ? [] : await policyChanges(wanted.policy, api)),
    ...(wanted.webhooks === undefined ? [] : await webhookChanges(wanted.webhooks, api, prunes)),
    ...(wanted.tokens === undefined ? [] : await tokenChanges(wanted.tokens, api, prunes)),
  ]
  const isRemoval = ({ does }: PlannedChange): boolean => does === 'remove'
  return [...changes.filter(change => !isRemoval(change)), ...changes.filter(isRemoval)]
}

async function priceChanges(tables: FolderContent['prices'], api: Api): Promise<PlannedChange[]> {
  if (tables.length === 0) return []
  const { pricing } = await callJson(api, 'GET /v1/pricing')
  const changes: PlannedChange[] = []
  for (const table of tables) {
    const { provider, pricing_version } = table
    const path = { provider, pricing_version }
    const isThere = pricing.some(
      found => found.provider === provider && found.pricing_version === pricing_version,
    )
    const old = isThere
      ? await callJson(api, 'GET /v1/pricing/{provider}/{pricing_version}', { path })
      : undefined
    if (old !== undefined && sameText(old.entries.map(ratesOf), table.entries.map(ratesOf))) continue
    const before = new Map(old?.entries.map(entry => [entry.model, ratesOf(entry)]))
    const after = new Map(table.entries.map(entry => [entry.model, ratesOf(entry)]))
    changes.push({
      kind: 'price table',
      does: old === undefined ? 'add' : 'change',
      name: `${provider}/${pricing_version}`,
      details:
        old === undefined
          ? [counted(table.entries.length, 'model')]
          : [...new Set([...before.keys(), ...after.keys()])]
              .filter(model => !sameText(before.get(model), after.get(model)))
              .flatMap(model => entryChanges(model, before.get(model), after.get(model))),
      apply: async reason => {
        await callJson(api, 'POST /v1/pricing', { body: { table, replace: old !== undefined, reason } })
        return undefined
      },
    })
  }
  return changes
}

/** Without fields that are null, which is the same as leaving them out. */
function ratesOf(entry: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(entry).filter(([, value]) => value !== null && value !== undefined),
  )
}

function entryChanges(
  model: string,
  before: Readonly<Record<string, unknown>> | undefined,
  after: Readonly<Record<string, unknown>> | undefined,
): string[] {
  if (before === undefined || after === undefined)
    return [`${model}: ${after === undefined ? 'removed' : 'new'}`]
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter(field => !sameText(before[field], after[field]))
    .map(field => `${model}.${field}: ${valueText(before[field])} → ${valueText(after[field])}`)
}

function valueText(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value)
}

async function policyChanges(draft: Partial<Policy>, api: Api): Promise<PlannedChange[]> {
  const wanted: Policy = { ...DEFAULT_POLICY, ...draft }
  const differing = differences(await callJson(api, 'GET /v1/policy'), wanted).filter(
    ({ from, to }) => !sameText(from, to),
  )
  if (differing.length === 0) return []
  const tested = await callJson(api, 'POST /v1/policy/test', { body: { policy: draft, last: TRIED } })
  const { tested: tried, changed, unknown, warnings = [] } = tested
  return [
    {
      kind: 'policy',
      does: 'change',
      name: wanted.policy_id,
      details: [
        ...differing.map(
          ({ field, from, to }) => `${field}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`,
        ),
        tried === 0
          ? 'there is no past decision to test it on'
          : `would have decided ${changed} of the last ${tried} decisions differently${unknown === 0 ? '' : `; ${unknown} are unknown`}`,
        ...tested.changes
          .slice(0, 5)
          .map(
            ({ action_id, action, release_id, recorded, draft: supposed }) =>
              `  ${action_id} (${action} ${release_id}): ${verdict(recorded.passed)} → ${verdict(supposed.passed)}`,
          ),
        ...warnings.map(warning => `warning: ${warning}`),
      ],
      apply: async reason => {
        await callJson(api, 'PUT /v1/policy', { query: { reason }, body: draft })
        return undefined
      },
    },
  ]
}

function verdict(passed: boolean | null): string {
  return passed === null ? 'unknown' : passed ? 'passed' : 'blocked'
}

async function webhookChanges(
  wanted: readonly WantedWebhook[],
  api: Api,
  prunes: boolean,
): Promise<PlannedChange[]> {
  const { webhooks } = await callJson(api, 'GET /v1/webhooks')
  await refusePrivate(wanted, webhooks, api)
  // The URL of a chat is a secret that no list shows.
  const found = webhooks.filter(({ format }) => format === undefined)
  const changes = wanted.flatMap((webhook): PlannedChange[] => {
    const { url, events, description, enabled = true } = webhook
    const alike = found.filter(other => other.url === url)
    if (alike.length > 1) {
      throw badRequest(
        `${alike.length} webhooks go to ${url} (${alike.map(({ webhook_id }) => webhook_id).join(', ')}); remove all but one with \`svc webhook remove\`.`,
      )
    }
    const [old] = alike
    if (old === undefined) {
      return [
        {
          kind: 'webhook',
          does: 'add',
          name: url,
          details: [events.join(', ')],
          apply: async () => {
            const made = await callJson(api, 'POST /v1/webhooks', {
              body: { url, events, ...(description === undefined ? {} : { description }) },
            })
            if (!enabled) await patch(made.webhook_id, { enabled })
            return made.secret
          },
        },
      ]
    }
    const details = [
      ...(sameText(old.events.toSorted(), events.toSorted())
        ? []
        : [`events: ${old.events.join(', ')} → ${events.join(', ')}`]),
      ...((old.description ?? '') === (description ?? '')
        ? []
        : [`description: ${old.description ?? 'none'} → ${description ?? 'none'}`]),
      ...(old.enabled === enabled ? [] : [enabled ? 'enabled' : 'disabled']),
    ]
    if (details.length === 0) return []
    const body = { events, description: description ?? '', enabled }
    return [{ kind: 'webhook', does: 'change', name: url, details, apply: () => patch(old.webhook_id, body) }]
  })
  const left = prunes ? found.filter(({ url }) => !wanted.some(webhook => webhook.url === url)) : []
  return [
    ...changes,
    ...left.map(({ webhook_id, url }): PlannedChange => ({
      kind: 'webhook',
      does: 'remove',
      name: url,
      details: ['with its deliveries'],
      apply: async () => {
        await callJson(api, 'DELETE /v1/webhooks/{webhook_id}', { path: { webhook_id } })
        return undefined
      },
    })),
  ]

  async function patch(webhook_id: string, body: Partial<WantedWebhook>): Promise<undefined> {
    await callJson(api, 'PATCH /v1/webhooks/{webhook_id}', { path: { webhook_id }, body })
    return undefined
  }
}

/** Throws 400 for a new webhook to an address that the service refuses. */
async function refusePrivate(
  wanted: readonly WantedWebhook[],
  known: readonly { readonly url: string }[],
  api: Api,
): Promise<void> {
  const refused = wanted
    .filter(({ url }) => !known.some(other => other.url === url))
    .find(({ url }) => urlProblem(url, true) !== undefined)
  if (refused === undefined || !(await deniesPrivate(api))) return
  throw badRequest(`webhooks.yaml: url ${refused.url} ${urlProblem(refused.url, true)}.`)
}

/** Whether a service refuses private addresses: the ledger of this folder by service.yaml, a server by its audit log. */
async function deniesPrivate(api: Api): Promise<boolean> {
  if (api.here !== undefined) {
    let denies = false
    await api.here(async ({ workspace }) => void (denies = workspace.webhooks.deny_private))
    return denies
  }
  const { entries } = await callJson(api, 'GET /v1/audit', { query: { kind: 'server.started', limit: 1 } })
  const settings: { readonly deny_private?: unknown } = entries[0]?.details ?? {}
  return settings.deny_private === true
}

async function tokenChanges(
  wanted: readonly WantedToken[],
  api: Api,
  prunes: boolean,
): Promise<PlannedChange[]> {
  const { tokens } = await callJson(api, 'GET /v1/tokens')
  const live = tokens.filter(({ state }) => state === 'live')
  const taken = tokens.filter(({ state }) => state !== 'revoked')
  const names = [...taken, ...wanted].map(({ name }) => name)
  const isNew = ({ name }: WantedToken): boolean => !live.some(token => token.name === name)
  const known = await knownPlaces(wanted.filter(isNew), api)
  const added = wanted.flatMap((token): PlannedChange[] => {
    const { name, role, agents, environments } = token
    const old = live.find(other => other.name === name)
    if (old !== undefined) {
      const isSame =
        old.role === role &&
        sameText(old.agents?.toSorted() ?? null, agents?.toSorted() ?? null) &&
        sameText(old.environments?.toSorted() ?? null, environments?.toSorted() ?? null)
      if (isSame) return []
      throw badRequest(
        `token ${name} differs from tokens.yaml, and a token can't be changed: ` +
          `end it with \`svc token revoke ${name}\` and apply again, or give the new one another name.`,
      )
    }
    const likeness = likenessProblem(name, names)
    if (likeness !== undefined) throw badRequest(`tokens.yaml: ${likeness}`)
    const reach = [
      role,
      ...(agents === undefined ? [] : [`agents ${agents.join(', ')}`]),
      ...(environments === undefined ? [] : [`environments ${environments.join(', ')}`]),
    ]
    return [
      {
        kind: 'token',
        does: 'add',
        name,
        details: [
          reach.join('; '),
          ...(tokens.every(({ state }) => state === 'revoked')
            ? ['it is the first token: after that, servers of this ledger answer only callers with a token']
            : []),
          ...unknownNames('agent', agents, known.agents),
          ...unknownNames('environment', environments, known.environments),
        ],
        apply: async () => (await callJson(api, 'POST /v1/tokens', { body: token })).token,
      },
    ]
  })
  const left = prunes ? live.filter(({ name }) => !wanted.some(token => token.name === name)) : []
  const [last] = left
  if (last !== undefined && wanted.length === 0 && left.length === taken.length) {
    throw badRequest(
      `--prune would revoke the last named token, ${last.name}, which keeps the service closed: name one in tokens.yaml, or first run \`svc token revoke ${last.name} --open\`.`,
    )
  }
  return [
    ...added,
    ...left.map(({ name, role, last_used_at }): PlannedChange => ({
      kind: 'token',
      does: 'remove',
      name,
      details: [`${role}, last used ${last_used_at ?? 'never'}`],
      apply: async () => {
        await callJson(api, 'DELETE /v1/tokens/{name}', { path: { name } })
        return undefined
      },
    })),
  ]
}

/** The agents and environments of a service, if a token is limited to some. */
async function knownPlaces(
  tokens: readonly WantedToken[],
  api: Api,
): Promise<{ readonly agents: readonly string[]; readonly environments: readonly string[] }> {
  if (tokens.every(({ agents, environments }) => agents === undefined && environments === undefined))
    return { agents: [], environments: [] }
  const { board } = await callJson(api, 'GET /v1/board')
  const { environments } = await callJson(api, 'GET /v1/workspace')
  return {
    agents: board.map(({ agent_id }) => agent_id),
    environments: environments ?? board.map(({ environment }) => environment),
  }
}

/** Warnings of names that are not known. None where nothing is known yet: tokens may come before all that they are for. */
function unknownNames(what: string, names: readonly string[] = [], known: readonly string[]): string[] {
  if (known.length === 0) return []
  return names
    .filter(name => !known.includes(name))
    .map(name => {
      const [meant] = similarNames(name, new Set(known), 1)
      return `warning: there is no ${what} ${name} yet${meant === undefined ? '' : `; did you mean ${meant}?`}`
    })
}

/** Whether two JSON values are the same, whatever the order of their fields. */
function sameText(one: unknown, other: unknown): boolean {
  return sorted(one) === sorted(other)
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
