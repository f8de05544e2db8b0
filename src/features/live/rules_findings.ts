import { HOUR_MS, isoTime } from '../../base/time.ts'
import { CHANGE_LIMITS } from '../../rules/limits.ts'
import type { JudgedPlace } from './read.ts'
import type { LivePlace } from './models.ts'

type BrokenKey = LivePlace['broken'][number]['limit_key']

/** What is found of a live release: the limit that it breaks, that its runs stopped arriving, or that another model answers. */
export type FindingKey = BrokenKey | keyof typeof MENDED

/** What a live release is proven to do, until the audit log says that it no longer does. */
export interface Finding {
  readonly limit_key: FindingKey
  readonly release_id: string
  /** Epoch ms. */
  readonly began_at: number
}

/** A finding that begins or ends, as an entry of the audit log. */
export interface FindingChange {
  readonly kind: 'live.worse' | 'live.silent' | 'live.other_model' | 'live.recovered'
  readonly limit_key: FindingKey
  readonly reason: string
  readonly details: Readonly<Record<string, unknown>>
}

/**
 * What a judgement at `now`, epoch ms, changes of the `open` findings of its place. A finding ends where another release is live,
 * or after an hour at least, once nothing proves it and the last hour is not above the limit; another model once runs came without
 * it; a silence ends with the next run.
 */
export function findingChanges(
  { place, above, kept, uncompared }: Omit<JudgedPlace, 'at'>,
  open: readonly Finding[],
  now: number,
): FindingChange[] {
  const { agent_id, environment, release_id } = place
  const named = { agent_id, environment, release_id }
  const ended = open.flatMap(({ limit_key, began_at, ...of }): FindingChange[] => {
    const isReplaced = of.release_id !== release_id
    const isProven = place.broken.some(each => each.limit_key === limit_key)
    const isAnHourOld = now - began_at >= HOUR_MS
    const isOver =
      limit_key === 'silence'
        ? place.runs_last_hour > 0
        : limit_key === 'other_model'
          ? isAnHourOld && place.other_model === null && place.runs_last_hour > 0
          : isAnHourOld && !isProven && !above.some(key => key === limit_key)
    if (!isReplaced && !isOver) return []
    const details = { ...named, release_id: of.release_id, limit_key, since: isoTime(began_at) }
    const mended = isOfLimit(limit_key) ? endText(limit_key) : MENDED[limit_key]
    const reason = isReplaced ? `${release_id} is live now` : mended
    return [{ kind: 'live.recovered', limit_key, reason, details }]
  })
  const { broken, silence, other_model } = place
  const found = [
    ...broken.map(each => ({ kind: 'live.worse' as const, ...each })),
    ...(silence === null
      ? []
      : [{ kind: 'live.silent' as const, limit_key: 'silence' as const, ...silence }]),
    ...(other_model === null
      ? []
      : [{ kind: 'live.other_model' as const, limit_key: 'other_model' as const, ...other_model }]),
  ]
  const begun = found
    .filter(
      ({ limit_key }) => !open.some(each => each.limit_key === limit_key && each.release_id === release_id),
    )
    .map(({ kind, text, ...figures }): FindingChange => {
      return { kind, limit_key: figures.limit_key, reason: text, details: { ...named, ...figures } }
    })
  return [...ended, ...begun]

  /** What is no longer proven has not mended: too few runs came, the policy limits it no more, or it is no longer compared. */
  function endText(key: BrokenKey): string {
    if (kept.includes(key)) return `${key} is no longer broken`
    const isOfChange = CHANGE_LIMITS.some(limit => limit.key === key)
    return [`${key} is no longer proven to be broken`, ...(isOfChange ? uncompared : [])].join('; ')
  }
}

/** Findings that are of no limit, and what the end of each says. */
const MENDED = {
  silence: 'runs arrive again',
  other_model: 'the models that the release declares answer again',
} as const

/** Whether a finding is of a limit of the policy. */
export function isOfLimit(key: FindingKey): key is BrokenKey {
  return !Object.hasOwn(MENDED, key)
}
