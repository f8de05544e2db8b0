import type { ComponentChildren } from 'preact'
import type { Override } from '../../models/documents/policy.ts'
import { Changes, Row } from '../ui/changes.tsx'
import { Words } from '../ui/text.tsx'
import { fieldOf, wordsOf } from './fields.ts'

interface Change {
  readonly field: string
  readonly from: unknown
  readonly to: unknown
}

/** What differs between two policies, a row per field. */
export function PolicyChanges({
  changes,
  sides,
}: {
  changes: readonly Change[]
  sides: readonly [from: string, to: string]
}) {
  if (changes.length === 0) return <p class="faint">Nothing differs.</p>
  return (
    <Changes what="Field" sides={sides}>
      {changes.map(({ field, from, to }) => (
        <Row key={field} name={labelOf(field)} cells={[show(field, from), show(field, to)]} differs />
      ))}
    </Changes>
  )
}

function show(field: string, value: unknown): ComponentChildren {
  if (field !== 'overrides') return textOf(field, value)
  if (value === null) return <span class="faint">none</span>
  return (
    <ul class="stack">
      {(value as Override[]).map(override => (
        <li key={placeOf(override)}>
          <Words>{`${placeOf(override)}: ${keysOf(override).join('; ')}`}</Words>
        </li>
      ))}
    </ul>
  )
}

function labelOf(field: string): string {
  if (field === 'policy_id') return 'Policy'
  return field === 'overrides' ? 'Overrides' : (fieldOf(field)?.label ?? field)
}

function textOf(key: string, value: unknown): string {
  const field = fieldOf(key)
  if (field !== undefined) return wordsOf(field, value)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Whom an override is for. */
export function placeOf({ agent_id, environment }: Pick<Override, 'agent_id' | 'environment'>): string {
  return `${agent_id ?? 'every agent'} in ${environment ?? 'every environment'}`
}

/** What it sets instead. */
export function keysOf({ agent_id: _agent, environment: _environment, ...keys }: Override): string[] {
  return Object.entries(keys).map(([key, value]) => `${labelOf(key)}: ${textOf(key, value)}`)
}
