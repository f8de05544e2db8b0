import type { CommandSpec } from '../../cli/arguments/command.ts'

/** The groups of commands, in the order of the help: those of the core, of features, and what svc says of itself. */
export const GROUPS: readonly (() => Promise<{ readonly COMMANDS: readonly CommandSpec[] }>)[] = [
  () => import('./workspace.ts'),
  () => import('./release.ts'),
  () => import('./rules.ts'),
  () => import('../../cli/audit/log.ts'),
  () => import('./runs.ts'),
  () => import('../../cli/webhook/webhook.ts'),
  () => import('./ledger.ts'),
  () => import('../../features/advice/cli.ts'),
  () => import('../../features/aggregates/cli.ts'),
  () => import('../../features/apply/cli.ts'),
  () => import('../../features/capabilities/cli.ts'),
  () => import('../../features/capture/cli.ts'),
  () => import('../../features/copy/cli.ts'),
  () => import('../../features/deliveries/cli.ts'),
  () => import('../../features/deploys/cli.ts'),
  () => import('../../features/explain/cli.ts'),
  () => import('../../features/explore/cli.ts'),
  () => import('../../features/identity/cli.ts'),
  () => import('../../features/mcp/cli.ts'),
  () => import('../../features/profiles/cli.ts'),
  () => import('../../features/proofs/cli.ts'),
  () => import('../../features/retention/cli.ts'),
  () => import('../../features/retirements/cli.ts'),
  () => import('../../features/rollouts/cli.ts'),
  () => import('../../features/scores/cli.ts'),
  () => import('../../features/tokens/cli.ts'),
  () => import('../../features/watch/cli.ts'),
  () => import('./about.ts'),
]

/** The commands of a group; one of two names is there by both. */
export async function commandsOf(group: number): Promise<readonly CommandSpec[]> {
  return (await GROUPS[group]!()).COMMANDS.flatMap(withItsOtherName)
}

/** The short help lists the first of two names alone. */
function withItsOtherName(command: CommandSpec): readonly CommandSpec[] {
  const { also, task: _, ...other } = command
  if (also === undefined) return [command]
  const example = other.example.replace(other.name, also)
  return [command, { ...other, name: also, summary: `The same as \`svc ${other.name}\``, example }]
}
