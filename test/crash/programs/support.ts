import { type RouteName, routes } from '../../../handlers/index.ts'
import { bodyText } from '../../../src/http/wire/message.ts'
import { workspaceConfig } from '../../../src/runtime/documents.ts'
import { openServices } from '../../../src/runtime/node/open.ts'
import type { Services } from '../../../src/runtime/services.ts'
import { readEnvironment } from '../../../src/runtime/environment.ts'

/** The input that the test gave this program. */
export function input<T>(): T {
  return JSON.parse(process.argv[2]!) as T
}

/** Prints a line that the test may rely on: what it says is committed. */
export function acknowledge(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

/** A ledger: its folder, and the database that holds it if that is not a file of the folder. */
export interface Place {
  readonly folder: string
  readonly databaseUrl?: string | undefined
}

export function open({ folder, databaseUrl }: Place): Promise<Services> {
  return openServices({
    folder,
    environment: readEnvironment({ SERVICE_DATABASE_URL: databaseUrl }),
    version: '0.0.0-test',
    log: () => {},
    workspace: workspaceConfig({ diff: { min_candidate_runs: 0, min_baseline_runs: 0, min_low_runs: 0 } }),
  })
}

/** The same ledger under a workspace that demands approvals. */
export function withApproval(services: Services): Services {
  return { ...services, workspace: { ...services.workspace, promotion_requires_approval: true } }
}

export async function call(
  services: Services,
  route: RouteName,
  body?: unknown,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const { default: endpoint } = await routes[route]()
  const reply = await endpoint.reply(
    {
      method: route.split(' ')[0]!,
      url: `http://localhost${route.split(' ')[1]}`,
      headers: { get: name => (name === 'content-type' ? 'application/json' : null), keys: () => [] },
      body: JSON.stringify(body ?? {}),
    },
    { ...services, peer: { kind: 'cli', actor: 'test' } },
  )
  return { status: reply.status, body: JSON.parse(await bodyText(reply)) as Record<string, unknown> }
}
