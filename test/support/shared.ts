import { inject } from 'vitest'
import type { Shared } from './workshop.ts'

const known = new Map<keyof Shared, Promise<unknown>>()

/** What all test files of this run share; it is made when the first of them asks. */
export function shared<K extends keyof Shared>(name: K): Promise<Shared[K]> {
  const making = (known.get(name) as Promise<Shared[K]> | undefined) ?? ask(name)
  known.set(name, making)
  return making
}

async function ask<K extends keyof Shared>(name: K): Promise<Shared[K]> {
  const answer = await fetch(`${inject('workshop')}/${name}`)
  if (!answer.ok) throw new Error(`${name}: ${await answer.text()}`)
  return (await answer.json()) as Shared[K]
}
