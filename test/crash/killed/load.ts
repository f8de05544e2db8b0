import { eventOf } from '../../support/services/builders.ts'

/** What clients learned from a service that keeps being killed. */
export interface Answers {
  readonly runs: string[]
  readonly actions: string[]
  /** Answers by status; a connection that was lost counts as 0. */
  readonly statuses: Map<number, number>
}

export interface Load {
  readonly answers: Answers
  /** Resolves when so many more answers of success are there. */
  more(count: number): Promise<void>
  stop(): Promise<void>
}

const BATCH = 20

/** Clients that send events and ask for decisions, each again until it is answered with success. */
export function startLoad(url: () => string, releases: readonly string[]): Load {
  const answers: Answers = { runs: [], actions: [], statuses: new Map() }
  const state = { isOver: false, answered: 0 }
  let waiting: { count: number; resolve: () => void }[] = []

  async function send(path: string, body: unknown): Promise<{ status: number; body: Answered }> {
    const answered = await fetch(`${url()}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
      .then(async response => ({ status: response.status, body: (await response.json()) as Answered }))
      .catch(() => ({ status: 0, body: {} }))
    answers.statuses.set(answered.status, (answers.statuses.get(answered.status) ?? 0) + 1)
    // Nobody is there for a while.
    if (answered.status === 0) await new Promise(resolve => setTimeout(resolve, 10))
    return answered
  }

  function report(): void {
    state.answered += 1
    for (const { resolve } of waiting.filter(({ count }) => state.answered >= count)) resolve()
    waiting = waiting.filter(({ count }) => state.answered < count)
  }

  async function sendEvents(client: number): Promise<void> {
    for (let batch = 0; !state.isOver; batch++) {
      const run_ids = Array.from({ length: BATCH }, (_, index) => `run-${client}-${batch}-${index}`)
      const at = Date.now()
      const events = run_ids.map(run_id => eventOf({ release_id: releases[client % 2]!, run_id, at }))
      let status = 0
      while (status !== 200 && !state.isOver) status = (await send('/v1/events', { events })).status
      if (status !== 200) return
      answers.runs.push(...run_ids)
      report()
    }
  }

  async function decide(environment: string): Promise<void> {
    for (let round = 0; !state.isOver; round++) {
      const release_id = releases[round % releases.length]
      const decision = { release_id, environment, window: '1h', reason: `round ${round}` }
      const { body } = await send('/v1/promote', decision)
      const action = body.action_id ?? outcomeOf(body)
      if (action === undefined) continue
      answers.actions.push(action)
      report()
    }
  }

  const clients = [...[0, 1].map(sendEvents), ...['prod', 'staging'].map(decide)]
  return {
    answers,
    more: count =>
      new Promise(resolve => {
        waiting.push({ count: state.answered + count, resolve })
      }),
    stop: async () => {
      state.isOver = true
      await Promise.all(clients)
    },
  }
}

interface Answered {
  readonly action_id?: string
  readonly detail?: unknown
}

/** A refused decision is recorded as well. */
function outcomeOf({ detail }: Answered): string | undefined {
  if (typeof detail !== 'object' || detail === null || !('outcome' in detail)) return undefined
  return (detail.outcome as { action_id: string }).action_id
}
