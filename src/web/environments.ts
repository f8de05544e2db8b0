import { useBoard, useWorkspace } from './reads.ts'

/** The environments that are declared or that something is registered for, in their order; of one agent only its own. */
export function useEnvironments(agent?: string): string[] {
  const declared = useWorkspace().data?.environments ?? []
  const board = useBoard().data?.board ?? []
  if (agent === undefined) return inOrder([...declared, ...board.map(environmentOf)], declared)
  return inOrder(board.filter(({ agent_id }) => agent_id === agent).map(environmentOf), declared)
}

/** Puts names of environments in their order. */
export function useInOrder(): (names: Iterable<string>) => string[] {
  const declared = useWorkspace().data?.environments
  return names => inOrder(names, declared)
}

const environmentOf = ({ environment }: { readonly environment: string }): string => environment

/** Environments by how near to users they are, as far as their names tell; others come before what is live. */
const USUAL = [
  ['local'],
  ['dev', 'development'],
  ['test', 'testing', 'qa', 'ci'],
  ['staging', 'stage', 'stg', 'uat'],
  ['preprod', 'pre-prod', 'preview'],
  ['canary'],
  ['prod', 'production', 'live'],
]

/** Environments in the order in which service.yaml declares them; others, and all where it doesn't, by their names. */
function inOrder(names: Iterable<string>, declared: readonly string[] = []): string[] {
  const place = (name: string): number => {
    if (declared.includes(name)) return declared.indexOf(name) - declared.length
    const found = USUAL.findIndex(alike => alike.includes(name.toLowerCase()))
    return found < 0 ? USUAL.length - 1.5 : found
  }
  return [...new Set(names)].sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1))
}
