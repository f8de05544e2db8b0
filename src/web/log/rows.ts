import type { ActionPage, ActionRecord } from '../../models/answers/action.ts'
import type { AuditEntry, AuditPage } from '../../models/answers/audit.ts'
import type { LogKind } from '../../models/names.ts'
import { hasMoved } from '../../rules/evidence.ts'
import { RESULT_WORDS } from '../../rules/result.ts'
import type { Tone } from '../ui/badge.tsx'
import type { IconName } from '../ui/icon.tsx'
import { percent } from '../format.ts'
import { type Known, type QueryParams, get, useRead } from '../query.ts'
import { useNames } from '../reads.ts'
import { type Params, currentView, hereWith, href } from '../route.ts'

/** Something that happened, as the log lists it. */
export interface Happened {
  readonly key: string
  /** The id of what it is about. */
  readonly subject: string
  readonly at: string
  readonly icon: IconName
  readonly tone: Tone
  /** What happened: `Promotion blocked`. */
  readonly what: string
  /** To what: `1.2.0 → 1.3.0`. */
  readonly of: string
  readonly place: { readonly agent_id: string; readonly environment: string } | undefined
  readonly by: string
  readonly why: string
  readonly link: string
}

interface Listed {
  readonly rows: readonly Happened[]
  readonly next_after: number | null
}

/** A page of the log. Decisions are listed with more than the log has of them, also to who may not read all of it. */
export function useLog({
  kind,
  verdict,
  ...query
}: QueryParams): Known<Listed> & { readonly isLimited: boolean } {
  const name = useNames()
  const log = useRead<AuditPage>(kind === 'decision' ? null : get('v1/audit', { ...query, kind }))
  const isLimited = log.error?.status === 403
  const isDecided = kind === 'decision' || isLimited
  const actions = useRead<ActionPage>(isDecided ? get('v1/actions', { ...query, verdict }) : null)
  const data = isDecided
    ? actions.data && { ...actions.data, rows: actions.data.actions.map(action => ofAction(action, name)) }
    : log.data && { ...log.data, rows: log.data.entries.map(entry => ofEntry(entry, name)) }
  return { ...(isDecided ? actions : log), data, isLimited }
}

/** The link to what is on the log, which keeps its filters there. */
const inLog = (params: Params): string => (currentView() === 'log' ? hereWith(params) : href('log', params))

/** What has a sheet of its own on the page of a place. */
const SHEETS = ['rollout', 'watch', 'request', 'release']

function linkOf(kind: LogKind, subject: string, seq: number): string {
  const family = kind.split('.')[0]!
  if (currentView() === 'place' && SHEETS.includes(family)) return hereWith({ [family]: subject })
  return inLog(kind === 'decision' ? { action: subject } : { entry: String(seq) })
}

type Name = (releaseId: string) => string

function ofAction(action: ActionPage['actions'][number], name: Name): Happened {
  const {
    action_id,
    created_at,
    release_id,
    baseline_release_id: before,
    result,
    actor,
    reason,
    changed,
  } = action
  const from = hasMoved(action) && before !== null && before !== release_id ? `${name(before)} → ` : ''
  return {
    ...decided(action),
    what: result === 'first' ? 'First promotion' : `${NOUNS[action.action]} ${RESULT_WORDS[result]}`,
    key: action_id,
    subject: action_id,
    at: created_at,
    of: `${from}${name(release_id)}`,
    place: action,
    by: actor,
    why: reason,
    ...(changed === undefined ? {} : { tone: 'bad', what: 'Changed in the database', why: changed }),
    link: inLog({ action: action_id }),
  }
}

export function ofEntry({ kind, subject, details, ...entry }: AuditEntry, name: Name): Happened {
  const said = details as Said
  const { agent_id, environment } = said
  const head =
    kind === 'decision'
      ? decided(said as Decided)
      : { icon: iconOf(kind), tone: toneOf(kind, said), what: inWords(kind) }
  return {
    ...head,
    key: String(entry.log_seq),
    subject,
    at: entry.created_at,
    of: subjectOf(said, name) ?? subject,
    place: agent_id === undefined ? undefined : { agent_id, environment: environment ?? '' },
    by: entry.actor,
    why: entry.reason ?? '',
    link: linkOf(kind, subject, entry.log_seq),
  }
}

type Decided = Pick<ActionRecord, 'action' | 'policy_passed' | 'forced'>

const NOUNS = { promote: 'Promotion', rollback: 'Rollback' } as const

function decided(decision: Decided): Pick<Happened, 'icon' | 'tone' | 'what'> {
  const noun = NOUNS[decision.action]
  if (!hasMoved(decision)) return { icon: 'block', tone: 'bad', what: `${noun} blocked` }
  if (decision.forced === true) return { icon: 'back', tone: 'bad', what: `${noun} forced` }
  return decision.action === 'promote'
    ? { icon: 'up', tone: 'ok', what: `${noun} passed` }
    : { icon: 'back', tone: 'warn', what: `${noun} passed` }
}

/** What details of entries may have. */
type Said = Readonly<
  Partial<
    Record<
      | 'agent_id'
      | 'environment'
      | 'release_id'
      | 'candidate_release_id'
      | 'version'
      | 'name'
      | 'suite'
      | 'provider'
      | 'model'
      | 'pricing_version'
      | 'state'
      | 'origin',
      string
    >
  >
> & { readonly split?: { readonly share: number } | null; readonly changes?: readonly string[] }

/** What an entry is about, in words: a release by its version, a share, what changed. */
function subjectOf(said: Said, name: Name): string | undefined {
  const id = said.release_id ?? said.candidate_release_id
  const parts = [
    said.version ?? (id === undefined ? undefined : name(id)),
    said.split == null ? undefined : `at ${percent(said.split.share).replace('.0', '')}`,
    said.suite ?? said.name ?? said.origin,
    said.provider,
    said.pricing_version ?? said.model,
    said.changes
      ?.slice(0, 2)
      .join('; ')
      .replaceAll(/\bnull\b/g, 'off'),
  ].filter(part => part !== undefined && part !== '')
  return parts.length === 0 ? undefined : parts.join(' ')
}

const ICONS: Readonly<Record<string, IconName>> = {
  policy: 'policy',
  prices: 'policy',
  release: 'releases',
  request: 'approvals',
  watch: 'eye',
  live: 'warn',
  rollout: 'steps',
  scores: 'checklist',
  capabilities: 'approvals',
  webhook: 'webhooks',
  token: 'access',
  session: 'access',
}

const iconOf = (kind: LogKind): IconName => ICONS[kind.split('.')[0]!] ?? 'info'

const BAD = /^(?:live\.(?:worse|silent)|rollout\.(?:aborted|refused)|session\.refused)$/
const MINDED = /\.(?:rejected|expired|cancelled|paused|retried|refused|fewer)$/

function toneOf(kind: LogKind, { state }: Said): Tone {
  if (BAD.test(kind) || state === 'regressed' || state === 'rolled_back') return 'bad'
  return MINDED.test(kind) ? 'warn' : 'plain'
}

/** `policy.set` as `Policy set`, `session.key_made` as `Session key made`. */
export const inWords = (kind: string): string =>
  `${kind[0]!.toUpperCase()}${kind.slice(1).replaceAll(/[._]/g, ' ')}`
