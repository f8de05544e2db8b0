/** A call as a client saw it. Times are ms of one clock; `returned` is null where it had no answer. */
export type Call = Read | Decided

interface Timed {
  readonly invoked: number
  readonly returned: number | null
}

/** A read of all pointers, by environment. */
interface Read extends Timed {
  readonly kind: 'read'
  readonly pointers: Readonly<Record<string, string>>
}

/** A promotion or rollback; what it answered is absent where it was refused, or had no answer. */
export interface Decided extends Timed, Partial<Answered> {
  readonly kind: 'decision'
  /** Tells it from all others. */
  readonly reason: string
  readonly status: number
}

interface Answered {
  readonly action_id: string
  readonly environment: string
  readonly baseline_release_id: string | null
  readonly release_id: string
  readonly moved: boolean
}

/** A row of the audit trail, whose order the calls are compared with. */
export interface Recorded extends Answered {
  readonly audit_seq: number
  readonly reason: string
}

/**
 * Why the calls can't have happened one after the other in the order of the audit trail, each between its invocation and
 * its return: strict serializability (Herlihy and Wing, 1990), with the trail as the order that is to be one.
 */
export function historyProblems(calls: readonly Call[], trail: readonly Recorded[]): string[] {
  const decided = calls.filter(call => call.kind === 'decision')
  const reads = calls.filter(call => call.kind === 'read')
  return [
    ...answerProblems(decided, trail),
    ...orderProblems(decided, trail),
    ...transitionProblems(trail),
    ...readProblems(reads, decided, trail),
  ]
}

/** Each answer is recorded once as it was answered, and nothing is recorded without a request. */
function answerProblems(calls: readonly Decided[], trail: readonly Recorded[]): string[] {
  const [requested, recorded] = [byReason(calls), byReason(trail)]
  const missing = calls
    .filter(({ action_id }) => action_id !== undefined)
    .flatMap(call => {
      const row = recorded.get(call.reason)
      if (row === undefined) return [`${call.action_id} was answered, and is not in the trail`]
      const same = ANSWERED.every(key => row[key] === call[key])
      return same ? [] : [`${call.action_id} was answered otherwise than audit_seq ${row.audit_seq} says`]
    })
  const invented = trail.filter(({ reason }) => {
    const call = requested.get(reason)
    return call === undefined || (call.action_id === undefined && call.returned !== null)
  })
  return [
    ...missing,
    ...invented.map(({ audit_seq }) => `audit_seq ${audit_seq} is of no call`),
    ...(recorded.size === trail.length ? [] : ['a call was recorded twice']),
  ]
}

const ANSWERED = ['action_id', 'environment', 'baseline_release_id', 'release_id', 'moved'] as const

/** No decision comes before one that had ended at the time of its request. */
function orderProblems(calls: readonly Decided[], trail: readonly Recorded[]): string[] {
  const requested = byReason(calls)
  let latest = { invoked: Number.NEGATIVE_INFINITY, audit_seq: 0 }
  return trail.flatMap(({ audit_seq, reason }) => {
    const { invoked, returned } = requested.get(reason) ?? UNKNOWN
    const late = returned !== null && returned < latest.invoked
    const problem = `audit_seq ${audit_seq} had returned before ${latest.audit_seq} was invoked`
    if (invoked > latest.invoked) latest = { invoked, audit_seq }
    return late ? [problem] : []
  })
}

const UNKNOWN: Timed = { invoked: Number.NEGATIVE_INFINITY, returned: null }

/** Each decision found the pointer where the one before it left it. */
function transitionProblems(trail: readonly Recorded[]): string[] {
  const pointers = new Map<string, string>()
  return trail.flatMap(({ audit_seq, environment, baseline_release_id, release_id, moved }, index) => {
    const found = pointers.get(environment) ?? null
    if (moved) pointers.set(environment, release_id)
    return [
      ...(audit_seq === index + 1 ? [] : [`audit_seq ${audit_seq} stands at place ${index + 1}`]),
      ...(baseline_release_id === found
        ? []
        : [`audit_seq ${audit_seq} was decided against ${baseline_release_id}, and ${found} was promoted`]),
    ]
  })
}

/**
 * Each read saw the pointers as they were at one moment between its invocation and its return, and none saw them as they
 * were before what another had seen by then.
 */
function readProblems(
  reads: readonly Read[],
  calls: readonly Decided[],
  trail: readonly Recorded[],
): string[] {
  const states = statesOf(trail)
  const requested = byReason(calls)
  const times = trail.map(({ reason }) => requested.get(reason) ?? UNKNOWN)
  // How many decisions of the trail had to be over, and could be begun: what matters is the last, and the first.
  const over = (invoked: number): number =>
    times.findLastIndex(({ returned }) => returned !== null && returned < invoked) + 1
  const begun = (returned: number): number => {
    const first = times.findIndex(({ invoked }) => invoked > returned)
    return first === -1 ? times.length : first
  }
  const seen: { readonly returned: number; readonly place: number }[] = []
  const answered = reads.filter(read => read.returned !== null)
  return answered
    .toSorted((a, b) => a.invoked - b.invoked)
    .flatMap(({ invoked, returned, pointers }) => {
      const earlier = seen.filter(other => other.returned < invoked).map(({ place }) => place)
      const from = Math.max(over(invoked), ...earlier)
      const place = placesOf(states, textOf(pointers)).find(at => at >= from && at <= begun(returned!))
      if (place === undefined)
        return [`a read at ${invoked} saw pointers that were not so by then, or no more`]
      seen.push({ returned: returned!, place })
      return []
    })
}

/** By what the pointers say: after how many decisions they did. */
function statesOf(trail: readonly Recorded[]): ReadonlyMap<string, number[]> {
  const pointers: Record<string, string> = {}
  const states = new Map([[textOf(pointers), [0]]])
  for (const [index, { environment, release_id, moved }] of trail.entries()) {
    if (moved) pointers[environment] = release_id
    const text = textOf(pointers)
    const places = states.get(text)
    if (places === undefined) states.set(text, [index + 1])
    else places.push(index + 1)
  }
  return states
}

function placesOf(states: ReadonlyMap<string, number[]>, text: string): readonly number[] {
  return states.get(text) ?? []
}

function textOf(pointers: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(pointers).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function byReason<T extends { readonly reason: string }>(items: readonly T[]): Map<string, T> {
  return new Map(items.map(item => [item.reason, item]))
}
