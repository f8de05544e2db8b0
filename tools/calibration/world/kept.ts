import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { Sampling } from '../decisions.ts'
import { type Seen, type World, seenIn } from './seen.ts'

/** How two releases compared in so many draws of a world. */
export interface Row {
  readonly reps: number
  readonly seen: Seen
}

export type Rows = (world: World, mean: number, sampling: Sampling) => Promise<Row>

interface KeptRow extends Row {
  readonly name: string
  readonly mean: number
  readonly seed: number
}

export const drawnRows: Rows = async (world, mean, sampling) => ({
  reps: sampling.reps,
  seen: await seenIn(world, mean, sampling),
})

/** Rows that a file of JSON lines has already, of whatever number of draws; the others are drawn and added to it. */
export function keptRows(file: string): Rows {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  const kept = lines.filter(line => line !== '').map(line => JSON.parse(line) as KeptRow)
  return async (world, mean, sampling) => {
    const { name } = world
    const found = kept.find(row => row.name === name && row.mean === mean && row.seed === sampling.seed)
    if (found !== undefined) return found
    const row = await drawnRows(world, mean, sampling)
    appendFileSync(file, `${JSON.stringify({ name, mean, seed: sampling.seed, ...row })}\n`)
    return row
  }
}
