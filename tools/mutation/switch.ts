/** Which mutant is on, and where tests have been. */
export interface Switch {
  /** The number of a mutant; -1 is none. */
  readonly turnOn: (id: number, most?: number) => void
  /** How often each place was reached since it was asked for the last time. */
  readonly reached: () => ReadonlyMap<number, number>
  /** Whether the place of the mutant that is on was reached since it was turned on. */
  readonly isTried: () => boolean
}

declare global {
  // oxlint-disable-next-line no-var
  var mutantIsOn: (id: number) => boolean
}

/** A mutant ran a place again and again. */
export class Endless extends Error {}

/** Is called by every place that has a mutant, numbered below `size`: it says whether that mutant is on. */
export function installSwitch(size: number): Switch {
  const counts = new Uint32Array(size)
  let [active, left, tried] = [-1, Infinity, false]
  globalThis.mutantIsOn = id => {
    if (active === -1) counts[id]! += 1
    if (id !== active) return false
    tried = true
    left -= 1
    if (left < 0) throw new Endless(`mutant ${id} does not end`)
    return true
  }
  return {
    turnOn: (id, most = Infinity) => void ([active, left, tried] = [id, most, false]),
    reached: () => {
      const found = [...counts.entries()].filter(([, count]) => count > 0)
      counts.fill(0)
      return new Map(found)
    },
    isTried: () => tried,
  }
}
