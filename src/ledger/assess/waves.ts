import { type Memo, keepLatest, remembering } from '../world/memo.ts'

/**
 * Decisions of a process that wait for one another while the first of them is measured. What is measured at that moment
 * for one holds for whichever of them has the same question: all of them came before it.
 */
export interface Wave {
  /** The moment, epoch ms: the end of the windows. */
  readonly now: number
  /** What was measured, by its question. */
  readonly measured: Map<string, unknown>
}

/** One decision on its way. */
export interface Arrival {
  /** Whether decisions of the same place are ahead, so that whatever is read now would be read again behind them. */
  readonly isBehind: boolean
  /** Notes whose release it is, which never changes. */
  readonly isOf: (agentId: string) => void
  /** Its wave, called when it has its turn. */
  readonly wave: (now: number) => Wave
  readonly leave: () => void
}

interface Waves {
  arrived: number
  /** How many had arrived when the wave began. */
  upTo: number
  wave: Wave | undefined
  /** How many are on their way, by agent and environment. */
  readonly waiting: Map<string, number>
  /** Agents by release. */
  readonly agents: Map<string, string>
}

const wavesOf = remembering((): Waves => ({
  arrived: 0,
  upTo: 0,
  wave: undefined,
  waiting: new Map(),
  agents: new Map(),
}))

/** A decision about a release in an environment arrives. It has to leave. */
export function arrive(memo: Memo, releaseId: string, environment: string): Arrival {
  const waves = wavesOf(memo)
  const number = ++waves.arrived
  const { waiting, agents } = waves
  let place: string | undefined
  const enter = (agentId: string): void => {
    place = `${agentId}\0${environment}`
    waiting.set(place, (waiting.get(place) ?? 0) + 1)
  }
  const agent = agents.get(releaseId)
  const isBehind = agent !== undefined && waiting.has(`${agent}\0${environment}`)
  if (agent !== undefined) enter(agent)
  return {
    isBehind,
    isOf: agentId => {
      keepLatest(agents, releaseId, agentId)
      if (place === undefined) enter(agentId)
    },
    wave: now => {
      if (waves.wave === undefined || number > waves.upTo) {
        waves.upTo = waves.arrived
        waves.wave = { now, measured: new Map() }
      }
      return waves.wave
    },
    leave: () => {
      if (place === undefined) return
      const others = waiting.get(place)! - 1
      if (others === 0) waiting.delete(place)
      else waiting.set(place, others)
      if (waiting.size === 0) waves.wave = undefined
    },
  }
}
