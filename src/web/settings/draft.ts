import type { Override, Policy } from '../../models/documents/policy.ts'
import { type Key, FURTHER_FIELDS, MAIN_FIELDS, fieldOf, problemOf } from './fields.ts'

/** Keys that are set, with their values; a value that is not valid yet is kept as typed. */
export type Keys = Readonly<Partial<Record<Key, unknown>>>

/** What holds for some agents or environments instead. */
export interface Rule {
  readonly agent_id: string
  readonly environment: string
  readonly keys: Keys
}

/** A policy as it is being written. */
export interface Draft {
  readonly policy_id: string
  readonly keys: Keys
  readonly overrides: readonly Rule[]
}

const FIELDS = [...MAIN_FIELDS, ...FURTHER_FIELDS]

export function draftOf({ policy_id, overrides = [], ...keys }: Policy): Draft {
  return {
    policy_id,
    keys,
    overrides: overrides.map(({ agent_id = '', environment = '', ...set }) => ({
      agent_id,
      environment,
      keys: set,
    })),
  }
}

/**
 * The document to send: its keys in the order of the page, then those that the page has no field for. What is off is
 * left out, but where it switches a limit off.
 */
export function documentOf({ policy_id, keys, overrides }: Draft): Policy {
  const inOrder = (set: Keys): object =>
    Object.fromEntries([
      ...FIELDS.filter(({ key }) => key in set).map(({ key }) => [key, set[key]]),
      ...Object.entries(set).filter(([key]) => fieldOf(key) === undefined),
    ])
  const isMain = (key: string): boolean => MAIN_FIELDS.some(field => field.key === key)
  const base = Object.entries(inOrder(keys)).filter(([key, value]) => value != null || isMain(key))
  return {
    policy_id: policy_id.trim(),
    ...Object.fromEntries(base),
    ...(overrides.length === 0 ? {} : { overrides: overrides.map(rule => ruleOf(rule, inOrder)) }),
  } as Policy
}

function ruleOf({ agent_id, environment, keys }: Rule, inOrder: (set: Keys) => object): Override {
  return {
    ...(agent_id.trim() === '' ? {} : { agent_id: agent_id.trim() }),
    ...(environment.trim() === '' ? {} : { environment: environment.trim() }),
    ...inOrder(keys),
  }
}

/** Whether everything that is typed can be read. */
export function isWritten({ policy_id, keys, overrides }: Draft): boolean {
  const all = [keys, ...overrides.map(rule => rule.keys)].flatMap(set => Object.entries(set))
  return (
    policy_id.trim() !== '' &&
    all.every(([key, value]) => {
      const field = fieldOf(key)
      return field === undefined || problemOf(field, value) === ''
    }) &&
    overrides.every(({ agent_id, environment }) => (agent_id + environment).trim() !== '')
  )
}
